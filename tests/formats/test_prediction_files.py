"""Predictions made elsewhere: every format gives the same rows, and errors are reported in one line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.files import inputs
from whatif.formats.prediction_fields import Prediction
from whatif.formats.prediction_files import question_index, read_predictions
from whatif.formats.table_records import column_names

RELEASED = "img_path,query,answer,new query,new answer,type"


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def workbook(path: Path, *rows: Sequence[Any]) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def lines(*objects: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def by_id(predictions: Sequence[Prediction]) -> dict[str | None, str]:
    return {one.question_id: one.response for one in predictions}


def error_of(path: Path, response_columns: Sequence[str] | None = None) -> str:
    with pytest.raises(WhatifError) as error:
        read_predictions(path, response_columns)
    message = str(error.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'question_id,response\na-original,"Two, or\nso"\na-counterfactual,\n'),
        ("bom.csv", '\ufeffquestion_id,response\r\na-original,"Two, or\nso"\r\na-counterfactual,\r\n'),
        ("more.csv", 'model,response,question_id\nm,"Two, or\nso",a-original\nm,,a-counterfactual\n'),
        ("a.tsv", 'question_id\tresponse\na-original\t"Two, or\nso"\na-counterfactual\t\n'),
        (
            "a.jsonl",
            lines(
                {"question_id": "a-original", "response": "Two, or\nso"},
                {"question_id": "a-counterfactual", "response": None},
            ),
        ),
    ],
)
def test_plain_files(tmp_path: Path, name: str, text: str) -> None:
    found = read_predictions(written(tmp_path / name, text))
    assert by_id(found) == {"a-original": "Two, or\nso", "a-counterfactual": ""}


def test_c_vqa_responses(tmp_path: Path) -> None:
    row = "val/COCO_val2014_000000000042.jpg,How many?,2,What if?,0,direct"
    path = written(tmp_path / "r.csv", f"{RELEASED},response,new response\n{row},Two.,None\n")
    original, counterfactual = read_predictions(path)
    assert (original.picture, original.question, original.variant, original.row, original.response) == (
        "COCO_val2014_000000000042",
        *("How many?", "original", 1, "Two."),
    )
    assert (counterfactual.question, counterfactual.variant, counterfactual.response) == (
        "What if?",
        "counterfactual",
        "None",
    )
    path = written(tmp_path / "named.csv", f"{RELEASED},out,new out\n{row},a,b\n")
    assert [one.response for one in read_predictions(path, ["out", "new out"])] == ["a", "b"]
    message = error_of(path)
    assert message.startswith("column `response` is missing") and "`out`, `new out`" in message


def test_vlmevalkit_predictions(tmp_path: Path) -> None:
    header = ("index", "question", "answer", "prediction")
    number = question_index("a-original")
    paths = [
        workbook(tmp_path / "p.xlsx", header, (number, "How many?", "2", "1+1=2"), (7, "What if?", "0", 17.0)),
        written(tmp_path / "p.tsv", f"{'	'.join(header)}\n{number}\tHow many?\t2\t1+1=2\n7\tWhat if?\t0\t17\n"),
        written(
            tmp_path / "p.json",
            json.dumps([{"index": number, "prediction": "1+1=2"}, {"index": 7.0, "prediction": 17}]),
        ),
    ]
    for path in paths:
        found = read_predictions(path)
        assert [(one.index, one.response) for one in found] == [(number, "1+1=2"), (7, "17")], path
    named = workbook(tmp_path / "n.xlsx", (*header, "question_id"), (number, "How many?", "2", None, "a-original"))
    assert by_id(read_predictions(named)) == {"a-original": ""}
    nan = written(tmp_path / "nan.json", '[{"index": 1, "prediction": NaN}]')
    assert read_predictions(nan)[0].response == ""


def test_indices_stay_whole_in_a_spreadsheet_and_differ() -> None:
    indices = [question_index(f"{number:04d}-original") for number in range(20_000)]
    assert len(set(indices)) == len(indices)
    assert all(index == int(float(index)) and len(str(index)) <= 12 for index in indices)


def test_lmms_eval_samples(tmp_path: Path) -> None:
    text = lines(
        {"doc_id": 0, "doc": {"question_id": "a"}, "resps": [["long"]], "filtered_resps": ["Two"]},
        {"doc_id": 1, "doc": {"question_id": "b"}, "resps": [["Yes"]]},
        {"doc_id": 2, "doc": {"question_id": "c"}, "resps": [[""]], "filtered_resps": [[""]]},
        {"doc_id": 3, "filtered_resps": "No", "accuracy_original": {"question_id": "d", "score": 1.0}},
        {"doc_id": 4, "doc": {"question_id": "e"}, "filtered_resps": []},
    )
    found = read_predictions(written(tmp_path / "m_samples_whatif.jsonl", text))
    assert by_id(found) == {"a": "Two", "b": "Yes", "c": "", "d": "No", "e": ""}


def test_what_lmms_eval_0_7_logs() -> None:
    """A line as lmms-eval wrote it for an exported task: it has no `doc`, and the response is not a list."""
    path = Path(__file__).parent / "lmms_eval_samples.jsonl"
    assert by_id(read_predictions(path)) == {"pair-000-counterfactual": "A", "pair-000-original": "A"}


def test_long_answers_are_read_whole_and_the_limit_of_csv_is_left_as_it_was(tmp_path: Path) -> None:
    import csv

    limit = csv.field_size_limit()
    for length in (100_000, 1_000_000):
        found = read_predictions(written(tmp_path / "l.csv", f"question_id,response\na,{'x' * length}\n"))
        assert len(found[0].response) == length
    assert csv.field_size_limit() == limit


def test_columns_that_do_not_belong(tmp_path: Path) -> None:
    plain = written(tmp_path / "p.csv", "question_id,response\na,b\n")
    assert error_of(plain, ["x", "y"]).startswith("`response_columns` is for files with the columns img_path")


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    """Our files are UTF-8, which cannot represent a lone surrogate."""
    plain = written(tmp_path / "p.jsonl", '{"question_id": "a", "response": "yes \\ud83d"}\n')
    samples = written(tmp_path / "s.jsonl", '{"doc_id": 0, "doc": {"question_id": "a"}, "resps": [["yes \\ud83d"]]}\n')
    for path in (plain, samples):
        assert by_id(read_predictions(path)) == {"a": "yes \ufffd"}


def test_null_and_empty_are_told_apart_and_an_absent_response_is_an_error(tmp_path: Path) -> None:
    objects = [{"question_id": "a", "response": ""}, {"question_id": "b", "response": None}]
    found = read_predictions(written(tmp_path / "p.jsonl", lines(*objects)))
    assert [(one.response, one.is_null) for one in found] == [("", False), ("", True)]
    message = error_of(written(tmp_path / "q.jsonl", lines(*objects, {"question_id": "c"})))
    assert message.startswith("line 3: has no `response`")


def test_the_authors_columns_and_those_that_are_no_responses(tmp_path: Path) -> None:
    row = "42.jpg,How many?,2,What if?,0,direct"
    path = written(tmp_path / "r.csv", f"{RELEASED},response,new_response\n{row},Two.,None\n")
    assert [one.response for one in read_predictions(path)] == ["Two.", "None"]
    for columns in (["response", "response"], ["response", "new query"]):
        assert error_of(path, columns).startswith(f"response_columns are {', '.join(columns)}; name two columns")


def test_ids_are_stripped_indices_may_be_floats_and_two_formats_are_refused(tmp_path: Path) -> None:
    assert by_id(read_predictions(written(tmp_path / "p.csv", "question_id,response\n a ,b\n"))) == {"a": "b"}
    floats = written(tmp_path / "f.csv", "index,prediction\n48410016362.0,b\n")
    assert read_predictions(floats)[0].index == 48410016362
    both = written(tmp_path / "b.csv", "question_id,response,prediction\na,b,c\n")
    assert error_of(both) == "has columns `response` and `prediction`; keep the one with the model's responses"


class Compared(str):
    """A text that counts how often it is compared."""

    number = 0

    def __eq__(self, other: object) -> bool:
        Compared.number += 1
        return super().__eq__(other)

    __hash__ = str.__hash__

    def __str__(self) -> str:
        return self


def test_the_names_of_many_columns_are_compared_a_few_times_each() -> None:
    names = [Compared(f"column {place}") for place in range(2000)]
    columns = column_names(Path("wide.csv"), names)
    assert Compared.number < 10 * len(names) and columns == names
    with pytest.raises(WhatifError, match="column `column 7` is duplicated"):
        column_names(Path("wide.csv"), [*names, names[7]])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv.gz", "question_id;response\na;Two.\n"),
        ("p.tsv.gz", "question_id\tresponse\na\tTwo.\n"),
        ("p.JSON.GZ", '[{"question_id": "a", "response": "Two."}]'),
        ("p.jsonl.gz", '{"question_id": "a", "response": "Two."}\n'),
    ],
)
def test_compressed_files_are_unpacked_and_damaged_ones_are_named(name: str, text: str, tmp_path: Path) -> None:
    packed = gzip.compress(text.encode())
    assert by_id(read_predictions(written(tmp_path / name, packed))) == {"a": "Two."}
    for damaged in (packed[:-6], packed[:10], text.encode(), packed[:-8] + bytes(8), packed[:12] + b"\xff" * 20):
        message = error_of(written(tmp_path / name, damaged))
        assert message.startswith("cannot be read (it is not a complete gzip file: ")


@pytest.mark.parametrize("name", ["p.json.gz", "p.jsonl.gz"])
def test_a_file_that_unpacks_to_more_than_can_be_read_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LARGEST_UNPACKED", 3_000_000)
    row = b'{"question_id": "a", "response": "b"}\n'
    bomb = written(tmp_path / name, gzip.compress(row * 100_000 if "jsonl" in name else b" " * 4_000_000))
    assert error_of(bomb).startswith("cannot be read (it unpacks to more than 3,000,000 bytes)")


def test_a_json_object_has_a_response_for_each_question_id(tmp_path: Path) -> None:
    path = written(tmp_path / "p.json", '{"a-original": "Two.", "a-counterfactual": ""}')
    assert by_id(read_predictions(path)) == {"a-original": "Two.", "a-counterfactual": ""}
    twice = error_of(written(tmp_path / "twice.json", '{"a": "1", "b": "2", "a": "3"}'))
    assert twice.startswith("entry 3: a is already in entry 1")
    for text in ('{"a": "1", "b": null}', '{"a": {"response": "1"}}', "{}"):
        message = error_of(written(tmp_path / "other.json", text))
        assert message.endswith(
            "it needs a list of objects, one for each row, or an object with a text for each question_id"
        )


def test_an_object_of_responses_with_something_else_names_its_key(tmp_path: Path) -> None:
    message = error_of(written(tmp_path / "p.json", '{"q": "3", "r": null}'))
    assert message.startswith("holds an object whose `r` is null; it needs a list of objects")
