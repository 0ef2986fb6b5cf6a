"""Cells that a spreadsheet changed are named by every reader of tables, in workbooks that openpyxl wrote."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

from whatif.engine.errors import WhatifError
from whatif.formats.benchmark_files import read_benchmark_file
from whatif.formats.cfmm_items import read_items
from whatif.formats.mucr_pairs import read_pairs
from whatif.formats.prediction_files import read_predictions
from whatif.people.imports.records import read_records as read_labels
from whatif.people.label_files import read_label_file
from whatif.results.auditing.benchmark import read_benchmark

LONG = "So there are two. " * 2000
EMOJI = "😀 two dogs " * 3000


class Typed:
    """A value with openpyxl's type of the cell."""

    def __init__(self, value: Any, kind: str) -> None:
        self.value, self.kind = value, kind


def units(text: str, most: int) -> str:
    """The first units of UTF-16 of a text."""
    return text.encode("utf-16-le")[: 2 * most].decode("utf-16-le", "ignore")


def workbook(path: Path, *rows: Sequence[Any]) -> Path:
    book = openpyxl.Workbook()
    for place, row in enumerate(rows, 1):
        for column, value in enumerate(row, 1):
            cell = book.active.cell(place, column)
            cell.value = value.value if isinstance(value, Typed) else value
            if isinstance(value, Typed):
                cell.data_type = value.kind
                cell.quotePrefix = value.kind == "s"
    book.save(path)
    return path


