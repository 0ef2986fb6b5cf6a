"""Why answers of programs are wrong, from rows made by hand; and labels of people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from whatif.benchmarks.shared.program_findings import (
    category_of,
    read_program_labels,
    right_text,
    write_program_findings,
)
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Input, Task
from whatif.engine.params.programs import Limits
from whatif.models.depicted import Depicted

Row = dict[str, Any]


def question(variant: str, answer: str, kind: str = "number", choices: list[str] | None = None) -> Row:
    return {"question_id": f"p-{variant}", "answer": answer, "answer_kind": kind, "choices": choices}


def ran(response: str | None, *, right: bool, calls: tuple[tuple[str, str], ...] = (), **program: Any) -> Row:
    """A prediction whose program ended with `response`, after calls of tools with these values."""
    made = [{"tool": tool, "arguments": "{}", "value": value} for tool, value in calls]
    whole = {"outcome": "ok", "fallback": False, "reason": None, "calls": made, **program}
    return {"response": response, "correct": right, "program": whole}


ORIGINAL, COUNTERFACTUAL = question("original", "3"), question("counterfactual", "5")
WRONG = ran("4", right=False)


@pytest.mark.parametrize("outcome", ["syntax", "forbidden", "time", "memory", "output", "wrong type", "error"])
def test_a_program_that_did_not_end_has_its_outcome_as_category(outcome: str) -> None:
    row = ran(None, right=False, outcome=outcome)
    assert category_of(row, COUNTERFACTUAL, ORIGINAL, ran("5", right=True)) == (outcome, "run")


def test_an_answer_without_a_program_of_the_model_is_of_no_program() -> None:
    assert category_of({"correct": False, "program": None}, ORIGINAL, ORIGINAL, None) == ("no program", "run")
    other = ran("4", right=False, fallback=True, reason="the reply has no program")
    assert category_of(other, ORIGINAL, ORIGINAL, WRONG) == ("no program", "run")
    unread = ran("4", right=False, fallback=True, reason="syntax: invalid syntax, line 1")
    assert category_of(unread, ORIGINAL, ORIGINAL, WRONG) == ("syntax", "run")


def test_a_right_answer_is_right_even_if_its_program_is_not() -> None:
    assert category_of(ran("5", right=True), COUNTERFACTUAL, ORIGINAL, WRONG) == ("right", "run")


@pytest.mark.parametrize(
    ("again", "category"),
    [
        (ran("5", right=True), "failing tool"),
        (ran("3", right=False, calls=(("find", "[1, 2, 3]"),)), "ignored presupposition"),
        (ran("three", right=False), "ignored presupposition"),
        (ran("4", right=False, calls=(("find", '[{"patch": 1}, {"patch": 2}, {"patch": 3}]'),)), "wrong arithmetic"),
        (ran("4", right=False, calls=(("find", "[]"), ("simple_query", '"3"'))), "wrong arithmetic"),
        (ran("4", right=False, calls=(("find", 'a list of 3: [{"patch": 1, "bo...'),)), "wrong arithmetic"),
        (ran("4", right=False, calls=(("compute_depth", "3.0"),)), "wrong arithmetic"),
        (ran("4", right=False, calls=(("find", "[1, 2]"), ("simple_query", '"no'))), "wrong tool"),
        (ran(None, right=False, outcome="error"), "wrong tool"),
        ({"response": None, "correct": False, "program": None}, "wrong tool"),
    ],
)
def test_the_cause_follows_from_the_same_program_with_oracle_tools(again: Row, category: str) -> None:
    assert category_of(WRONG, COUNTERFACTUAL, ORIGINAL, again) == (category, "rules")


def test_the_answer_of_an_original_question_ignores_nothing() -> None:
    again = ran("5", right=False, calls=(("find", "[1, 2, 3]"),))
    assert category_of(WRONG, ORIGINAL, ORIGINAL, again) == ("wrong arithmetic", "rules")


def test_a_pair_with_the_same_answer_does_not_tell_whether_the_presupposition_was_ignored() -> None:
    same = question("counterfactual", "3")
    again = ran("2", right=False)
    assert category_of(ran("2", right=False), same, ORIGINAL, again) == ("wrong tool", "rules")


def test_of_questions_with_yes_and_no() -> None:
    original, counterfactual = question("original", "yes", "boolean"), question("counterfactual", "no", "boolean")
    assert category_of(ran("yes", right=False), counterfactual, original, ran("yes", right=False)) == (
        "ignored presupposition",
        "rules",
    )
    found = ran("maybe", right=False, calls=(("exists", "true"),))
    assert category_of(ran("maybe", right=False), counterfactual, original, found) == ("wrong arithmetic", "rules")


def test_options_are_compared_by_their_texts() -> None:
    original = question("original", "A", "choice", ["3", "5", "6", "7"])
    counterfactual = question("counterfactual", "A", "choice", ["5", "3", "6", "7"])  # the same letter, another answer
    assert (right_text(original), right_text(counterfactual)) == ("3", "5")
    assert category_of(ran("3", right=False), counterfactual, original, ran("3", right=False)) == (
        "ignored presupposition",
        "rules",
    )


def test_nothing_is_classified_where_the_image_is_not_drawn() -> None:
    assert category_of(WRONG, COUNTERFACTUAL, ORIGINAL, None) == ("not classified", "run")


def labels(folder: Path, *lines: str) -> Path:
    path = folder / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_label_about_one_model_counts_before_one_about_all(tmp_path: Path) -> None:
    path = labels(
        tmp_path,
        "question_id,model,category",
        "a,,wrong tool",
        "a,viper,ignored presupposition",
        "b,other,wrong arithmetic",
        "c,,failing tool",
    )
    assert read_program_labels(path, {"a", "b", "c"}, "viper") == {"a": "ignored presupposition", "c": "failing tool"}
    assert read_program_labels(path, {"a", "b", "c"}, "other")["b"] == "wrong arithmetic"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("question_id", "a"), "has no column category"),
        (("question_id,category", "z,wrong tool"), "labels.csv: line 2: question_id 'z' is not among the questions"),
        (("question_id,category", "a,lazy"), "line 2: category is 'lazy'; it must be one of failing tool, ignored"),
        (("question_id,category", "a,syntax"), "line 2: category is 'syntax'; it must be one of"),
        (
            ("question_id,category", "a,wrong tool", "", "a,wrong arithmetic"),
            "line 4: labels the same program as line 2; keep one",
        ),
    ],
)
def test_a_wrong_file_of_labels_is_refused_with_its_line(tmp_path: Path, lines: tuple[str, ...], message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        read_program_labels(labels(tmp_path, *lines), {"a", "b"}, "viper")


def test_the_rows_of_a_program_can_be_stored(tmp_path: Path) -> None:
    row = {
        **{field.name: None for field in PREDICTIONS.schema},
        **{"question_id": "q", "model": "m", "strategy": "plain", "status": "none", "correct": False},
        "program": {**ran("4", right=False, calls=(("find", "[]"),))["program"], "code": "x", "sandbox": "bubblewrap"},
    }
    write_artifact(tmp_path / "rows.parquet", PREDICTIONS, [row])


class Kept:
    """Outputs that are kept in memory."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def write(self, role: str, rows: list[Row]) -> None:
        assert role == "program-findings"
        self.rows = rows


