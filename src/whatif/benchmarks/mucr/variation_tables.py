"""Tables 1 to 3 of MuCR: forms of visual input, hints in text, and prompting strategies (MuCR 5)."""

from __future__ import annotations

from collections.abc import Iterable

from whatif.benchmarks.mucr import reported
from whatif.benchmarks.mucr.asked_items import IN_IMAGES, Way
from whatif.benchmarks.mucr.results import Results, Row
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, VISUAL_FORMS
from whatif.benchmarks.mucr.score_tables import (
    as_printed,
    changes_view,
    in_order,
    intervals_view,
    score_table,
    scores_view,
)
from whatif.results.reporting.answers import System
from whatif.results.reporting.table import Table

_WITHOUT, _WITH = "without", "with"
_HINTS = IN_IMAGES._replace(hints=True)
MIXED = (
    "The paper asks in a style that it calls mixture and does not define, which is also the name of a category; here "
    "each pair is asked in one style, drawn at random."
)


def table1(results: Results) -> Table:
    """Table 1 (MuCR 5.1): forms of visual input, and changes against all images on one composite."""

    def ours(system: System) -> Iterable[Row]:
        place, first = results.place(system), results.metrics(system, IN_IMAGES)
        for form in VISUAL_FORMS:
            found = results.metrics(system, Way(form))
            yield from results.scores(found, {**place, "form": form})
            if form != MAIN_FORM:
                yield from results.changes(first, found, {**place, "form": form})

    printed = reported.numbers("1")
    rows = in_order(results, printed, lambda found: as_printed(found, "form"), ours, results.main)
    cells = {(one.system, one.labels["form"], one.metric): one.value for one in printed}
    apart, two = (
        [value - cells[system, MAIN_FORM, metric] for (system, which, metric), value in cells.items() if which == form]
        for form in ("separate", "cause-and-composite")
    )
    unlike = ", ".join(
        f"{one.text} for {one.system} in {one.metric}, where Table 6 has {other.text}"
        for _, one, other in reported.unlike_table_6()
    )
    form = {"form": "Form"}
    views = (
        scores_view(
            "Questions answered correctly in percent by form of visual input (MuCR Table 1): composite is Form-1, "
            "cause-and-composite Form-2, separate Form-3; strip is ours.",
            f"{MIXED} Table 1 has {unlike}.",
            **form,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **form),
        changes_view(
            f"Ours: score minus that with one composite in points, over the same pairs, with {results.level} intervals "
            "by group.",
            f"The paper calls the gains of Form-3 marked: they are {min(apart):+.2f} to {max(apart):+.2f} points. "
            f"Form-2 is above Form-1 in {sum(value > 0 for value in two)} of {len(two)} scores.",
            **form,
        ),
    )
    return score_table("table1", "Forms of visual input", results.corrected(rows), ("form",), views)


def table2(results: Results) -> Table:
    """Table 2 (MuCR 5.2): images alone, and with the contextual descriptions as text."""

    def ours(system: System) -> Iterable[Row]:
        place = results.place(system)
        before, after = (results.metrics(system, way) for way in (IN_IMAGES, _HINTS))
        if after:
            yield from results.scores(before, {**place, "hints": _WITHOUT})
            yield from results.scores(after, {**place, "hints": _WITH})
            yield from results.changes(before, after, {**place, "hints": _WITH})

    rows = in_order(results, reported.numbers("2"), lambda found: as_printed(found, "hints"), ours, results.main)
    hints = {"hints": "Hints"}
    views = (
        scores_view(
            "Questions about images answered correctly in percent, without and with hints in text (MuCR Table 2).",
            f"The hints are the contextual descriptions of the images. {MIXED}",
            **hints,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **hints),
        changes_view(
            f"Ours: score with hints minus score without in points, over the same pairs, with {results.level} "
            "intervals by group."
        ),
    )
    return score_table("table2", "Hints in text", results.corrected(rows), ("hints",), views)


def table3(results: Results) -> Table:
    """Table 3 (MuCR 5.3): prompting strategies, and changes against the first one."""
    first = results.strategies[0]

    def ours(system: System) -> Iterable[Row]:
        place, found = results.place(system), results.metrics(system, IN_IMAGES)
        yield from results.scores(found, place)
        base = (system[0], first)
        if system != base and base in results.answers.systems:
            yield from results.changes(results.metrics(base, IN_IMAGES), found, place)

    printed = reported.numbers("3")
    cells = {(one.labels["strategy"], one.metric): one.value for one in printed}
    best = [
        metric for metric in SCORES if cells["vccot", metric] == max(v for (_, of), v in cells.items() if of == metric)
    ]
    lower = ", ".join(f"{cells['cot', metric] - cells['direct', metric]:+.2f}" for metric in SCORES)
    rows = in_order(results, printed, lambda found: as_printed(found, "strategy"), ours, results.answers.systems)
    strategy = {"strategy": "Strategy"}
    views = (
        scores_view(
            "Questions about images answered correctly in percent, by prompting strategy (MuCR Table 3).",
            f"The paper calls vccot superior; it has the highest score in {' and '.join(best)}. Its cot differs from "
            f"direct by {lower} points.",
            **strategy,
        ),
        intervals_view(f"Ours in percent, with {results.level} intervals by group.", **strategy),
        changes_view(
            f"Ours: score minus that with the strategy {first} in points, over the same pairs, with {results.level} "
            "intervals by group.",
            **strategy,
        ),
    )
    return score_table("table3", "Prompting strategies", results.corrected(rows), (), views)
