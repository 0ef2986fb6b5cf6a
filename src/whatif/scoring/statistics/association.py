"""The association of two outcomes of the same pairs, such as right answers to a question and to its counterfactual."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from whatif.engine.random_streams import stream
from whatif.scoring.statistics.bootstrap import percentile_interval, resampled_totals
from whatif.scoring.statistics.clusters import Floats, Integers, Labels, Outcomes, cluster_totals, outcomes
from whatif.scoring.statistics.intervals import Interval


@dataclass(frozen=True)
class Association:
    """How much more often both outcomes are true than if they were independent; both numbers have the same sign.

    `phi` is the correlation of the two outcomes, between -1 and 1; `excess` is the share of pairs in which both are
    true, minus the product of the two shares.
    """

    phi: Interval
    excess: Interval


def association(
    first: Outcomes,
    second: Outcomes,
    clusters: Labels | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Association | None:
    """The association of two outcomes, one entry of each per pair, with intervals by the bootstrap over clusters.

    `clusters` names the image of each pair; None makes each pair its own cluster. Returns None where phi is not defined
    because an outcome is always true or never, and where all clusters are alike, because resamples then show no
    variation. A resample without a phi counts as -1 at the low end and as 1 at the high end.

    Raises ValueError as `paired_difference` does, and when there are too few resamples for the confidence.
    """
    one, other = outcomes("first", first), outcomes("second", second)
    if one.size != other.size:
        raise ValueError(f"{one.size} outcomes and {other.size} others: pairs need both")
    totals = cluster_totals([one, other, one * other], clusters)
    if not one.size or len(totals.kinds) == 1 or math.isnan(phi := float(_phi(totals.sums[np.newaxis])[0])):
        return None
    drawn = resampled_totals(totals, resamples, stream(seed, "association"))
    excess, phis = _excess(drawn), _phi(drawn)
    return Association(
        percentile_interval(phi, _worst(phis, -1.0), _worst(phis, 1.0), confidence),
        percentile_interval(float(_excess(totals.sums[np.newaxis])[0]), excess, excess, confidence),
    )


def phi_of(first: float, second: float, both: float) -> float:
    """Phi of the shares of pairs in which the first outcome, the second, and both are true; NaN if not defined."""
    spread = first * (1 - first) * second * (1 - second)
    return (both - first * second) / math.sqrt(spread) if spread > 0 else math.nan


def _excess(totals: Integers) -> Floats:
    pairs, one, other, both = totals.T.astype(np.float64)
    return np.asarray(both / pairs - one * other / pairs**2)


def _phi(totals: Integers) -> Floats:
    """Phi of each row of totals (pairs, first, second, both); NaN where it is not defined."""
    pairs, one, other, both = totals.T.astype(np.float64)
    spread = one * (pairs - one) * other * (pairs - other)
    return np.where(spread > 0, (pairs * both - one * other) / np.sqrt(np.where(spread > 0, spread, 1.0)), np.nan)


def _worst(values: Floats, worst: float) -> Floats:
    return np.where(np.isnan(values), worst, values)
