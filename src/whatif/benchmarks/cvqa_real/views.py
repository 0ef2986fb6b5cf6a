"""The gallery of C-VQA-Real: images, their twin questions and the answers, in named views (`item_views`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from whatif.artifacts.images import ImageStore
from whatif.benchmarks.cvqa_real.item_views import Item, ItemView, Row, Shown, System, item_views, items_of, outcomes_of
from whatif.benchmarks.cvqa_real.settings import ReportSettings
from whatif.benchmarks.shared.page_images import reduced
from whatif.benchmarks.shared.program_panels import (
    RIGHT_HEADING,
    RIGHT_NAME,
    RIGHT_TEXT,
    WRONG_HEADING,
    WRONG_NAME,
    WRONG_TEXT,
    ProgramTwins,
    Twins,
    categories_of,
    program_reply,
    program_twins,
)
from whatif.graph.task import Task
from whatif.reporting.gallery import Asked, Link, Panel, Picture, Reply, Section, gallery

_OUTCOME = ("question_id", "model", "strategy", "correct")
_ANSWER = (*_OUTCOME, "response", "answer", "earlier_turns")
_LABELS = {"": "", "male": "perceived as male", "female": "perceived as female"}
_NOTHING = "(nothing)"
_BY_RULES = "Right and wrong are by the rules, without the judge."


def gallery_page(
    task: Task[ReportSettings], questions: Sequence[Row], names: Mapping[str, str], genders: Mapping[str, str]
) -> bytes:
    """The page as HTML. Each view shows at most `shown_items` entries, and each image is on the page once.

    task: its inputs `predictions` and `images` are read.
    questions: the rows of all questions that were asked. names: the display names of the models by key, in the order in
    which their answers are shown; it may be empty.
    genders: image_id -> `male` or `female`, as from `genders_of`.
    """
    outcomes = outcomes_of(task.rows("predictions", _OUTCOME), names)
    views = item_views(items_of(questions), outcomes, genders, task.settings.aggregate.shown_items)
    wanted = {
        row["question_id"]
        for view in views
        for one in view.shown
        for item in one.items
        for row in (item.original, item.counterfactual)
    }
    answers = task.rows("predictions", _ANSWER, question_id=wanted)
    note = "" if task.settings.judge is None else _BY_RULES
    programs = _programs_shown(task, questions, names)
    return page_of(views, answers, task.images(), names, task.settings.strategies, note=note, programs=programs)


@dataclass(frozen=True)
class ProgramsShown:
    """The twins whose programs are shown, the predictions of program models for them, and the categories of these."""

    twins: ProgramTwins
    predictions: tuple[Row, ...]
    categories: Mapping[tuple[str, str], str]


def _programs_shown(
    task: Task[ReportSettings], questions: Sequence[Row], names: Mapping[str, str]
) -> ProgramsShown | None:
    """None without findings about programs."""
    findings = [row for row in task.rows("program-findings") if row["model"] in names]
    if not findings:
        return None
    every = [(item.original, item.counterfactual) for item in items_of(questions)]
    chosen = program_twins(every, findings, task.settings.aggregate.shown_items)
    categories = categories_of(findings)
    rows = task.rows("predictions", (*_ANSWER, "program"), question_id=chosen.question_ids)
    return ProgramsShown(
        chosen, tuple(row for row in rows if (row["question_id"], row["model"]) in categories), categories
    )


def page_of(
    views: Iterable[ItemView],
    predictions: Iterable[Row],
    images: ImageStore,
    names: Mapping[str, str],
    strategies: Sequence[str],
    *,
    note: str = "",
    programs: ProgramsShown | None = None,
) -> bytes:
    """The page of some views. A system is named by its model, and by its strategy too if there are several of them.

    predictions: rows of `predictions` for all questions of the views. `note` is appended to the text of each view.
    `programs` are shown in two further views.
    """
    given = {(row["question_id"], (row["model"], row["strategy"])): row for row in predictions}
    systems = {
        (model, strategy): name if len(strategies) == 1 else f"{name}, {strategy}"
        for model, name in names.items()
        for strategy in strategies
    }
    page = _Page(images, given, systems, names)
    sections = [page.section(view, note) for view in views]
    if programs is not None:
        sections += [
            page.programs((WRONG_HEADING, WRONG_TEXT, WRONG_NAME), programs.twins.wrong, programs),
            page.programs((RIGHT_HEADING, RIGHT_TEXT, RIGHT_NAME), programs.twins.right, programs),
        ]
    return gallery("C-VQA-Real", sections).encode()


class _Page:
    """The images that are on the page so far, and the answers that it shows."""

    def __init__(
        self,
        images: ImageStore,
        given: Mapping[tuple[str, System], Row],
        systems: Mapping[System, str],
        names: Mapping[str, str],
    ) -> None:
        self._names = names
        self._images = images
        self._given = given
        self._systems = systems
        self._shown_at: dict[str, Link] = {}  # image_id -> the panel that it is shown in, and the item's id
        self._panels = 0

    def section(self, view: ItemView, note: str) -> Section:
        panels = tuple(self._panel(one) for one in view.shown)
        return Section(view.heading, f"{view.text} {note}".strip(), panels, view.name)

    def programs(self, view: tuple[str, str, str], shown: Sequence[Twins], programs: ProgramsShown) -> Section:
        """A view of programs: its heading, text and name, and twins with the programs of all models that write some."""
        heading, text, name = view
        given = {(row["question_id"], row["model"]): row for row in programs.predictions}
        panels = []
        for twins in shown:
            item = Item(*twins)
            panel = self._panel(Shown((item,)))
            asked = tuple(
                Asked(
                    row["question"],
                    row["answer"],
                    {
                        self._names[model]: _program_reply(prediction, programs.categories[question_id, model])
                        for (question_id, model), prediction in given.items()
                        if question_id == row["question_id"]
                    },
                )
                for row in twins
            )
            panels.append(replace(panel, asked=asked))
        return Section(heading, text, tuple(panels), name)

    def _panel(self, shown: Shown) -> Panel:
        self._panels += 1
        name = f"item-{self._panels}"
        pictures, elsewhere, asked, titles = [], [], [], []
        for item, label in zip(shown.items, shown.labels, strict=True):
            if item.image is not None:
                if item.image in self._shown_at:
                    elsewhere.append(self._shown_at[item.image])
                else:
                    self._shown_at[item.image] = Link(name, item.pair)
                    pictures.append(Picture(reduced(self._images, item.image), _LABELS[label]))
            titles.append(f"{item.pair} ({', '.join([item.group, *filter(None, [item.writer])])})")
            prefix = f"{_LABELS[label].capitalize()}: " if label else ""
            asked += [self._asked(row, prefix) for row in (item.original, item.counterfactual)]
        title = " and ".join(titles)
        if shown.systems:
            title += f": {'; '.join(name for system, name in self._systems.items() if system in shown.systems)}"
        return Panel(tuple(pictures), tuple(asked), title, name, tuple(elsewhere))

    def _asked(self, question: Row, prefix: str) -> Asked:
        replies = {
            name: _reply(self._given[question["question_id"], system])
            for system, name in self._systems.items()
            if (question["question_id"], system) in self._given
        }
        return Asked(f"{prefix}{question['question']}", question["answer"], replies)


def _reply(row: Row) -> Reply:
    """A system's answer; what it wrote is added if that is more than the answer."""
    earlier = [turn["response"] or _NOTHING for turn in row["earlier_turns"] or ()]  # each keeps its number
    last = row["response"]
    if row["answer"] is None:
        return Reply(last, row["correct"], (*earlier, *filter(None, [last])) if earlier else ())
    wrote_more = earlier or (last is not None and last.strip() != row["answer"])
    return Reply(row["answer"], row["correct"], (*earlier, *filter(None, [last])) if wrote_more else ())


def _program_reply(row: Row, category: str) -> Reply:
    return program_reply(row["answer"] if row["answer"] is not None else row["response"], row, category)
