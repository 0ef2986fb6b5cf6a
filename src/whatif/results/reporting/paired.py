"""The table `paired`: the standard measures of benchmarks whose questions come in pairs, for each system.

    original: share of the pairs whose original question is answered correctly
    counterfactual: the same for the counterfactual question
    drop: original minus counterfactual, in points
    pair_accuracy: share of the pairs with both questions answered correctly
    consistency: share of the pairs in which the answer changes if and only if it should
    ignored_presupposition: share of the wrong counterfactual answers that are the right answers to the originals
    ignored_presupposition_by_chance: what that share would be if the same questions had wrong answers at random
    extraction_rate: share of the answers, of both questions, that could be extracted
    chance: what `original` and `counterfactual` would be, on average, if an option were chosen at random; not for open
        questions

`consistency` needs both answers. It should change if the right answers of the pair differ, and only then.
`ignored_presupposition` is conditional on a wrong answer that was extracted, in pairs whose right answers differ. All
intervals and tests are by image where several pairs share one, otherwise by pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.results.reporting.answers import Flags
from whatif.results.reporting.beside import rows_beside
from whatif.results.reporting.paired_answers import ALL, PairOutcomes, answers_to_pairs, asked_pairs, by_group
from whatif.results.reporting.precision import corrected, in_percent, percent
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.table import DROP, OURS, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import Interval, clustered_share, paired_drop, wilson
from whatif.scoring.statistics.clusters import Labels

NAME = "paired"
ORIGINAL, COUNTERFACTUAL = "original", "counterfactual"
PAIR_ACCURACY, CONSISTENCY, EXTRACTION_RATE = "pair_accuracy", "consistency", "extraction_rate"
IGNORED, BY_CHANCE = "ignored_presupposition", "ignored_presupposition_by_chance"
CHANCE = "chance"
IDENTITY = ("model", "name", "source", "strategy", "group", "measure")
Row = dict[str, Any]

_CONSISTENT = (
    "Consistency is the share of the pairs in which the answer changes if and only if it should, right or wrong; where "
    "many answers are possible, guesses almost always change. A pair without two extracted answers is not consistent."
)
_CHANCE = (
    "Ignored presupposition is the share of the wrong counterfactual answers that are the right answer to the original "
    "question; expected by chance is what it would be if these questions had wrong answers at random, the same "
    "where there is only one wrong answer."
)


@dataclass(frozen=True, eq=False)
class PairedSystem:
    """One of our systems: its identity, and what its answers say by group of pairs (`ALL` first).

    strategy: the key of the prompting strategy, empty where a benchmark has one only.
    """

    model: str
    name: str
    groups: Mapping[str, PairOutcomes]
    strategy: str = ""


@dataclass(frozen=True)
class PairedText:
    """What the views of a benchmark's table say.

    title: the name of the set of pairs. level: the confidence of intervals as text. unit: what intervals are by.
    group: heading of the groups; few_groups: whether there are so few that they are not printed apart.
    strategies: whether systems have strategies. ignored: whether the table has the measure `ignored_presupposition`.
    about: further sentences, for example what a pair is.
    """

    title: str
    level: str
    unit: str = "pair"
    group: str = "Group"
    few_groups: bool = False
    strategies: bool = False
    ignored: bool = True
    about: str = ""


def paired_systems(
    answers: QuestionPairAnswers,
    names: Mapping[str, str],
    images: Mapping[str, str] | None = None,
    groups: Sequence[str] = (),
) -> Iterator[PairedSystem]:
    """The systems of the models in `names` (key -> display name), with the groups in the given order, or sorted.

    `images` names the image of each pair, where several share one.
    """
    pairs = asked_pairs(answers, images)
    for (model, strategy), given in answers_to_pairs(answers):
        found = dict(by_group(pairs, given))
        order = [name for name in (ALL, *(groups or pairs.groups)) if name in found]
        yield PairedSystem(model, names[model], {name: found[name] for name in order}, strategy)


def paired(systems: Iterable[PairedSystem], confidence: float, text: PairedText, reported: Sequence[Row] = ()) -> Table:
    """The table `paired` of our systems beside the rows that a paper reports (`reported_rows`).

    p-values of the drops are corrected over the table (Holm). Shares are in percent, drops in points. `n` is the number
    of pairs; of `ignored_presupposition`, the number of wrong answers; of `extraction_rate`, the number of answers. A
    group without a wrong answer has the n 0 and no share.
    """
    ours: list[Row] = []
    for system in systems:
        place = {"model": system.model, "name": system.name, "source": OURS, "strategy": system.strategy}
        for group, outcomes in system.groups.items():
            ours += [{**place, "group": group, **row} for row in measures(outcomes, confidence)]
    found = list(rows_beside(reported, corrected(ours)))
    return Table(NAME, "Pairs", tidy(found, IDENTITY), _views(text, found))


def measures(outcomes: PairOutcomes, confidence: float) -> Iterator[Row]:
    """The rows of one system and group, without their identity; there must be at least one pair."""
    pairs, clusters = len(outcomes.original), outcomes.clusters

    def share(measure: str, flags: Flags, labels: Labels | None) -> Row:
        if not len(flags):
            return {"measure": measure, "n": 0}
        return {"measure": measure, **in_percent("value", _share(flags, labels, confidence)), "n": len(flags)}

    yield share(ORIGINAL, outcomes.original, clusters)
    yield share(COUNTERFACTUAL, outcomes.counterfactual, clusters)
    drop = paired_drop(outcomes.original, outcomes.counterfactual, clusters, confidence=confidence)
    yield {"measure": DROP, **in_percent("value", drop.interval), "n": pairs, "p": drop.p}
    yield share(PAIR_ACCURACY, outcomes.original & outcomes.counterfactual, clusters)
    yield share(CONSISTENCY, outcomes.consistent, clusters)
    wrong = outcomes.wrong
    if outcomes.chance is not None:
        yield share(IGNORED, outcomes.ignored[wrong], None if clusters is None else clusters[wrong])
        chance = outcomes.chance[wrong]
        if chance.size and not np.isnan(chance).any():
            yield {"measure": BY_CHANCE, "value": percent(float(chance.mean())), "n": len(chance)}
    of_pairs = np.arange(pairs) if clusters is None else clusters
    yield share(EXTRACTION_RATE, outcomes.extracted.reshape(-1), np.repeat(of_pairs, 2))
    if outcomes.guessed is not None and not np.isnan(outcomes.guessed).any():
        yield {"measure": CHANCE, "value": percent(float(outcomes.guessed.mean())), "n": pairs}


def reported_rows(name: str, values: Mapping[str, float], *, group: str = "", strategy: str = "") -> list[Row]:
    """The rows of a reported system and group from its reported accuracies in percent, by measure; the drop follows."""
    place = {"name": name, "source": REPORTED, "strategy": strategy, "group": group}
    drop = {DROP: percent((values[ORIGINAL] - values[COUNTERFACTUAL]) / 100)}
    return [{**place, "measure": measure, "value": value} for measure, value in {**values, **drop}.items()]


def _share(flags: Flags, clusters: Labels | None, confidence: float) -> Interval:
    if clusters is None:
        return wilson(int(flags.sum()), len(flags), confidence)
    return clustered_share(flags, clusters, confidence=confidence)


def _views(text: PairedText, rows: Sequence[Mapping[str, Any]]) -> tuple[View, ...]:
    """A view over all pairs with intervals, and one by group; few groups are rows of the first view instead."""
    system = {"model": "", "name": "Model"}
    strategy = {"strategy": "Prompt"} if text.strategies else {}
    by_group = {**system, **strategy, "group": text.group}
    beside_reported = any(row["source"] == REPORTED and row["group"] == ALL for row in rows)
    first = by_group if text.few_groups else {**system, **({"source": "From"} if beside_reported else {}), **strategy}
    where = {} if text.few_groups else {"group": ALL}
    every = f"{text.group} is empty in rows over all pairs."
    ignored = ("Ignored presupposition", IGNORED), ("Expected by chance", BY_CHANCE)
    main = View(
        f"{text.title}: accuracy on originals, on counterfactuals and on pairs (both right) in "
        f"percent, and the drop from originals to counterfactuals in points, with {text.level} intervals by "
        f"{text.unit}.",
        first,
        (
            Column("Original", ORIGINAL, where, interval=True),
            Column("Counterfactual", COUNTERFACTUAL, where, interval=True),
            Column("Drop", DROP, where, interval=True),
            Column("Holm p", DROP, where, number="p_holm"),
            Column("Pair accuracy", PAIR_ACCURACY, where, interval=True),
        ),
        _joined(
            "The p-values of the drops are corrected over the table.", every if text.few_groups else "", text.about
        ),
    )
    wrong = View(
        f"{text.title}: consistency and what wrong answers say, in percent, with {text.level} intervals by "
        f"{text.unit}.",
        {name: heading for name, heading in first.items() if name != "source"},
        (
            Column("Consistency", CONSISTENCY, where, interval=True),
            Column("Extraction rate", EXTRACTION_RATE, where),
            *(
                (
                    Column("Ignored presupposition", IGNORED, where, interval=True),
                    Column("Expected by chance", BY_CHANCE, where),
                    Column("Wrong", IGNORED, where, number="n"),
                )
                if text.ignored
                else ()
            ),
            Column("Pairs", DROP, where, number="n"),
        ),
        _joined(_CONSISTENT, _CHANCE if text.ignored else ""),
    )
    if text.few_groups:
        return main, wrong
    only_ours = {"source": OURS}
    measured = (
        *(("Original", ORIGINAL), ("Counterfactual", COUNTERFACTUAL), ("Drop", DROP), ("Pair accuracy", PAIR_ACCURACY)),
        *(("Consistency", CONSISTENCY), ("Extraction rate", EXTRACTION_RATE), *(ignored if text.ignored else ())),
    )
    columns = tuple(Column(heading, measure, only_ours) for heading, measure in measured)
    grouped = View(
        f"{text.title}, ours by {text.group.lower()}: the same in percent, and the drop in points.",
        by_group,
        (*columns, Column("Pairs", DROP, only_ours, number="n")),
        _joined(every, "Intervals, p-values and reported rows are in the CSV file."),
    )
    return main, wrong, grouped


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
