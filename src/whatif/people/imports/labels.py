"""Labels as the files have them, before their items and decisions are resolved, and the rows that cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FINAL_DECISIONS = "adjudicated"  # annotator of the decisions in the column of an adjudicator
LABELS = "labels"
REJECTED_LABEL = f"{LABELS}-"  # item ids of rejected labels begin with it
UNKNOWN = ("unknown item", "unknown task")  # reasons for rejecting a label of an item that is not asked about
MISSING = frozenset({"nan", "na", "<na>", "null"})  # how pandas, R and databases write a cell without a value
SHOWN = 60  # maximum length of a value in a message, in characters


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a label is: its file, as shown to the user, and its row (of CSV and JSONL the line)."""

    file: str
    number: int
    unit: str = "line"
    part: str = ""  # the column of several labels in a row, or the annotation of a task

    @property
    def row(self) -> str:
        """The row without its file, for example `line 12, label_2`."""
        return f"{self.unit} {self.number}" + (f", {self.part}" if self.part else "")

    def __str__(self) -> str:
        return f"{self.file}: {self.row}"


@dataclass(frozen=True, slots=True)
class Label:
    """What one annotator said about one item, in the words of the file."""

    item: str
    place: Place
    decision: str = ""  # empty if there is no label
    means: str = ""  # a decision that follows from the format, whatever the words of the file
    side: str = ""
    annotator: str = ""
    corrected: Mapping[str, str] = field(default_factory=dict)  # field of the item -> new value
    comment: str = ""
    time: str = ""
    seconds: float | None = None
    shown: tuple[str, str] | None = None  # the captions in the order in which the annotator saw them
    columns: tuple[str, str, str] = ("item", "side", "decision")  # names of these columns in the file, for messages
    is_gold: bool = False  # marked as the ground truth in the annotation tool


@dataclass(frozen=True, slots=True)
class Finding:
    """A label that is not counted, and the reason."""

    place: Place
    reason: str
    detail: str

    def rejection(self, *, several_files: bool, with_file: bool = True, of: str = LABELS) -> dict[str, str]:
        """A row of the table `rejections`; its item_id is for example `labels-line-000012`, if it is `of` labels.

        The id has the name of the file if there are several files.
        """
        place = self.place
        names = [of, *([place.file] if several_files else []), place.unit, f"{place.number:06d}"]
        names += [place.part] if place.part else []
        where = str(place) if with_file else place.row
        return {
            "item_id": "-".join(names).replace(" ", "-"),
            "reason": self.reason,
            "detail": f"{where}: {self.detail}",
        }


class UnusableError(Exception):
    """Says why a label cannot be used; the importer makes a `Finding` of it."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


def plain(text: str) -> str:
    """A text for comparison: lower case, single spaces, and whole numbers without the `.0` that pandas adds."""
    said = " ".join(text.casefold().split())
    whole = said.removesuffix(".0")
    return whole if whole != said and whole.isdecimal() else said


def quoted(text: str) -> str:
    """A value of a file as a message shows it: printable, and not longer than `SHOWN`."""
    return ascii(text[:SHOWN]) if not text[:SHOWN].isprintable() else repr(text[:SHOWN])
