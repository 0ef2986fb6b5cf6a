"""Scenes of the drawn world in which something happens to a thing on a table, and candidates with other contexts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from whatif.engine.random_streams import stream
from whatif.world.scenes import one_of

# Colours by lightness: the two colours of a group are distinguishable without hue.
DARK_COLOURS: tuple[str, ...] = ("red", "green", "blue", "purple")
LIGHT_COLOURS: tuple[str, ...] = ("orange", "yellow", "pink")
PATTERNS: tuple[str, ...] = ("striped", "dotted", "plain")
WALLS: tuple[str, ...] = ("white", "grey", "cream", "cyan")  # backgrounds on which every colour is visible
LIGHTS: dict[str, int] = {"bright": 100, "soft": 90, "dim": 79}  # percent of the wall's brightness
SIDES: dict[str, str] = {"left": "right", "right": "left"}  # a side and the other one
FIGURE_SIZES: dict[str, int] = {"small": 320, "large": 400}  # the longer side, in thousandths of the image's side

_LARGEST_SHIFT = 35


@dataclass(frozen=True)
class Figure:
    """A thing by its look."""

    noun: str
    colour: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.pattern} {self.colour} {self.noun}"


@dataclass(frozen=True)
class CausalScene:
    """A thing on a table before a wall, with a bystander on the floor and a clock.

    `agents` are the agents at the left and at the right above the thing, in a scene before the event; `change` is the
    event, in a scene after it. `side` is where the bystander stands. In candidates, `shift` (thousandths of the image's
    side) and `scale` (percent) change the thing's place and size, `bystander_scale` the bystander's size, and
    `bystander_lies` lays it down.

    Scenes with the same content are equal, even if their ids differ.
    """

    scene_id: str = field(compare=False)
    background: str
    light: str
    hour: int
    thing: Figure
    size: str
    bystander: Figure
    side: str
    agents: tuple[str, ...] = ()
    change: str | None = None
    shift: int = 0
    scale: int = 100
    bystander_scale: int = 100
    bystander_lies: bool = False


def varied_scene(scene: CausalScene, variation: int) -> CausalScene:
    """Candidate `variation` for the same sentence: another place and size of the thing, and one or two differences.

    These are another light, the bystander on the other side, and the bystander larger or smaller, perhaps lying. Every
    candidate shows the same things, so it is in the scene's split. Depends only on the scene's id and content and on
    the number; 0 is the scene itself.
    """
    if variation == 0:
        return scene
    generator = stream(0, "causal variation", scene.scene_id, variation)
    shift = int(generator.integers(15, _LARGEST_SHIFT + 1)) * (1 if generator.random() < 0.5 else -1)
    scene = replace(scene, shift=shift, scale=one_of((86, 92, 106, 112), generator))
    differences = generator.permutation(3)[: 1 + int(generator.integers(2))].tolist()
    if 0 in differences:
        scene = replace(scene, light=one_of([light for light in LIGHTS if light != scene.light], generator))
    if 1 in differences:
        scene = replace(scene, side=SIDES[scene.side])
    if 2 in differences:
        lies = bool(generator.random() < 0.5)
        scene = replace(scene, bystander_scale=one_of((60, 120), generator), bystander_lies=lies)
    return scene
