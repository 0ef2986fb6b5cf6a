"""What the report of a benchmark measured, read from its tables in `metrics/`: funnel, agreement, shortcut audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whatif.engine.files.csv_writing import rows_of_people

_ASKING = ("evaluate", "fine-tune", "people")  # stages that ask models, or people; their losses are no part of the data


@dataclass
class Passage:
    """What came into a stage and out of it; `reasons` counts what was rejected."""

    stage: str
    unit: str
    counts: dict[str, int] = field(default_factory=dict)  # `in`, `out`, `rejected`
    reasons: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Shortcut:
    """A rule that answers without the image: its accuracy in percent with its interval, over `n` questions."""

    variant: str
    rule: str
    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Agreement:
    """A measure of the agreement of annotators, over `n` items."""

    measure: str
    annotators: str
    value: float
    low: float | None
    high: float | None
    n: int | None


@dataclass(frozen=True)
class Measured:
    """The measured tables of a benchmark; empty where its report has no such table."""

    funnel: Sequence[Passage]
    shortcuts: Sequence[Shortcut]
    agreement: Sequence[Agreement]


def measured(folder: Path) -> Measured:
    """Reads the tables of `metrics/BENCHMARK`."""
    return Measured(_funnel(folder), _shortcuts(folder), _agreement(folder))


def _funnel(folder: Path) -> list[Passage]:
    found: dict[tuple[str, str], Passage] = {}
    for row in _rows(folder / "funnel.csv"):
        if row["stage"].startswith(_ASKING):
            continue
        passage = found.setdefault((row["stage"], row["unit"]), Passage(row["stage"], row["unit"]))
        counts = passage.reasons if row["reason"] else passage.counts
        counts[row["reason"] or row["measure"]] = int(float(row["value"]))
    return list(found.values())


def _shortcuts(folder: Path) -> list[Shortcut]:
    rows = _rows(folder / "shortcuts.csv")
    ours = [row for row in rows if row["set"] == "ours"]  # beside those of a released set
    return [
        Shortcut(
            row["variant"],
            row["shortcut"],
            float(row["value"]),
            _number(row["low"]),
            _number(row["high"]),
            int(float(row["n"])),
        )
        for row in ours or rows
        if row["measure"] == "accuracy" and row["value"]
    ]


def _agreement(folder: Path) -> list[Agreement]:
    """Without Cohen's kappa of two annotators, whose rows have their names."""
    return [
        Agreement(
            row["measure"],
            row["annotators"],
            float(row["value"]),
            _number(row["low"]),
            _number(row["high"]),
            None if _number(row["n"]) is None else int(float(row["n"])),
        )
        for row in _rows(folder / "annotator-agreement.csv")
        if row["measure"] != "cohen" and row["value"]
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    return rows_of_people(path.read_text(encoding="utf-8"))


def _number(text: str) -> float | None:
    return float(text) if text else None
