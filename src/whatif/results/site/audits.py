"""What the site shows of the shortcut audit and the funnel of a benchmark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any

from whatif.results.reporting.shortcuts import ANSWER_KNOWN
from whatif.results.reporting.table import MEASURE
from whatif.results.site.marks import Number, dots, share_bar
from whatif.results.site.paired_results import number_of

if TYPE_CHECKING:
    import pandas as pd
    from markupsafe import Markup

SHORTCUTS, FUNNEL = "shortcuts", "funnel"  # names of the tables
EVALUATE = "evaluate"  # the first word of the stages that ask models


@dataclass(frozen=True)
class BestShortcut:
    """The best shortcut for one set and variant of questions, by the lower end of its interval; how many were tried."""

    questions: str
    shortcut: str
    number: Number
    tried: int

    @property
    def least(self) -> float:
        """The lower end of the interval: a rule for a few questions may be right more often by luck."""
        return _least(self.number)

    @property
    def mark(self) -> Markup:
        """Its accuracy as a figure."""
        return dots([("single", self.shortcut, self.number)])


@dataclass(frozen=True)
class FunnelRow:
    """Counts of one stage, and its reasons for rejection with their counts."""

    stage: str
    unit: str
    came_in: int
    went_on: int
    rejected: int
    reasons: Sequence[tuple[str, int]]

    @property
    def evaluation(self) -> bool:
        """Whether the stage is that of a model's answers."""
        return self.stage.split(" ")[0] == EVALUATE

    @property
    def bar(self) -> Markup:
        """The share that went on as a figure."""
        return share_bar(self.went_on, self.came_in, f"{self.went_on:,} of {self.came_in:,} {self.unit} went on")


def best_shortcuts(frames: Mapping[str, pd.DataFrame]) -> list[BestShortcut]:
    """The best shortcut of each set and variant, in the order of the table, without those that know an answer.

    Empty without a shortcut audit.
    """
    found: dict[tuple[str, str], list[tuple[str, Number]]] = {}
    sets = set()
    for row in _rows(frames, SHORTCUTS, ("set", "variant", "shortcut")):
        number = number_of(row)
        if row[MEASURE] == "accuracy" and number is not None and row.get("rule") not in ANSWER_KNOWN:
            found.setdefault((row["set"], row["variant"]), []).append((row["shortcut"], number))
            sets.add(row["set"])
    best = []
    for (name, variant), tried in found.items():
        shortcut, number = max(tried, key=lambda one: _least(one[1]))
        best.append(BestShortcut(variant if len(sets) == 1 else f"{name}: {variant}", shortcut, number, len(tried)))
    return best


def _least(number: Number) -> float:
    return number.value if number.low is None else number.low


def caption_of(printed: Sequence[Mapping[str, Any]], table: str) -> str:
    """The first sentence above a printed table, which says what its numbers are; empty if there is no such table."""
    for row in printed:
        if row["table"] == table and (found := re.match(r"<p>(.*?)</p>", row["html"], re.DOTALL)):
            return f"{unescape(found[1]).split('. ')[0].rstrip('.')}."
    return ""


def funnel_rows(frames: Mapping[str, pd.DataFrame]) -> list[FunnelRow]:
    """The stages of the funnel, in order; empty without a funnel."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    reasons: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row in _rows(frames, FUNNEL, ("stage", "unit", "reason")):
        place, count = (row["stage"], row["unit"]), int(row["value"])
        if row["reason"]:
            reasons.setdefault(place, []).append((row["reason"], count))
        else:
            counts.setdefault(place, {})[row[MEASURE]] = count
    return [
        FunnelRow(
            *place,
            of_stage.get("in", 0),
            of_stage.get("out", 0),
            of_stage.get("rejected", 0),
            sorted(reasons.get(place, []), key=lambda one: -one[1]),
        )
        for place, of_stage in counts.items()
    ]


def _rows(frames: Mapping[str, pd.DataFrame], table: str, columns: Sequence[str]) -> list[dict[Any, Any]]:
    frame = frames.get(table)
    if frame is None or not {*columns, MEASURE, "value"} <= set(frame.columns):
        return []
    return frame.to_dict("records")
