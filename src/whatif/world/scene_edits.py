"""Minimal pairs: one named property of a scene is changed, and everything else is unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.world.scene_layout import fits, scattered_places
from whatif.world.scenes import (
    BACKGROUNDS,
    COLOURS,
    MOST_LARGE_THINGS,
    MOST_OF_A_KIND,
    MOST_THINGS,
    NOUNS,
    SIZES,
    Group,
    Scene,
    Thing,
    one_of,
    relation_of,
    split_of,
)

# The edits that every drawn scene of a kind supports.
EDITS: dict[str, tuple[str, ...]] = {
    "one": ("noun", "colour", "size", "background"),
    "pair": ("noun", "colour", "size", "background", "relation"),
    "counted": ("noun", "colour", "background", "count"),
}
_ATTEMPTS = 400


def edit(scene: Scene, what: str, generator: np.random.Generator) -> Scene:
    """The scene with another `noun`, `colour`, `size`, `background`, `relation` or `count`, and no other change.

    Noun, colour and size change for one group of things. With `relation` the two things exchange places. With `count`
    things of one group are added or removed and the others keep their places. The edited scene is in the same split.

    Raises WhatifError when this kind of scene does not have the edit, or this scene has no room for it.
    """
    known = EDITS[scene.kind]
    if what not in known:
        raise WhatifError(
            f"{scene.scene_id}: a scene of kind {scene.kind} has no edit {what!r}; choose one of {', '.join(known)}"
        )
    if what == "background":
        changed = replace(scene, background=_another(BACKGROUNDS, scene.background, generator))
    elif what == "relation":
        changed = replace(scene, things=_exchanged(*scene.things))
        changed = replace(changed, relation=relation_of(*changed.things))
    elif what == "count":
        changed = replace(scene, things=_recounted(scene, generator))
    else:
        changed = replace(scene, things=_CHANGES[what](scene, generator))
    return replace(changed, scene_id=f"{scene.scene_id}-{what}")


def _with_another_noun(scene: Scene, generator: np.random.Generator) -> tuple[Thing, ...]:
    group = one_of(scene.groups, generator)
    noun = one_of([noun for noun in NOUNS if all(noun != thing.noun for thing in scene.things)], generator)
    return _changed(scene, group, noun=noun)


def _with_another_colour(scene: Scene, generator: np.random.Generator) -> tuple[Thing, ...]:
    group = one_of(scene.groups, generator)
    worn = {other.colour for other in scene.groups if other.noun == group.noun}
    return _changed(scene, group, colour=one_of([colour for colour in COLOURS if colour not in worn], generator))


def _with_another_size(scene: Scene, generator: np.random.Generator) -> tuple[Thing, ...]:
    edits = [_changed(scene, group, size=_another(SIZES, group.size, generator)) for group in scene.groups]
    clear = [things for things in edits if _lie_clear(things)]
    if not clear:
        raise WhatifError(f"{scene.scene_id}: no room for another size; edit a scene as it was drawn")
    return one_of(clear, generator)


_CHANGES: dict[str, Callable[[Scene, np.random.Generator], tuple[Thing, ...]]] = {
    "noun": _with_another_noun,
    "colour": _with_another_colour,
    "size": _with_another_size,
}


def _recounted(scene: Scene, generator: np.random.Generator) -> tuple[Thing, ...]:
    """More or fewer things of one group, in a layout of the same split."""
    split = split_of(scene.things)
    for _ in range(_ATTEMPTS):
        group = one_of(scene.groups, generator)
        count = int(generator.integers(1, MOST_OF_A_KIND + 1))
        total = len(scene.things) + count - group.count
        large = any(thing.size == "large" for thing in scene.things)
        if count == group.count or total > (MOST_LARGE_THINGS if large else MOST_THINGS):
            continue
        things = _with_count(scene, group, count, generator)
        if things is not None and split_of(things) == split:
            return things
    raise WhatifError(f"{scene.scene_id}: no other count found in {_ATTEMPTS} attempts; draw another scene")


def _with_count(scene: Scene, group: Group, count: int, generator: np.random.Generator) -> tuple[Thing, ...] | None:
    """None if there is no room."""
    members = [number for number, thing in enumerate(scene.things) if _is_of(thing, group)]
    if count < group.count:
        gone = {members[int(number)] for number in generator.permutation(len(members))[count:]}
        return tuple(thing for number, thing in enumerate(scene.things) if number not in gone)
    taken = [(SIZES[thing.size], (thing.x, thing.y)) for thing in scene.things]
    places = scattered_places([SIZES[group.size]] * (count - group.count), generator, taken)
    if places is None:
        return None
    end = members[-1] + 1
    added = tuple(Thing(group.noun, group.colour, group.size, *place) for place in places)
    return scene.things[:end] + added + scene.things[end:]


def _exchanged(first: Thing, second: Thing) -> tuple[Thing, Thing]:
    return replace(first, x=second.x, y=second.y), replace(second, x=first.x, y=first.y)


def _changed(scene: Scene, group: Group, **changes: Any) -> tuple[Thing, ...]:
    return tuple(replace(thing, **changes) if _is_of(thing, group) else thing for thing in scene.things)


def _is_of(thing: Thing, group: Group) -> bool:
    return (thing.noun, thing.colour, thing.size) == (group.noun, group.colour, group.size)


def _lie_clear(things: tuple[Thing, ...]) -> bool:
    return fits([SIZES[thing.size] for thing in things], [(thing.x, thing.y) for thing in things])


def _another(options: Iterable[str], present: str, generator: np.random.Generator) -> str:
    return one_of([option for option in options if option != present], generator)
