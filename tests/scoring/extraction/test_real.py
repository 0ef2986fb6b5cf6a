"""Answer extraction on real responses, which are not in the project: see `docs/numbers/reading_errors.py`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from docs.numbers.reading_errors import counts, outcome, published, real_responses, table
from whatif.scoring.extraction.extracted import Extracted, Kind, ambiguous, none

pytestmark = pytest.mark.slow

LEAST_RIGHT = 0.94  # of all responses
MOST_WRONG = 0.01  # of all responses: an answer that no careful reader would read
MOST_WRONG_OF_A_KIND = 0.02


def test_few_real_responses_are_read_wrongly_and_reports_say_how_many() -> None:
    path = real_responses()
    if path is None:
        pytest.skip("WHATIF_DATA does not name a folder with responses/real.jsonl")
    found = counts(path)
    assert found == published(), f"{table(found)}\nwrite these counts to src/whatif/results/reporting/reading.py"


def test_the_published_error_of_reading_is_within_its_limits() -> None:
    found = published()
    together = sum(found.values(), Counter())
    assert together["right"] >= LEAST_RIGHT * together.total()
    assert together["wrong"] <= MOST_WRONG * together.total()
    assert all(of_kind["wrong"] <= MOST_WRONG_OF_A_KIND * of_kind.total() for of_kind in found.values())


@pytest.mark.parametrize(
    ("answer", "kind", "readings", "expected"),
    [
        ("B", "choice", ["B"], "right"),
        ("A", "choice", ["B", "none"], "wrong"),
        ("3.0", "number", ["4", "3"], "right"),
        ("1/3", "number", ["0.3333"], "right"),
        ("0.34", "number", ["0.3"], "right"),
        ("3", "number", ["4"], "wrong"),
        ("3.4", "number", ["3"], "wrong"),
        ("no", "boolean", ["none"], "wrong"),
    ],
)
def test_an_answer_is_right_if_it_is_an_accepted_reading(
    answer: str, kind: Kind, readings: list[str], expected: str
) -> None:
    assert outcome(Extracted(answer, "ok", None), kind, readings) == expected


def test_no_answer_is_right_only_where_it_is_accepted() -> None:
    for found in (none("no answer"), ambiguous("two answers")):
        assert (outcome(found, "number", ["none"]), outcome(found, "number", ["3"])) == ("right", "missed")


def test_the_table_counts_each_response_once(tmp_path: Path) -> None:
    row = {"kind": "boolean", "question": "Is there a cat?", "options": None, "readings": ["yes"]}
    path = tmp_path / "real.jsonl"
    path.write_text("".join(json.dumps(row | {"response": text}) + "\n" for text in ("Yes.", "No.", "?", "Yes")))
    assert table(counts(path)).splitlines()[2:] == [
        "| yes or no | 4 | 50.0% (2) | 25.0% (1) | 25.0% (1) |",
        "| choices | 0 | | | |",
        "| numbers | 0 | | | |",
        "| all | 4 | 50.0% (2) | 25.0% (1) | 25.0% (1) |",
    ]
