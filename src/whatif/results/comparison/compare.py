"""Compares the answers of two runs, or of two models, to the same questions, with paired intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.errors import WhatifError
from whatif.results.comparison.columns import plain
from whatif.results.comparison.evaluations import JUDGED, PREDICTIONS, Evaluation, Key
from whatif.results.comparison.pair_changes import PairChange, pair_changes
from whatif.results.comparison.row_types import ASKED, PICTURES, Codes, Labelled, Rows
from whatif.results.comparison.rows import Reader, right_of
from whatif.scoring.statistics.intervals import Interval
from whatif.scoring.statistics.multiple import holm
from whatif.scoring.statistics.paired import paired_difference

Booleans = npt.NDArray[np.bool_]
_MOST_NAMED = 5  # ids that are named of those that only one side has


@dataclass(frozen=True)
class Comparison:
    """The answers to the questions of one variant (and group) that both sides have.

    n: paired questions; clusters: groups, images, or pairs without an image, that they are about.
    right_a, right_b: right answers; lost: right in A and wrong in B; gained: wrong in A and right in B.
    difference: share of right answers in B minus that in A, as a fraction, with its interval; p: two-sided.
    p_holm: corrected over all comparisons with a flip; None without a flip.
    """

    a: Key
    b: Key
    variant: str
    group: str  # empty for all groups together
    n: int
    clusters: int
    right_a: int
    right_b: int
    lost: int
    gained: int
    difference: Interval
    p: float
    p_holm: float | None = None

    @property
    def flips(self) -> int:
        """Questions whose answer is right on one side only."""
        return self.lost + self.gained


@dataclass(frozen=True)
class Unpaired:
    """Questions of one benchmark and role that are not compared, and pictures that differ.

    only_a, only_b: questions that one side alone has; changed: same id, but another text, choices or answer;
    pictures: compared questions whose images differ. `named` has the first ids of each kind. models: the evaluated
    models (of A) of which this is so.
    """

    benchmark: str
    role: str
    setting: str
    only_a: int
    only_b: int
    changed: int
    pictures: int
    named: tuple[tuple[str, tuple[str, ...]], ...]
    models: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Compared:
    """Everything that was found about one pair of evaluations."""

    a: Evaluation
    b: Evaluation
    comparisons: tuple[Comparison, ...]
    unpaired: Unpaired | None
    lost: Codes = field(default_factory=lambda: np.empty(0, np.int64))  # rows of A that became wrong, and
    gained: Codes = field(default_factory=lambda: np.empty(0, np.int64))  # right
    same: bool = False  # whether questions and answers have the same bytes
    of_pairs: tuple[PairChange, ...] = ()  # if they are asked for


class Comparer:
    """Compares pairs of evaluations; what several of them share is aligned once."""

    def __init__(self, *, by_group: bool, confidence: float, of_pairs: bool = False) -> None:
        self._reader = Reader()
        self._aligned: dict[tuple[int, int], _Aligned] = {}
        self._kept: list[Rows] = []  # so that the ids above stay theirs
        self._by_group, self._confidence, self._of_pairs = by_group, confidence, of_pairs

    def compared(self, a: Evaluation, b: Evaluation) -> Compared:
        """Compares two evaluations of the same kind. Raises WhatifError when an artifact of one is unreadable."""
        if a.kind != b.kind:
            raise WhatifError(
                f"{a.key.benchmark}: {a.key.role} are {a.kind} in A and {b.kind} in B; they do not compare"
            )
        asked = [(side.input_content("questions"), side.input_content("pairs")) for side in (a, b)]
        if a.key == b.key and a.content == b.content and asked[0] == asked[1]:
            return Compared(a, b, (), None, same=True)
        aligned = self._align(self._reader.rows(a), self._reader.rows(b))
        right_a, right_b = right_of(a)[aligned.a], right_of(b)[aligned.b]
        comparisons = tuple(
            _comparison(a.key, b.key, part, (right_a, right_b), self._confidence)
            for part in aligned.parts(self._by_group)
        )
        flipped = right_a != right_b
        lost, gained = (aligned.a[flipped & side] for side in (right_a, right_b))
        made = Compared(a, b, comparisons, aligned.unpaired(a.key), lost, gained)
        if not self._of_pairs or a.kind not in (PREDICTIONS, JUDGED):
            return made
        found = pair_changes(aligned.rows[0], aligned.a, (right_a, right_b), self._confidence)
        return replace(made, of_pairs=tuple(found))

    def _align(self, a: Rows, b: Rows) -> _Aligned:
        known = (id(a), id(b))
        if known not in self._aligned:
            self._kept += [a, b]
            self._aligned[known] = _Aligned(a, b)
        return self._aligned[known]


@dataclass(frozen=True)
class _Part:
    """Paired questions of one variant and group: their places among all, and their clusters if any has several."""

    variant: str
    group: str
    places: Codes
    clusters: Codes | None
    number_of_clusters: int


class _Aligned:
    """The rows that two sides share: `a` and `b` are their places, in the order of A."""

    def __init__(self, a: Rows, b: Rows) -> None:
        self.rows = a, b
        if a.keys is b.keys or a.keys.equals(b.keys):
            self.a = self.b = np.arange(len(a))
        else:
            found = pc.index_in(a.keys, value_set=b.keys)
            self.a = np.flatnonzero(plain(found.is_valid()))
            self.b = plain(found.drop_null()).astype(np.int64)
        self.only_a = _others(a, self.a)
        self.only_b = _others(b, self.b)
        differs = self._differ(ASKED)
        self.changed = self.a[differs]
        self.a, self.b = self.a[~differs], self.b[~differs]
        self.pictures = self.a[self._differ(PICTURES)]
        self._parts: dict[bool, list[_Part]] = {}

    def _differ(self, names: Sequence[str]) -> Booleans:
        """Whether these columns of the questions of both rows differ, for each shared row."""
        rows_a, rows_b = self.rows
        if rows_a.questions is None or rows_b.questions is None or rows_a.questions.same(rows_b.questions, names):
            return np.zeros(len(self.a), dtype=np.bool_)
        texts = [
            rows.questions.texts(names).take(pa.array(places if rows.places is None else rows.places[places]))
            for rows, places in ((rows_a, self.a), (rows_b, self.b))
            if rows.questions is not None
        ]
        return plain(pc.not_equal(*texts)).astype(np.bool_)

    def parts(self, by_group: bool) -> list[_Part]:
        """The paired questions by variant, or by variant and group; sorted."""
        if by_group not in self._parts:
            self._parts[by_group] = list(self._divided(by_group))
        return self._parts[by_group]

    def _divided(self, by_group: bool) -> Iterator[_Part]:
        rows, _ = self.rows
        variants, groups, clusters = rows.variant.codes[self.a], rows.group.codes[self.a], rows.clusters[self.a]
        for variant, of_variant in _each(rows.variant, variants, np.arange(len(self.a))):
            divided = _each(rows.group, groups[of_variant], of_variant) if by_group else [("", of_variant)]
            for group, places in divided:
                labels = clusters[places]
                sizes = np.bincount(labels)
                shared = len(sizes) and sizes.max() > 1
                yield _Part(variant, group, places, labels if shared else None, int(np.count_nonzero(sizes)))

    def unpaired(self, key: Key) -> Unpaired | None:
        """The questions that are not compared; None if all are, and with the same images."""
        a, b = self.rows
        if not any(len(places) for places in (self.only_a, self.only_b, self.changed, self.pictures)):
            return None
        kinds = zip(("only_a", "only_b", "changed"), (a, b, a), (self.only_a, self.only_b, self.changed), strict=True)
        named = tuple(
            (kind, tuple(rows.keys.take(pa.array(places[:_MOST_NAMED])).to_pylist())) for kind, rows, places in kinds
        )
        return Unpaired(
            key.benchmark,
            key.role,
            " ".join(key.settings),
            only_a=len(self.only_a),
            only_b=len(self.only_b),
            changed=len(self.changed),
            pictures=len(self.pictures),
            named=named,
        )


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with Holm's correction over those with a flip.

    A comparison without a flip cannot be significant whatever happens, so it does not count (Tarone, "A modified
    Bonferroni method for discrete data", Biometrics 46, 1990, 515-522).
    """
    values = holm([one.p if one.flips else None for one in comparisons]).p_values
    return [replace(one, p_holm=value) for one, value in zip(comparisons, values, strict=True)]


def _comparison(a: Key, b: Key, part: _Part, right: tuple[Booleans, Booleans], confidence: float) -> Comparison:
    before, after = (side[part.places] for side in right)
    found = paired_difference(before, after, part.clusters, confidence=confidence)
    return Comparison(
        a=a,
        b=b,
        variant=part.variant,
        group=part.group,
        n=len(before),
        clusters=part.number_of_clusters,
        right_a=int(before.sum()),
        right_b=int(after.sum()),
        lost=int((before & ~after).sum()),
        gained=int((after & ~before).sum()),
        difference=found.interval,
        p=1.0 if math.isnan(found.p) else found.p,
    )


def _each(labelled: Labelled, codes: Codes, places: Codes) -> Iterator[tuple[str, Any]]:
    """Each text of a column with the places that have it, sorted by text."""
    for name, code in sorted((name, code) for code, name in enumerate(labelled.names)):
        found = places[codes == code]
        if len(found):
            yield name, found


def _others(rows: Rows, places: Codes) -> Codes:
    has = np.zeros(len(rows), dtype=np.bool_)
    has[places] = True
    return np.flatnonzero(~has)
