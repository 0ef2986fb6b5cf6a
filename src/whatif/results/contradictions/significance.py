"""Claims of significance: what printed shares, means and deviations say about p-values that are not printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from whatif.results.contradictions.claim import (
    CANNOT_BE_CHECKED,
    DOES_NOT_HOLD,
    HOLDS,
    WITHIN_ROUNDING,
    Outcome,
    Verdict,
)
from whatif.results.contradictions.counts import counts
from whatif.results.contradictions.quantity import Printed, Quantity

ALPHA = 0.05


@dataclass(frozen=True)
class Seeds:
    """A result over trainings with different seeds as printed: mean and standard deviation."""

    mean: Printed
    deviation: Printed


def paired_fall(before: Printed, after: Printed, items: int, what: str, *, alpha: float = ALPHA) -> Outcome:
    """Whether a share fell significantly on the same `items` items (exact McNemar test, two-sided).

    The test needs how many answers became wrong and how many became right. Only their difference is printed, so the
    least and the greatest p-value that are possible are computed. The claim holds if the greatest is at most `alpha`,
    does not hold if the least is above, and cannot be checked in between.
    """
    firsts, seconds = counts(before, items), counts(after, items)
    reported = f"significant (p ≤ {alpha:g})"
    if not firsts or not seconds:
        return Outcome(
            CANNOT_BE_CHECKED, reported, None, None, f"{before.text} or {after.text} cannot come from {items:,} {what}."
        )
    least, most = 1.0, 0.0
    for first, second in product({firsts[0], firsts[-1]}, {seconds[0], seconds[-1]}):
        fall = first - second
        if fall <= 0:
            most = 1.0
            continue
        least = min(least, _mcnemar(fall, 0))
        wrong = min(first, items - second)  # as many answers as possible became wrong, the others right
        most = max(most, _mcnemar(wrong, wrong - fall))
    most_lost = firsts[-1] - seconds[0]
    verdict: Verdict
    if most <= alpha:
        verdict, text = HOLDS, f"From {before.text}% to {after.text}%, p is at most {_p(most)} however answers changed"
    elif least > alpha:
        verdict = DOES_NOT_HOLD
        text = f"From {before.text}% to {after.text}% of {items:,} {what}, "
        text += (
            f"at most {most_lost} fewer are right, so p is at least {_p(least)}"
            if most_lost > 0
            else "no fewer are right: there is no drop"
        )
    else:
        verdict = CANNOT_BE_CHECKED
        text = (
            f"From {before.text}% to {after.text}%, p lies between {_p(least)} and {_p(most)}: the paired answers are "
            "not printed"
        )
    return Outcome(verdict, reported, Fraction(least), Fraction(most), f"{text}.")


def against_chance(share: Printed, chance: Fraction, items: int, claim: str, what: str) -> Outcome:
    """Whether a share is above, below or at chance (exact binomial test, two-sided, at 5%).

    claim: `above`, `below` or `at`. At chance is what cannot be told from it.
    """
    from scipy.stats import binomtest

    found = counts(share, items)
    reported = {"above": "above chance", "below": "below chance", "at": "at chance"}[claim]
    if not found:
        return Outcome(CANNOT_BE_CHECKED, reported, None, None, f"{share.text}% cannot come from {items:,} {what}.")
    values = [float(binomtest(k, items, float(chance)).pvalue) for k in sorted({found[0], found[-1]})]
    sides = [Fraction(k, items) - chance for k in (found[0], found[-1])]
    right = [
        p > ALPHA if claim == "at" else p <= ALPHA and (side > 0 if claim == "above" else side < 0)
        for p, side in zip([values[0], values[-1]], sides, strict=True)
    ]
    verdict: Verdict = HOLDS if all(right) else WITHIN_ROUNDING if any(right) else DOES_NOT_HOLD
    side = "above" if sides[0] > 0 else "below" if sides[0] < 0 else "at"
    text = (
        f"{share.text}% right of {items:,} {what} is {side} chance, which is {_percent(chance)}%, with p "
        f"{_is(values[0])} (exact binomial test)"
    )
    return Outcome(verdict, reported, Fraction(min(values)), Fraction(max(values)), f"{text}.")


def random_part(reported: Printed, chosen: int, everything: int, sample: int, what: str) -> Outcome:
    """Whether a random sample may have this many of the chosen ones (hypergeometric, two-sided, at 5%)."""
    from scipy.stats import hypergeom

    found = hypergeom(everything, chosen, sample)
    count = int(reported.value)
    p = min(1.0, 2 * min(float(found.cdf(count)), float(found.sf(count - 1))))
    low, high = (Fraction(int(found.ppf(quantile))) for quantile in (ALPHA / 2, 1 - ALPHA / 2))
    verdict: Verdict = HOLDS if p > ALPHA else DOES_NOT_HOLD
    text = (
        f"A random {sample:,} of {everything:,} with {chosen:,} {what} have {int(low):,} to {int(high):,} of them "
        "in 95% of cases"
    )
    return Outcome(verdict, reported.text, low, high, f"{text}.")


def better_over_seeds(new: Seeds, old: Seeds, seeds: int, *, significant: bool, alpha: float = ALPHA) -> Outcome:
    """Whether a mean over seeds is higher than another one by a one-tailed t-test, as a mark in a table says or denies.

    Welch's test from printed means and deviations; the interval is of p, over everything that rounding allows.
    """
    reported = f"significant (p ≤ {alpha:g})" if significant else f"not significant (p > {alpha:g})"
    p = _welch(new.mean.quantity, new.deviation.quantity, old.mean.quantity, old.deviation.quantity, seeds)
    nominal, low, high = (float(value) for value in (p.nominal, p.low, p.high))
    verdict: Verdict
    if (nominal <= alpha) == significant:
        verdict = HOLDS
    elif (low <= alpha) if significant else (high > alpha):
        verdict = WITHIN_ROUNDING
    else:
        verdict = DOES_NOT_HOLD
    text = (
        f"{new.mean.text} against {old.mean.text} (standard deviations {new.deviation.text} and {old.deviation.text}, "
        f"{seeds} seeds each) give p {_is(nominal)}; with rounding, p lies between {_p(low)} and {_p(high)}"
    )
    return Outcome(verdict, reported, p.low, p.high, f"{text}.")


def kappa_allows(
    kappa: Printed, shares: Sequence[Printed], among_disagreements: Sequence[Printed], raters: int = 3
) -> Outcome:
    """Whether Fleiss' kappa fits the shares of the labels in all items and in those on which raters disagree.

    Shares are in percent, of the same labels in the same order. Kappa and the shares give the observed agreement, and
    with `raters` labels each, disagreement on an item takes 2/raters to all of its agreement away. So the share of
    items with disagreement is bounded, and no label may be more frequent among them than it is at all.
    """
    expected = sum((Fraction(share.value) / 100) ** 2 for share in shares)
    missing = (1 - kappa.value) * (1 - expected)
    low, high = missing, missing * Fraction(raters, 2)
    most_used = max(
        low * Fraction(part.value) / Fraction(share.value)
        for part, share in zip(among_disagreements, shares, strict=False)
    )
    verdict: Verdict = HOLDS if most_used <= 1 and 0 <= low <= 1 else DOES_NOT_HOLD
    text = (
        f"Kappa {kappa.text} needs disagreement on {_percent(low)}% to {_percent(high)}% of the items, which the "
        f"shares of the labels {'allow' if verdict == HOLDS else 'do not allow'}"
    )
    return Outcome(verdict, kappa.text, low, high, f"{text}.")


def correlation(reported: Printed, pairs: Sequence[tuple[float, float]], *, of: str) -> Outcome:
    """Whether a correlation after Pearson (`of` r) or its two-sided p-value (`of` p) is that of the printed pairs."""
    from scipy.stats import pearsonr

    found = pearsonr([x for x, _ in pairs], [y for _, y in pairs])
    value = Fraction(float(found.statistic if of == "r" else found.pvalue))
    verdict: Verdict = HOLDS if reported.is_rounded(value) else DOES_NOT_HOLD
    if verdict == DOES_NOT_HOLD and abs(value - reported.value) < reported.unit:
        verdict = WITHIN_ROUNDING  # the pairs themselves are rounded
    text = f"The {len(pairs)} printed pairs give {of} = {float(value):.{reported.places + 1}f}"
    return Outcome(verdict, reported.text, value, value, f"{text}.")


def _mcnemar(worse: int, better: int) -> float:
    from scipy.stats import binomtest

    return float(binomtest(better, worse + better, 0.5).pvalue) if worse + better else 1.0


def _welch(new: Quantity, new_deviation: Quantity, old: Quantity, old_deviation: Quantity, seeds: int) -> Quantity:
    """The one-tailed p-value at the printed values, and its extremes: it falls in the gain and with the deviations."""
    gain = new - old
    values = [
        _welch_p(by, one, other, seeds)
        for by in (gain.low, gain.high)
        for one in (new_deviation.low, new_deviation.high)
        for other in (old_deviation.low, old_deviation.high)
    ]
    nominal = _welch_p(gain.nominal, new_deviation.nominal, old_deviation.nominal, seeds)
    return Quantity(Fraction(nominal), Fraction(min(values)), Fraction(max(values)))


def _welch_p(gain: Fraction, deviation: Fraction, other: Fraction, seeds: int) -> float:
    from scipy.stats import ttest_ind_from_stats

    found = ttest_ind_from_stats(
        float(gain), float(deviation), seeds, 0.0, float(other), seeds, equal_var=False, alternative="greater"
    )
    return float(found.pvalue)


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def _is(value: float) -> str:
    return f"= {value:.3f}" if value >= 0.001 else "< 0.001"


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.1f}".removesuffix(".0")
