"""The items of MuCR on the site: a pair and a metric, with all of its questions and the answers of all systems.

The questions of an item are the same choice in every form and style, with hints and in other languages. Pictures have
the labels of the questions that show them. Further items compare chosen images with rejected ones (`chosen_images`).
The views are of items of some pairs, as figures of the paper show them:

| view | shows | figures |
|---|---|---|
| `figures-7-and-23` | items of C2E in several styles | 7, 23 |
| `figure-10` | chosen images beside rejected ones (`chosen_images`) | 10 |
| `figures-9-and-24` | items of C2E as text and in the visual forms | 9, 24 |
| `figure-25` | the chosen effect among its rejected siblings | 25 |
| `figure-26` | items of C2E with every strategy | 26 |
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

from whatif.benchmarks.mucr.chosen_images import VIEW as CHOSEN_VIEW
from whatif.benchmarks.mucr.chosen_images import chosen_images
from whatif.benchmarks.mucr.dimensions import TUNED
from whatif.benchmarks.mucr.evaluation import LABELS
from whatif.benchmarks.mucr.outcomes import PEOPLE
from whatif.benchmarks.mucr.schemas import CONTEXT, MAIN_FORM, SCORES, STYLES, TEXT, VISUAL_FORMS
from whatif.benchmarks.mucr.settings import ReportSettings
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.item_answers import ShownSystem, SystemReader, answer_in_words
from whatif.benchmarks.shared.item_selection import evenly
from whatif.benchmarks.shared.question_items import readers_of, shown_systems
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine.graph.task import Task
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.answers import System
from whatif.results.reporting.items import Item, ItemAnswer, ItemPicture, ItemQuestion, ItemView
from whatif.results.reporting.judged import Judged
from whatif.scoring.ranking_rules import STORED

Row: TypeAlias = Mapping[str, Any]

_FORMS = (TEXT, *VISUAL_FORMS)
_TOGETHER = 200  # items whose answers are in memory at once
_ANNOTATOR = "annotator"  # in the provenance of a pair, of a part that people wrote
_METRIC = SCORES[0]  # the views show C2E, in which the options are images
STYLES_VIEW = ItemView(
    "figures-7-and-23", "Styles (Figures 7 and 23)", "One item in each style of image, among its other forms."
)
FORMS_VIEW = ItemView(
    "figures-9-and-24", "Forms (Figures 9 and 24)", "One item as text and in each visual form, in the same style."
)
CONTEXT_VIEW = ItemView(
    "figure-25",
    "Contextual variation (Figure 25)",
    "The effect image that was chosen, among three that were not (MuCR 5.2).",
)
STRATEGIES_VIEW = ItemView(
    "figure-26",
    "Strategies (Figure 26)",
    "One item with each strategy, and what the models wrote turn by turn (MuCR 5.3).",
)
VIEWS = (STYLES_VIEW, CHOSEN_VIEW, FORMS_VIEW, CONTEXT_VIEW, STRATEGIES_VIEW)


def site_items(
    task: Task[ReportSettings],
    questions: Sequence[Row],
    items: Iterable[Row],
    names: Mapping[System, str],
    by_mean: Collection[System] = (),
    *,
    judged: Judged | None = None,
) -> tuple[Iterator[Item], list[ItemView]]:
    """The items in order of their pairs and metrics, then the chosen images; and the views that have some of them.

    task: its inputs `predictions`, `tuned`, `attempts`, `pairs`, `choices`, `preselected`, `candidates` and `provided`
    are read. questions, items: the rows of all questions that were asked, and of their items, sorted by question_id.
    names: the display names of the systems, in the order of their answers. by_mean: systems that lack the scores of
    the ranking rule in the settings; their choices are those by the mean. judged: what a judge read.
    """
    wanted = {row["question_id"] for row in questions}
    about = {row["question_id"]: row for row in items if row["question_id"] in wanted}
    number = task.settings.aggregate.shown_pairs
    pairs = {row["pair_id"]: row for row in task.rows("pairs")}
    views = views_of_items(about.values(), number)
    images = list(chosen_images(task, sorted({row["pair_id"] for row in about.values()}), pairs, number))
    named = {name for of_item in (*views.values(), *(item.views for item in images)) for name in of_item}
    asked = _Asked(task, names, by_mean, judged)
    return (
        chain(_question_items(asked, questions, about, pairs, views), images),
        [view for view in VIEWS if view.name in named],
    )


class _Asked:
    """The answers of systems, tuned models and people to questions."""

    def __init__(
        self,
        task: Task[ReportSettings],
        names: Mapping[System, str],
        by_mean: Collection[System],
        judged: Judged | None,
    ) -> None:
        rule = task.settings.aggregate.rule
        self._readers = readers_of(task, shown_systems(task, CHOOSER, names, rule, by_mean), judged)
        given, of_tuned = task.inputs["tuned"], names_of(task, TUNED)
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            key = (wildcards[TUNED.name], DIRECT)
            name = f"{of_tuned[key[0]]}, fine-tuned, {wildcards['seed']}"
            shown = ShownSystem(key, name, rule=STORED if key in by_mean else rule)
            self._readers.append(SystemReader(shown, [path], verdicts={}))
        self._people: dict[str, list[Row]] = defaultdict(list)
        for row in task.rows("attempts"):
            self._people[row["question_id"]].append(row)

    def answers(self, questions: Mapping[str, Row]) -> dict[str, list[ItemAnswer]]:
        """The answers to questions (by id): of the systems in the order of their names, of tuned models, of people."""
        found: dict[str, list[ItemAnswer]] = {name: [] for name in questions}
        for reader in self._readers:
            for name, answer in reader.answers(questions).items():
                found[name].append(answer)
        for name, question in questions.items():
            for row in self._people.get(name, ()):
                words = answer_in_words(question, row["answer"])
                found[name].append(ItemAnswer(f"{PEOPLE} ({row['attempt']})", words, row["correct"]))
        return found


def _question_items(
    asked: _Asked,
    questions: Sequence[Row],
    about: Mapping[str, Row],
    pairs: Mapping[str, Row],
    views: Mapping[str, Sequence[str]],
) -> Iterator[Item]:
    """The items in order of their first questions, with the answers to those of some items in memory at once."""
    by_item: dict[str, list[Row]] = {}
    for row in questions:
        by_item.setdefault(item_name(about[row["question_id"]]), []).append(row)
    left = iter(by_item.items())
    while some := list(islice(left, _TOGETHER)):
        given = asked.answers({row["question_id"]: row for _, rows in some for row in rows})
        for name, rows in some:
            shown = sorted(((about[row["question_id"]], row) for row in rows), key=lambda one: _order(one[0]))
            item, pair = shown[0][0], pairs[rows[0]["pair_id"]]
            yield Item(
                name,
                f"{item['metric']}: {pair['cause_caption']}",
                item["metric"],
                tuple(_notes(pair)),
                tuple(views.get(name, ())),
                tuple(_pictures(shown)),
                tuple(_question(item, row, given[row["question_id"]]) for item, row in shown),
            )


def _question(item: Row, question: Row, answers: Sequence[ItemAnswer]) -> ItemQuestion:
    return ItemQuestion(
        question["question_id"],
        question["question"],
        answer_in_words(question, question["answer"]),
        label=_label(item),
        choices=tuple(question["choices"]),
        answers=tuple(answers),
    )


def _pictures(shown: Iterable[tuple[Row, Row]]) -> Iterator[ItemPicture]:
    """The images of all questions, labelled with form and style; questions with hints show the same ones again."""
    seen = set()
    for item, question in shown:
        ids = question["image_ids"]
        labels = json.loads(question["provenance"]).get(LABELS) or [""] * len(ids)
        for image_id, label in zip(ids, labels, strict=True):
            picture = ItemPicture(image_id, _joined(item["form"], item["style"], label))
            if picture not in seen:
                seen.add(picture)
                yield picture


def _notes(pair: Row) -> Iterator[str]:
    """The captions of a pair, and its cue phrases and explanation with who wrote them."""
    told = json.loads(pair["provenance"])
    yield f"Cause: {pair['cause_caption']}"
    yield f"Effect: {pair['effect_caption']}"
    if pair["cue"] is not None:
        false = ", ".join(pair["false_cues"] or ())
        written = " Written by annotators." if told.get("cue") == _ANNOTATOR else ""
        yield f"Cue phrase: {pair['cue']}. It explains the effect; these do not: {false}.{written}"
    if pair["explanation"] is not None:
        written = " (Written by annotators.)" if told.get("explanation") == _ANNOTATOR else ""
        yield f"Explanation: {pair['explanation']}{written}"
    yield f"Category: {pair['category']}. Group: {pair['group_id']}."


def _label(item: Row) -> str:
    """How a question shows its item: form, style, hints and language."""
    hints, language = "hints" if item["hints"] else "", "" if item["language"] == "en" else f"in {item['language']}"
    return _joined(item["form"], item["style"], hints, language)


def _joined(*parts: str | None) -> str:
    return ", ".join(filter(None, parts))


def _order(item: Row) -> tuple[Any, ...]:
    """Questions in English without hints first; by form, those in mixed styles before those in other styles."""
    style = -1 if item["style"] is None else STYLES.index(item["style"])
    return item["language"] != "en", item["hints"], _FORMS.index(item["form"]), style


def item_name(item: Row) -> str:
    """The id of an item of the site, which has all questions of a pair and metric; from a row of `causal-items`."""
    return f"{item['pair_id']}-{str(item['metric']).lower()}"


def views_of_items(asked: Iterable[Row], number: int) -> dict[str, list[str]]:
    """Item -> the names of its views, with `number` pairs in each view, evenly spaced over all that it can show.

    `asked` are the rows of `causal-items` of all questions. Shown are those in English without hints.
    """
    plain = [row for row in asked if row["language"] == "en" and not row["hints"]]
    mixed = [row for row in plain if row["mixture"] or row["form"] == TEXT]
    c2e = [row for row in mixed if row["metric"] == _METRIC]
    in_main_form = [row for row in plain if (row["metric"], row["form"]) == (_METRIC, MAIN_FORM)]
    context = [row for row in mixed if (row["metric"], row["form"]) == (CONTEXT, MAIN_FORM)]
    found: dict[str, list[str]] = defaultdict(list)
    for view, rows, least in (
        (STYLES_VIEW, in_main_form, 2),
        (FORMS_VIEW, c2e, 2),
        (CONTEXT_VIEW, context, 1),
        (STRATEGIES_VIEW, [row for row in c2e if row["form"] == MAIN_FORM], 1),
    ):
        for name in _of_some_pairs(rows, number, least):
            found[name].append(view.name)
    return found


def _of_some_pairs(rows: Sequence[Row], number: int, least: int) -> list[str]:
    """The items of at most `number` pairs, of those that have at least `least` of the rows."""
    pairs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        pairs[row["pair_id"]].append(row)
    possible = sorted(pair for pair, of_pair in pairs.items() if len(of_pair) >= least)
    return [item_name(pairs[pair][0]) for pair in evenly(possible, number)]
