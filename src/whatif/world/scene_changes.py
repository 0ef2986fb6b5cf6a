"""Changes of a scene that a counterfactual question presupposes, as JSON values, and the scene that results.

`which` names things of a scene:

- `noun`, `colour`, `size`: one, two or all of them; none names every thing.
- `not`: all things but these (another `which`).
- `within`: a region of the image, by the things' centres: a key of `REGIONS`.
- `further` with `than`: further `left of`, `right of`, `above` or `below` than the only thing that `than` names.
- `outermost`: `left`, `right`, `top` or `bottom`, the first `number` (1) of the things in that direction.
- `nearest`: the thing with the smallest distance to the only thing that this `which` names.

A change is one of

- `{remove: which}` and `{hide: which}`, both with an optional `number` of things that are enough;
- `{add: {noun, colour, size}, number: n}`, `{multiply: which, by: n}`;
- `{recolour: which, to: colour}`, `{rename: which, to: noun}`, `{resize: which, to: size}`;
- `{replace: which, by: {noun, ...}, number: n}`, each thing by n; what `by` does not name is as before;
- `{exchange: noun, colour, size or place, of: [which, which]}`;
- `{mirror: left-right}` or `{mirror: top-bottom}`, `{background: name}`;
- `{steps: [change, ...]}`, one after another.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, SIZES, Scene, Thing, relation_of

Which: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Mapping[str, Any]
Things: TypeAlias = tuple[Thing, ...]

NOWHERE = -9.0  # both coordinates of a thing that is added: a presupposition does not say where it lies
# Left, top, right and bottom, as fractions of the image's side.
REGIONS: dict[str, tuple[float, float, float, float]] = {
    "left half": (0, 0, 1 / 2, 1),
    "right half": (1 / 2, 0, 1, 1),
    "top half": (0, 0, 1, 1 / 2),
    "bottom half": (0, 1 / 2, 1, 1),
    "left third": (0, 0, 1 / 3, 1),
    "right third": (2 / 3, 0, 1, 1),
    "top third": (0, 0, 1, 1 / 3),
    "bottom third": (0, 2 / 3, 1, 1),
    "top left quarter": (0, 0, 1 / 2, 1 / 2),
    "top right quarter": (1 / 2, 0, 1, 1 / 2),
    "bottom left quarter": (0, 1 / 2, 1 / 2, 1),
    "bottom right quarter": (1 / 2, 1 / 2, 1, 1),
}
WORDS: dict[str, tuple[str, ...]] = {"noun": NOUNS, "colour": tuple(COLOURS), "size": tuple(SIZES)}
_PLACES = ("not", "within", "further", "outermost", "nearest")
_PARTS = {"further": {"than"}, "outermost": {"number"}}
_DIRECTIONS: dict[str, Callable[[Thing], float]] = {
    "left": lambda thing: thing.x,
    "right": lambda thing: -thing.x,
    "top": lambda thing: thing.y,
    "bottom": lambda thing: -thing.y,
}
_SIDES = {"left of": "left", "right of": "right", "above": "top", "below": "bottom"}
_ATTRIBUTE_OF = {"recolour": "colour", "rename": "noun", "resize": "size"}


def changed(scene: Scene, change: Change) -> Scene:
    """The scene after the change. It may contain no thing at all; its things may lie outside the image or overlap.

    Things that are recoloured, renamed or resized keep their places; added things have none (`NOWHERE`). Raises
    WhatifError for a change that this module does not know or that is impossible in this scene.
    """
    if "steps" in change:
        for step in change["steps"]:
            scene = changed(scene, step)
        return scene
    what = next((key for key in change if key in _CHANGES), "")
    if not what or not change.keys() <= {what, *_ARGUMENTS[what]}:
        raise WhatifError(
            f"{scene.scene_id}: unknown change {dict(change)}; choose one of steps, {', '.join(_CHANGES)}"
        )
    made = _CHANGES[what](scene, change)
    related = scene.relation is not None and len(made.things) == 2 and all(is_placed(thing) for thing in made.things)
    return replace(
        made,
        scene_id=f"{scene.scene_id.removesuffix('-changed')}-changed",
        relation=relation_of(*made.things) if related else None,
    )


def chosen(scene: Scene, which: Which) -> list[int]:
    """The numbers of the things that `which` names, in their order, from 0.

    Raises WhatifError for an unknown key or word, and where another thing must be the only one of its name.
    """
    _check(scene, which)
    there = [number for number, thing in enumerate(scene.things) if is_of(thing, which)]
    if "not" in which:
        left_out = set(chosen(scene, which["not"]))
        there = [number for number in there if number not in left_out]
    if "within" in which:
        there = [number for number in there if _is_within(scene.things[number], which["within"])]
    if "further" in which:
        ahead = _DIRECTIONS[_SIDES[which["further"]]]
        line = ahead(scene.things[the_only(scene, which["than"])])
        there = [number for number in there if is_placed(scene.things[number]) and ahead(scene.things[number]) < line]
    if "outermost" in which:
        ranked = sorted(there, key=lambda number: _DIRECTIONS[which["outermost"]](scene.things[number]))
        there = sorted(ranked[: which.get("number", 1)])
    if "nearest" in which:
        anchor = the_only(scene, which["nearest"])
        others = [number for number in there if number != anchor]
        there = sorted(others, key=lambda number: distance(scene.things[number], scene.things[anchor]))[:1]
    return there


def the_only(scene: Scene, which: Which) -> int:
    """The number of the only thing that `which` names; WhatifError if it names none or several."""
    there = chosen(scene, which)
    if len(there) != 1:
        raise WhatifError(f"{scene.scene_id}: {dict(which)} names {len(there)} things; it must name one")
    return there[0]


def is_of(thing: Thing, which: Which) -> bool:
    """Whether a thing has the noun, colour and size that `which` names; its place does not matter."""
    return all(getattr(thing, attribute) == which[attribute] for attribute in WORDS if attribute in which)


def is_placed(thing: Thing) -> bool:
    """Whether the place of a thing is known."""
    return thing.x != NOWHERE


def distance(thing: Thing, other: Thing) -> float:
    """The distance of the centres of two things, as a fraction of the image's side."""
    return math.hypot(thing.x - other.x, thing.y - other.y)


