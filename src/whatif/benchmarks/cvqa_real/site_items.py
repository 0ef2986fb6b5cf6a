"""The items of C-VQA-Real: an image, its pair of questions and all answers; some are examples in named views.

| view | shows | figure |
|---|---|---|
| `direct`, `indirect`, `boolean` | items of a group | 1 |
| `figure-7` | a system is right on the counterfactual question and wrong on its original | 7 |
| `figure-6` | a system is right on the original question and wrong on its counterfactual | 6 |
| `figure-4` | similar questions about an image of men and one of women, of which a system answers one right | 4 |
| `answer-unchanged` | both questions have the same answer | |
| `writer-NAME` | questions of one writer | |

Models that answer by programs have two further views (`whatif.benchmarks.shared.program_views`), as in Figure 9.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from whatif.benchmarks.cvqa_real.gender_annotations import GENDERS
from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL, GROUPS, ORIGINAL, VARIANTS
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import ANSWERER
from whatif.benchmarks.shared.item_selection import Selection, evenly
from whatif.benchmarks.shared.program_views import select_programs
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.benchmarks.shared.reports import systems_of
from whatif.engine.graph.task import Task
from whatif.results.reporting.answers import System
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged

_OUTCOME = ("question_id", "model", "strategy", "correct")
_BY_RULES = "Right and wrong are by the rules, without the judge."
Row: TypeAlias = Mapping[str, Any]
_MOST_COMPARED = 1_000  # items of each gender and group among which similar questions are looked for
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Pair:
    """A source question and its counterfactual, as rows of the table `questions`."""

    original: Row
    counterfactual: Row

    @property
    def pair_id(self) -> str:
        """Its id."""
        return str(self.original["pair_id"])

    @property
    def group(self) -> str:
        """`direct`, `indirect` or `boolean`."""
        return str(self.original["group"])

    @property
    def writer(self) -> str | None:
        """Who wrote the counterfactual question; None in the released set."""
        writer: str | None = json.loads(self.counterfactual["provenance"]).get("writer")
        return writer

    @property
    def image(self) -> str | None:
        """The id of its image; None if it is not available."""
        return next(iter(self.original["image_ids"]), None)


@dataclass(frozen=True)
class Outcomes:
    """The systems that are right, and those that are wrong, on each question that they were asked."""

    right: Mapping[str, frozenset[System]]  # question_id -> systems
    wrong: Mapping[str, frozenset[System]]

    def differ(self, right: Row, wrong: Row) -> frozenset[System]:
        """The systems that are right on one question and wrong on another."""
        nobody: frozenset[System] = frozenset()
        return self.right.get(right["question_id"], nobody) & self.wrong.get(wrong["question_id"], nobody)


@dataclass(frozen=True)
class Shown:
    """Items that are shown together, a label for each, and the systems that they are shown for."""

    items: tuple[Pair, ...]
    labels: tuple[str, ...] = ("",)
    systems: frozenset[System] = frozenset()


@dataclass(frozen=True)
class Chosen:
    """A view and what it shows; the sentence `none` explains a view that shows nothing."""

    view: ItemView
    shown: tuple[Shown, ...]
    none: str = "None was found."


def items_of(questions: Iterable[Row]) -> list[Pair]:
    """The items of rows of `questions`, in the order of their ids. Half a pair is not an item."""
    pairs: dict[str, dict[str, Row]] = {}
    for row in questions:
        pairs.setdefault(row["pair_id"], {})[row["variant"]] = row
    return [
        Pair(of_pair[ORIGINAL], of_pair[COUNTERFACTUAL])
        for _, of_pair in sorted(pairs.items())
        if all(variant in of_pair for variant in VARIANTS)
    ]


def outcomes_of(predictions: Iterable[Row], models: Iterable[str]) -> Outcomes:
    """The outcomes of rows of `predictions`, of which `question_id`, `model`, `strategy` and `correct` are used."""
    known = set(models)
    found: dict[bool, dict[str, set[System]]] = {True: {}, False: {}}
    for row in predictions:
        if row["model"] in known:
            found[row["correct"]].setdefault(row["question_id"], set()).add((row["model"], row["strategy"]))
    right, wrong = ({key: frozenset(systems) for key, systems in found[side].items()} for side in (True, False))
    return Outcomes(right, wrong)


def item_views(items: Sequence[Pair], outcomes: Outcomes, genders: Mapping[str, str], number: int) -> list[Chosen]:
    """All views in the order of the site, each with at most `number` entries.

    genders: image_id -> `male` or `female`. Items whose image no earlier view shows come first; otherwise the entries
    are spaced evenly over the ids.
    """
    seen: set[str | None] = set()
    views = []

    def view(name: str, heading: str, text: str, possible: Iterable[Shown], none: str = Chosen.none) -> None:
        every = list(possible)
        fresh: list[int] = []  # places of entries whose images are in a view for the first time
        images: set[str | None] = set()
        for place, one in enumerate(every):
            of_entry = {item.image for item in one.items}
            if not of_entry & (seen | images):
                fresh.append(place)
                images |= of_entry
        others = sorted(set(range(len(every))) - set(fresh))
        some = evenly(fresh, number)
        some += evenly(others, number - len(some))
        shown = tuple(every[place] for place in sorted(some))
        seen.update(item.image for one in shown for item in one.items)
        views.append(Chosen(ItemView(name, heading, text), shown, none))

    for group in GROUPS:
        text = f"Examples of the {group} group (C-VQA 3.1, Figure 1)."
        view(group, group.capitalize(), text, (Shown((item,)) for item in items if item.group == group))
    view(
        "figure-7",
        "Counterfactual right where the original is wrong (Figure 7)",
        "At least one system answers the counterfactual question right and its original wrong (C-VQA Figure 7).",
        _where(items, lambda item: outcomes.differ(item.counterfactual, item.original)),
    )
    view(
        "figure-6",
        "Original right, counterfactual wrong (Figure 6)",
        "At least one system answers the original question right and its counterfactual wrong (C-VQA Figure 6).",
        _where(items, lambda item: outcomes.differ(item.original, item.counterfactual)),
    )
    view(
        "figure-4",
        "Similar questions about images of men and of women (Figure 4)",
        "Similar counterfactual questions about an image of people perceived as male and about one of people "
        "perceived as female. At least one system answers one of them right and the other wrong (C-VQA Figure 4). The "
        "annotations record how people were perceived by others, not who they are.",
        _similar(items, outcomes, genders, number),
        Chosen.none if genders else "There are no annotations of perceived gender.",
    )
    view(
        "answer-unchanged",
        "Answer unchanged",
        "The counterfactual question has the same answer as its original.",
        (Shown((item,)) for item in items if item.original["answer"] == item.counterfactual["answer"]),
    )
    for writer in sorted({item.writer for item in items if item.writer is not None}):
        text = f"Questions by the writer {writer} (C-VQA 3.1)."
        view(f"writer-{writer}", f"By writer: {writer}", text, (Shown((i,)) for i in items if i.writer == writer))
    return views


def _where(items: Iterable[Pair], systems_of: Callable[[Pair], frozenset[System]]) -> Iterable[Shown]:
    return (Shown((item,), systems=systems) for item in items if (systems := systems_of(item)))


def _similar(items: Sequence[Pair], outcomes: Outcomes, genders: Mapping[str, str], number: int) -> list[Shown]:
    """The most similar pairs of items of one group about images of both genders; each item and image occurs once.

    The similarity is the share of common words (Jaccard) in their original and counterfactual questions together.
    """
    found = []
    for group in GROUPS:
        sides = [
            evenly([i for i in items if i.group == group and genders.get(i.image or "") == gender], _MOST_COMPARED)
            for gender in GENDERS
        ]
        words = {item.pair_id: _words(item) for side in sides for item in side}
        for man in sides[0]:
            for woman in sides[1]:
                one, other = man.counterfactual, woman.counterfactual
                if systems := outcomes.differ(one, other) | outcomes.differ(other, one):
                    of_man, of_woman = words[man.pair_id], words[woman.pair_id]
                    common = len(of_man & of_woman) / len(of_man | of_woman)
                    found.append((-common, man.pair_id, woman.pair_id, Shown((man, woman), GENDERS, systems)))
    chosen: list[Shown] = []
    used: set[str | None] = set()
    for *_, shown in sorted(found, key=lambda entry: entry[:3]):
        images = {item.image for item in shown.items}
        if len(chosen) < number and not images & used:
            chosen.append(shown)
            used |= images
    return chosen


def _words(item: Pair) -> frozenset[str]:
    return frozenset(_WORD.findall(f"{item.original['question']} {item.counterfactual['question']}".lower()))


def real_items(
    task: Task[ReportSettings],
    questions: Sequence[dict[str, Any]],
    names: Mapping[str, str],
    genders: Mapping[str, str],
    judged: Judged | None,
) -> tuple[Iterator[Item], list[ItemView]]:
    """All items, and their views. Items are made while they are read.

    questions: the rows of all questions that were asked. names: the display names of the models by key, in the order in
    which their answers are shown; it may be empty.
    genders: image_id -> `male` or `female`, as from `genders_of`.
    judged: what the judge read, if there is one; it decides neither what is right nor which items a view shows.
    """
    strategies = task.settings.strategies
    systems = {
        (model, strategy): names[model] if len(strategies) == 1 else f"{names[model]}, {strategy}"
        for model, strategy in systems_of(task, ANSWERER, strategies)
        if model in names
    }
    pairs = items_of(questions)
    number = task.settings.aggregate.shown_items
    outcomes = outcomes_of(task.rows("predictions", _OUTCOME), names)
    selection = selected(item_views(pairs, outcomes, genders, number), systems)
    findings = [row for row in task.rows("program-findings") if row["model"] in names]
    select_programs(selection, [(one.original, one.counterfactual) for one in pairs], findings, number)

    def about(item_id: str, rows: Sequence[Row]) -> About:
        writer = Pair(rows[0], rows[-1]).writer
        by = () if writer is None else (f"Counterfactual question by the writer {writer}.",)
        return About(title_of(rows), (*by, *selection.notes(item_id)), selection.names(item_id))

    note = "" if judged is None else _BY_RULES
    views = [replace(view, text=f"{view.text} {note}".strip()) for view in selection.views]
    shown = shown_systems(task, ANSWERER, systems)
    return question_items(task, questions, shown, about, variants=dict.fromkeys(VARIANTS, ""), judged=judged), views


def selected(views: Sequence[Chosen], systems: Mapping[System, str]) -> Selection:
    """The items of some views, with notes that name the systems that they are shown for, and what they are beside."""
    selection = Selection()
    for one in views:
        notes = {}
        for shown in one.shown:
            names = "; ".join(name for system, name in systems.items() if system in shown.systems)
            for place, item in enumerate(shown.items):
                parts = []
                if len(shown.items) > 1:
                    other = 1 - place
                    label, beside = shown.labels[place], shown.labels[other]
                    parts.append(f"People perceived as {label}, beside {shown.items[other].pair_id} ({beside}).")
                parts += [f"{one.view.heading}: {names}."] if names else []
                notes[item.pair_id] = " ".join(parts)
        selection.add(one.view, notes, none=one.none)
    return selection
