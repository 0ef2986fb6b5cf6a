"""The header line of a CSV tells how its fields are divided, for predictions, tables of YAML benchmarks and labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.benchmarks.from_yaml.settings import PictureTable
from whatif.benchmarks.from_yaml.table_rows import table_rows
from whatif.errors import WhatifError
from whatif.files.csv_reading import delimited_rows
from whatif.formats.prediction_files import read_predictions
from whatif.verification.label_files import read_label_file

# The header and a row of two fields, `a` and `Two, or; so`.
LAYOUTS = {
    "semicolons": 'question_id;response\na;"Two, or; so"\n',
    "tabs": "question_id\tresponse\na\tTwo, or; so\n",
    "a blank after the comma": 'question_id, response\na, "Two, or; so"\n',
    "a blank after the semicolon": 'question_id; response\r\na; "Two, or; so"\r\n',
    "a quoted header": '"question_id";"response"\n"a";"Two, or; so"\n',
    "empty lines before": '\n\r\nquestion_id;response\n\na;"Two, or; so"\n',
    "a mark of byte order": '\ufeffquestion_id;response\na;"Two, or; so"\n',
    "commas": 'question_id,response\na,"Two, or; so"\n',
}


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_reader_divides_fields_as_the_header_says(layout: str, tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", LAYOUTS[layout])
    assert [(one.question_id, one.response) for one in read_predictions(path)] == [("a", "Two, or; so")]
    settings = PictureTable(file=str(path), folder=str(tmp_path), picture="question_id", licence="CC0-1.0")
    assert table_rows(settings) == [{"question_id": "a", "response": "Two, or; so"}]
    (row,) = read_label_file(path, (), file="labels", kind="labels")
    assert row.fields == {"question_id": "a", "response": "Two, or; so"}


def test_what_is_between_quotes_in_the_header_divides_nothing() -> None:
    text = 'question_id;"response, as given, by the model"\na;b\n'
    assert list(delimited_rows(text))[1] == (2, ["a", "b"])


def test_blanks_belong_to_fields_where_the_header_has_none() -> None:
    assert list(delimited_rows("a,b\n1, 2\n"))[1] == (2, ["1", " 2"])


def test_a_tsv_has_tabs_unless_its_header_has_none(tmp_path: Path) -> None:
    for text in ("question_id\tresponse\tif, and, so\na\tb\tc\n", "question_id;response\na;b\n"):
        (found,) = read_predictions(written(tmp_path / "p.tsv", text))
        assert (found.question_id, found.response) == ("a", "b")


def test_another_number_of_fields_than_the_header_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", "question_id;response\na;b;c\n")
    with pytest.raises(WhatifError, match="line 2: has 3 fields; it needs 2: question_id, response"):
        read_predictions(path)


def test_a_cell_of_a_picture_table_that_a_spreadsheet_changed_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "picture;dogs\na.png;2\nb.png;#REF!\n")
    with pytest.raises(WhatifError, match=r"t\.csv: line 3: dogs holds the error #REF! of a spreadsheet; "):
        table_rows(PictureTable(file=str(path), folder=str(tmp_path), licence="CC0-1.0"))