def table(path: Path, *rows: Sequence[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows(rows)
    return path


CUT = "is cut at 32,767 characters, the most that a cell can hold"
SHEET_DAMAGE: list[tuple[Any, str]] = [
    *((Typed(name, "e"), f"holds the error {name} of a spreadsheet") for name in ("#REF!", "#BLOCKED!", "#NEW_ONE?")),
    ("=1+1", "is a formula (=1+1)"),
    (ArrayFormula("B2:B3", "=SUM(C2:C3)"), "is a formula (=SUM(C2:C3))"),
    (DataTableFormula("B2:B3", r1="C2"), "is a formula"),
    (datetime(2024, 3, 1), "is a date or time (2024-03-01 00:00:00), made by a spreadsheet of something else"),
    (time(0, 0), "is a date or time (00:00:00), made by a spreadsheet of something else"),
    (timedelta(hours=30), "is a date or time (1 day, 6:00:00), made by a spreadsheet of something else"),
    (LONG[:32_767], CUT),
    (units(EMOJI, 32_767), CUT),
]
TEXT_DAMAGE = [
    *((name, f"holds the error {name} of a spreadsheet") for name in ("#WERT!", "#NOM?", "#¿NOMBRE?", "#NV", "#####")),
    *((name, f"holds the error {name} of a spreadsheet") for name in ("#REF!", "#BLOCKED!", "#GETTING_DATA", "#N/A")),
    *((name, f"holds the error {name} of a spreadsheet") for name in ("#NAME?", "#ERROR!", "Err:508")),
    (LONG[:32_767], CUT),
    (units(EMOJI, 32_767), CUT),
]
WHOLE = [
    *(Typed(text, "s") for text in ("=1+1", "={1;2}", "=HYPERLINK(1)")),
    *(
        "#REF",
        "It is #REF!",
        "#5",
        "#1!",
        "2024-04-03",
        "3:30",
        "It is 12:30:00.",
        LONG[:32_766],
        units(EMOJI, 32_766),
        LONG,
        17,
        "17",
    ),
]


@pytest.mark.parametrize(("value", "what"), SHEET_DAMAGE)
def test_a_response_that_a_workbook_changed_is_named_with_row_and_column(value: Any, what: str, tmp_path: Path) -> None:
    for column in ("response", "prediction"):
        rows = (["question_id", column], ["a", value], ["b", "2"])
        first, second = read_predictions(workbook(tmp_path / f"{column}.xlsx", *rows))
        assert (first.response, first.place, first.failure) == ("", "row 2", f"{column} {what}")
        assert (second.response, second.failure) == ("2", None)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize(("value", "what"), TEXT_DAMAGE)
def test_a_response_in_a_text_that_a_spreadsheet_saved(value: str, what: str, suffix: str, tmp_path: Path) -> None:
    rows = (["question_id", "response"], ["a", "2"], ["b", value])
    first, second = read_predictions(table(tmp_path / f"p{suffix}", *rows))
    assert (first.failure, second.place, second.failure) == (None, "line 3", f"response {what}")


@pytest.mark.parametrize("value", WHOLE)
def test_what_is_whole_stays_a_response(value: Any, tmp_path: Path) -> None:
    text = str(value.value if isinstance(value, Typed) else value)
    sheet = text if len(text) <= 32_767 else "too long for a cell"
    rows = (["question_id", "response"], ["a", Typed(sheet, "s") if isinstance(value, Typed) else sheet])
    for path in (
        workbook(tmp_path / "p.xlsx", *rows),
        table(tmp_path / "p.csv", ["question_id", "response"], ["a", text]),
    ):
        (found,) = read_predictions(path)
        assert (found.response, found.failure) == (sheet if path.suffix == ".xlsx" else text, None)


# What reads a workbook: columns, a good row, the column that is damaged in a second one, and the reader.
ITEM = ["1", "9.jpg", "count", "How many?", "2", "And if?", "3"]
ITEM_COLUMNS = [
    *("id", "image", "category", "basic question", "basic answer", "counterfactual question", "counterfactual answer")
]
READERS: list[tuple[list[str], list[str], str, Callable[[Path], object]]] = [
    (["question_id", "response"], ["a", "2"], "question_id", read_predictions),
    (["index", "prediction"], ["7", "2"], "index", read_predictions),
    (["question_id", "response", "code"], ["a", "2", "f()"], "code", read_predictions),
    (["question_id", "option", "loss"], ["a", "A", "1.5"], "loss", read_predictions),
    (["question", "A", "B", "answer"], ["How?", "so", "not", "A"], "B", read_benchmark),
    (["question", "A", "B", "answer"], ["How?", "so", "not", "A"], "question", read_benchmark),
    (["index", "image", "question", "A", "B", "answer"], ["1", "x", "How?", "so", "not", "A"], "B", read_benchmark),
    (ITEM_COLUMNS, ITEM, "basic answer", read_items),
    (["id", "cause", "effect", "cue"], ["a", "b", "c", "d"], "effect", read_pairs),
]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("value", [Typed("#FIELD!", "e"), "=1+1", datetime(2024, 3, 1), units(EMOJI, 32_767)])
def test_every_reader_of_workbooks_names_row_and_column(
    reader: tuple[list[str], list[str], str, Callable[[Path], object]], value: Any, tmp_path: Path
) -> None:
    columns, good, column, read = reader
    bad = [value if name == column else f"{cell}" for name, cell in zip(columns, good, strict=True)]
    path = workbook(tmp_path / "t.xlsx", columns, good, bad)
    with pytest.raises(WhatifError) as error:
        read(path)
    assert str(error.value).startswith(f"{path}: row 3: {column} ") and "\n" not in str(error.value)
    assert str(error.value).endswith(("; format the column as text and enter the text again", "; give the whole text"))


@pytest.mark.parametrize(("value", "what"), TEXT_DAMAGE)
def test_labels_that_a_spreadsheet_changed_are_named(value: str, what: str, tmp_path: Path) -> None:
    path = table(tmp_path / "l.csv", ["Item_id", "Decision"], ["a", "yes"], ["b", value])
    for read in (
        lambda: read_label_file(path, (), file="labels", kind="labels"),
        lambda: read_labels(path, "l", "labels"),
    ):
        with pytest.raises(WhatifError) as error:
            read()
        assert str(error.value).startswith(f"{path}: line 3: decision {what}; ")


def test_a_column_that_is_not_read_may_be_damaged_and_is_written_as_it_was(tmp_path: Path) -> None:
    columns, notes = ["question", "A", "B", "answer", "notes"], ["=1+1", Typed("#REF!", "e"), "fine"]
    rows = [[f"Which is {place}?", "so", "not", "AB"[place % 2], note] for place, note in enumerate(notes)]
    path = workbook(tmp_path / "t.xlsx", columns, *rows)
    read_benchmark(path)
    read_benchmark_file(path).write([0, 1], tmp_path / "kept.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "kept.xlsx").active
    assert [(cell.value, cell.data_type) for cell in sheet["E"][1:]] == [("=1+1", "f"), ("#REF!", "e")]
    found = read_predictions(workbook(tmp_path / "p.xlsx", ["index", "prediction", "notes"], [7, "2", "=1+1"]))
    assert [(one.index, one.response, one.failure) for one in found] == [(7, "2", None)]


def test_a_percentage_is_damage_and_control_characters_of_xml_are_undone(tmp_path: Path) -> None:
    path = workbook(tmp_path / "p.xlsx", ["question_id", "response"], ["a", 0.5], ["b", 0.5], ["c", "Yes_x000D_"])
    book = openpyxl.load_workbook(path)
    book.active["B2"].number_format = "0%"
    book.save(path)
    found = {one.question_id: (one.response, one.failure) for one in read_predictions(path)}
    assert found["a"][1] == "response is 0.5, which is shown as a percentage"
    assert (found["b"], found["c"]) == (("0.5", None), ("Yes\r", None))


@pytest.mark.parametrize(
    "text", ["2024-04-03 00:00:00", "12:30:00", "1 day, 6:00:00", "0 days 00:03:00", "2024-04-03T00:00:00Z"]
)
def test_a_time_that_another_program_wrote_for_a_cell_is_no_response(text: str, tmp_path: Path) -> None:
    rows = ["question_id", "response"], ["a", text], ["b", "3:30"]
    for name in ("p.csv", "p.tsv"):
        said, other = read_predictions(table(tmp_path / name, *rows))
        assert said.failure == f"response is {text}, a date or time that a spreadsheet made of something else"
        assert other.failure is None
