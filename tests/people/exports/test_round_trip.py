"""Tasks out, filled in as by people, and labels in again: the judgements are what the people said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.people.exports.filling import Work, pair_work, question_work
from tests.people.exports.round_trips import check_csv, check_label_studio, check_mturk

KINDS = pytest.mark.parametrize("make", [pair_work, question_work], ids=["pairs", "questions"])


@KINDS
def test_csv(make: Callable[[], Work], tmp_path: Path) -> None:
    check_csv(make(), tmp_path)


@KINDS
@pytest.mark.parametrize("as_json", [False, True])
def test_mturk(make: Callable[[], Work], as_json: bool, tmp_path: Path) -> None:
    check_mturk(make(), tmp_path, as_json=as_json)


@KINDS
@pytest.mark.parametrize("form", ["json", "json-min", "csv"])
def test_label_studio(make: Callable[[], Work], form: str, tmp_path: Path) -> None:
    check_label_studio(make(), tmp_path, form)


def test_what_people_say_covers_every_answer() -> None:
    """Otherwise the round trips would show less than they seem to."""
    pairs, questions = pair_work().judgements(), question_work().judgements()
    assert {decision for decision, _, _ in pairs.values()} == {"caption_0", "caption_1", "both", "neither"}
    assert {decision for decision, _, _ in questions.values()} == {"accept", "unrelated", "ambiguous"}
    assert {key for _, corrected, _ in questions.values() for key in json.loads(corrected)} == {"answer", "question"}
    assert len(set(pairs.values()) | set(questions.values())) > 12
