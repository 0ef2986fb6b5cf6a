"""Our numbers, and recomputed ones, beside the reported ones of the same system and cell, with the difference.

Rows of a tidy table are matched by their identifying columns. Three kinds of columns do not count for a match: those
that only ours or only the reported rows fill in (such as who labelled the images), and those that only describe
another column (such as the number of samples of a mixture). Systems are the same if their names are
(`whatif.results.reporting.beside.is_of`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatif.results.reporting.beside import is_of
from whatif.results.reporting.numerals import decimal, signed
from whatif.results.reporting.table import MEASURE, NUMBERS, OURS, PUBLISHED, RECOMPUTED, REPORTED
from whatif.results.site.marks import Number
from whatif.results.site.paired_results import number_of

if TYPE_CHECKING:
    import pandas as pd

SOURCE, NAME, MODEL = "source", "name", "model"
INSIDE, OUTSIDE, EQUAL, DIFFERS = "inside", "outside", "equal", "differs"
VERDICTS: Mapping[str, tuple[str, str]] = {
    INSIDE: ("inside", "The reported number lies inside the interval of ours."),
    OUTSIDE: ("outside", "The reported number lies outside the interval of ours."),
    EQUAL: ("equal", "Ours has no interval or is recomputed, and equals the reported number after rounding."),
    DIFFERS: ("differs", "Ours has no interval or is recomputed, and differs by more than rounding."),
}
"""What a comparison finds: the word in the table, and its explanation."""
_MARKED = (OUTSIDE, DIFFERS)

Row = Mapping[Any, Any]


@dataclass(frozen=True)
class Compared:
    """One cell: what identifies it, the reported number as printed, ours, and the difference (ours minus reported)."""

    labels: Sequence[str]
    reported: str
    ours: Number
    places: int
    difference: float
    verdict: str

    @property
    def marked(self) -> bool:
        """Whether the two numbers differ by more than the interval, or than rounding where there is none."""
        return self.verdict in _MARKED

    @property
    def word(self) -> str:
        """The verdict in one word."""
        return VERDICTS[self.verdict][0]

    @property
    def own(self) -> str:
        """Our number, with as many decimals as the reported one, and at least one for shares."""
        return decimal(self.places)(self.ours.value)

    @property
    def signed(self) -> str:
        """The difference with its sign."""
        return signed(self.places)(self.difference)


@dataclass(frozen=True)
class Comparison:
    """A table's comparison. `headings` are those of the labels of each cell.

    systems: reported systems of which none of ours has the name; shared: the other reported systems; ours: our systems.
    All are empty if the table does not name systems. apart: columns in which ours and the reported numbers of shared
    systems have no value in common, as heading, reported values and ours. unmatched: reported numbers without one of
    ours.
    """

    headings: Sequence[str]
    cells: Sequence[Compared]
    systems: Sequence[str]
    shared: Sequence[str]
    ours: Sequence[str]
    apart: Sequence[tuple[str, Sequence[str], Sequence[str]]]
    reported: int
    unmatched: int

    @property
    def marked(self) -> int:
        """How many cells are marked."""
        return sum(cell.marked for cell in self.cells)

    @property
    def verdicts(self) -> list[str]:
        """The verdicts that occur, in the order of the legend."""
        return [verdict for verdict in VERDICTS if any(cell.verdict == verdict for cell in self.cells)]


def comparison(frame: pd.DataFrame) -> Comparison | None:
    """Compares the reported rows of a tidy table with ours; None if it has no reported number.

    Ours are also the rows recomputed from what others released; if any is compared, a column names the source.
    """
    if not {SOURCE, MEASURE, "value"} <= set(frame.columns):
        return None
    rows = [row for row in frame.to_dict("records") if number_of(row) is not None]
    reported = [row for row in rows if row[SOURCE] == REPORTED]
    ours = [row for row in rows if row[SOURCE] in (OURS, RECOMPUTED)]
    if not reported:
        return None
    identity = [
        name
        for name in frame.columns
        if name not in (*NUMBERS, SOURCE, MODEL, PUBLISHED) and frame[name].dtype.kind != "f"
    ]
    keys = _keys([name for name in identity if name != NAME], reported, ours)
    by_key: dict[tuple[str, ...], list[Row]] = {}
    for row in ours:
        by_key.setdefault(tuple(row[name] for name in keys), []).append(row)
    pairs: list[tuple[Row, Row]] = []
    unmatched = 0
    for row in reported:
        same = [one for one in by_key.get(tuple(row[name] for name in keys), ()) if _same_system(one, row)]
        pairs += [(row, one) for one in same]
        unmatched += not same
    shown = [name for name in identity if name in keys or name == NAME or _fills(name, ours)]
    shown = [name for name in shown if len({_label(name, *pair) for pair in pairs}) > 1 or name == NAME]
    if any(own[SOURCE] == RECOMPUTED for _, own in pairs):
        shown.append(SOURCE)
    others = [] if NAME not in identity else _names(reported)
    named = [] if NAME not in identity else _names(ours)
    shared = [name for name in others if any(is_of(own, name) for own in named)]
    return Comparison(
        headings=[_heading(name) for name in shown],
        cells=[_compared(shown, theirs, own) for theirs, own in pairs],
        systems=[name for name in others if name not in shared],
        shared=shared,
        ours=named,
        apart=[*_apart(keys, [row for row in reported if NAME not in row or row[NAME] in shared], ours)],
        reported=len(reported),
        unmatched=unmatched,
    )


def _keys(names: Iterable[str], reported: Sequence[Row], ours: Sequence[Row]) -> list[str]:
    """The columns by which cells are matched."""
    used = [name for name in names if _fills(name, reported) and _fills(name, ours)]
    return [
        name
        for name in used
        if name == MEASURE or not any(_describes(name, other, reported, ours) for other in used if other != name)
    ]


def _describes(name: str, other: str, reported: Sequence[Row], ours: Sequence[Row]) -> bool:
    """Whether a column follows from another one, whose values both sources share while its own differ."""
    if {row[name] for row in reported} == {row[name] for row in ours}:
        return False
    if not {row[other] for row in reported} & {row[other] for row in ours}:
        return False
    return all(_follows(name, other, rows) for rows in (reported, ours))


def _follows(name: str, other: str, rows: Sequence[Row]) -> bool:
    values: dict[str, set[str]] = {}
    for row in rows:
        values.setdefault(row[other], set()).add(row[name])
    # A column with a single value follows from every other one, and says nothing about which it describes.
    return len({row[name] for row in rows}) > 1 and all(len(found) == 1 for found in values.values())


def _fills(name: str, rows: Sequence[Row]) -> bool:
    return any(row[name] for row in rows)


def _same_system(own: Row, theirs: Row) -> bool:
    return NAME not in own or is_of(own[NAME], theirs[NAME])


def _apart(
    keys: Iterable[str], reported: Sequence[Row], ours: Sequence[Row]
) -> Iterator[tuple[str, list[str], list[str]]]:
    for name in keys:
        theirs, own = (list(dict.fromkeys(str(row[name]) for row in rows if row[name])) for rows in (reported, ours))
        if theirs and own and not set(theirs) & set(own):
            yield _heading(name), theirs, own


def _heading(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row[NAME] for row in rows if row[NAME]))


def _label(name: str, theirs: Row, own: Row) -> str:
    return str(own[name] or theirs[name])


def _decimals(printed: str, value: float) -> int:
    """The decimals of a reported number; where it is printed in words (`10% of 34,820`), none if it is whole."""
    if printed.replace(".", "", 1).lstrip("-+").isdigit():
        return len(printed.partition(".")[2])
    return 0 if float(value).is_integer() else 4


def _compared(shown: Sequence[str], theirs: Row, own: Row) -> Compared:
    ours, reported = number_of(own), number_of(theirs)
    assert ours is not None and reported is not None  # rows without a value were left out
    printed = str(theirs.get(PUBLISHED) or f"{reported.value:g}")
    decimals = _decimals(printed, reported.value)
    difference = ours.value - reported.value
    if ours.low is not None and ours.high is not None and own[SOURCE] == OURS:
        verdict = INSIDE if ours.low <= reported.value <= ours.high else OUTSIDE
    else:
        verdict = EQUAL if abs(difference) <= 0.5 * 10**-decimals + 1e-9 else DIFFERS
    places = max(decimals, 0 if float(ours.value).is_integer() else 1)
    return Compared([_label(name, theirs, own) for name in shown], printed, ours, places, difference, verdict)
