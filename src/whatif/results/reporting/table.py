"""Result tables: a tidy data frame with one number per row, and views that define how it is printed.

A frame is in long form. Its first columns identify a number (`model`, `name`, `source`, `variant`, `measure`, ...) and
contain text, which is empty where a column does not apply. The other columns contain the numbers of the row:

- `value`: the number that is measured or counted; `low` and `high`: the ends of its confidence interval;
- `n`: the number of observations behind it; `p`: the p-value of its test; `p_holm`: the same, corrected over the table.

A number that does not exist is missing (`<NA>`), never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from whatif.engine.files.csv_writing import frame_for_people, records, unmarked
from whatif.results.reporting.numerals import Write, count, decimal, p_value

if TYPE_CHECKING:
    import pandas as pd

# Values of the column `source`: measured here; as reported in a paper; computed here from predictions of others.
OURS, REPORTED, RECOMPUTED = "ours", "reported", "recomputed"
DROP = "drop"  # the measure: original minus counterfactual, in points; a loss is positive
MEASURE = "measure"
NUMBERS = ("value", "low", "high", "n", "p", "p_holm")
# Measures by the names that earlier versions gave them: tables of an earlier commit are read under today's names.
RENAMED = {
    "both_right": "pair_accuracy",
    "consistent": "consistency",
    "ignored": "ignored_presupposition",
    "ignored_chance": "ignored_presupposition_by_chance",
    "extracted": "extraction_rate",
}
PUBLISHED = "published"  # column with a reported number as text, exactly as in the paper

_WHOLE = "Int64"
_REAL = "Float64"
_WRITE: Mapping[str, Write] = {"n": count, "p": p_value, "p_holm": p_value}


@dataclass(frozen=True)
class Column:
    """A printed column of numbers: the numbers of one measure, selected by other identifying columns (`where`).

    number: the number of the row that is printed, one of NUMBERS.
    write: how it is written; by default with one decimal, or as a count or p-value.
    interval: whether `low` and `high` follow in parentheses, where they exist.
    """

    heading: str
    measure: str
    where: Mapping[str, str] = field(default_factory=dict)
    number: str = "value"
    write: Write | None = None
    interval: bool = False

    @property
    def writes(self) -> Write:
        """How a number of this column is written."""
        return self.write or _WRITE.get(self.number, decimal(1))


@dataclass(frozen=True)
class View:
    """One printed table of a frame.

    rows: the identifying columns that distinguish printed rows, with their headings. A column with an empty heading is
    not printed. Rows are in the order of the frame; a row without any number is left out.
    caption: one sentence that describes the numbers; note: further information for the reader.
    """

    caption: str
    rows: Mapping[str, str]
    columns: tuple[Column, ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A result table: its file name without suffix, its heading in the report, its numbers and its views."""

    name: str
    title: str
    frame: pd.DataFrame
    views: tuple[View, ...]

    def __post_init__(self) -> None:
        for view in self.views:
            wanted = {*view.rows, MEASURE, *(name for column in view.columns for name in column.where)}
            if missing := sorted(wanted - set(self.frame.columns)):
                raise ValueError(f"table {self.name}: a view prints the column {missing[0]}, which the frame lacks")

    def _repr_html_(self) -> str:
        """How a notebook shows the table."""
        from whatif.results.reporting.rendering import to_html

        return to_html(self)


def tidy(rows: Iterable[Mapping[str, Any]], identity: Sequence[str], numbers: Sequence[str] = NUMBERS) -> pd.DataFrame:
    """A frame of rows: the identifying columns `identity` (text, empty where a row has none), then `numbers`.

    `value` is an integer column if all values are integers, otherwise float. Raises ValueError when a row has an
    unknown field, and when two rows have the same identifying columns.
    """
    import pandas as pd

    found = list(rows)
    known = {*identity, *numbers}
    for row in found:
        if unknown := sorted(set(row) - known):
            names = ", ".join([*identity, *numbers])
            raise ValueError(f"row {dict(row)}: has the field {unknown[0]}; known are {names}")
    columns: dict[str, Any] = {
        name: pd.array(["" if row.get(name) is None else str(row[name]) for row in found], dtype="str")
        for name in identity
    }
    for name in numbers:
        values = [row.get(name) for row in found]
        columns[name] = pd.array(values, dtype=_kind(name, values))
    frame = pd.DataFrame(columns)
    keys = [name for name in identity if name != PUBLISHED]
    if twice := frame[frame.duplicated(keys)][keys].to_dict("records"):
        raise ValueError(f"two rows of a table are of {twice[0]}")
    return frame


def with_rows(
    table: Table,
    rows: Iterable[Mapping[str, Any]],
    further: Sequence[str],
    views: Sequence[View],
    numbers: Sequence[str] = (),
) -> Table:
    """A table with rows at its end and views after its own.

    `further` are identifying columns that it gets before its own, and `numbers` columns of numbers, if it lacks them.
    """
    import pandas as pd

    old = list(table.frame.columns)
    names = [name for name in old if name not in NUMBERS]
    given = [
        {str(name): value for name, value in row.items() if not pd.isna(value)}
        for row in table.frame.to_dict("records")
    ]
    every: list[Mapping[str, Any]] = [*given, *rows]
    frame = tidy(
        every,
        [*(name for name in further if name not in names), *names],
        [name for name in NUMBERS if name in old or name in numbers],
    )
    return replace(table, frame=frame, views=(*table.views, *views))


def _kind(name: str, values: Sequence[Any]) -> Any:
    if name == "n":
        return _WHOLE
    given = [value for value in values if value is not None]
    return _WHOLE if name == "value" and given and all(isinstance(value, int) for value in given) else _REAL


def to_csv(frame: pd.DataFrame) -> str:
    """A frame as CSV: numbers in full precision, missing ones empty. The same frame always gives the same text."""
    return frame_for_people(frame)


def from_csv(text: str) -> pd.DataFrame:
    """A frame as written by `to_csv`, with the same types: text is never missing, numbers may be.

    Measures with a name of an earlier version have today's name.
    """
    import pandas as pd

    names, *rows = ([*map(unmarked, row)] for row in records(text))
    frame = pd.DataFrame(rows, columns=names, dtype="str")
    if MEASURE in frame.columns:
        frame[MEASURE] = frame[MEASURE].replace(RENAMED)
    for name in frame.columns.intersection(list(NUMBERS)):
        cells = frame[name].tolist()
        is_whole = name == "n" or (name == "value" and all(re.fullmatch(r"-?\d*", cell) for cell in cells))
        values: list[Any] = [(int(cell) if is_whole else float(cell)) if cell else None for cell in cells]
        frame[name] = pd.Series(values, dtype=_WHOLE if is_whole else _REAL)
    return frame
