"""Bad rows of a released file are rejected with their lines and reasons, and all other rows are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.formats.test_c_vqa import BOOLEAN_ROW, COUNTERFACTUAL, HEADER, ORIGINAL, REAL_ROW, SYNTHETIC_ROW, written
from whatif.errors import WhatifError
from whatif.formats.c_vqa import SYNTHETIC_GROUPS, read_good_rows, read_released

ANOTHER = SYNTHETIC_ROW.replace("puzzle_1", "puzzle_2")
BAD_ROWS = {
    "number of fields": ("puzzle_9.png,How many?,2", "has 3 fields"),
    "empty field": (ANOTHER.replace("puzzle_2.png", " "), "img_path is empty"),
    "unknown type": (ANOTHER.replace("counting_4", "counting_7"), "type `abs_counting_7` is unknown"),
    "unreadable options": (ANOTHER.replace("  D:9", ""), "new query has no readable option list"),
    "repeated option": (ANOTHER.replace("B:11", "B:7"), "new query gives an option twice (7, 7, 3, 9)"),
    "unknown answer": (ANOTHER.replace(",C,", ",E,"), "answer is `E`"),
    "duplicate": (SYNTHETIC_ROW, "img_path `puzzle_1.png` is already used in line 2"),
    "other type": (BOOLEAN_ROW, "type is `boolean`, not one of abs_counting_1"),
}


@pytest.mark.parametrize("reason", BAD_ROWS)
def test_a_bad_row_is_rejected_with_its_line_and_the_others_are_read(tmp_path: Path, reason: str) -> None:
    bad, detail = BAD_ROWS[reason]
    path = written(tmp_path, SYNTHETIC_ROW, bad, ANOTHER)
    released = read_good_rows(path, SYNTHETIC_GROUPS)
    assert [row["pair_id"] for row in released.questions] == ["puzzle_1"] * 2 + ["puzzle_2"] * 2
    (rejection,) = released.rejections
    assert (rejection["item_id"], rejection["reason"]) == ("line-000003", reason)
    assert rejection["detail"].startswith(detail) and str(path) not in rejection["detail"]


def test_the_image_of_a_rejected_row_may_be_used_again(tmp_path: Path) -> None:
    path = written(tmp_path, SYNTHETIC_ROW.replace(",C,", ",E,"), SYNTHETIC_ROW)
    released = read_good_rows(path)
    assert [row["reason"] for row in released.rejections] == ["unknown answer"]
    assert len(released.questions) == 2


def test_a_good_file_is_read_as_by_the_strict_reader(tmp_path: Path) -> None:
    path = written(tmp_path, SYNTHETIC_ROW, REAL_ROW, BOOLEAN_ROW)
    released = read_good_rows(path)
    assert (released.questions, released.rejections) == (read_released(path), [])


def test_a_file_without_rows_has_no_questions(tmp_path: Path) -> None:
    assert read_good_rows(written(tmp_path)).questions == []


@pytest.mark.parametrize(
    ("header", "rows", "message"),
    [
        (HEADER.replace("type", "kind"), (SYNTHETIC_ROW,), "line 1: column `type` is missing"),
        (HEADER, (SYNTHETIC_ROW, f'puzzle_2.png,"{ORIGINAL},C,{COUNTERFACTUAL}'), "line 3: is not CSV"),
    ],
)
def test_a_file_that_is_no_released_file_is_an_error(
    tmp_path: Path, header: str, rows: tuple[str, ...], message: str
) -> None:
    with pytest.raises(WhatifError, match=message):
        read_good_rows(written(tmp_path, *rows, header=header))