def _check(scene: Scene, which: Which) -> None:
    parts = {part for place in _PLACES if place in which for part in (place, *_PARTS.get(place, ()))}
    for key, word in which.items():
        if key not in WORDS and key not in parts:
            known = ", ".join((*WORDS, *_PLACES))
            raise WhatifError(f"{scene.scene_id}: unknown key {key!r} in {dict(which)}; choose one of {known}")
        options = {**WORDS, "within": tuple(REGIONS), "further": tuple(_SIDES), "outermost": tuple(_DIRECTIONS)}.get(
            key
        )
        if options is not None and word not in options:
            raise WhatifError(f"{scene.scene_id}: unknown {key} {word!r}; choose one of {', '.join(options)}")


def _is_within(thing: Thing, region: str) -> bool:
    left, top, right, bottom = REGIONS[region]
    return is_placed(thing) and left <= thing.x < right and top <= thing.y < bottom


def _without(scene: Scene, change: Change) -> Scene:
    which = change.get("remove", change.get("hide"))
    there = chosen(scene, which)
    number = change.get("number", len(there))
    if number > len(there):
        raise WhatifError(f"{scene.scene_id}: {number} things cannot be removed; {dict(which)} names {len(there)}")
    gone = set(there[:number])
    return replace(scene, things=tuple(thing for place, thing in enumerate(scene.things) if place not in gone))


def _with_more(scene: Scene, change: Change) -> Scene:
    added = Thing(change["add"]["noun"], change["add"]["colour"], change["add"].get("size", "small"), NOWHERE, NOWHERE)
    _check(scene, change["add"])
    return replace(scene, things=scene.things + (added,) * change.get("number", 1))


def _multiplied(scene: Scene, change: Change) -> Scene:
    copies = [_moved(scene.things[number]) for number in chosen(scene, change["multiply"])] * (change["by"] - 1)
    return replace(scene, things=(*scene.things, *copies))


def _with_attribute(scene: Scene, change: Change) -> Scene:
    ((what, which),) = [(key, which) for key, which in change.items() if key in _ATTRIBUTE_OF]
    _check(scene, {_ATTRIBUTE_OF[what]: change["to"]})
    return _set(scene, chosen(scene, which), **{_ATTRIBUTE_OF[what]: change["to"]})


def _replaced(scene: Scene, change: Change) -> Scene:
    _check(scene, change["by"])
    gone = chosen(scene, change["replace"])
    copies = [_moved(replace(scene.things[number], **change["by"])) for number in gone for _ in range(change["number"])]
    left = [thing for place, thing in enumerate(scene.things) if place not in gone]
    return replace(scene, things=(*left, *copies))


def _exchanged(scene: Scene, change: Change) -> Scene:
    first, second = (chosen(scene, which) for which in change["of"])
    attributes = ("x", "y") if change["exchange"] == "place" else (change["exchange"],)
    values = [
        {tuple(getattr(scene.things[number], one) for one in attributes) for number in group}
        for group in (first, second)
    ]
    if [len(value) for value in values] != [1, 1]:
        raise WhatifError(f"{scene.scene_id}: {dict(change)}: each of the two must have one {change['exchange']}")
    of_first, of_second = (dict(zip(attributes, *value, strict=True)) for value in values)
    return _set(_set(scene, first, **of_second), second, **of_first)


def _mirrored(scene: Scene, change: Change) -> Scene:
    if change["mirror"] not in ("left-right", "top-bottom"):
        raise WhatifError(f"{scene.scene_id}: unknown mirror {change['mirror']!r}; choose left-right or top-bottom")
    across = change["mirror"] == "left-right"
    things = (replace(thing, x=1 - thing.x) if across else replace(thing, y=1 - thing.y) for thing in scene.things)
    return replace(scene, things=tuple(things))


def _on_another_background(scene: Scene, change: Change) -> Scene:
    if change["background"] not in BACKGROUNDS:
        known = ", ".join(BACKGROUNDS)
        raise WhatifError(f"{scene.scene_id}: unknown background {change['background']!r}; choose one of {known}")
    return replace(scene, background=change["background"])


def _set(scene: Scene, numbers: list[int], **attributes: Any) -> Scene:
    things = (replace(thing, **attributes) if place in numbers else thing for place, thing in enumerate(scene.things))
    return replace(scene, things=tuple(things))


def _moved(thing: Thing) -> Thing:
    return replace(thing, x=NOWHERE, y=NOWHERE)


_CHANGES: dict[str, Callable[[Scene, Change], Scene]] = {
    "remove": _without,
    "hide": _without,
    "add": _with_more,
    "multiply": _multiplied,
    "recolour": _with_attribute,
    "rename": _with_attribute,
    "resize": _with_attribute,
    "replace": _replaced,
    "exchange": _exchanged,
    "mirror": _mirrored,
    "background": _on_another_background,
}
_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("remove", "hide", "add"), ("number",)),
    "multiply": ("by",),
    **dict.fromkeys(_ATTRIBUTE_OF, ("to",)),
    "replace": ("by", "number"),
    "exchange": ("of",),
    "mirror": (),
    "background": (),
}
