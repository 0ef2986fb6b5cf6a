"""Changes of what is measured on pairs of questions: the drop, and the accuracy of whole pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.params.gates import DROP, PAIR_ACCURACY
from whatif.results.comparison.columns import plain
from whatif.results.comparison.row_types import Codes, Rows
from whatif.scoring.statistics.intervals import Interval
from whatif.scoring.statistics.paired import difference_of_drops, paired_difference

Booleans = npt.NDArray[np.bool_]
_COUNTERFACTUAL = "counterfactual"
_PAIR = ("pair_id",)


@dataclass(frozen=True)
class PairChange:
    """A measure on `n` pairs of questions that both sides have, in fractions.

    difference: in B minus in A, with its interval; p: two-sided. flips: pairs whose part of the measure changed.
    """

    measure: str  # DROP or PAIR_ACCURACY
    n: int
    a: float
    b: float
    difference: Interval
    p: float
    flips: int


def pair_changes(
    rows: Rows, places: Codes, right: tuple[Booleans, Booleans], confidence: float
) -> Iterator[PairChange]:
    """The changes of drop and pair accuracy; none where the questions are not in pairs.

    places: the rows of A that B has too; right: whether each of them is answered correctly in A, and in B.
    """
    originals, counterfactuals = pairs_of(rows, places)
    if not len(originals):
        return
    clusters = rows.clusters[places][counterfactuals]
    labels = clusters if len(np.unique(clusters)) < len(clusters) else None
    before, after = ((side[originals], side[counterfactuals]) for side in right)
    drops = [original.astype(np.int8) - counterfactual for original, counterfactual in (before, after)]
    # The drop of B minus that of A: a positive difference says that B loses more on counterfactual questions.
    found = difference_of_drops(after, before, labels, confidence=confidence)
    yield _change(DROP, drops, found)
    both = [original & counterfactual for original, counterfactual in (before, after)]
    yield _change(PAIR_ACCURACY, both, paired_difference(both[0], both[1], labels, confidence=confidence))


def _change(measure: str, sides: list[Any], found: Any) -> PairChange:
    a, b = (float(np.mean(side)) for side in sides)
    return PairChange(measure, len(sides[0]), a, b, found.interval, found.p, int(np.sum(sides[0] != sides[1])))


def pairs_of(rows: Rows, places: Codes) -> tuple[Codes, Codes]:
    """For each pair, where its original and its counterfactual question are among `places`; none without pairs.

    A pair is a question whose variant begins with `counterfactual`, with the question of the one other variant that has
    its `pair_id`. Several counterfactual questions may share an original one.
    """
    nothing = np.empty(0, np.int64)
    others = [code for code, name in enumerate(rows.variant.names) if not name.startswith(_COUNTERFACTUAL)]
    if rows.questions is None or len(others) != 1:
        return nothing, nothing
    pairs = rows.questions.texts(_PAIR).take(pa.array(places if rows.places is None else rows.places[places]))
    is_original = rows.variant.codes[places] == others[0]
    originals, counterfactuals = np.flatnonzero(is_original), np.flatnonzero(~is_original)
    found = pc.index_in(pairs.take(pa.array(counterfactuals)), value_set=pairs.take(pa.array(originals)))
    has = plain(found.is_valid()).astype(np.bool_)
    return originals[plain(found.drop_null()).astype(np.int64)], counterfactuals[has]