class SaysFive:
    """A model in the place of programs that run again; it records for what images it was told what they show."""

    def __init__(self, codes: Mapping[str, str]) -> None:
        self.codes = codes
        self.closed = False
        self.depicted: Any = None

    def close(self) -> None:
        self.closed = True


DRAWN = "d" * 64
BLANK = Depicted(8, 8, (), lambda text: None)


def asked(pair: str, variant: str, answer: str, image: str) -> Row:
    fields = {"question_id": f"{pair}-{variant}", "pair_id": pair, "group": "direct", "variant": variant}
    about = {"question": "How many?", "choices": None, "answer": answer, "answer_kind": "number"}
    return {**fields, **about, "image_ids": [image], "provenance": "{}"}


def predicted(question_id: str, response: str, *, right: bool) -> Row:
    program = {**ran(response, right=right)["program"], "code": f"return {response}", "sandbox": "bubblewrap"}
    row = {field.name: None for field in PREDICTIONS.schema}
    known = {"question_id": question_id, "model": "viper", "strategy": "plain", "status": "ok"}
    return {**row, **known, "response": response, "answer": response, "correct": right, "program": program}


def task_of(folder: Path, kept: Kept, tools: str) -> Task[None]:
    questions = [
        *(asked("p", "original", "3", DRAWN), asked("p", "counterfactual", "5", DRAWN)),
        *(asked("q", "original", "1", "photograph"), asked("q", "counterfactual", "2", "photograph")),
    ]
    rows = [
        *(predicted("p-counterfactual", "3", right=False), predicted("p-original", "3", right=True)),
        *(predicted("q-counterfactual", "1", right=False), predicted("q-original", "4", right=False)),
    ]
    inputs = {}
    for role, table, given in (("questions", QUESTIONS, questions), ("predictions", PREDICTIONS, rows)):
        path = folder / f"{role}.parquet"
        write_artifact(path, table, sorted(given, key=lambda row: str(row["question_id"])))
        inputs[role] = Input(table, (path,), ({},))
    shown = {"adapter": "vipergpt", "sandbox": "none", "limits": Limits(), "tools.kind": tools}
    return Task(
        settings=None,
        inputs=inputs,
        outputs=kept,  # type: ignore[arg-type]
        wildcards={"model": "viper"},
        name="evaluate toy programs",
        benchmark="toy",
        say=print,
        shown={"model": {"viper": shown}},
    )


