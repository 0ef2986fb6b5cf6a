"""What each word of a question is taught to find in its scene, beside the answers.

`yes` and `no` say too little about which of the words were found and where: for long a language model answers them
evenly, whatever is there. So a linear head, thrown away after training, reads after each noun, colour and size of a
question what it names in the picture: how many things, what they are like, and where.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.embedded.scene_words import plural
from whatif.embedded.scenes import COLOURS, NOUNS, SIZES, Scene, Thing

_MOST = 6  # things that are told apart by their number; more count as so many
_FIELDS: dict[str, tuple[str, ...]] = {"noun": NOUNS, "colour": tuple(COLOURS), "size": tuple(SIZES)}

# Channels of the head.
NUMBER = slice(0, _MOST + 1)  # how many things the words name so far: none, one, ...
LIKE = slice(NUMBER.stop, NUMBER.stop + sum(map(len, _FIELDS.values())))  # nouns, colours and sizes among these
WHERE = slice(LIKE.stop, LIKE.stop + 2)  # their mean place, x and y from 0 to 1; NaN when there is none
CHANNELS = WHERE.stop

Target = npt.NDArray[np.float32]

_MEANING = {word: (field, word) for field, words in _FIELDS.items() for word in words}
_MEANING |= {plural(noun): ("noun", noun) for noun in NOUNS}


def word_targets(question: str, scene: Scene) -> list[tuple[int, Target]]:
    """For each noun, colour and size in a question the character after it, and what the head should read there.

    A noun right after a colour or a size is read together with it: `red balls` names the balls that are red.
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
    """The loss of what the head reads, for tensors of shape (words, channels)."""
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
