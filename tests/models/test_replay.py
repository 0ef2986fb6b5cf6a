"""Predictions made elsewhere are scored like a model's answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PIL import Image

from tests.defaults import name_no_model, shipped_values
from whatif import benchmarks
from whatif.engine.errors import WhatifError
from whatif.engine.params.models import Replay
from whatif.formats.c_vqa import read_released
from whatif.formats.prediction_files import question_index
from whatif.models import load
from whatif.scoring.judging import is_judged
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions

REAL = """\
img_path,query,answer,new query,new answer,type
COCO_val2014_000000000042.jpg,How many cats are there?,2,How many cats would be left if one ran away?,1,direct
COCO_val2014_000000000042.jpg,Is the cat black?,yes,Would the cat be black if it were painted white?,no,boolean
COCO_val2014_000000000007.jpg,How many cats are there?,3,How many cats would there be if two more came?,5,direct
"""
OPTIONS = " Select the correct answer:A:16  B:17  C:12  D:13"
SYNTHETIC = f"""\
img_path,query,answer,new query,new answer,type
one.png,How many dots are there?{OPTIONS},B,How many dots would there be if 5 were removed?{OPTIONS},C,abs_counting_4
two.png,How many dots are there?{OPTIONS},A,How many dots would there be if 3 were removed?{OPTIONS},D,abs_counting_4
"""
ROWS = REAL.splitlines()[1:]


class Pictures:
    """Fails if an image is requested."""

    def get(self, image_id: str) -> Image.Image:
        raise AssertionError(image_id)

    def encoded(self, image_id: str) -> bytes:
        raise AssertionError(image_id)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


def released(folder: Path, text: str) -> list[dict[str, Any]]:
    return read_released(written(folder / "released.csv", text))


def plain(path: Path, responses: Mapping[str, str]) -> Path:
    return written(path, "".join(f"{name},{said}\n" for name, said in {"question_id": "response", **responses}.items()))


def replayed(path: Path, questions: Sequence[Mapping[str, Any]], **more: Any) -> dict[str, dict[str, Any]]:
    """The rows of `predictions` by question_id: open questions are extracted, others by the letter they name."""
    model = load("replay", Replay(adapter="replay", predictions=str(path), **more), 0)
    assert model.identity is None
    if questions[0]["choices"]:
        rows = list(predictions(questions, Pictures(), "m", model, form="words"))
    else:
        rows = list(open_predictions(questions, Pictures(), "m", model, strategy="direct"))
    return {row["question_id"]: row for row in rows}


def said_once(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The messages beside the progress bar."""
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("whatif: ")]


def test_open_answers_from_a_plain_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = released(tmp_path, REAL)
    ids = [question["question_id"] for question in questions]
    said = dict(zip(ids, ["There are two.", "2", "Yes.", "", "three cats", "I cannot tell"], strict=True))
    path = plain(tmp_path / "p.csv", {**said, "elsewhere-1": "4"})
    rows = replayed(path, questions)
    assert [(rows[name]["answer"], rows[name]["status"], rows[name]["correct"]) for name in ids] == [
        ("2", "ok", True),
        ("2", "ok", False),
        ("yes", "ok", True),
        (None, "none", False),
        ("3", "ok", True),
        (None, "none", False),
    ]
    assert [rows[name]["response"] for name in ids] == list(said.values())
    assert said_once(capsys) == [
        f"whatif: {path}: has responses to 6 of 6 questions",
        f"whatif: {path}: empty responses: 1; null or left out: 0; neither is right",
        f"whatif: {path}: responses to other questions: 1 (elsewhere-1)",
    ]


