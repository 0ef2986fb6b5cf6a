"""Results of trainings that differ in their seeds: mean, deviation, t intervals and one-tailed t-tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whatif.scoring.statistics.intervals import Interval

_NOISE = 1e-9  # a deviation below this share of the mean is due to the rounding of floats


@dataclass(frozen=True)
class OverSeeds:
    """The mean of a result over seeds, its standard deviation (n - 1), and a t interval of the mean.

    With one seed, there is neither deviation nor interval.
    """

    mean: float
    deviation: float | None
    interval: Interval | None
    seeds: int


@dataclass(frozen=True)
class Gain:
    """How much better one training is than another: the difference of their means over seeds, and its tests.

    p: one-tailed p-value of Welch's t-test, which takes the seeds of both as independent; None with one seed.
    paired: the mean difference by seed, with its t interval; None with fewer than two common seeds.
    paired_p: one-tailed p-value of the t-test of these differences.
    """

    difference: float
    p: float | None
    paired: OverSeeds | None
    paired_p: float | None


def over_seeds(values: Sequence[float], confidence: float = 0.95) -> OverSeeds:
    """The mean over seeds of `values`, in their unit, with a t interval.

    Raises ValueError without values, and when `confidence` is not within (0, 1).
    """
    from scipy import stats

    if not values:
        raise ValueError("no values: the mean over seeds needs at least one")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence}: must lie between 0 and 1")
    n = len(values)
    mean = math.fsum(values) / n
    if n == 1:
        return OverSeeds(mean, None, None, 1)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = float(stats.t.ppf((1 + confidence) / 2, n - 1)) * deviation / math.sqrt(n)
    return OverSeeds(mean, deviation, Interval(mean, mean - half, mean + half), n)


def gain(better: Mapping[str, float], baseline: Mapping[str, float], confidence: float = 0.95) -> Gain:
    """Tests whether `better` is above `baseline`, both by seed, on a common scale.

    A test is missing (None) where there are too few seeds, and where nothing varies but by rounding.
    """
    from scipy import stats

    one, other = over_seeds(list(better.values()), confidence), over_seeds(list(baseline.values()), confidence)
    common = [seed for seed in better if seed in baseline]
    paired = over_seeds([better[seed] - baseline[seed] for seed in common], confidence) if len(common) > 1 else None
    p = None
    if one.deviation is not None and other.deviation is not None:
        p = from_summaries((one.mean, one.deviation, one.seeds), (other.mean, other.deviation, other.seeds))
    paired_p = None
    if paired is not None and paired.deviation is not None and paired.deviation > _NOISE * abs(paired.mean):
        t = paired.mean / (paired.deviation / math.sqrt(paired.seeds))
        paired_p = float(stats.t.sf(t, paired.seeds - 1))
    return Gain(one.mean - other.mean, p, paired, paired_p)


def from_summaries(better: tuple[float, float, int], baseline: tuple[float, float, int]) -> float | None:
    """The one-tailed p-value of Welch's t-test that `better` is above `baseline`.

    Each is a mean, a standard deviation (n - 1), and a number of seeds, for example as a paper reports them. None if no
    deviation is above 0.
    """
    from scipy import stats

    if max(better[1], baseline[1]) <= _NOISE * max(abs(better[0]), abs(baseline[0])):
        return None
    found = stats.ttest_ind_from_stats(*better, *baseline, equal_var=False, alternative="greater")
    return float(found.pvalue)


def correlation(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95
) -> tuple[Interval, float] | None:
    """Pearson's r with its interval (Fisher's z) and its two-tailed p-value; None if it is not defined.

    It is not defined for fewer than four pairs, which have no interval, and if one of the two does not vary.
    """
    from scipy import stats

    if len(first) < 4 or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    found = stats.pearsonr(first, second)
    ends = found.confidence_interval(confidence)
    return Interval(float(found.statistic), float(ends.low), float(ends.high)), float(found.pvalue)
