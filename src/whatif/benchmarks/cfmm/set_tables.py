"""Table 1 of CFMM and the statistics of the set (CFMM A, Figure 4), beside the reported numbers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from whatif.benchmarks.cfmm.measures import ALL
from whatif.benchmarks.cfmm.options import right_option
from whatif.benchmarks.cfmm.reported import in_text
from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.engine.language.wording import same
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import Precision, in_percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import clustered_share

# The only numbers of images with which the percentages of Table 2 are possible. The paper prints none of them, and they
# add up to 1,198, not to its 1,200.
INFERRED = dict(zip(CATEGORIES, (348, 221, 195, 111, 158, 165), strict=True))
COUNTERFACTUAL_KIND = "counterfactual"
_BASIC_KIND = "basic"
_KINDS = (_BASIC_KIND, COUNTERFACTUAL_KIND)
_LENGTHS = ("basic questions", "counterfactual questions", "answers")
_MANUAL = {"annotator": "Human", "scenes": "Computed", "file": "Imported"}
_PLACES = ("source", "category", "kind", "rule", "measure")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class SetStatistics:
    """What Figure 4 shows: items by category, and the words of answers and of both kinds of question.

    items: category -> number of items; lengths: kind (`basic`, `counterfactual`) -> number of words of each question;
    answers: the right answers of all questions, as texts.
    """

    items: Mapping[str, int]
    lengths: Mapping[str, Sequence[int]]
    answers: Sequence[str]


def set_statistics(questions: Sequence[Row]) -> SetStatistics:
    """The statistics of rows of `questions`; words are separated by white space."""
    items = Counter(row["group"] for row in questions if row["variant"] == BASIC)
    in_order = [*(name for name in CATEGORIES if name in items), *sorted(set(items) - set(CATEGORIES))]
    lengths: dict[str, list[int]] = {kind: [] for kind in _KINDS}
    for row in questions:
        lengths[kind_of(row)].append(len(row["question"].split()))
    return SetStatistics({name: items[name] for name in in_order}, lengths, [right_option(row) for row in questions])


def kind_of(row: Row) -> str:
    """Whether a question is a basic or a counterfactual one, whoever wrote it."""
    return _BASIC_KIND if row["variant"] == BASIC else COUNTERFACTUAL_KIND


def table1(questions: Sequence[Row], sources: Iterable[str]) -> Table:
    """Table 1 (CFMM 2): sizes of counterfactual question sets as reported, and ours.

    `sources` are those of the images.
    """
    rows: list[dict[str, Any]] = [
        {
            "name": row["dataset"],
            "source": REPORTED,
            "task": row["task"],
            "images": row["data_source"],
            "questions": row["question_source"],
            "measure": row["metric"],
            "value": int(row["value"]),
        }
        for row in published(__package__, "table1")
    ]
    origins = {json.loads(row["provenance"]).get("origin", "unknown") for row in questions}
    ours = {
        "name": "CFMM of whatif",
        "source": OURS,
        "task": "visual-qa",
        "images": " & ".join(sorted({_kind_of_source(source) for source in sources})),
        "questions": " & ".join(sorted({_MANUAL.get(origin, "Auto.") for origin in origins}, reverse=True)),
    }
    rows.append({**ours, "measure": "question_types", "value": len({row["group"] for row in questions})})
    rows.append({**ours, "measure": "questions", "value": len(questions)})
    view = View(
        "Counterfactual question sets (CFMM Table 1): sizes as the paper reports them, and ours.",
        {
            "name": "Set",
            "source": "From",
            "task": "Task",
            "images": "Source of data",
            "questions": "Source of questions",
        },
        (Column("Types", "question_types", write=count), Column("Questions", "questions", write=count)),
    )
    frame = tidy(rows, ("name", "source", "task", "images", "questions", "measure"), ("value",))
    return Table("table1", "Question sets", frame, (view,))


def _kind_of_source(source: str) -> str:
    return "Drawn scenes" if source.startswith("drawn:") else "Photographs"


def set_table(questions: Sequence[Row], settings: Precision, rules: Sequence[str], *, imported: bool) -> Table:
    """The table `set`: sizes, lengths, wrong options, answers like the basic one, and letters (CFMM A).

    The reported sizes and lengths are of another set; a difference is only given where ours is `imported` from a file,
    or has the paper's number of items. `rules` are those of the wrong option, in order.
    """
    found = set_statistics(questions)
    of_paper = int(in_text("images"))  # each has one item
    comparable = imported or sum(found.items.values()) == of_paper
    rows = [
        *_sizes(questions, found, comparable=comparable),
        *_lengths(found, comparable=comparable),
        *_options(questions),
        *_shares(questions, settings),
    ]
    level = f"{100 * settings.confidence:g}%"
    compared = (
        "Differences are ours minus the paper's."
        if comparable
        else f"Differences are only given for an imported set, or one of {of_paper:,} items."
    )
    category = {"category": "Category"}
    views = (
        View(
            "Items and questions by category, beside the numbers of images that the paper's percentages imply.",
            category,
            (
                Column("Items", "items", {"source": OURS}, write=count),
                Column("Questions", "questions", {"source": OURS}, write=count),
                Column("Inferred", "items", {"source": REPORTED}, write=count),
                Column("Difference", "items minus inferred", write=signed(0)),
            ),
            f"The inferred numbers are not printed in the paper; they add up to {sum(INFERRED.values()):,}. {compared}",
        ),
        View(
            "Mean number of words, separated by white space (CFMM A). Answers are the right ones of all questions.",
            {"kind": "Of"},
            (
                Column("Ours", "words", {"source": OURS}, write=decimal(2)),
                Column("Reported", "words", {"source": REPORTED}, write=decimal(2)),
                Column("Difference", "words minus reported", write=signed(2)),
            ),
            compared,
        ),
        View(
            f"Origin of the wrong options of counterfactual questions; the rules in order are {', '.join(rules)}.",
            {"rule": "Rule"},
            tuple(
                Column(one.capitalize(), "wrong options", {"category": one}, write=count) for one in (*found.items, ALL)
            ),
            "A rule `drawn`, `annotator` or `file` means that the option came with the question.",
        ),
        View(
            "Counterfactual questions with the same right answer as the basic question, in percent, with "
            f"{level} intervals by image.",
            category,
            (
                Column("Same answer", "same as basic", interval=True),
                Column("Questions", "same as basic", number="n"),
            ),
        ),
        View(
            f"Questions of which A is the right option, in percent, with {level} intervals by image.",
            category,
            tuple(Column(kind.capitalize(), "right option A", {"kind": kind}, interval=True) for kind in _KINDS),
        ),
    )
    return Table("set", "The questions", tidy(rows, (*_PLACES, PUBLISHED), ("value", "low", "high", "n")), views)


def _sizes(questions: Sequence[Row], found: SetStatistics, *, comparable: bool) -> Iterator[dict[str, Any]]:
    by_category = Counter(row["group"] for row in questions)
    for category in (*found.items, ALL):
        items = found.items[category] if category != ALL else sum(found.items.values())
        place = {"source": OURS, "category": category}
        yield {**place, "measure": "items", "value": items}
        yield {**place, "measure": "questions", "value": by_category[category] if category != ALL else len(questions)}
        inferred = INFERRED.get(category) if category != ALL else sum(INFERRED.values())
        if inferred is not None:
            yield {"source": REPORTED, "category": category, "measure": "items", "value": inferred}
            if comparable:
                yield {**place, "measure": "items minus inferred", "value": items - inferred}


def _lengths(found: SetStatistics, *, comparable: bool) -> Iterator[dict[str, Any]]:
    words = (*(found.lengths[kind] for kind in _KINDS), [len(answer.split()) for answer in found.answers])
    texts = (
        in_text("mean_question_length", "basic"),
        in_text("mean_question_length", "counterfactual"),
        in_text("mean_answer_length"),
    )
    for kind, lengths, text in zip(_LENGTHS, words, texts, strict=True):
        yield {"source": REPORTED, "kind": kind, "measure": "words", "value": float(text), PUBLISHED: text}
        if lengths:
            mean = round(fmean(lengths), 4)
            yield {"source": OURS, "kind": kind, "measure": "words", "value": mean, "n": len(lengths)}
            if comparable:
                difference = round(mean - float(text), 4)
                yield {"source": OURS, "kind": kind, "measure": "words minus reported", "value": difference}


def _options(questions: Sequence[Row]) -> Iterator[dict[str, Any]]:
    counts = Counter(
        (json.loads(row["provenance"]).get("second_option", "unknown"), category)
        for row in questions
        if row["variant"] != BASIC
        for category in (row["group"], ALL)
    )
    for (rule, category), number in sorted(counts.items()):
        yield {"source": OURS, "category": category, "rule": rule, "measure": "wrong options", "value": number}


def _shares(questions: Sequence[Row], settings: Precision) -> Iterator[dict[str, Any]]:
    basics = {row["pair_id"]: right_option(row) for row in questions if row["variant"] == BASIC}
    found = set_statistics(questions)
    for category in (*found.items, ALL):
        rows = [row for row in questions if category in (row["group"], ALL)]
        for kind in _KINDS:
            chosen = [row for row in rows if kind_of(row) == kind]
            if not chosen:
                continue
            place = {"source": OURS, "category": category, "kind": kind, "n": len(chosen)}
            images = [row["image_ids"][0] for row in chosen]
            letters = clustered_share([row["answer"] == "A" for row in chosen], images, confidence=settings.confidence)
            yield {**place, "measure": "right option A", **in_percent("value", letters)}
            if kind == COUNTERFACTUAL_KIND:
                equal = [same(right_option(row), basics[row["pair_id"]]) for row in chosen]
                share = clustered_share(equal, images, confidence=settings.confidence)
                yield {**place, "measure": "same as basic", **in_percent("value", share)}
