"""Questions as items: in their order, in chunks, in parts of predictions, with another rule, and of a few systems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from whatif.benchmarks.shared import question_items as module
from whatif.benchmarks.shared.item_answers import ShownSystem, answer_in_words
from whatif.benchmarks.shared.item_selection import Selection
from whatif.benchmarks.shared.question_items import About, question_items
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.task import Input, Task
from whatif.results.reporting.items import Item, ItemView

Row = dict[str, Any]
LABELS = {"original": "", "counterfactual": "changed"}
SUM_PREFERS_B = [
    {"log_likelihood": total, "tokens": tokens, "mean": total / tokens, "at_most": False}
    | {"without_image": None, "without_prompt": None}
    for total, tokens in ((-4.0, 4), (-2.0, 1))
]


def question(pair: str, variant: str) -> Row:
    return {
        "question_id": f"{pair}-{variant}",
        "pair_id": pair,
        "group": "direct",
        "variant": variant,
        "question": f"{variant} of {pair}?",
        "choices": ["two", "three"],
        "answer": "B",
        "answer_kind": "choice",
        "image_ids": [f"image of {pair}"],
        "provenance": "{}",
    }


def prediction(question_id: str, model: str, **more: Any) -> Row:
    row = {"question_id": question_id, "model": model, "strategy": "direct", "status": "ok"}
    return {**dict.fromkeys(PREDICTIONS.schema.names), **row, "answer": "A", "correct": False, **more}


def task_with(folder: Path, parts: Sequence[tuple[str, Sequence[Row]]]) -> Task[None]:
    """A task whose predictions are some parts: the model of each, and its rows."""
    paths = []
    for number, (_, rows) in enumerate(parts):
        paths.append(folder / f"part-{number}.parquet")
        write_artifact(paths[-1], PREDICTIONS, rows)
    given = Input(PREDICTIONS, tuple(paths), tuple({"model": model} for model, _ in parts))
    return Task(None, {"predictions": given}, None, {}, "aggregate toy", "toy", print)  # type: ignore[arg-type]


def items_of(task: Task[None], questions: list[Row], systems: Sequence[ShownSystem]) -> list[Item]:
    return list(question_items(task, questions, systems, lambda item, rows: About(f"Pair {item}"), variants=LABELS))


# In the order of question ids, those of the writer `a` enclose those of `a-mini`.
PAIRS = ["p1-a", "p1-a-mini", "p2-a"]
QUESTIONS = sorted(
    (question(pair, variant) for pair in PAIRS for variant in LABELS), key=lambda row: str(row["question_id"])
)


@pytest.mark.parametrize("together", [1, 2, 500])
def test_chunks_and_parts_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    monkeypatch.setattr(module, "_TOGETHER", together)
    rows = [prediction(row["question_id"], "m", response=f"of {row['question_id']}") for row in QUESTIONS]
    halves = [row for row in rows if "mini" in row["question_id"]], [r for r in rows if "mini" not in r["question_id"]]
    task = task_with(tmp_path, [("m", halves[1]), ("m", halves[0]), ("other", rows[:1])])
    items = items_of(task, QUESTIONS, [ShownSystem(("m", ""), "Model"), ShownSystem(("other", ""), "Other")])
    assert [item.item_id for item in items] == PAIRS
    for item in items:
        assert (item.title, item.group) == (f"Pair {item.item_id}", "direct")
        assert [picture.image_id for picture in item.pictures] == [f"image of {item.item_id}"]
        assert [(one.side, one.label) for one in item.questions] == [("original", ""), ("counterfactual", "changed")]
        for one in item.questions:
            said = [(answer.system, answer.response) for answer in one.answers]
            assert said[0] == ("Model", f"of {one.question_id}")
            assert said[1:] == ([("Other", said[0][1])] if one.question_id == QUESTIONS[0]["question_id"] else [])


def test_another_rule_decides_the_answer_and_is_told(tmp_path: Path) -> None:
    scored = prediction("p1-a-original", "m", choice_scores=SUM_PREFERS_B)
    said = prediction("p1-a-counterfactual", "m", response="two")
    task = task_with(tmp_path, [("m", [scored, said])])
    told = {}
    for rule in ("mean", "sum", "minus-without-image"):
        system = ShownSystem(("m", ""), "Model", rule=rule)  # type: ignore[arg-type]
        (item,) = items_of(task, [question("p1-a", variant) for variant in LABELS], [system])
        original, counterfactual = item.questions
        answer = original.answers[0]
        told[rule] = (answer.answer, answer.correct, answer.status, answer.why)
        assert counterfactual.answers[0].answer == "two (A)" and counterfactual.answers[0].why == ""
    assert told == {
        "mean": ("two (A)", False, "ok", "ranked by mean: A -1.000, B -2.000"),
        "sum": ("three (B)", True, "ok", "ranked by sum: A -4.000, B -2.000"),
        "minus-without-image": (
            None,
            False,
            "error",
            "rule `minus-without-image` needs `log_likelihood` and `without_image` of every option, which is not known",
        ),
    }


def test_options_are_shown_with_their_letter_and_open_answers_as_they_are() -> None:
    options = question("p1", "original")
    assert answer_in_words(options, "B") == "three (B)"
    assert answer_in_words(options, "C") == "C"  # there is no such option
    assert answer_in_words({"choices": None}, "A") == "A"
    assert answer_in_words(options, "both") == "both"


def test_a_selection_tells_views_and_notes_of_items() -> None:
    selection = Selection()
    selection.add(ItemView("figure-1", "Figure 1", "Examples."), {"p1": "", "p2": "A note."})
    selection.add(ItemView("figure-2", "Figure 2", "Others."), {"p2": "A note."})
    selection.add(ItemView("figure-3", "Figure 3", "Further ones."), {}, none="There is nothing.")
    assert selection.names("p2") == ("figure-1", "figure-2") and selection.names("p3") == ()
    assert selection.notes("p2") == ("A note.",) and selection.notes("p1") == ()
    assert [view.text for view in selection.views] == ["Examples.", "Others.", "Further ones. There is nothing."]
