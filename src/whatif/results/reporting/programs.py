"""The table `programs`: how the answers of programs divide into categories, and which programs are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.results.reporting.numerals import count
from whatif.results.reporting.pair_measures import ALL
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.program_categories import (
    CATEGORIES,
    CAUSES,
    FAILED_RUNS,
    NO_PROGRAM,
    NOT_CLASSIFIED,
    RIGHT,
)
from whatif.results.reporting.question_pairs import VARIANTS
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.statistics import wilson

# Of the programs that ran with tools that know the image: the program is right; its own tools gave the right answer
# too; they did not (C-VQA 4.2).
PROGRAM_RIGHT, TOOLS_RIGHT, ONLY_PROGRAM_RIGHT = "program right", "tools right", "right program, failing tool"
_NUMBERS = ("value", "low", "high", "n")
_IDENTITY = ("model", "name", "source", "group", "variant", "measure", "category")
_DID_NOT_END = "did not end"
_OF_RUNS = (
    "A wrong answer has one category. Did not end: the program broke a rule, reached a limit or raised an exception. "
    "Failing tool: the same program is right with tools that know the image. Ignored presupposition: it gives the "
    "right answer of the original question. Wrong arithmetic: a tool returned what the original question asks for. "
    "Where images are not drawn, these four are what people labelled. Fallbacks are programs that stood in for a "
    "reply without one."
)

Row = Mapping[str, Any]


def programs(
    findings: Iterable[Row],
    questions: Sequence[Row],
    names: Mapping[str, str],
    settings: Precision,
    groups: Sequence[str],
) -> Table:
    """The table of all program models in `names` (key -> display name) that have findings.

    findings: rows of `program-findings`. Shares are in percent, with Wilson intervals.
    """
    by_id: dict[str, list[Row]] = {}
    for row in findings:
        by_id.setdefault(row["question_id"], []).append(row)
    cells: dict[tuple[str, str, str], list[Row]] = {}
    for question in questions if by_id else ():
        for row in by_id.get(question["question_id"], ()):
            for group in (question["group"], ALL):
                cells.setdefault((row["model"], group, question["variant"]), []).append(row)
    rows = [
        {"model": model, "name": name, "source": OURS, "group": group, "variant": variant, **row}
        for model, name in names.items()
        for group in (*groups, ALL)
        for variant in VARIANTS
        for row in _rows(cells.get((model, group, variant), []), settings.confidence)
    ]
    return Table("programs", "Programs", tidy(rows, _IDENTITY, _NUMBERS), _views(f"{100 * settings.confidence:g}%"))


def _rows(findings: Sequence[Row], confidence: float) -> Iterator[dict[str, Any]]:
    if not findings:
        return
    total = len(findings)
    counts = Counter(row["category"] for row in findings)
    for category in CATEGORIES:
        if counts[category] or category in (RIGHT, *CAUSES):
            yield {"measure": "count", "category": category, "value": counts[category]}
            yield {"measure": "share", "category": category, **_share(counts[category], total, confidence)}
    yield {"measure": _DID_NOT_END, "value": sum(counts[outcome] for outcome in FAILED_RUNS)}
    yield {"measure": "fallbacks", "value": sum(row["fallback"] for row in findings), "n": total}
    judged = [row for row in findings if row["program_right"] is not None]
    if judged:
        right = [row for row in judged if row["program_right"]]
        both = sum(row["category"] == RIGHT for row in right)
        for measure, number in (
            (PROGRAM_RIGHT, len(right)),
            (TOOLS_RIGHT, both),
            (ONLY_PROGRAM_RIGHT, len(right) - both),
        ):
            yield {"measure": measure, **_share(number, len(judged), confidence)}


def _share(number: int, total: int, confidence: float) -> dict[str, Any]:
    return {**in_percent("value", wilson(number, total, confidence)), "n": total}


def _views(level: str) -> tuple[View, ...]:
    shown = {"model": "", "name": "Model", "group": "Group", "variant": "Variant"}
    of_category = (RIGHT, *CAUSES)
    columns = (
        *(Column(category.capitalize(), "count", {"category": category}, write=count) for category in of_category),
        Column("Did not end", _DID_NOT_END, write=count),
        *(
            Column(category.capitalize(), "count", {"category": category}, write=count)
            for category in (NO_PROGRAM, NOT_CLASSIFIED)
        ),
        Column("Fallbacks", "fallbacks", write=count),
        Column("Programs", "fallbacks", number="n"),
    )
    right = tuple(
        Column(measure.capitalize(), measure, interval=True)
        for measure in (PROGRAM_RIGHT, TOOLS_RIGHT, ONLY_PROGRAM_RIGHT)
    )
    return (
        View("Answers of programs by category (C-VQA 4.1, D).", shown, columns, _OF_RUNS),
        View(
            f"Shares of the categories over all groups, in percent with {level} intervals.",
            {"model": "", "name": "Model", "variant": "Variant", "category": "Category"},
            (
                Column("Share", "share", {"group": ALL}, interval=True),
                Column("Programs", "share", {"group": ALL}, number="n"),
            ),
        ),
        View(
            f"Programs that are right with tools that know the image, in percent with {level} intervals (C-VQA 4.2).",
            shown,
            (*right, Column("Programs", PROGRAM_RIGHT, number="n")),
            "Tools right: the program's own tools also led to the right answer.",
        ),
    )