def depicted(image_id: str) -> Depicted | None:
    return BLANK if image_id == DRAWN else None


def test_programs_about_drawn_images_run_again_and_others_are_labelled(tmp_path: Path) -> None:
    kept, made = Kept(), []

    def again(settings: Mapping[str, Any], codes: Mapping[str, str]) -> SaysFive:
        assert settings["limits"] == Limits()
        made.append(SaysFive(codes))
        return made[-1]

    def ask(questions: Any, model: Any) -> list[Row]:
        assert model.depicted(DRAWN) is BLANK
        return [{**ran("5", right=row["answer"] == "5"), "question_id": row["question_id"]} for row in questions]

    path = labels(tmp_path, "question_id,category", "q-original,wrong tool", "p-counterfactual,wrong arithmetic")
    write_program_findings(task_of(tmp_path, kept, "models"), ask, depicted=depicted, labels=str(path), again=again)
    assert made[0].closed and dict(made[0].codes) == {"p-counterfactual": "return 3", "p-original": "return 3"}
    found = {row["question_id"]: row for row in kept.rows}
    assert {one: (row["category"], row["found_by"]) for one, row in found.items()} == {
        "p-counterfactual": ("failing tool", "rules"),  # a label does not count where the rules know the image
        "p-original": ("right", "run"),
        "q-counterfactual": ("not classified", "run"),
        "q-original": ("wrong tool", "label:labels.csv"),
    }
    assert [found[one]["program_right"] for one in sorted(found)] == [True, False, None, None]
    assert [found[one]["oracle_value"] for one in sorted(found)] == ["5", "5", None, None]


def test_programs_with_oracle_tools_do_not_run_again(tmp_path: Path) -> None:
    kept = Kept()

    def never(*given: Any) -> Any:
        raise AssertionError("a program ran again")

    write_program_findings(task_of(tmp_path, kept, "oracle"), never, depicted=depicted, labels=None, again=never)
    found = {row["question_id"]: (row["category"], row["program_right"]) for row in kept.rows}
    assert found["p-counterfactual"] == ("ignored presupposition", False)
    assert found["p-original"] == ("right", True)
    assert found["q-counterfactual"] == ("not classified", None)
