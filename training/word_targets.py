"""Targets for each word of a question about a scene: what the word refers to, beside the answers.

`yes` and `no` contain too little information about which words were found and where: for a long time a language model
answers both equally often. So a linear head, discarded after training, predicts after each noun, colour and size of a
question what it refers to in the image: how many things, their properties, and their position.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.world.scene_words import plural
from whatif.world.scenes import COLOURS, NOUNS, SIZES, Scene, Thing

_MOST = 6  # largest number of things; more count as this many
_FIELDS: dict[str, tuple[str, ...]] = {"noun": NOUNS, "colour": tuple(COLOURS), "size": tuple(SIZES)}

# Channels of the head.
NUMBER = slice(0, _MOST + 1)  # how many things the words refer to so far: none, one, ...
LIKE = slice(NUMBER.stop, NUMBER.stop + sum(map(len, _FIELDS.values())))  # nouns, colours and sizes among these
WHERE = slice(LIKE.stop, LIKE.stop + 2)  # their mean position, x and y from 0 to 1; NaN if there is none
CHANNELS = WHERE.stop

Target = npt.NDArray[np.float32]

_MEANING = {word: (field, word) for field, words in _FIELDS.items() for word in words}
_MEANING |= {plural(noun): ("noun", noun) for noun in NOUNS}


def word_targets(question: str, scene: Scene) -> list[tuple[int, Target]]:
    """For each noun, colour and size in a question the position after it, and the head's targets there.

    A noun directly after a colour or a size is combined with it: `red balls` refers to the red balls.
    """
    targets = []
    before: tuple[str, str] | None = None
    for found in re.finditer(r"[a-z]+", question.lower()):
        meaning = _MEANING.get(found.group())
        if meaning is not None:
            wanted = [meaning] if before is None or meaning[0] != "noun" else [before, meaning]
            named = [t for t in scene.things if all(getattr(t, field) == value for field, value in wanted)]
            targets.append((found.end(), _target(named)))
        before = meaning
    return targets


def word_losses(read: Any, targets: Any) -> Any:
    """The loss of the head's predictions, for tensors of shape (words, channels)."""
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss

    loss = cross_entropy(read[:, NUMBER], targets[:, NUMBER])
    loss = loss + 3 * binary_cross_entropy_with_logits(read[:, LIKE], targets[:, LIKE])
    placed = ~targets[:, WHERE.start].isnan()
    if placed.any():
        loss = loss + 5 * mse_loss(read[placed][:, WHERE], targets[placed][:, WHERE])
    return loss


def _target(named: Sequence[Thing]) -> Target:
    target = np.zeros(CHANNELS, np.float32)
    target[min(len(named), _MOST)] = 1
    start = LIKE.start
    for field, words in _FIELDS.items():
        for thing in named:
            target[start + words.index(getattr(thing, field))] = 1
        start += len(words)
    target[WHERE] = np.mean([(thing.x, thing.y) for thing in named], axis=0) if named else np.nan
    return target
