"""Table 4 of MuCR (7): models before and after fine-tuning with the correct choices, with each seed and their mean."""

from __future__ import annotations

from collections.abc import Iterator

from whatif.benchmarks.mucr.asked_items import IN_IMAGES
from whatif.benchmarks.mucr.outcomes import Answerer, Row
from whatif.benchmarks.mucr.report import MEAN, Mucr
from whatif.benchmarks.mucr.reported import reported
from whatif.benchmarks.mucr.score_tables import changes_view, intervals_view, score_table, scores_view
from whatif.results.reporting.table import View

_BEFORE, _AFTER = "before", "after"
_SHOWN = {"state": "Fine-tuning", "seed": "Seed"}


def _rows(found: Mucr, who: Answerer) -> Iterator[Row]:
    """The rows of the system of a fine-tuned model that was asked as it was after the training."""
    sets = {seed: [(answers, 0)] for seed, answers in found.tuned.get(who.place["model"], {}).items()}
    every = [of_seed[0] for of_seed in sets.values()]
    if not every or every[0][0].systems[0][1] != who.place["strategy"]:
        return
    yield from found.scores(who.by_metric(IN_IMAGES), {**who.place, "state": _BEFORE})
    for seed, tuned in {**sets, **({MEAN: every} if len(every) > 1 else {})}.items():
        place = {**who.place, "state": _AFTER, "seed": seed}
        after = Answerer(place, tuned).by_metric(IN_IMAGES)
        before = Answerer(place, [*who.sets] * len(tuned)).by_metric(IN_IMAGES)
        yield from found.scores(after, place)
        yield from found.changes(before, after, place)


def _views(found: Mucr) -> tuple[View, ...]:
    cells = {(row["name"], row["state"], row["metric"]): row["value"] for row in reported("4")}
    changes = [
        value - cells[system, _BEFORE, metric] for (system, state, metric), value in cells.items() if state == _AFTER
    ]
    told = "" if found.tuned else " None of our models was fine-tuned."
    return (
        scores_view(
            "Questions about images answered correctly in percent, before and after fine-tuning (MuCR Table 4).",
            f"The paper says that fine-tuning does not improve; {sum(one > 0 for one in changes)} of its "
            f"{len(changes)} scores rise. It does not say which questions it trains on; ours are of groups that are "
            f"not asked.{told}",
            **_SHOWN,
        ),
        intervals_view(
            f"Ours in percent, with {found.level} intervals by group.",
            "The mean is over the seeds; its interval is by group and covers the answers of all seeds.",
            **_SHOWN,
        ),
        changes_view(
            f"Ours: after minus before in points, over the same pairs, with {found.level} intervals by group.",
            "Pairs of the mean count once for each seed.",
            **_SHOWN,
        ),
    )


TABLE = score_table(
    35,
    title="Fine-tuning",
    rows=lambda found: found.beside(reported("4"), lambda who: _rows(found, who), found.systems.values()),
    views=_views,
    labels=["state", "seed"],
)
