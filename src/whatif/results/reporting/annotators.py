"""Tables of annotators' work: their agreement, and the work of each annotator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any, TypeAlias

from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import decisions_of
from whatif.people.items import Row
from whatif.people.quality import TOO_FAST, Work, quality_of_work, without_adjudicator
from whatif.people.resolution import MAJORITY
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import Resampling, as_measured, in_percent, p_number, resampling
from whatif.results.reporting.table import Column, Table, View, tidy
from whatif.scoring.statistics.agreement import fleiss_kappa
from whatif.scoring.statistics.pair_agreement import krippendorff_alpha, pair_agreement, resampled_cohen_kappa
from whatif.scoring.statistics.random_annotators import UNCLEAR

Rows: TypeAlias = list[dict[str, Any]]

LEAST_SHARED = 20  # items; Cohen's kappa of fewer says little
PRINTED = 10  # the most pairs of annotators, or annotators, that a long view prints; the table has all of them
_NUMBERS = ("value", "low", "high", "n")


def annotator_agreement(
    judgements: Iterable[Row],
    settings: Resampling,
    seed: int,
    *,
    resolution: Resolution = MAJORITY,
    least_shared: int = LEAST_SHARED,
) -> Table:
    """The table `annotator-agreement`, from rows of `judgements`; an adjudicator does not count as an annotator.

    Measures, all with bootstrap intervals over items:

    - `items` with judgements, by the number of their `annotators`;
    - `agreement`: equal decisions of two annotators of the same item, in percent of all such pairs;
    - `fleiss`: Fleiss' kappa of the items with the most frequent number of annotators above one (the larger of two);
    - `krippendorff`: Krippendorff's alpha of all items with at least two annotators;
    - `cohen`: Cohen's kappa of two `annotators` with at least `least_shared` items in common; the number of such
      `pairs` (among `n` with items in common); the `lowest`, the `median` and the `highest` kappa.

    `n` is the number of items. A measure without a value is not defined: no items, or the same decision everywhere.
    """
    of_item = decisions_of(without_adjudicator(judgements, resolution))
    how = resampling(settings, seed)
    ratings = [list(decisions.values()) for decisions in of_item.values() if len(decisions) > 1]
    numbers = Counter(len(decisions) for decisions in of_item.values())
    rows: Rows = [
        {"annotators": str(number), "measure": "items", "value": items} for number, items in sorted(numbers.items())
    ]
    share = pair_agreement(ratings, **how)
    rows.append({"measure": "agreement", **(in_percent("value", share) if share else {}), "n": len(ratings)})
    raters = max(((items, number) for number, items in numbers.items() if number > 1), default=(0, 0))[1]
    rated = [item for item in ratings if len(item) == raters]
    kappa = fleiss_kappa(rated, **how) if rated else None
    rows.append({"annotators": str(raters or ""), "measure": "fleiss", **as_measured(kappa), "n": len(rated)})
    rows.append({"measure": "krippendorff", **as_measured(krippendorff_alpha(ratings, **how)), "n": len(ratings)})
    pairs = _shared(of_item)
    large = {names: shared for names, shared in pairs.items() if len(shared) >= least_shared}
    kappas = []
    for names, shared in large.items():
        first, second = zip(*shared, strict=True)
        found = resampled_cohen_kappa(first, second, **how)
        kappas += [found.estimate] if found else []
        rows.append({"annotators": " and ".join(names), "measure": "cohen", **as_measured(found), "n": len(shared)})
    rows.append({"measure": "pairs", "value": len(large), "n": len(pairs)})
    for measure, summary in (("lowest", min), ("median", median), ("highest", max)):
        rows.append({"measure": measure, "value": round(summary(kappas), 4) if kappas else None, "n": len(kappas)})
    return Table(
        "annotator-agreement",
        "Agreement of any number of annotators",
        tidy(rows, ("annotators", "measure"), _NUMBERS),
        _agreement_views(f"{100 * settings.confidence:g}%", raters, least_shared, len(large)),
    )


def _agreement_views(level: str, raters: int, least_shared: int, pairs: int) -> tuple[View, ...]:
    fleiss = {"annotators": str(raters or "")}
    three = decimal(3)
    views = (
        View(
            f"Agreement of the annotators, with {level} bootstrap intervals over items.",
            {},
            (
                Column("Equal decisions (%)", "agreement", interval=True),
                Column("Krippendorff's alpha", "krippendorff", write=three, interval=True),
                Column("Items", "krippendorff", number="n"),
                Column("Fleiss' kappa", "fleiss", fleiss, write=three, interval=True),
                Column(f"Items with {raters or 'several'}", "fleiss", fleiss, number="n"),
            ),
            "Equal decisions are among all pairs of annotators of the same item. Alpha is that of all items with at "
            f"least two annotators, Fleiss' kappa that of the items with exactly {raters or 'as many'} annotators.",
        ),
        View(
            "Items by the number of their annotators.",
            {"annotators": "Annotators"},
            (Column("Items", "items", write=count),),
        ),
        View(
            f"Cohen's kappa of two annotators with at least {least_shared} items in common, over all such pairs.",
            {},
            (
                Column("Pairs", "pairs", write=count),
                Column("Lowest", "lowest", write=three),
                Column("Median", "median", write=three),
                Column("Highest", "highest", write=three),
            ),
        ),
    )
    each = View(
        f"Cohen's kappa of two annotators, with {level} bootstrap intervals over items.",
        {"annotators": "Annotators"},
        (
            Column("Cohen's kappa", "cohen", write=three, interval=True),
            Column("Items", "cohen", number="n"),
        ),
    )
    return (*views, each) if pairs <= PRINTED else views


def annotators(
    judgements: Iterable[Row],
    settings: Resampling,
    seed: int,
    *,
    resolution: Resolution = MAJORITY,
    gold: Mapping[str, str] | None = None,
) -> Table:
    """The table `annotators`: the work of each annotator, from rows of `judgements`; `quality_of_work` says how.

    The column `work` says whether somebody works better than chance, at random, or whether there are too few items to
    tell. Measures, by `annotator`:

    - `items`; `compared`: items on which the other annotators have a decision, and `agreement` with it, in percent;
    - `confusion`: items by the decision of the `others` and the `own` decision;
    - `knows`: the share of items that the annotator does not guess, in percent of the `n` items with other annotators;
      `p` is that of labels at random;
    - `gold`: correct decisions on gold items, in percent of `n`;
    - `seconds`: the median duration of `n` items, and `too fast`: items below `TOO_FAST`, in percent of `n`.
    """
    independent = without_adjudicator(judgements, resolution)
    how = resampling(settings, seed)
    works = quality_of_work(independent, gold=gold, **how)
    rows = [
        {"annotator": work.annotator, "work": work.competence.verdict if work.competence else UNCLEAR, **row}
        for work in works
        for row in _work(work)
    ]
    identity = ("annotator", "work", "others", "own", "measure")
    decisions = sorted({row.get("own", "") for row in rows}) if len(works) <= PRINTED else []
    views = _annotator_views(f"{100 * settings.confidence:g}%", decisions)
    return Table("annotators", "The annotators' work", tidy(rows, identity, (*_NUMBERS, "p")), views)


def _work(work: Work) -> Rows:
    rows: Rows = [
        {"measure": "items", "value": work.items},
        {"measure": "compared", "value": work.compared},
    ]
    for measure, share, n in (
        ("agreement", work.agreement, work.compared),
        ("gold", work.gold, work.gold_items),
        ("too fast", work.too_fast, work.timed),
    ):
        if share is not None:
            rows.append({"measure": measure, **in_percent("value", share), "n": n})
    if work.seconds is not None:
        rows.append({"measure": "seconds", "value": round(work.seconds, 4), "n": work.timed})
    if (able := work.competence) is not None:
        knows = None if able.knows is None else round(100 * able.knows, 4)
        rows.append({"measure": "knows", "value": knows, "n": able.items, "p": p_number(able.p_chance)})
    for (others, own), items in work.confusion.items():
        rows.append({"others": others, "own": own, "measure": "confusion", "value": items})
    return rows


def _annotator_views(level: str, decisions: Sequence[str]) -> tuple[View, ...]:
    who = {"annotator": "Annotator"}
    return (
        View(
            f"The annotators' decisions compared with those of the others, with {level} intervals.",
            {**who, "work": "Work"},
            (
                Column("Items", "items", write=count),
                Column("Compared", "compared", write=count),
                Column("As the others (%)", "agreement", interval=True),
                Column("Known (%)", "knows"),
                Column("p", "knows", number="p"),
            ),
            "The decision of the others is that of more than half of them. p is the probability that decisions at "
            "random agree as much with the others' (permutation test, corrected by Bonferroni). Somebody works at "
            f"random if this cannot be rejected, but work like that of the other annotators can ({level}). Known is "
            "the estimated share of items whose decision is not guessed.",
        ),
        View(
            f"Gold items and durations, with {level} intervals.",
            who,
            (
                Column("Gold items correct (%)", "gold", interval=True),
                Column("Gold items", "gold", number="n"),
                Column("Median seconds", "seconds"),
                Column(f"Below {TOO_FAST:g} s (%)", "too fast", interval=True),
                Column("Timed", "too fast", number="n"),
            ),
        ),
        View(
            "Decisions of each annotator (columns) by the decision of the others (rows), in items.",
            {**who, "others": "Others"},
            tuple(Column(own, "confusion", {"own": own}, write=count) for own in decisions if own),
        ),
    )


def _shared(of_item: Mapping[str, Mapping[str, str]]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Two annotators -> their decisions on the items that both judged; in ascending order of the names."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for decisions in of_item.values():
        for first, second in combinations(sorted(decisions), 2):
            found.setdefault((first, second), []).append((decisions[first], decisions[second]))
    return dict(sorted(found.items()))
