"""Rows of reported tables by their columns, and the places of claims in words."""

from __future__ import annotations

import pytest

from whatif.contradictions import Claim, exactly, printed
from whatif.contradictions.formulas import equals
from whatif.contradictions.published_cells import Cells
from whatif.errors import WhatifError

ROWS = [
    {"system": "A", "side": "one", "value": "1.0", "std": "0.1", "printed_delta": ""},
    {"system": "A", "side": "two", "value": "2.0", "std": "", "printed_delta": "+1.0"},
]


def test_numbers_are_looked_up_by_their_columns() -> None:
    cells = Cells(ROWS, "system", "side")
    assert cells["A", "two"] == printed("2.0") and cells.q("A", "one") == printed("1.0").quantity
    assert cells.delta("A", "two") == printed("+1.0") and cells.deviation("A", "one") == printed("0.1")
    assert list(cells) == [("A", "one"), ("A", "two")] and cells.names(1) == ["one", "two"]
    assert ("A", "one") in cells and ("A", "three") not in cells
    assert "one" in Cells(ROWS, "side") and Cells(ROWS, "side")["one"] == printed("1.0")


def test_a_key_that_is_not_there_or_there_twice_is_refused() -> None:
    with pytest.raises(WhatifError, match="there is no A, three"):
        Cells(ROWS, "system", "side")["A", "three"]
    with pytest.raises(WhatifError, match="A is there twice; add a column"):
        Cells(ROWS, "system")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("4.1, Table 6", "Section 4.1, Table 6: x"),
        ("A.3.2", "Appendix A.3.2: x"),
        ("Table 3", "Table 3: x"),
        ("Abstract", "Abstract: x"),
    ],
)
def test_places_are_written_in_words(place: str, words: str) -> None:
    assert Claim("P", place, "x", "sum", equals(printed("1"), exactly(1), "it")).where == words