def test_what_an_endpoint_withheld_is_no_answer_as_where_models_are_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    path = written(
        tmp_path / "p.csv", f"question_id,response,finish_reason\n{first},2,content_filter\n{second},2,stop\n"
    )
    rows = replayed(path, questions)
    of_first = [rows[first][name] for name in ("status", "answer", "reason", "response", "correct")]
    assert of_first == ["none", None, "refused: finish reason content_filter", "2", False]
    assert rows[second]["status"] == "ok" and not is_judged(rows[first], "number")
    assert said_once(capsys)[1:] == [
        f"whatif: {path}: withheld by the endpoint, counted as no answer: 1 (first: line 2: {rows[first]['reason']})"
    ]


def test_a_question_that_is_not_in_the_file_is_an_error_and_counts_as_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = released(tmp_path, REAL)
    known, *others = (question["question_id"] for question in questions)
    path = plain(tmp_path / "p.csv", {known: "2", **{f"x{number}": "1" for number in range(12)}})
    rows = replayed(path, questions)
    assert rows[known]["status"] == "ok"
    for name in others:
        row = rows[name]
        assert (row["status"], row["reason"], row["correct"]) == ("error", f"not in {path}", False)
    first, second, third = said_once(capsys)
    assert first.endswith("has responses to 1 of 6 questions")
    assert second.endswith(f"questions without a response: 5 ({', '.join(sorted(others))})")
    shown = ", ".join(f"x{number}" for number in range(10))
    assert third.endswith(f"responses to other questions: 12 ({shown} and 2 more)")


def test_the_file_of_another_data_set_is_refused(tmp_path: Path) -> None:
    path = plain(tmp_path / "p.csv", {"mmbench-1": "A", "mmbench-2": "B"})
    with pytest.raises(WhatifError, match=r"none of its 2 responses is to any of the 6 questions; it has mmbench-1"):
        replayed(path, released(tmp_path, REAL))


def test_choices_are_named_in_words(tmp_path: Path) -> None:
    questions = released(tmp_path, SYNTHETIC)
    ids = [question["question_id"] for question in questions]
    path = plain(tmp_path / "p.csv", dict(zip(ids, ["B", "The answer is C.", "A: 16", ""], strict=True)))
    rows = replayed(path, questions)
    assert [(rows[name]["answer"], rows[name]["correct"]) for name in ids] == [
        ("B", True),
        ("C", True),
        ("A", True),
        (None, False),
    ]


@pytest.mark.parametrize("text", [REAL, SYNTHETIC])
@pytest.mark.parametrize("turned", [False, True])
def test_the_authors_files_are_matched_by_picture_and_words(tmp_path: Path, text: str, turned: bool) -> None:
    questions = released(tmp_path, text)
    header, *rows = text.splitlines()
    right = [{q["variant"]: q["answer"] for q in questions[2 * n : 2 * n + 2]} for n in range(len(rows))]
    table = [f"{row},{said['original']},{said['counterfactual']}" for row, said in zip(rows, right, strict=True)]
    path = written(
        tmp_path / "m_responses.csv",
        "\n".join([f"{header},out,new out", *(reversed(table) if turned else table)]) + "\n",
    )
    found = replayed(path, questions, response_columns=["out", "new out"])
    assert all(row["correct"] for row in found.values()), found


def test_rows_with_the_same_words_are_told_apart_by_their_place(tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in (REAL.splitlines()[0], ROWS[0], ROWS[1], ROWS[0]))
    questions = released(tmp_path, text)
    header, *rows = text.splitlines()
    said = [("2", "1"), ("yes", "no"), ("7", "8")]
    table = [f"{row},{first},{second}" for row, (first, second) in zip(rows, said, strict=True)]
    path = written(tmp_path / "r.csv", "\n".join([f"{header},response,new response", *table]) + "\n")
    found = replayed(path, questions)
    assert [found[question["question_id"]]["response"] for question in questions] == ["2", "1", "yes", "no", "7", "8"]
    moved = "\n".join([f"{header},response,new response", table[1], table[0], table[2]]) + "\n"
    with pytest.raises(WhatifError, match=r"line 3, response and line 4, response: different responses to the same"):
        replayed(written(tmp_path / "moved.csv", moved), [questions[0], questions[2]])


