"""Losses of options: every form and container gives the same rows, and errors name file, row and field."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from tests.bad_inputs.outcome import refusal
from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.formats.prediction_fields import OptionLoss, Prediction
from whatif.formats.prediction_files import question_index, read_predictions

Rows = Sequence[Mapping[str, Any]]


def delimited(rows: Rows, delimiter: str) -> bytes:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, delimiter=delimiter)
    writer.writeheader()
    writer.writerows({name: json.dumps(v) if isinstance(v, list) else v for name, v in row.items()} for row in rows)
    return out.getvalue().encode()


def workbook(rows: Rows) -> bytes:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    book, out = openpyxl.Workbook(), io.BytesIO()
    assert book.active is not None
    book.active.append(columns)
    for row in rows:
        book.active.append([json.dumps(v) if isinstance(v := row.get(name), list) else v for name in columns])
    book.save(out)
    return out.getvalue()


CONTAINERS: dict[str, Callable[[Rows], bytes]] = {
    ".csv": lambda rows: delimited(rows, ","),
    ".tsv": lambda rows: delimited(rows, "\t"),
    ".json": lambda rows: json.dumps(rows).encode(),
    ".jsonl": lambda rows: "".join(json.dumps(row) + "\n" for row in rows).encode(),
    ".xlsx": workbook,
}

OPTIONS = [
    {"question_id": question, "option": option, "loss": loss, "tokens": tokens}
    for question, option, loss, tokens in [
        ("a", "A", 1.25, 2),
        ("b", "A", 3, 1),
        ("a", "B", 0.5, 3),
        ("b", "B", 2e-3, 4),
    ]
]
LISTS = [
    {"question_id": "a", "losses": [1.25, 0.5], "tokens": [2, 3]},
    {"question_id": "b", "losses": [3, 2e-3], "tokens": [1, 4]},
]
LETTERS = [
    {"question_id": "a", "loss_A": 1.25, "loss_B": 0.5, "tokens_A": 2, "tokens_B": 3},
    {"question_id": "b", "loss_A": 3, "loss_B": 2e-3, "tokens_A": 1, "tokens_B": 4},
]
SUMS = [
    {"question_id": "a", "total_losses": [2.5, 1.5], "tokens": [2, 3]},
    {"question_id": "b", "total_losses": [3, 8e-3], "tokens": [1, 4]},
]


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def values(predictions: Sequence[Prediction]) -> dict[str, list[tuple[float, float | None, int | None]]]:
    return {one.label: [(each.mean, each.total, each.tokens) for each in one.losses or ()] for one in predictions}


@pytest.mark.parametrize("suffix", list(CONTAINERS))
@pytest.mark.parametrize("rows", [OPTIONS, LISTS, LETTERS, SUMS], ids=["options", "lists", "letters", "sums"])
def test_every_form_in_every_container_gives_the_same_losses(tmp_path: Path, rows: Rows, suffix: str) -> None:
    found = read_predictions(written(tmp_path / f"p{suffix}", CONTAINERS[suffix](rows)))
    assert values(found) == {"a": [(1.25, 2.5, 2), (0.5, 1.5, 3)], "b": [(3.0, 3.0, 1), (2e-3, 8e-3, 4)]}
    assert [one.question_id for one in found] == ["a", "b"]
    named = [None, None] if "losses" in rows[0] or "total_losses" in rows[0] else ["A", "B"]
    assert [each.option for each in found[0].losses or ()] == named


@pytest.mark.parametrize("suffix", list(CONTAINERS))
def test_without_numbers_of_tokens_only_the_mean_is_known(tmp_path: Path, suffix: str) -> None:
    rows = [{"question_id": "a", "losses": [1.25, 0.0]}]
    (found,) = read_predictions(written(tmp_path / f"p{suffix}", CONTAINERS[suffix](rows)))
    assert [(each.mean, each.total, each.tokens) for each in found.losses or ()] == [
        (1.25, None, None),
        (0, None, None),
    ]


@pytest.mark.parametrize("suffix", list(CONTAINERS))
def test_a_question_may_have_fewer_options_than_another(tmp_path: Path, suffix: str) -> None:
    rows = [{"question_id": "a", "loss_A": 1, "loss_B": 2, "loss_C": 3}, {"question_id": "b", "loss_A": 4, "loss_B": 5}]
    found = read_predictions(written(tmp_path / f"p{suffix}", CONTAINERS[suffix](rows)))
    assert [[each.option for each in one.losses or ()] for one in found] == [["A", "B", "C"], ["A", "B"]]


def test_options_named_by_text_and_questions_by_index(tmp_path: Path) -> None:
    number = question_index("a-original")
    rows = [{"index": number, "option": 16.0, "loss": 1}, {"index": number, "option": " a, b ", "loss": 2}]
    for suffix in (".xlsx", ".json"):
        (found,) = read_predictions(written(tmp_path / f"p{suffix}", CONTAINERS[suffix](rows)))
        assert (found.index, [each.option for each in found.losses or ()]) == (number, ["16", "a, b"])
    zero = [{"index": 0, "losses": [1, 2]}, {"index": 1, "losses": [3, 4]}]
    found_zero = read_predictions(written(tmp_path / "z.jsonl", CONTAINERS[".jsonl"](zero)))
    assert [one.index for one in found_zero] == [0, 1]


def test_places_are_those_of_the_rows(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "question_id,option,loss\na,A,1\nb,A,2\na,B,-0\n")
    first, second = read_predictions(path)
    assert (first.place, second.place) == ("line 2", "line 3")
    assert first.losses == (OptionLoss("line 2", "A", 1.0), OptionLoss("line 4", "B", 0.0))
    assert str((first.losses or ())[1].mean) == "0.0", "a negative zero is no negative loss"


def test_a_file_with_responses_is_a_file_of_responses(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "question_id,response,loss\na,two,0.3\n")
    (found,) = read_predictions(path)
    assert (found.response, found.losses) == ("two", None)


@pytest.mark.parametrize("loss", ["nan", "NaN", "inf", "-inf", "1e999", "one", "1,5", "0x1p3", "1_000", "١", "--1"])
def test_a_loss_that_is_no_finite_number_is_refused(tmp_path: Path, loss: str) -> None:
    path = written(tmp_path / "p.csv", delimited([{"question_id": "a", "option": "A", "loss": loss}], ","))
    assert refusal(partial(read_predictions, path)) == f"{path}: line 2: loss is `{loss}`; it must be a finite number"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        # the form of the file
        ("p.csv", "option,loss\nA,1\n", "column `question_id` is missing; losses need `question_id` and"),
        ("p.csv", "question_id,loss\na,1\n", "column `option` is missing; beside `loss`, each row needs the letter"),
        ("p.csv", "question_id,option,loss,total_loss\na,A,1,2\n", "has columns `loss`, `total_loss`; keep"),
        ("p.csv", "question_id,losses,loss_A\na,[1],2\n", "has columns `losses`, `loss_A`; keep the losses in one"),
        # the question
        ("p.csv", "question_id,losses\n,[1]\n", "line 2: question_id is empty"),
        ("p.csv", "index,losses\nx,[1]\n", "line 2: index is `x`; it must be the whole number"),
        ("p.csv", 'question_id,losses\na,"[1, 2]"\na,"[1, 2]"\n', "line 3: a is already in line 2; give one row"),
        ("p.csv", 'question_id,losses\na,"[1, 2]"\na,"[1, 3]"\n', "line 3: a is already in line 2; give one row"),
        ("p.csv", "question_id,loss_A,loss_B\na,1,2\na,3,2\n", "line 3: a is already in line 2; give one row"),
        # the option
        ("p.csv", "question_id,option,loss\na, ,1\n", "line 2: option is empty"),
        ("p.csv", "question_id,option,loss\na,A,1\nb,A,1\na,A,1\n", "line 4: option `A` of a is already in line 2"),
        ("p.json", '[{"question_id": "a", "option": true, "loss": 1}]', "object 1: option is True; it must be text"),
        ("p.json", '[{"question_id": "a", "option": ["A"], "loss": 1}]', "object 1: option is ['A']; it must be text"),
        # the loss
        ("p.csv", "question_id,option,loss\na,A,-0.5\n", "line 2: loss is `-0.5`; a loss is a negative log-likelihood"),
        ("p.csv", "question_id,option,loss\na,A,\n", "line 2: loss is empty; each option needs its loss"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, NaN]}\n', "line 1: losses, number 2, is nan; it must be a"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, Infinity]}\n', "losses, number 2, is inf; it must be a finite"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, true]}\n', "losses, number 2, is True; it must be a finite"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, [2]]}\n', "losses, number 2, is a list; it must be a finite"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, {}]}\n', "losses, number 2, is an object; it must be a finite"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, null]}\n', "losses, number 2, is empty; each option needs"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, -2]}\n', "losses, number 2, is -2; a loss is a negative"),
        ("p.jsonl", f'{{"question_id": "a", "losses": [{"9" * 400}]}}\n', "losses, number 1, is 999"),
        ("p.jsonl", '{"question_id": "a", "losses": []}\n', "line 1: losses is a list; it must be a list with a"),
        ("p.jsonl", '{"question_id": "a", "losses": 1}\n', "line 1: losses is 1; it must be a list"),
        ("p.jsonl", '{"question_id": "a", "losses": {"A": 1}}\n', "line 1: losses is an object; it must be a list"),
        ("p.jsonl", '{"question_id": "a", "losses": [1]}\n{"question_id": "b"}\n', "line 2: losses is empty; it needs"),
        ("p.csv", "question_id,losses\na,1 2\n", "line 2: losses is `1 2`; it must be a list with a number for each"),
        ("p.csv", f"question_id,losses\na,{'[' * 50_000}\n", "line 2: losses is `[[["),
        ("p.csv", f"question_id,losses\na,[{'9' * 5_000}]\n", "line 2: losses is `[999"),
        ("p.csv", "question_id,loss_A,loss_B\na,,\n", "line 2: loss_A is empty"),
        ("p.csv", "question_id,loss_A,loss_B\na,1,x\n", "line 2: loss_B is `x`; it must be a finite number"),
        ("p.xlsx", workbook([{"question_id": "a", "loss_A": 1, "loss_B": True}]), "row 2: loss_B is True; it must be"),
        # the number of tokens
        ("p.csv", "question_id,option,loss,tokens\na,A,1,0\n", "line 2: loss has `0` tokens; it must be a whole"),
        ("p.csv", "question_id,option,loss,tokens\na,A,1,1.5\n", "line 2: loss has `1.5` tokens; it must be a whole"),
        ("p.csv", "question_id,option,loss,tokens\na,A,1,2147483648\n", "line 2: loss has `2147483648` tokens"),
        ("p.jsonl", '{"question_id": "a", "losses": [1], "tokens": [true]}\n', "losses, number 1, has True tokens"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, 2], "tokens": [3]}\n', "has 2 losses and 1 tokens; give one"),
        ("p.jsonl", '{"question_id": "a", "losses": [1, 2], "tokens": [3, null]}\n', "tokens of some options only"),
        ("p.csv", "question_id,option,loss,tokens\na,A,1,2\na,B,1,\n", "line 3: a has the number of tokens of some"),
        ("p.csv", "question_id,option,total_loss\na,A,1\n", "line 2: total_loss is a sum; it needs the number of"),
        ("p.csv", "question_id,option,loss,tokens\na,A,1e308,9\n", "line 2: loss is 1e+308 for 9 tokens; the sum must"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, name: str, text: str | bytes, message: str) -> None:
    path = written(tmp_path / name, text)
    line = refusal(partial(read_predictions, path))
    assert line.startswith(f"{path}: ") and message in line, line


def test_text_of_a_file_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    for text in ("question_id,option,loss\na,A,\x1b[2J\n", "question_id,losses\na,\x1b[2J\n"):
        path = written(tmp_path / "p.csv", text)
        assert "`?[2J`" in refusal(partial(read_predictions, path))
    path = written(tmp_path / "q.csv", "question_id,option,loss\n\x1b[2J,\x1b[3J,1\n\x1b[2J,\x1b[3J,1\n")
    assert "option `?[3J` of ?[2J is already in line 2" in refusal(partial(read_predictions, path))


def test_a_list_nested_almost_too_deep_is_refused_like_any_other(tmp_path: Path) -> None:
    for depth in (100, 500, 900, 980, 2_000):
        nested = "[" * depth + "]" * depth
        path = written(tmp_path / "p.jsonl", f'{{"question_id": "a", "losses": {nested}}}\n')
        refusal(partial(read_predictions, path))


def test_one_question_with_very_many_options_is_read_in_linear_time(tmp_path: Path) -> None:
    rows = "".join(f"a,option {number},1\n" for number in range(50_000))
    (found,) = read_predictions(written(tmp_path / "p.csv", "question_id,option,loss\n" + rows))
    assert len(found.losses or ()) == 50_000


VALUES = [
    *("", "nan", "1", "-1", "0", "1e400", "[1]", "[1, 2]", '{"A": 1}', "[[1]]", "A", "B", "a", "\x1b", "é", "1.5", '"'),
    ",",
]


def test_any_change_of_a_good_file_is_read_or_refused_in_one_line(tmp_path: Path) -> None:
    """Random cells are replaced: nothing but a WhatifError is raised, and what is read is a finite loss."""
    generator, read = stream(0, "option-losses"), 0
    for number in range(1_000):
        rows: list[dict[str, Any]] = [dict(row) for row in (OPTIONS, LISTS, LETTERS, SUMS)[number % 4]]
        for _ in range(generator.integers(3)):
            row = rows[generator.integers(len(rows))]
            name = [*row, "loss_C", "option", "index"][generator.integers(len(row) + 3)]
            row[name] = VALUES[generator.integers(len(VALUES))]
        suffix = list(CONTAINERS)[generator.integers(4)]
        path = written(tmp_path / f"p{suffix}", CONTAINERS[suffix](rows))
        try:
            found = read_predictions(path)
        except WhatifError as error:
            assert str(error).startswith(f"{path}: ") and str(error).isprintable()
            continue
        read += 1
        for one in found:
            assert one.losses and all(np.isfinite(each.mean) and each.mean >= 0 for each in one.losses)
            assert len({each.tokens is None for each in one.losses}) == 1
    assert 300 < read < 900
