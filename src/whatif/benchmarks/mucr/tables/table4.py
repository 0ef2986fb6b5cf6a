"""Table 4: scores before, after with each seed, and their mean over the seeds; and the changes."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.outcomes import together
from whatif.benchmarks.mucr.results import MEAN, Results, Row
from whatif.benchmarks.mucr.score_tables import (
    as_printed,
    changes_view,
    in_order,
    intervals_view,
    score_table,
    scores_view,
)
from whatif.results.reporting.answers import System
from whatif.results.reporting.declared import Made
from whatif.results.reporting.table import Table

BEFORE, AFTER = "before", "after"


def _table(results: Results) -> Table:
    seeds: dict[str, list[str]] = {}
    for model, seed in results.tuned:
        seeds.setdefault(model, []).append(seed)
    asked_with = {model: answers.systems[0][1] for (model, _), answers in results.tuned.items()}

    def ours(system: System) -> Iterable[Row]:
        model, strategy = system
        if asked_with.get(model) == strategy:
            yield from _of_model(results, system, seeds[model])

    printed = reported.numbers("4")
    cells = {(one.system, one.labels["state"], one.metric): one.value for one in printed}
    changes = [
        value - cells[system, BEFORE, metric] for (system, state, metric), value in cells.items() if state == AFTER
    ]
    rows = in_order(results, printed, lambda found: as_printed(found, "state"), ours, results.answers.systems)
    shown = {"state": "Fine-tuning", "seed": "Seed"}
    told = "" if seeds else " None of our models was fine-tuned."
    views = (
        scores_view(
            "Questions about images answered correctly in percent, before and after fine-tuning (MuCR Table 4).",
            f"The paper says that fine-tuning does not improve; {sum(one > 0 for one in changes)} of its "
            f"{len(changes)} scores rise. It does not say which questions it trains on; ours are of groups that are "
            f"not asked.{told}",
            **shown,
        ),
        intervals_view(
            f"Ours in percent, with {results.level} intervals by group.",
            "The mean is over the seeds; its interval is by group and covers the answers of all seeds.",
            **shown,
        ),
        changes_view(
            f"Ours: after minus before in points, over the same pairs, with {results.level} intervals by group.",
            "Pairs of the mean count once for each seed.",
            **shown,
        ),
    )
    return score_table("Fine-tuning", results.corrected(rows), ("state", "seed"), views)


def _of_model(results: Results, system: System, seeds: list[str]) -> Iterable[Row]:
    place, before = results.place(system), results.metrics(system, IN_IMAGES)
    yield from results.scores(before, {**place, "state": BEFORE})
    for seed in seeds:
        of_seed = {**place, "state": AFTER, "seed": seed}
        after = results.after_tuning(system[0], seed)
        yield from results.scores(after, of_seed)
        yield from results.changes(before, after, of_seed)
    if len(seeds) > 1:
        of_mean = {**place, "state": AFTER, "seed": MEAN}
        after = results.mean_over_seeds(system[0])
        repeated = {metric: together([one] * len(seeds)) for metric, one in before.items()}
        yield from results.scores(after, of_mean)
        yield from results.changes(repeated, after, of_mean)


TABLE: Made[Results] = Made(20, _table)
