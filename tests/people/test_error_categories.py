"""The sample of errors and its categories."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest

from tests.people.pairs import Pictures, pair, pictures
from whatif.engine.errors import WhatifError
from whatif.people.error_categories import CATEGORIES, read_error_categories, sample_errors, write_error_sample
from whatif.results.reporting.published_numbers import published

ERRORS = [f"pair-{number:03d}-{side}" for number in range(150) for side in (0, 1)]


def test_categories_are_those_of_the_paper() -> None:
    assert set(CATEGORIES) == {
        row["error_category"] for row in published("whatif.benchmarks.coco_counterfactuals", "table7")
    }


def test_the_sample_depends_on_seed_and_ids_alone() -> None:
    sample = sample_errors(ERRORS, seed=3)
    assert len(sample) == 100 and sample == sorted(sample)
    assert sample_errors(ERRORS[::-1], seed=3) == sample != sample_errors(ERRORS, seed=4)
    lost = sample_errors([item for item in ERRORS if item != sample[0]], seed=3)
    assert set(sample[1:]) < set(lost) and len(lost) == 100
    assert sample_errors(ERRORS[:7], seed=3) == sorted(ERRORS[:7])


def test_the_sample_is_written_to_be_filled_in(tmp_path: Path) -> None:
    rows = [pair(number, caption_1="=x") for number in range(150)]
    images = Pictures(pictures(range(150)))
    sample = sample_errors(ERRORS, seed=3, size=8)
    write_error_sample(sample, rows, dict.fromkeys(sample, "neither"), images, tmp_path)
    data = (tmp_path / "errors.csv").read_bytes()
    filled = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert all((tmp_path / row["image"]).is_file() for row in filled)
    assert (tmp_path / "categories.txt").read_text(encoding="utf-8").splitlines() == list(CATEGORIES)
    instructions = (tmp_path / "instructions.txt").read_text(encoding="utf-8")
    assert [line for line in instructions.splitlines() if line in CATEGORIES] == list(CATEGORIES)
    assert all(f"\n{column} " in instructions for column in filled[0] if column != "category")
    with pytest.raises(WhatifError, match="may contain categories"):
        write_error_sample(sample, rows, dict.fromkeys(sample, "neither"), images, tmp_path)
    with pytest.raises(WhatifError, match="there are no errors to sort into categories"):
        write_error_sample([], rows, {}, images, tmp_path / "none")
    with pytest.raises(WhatifError, match="pair pair-1 is not in the table"):
        write_error_sample(["pair-1-0"], rows, {}, images, tmp_path / "none")
    assert [row["item_id"] for row in filled] == sample
    for row, category in zip(filled, CATEGORIES, strict=True):
        assert {row["caption"], row["other_caption"]} == {f"A man on horse {int(row['item_id'][5:8])}", "'=x"}
        row["category"] = f"  {category.upper()}"
    path = tmp_path / "sorted.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, filled[0].keys())
        writer.writeheader()
        writer.writerows(filled)
    found = read_error_categories(path, sample)
    assert found.categories == dict(zip(sample, CATEGORIES, strict=True))
    assert (found.rejections, found.uncategorised) == ([], 0)


def test_every_row_is_accounted_for(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    good = CATEGORIES[0]
    path.write_text(
        f"item_id,category\np-0,{good}\np-0,{good}\np-1,{good}\np-1,{CATEGORIES[1]}\nq-0,{good}\nr-0,Odd\nr-0,\n",
        encoding="utf-8",
    )
    found = read_error_categories(path, ["p-0", "p-1", "r-0"])
    assert found.categories == {"p-0": good} and found.uncategorised == 1
    assert Counter(row["reason"] for row in found.rejections) == {
        "given twice, alike": 1,
        "given twice, differently": 2,
        "unknown item": 1,
        "unknown category": 1,
    }
    with pytest.raises(WhatifError, match="a file of categories of errors needs it"):
        path.write_text("item,category\n", encoding="utf-8")
        read_error_categories(path, [])
