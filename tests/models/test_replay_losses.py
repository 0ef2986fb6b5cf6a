"""Losses computed elsewhere are ranked like those of a model that runs here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.outcome import refusal
from tests.models.test_replay import REAL, SYNTHETIC, Pictures, released, said_once, written
from whatif.engine.artifacts import batches, rows_of
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.params.model_entries import MultipleChoice
from whatif.engine.params.models import Replay
from whatif.formats.prediction_files import question_index
from whatif.models import OptionScore, load
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions
from whatif.scoring.ranking_rules import decided

LOSSES = [[4.0, 1.5, 2.0, 3.0], [0.5, 0.25, 0.125, 9.0], [0.0, 1.0, 1.0, 1.0], [2.0, 2.0, 3.0, 2.0]]
CHOSEN = ["B", "C", "A", "A"]  # the lowest loss, the first in case of a tie


def asked(folder: Path) -> list[dict[str, Any]]:
    """Four questions with the options 16, 17, 12, 13, in the order of their ids."""
    return sorted(released(folder, SYNTHETIC), key=lambda row: str(row["question_id"]))


def ranked(
    path: Path, questions: Sequence[Mapping[str, Any]], form: MultipleChoice = "rank-text"
) -> list[dict[str, Any]]:
    model = load("replay", Replay(adapter="replay", predictions=str(path), multiple_choice=form), 0)
    return list(predictions(questions, Pictures(), "m", model, form=form))


def by_sum(rows: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return decided(rows, {row["question_id"]: row["answer"] for row in questions}, "sum")


def lists(path: Path, questions: Sequence[Mapping[str, Any]], losses: Sequence[Any], **more: Any) -> Path:
    rows = [{"question_id": row["question_id"], "losses": each} for row, each in zip(questions, losses, strict=False)]
    return written(path, "".join(json.dumps({**row, **more}) + "\n" for row in rows))


def refused(path: Path, questions: Sequence[Mapping[str, Any]], form: MultipleChoice = "rank-text") -> str:
    message = refusal(partial(ranked, path, questions, form))
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize("form", ["rank-text", "rank-letter"])
@pytest.mark.parametrize("kind", ["list", "letters", "columns", "texts", "index", "other order"])
def test_the_option_with_the_lowest_loss_is_chosen(tmp_path: Path, kind: str, form: MultipleChoice) -> None:
    questions = asked(tmp_path)
    ids = [row["question_id"] for row in questions]
    cells = [(name, place, loss) for name, each in zip(ids, LOSSES, strict=True) for place, loss in enumerate(each)]
    texts = ["16", "17", "12", "13"]
    path = tmp_path / "p.csv"
    if kind == "list":
        text = "question_id,losses\n" + "".join(f'{n},"{each}"\n' for n, each in zip(ids, LOSSES, strict=True))
    elif kind == "index":
        text = "index,losses\n" + "".join(
            f'{question_index(n)},"{each}"\n' for n, each in zip(ids, LOSSES, strict=True)
        )
    elif kind == "columns":
        table = [",".join([name, *map(str, each)]) for name, each in zip(ids, LOSSES, strict=True)]
        text = "\n".join(["question_id,loss_A,loss_B,loss_C,loss_D", *table]) + "\n"
    elif kind == "texts":
        text = "question_id,option,loss\n" + "".join(f"{n},{texts[place]},{loss}\n" for n, place, loss in cells)
    else:
        cells = cells[::-1] if kind == "other order" else cells
        text = "question_id,option,loss\n" + "".join(f"{n},{'ABCD'[place]},{loss}\n" for n, place, loss in cells)
    written(path, text)
    if (kind, form) == ("texts", "rank-letter"):
        assert "option `16` of one-counterfactual is none of its options; it must be" in refused(path, questions, form)
        return
    rows = ranked(path, questions, form)
    assert [row["answer"] for row in rows] == CHOSEN
    assert [row["correct"] for row in rows] == [
        given == right["answer"] for given, right in zip(CHOSEN, questions, strict=True)
    ]
    assert {(row["status"], row["response"], row["request_key"]) for row in rows} == {("ok", None, None)}
    assert [[score["mean"] for score in row["choice_scores"]] for row in rows] == [
        [-loss for loss in each] for each in LOSSES
    ]


def test_the_sum_ranks_where_the_file_has_numbers_of_tokens(tmp_path: Path) -> None:
    questions = asked(tmp_path)
    path = lists(tmp_path / "p.jsonl", questions, LOSSES, tokens=[1, 4, 1, 1])
    assert [row["answer"] for row in ranked(path, questions)] == CHOSEN
    rows = by_sum(ranked(path, questions), questions)
    assert [row["answer"] for row in rows] == ["C", "C", "A", "A"]  # 4, 6, 2, 3 in the first question
    known = {"log_likelihood": -6.0, "tokens": 4, "mean": -1.5, "at_most": False}
    assert rows[0]["choice_scores"][1] == {**known, "without_image": None, "without_prompt": None}


def test_equal_means_tie_for_any_numbers_of_tokens(tmp_path: Path) -> None:
    questions = asked(tmp_path)[:1]
    path = lists(tmp_path / "p.jsonl", questions, [[0.1, 0.1, 0.1, 0.1]], tokens=[3, 1, 7, 49])
    (row,) = ranked(path, questions)
    assert {score["mean"] for score in row["choice_scores"]} == {-0.1} and row["answer"] == "A"


def test_the_sum_is_not_guessed_where_only_the_mean_is_known(tmp_path: Path) -> None:
    questions = asked(tmp_path)
    path = lists(tmp_path / "p.jsonl", questions, LOSSES)
    rows = by_sum(ranked(path, questions), questions)
    reason = "rule `sum` needs `log_likelihood` of every option, which is not known"
    assert {(row["status"], row["reason"], row["answer"], row["correct"]) for row in rows} == {
        ("error", reason, None, False)
    }
    unknown = dict.fromkeys(("log_likelihood", "tokens", "without_image", "without_prompt"))
    assert rows[0]["choice_scores"][0] == {**unknown, "mean": -4.0, "at_most": False}
    with pytest.raises(ValueError, match="needs its mean"):
        OptionScore(None, 4)


def test_rows_with_and_without_sums_are_stored_in_an_artifact(tmp_path: Path) -> None:
    questions = asked(tmp_path)
    without = ranked(lists(tmp_path / "p.jsonl", questions[:2], LOSSES), questions[:2])
    given = ranked(lists(tmp_path / "q.jsonl", questions[2:], LOSSES, tokens=[1, 2, 3, 4]), questions[2:])
    path = tmp_path / "predictions.parquet"
    write_artifact(path, PREDICTIONS, [*without, *given])
    assert list(rows_of(path, PREDICTIONS)) == [*without, *given]
    (piece,) = batches(path, PREDICTIONS, present=["choice_scores"])
    assert piece["choice_scores"].to_pylist() == [True] * 4


def test_matches_are_reported_and_a_question_without_losses_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = asked(tmp_path)
    path = lists(tmp_path / "p.jsonl", [*questions[:3], {"question_id": "elsewhere-1"}], LOSSES)
    rows = ranked(path, questions)
    last = questions[3]["question_id"]
    assert [row["status"] for row in rows] == ["ok", "ok", "ok", "error"]
    assert (rows[3]["reason"], rows[3]["choice_scores"]) == (f"not in {path}", None)
    assert said_once(capsys) == [
        f"whatif: {path}: has losses for 3 of 4 questions",
        f"whatif: {path}: questions without losses: 1 ({last})",
        f"whatif: {path}: losses for other questions: 1 (elsewhere-1)",
    ]
    other = lists(tmp_path / "o.jsonl", [{"question_id": "mmbench-1"}], LOSSES)
    assert refused(other, questions).startswith(
        "none of its 1 questions with losses is any of the 4 questions; it has mmbench-1, asked are one-counterfactual"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "one-original,A,1\none-original,B,1\n",
            "line 2: one-original has 2 losses for 4 options, none for C, D; give",
        ),
        (
            "one-original,E,1\n",
            "line 2: option `E` of one-original is none of its options; it must be a letter or a text",
        ),
        ("one-original,a,1\n", "line 2: option `a` of one-original is none of its options"),
        ("one-original,18,1\n", "line 2: option `18` of one-original is none of its options"),
        ("one-original,16,1\none-original,A,1\n", "line 3: option `A` of one-original is already in line 2 as `16`"),
    ],
)
def test_options_that_are_not_those_of_the_question_are_refused(tmp_path: Path, text: str, message: str) -> None:
    questions = [row for row in asked(tmp_path) if row["question_id"] == "one-original"]
    path = written(tmp_path / "p.csv", f"question_id,option,loss\n{text}")
    assert refused(path, questions).startswith(message)


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([1, 2, 3], "has 3 losses for 4 options, none for D; give"),
        ([1, 2, 3, 4, 5], "has 5 losses for 4 options; give"),
    ],
)
def test_a_list_of_another_length_is_refused(tmp_path: Path, losses: list[float], message: str) -> None:
    questions = asked(tmp_path)
    path = lists(tmp_path / "p.jsonl", questions, [LOSSES[0], losses])
    assert refused(path, questions).startswith(f"line 2: one-original {message}")


def test_a_name_that_may_be_two_options_is_refused_and_a_list_is_not(tmp_path: Path) -> None:
    (question,) = (row for row in asked(tmp_path) if row["question_id"] == "one-original")
    swapped = [{**question, "choices": ["B", "A", "C", "D"]}]
    path = written(tmp_path / "p.csv", "question_id,option,loss\none-original,C,1\none-original,A,1\n")
    assert refused(path, swapped).startswith(
        "line 3: option `A` of one-original may be A or B, by its letter or its text"
    )
    same = [{**question, "choices": ["16", "16", "12", "13"]}]
    path = written(tmp_path / "q.csv", "question_id,option,loss\none-original,16,1\n")
    assert refused(path, same).startswith("line 2: option `16` of one-original may be A or B")
    assert ranked(lists(tmp_path / "p.jsonl", swapped, LOSSES), swapped)[0]["answer"] == "B"


@pytest.mark.parametrize("form", ["rank-text", "rank-letter"])
def test_responses_are_not_ranked(tmp_path: Path, form: MultipleChoice) -> None:
    questions = asked(tmp_path)
    path = written(tmp_path / "p.csv", f"question_id,response\n{questions[0]['question_id']},A\n")
    assert refused(path, questions, form).startswith("has responses, but `multiple_choice` ranks options; set it to")


@pytest.mark.parametrize("form", ["words", "open"])
def test_losses_are_no_responses(tmp_path: Path, form: MultipleChoice) -> None:
    questions = asked(tmp_path)
    path = lists(tmp_path / "p.jsonl", questions, LOSSES)
    assert refused(path, questions, form).startswith("has losses of options, but no options are ranked here; for")
    openly = released(tmp_path, REAL)
    model = load("replay", Replay(adapter="replay", predictions=str(lists(path, openly, LOSSES))), 0)
    with pytest.raises(WhatifError, match="has losses of options, but no options are ranked here"):
        list(open_predictions(openly, Pictures(), "m", model, strategy="direct"))


def test_columns_of_responses_cannot_be_ranked() -> None:
    with pytest.raises(ValueError, match="response_columns name columns of responses, which cannot be ranked"):
        Replay(adapter="replay", predictions="p.csv", response_columns=["a", "b"], multiple_choice="rank-text")
