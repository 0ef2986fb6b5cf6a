"""The line of headline numbers of a benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from whatif.commands.summary import headline
from whatif.errors import WhatifError


def test_the_headline_has_the_first_number_of_each_model(tmp_path: Path) -> None:
    file = tmp_path / "toy.json"
    file.write_text(json.dumps({m: {"recall_at_1": n, "errors": 0} for m, n in (("clip", 82.125), ("vilt", 7))}))
    assert headline(file) == "recall at 1 clip 82.12, vilt 7"
    file.write_text(json.dumps({f"m{n}": {"x": n, "name": "no number", "gone": None} for n in range(10)}))
    assert headline(file) == "x m0 0, m1 1, m2 2, m3 3, m4 4, m5 5, m6 6, m7 7 and 2 more"


def test_a_file_that_is_missing_or_broken_is_said(tmp_path: Path) -> None:
    assert headline(tmp_path / "toy.json").endswith(
        "toy.json is not there yet; `dvc repro` or `snakemake --cores 2` makes it"
    )
    (tmp_path / "toy.json").write_text("{}")
    assert headline(tmp_path / "toy.json") == "no numbers"
    (tmp_path / "toy.json").write_text("{")
    with pytest.raises(WhatifError, match=r"toy\.json: is not JSON"):
        headline(tmp_path / "toy.json")
