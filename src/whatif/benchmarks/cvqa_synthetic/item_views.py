"""The items of a set of puzzles, and named views of them.

| view | shows, of each template | C-VQA |
|---|---|---|
| `table-2` | the first puzzle | Table 2 |
| `figure-7` | the first one of which a model answers only the counterfactual question right | Figure 7 |
| `figure-6` | the first one of which a model answers only the original question right | Figure 6 |

Models that answer by programs have two further views, of some puzzles of all templates (Figure 9): `figure-9-right` and
`figure-9-wrong`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic.settings import RankedReport
from whatif.benchmarks.shared.dimensions import CHOOSER
from whatif.benchmarks.shared.item_selection import Selection
from whatif.benchmarks.shared.program_views import QuestionPair, select_programs
from whatif.benchmarks.shared.question_items import About, question_items, shown_systems, title_of
from whatif.engine.graph.task import Task
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged
from whatif.scoring.ranking_rules import decided

Row: TypeAlias = Mapping[str, Any]
_SHOWN_PROGRAMS = 3  # puzzles in each view of programs
_SEARCHED = 50  # first puzzles of each template, among which all views look
_COLUMNS = ("question_id", "model", "choice_scores", "answer", "status", "reason", "correct")
_ONE_RIGHT = (
    "The first puzzle of each template of which a model answers {what}. It is among the first "
    f"{_SEARCHED} of its template and in no view above."
)
_TABLE_2 = ItemView(
    "table-2",
    "One puzzle of each template (Table 2)",
    "The templates of C-VQA Table 2: the first puzzle of each, with its original and its counterfactual question.",
)
_FIGURE_7 = ItemView(
    "figure-7",
    "Counterfactual right where the original is wrong (Figure 7)",
    _ONE_RIGHT.format(what="the counterfactual question right and its original wrong (C-VQA Figure 7)"),
)
_FIGURE_6 = ItemView(
    "figure-6",
    "Original right, counterfactual wrong (Figure 6)",
    _ONE_RIGHT.format(what="the original question right and its counterfactual wrong (C-VQA Figure 6)"),
)


def puzzle_items(
    task: Task[RankedReport],
    questions: Sequence[dict[str, Any]],
    names: Mapping[str, str],
    by_mean: Sequence[str],
    judged: Judged | None = None,
) -> tuple[Iterator[Item], list[ItemView]]:
    """The items of all puzzles, and their views. Items are made while they are read.

    `questions` are all that were asked; `names` maps the models' keys to their display names. `by_mean` are the models
    that cannot be ranked by the rule of the settings; their choices are those by the mean. `judged` is what a judge
    read.
    """
    selection = _selected(task, questions, names, by_mean)
    systems = shown_systems(
        task,
        CHOOSER,
        {(key, ""): name for key, name in names.items()},
        task.settings.rule,
        [(key, "") for key in by_mean],
    )

    def about(item_id: str, rows: Sequence[Row]) -> About:
        notes = (f"Template: {_template(rows[0]['group'])}", *selection.notes(item_id))
        return About(title_of(rows), notes, selection.names(item_id))

    labels = {"original": "", "counterfactual": ""}
    return question_items(task, questions, systems, about, variants=labels, judged=judged), selection.views


def _selected(
    task: Task[RankedReport], questions: Sequence[Row], names: Mapping[str, str], by_mean: Sequence[str]
) -> Selection:
    """The puzzles of all views. No puzzle is in two of the first three."""
    searched = _first_puzzles(questions)
    every = [pair for puzzles in searched.values() for pair in puzzles]
    answers = {row["question_id"]: row["answer"] for pair in every for row in pair}
    rows = list(task.rows("predictions", _COLUMNS, question_id=set(answers)))
    again = decided([row for row in rows if row["model"] not in by_mean], answers, task.settings.rule)
    right = {(row["question_id"], row["model"]): row["correct"] for row in [*rows, *again]}
    selection = Selection()
    used: set[str] = set()

    def right_on_one(one: Row, other: Row) -> list[str]:
        """The names of the models that are right on one question and wrong on another."""
        return [
            name
            for key, name in names.items()
            if [right.get((row["question_id"], key)) for row in (one, other)] == [True, False]
        ]

    def view(kind: ItemView, note_of: Callable[[QuestionPair], str | None]) -> None:
        """Adds the first puzzle of each template with a note; None stands for a puzzle that is not shown."""
        found: dict[str, str] = {}
        for puzzles in searched.values():
            for pair in puzzles:
                pair_id = str(pair[0]["pair_id"])
                if pair_id not in used and (note := note_of(pair)) is not None:
                    found[pair_id] = note
                    used.add(pair_id)
                    break
        selection.add(kind, found)

    def note(what: str, models: Sequence[str]) -> str | None:
        return f"{what}: {'; '.join(models)}." if models else None

    view(_TABLE_2, lambda pair: "")
    view(_FIGURE_7, lambda pair: note("Only the counterfactual question right", right_on_one(pair[1], pair[0])))
    view(_FIGURE_6, lambda pair: note("Only the original question right", right_on_one(*pair)))
    findings = [row for row in task.rows("program-findings", question_id=set(answers)) if row["model"] in names]
    select_programs(selection, every, findings, _SHOWN_PROGRAMS)
    return selection


def _first_puzzles(questions: Sequence[Row]) -> dict[str, list[QuestionPair]]:
    """The first puzzles of each template, in the order of `questions`."""
    pairs: dict[str, dict[str, dict[str, Row]]] = {}
    for row in questions:
        of_group = pairs.setdefault(row["group"], {})
        if row["pair_id"] in of_group or len(of_group) < _SEARCHED:
            of_group.setdefault(row["pair_id"], {})[row["variant"]] = row
    return {
        group: [(pair["original"], pair["counterfactual"]) for pair in of_group.values()]
        for group, of_group in pairs.items()
    }


def _template(group: str) -> str:
    """The words of a template, as in C-VQA Table 2."""
    return TEMPLATES[group].counterfactual.format(first="{Color 1}", second="{Color 2}", removed="N")
