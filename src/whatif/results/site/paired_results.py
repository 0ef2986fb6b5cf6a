"""What the site shows of the table `paired`: systems with the standard measures of paired questions, by group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whatif.results.reporting.table import DROP, MEASURE, OURS
from whatif.results.site.marks import Number, dots

if TYPE_CHECKING:
    import pandas as pd
    from markupsafe import Markup

TABLE = "paired"  # the name of the table
ORIGINAL, COUNTERFACTUAL = "original", "counterfactual"
MEASURES: Mapping[str, tuple[str, str]] = {
    ORIGINAL: ("Original", "Original questions answered correctly, in percent."),
    COUNTERFACTUAL: ("Counterfactual", "Counterfactual questions answered correctly, in percent."),
    DROP: ("Drop", "Original minus counterfactual, in percentage points."),
    "pair_accuracy": ("Pair accuracy", "Pairs with both questions answered correctly, in percent."),
    "consistency": ("Consistency", "Pairs in which the answer changes if and only if it should, in percent."),
    "ignored_presupposition": (
        "Ignored presupposition",
        "Wrong answers to counterfactual questions that are the right answer to the original question: the "
        "presupposition was ignored. In percent of the wrong answers.",
    ),
    "ignored_presupposition_by_chance": (
        "Expected by chance",
        "What the share before would be if the same questions had wrong answers at random.",
    ),
    "extraction_rate": ("Extraction rate", "Responses from which an answer could be extracted, in percent."),
}
"""Measures in the order of the columns, with heading and explanation."""

CHANCE = "chance"  # a measure that is drawn, and is no column
_ANSWERED_BY = {"embedded": "embedded model", "rules": "programs by rules", "guess": "guess"}
_ALL = ("all", "")  # the groups of all pairs


@dataclass(frozen=True)
class SystemResult:
    """One system in one group of pairs: its numbers by measure. kind: what answers for it (`kind` of its settings)."""

    name: str
    strategy: str
    source: str
    numbers: Mapping[str, Number]
    kind: str = "own"

    @property
    def reported(self) -> bool:
        """Whether the numbers are a paper's."""
        return self.source != OURS

    @property
    def answered_by(self) -> str:
        """What answers, in words, unless it is a model of the user's own."""
        return _ANSWERED_BY.get(self.kind, "")

    @property
    def word(self) -> str:
        """What a drop of 0.0, or a side without a right answer, is in a word; empty for others."""
        texts = [self.numbers[side].text for side in (ORIGINAL, COUNTERFACTUAL) if side in self.numbers]
        if len(texts) < 2 or ("0.0" not in texts and texts[0] != texts[1]):
            return ""
        if texts[0] == texts[1]:
            return {"0.0": "none right", "100.0": "all right"}.get(texts[0], "no difference")
        return f"{ORIGINAL if texts[0] == '0.0' else COUNTERFACTUAL}: none right"

    @property
    def mark(self) -> Markup | None:
        """Its accuracy on both sides as a figure; None if one is missing."""
        if ORIGINAL not in self.numbers or COUNTERFACTUAL not in self.numbers:
            return None
        sides = (ORIGINAL, COUNTERFACTUAL)
        return dots([(side, MEASURES[side][0].lower(), self.numbers[side]) for side in sides], self.numbers.get(CHANCE))


@dataclass(frozen=True)
class GroupResults:
    """The systems of one group of pairs: ours, then reported ones, in the order of the table.

    `group` is empty for all pairs. measures: those that a system has, in the order of the columns.
    """

    group: str
    systems: Sequence[SystemResult]
    measures: Sequence[str] = field(default=())

    @property
    def strategies(self) -> bool:
        """Whether systems have different strategies."""
        return len({system.strategy for system in self.systems if system.strategy}) > 1

    @property
    def first_strategies(self) -> list[SystemResult]:
        """The systems, each model with its first strategy alone."""
        return list({system.name: system for system in reversed(self.systems)}.values())[::-1]

    @property
    def sizes(self) -> list[int]:
        """The numbers of pairs that systems were asked about, in ascending order."""
        return sorted({one.n for system in self.systems if (one := system.numbers.get(ORIGINAL)) and one.n})

    @property
    def pairs(self) -> str:
        """The number of pairs, as text; two numbers if systems were asked about different numbers of pairs."""
        sizes = self.sizes
        return "" if not sizes else f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"

    @property
    def shown(self) -> list[tuple[str, str, str]]:
        """The measures that a system has: name, heading, explanation."""
        return [(name, *MEASURES[name]) for name in self.measures]


def paired_results(frames: Mapping[str, pd.DataFrame], kinds: Mapping[str, str] | None = None) -> list[GroupResults]:
    """The results of the table `paired` by group, all pairs first; empty if a benchmark has no such table.

    `kinds` are those of the models, by key.
    """
    frame = frames.get(TABLE)
    if frame is None or not {"name", MEASURE, "value"} <= set(frame.columns):
        return []
    groups: dict[str, dict[tuple[str, str, str, str], dict[str, Number]]] = {}
    for row in frame.to_dict("records"):
        if (number := number_of(row)) is None or row[MEASURE] not in (*MEASURES, CHANCE):
            continue
        system = (
            str(row.get("model", "")),
            str(row["name"]),
            str(row.get("strategy", "")),
            str(row.get("source", OURS)),
        )
        groups.setdefault(str(row.get("group", "")), {}).setdefault(system, {})[str(row[MEASURE])] = number
    order = sorted(groups, key=lambda group: group not in _ALL)  # stable: other groups stay in the order of the table
    return [_group(group, groups[group], kinds or {}) for group in order]


def is_all(group: str) -> bool:
    """Whether a group is that of all pairs."""
    return group in _ALL


def number_of(row: Mapping[Any, Any]) -> Number | None:
    """The number in a row of a tidy table; None if its value is missing."""
    values = {name: _given(row.get(name)) for name in ("value", "low", "high", "n", "p")}
    if values["value"] is None:
        return None
    n = None if values["n"] is None else int(values["n"])
    return Number(values["value"], values["low"], values["high"], n, values["p"])


def _given(value: Any) -> float | None:
    import pandas as pd

    return None if value is None or value == "" or pd.isna(value) else float(value)


def _group(
    group: str, systems: Mapping[tuple[str, str, str, str], Mapping[str, Number]], kinds: Mapping[str, str]
) -> GroupResults:
    found = [
        SystemResult(name, strategy, source, numbers, kinds.get(model, "own"))
        for (model, name, strategy, source), numbers in systems.items()
    ]
    found.sort(key=lambda system: system.reported)  # stable: ours first
    measures = [measure for measure in MEASURES if any(measure in system.numbers for system in found)]
    return GroupResults("" if is_all(group) else group, found, measures)
