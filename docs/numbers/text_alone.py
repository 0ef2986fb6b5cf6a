"""How many of our own questions of C-VQA-Real are answered from their text, and how many were left out for it."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from docs.numbers.markdown import ROOT, markdown
from whatif.results.reporting.table import from_csv

_GROUPS = ("direct", "indirect", "boolean")
_RULES = {
    "most-frequent": "most frequent answer",
    "question": "linear model of the question",
    "presupposition": "linear model of the presupposition",
    "keyword": "one word of the presupposition",
}


def _read(table: str) -> pd.DataFrame:
    return from_csv((ROOT / f"metrics/cvqa-real/{table}.csv").read_text(encoding="utf-8"))


def _answered() -> str:
    """A row for each rule, a column for each group."""
    frame = _read("shortcuts")
    cells: dict[tuple[str, str], dict[str, float]] = {
        (str(row["variant"]), str(row["rule"])): {name: float(row[name]) for name in ("value", "low", "high", "n")}
        for row in frame[frame["set"] == "ours"].to_dict("records")
    }
    found = [[cells[f"{group} counterfactual", rule] for group in _GROUPS] for rule in _RULES]
    header = ["shortcut", *(f"{group} ({cell['n']:.0f})" for group, cell in zip(_GROUPS, found[0], strict=True))]
    rows = [
        [name, *(f"{cell['value']:.1f} ({cell['low']:.1f} to {cell['high']:.1f})" for cell in of_rule)]
        for name, of_rule in zip(_RULES.values(), found, strict=True)
    ]
    return markdown([header, *rows], 1)


def _thrown_away() -> str:
    """A row for each writer and group: questions written, and those left out because of their text."""
    frame = _read("writers")
    written = frame[frame["measure"] == "written"]
    rows = []
    for writer, group, number in written[["writer", "group", "value"]].itertuples(index=False):
        same = (frame["writer"] == writer) & (frame["group"] == group)
        lost = frame[same & (frame["reason"] == "text gives the answer")]["value"].sum()
        rows.append([f"`{writer}`", group, f"{int(number)}", f"{int(lost)} ({lost / max(number, 1):.0%})"])
    return markdown([["writer", "group", "written", "text gives the answer"], *rows], 2)


NUMBERS: dict[str, Callable[[], str]] = {"answered from text": _answered, "thrown away": _thrown_away}
