"""Facts of scenes as integer labels, which auxiliary losses predict from images and captions, and their agreement."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.world.scene_image import square_of
from whatif.world.scenes import (
    BACKGROUNDS,
    COLOURS,
    MOST_OF_A_KIND,
    NOUNS,
    OPPOSITES,
    RELATIONS,
    SIZES,
    Group,
    Scene,
)

Labels: TypeAlias = NDArray[np.int64]

UNTOLD = -100  # not stated by a caption; ignored by PyTorch's cross-entropy
_GROUP = {"noun": len(NOUNS) + 1, "colour": len(COLOURS) + 1, "size": len(SIZES) + 1, "count": MOST_OF_A_KIND + 1}
# The number of values of each fact. For the two groups of things, 0 means that there is none.
FACTS: dict[str, int] = {
    "background": len(BACKGROUNDS),
    "axis": 3,  # of a pair: side by side, or one above the other; otherwise 0
    **{f"first {name}": values for name, values in _GROUP.items()},
    **{f"second {name}": values for name, values in _GROUP.items()},
}
# `place`: the position of a patch's thing relative to the other thing of a pair.
PATCH_FACTS: dict[str, int] = {**{name: _GROUP[name] for name in ("noun", "colour", "size")}, "place": len(RELATIONS)}
_NOT_EVERYWHERE = [list(PATCH_FACTS).index(name) for name in ("noun", "place")]
_FIRST_IN_PLACE = ("left of", "above")


def scene_facts(scene: Scene) -> Labels:
    """The value of each of FACTS, (10,).

    The first thing of a pair is the left or upper one, so exchanging places exchanges the facts. Groups of counted
    things have no order in the image; they are in order of their names.
    """
    groups = list(scene.groups)
    if scene.relation is None:
        groups.sort(key=lambda group: (group.noun, group.colour))
    elif scene.relation not in _FIRST_IN_PLACE:
        groups.reverse()
    axis = 0 if scene.relation is None else 1 + (scene.relation in ("above", "below"))
    of_groups = [value for place in range(2) for value in _group_facts(groups[place : place + 1])]
    return np.array([_BACKGROUNDS[scene.background], axis, *of_groups])


def told_facts(facts: Labels, caption: str) -> Labels:
    """The facts of a scene, (10,), with UNTOLD for those that its caption omits: sizes, colours, background."""
    words = set(re.findall(r"[a-z]+", caption.lower()))
    untold = [not words & set(names) for names in (BACKGROUNDS, COLOURS, SIZES)]
    told = facts.copy()
    for name, gone in zip(("background", "colour", "size"), untold, strict=True):
        if gone:
            told[[place for place, fact in enumerate(FACTS) if fact.endswith(name)]] = UNTOLD
    return told


def true_of(told: Labels, facts: Labels) -> NDArray[np.bool_]:
    """Whether each caption is true of each scene: told (n, 10), facts (m, 10) -> (n, m)."""
    agree = (told[:, None] == UNTOLD) | (told[:, None] == facts[None])
    true: NDArray[np.bool_] = agree.all(axis=-1)
    return true


def patch_facts(scenes: Sequence[Scene], side: int, patch: int) -> Labels:
    """The value of each of PATCH_FACTS for the thing whose square contains the patch's centre: (scenes, patches, 4).

    Patches of `patch` pixels in images of `side`, row by row. Without a thing, colour and size are 0, and noun and
    place are UNTOLD, because the many empty patches would otherwise dominate the loss of nouns.
    """
    across = side // patch
    labels = np.zeros((len(scenes), across, across, len(PATCH_FACTS)), np.int64)
    labels[..., _NOT_EVERYWHERE] = UNTOLD
    for number, scene in enumerate(scenes):
        places = [UNTOLD] * len(scene.things)
        if scene.relation is not None:
            places = [RELATIONS.index(scene.relation), RELATIONS.index(OPPOSITES[scene.relation])]
        for thing, place in zip(scene.things, places, strict=True):
            left, top, diameter = square_of(thing, side)
            columns, rows = (
                slice(max(0, math.ceil((low - patch / 2) / patch)), math.ceil((low + diameter - patch / 2) / patch))
                for low in (left, top)
            )
            labels[number, rows, columns] = (*_names(thing), place)
    return labels.reshape(len(scenes), across * across, len(PATCH_FACTS))


def _group_facts(group: Sequence[Group]) -> tuple[int, ...]:
    """The facts of one group; zeros if there is none."""
    return (*_names(group[0]), group[0].count) if group else (0,) * len(_GROUP)


def _names(named: Any) -> tuple[int, int, int]:
    return _NOUNS[named.noun], _COLOURS[named.colour], _SIZES[named.size]


_BACKGROUNDS = {name: number for number, name in enumerate(BACKGROUNDS)}
_NOUNS, _COLOURS, _SIZES = (
    {name: number for number, name in enumerate(names, start=1)} for names in (NOUNS, COLOURS, SIZES)
)
