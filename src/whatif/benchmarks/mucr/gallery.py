"""The gallery of MuCR: items with the systems' answers, in views that correspond to figures of the paper.

| view | shows | figures |
|---|---|---|
| `styles` | an item in all styles | 7, 23 |
| `consistency` | the chosen images of a pair beside rejected ones, with their likeness | 10 |
| `forms` | an item as text and in every visual form | 9, 24 |
| `context` | the chosen effect among its rejected siblings | 25 |
| `strategies` | the answers and the earlier turns, strategy by strategy | 26 |
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from whatif.benchmarks.mucr.asking import IMAGES, LABELS, labelled
from whatif.benchmarks.mucr.consistency_view import consistency
from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, SCORES, STYLES, TEXT, VISUAL_FORMS
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.page_images import reduced
from whatif.benchmarks.shared.pair_panels import evenly
from whatif.benchmarks.shared.tasks import names_of
from whatif.graph.task import Task
from whatif.language.options import LETTERS
from whatif.reporting.gallery import Asked, Panel, Picture, Reply, Section, gallery
from whatif.scoring.ranking_rules import STORED, decided

Row: TypeAlias = Mapping[str, Any]
System: TypeAlias = tuple[str, str]  # keys of a model and a strategy
_METRIC = SCORES[0]  # the views show C2E, in which the options are images
_COLUMNS = (
    "question_id",
    "model",
    "strategy",
    "response",
    "choice_scores",
    "answer",
    "status",
    "reason",
    "correct",
    "earlier_turns",
)


_NOTHING = "(nothing)"


class _Shown(NamedTuple):
    """A question of a view with its item."""

    question: Row
    item: Row

    @property
    def pair(self) -> str:
        return str(self.question["pair_id"])


def item_views(
    task: Task[ReportSettings],
    questions: Sequence[Row],
    items: Iterable[Row],
    names: Mapping[System, str],
    by_mean: Collection[System] = (),
) -> bytes:
    """The page as HTML, with `shown_pairs` pairs in each view, evenly spaced over all pairs that it can show.

    task: its inputs `predictions`, `choices`, `preselected`, `candidates`, `provided` and images are read.
    questions, items: the rows of all questions that were asked, and their items.
    names: the display names of the systems, in the order in which their answers are shown.
    by_mean: systems that lack the scores of the ranking rule in the settings; their choices are those by the mean.
    """
    about = {row["question_id"]: row for row in items}
    every = [_Shown(row, about[row["question_id"]]) for row in labelled(questions)]
    number = task.settings.aggregate.shown_pairs
    mixed = [one for one in every if _is_plain(one.item) and (one.item["mixture"] or one.item["form"] == TEXT)]
    c2e = [one for one in mixed if one.item["metric"] == _METRIC]
    styles = _of_some_pairs(
        [one for one in every if _is_plain(one.item) and _kind(one) == (_METRIC, MAIN_FORM)], number, _style, least=2
    )
    forms = _of_some_pairs(c2e, number, lambda one: (TEXT, *VISUAL_FORMS).index(one.item["form"]), least=2)
    context = _of_some_pairs([one for one in mixed if _kind(one) == (CONTEXT, MAIN_FORM)], number, _style)
    strategies = _of_some_pairs([one for one in c2e if one.item["form"] == MAIN_FORM], number, _style)
    wanted = [one for view in (styles, forms, context, strategies) for of_pair in view.values() for one in of_pair]
    page = _Page(task, [one.question for one in wanted], names, by_mean)
    return gallery(
        "MuCR",
        [
            page.view(
                "styles", "Styles", "One item in each style of image (MuCR Figures 7 and 23).", styles, _by_style
            ),
            Section(
                "Consistency",
                "The images that were chosen for a cause and its effect, beside the least similar pair of images that "
                "was not chosen (MuCR Figure 10). Likeness is the cosine similarity of two images by CLIP.",
                consistency(task, page.images, sorted({one.pair for one in every}), number),
                "consistency",
            ),
            page.view(
                "forms", "Forms", "One item as text and in each visual form (MuCR Figures 9 and 24).", forms, _by_form
            ),
            page.view(
                "context",
                "Contextual variation",
                "The effect image that was chosen, among three that were not (MuCR 5.2, Figure 25).",
                context,
                _by_style,
            ),
            Section(
                "Strategies",
                "One item with each strategy, and what the models wrote turn by turn (MuCR 5.3, Figure 26).",
                tuple(page.by_strategy(one) for of_pair in strategies.values() for one in of_pair),
                "strategies",
            ),
        ],
    ).encode()


class _Page:
    """The answers and images that the views show."""

    def __init__(
        self,
        task: Task[ReportSettings],
        questions: Sequence[Row],
        names: Mapping[System, str],
        by_mean: Collection[System],
    ) -> None:
        self.images = task.images(*IMAGES)
        self._names = names
        self._models = names_of(task, CHOOSER)
        self._given = _given(task, questions, by_mean)

    def view(
        self,
        name: str,
        heading: str,
        text: str,
        pairs: Mapping[str, Sequence[_Shown]],
        label: Callable[[_Shown], str],
    ) -> Section:
        """A section with a panel for each pair: the images of its questions, and a row for each question."""
        panels = []
        for pair, shown in pairs.items():
            pictures = tuple(picture for one in shown for picture in self._pictures(one, label(one)))
            asked = tuple(self._asked(one, f"{label(one)}: {_printed(one.question)}") for one in shown)
            panels.append(Panel(pictures, asked, pair))
        return Section(heading, text, tuple(panels), name)

    def by_strategy(self, shown: _Shown) -> Panel:
        """A panel of one question with a row for each strategy, and the models in columns."""
        asked = []
        for strategy in dict.fromkeys(strategy for _, strategy in self._names):
            replies = {
                self._models.get(model, model): self._reply(shown.question, (model, strategy), turns=True)
                for model, of_model in self._names
                if of_model == strategy and (shown.question["question_id"], model, strategy) in self._given
            }
            if replies:
                asked.append(Asked(strategy, _words(shown.question, shown.question["answer"]), replies))
        return Panel(self._pictures(shown, _printed(shown.question)), tuple(asked), shown.pair)

    def _pictures(self, shown: _Shown, caption: str) -> tuple[Picture, ...]:
        """The images of a question, each with its label if there are several."""
        ids = shown.question["image_ids"]
        labels = shown.question[LABELS] or [""] * len(ids)
        captions = [", ".join(filter(None, (caption, label))) for label in labels]
        wide = shown.item["form"] != "separate"
        return tuple(
            Picture(reduced(self.images, image_id), text, wide) for image_id, text in zip(ids, captions, strict=True)
        )

    def _asked(self, shown: _Shown, question: str) -> Asked:
        replies = {
            name: self._reply(shown.question, system)
            for system, name in self._names.items()
            if (shown.question["question_id"], *system) in self._given
        }
        return Asked(question, _words(shown.question, shown.question["answer"]), replies)

    def _reply(self, question: Row, system: System, *, turns: bool = False) -> Reply:
        row = self._given[question["question_id"], *system]
        answer = row["response"] if row["answer"] is None else _words(question, row["answer"])
        if not turns:
            return Reply(answer, row["correct"])
        earlier = [turn["response"] or _NOTHING for turn in row["earlier_turns"] or ()]  # each keeps its number
        return Reply(answer, row["correct"], (*earlier, *filter(None, [row["response"]])))


def _of_some_pairs(
    shown: Iterable[_Shown], number: int, order: Callable[[_Shown], Any], least: int = 1
) -> dict[str, list[_Shown]]:
    """The questions of at most `number` pairs in order, of those pairs that have at least `least` of them."""
    pairs: dict[str, list[_Shown]] = {}
    for one in shown:
        pairs.setdefault(one.pair, []).append(one)
    possible = sorted(pair for pair, of_pair in pairs.items() if len(of_pair) >= least)
    return {pair: sorted(pairs[pair], key=order) for pair in evenly(possible, number)}


def _given(
    task: Task[ReportSettings], questions: Sequence[Row], by_mean: Collection[System]
) -> dict[tuple[str, str, str], Row]:
    """Predictions by question, model and strategy, decided by the rule of the settings."""
    wanted = {row["question_id"]: row["answer"] for row in questions}
    rows = list(task.rows("predictions", _COLUMNS, question_id=set(wanted)))
    rule = task.settings.aggregate.rule
    ranked = [row for row in rows if (row["model"], row["strategy"]) not in by_mean]
    again = [] if rule == STORED else decided(ranked, wanted, rule)
    return {(row["question_id"], row["model"], row["strategy"]): row for row in [*rows, *again]}


def _is_plain(item: Row) -> bool:
    """Whether a question is in English and without hints."""
    return bool(item["language"] == "en" and not item["hints"])


def _kind(shown: _Shown) -> tuple[str, str]:
    return shown.item["metric"], shown.item["form"]


def _style(shown: _Shown) -> int:
    return STYLES.index(shown.item["style"])


def _by_style(shown: _Shown) -> str:
    return str(shown.item["style"])


def _by_form(shown: _Shown) -> str:
    return str(shown.item["form"])


def _printed(question: Row) -> str:
    options = "  ".join(f"{letter}: {choice}" for letter, choice in zip(LETTERS, question["choices"], strict=False))
    return f"{question['question']}  {options}"


def _words(question: Row, letter: str) -> str:
    """An option for readers: its words and its letter."""
    choice = question["choices"][LETTERS.index(letter)]
    return choice if choice.endswith(f" {letter}") else f"{choice} ({letter})"
