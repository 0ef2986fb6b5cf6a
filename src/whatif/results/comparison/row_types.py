"""What an evaluation is about, row by row, without its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.results.comparison.columns import plain

Codes = npt.NDArray[np.int64]
ASKED = ("question", "choices", "answer")  # a question is the same if these are
PICTURES = ("image_ids",)


@dataclass(frozen=True)
class Labelled:
    """A column of few distinct texts: the code of each row, and the texts."""

    codes: Codes
    names: tuple[str, ...]


class Texts(Protocol):
    """What is asked: one text for each question (or pair) of some columns, `ASKED` or `PICTURES`."""

    def texts(self, names: Sequence[str]) -> pa.Array:
        """One text for each, which is the same exactly if all of these columns are."""

    def same(self, other: Texts, names: Sequence[str]) -> bool:
        """Whether these columns are known to be the same for the same ids, without a comparison one by one."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of an evaluation without its answers, which other models share.

    keys: identifies each row, for example by the id of its question.
    clusters: the code of what it shares with other rows: the group of its question, its image, or its pair.
    questions: what the rows ask, at `places` (None: in their order); None if it is not known.
    """

    keys: pa.Array
    variant: Labelled
    group: Labelled
    clusters: Codes
    questions: Texts | None = None
    places: Codes | None = None

    def __len__(self) -> int:
        return len(self.keys)


def codes(texts: pa.Array) -> Codes:
    """A number for each distinct text."""
    return plain(pc.dictionary_encode(texts).indices).astype(np.int64)


def labelled(texts: pa.Array, places: Codes | None = None) -> Labelled:
    """A column of texts as numbers, or of those at some places."""
    encoded = pc.dictionary_encode(texts)
    found = plain(encoded.indices).astype(np.int64)
    return Labelled(taken(found, places), tuple(encoded.dictionary.to_pylist()))


def taken(found: Codes, places: Codes | None) -> Codes:
    """The numbers at some places, or all of them."""
    return found if places is None else found[places]