def test_a_very_long_answer_is_scored(tmp_path: Path) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    path = plain(tmp_path / "p.csv", {first: "so " * 33_333 + "the answer is 2.", second: "x" * 100_000})
    rows = replayed(path, questions)
    assert len(rows[first]["response"]) > 100_000
    assert (rows[second]["status"], rows[second]["correct"]) == ("none", False)


def test_what_a_file_calls_its_questions_cannot_act_on_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = released(tmp_path, REAL)
    path = plain(tmp_path / "p.csv", {questions[0]["question_id"]: "2", "\x1b[2Jgone": "1"})
    replayed(path, questions)
    said = capsys.readouterr().err
    assert "?[2Jgone" in said and "\x1b" not in said


FAILURES = (
    "Failed to obtain answer via API. 429",
    "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Error code: 429",
    "[LMMS_EVAL_BUDGET_EXCEEDED]",
    "#REF!",
)


@pytest.mark.parametrize("failed", FAILURES)
@pytest.mark.parametrize("column", ["prediction", "response"])
def test_what_a_tool_failed_to_ask_is_an_error(
    failed: str, column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    path = written(tmp_path / "p.tsv", f"question_id\t{column}\n{first}\t{failed}\n{second}\t1\n")
    rows = replayed(path, questions)
    assert (rows[first]["status"], rows[first]["correct"]) == ("error", False)
    assert failed in str(rows[first]["reason"])
    assert rows[second]["correct"]
    assert re.search(r"not what the model said, counted as errors: 1 \(.*: 1, first line 2\)", capsys.readouterr().err)


def test_what_vlmevalkit_writes_without_a_response_is_an_error(tmp_path: Path) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    lines = [f"{question_index(first)}\tNone", f"{question_index(second)}\t1"]
    rows = replayed(written(tmp_path / "p.tsv", "\n".join(["index\tprediction", *lines])), questions)
    assert [rows[one]["status"] for one in (first, second)] == ["error", "ok"]


@pytest.mark.parametrize("suffix", [".xlsx", ".csv"])
def test_a_response_that_a_spreadsheet_cut_is_an_error_with_row_and_column(suffix: str, tmp_path: Path) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    texts = {first: ("The answer is 2. " + "So there are two. " * 2000)[:32_767], second: "1" + " " * 40_000}
    path = tmp_path / f"p{suffix}"
    if suffix == ".csv":
        plain(path, texts)
    else:
        workbook(path, [["question_id", "response"], [first, texts[first]], [second, "1"]])
    rows = replayed(path, questions)
    place = "row 2" if suffix == ".xlsx" else "line 2"
    assert rows[first]["status"] == "error"
    assert rows[first]["reason"] == f"{place}: response is cut at 32,767 characters, the most that a cell can hold"
    assert rows[second]["correct"]


@pytest.mark.parametrize("value", [datetime(2024, 3, 1), time(0, 0), timedelta(hours=30)])
def test_a_date_that_a_spreadsheet_made_of_a_response_is_named(value: Any, tmp_path: Path) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    path = workbook(tmp_path / "p.xlsx", [["question_id", "response"], [first, "2"], [second, value]])
    rows = replayed(path, questions)
    assert rows[first]["correct"] and rows[second]["status"] == "error"
    made = f"({value}), made by a spreadsheet of something else"
    assert rows[second]["reason"] == f"row 3: response is a date or time {made}"


def workbook(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    book.save(path)
    return path


@pytest.mark.parametrize("benchmark", ["cvqa-synthetic", "cvqa-real"])
def test_the_file_is_a_source_of_the_evaluation(tmp_path: Path, benchmark: str) -> None:
    path = plain(tmp_path / "p.csv", {"a": "1"})
    values = shipped_values()
    name_no_model(values)
    values["models"] = {"theirs": {"adapter": "replay", "predictions": str(path)}}
    values["benchmarks"] = [benchmark]
    values["evaluate"]["cvqa-real"]["sampled_models"] = []
    graph = benchmarks.graph(benchmarks.check_params(values))
    jobs = [job for job in graph.jobs if job.step.stage == "evaluate"]
    assert jobs and all(path in job.source_paths.values() for job in jobs)


def test_rows_that_come_again_with_another_response_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = released(tmp_path, "\n".join([REAL.splitlines()[0], *ROWS, ROWS[0]]) + "\n")[:6]
    said = ["2,1", "yes,no", "3,5", "4,1"]  # the last is row 1 again: another original, the same counterfactual
    table = [f"{row},{responses}" for row, responses in zip([*ROWS, ROWS[0]], said, strict=True)]
    header = f"{REAL.splitlines()[0]},response,new_response"
    found = replayed(written(tmp_path / "r.csv", "\n".join([header, *table]) + "\n"), questions)
    assert all(row["correct"] for row in found.values())
    [line] = [line for line in said_once(capsys) if "other responses" in line]
    assert "not used: 1 (line 5, response: " in line


def samples_file(path: Path, rows: Mapping[str, Sequence[tuple[Any, str]]]) -> Path:
    lines = [f"{name},{number},{said}\n" for name, of in rows.items() for number, said in of]
    return written(path, "".join(["question_id,sample,response\n", *lines]))


def test_several_samples_of_a_question_are_numbered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = released(tmp_path, REAL)[:2]
    first, second = (question["question_id"] for question in questions)
    said = {first: [(2, "2"), (0, "Two."), (1, "3")], second: [(0, "5"), (1, ""), (2, "7.")]}
    path = samples_file(tmp_path / "p.csv", said)
    model = load("replay", Replay(adapter="replay", predictions=str(path), samples=3), 0)
    rows = {
        row["question_id"]: row
        for row in open_predictions(questions, Pictures(), "m", model, strategy="direct", samples=3)
    }
    assert [one["response"] for one in rows[first]["samples"]] == ["Two.", "3", "2"]
    assert (rows[first]["answer"], rows[first]["correct"], rows[first]["response"]) == ("2", True, "Two.")
    assert [one["answer"] for one in rows[second]["samples"]] == ["5", None, "7"]
    assert rows[second]["status"] == "ambiguous"
    assert f"whatif: {path}: has responses (sample 1) to 2 of 2 questions" in said_once(capsys)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            {"a": [(0, "2"), (1, "3")], "b": [(1, "2")], "c": [(0, "2")]},
            "b has no sample 0; with `samples: 2` each question needs the samples 0 to 1; questions without one of "
            "them: 2 of 3",
        ),
        ({"a": [(0, "2"), (2, "3")]}, "line 3: sample is `2`; with `samples: 2` it must be a whole number from 0 to 1"),
        ({"a": [("first", "2")]}, "line 2: sample is `first`; with `samples: 2` it must be a whole number from 0 to 1"),
        ({"a": [(0, "2"), (0, "3")]}, "line 3: a is already in line 2; give one row for each question, or number"),
    ],
)
def test_a_wrong_or_missing_sample_is_named(rows: Any, message: str, tmp_path: Path) -> None:
    path = samples_file(tmp_path / "p.csv", rows)
    with pytest.raises(WhatifError) as error:
        load("replay", Replay(adapter="replay", predictions=str(path), samples=2), 0)
    assert str(error.value).startswith(f"{path}: {message}") and "\n" not in str(error.value)


def test_samples_need_their_column_and_without_samples_their_number(tmp_path: Path) -> None:
    path = plain(tmp_path / "p.csv", {"a": "2"})
    with pytest.raises(WhatifError, match="with `samples: 2` it needs the columns question_id, response and sample; "):
        load("replay", Replay(adapter="replay", predictions=str(path), samples=2), 0)
    numbered = samples_file(tmp_path / "n.csv", {"a": [(0, "2"), (1, "3")]})
    with pytest.raises(WhatifError, match="number several responses in a column `sample` and set `samples`"):
        load("replay", Replay(adapter="replay", predictions=str(numbered)), 0)
