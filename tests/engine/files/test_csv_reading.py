"""The header line of a CSV tells how its fields are divided, for predictions, tables of YAML benchmarks and labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatif.benchmarks.from_yaml.settings import PictureTable
from whatif.benchmarks.from_yaml.table_rows import table_rows
from whatif.engine.errors import WhatifError
from whatif.engine.files.cells import Damage
from whatif.engine.files.csv_reading import delimited_rows
from whatif.formats.prediction_files import read_predictions
from whatif.people.label_files import read_label_file

# The header and a row of two fields, `a` and `Two, or; so`.
LAYOUTS = {
    "semicolons": 'question_id;response\na;"Two, or; so"\n',
    "tabs": "question_id\tresponse\na\tTwo, or; so\n",
    "a blank after the comma": 'question_id, response\na, "Two, or; so"\n',
    "a blank after the semicolon": 'question_id; response\r\na; "Two, or; so"\r\n',
    "a quoted header": '"question_id";"response"\n"a";"Two, or; so"\n',
    "empty lines before": '\n\r\nquestion_id;response\n\na;"Two, or; so"\n',
    "a mark of byte order": '\ufeffquestion_id;response\na;"Two, or; so"\n',
    "a line that tells the delimiter": 'sep=;\nquestion_id;response\na;"Two, or; so"\n',
    "a line that tells another one": "sep=|\r\nquestion_id|response\r\na|Two, or; so\r\n",
    "the same line saved as a row": '"sep=;",\nquestion_id;response\na;"Two, or; so"\n',
    "the same line after a mark of byte order": "\ufeffSEP=\t\nquestion_id\tresponse\na\tTwo, or; so\n",
    "blanks around names": ' question_id ;\tresponse  \na;"Two, or; so"\n',
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


def test_lines_are_counted_from_the_line_that_tells_the_delimiter() -> None:
    assert list(delimited_rows("sep=;\na;b\n1;2\n")) == [(2, ["a", "b"]), (3, ["1", "2"])]


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


NUMBERS = {  # the cells of two columns, the delimiter -> their values; a text is the end of why they cannot be read
    "points": (("1", "2"), ("0.5", "-1.25e1"), ",", (1, 2), (0.5, -12.5)),
    "decimal commas": (("1,5", "12"), ("a", "b"), ";", (1.5, 12.0), ("a", "b")),
    "groups beside a decimal point": (("1,234", "12"), ("0.5", "2"), ",", (1234, 12), (0.5, 2.0)),
    "groups beside a decimal comma": (("1.234", "12"), ("0,5", "2"), ";", (1234, 12), (0.5, 2.0)),
    "both marks in a cell": (("1.234,5", "1.000"), ("1", "2"), ";", (1234.5, 1000.0), (1, 2)),
    "several groups": (("1,234,567", "1,000"), ("12,34,567", "1"), ",", (1234567, 1000), (1234567, 1)),
    "groups with blanks": (("1 234,5", "1\xa0000"), ("1\u202f234", "1"), ";", (1234.5, 1000.0), (1234, 1)),
    "groups with apostrophes": (("1'234.5", "1’000"), ("1", "2"), ",", (1234.5, 1000.0), (1, 2)),
    "a minus sign": (("−1,5", "2"), ("1", "2"), ";", (-1.5, 2.0), (1, 2)),
    "a point between commas": (("1.234", "2.345"), ("1", "2"), ",", (1.234, 2.345), (1, 2)),
    "a group or a decimal comma": (("1,234", "2,345"), ("1", "2"), ",", "1,234, which can be 1234 or 1.234", (1, 2)),
    "a group or a decimal point": (("1.234", "2.345"), ("1", "2"), ";", "1.234, which can be 1.234 or 1234", (1, 2)),
    "two marks in a column": (("1,5", "2.5"), ("1", "2"), ";", "has 2.5 and 1,5; use one decimal mark", (1, 2)),
    "two marks in a file": (("1,5", "2"), ("2.5", "2"), ",", "has 1,5, but another column has", (2.5, 2.0)),
    "versions and dates": (
        ("1.2.3", "1.2"),
        ("1.5.2024", "3.12.2024"),
        ";",
        ("1.2.3", "1.2"),
        ("1.5.2024", "3.12.2024"),
    ),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_of_a_picture_table_are_read_as_the_file_writes_them(case: str, tmp_path: Path) -> None:
    *columns, delimiter, price, other = NUMBERS[case]
    lines = [
        ("picture", "price", "other"),
        *((f"{n}.png", *cells) for n, cells in enumerate(zip(*columns, strict=True))),
    ]
    text = "".join(delimiter.join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    path = written(tmp_path / "t.csv", text)
    settings = PictureTable(file=str(path), folder=str(tmp_path), licence="CC0-1.0")
    rows = table_rows(settings)
    for name, wanted in (("price", price), ("other", other)):
        found = [row[name] for row in rows]
        if isinstance(wanted, str):
            assert all(isinstance(cell, Damage) and wanted in cell.what for cell in found), found
        else:
            assert (found, [type(cell) for cell in found]) == (list(wanted), [type(cell) for cell in wanted])
    texts = [row["price"] for row in table_rows(settings.model_copy(update={"text": ["price"]}))]
    assert texts == list(columns[0])


def test_a_cell_of_a_picture_table_that_a_spreadsheet_changed_stops_no_other(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", "picture;dogs\na.png;2\nb.png;#REF!\n")
    rows = table_rows(PictureTable(file=str(path), folder=str(tmp_path), licence="CC0-1.0"))
    assert [row["picture"] for row in rows] == ["a.png", "b.png"] and rows[0]["dogs"] == 2
    assert rows[1]["dogs"].what == "holds the error #REF! of a spreadsheet"
