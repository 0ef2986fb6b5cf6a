"""Draws scenes of causes and effects in three styles, at any size (MuCR 3.1)."""

from __future__ import annotations

from PIL import Image

from whatif.engine.errors import WhatifError
from whatif.world.causal_changes import CHANGES, standing
from whatif.world.causal_scenes import FIGURE_SIZES, LIGHTS, CausalScene, varied_scene
from whatif.world.causal_sprites import Canvas, agent_sprite, figure_sprite
from whatif.world.causal_styles import INK, STYLES, finished, wall_in_style
from whatif.world.scenes import BACKGROUNDS

SMALLEST_CAUSAL_SIDE, LARGEST_CAUSAL_SIDE = 64, 1024

_SUPERSAMPLED_PIXELS = 512  # images are drawn about this large, or twice as large as asked for, then reduced
_WOOD, _DARK_WOOD, _DIAL = (166, 112, 64), (120, 78, 42), (250, 250, 246)
# Places in thousandths of the image's side.
_FLOOR, _TABLE_TOP, _TABLE_BASE, _FEET = 830, 740, 955, 960
_TABLE_LEFT, _TABLE_RIGHT = 285, 715
_BYSTANDER, _BYSTANDER_SIZE = 142, 250
_AGENT_SIZE, _AGENT_TOP, _AGENT_FROM_SIDE = 300, 50, 30
_CLOCK, _CLOCK_HEIGHT, _CLOCK_RADIUS = 110, 530, 76
# The direction of the hour hand at one o'clock, at two o'clock, ... in thousandths.
_HANDS = ((500, -866), (866, -500), (1000, 0), (866, 500), (500, 866), (0, 1000), (-500, 866), (-866, 500), (-1000, 0))


def draw_causal_picture(scene: CausalScene, style: str, side: int, variation: int = 0) -> Image.Image:
    """The scene in RGB in a style, `side` pixels wide and high; the same pixels on every machine.

    `variation` is the number of a candidate for the same description. 0 keeps to the description; the others differ
    in place and size of the thing and in light or bystander, independently before and after the event. So variation
    0 of a cause and variation 0 of its effect are the most alike.

    Raises WhatifError for an unknown style, a negative variation, and a side that is not from 64 to 1024.
    """
    if style not in STYLES:
        raise WhatifError(f"causal image: unknown style {style!r}; choose one of {', '.join(STYLES)}")
    if not SMALLEST_CAUSAL_SIDE <= side <= LARGEST_CAUSAL_SIDE:
        raise WhatifError(
            f"causal image: side is {side}; it must be a number of pixels from {SMALLEST_CAUSAL_SIDE} to "
            f"{LARGEST_CAUSAL_SIDE}"
        )
    if variation < 0:
        raise WhatifError(f"causal image: variation is {variation}; variations are counted from 0")
    scene = varied_scene(scene, variation)
    finer = max(2, _SUPERSAMPLED_PIXELS // side)
    wall = wall_in_style(BACKGROUNDS[scene.background], LIGHTS[scene.light], style)
    canvas = Canvas(side * finer, style, max(1, side * finer // 160), wall)
    _draw_room(canvas, scene, wall)
    _draw_bystander(canvas, scene)
    _draw_thing(canvas, scene)
    _draw_agents(canvas, scene)
    return finished(canvas.image.reduce(finer), style)


def _draw_room(canvas: Canvas, scene: CausalScene, wall: tuple[int, int, int]) -> None:
    side = canvas.side
    red, green, blue = wall
    floor = (red * 78 // 100, green * 78 // 100, blue * 78 // 100)
    canvas.rectangle((-side, _at(_FLOOR, side), 2 * side, 2 * side), floor)
    _draw_clock(canvas, scene)
    for left in (_TABLE_LEFT + 30, _TABLE_RIGHT - 70):
        canvas.rectangle(_places((left, _TABLE_TOP, left + 40, _TABLE_BASE), side), _DARK_WOOD)
    canvas.rectangle(_places((_TABLE_LEFT, _TABLE_TOP, _TABLE_RIGHT, _TABLE_TOP + 45), side), _WOOD)


def _draw_clock(canvas: Canvas, scene: CausalScene) -> None:
    """On the wall at the side where the bystander is not; the minute hand points upwards."""
    side = canvas.side
    x = _at(1000 - _CLOCK if scene.side == "left" else _CLOCK, side)
    y, radius, thick = _at(_CLOCK_HEIGHT, side), _at(_CLOCK_RADIUS, side), max(1, _at(9, side))
    canvas.ellipse((x - radius, y - radius, x + radius, y + radius), INK, outline=False)
    inner = radius * 84 // 100
    canvas.ellipse((x - inner, y - inner, x + inner, y + inner), _DIAL, outline=False)
    right, down = _HANDS[scene.hour - 1]
    for across, up, length in ((0, 1000, 76), (right, -down, 52)):
        end = (x + across * length * radius // 100_000, y - up * length * radius // 100_000)
        sideways = (up * thick // 2000, across * thick // 2000)
        canvas.fill(
            [
                (x - sideways[0], y - sideways[1]),
                (x + sideways[0], y + sideways[1]),
                (end[0] + sideways[0], end[1] + sideways[1]),
                (end[0] - sideways[0], end[1] - sideways[1]),
            ],
            INK,
            outline=False,
        )


def _draw_bystander(canvas: Canvas, scene: CausalScene) -> None:
    place = _BYSTANDER if scene.side == "left" else 1000 - _BYSTANDER
    longer = _at(_BYSTANDER_SIZE * scene.bystander_scale // 100, canvas.side)
    sprite = figure_sprite(scene.bystander, longer, canvas.style)
    standing(
        canvas, sprite.lying() if scene.bystander_lies else sprite, _at(place, canvas.side), _at(_FEET, canvas.side)
    )


def _draw_thing(canvas: Canvas, scene: CausalScene) -> None:
    side = canvas.side
    longer = _at(FIGURE_SIZES[scene.size] * scene.scale // 100, side)
    sprite = figure_sprite(scene.thing, longer, canvas.style)
    draw = standing if scene.change is None else CHANGES[scene.change]
    draw(canvas, sprite, _at(500 + scene.shift, side), _at(_TABLE_TOP, side), 1 if scene.side == "left" else -1)


def _draw_agents(canvas: Canvas, scene: CausalScene) -> None:
    width, top, margin = (_at(place, canvas.side) for place in (_AGENT_SIZE, _AGENT_TOP, _AGENT_FROM_SIDE))
    for agent, left in zip(scene.agents, (margin, canvas.side - margin - width), strict=False):
        canvas.put(agent_sprite(agent, width, canvas.style, turned=left > margin), left, top)


def _places(box: tuple[int, int, int, int], side: int) -> tuple[int, int, int, int]:
    left, top, right, bottom = (_at(place, side) for place in box)
    return left, top, right, bottom


def _at(thousandths: int, side: int) -> int:
    return thousandths * side // 1000
