"""The gallery of a set of puzzles: one of each template (C-VQA Table 2), and puzzles with one right answer of two.

| view | shows, of each template | C-VQA |
|---|---|---|
| `templates` | the first puzzle | Table 2 |
| `counterfactual-right` | the first one of which a model answers only the counterfactual question right | Figure 7 |
| `counterfactual-wrong` | the first one of which a model answers only the original question right | Figure 6 |

Models that answer by programs have two further views, of some puzzles of all templates (Figure 9): `programs-right` and
`programs-wrong`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic.settings import RankedReport
from whatif.benchmarks.shared.program_panels import (
    RIGHT_HEADING,
    RIGHT_NAME,
    RIGHT_TEXT,
    WRONG_HEADING,
    WRONG_NAME,
    WRONG_TEXT,
    categories_of,
    program_reply,
    program_twins,
)
from whatif.graph.task import Task
from whatif.language.options import LETTERS
from whatif.reporting.gallery import Asked, Panel, Picture, Reply, Section, gallery
from whatif.scoring.ranking_rules import decided

Row: TypeAlias = Mapping[str, Any]
Twins: TypeAlias = tuple[Row, Row]  # an original question and its counterfactual
_SHOWN_PROGRAMS = 3  # puzzles in each view of programs
_SEARCHED = 50  # first puzzles of each template, among which all views look
_COLUMNS = ("question_id", "model", "response", "choice_scores", "answer", "status", "reason", "correct")


def puzzle_gallery(
    task: Task[RankedReport],
    questions: Sequence[Row],
    names: Mapping[str, str],
    by_mean: Sequence[str],
    title: str,
) -> bytes:
    """The page as HTML. `questions` are all that were asked; `names` maps the models' keys to their display names.

    `by_mean` are the models that cannot be ranked by the rule of the settings; their choices are those by the mean. No
    puzzle is in two views.
    """
    searched = _first_puzzles(questions)
    asked = [row for puzzles in searched.values() for twins in puzzles for row in twins]
    answers = {row["question_id"]: row["answer"] for row in asked}
    rows = list(task.rows("predictions", _COLUMNS, question_id=set(answers)))
    again = decided([row for row in rows if row["model"] not in by_mean], answers, task.settings.rule)
    given = {(row["question_id"], row["model"]): row for row in [*rows, *again]}
    images = task.images()
    used: set[str] = set()

    def right_on_one(right: int, twins: Twins) -> list[str]:
        """The names of the models that are right on one twin and wrong on the other."""
        found = {
            key: [given.get((row["question_id"], key), {}).get("correct") for row in (twins[right], twins[1 - right])]
            for key in names
        }
        return [names[key] for key, correct in found.items() if correct == [True, False]]

    def view(name: str, heading: str, text: str, shown_for: Callable[[Twins], list[str] | None]) -> Section:
        """A section with the first puzzle of each template for which `shown_for` gives models; None stands for any."""
        panels = []
        for group, puzzles in searched.items():
            for twins in puzzles:
                models = shown_for(twins)
                if twins[0]["pair_id"] not in used and models != []:
                    used.add(twins[0]["pair_id"])
                    picture = Picture(images.encoded(twins[0]["image_ids"][0]))
                    about = ": ".join([_template(group), *(["; ".join(models)] if models else [])])
                    panels.append(Panel((picture,), tuple(_asked(row, names, given) for row in twins), about))
                    break
        return Section(heading, text, tuple(panels), name)

    sections = [
        view(
            "templates",
            "One puzzle of each template",
            "The templates of C-VQA Table 2: the first puzzle of each, its original and its counterfactual question, "
            "the right answer, and the option that each model chose.",
            lambda twins: None,
        ),
        view(
            "counterfactual-right",
            "Counterfactual right where the original is wrong",
            _one_right("the counterfactual question right and its original wrong (C-VQA Figure 7)"),
            lambda twins: right_on_one(1, twins),
        ),
        view(
            "counterfactual-wrong",
            "Original right, counterfactual wrong",
            _one_right("the original question right and its counterfactual wrong (C-VQA Figure 6)"),
            lambda twins: right_on_one(0, twins),
        ),
    ]
    return gallery(title, [*sections, *_programs(task, searched, names)]).encode()


def _programs(
    task: Task[RankedReport], searched: Mapping[str, Sequence[Twins]], names: Mapping[str, str]
) -> Iterator[Section]:
    """The views of programs, if a model writes some: logically right ones first, as in Figure 9."""
    every = [twins for puzzles in searched.values() for twins in puzzles]
    ids = {row["question_id"] for twins in every for row in twins}
    findings = [row for row in task.rows("program-findings", question_id=ids) if row["model"] in names]
    if not findings:
        return
    chosen, categories = program_twins(every, findings, _SHOWN_PROGRAMS), categories_of(findings)
    rows = task.rows("predictions", (*_COLUMNS, "program"), question_id=chosen.question_ids)
    given = [row for row in rows if (row["question_id"], row["model"]) in categories]
    images = task.images()

    def asked(row: Row) -> Asked:
        replies = {
            names[one["model"]]: program_reply(_said(row, one), one, categories[one["question_id"], one["model"]])
            for one in given
            if one["question_id"] == row["question_id"]
        }
        return Asked(row["question"], _words(row, row["answer"]), replies)

    for heading, text, name, shown in (
        (RIGHT_HEADING, RIGHT_TEXT, RIGHT_NAME, chosen.right),
        (WRONG_HEADING, WRONG_TEXT, WRONG_NAME, chosen.wrong),
    ):
        panels = tuple(
            Panel(
                (Picture(images.encoded(twins[0]["image_ids"][0])),),
                tuple(asked(row) for row in twins),
                _template(twins[0]["group"]),
            )
            for twins in shown
        )
        yield Section(heading, text, panels, name)


def _first_puzzles(questions: Sequence[Row]) -> dict[str, list[Twins]]:
    """The first puzzles of each template, in the order of `questions`."""
    pairs: dict[str, dict[str, dict[str, Row]]] = {}
    for row in questions:
        of_group = pairs.setdefault(row["group"], {})
        if row["pair_id"] in of_group or len(of_group) < _SEARCHED:
            of_group.setdefault(row["pair_id"], {})[row["variant"]] = row
    return {
        group: [(twins["original"], twins["counterfactual"]) for twins in of_group.values()]
        for group, of_group in pairs.items()
    }


def _one_right(what: str) -> str:
    return (
        f"The first puzzle of each template of which a model answers {what}. It is among the first {_SEARCHED} of its "
        "template and in no view above. The models are named above the image."
    )


def _template(group: str) -> str:
    """The name and the words of a template, as in C-VQA Table 2."""
    words = TEMPLATES[group].counterfactual.format(first="{Color 1}", second="{Color 2}", removed="N")
    return f"{group}: {words}"


def _asked(row: Row, names: Mapping[str, str], given: Mapping[tuple[str, str], Row]) -> Asked:
    replies = {
        name: _reply(row, given[row["question_id"], key])
        for key, name in names.items()
        if (row["question_id"], key) in given
    }
    return Asked(row["question"], _words(row, row["answer"]), replies)


def _reply(question: Row, prediction: Row) -> Reply:
    return Reply(_said(question, prediction), prediction["correct"])


def _said(question: Row, prediction: Row) -> str | None:
    return prediction["response"] if prediction["answer"] is None else _words(question, prediction["answer"])


def _words(question: Row, letter: str) -> str:
    """An option for readers: its words and its letter."""
    return f"{question['choices'][LETTERS.index(letter)]} ({letter})"
