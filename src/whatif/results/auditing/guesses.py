"""What a way to guess does with each item: its answer, and the probability that it gives to the right answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from whatif.engine.random_streams import stream

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Guesses:
    """A rule on the items of a section, in their order.

    `choice` is what was chosen in hindsight (a letter, a rank, ...), empty for models. `applies` and `right` are flags;
    a rule that does not apply to an item has no answer. `probability` is that of the right answer by a model, without
    the item's cluster; NaN for a fixed rule. `reasons` say what spoke most for the right answer, where that is known.
    """

    rule: str
    choice: str
    applies: Flags
    right: Flags
    probability: Floats
    reasons: Sequence[str] = field(default_factory=tuple)


def fixed(rule: str, choice: str, applies: Sequence[bool] | Flags, right: Sequence[bool] | Flags) -> Guesses:
    """The guesses of a fixed rule."""
    flags = np.asarray(applies, dtype=bool)
    return Guesses(rule, choice, flags, np.asarray(right, dtype=bool) & flags, np.full(len(flags), np.nan))


@dataclass(frozen=True)
class Folds:
    """How items are divided for cross-validation: all of a cluster are in one fold, the same for every model."""

    number: int
    seed: int
    variant: str
    clusters: Sequence[str]

    @property
    def random_state(self) -> int:
        """The seed of folds and models, which depends on the variant alone."""
        return int(stream(self.seed, "shortcut audit", self.variant).integers(2**31))

    def splits(self) -> Iterator[tuple[Places, Places]]:
        """Places of the items to train on and to test on, fold after fold."""
        from sklearn.model_selection import GroupKFold

        splitter = GroupKFold(n_splits=self.number, shuffle=True, random_state=self.random_state)
        yield from splitter.split(np.zeros(len(self.clusters)), groups=np.array(self.clusters))


def softmax_by_item(values: Floats, sizes: Sequence[int]) -> list[Floats]:
    """The probabilities of the options of each item, given one value for each option of all items."""
    found = []
    for part in np.split(values, np.cumsum(sizes)[:-1]):
        powers = np.exp(part - part.max())
        found.append(powers / powers.sum())
    return found
