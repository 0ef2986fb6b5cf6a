"""Questions as items of the site: each pair (or larger group) of questions, its images, and every system's answers.

Predictions are read in the order of the questions, those of some items at a time, so that memory does not grow with
their number.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from whatif.benchmarks.shared.item_answers import ShownSystem, SystemReader, answer_in_words
from whatif.benchmarks.shared.reports import prices_of
from whatif.benchmarks.shared.tasks import by_pair
from whatif.engine.artifacts.stored_rows import StoredRows
from whatif.engine.graph.dimensions import Dimension
from whatif.engine.graph.task import Task
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import System
from whatif.results.reporting.items import Item, ItemAnswer, ItemPicture, ItemQuestion
from whatif.results.reporting.judged import Judged
from whatif.scoring.judging import Response, response_of
from whatif.scoring.ranking_rules import STORED

Row: TypeAlias = Mapping[str, Any]
_TOGETHER = 500  # items whose answers are in memory at once
_LONGEST_TITLE = 160  # characters


@dataclass(frozen=True)
class About:
    """What a benchmark says of an item in addition to its questions and answers; see `Item` for the fields."""

    title: str
    notes: tuple[str, ...] = ()
    views: tuple[str, ...] = ()


def title_of(questions: Sequence[Row]) -> str:
    """The last of an item's questions, a counterfactual one, shortened: what tells items apart in a list."""
    return textwrap.shorten(questions[-1]["question"], _LONGEST_TITLE, placeholder=" ...")


def shown_systems(
    task: Task[Any],
    dimension: Dimension,
    names: Mapping[System, str],
    rule: RankingRule = STORED,
    by_mean: Collection[System] = (),
) -> list[ShownSystem]:
    """The systems with these display names, in this order, with the prices of their models.

    Ranked options are compared by `rule`, those of the systems `by_mean`, which lack the scores for it, by the mean.
    """
    prices = prices_of(task, dimension)
    return [
        ShownSystem(system, name, prices.get(system[0]), STORED if system in by_mean else rule)
        for system, name in names.items()
    ]


def question_items(
    task: Task[Any],
    questions: Sequence[dict[str, Any]],
    systems: Sequence[ShownSystem],
    about: Callable[[str, Sequence[Row]], About],
    *,
    variants: Mapping[str, str],
    judged: Judged | None = None,
) -> Iterator[Item]:
    """The item of each `pair_id` of `questions`, in their order; all answers to its questions are beside them.

    task: its inputs `predictions` and, if there is one, `program-findings` are read.
    questions: rows of `questions`. Their variants are ordered as in `variants`, of which the first is the original one;
    each has a label for readers, which may be empty.
    about: returns what is said of an item, from its id and its questions in this order.
    judged: what a judge read in responses without an answer by the rules. It is reported beside the answers, which
    remain those by the rules.
    """
    order = list(variants)
    readers = readers_of(task, systems, judged)
    items = questions.by("pair_id") if isinstance(questions, StoredRows) else iter(by_pair(questions).items())
    while some := list(itertools.islice(items, _TOGETHER)):
        by_id = {row["question_id"]: row for _, rows in some for row in rows}
        given = [(reader.system, reader.answers(by_id)) for reader in readers]
        for item_id, rows in some:
            asked = sorted(rows, key=lambda row: order.index(row["variant"]))
            said = about(item_id, asked)
            images = dict.fromkeys(image for row in asked for image in row["image_ids"])
            yield Item(
                item_id=item_id,
                title=said.title,
                group=str(asked[0]["group"]),
                notes=said.notes,
                views=said.views,
                pictures=tuple(ItemPicture(image) for image in images),
                questions=tuple(_question(row, order[0], variants, given) for row in asked),
            )


def readers_of(task: Task[Any], systems: Sequence[ShownSystem], judged: Judged | None = None) -> list[SystemReader]:
    """Readers of the answers of systems, from the inputs `predictions` and, if there is one, `program-findings`."""
    verdicts = {} if judged is None else {response_of(row): row for row in judged.rows}
    return [_reader(task, system, judged, verdicts) for system in systems]


def paths_by_system(task: Task[Any], role: str) -> dict[System, list[Path]]:
    """The files of an input by model and strategy, which is empty where a benchmark has only one."""
    if role not in task.inputs:
        return {}
    given = task.inputs[role]
    found: dict[System, list[Path]] = {}
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        found.setdefault((wildcards["model"], wildcards.get("strategy", "")), []).append(path)
    return found


def _reader(
    task: Task[Any], system: ShownSystem, judged: Judged | None, verdicts: Mapping[Response, Row]
) -> SystemReader:
    predictions = paths_by_system(task, "predictions").get(system.key, [])
    findings = paths_by_system(task, "program-findings").get(system.key, [])
    judge = "" if judged is None else f"{judged.name} (prompt {judged.prompt})"
    return SystemReader(system, predictions, findings, verdicts=verdicts, judge=judge)


def _question(
    row: Row, original: str, labels: Mapping[str, str], given: Sequence[tuple[ShownSystem, Mapping[str, ItemAnswer]]]
) -> ItemQuestion:
    question_id = row["question_id"]
    return ItemQuestion(
        question_id=question_id,
        text=row["question"],
        right=answer_in_words(row, row["answer"]),
        side="original" if row["variant"] == original else "counterfactual",
        label=labels[row["variant"]],
        choices=tuple(row["choices"] or ()),
        answers=tuple(answers[question_id] for _, answers in given if question_id in answers),
    )
