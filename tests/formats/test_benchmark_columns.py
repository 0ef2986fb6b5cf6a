"""What columns are taken as, by their names."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.formats.benchmark_columns import Columns, Named, described, named_columns, recognised


def taken(*columns: str, rows: int = 20, **named: Any) -> Columns:
    made = [{name: f"{name} {row % 3}" for name in columns} for row in range(rows)]
    return recognised("file.csv", columns, made, named_columns(named))


def test_the_names_of_known_benchmarks() -> None:
    found = taken("index", "image", "question", "A", "B", "C", "D", "answer", "category")
    assert found == Columns(
        ("question",), ("answer",), (("A", "B", "C", "D"),), (), "image", "", "category", "", "index"
    )
    found = taken("img_path", "query", "answer", "new query", "new answer", "type")
    assert found.questions == ("query", "new query") and found.answers == ("answer", "new answer")
    assert (found.options, found.picture, found.group) == (((), ()), "img_path", "type")
    found = taken("image", "Question", "option_a", "option_b", "correctAnswer")
    assert found.options == (("option_a", "option_b"),) and found.answers == ("correctAnswer",)
    found = taken("question", "choices", "label", "counterfactual_question", "counterfactual_label")
    assert found.questions == ("question", "counterfactual_question") and found.options == (("choices",), ("choices",))
    assert taken("text", "option1", "option2", "gold").options == (("option1", "option2"),)
    assert taken("text", "choice_0", "choice_1", "target").options == (("choice_0", "choice_1"),)
    assert taken("id", "caption_0", "caption_1").captions == ("caption_0", "caption_1")


def test_named_columns_come_first() -> None:
    found = taken("question", "other", "answer", "gold", "x", "y", question="other", answer="gold", options="x,y")
    assert (found.questions, found.answers, found.options) == (("other",), ("gold",), (("x", "y"),))
    assert taken("question", "answer", "image", picture="-").picture == ""
    found = taken("question", "answer", "caption_0", "caption_1", captions=["caption_0", "caption_1"])
    assert found.captions and not found.questions


def test_a_column_with_a_value_for_every_row_is_no_group_and_no_variant() -> None:
    rows = [{"question": "?", "answer": "yes", "type": str(row), "version": str(row)} for row in range(200)]
    found = recognised("f", list(rows[0]), rows, Named())
    assert (found.group, found.variant) == ("", "")


def test_what_was_taken_is_said_in_one_line() -> None:
    found = taken("image", "question", "A", "B", "answer", "pair_id")
    assert described(found) == "question `question`, options `A, B`, answer `answer`; picture `image`; pair `pair_id`"


@pytest.mark.parametrize(
    ("columns", "named", "message"),
    [
        (("a", "b"), {}, "file.csv: no column is recognised as a question; name it with --question .*; the columns"),
        (("question", "b"), {}, "no column is recognised as an answer; name it with --answer"),
        (("question", "answer"), {"answer": "gold"}, "has no column `gold`; the columns are question, answer"),
        (("question", "answer"), {"options": "A,B"}, "has no column `A`"),
        (("question", "q2", "answer"), {"question": ["question", "q2"], "answer": "answer"}, "2 columns of questions"),
        (("question", "answer"), {"size": "x"}, "size: is nothing that a column can be named for"),
    ],
)
def test_what_cannot_be_taken_names_the_columns(columns: tuple[str, ...], named: dict[str, Any], message: str) -> None:
    with pytest.raises(WhatifError, match=message):
        taken(*columns, **named)
