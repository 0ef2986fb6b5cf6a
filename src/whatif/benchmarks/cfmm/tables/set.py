"""The statistics of the set: sizes, lengths, wrong options, answers like the basic one, and letters (CFMM A).

The reported sizes and lengths are of another set; a difference is only given where ours is imported from a file, or has
the paper's number of items.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from whatif.benchmarks.cfmm.measures import ALL, Row
from whatif.benchmarks.cfmm.options import right_option
from whatif.benchmarks.cfmm.report import NUMBERS, Cfmm
from whatif.benchmarks.cfmm.reported import in_text
from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.engine.language.wording import same
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import in_percent
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, View
from whatif.scoring.statistics import clustered_share

# The only numbers of images with which the percentages of Table 2 are possible. The paper prints none of them, and they
# add up to 1,198, not to its 1,200.
INFERRED = dict(zip(CATEGORIES, (348, 221, 195, 111, 158, 165), strict=True))
COUNTERFACTUAL = "counterfactual"  # all questions that are not basic, whoever wrote them
KINDS = (BASIC, COUNTERFACTUAL)


def kind_of(row: Mapping[str, Any]) -> str:
    """Whether a question is a basic or a counterfactual one."""
    return BASIC if row["variant"] == BASIC else COUNTERFACTUAL


def _rows(found: Cfmm) -> Iterator[Row]:
    comparable = _is_comparable(found)
    inferred = {**INFERRED, ALL: sum(INFERRED.values())}
    for category, rows in _by_category(found).items():
        place = {"source": OURS, "category": category}
        items = sum(row["variant"] == BASIC for row in rows)
        yield {**place, "measure": "items", "value": items}
        yield {**place, "measure": "questions", "value": len(rows)}
        if category in inferred:
            yield {"source": REPORTED, "category": category, "measure": "items", "value": inferred[category]}
            if comparable:
                yield {**place, "measure": "items minus inferred", "value": items - inferred[category]}
    yield from _lengths(found.questions, comparable=comparable)
    rules = Counter(
        (json.loads(row["provenance"]).get("second_option", "unknown"), category)
        for row in found.questions
        if row["variant"] != BASIC
        for category in (row["group"], ALL)
    )
    for (rule, category), number in sorted(rules.items()):
        yield {"source": OURS, "category": category, "rule": rule, "measure": "wrong options", "value": number}
    yield from _shares(found)


def _is_comparable(found: Cfmm) -> bool:
    items = sum(row["variant"] == BASIC for row in found.questions)
    return found.task.settings.items is not None or items == int(in_text("images"))  # each image has one item


def _by_category(found: Cfmm) -> dict[str, list[dict[str, Any]]]:
    """The questions of each category, and all."""
    of_category = {name: [row for row in found.questions if row["group"] == name] for name in found.asked.categories}
    return {**of_category, ALL: list(found.questions)}


def _lengths(questions: Sequence[Row], *, comparable: bool) -> Iterator[Row]:
    """The mean number of words, separated by white space."""
    texts = {kind: [row["question"] for row in questions if kind_of(row) == kind] for kind in KINDS}
    printed = {f"{kind} questions": in_text("mean_question_length", kind) for kind in KINDS}
    measured = {f"{kind} questions": of_kind for kind, of_kind in texts.items()}
    measured["answers"] = [right_option(row) for row in questions]
    for kind, text in {**printed, "answers": in_text("mean_answer_length")}.items():
        yield {"source": REPORTED, "kind": kind, "measure": "words", "value": float(text), PUBLISHED: text}
        if lengths := [len(one.split()) for one in measured[kind]]:
            place, mean = {"source": OURS, "kind": kind}, round(fmean(lengths), 4)
            yield {**place, "measure": "words", "value": mean, "n": len(lengths)}
            if comparable:
                yield {**place, "measure": "words minus reported", "value": round(mean - float(text), 4)}


def _shares(found: Cfmm) -> Iterator[Row]:
    basics = {row["pair_id"]: right_option(row) for row in found.questions if row["variant"] == BASIC}
    for category, rows in _by_category(found).items():
        for kind in KINDS:
            chosen = [row for row in rows if kind_of(row) == kind]
            flags = {"right option A": [row["answer"] == "A" for row in chosen]}
            if kind == COUNTERFACTUAL:
                flags["same as basic"] = [same(right_option(row), basics[row["pair_id"]]) for row in chosen]
            images = [row["image_ids"][0] for row in chosen]
            place = {"source": OURS, "category": category, "kind": kind, "n": len(chosen)}
            for measure, are in flags.items() if chosen else ():
                share = clustered_share(are, images, confidence=found.settings.confidence)
                yield {**place, "measure": measure, **in_percent("value", share)}


def _views(found: Cfmm) -> Iterator[View]:
    compared = (
        "Differences are ours minus the paper's."
        if _is_comparable(found)
        else f"Differences are only given for an imported set, or one of {int(in_text('images')):,} items."
    )
    category = {"category": "Category"}
    yield View(
        "Items and questions by category, beside the numbers of images that the paper's percentages imply.",
        category,
        (
            Column("Items", "items", {"source": OURS}, write=count),
            Column("Questions", "questions", {"source": OURS}, write=count),
            Column("Inferred", "items", {"source": REPORTED}, write=count),
            Column("Difference", "items minus inferred", write=signed(0)),
        ),
        f"The inferred numbers are not printed in the paper; they add up to {sum(INFERRED.values()):,}. {compared}",
    )
    yield View(
        "Mean number of words, separated by white space (CFMM A). Answers are the right ones of all questions.",
        {"kind": "Of"},
        (
            Column("Ours", "words", {"source": OURS}, write=decimal(2)),
            Column("Reported", "words", {"source": REPORTED}, write=decimal(2)),
            Column("Difference", "words minus reported", write=signed(2)),
        ),
        compared,
    )
    rules = ", ".join(found.task.settings.second_option)
    yield View(
        f"Origin of the wrong options of counterfactual questions; the rules in order are {rules}.",
        {"rule": "Rule"},
        tuple(
            Column(one.capitalize(), "wrong options", {"category": one}, write=count)
            for one in (*found.asked.categories, ALL)
        ),
        "A rule `drawn`, `annotator` or `file` means that the option came with the question.",
    )
    yield View(
        "Counterfactual questions with the same right answer as the basic question, in percent, with "
        f"{found.level} intervals by image.",
        category,
        (Column("Same answer", "same as basic", interval=True), Column("Questions", "same as basic", number="n")),
    )
    yield View(
        f"Questions of which A is the right option, in percent, with {found.level} intervals by image.",
        category,
        tuple(Column(kind.capitalize(), "right option A", {"kind": kind}, interval=True) for kind in KINDS),
    )


TABLE: Declared[Cfmm] = Declared(
    position=70,
    title="The questions",
    identity=("source", "category", "kind", "rule", "measure", PUBLISHED),
    numbers=NUMBERS,
    rows=_rows,
    views=lambda found: tuple(_views(found)),
)
