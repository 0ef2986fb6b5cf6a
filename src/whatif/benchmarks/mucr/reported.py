"""The reported numbers of MuCR as rows of our tables, and what does not add up in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from whatif.benchmarks.mucr.outcomes import ALL, DROP, SCORE
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT, Form
from whatif.results.reporting.published_numbers import as_reported, published
from whatif.results.reporting.table import REPORTED

TABLES = ("1", "2", "3", "4", "6", "7")  # with numbers; Table 5 has examples
FORMS: Mapping[str, Form] = {"Form-1": MAIN_FORM, "Form-2": "cause-and-composite", "Form-3": "separate"}
POPULAR, SMALL = "popular-mllm", "lightweight-open-source"  # the two parts of Table 6, besides people
_LABELS = {"2": ("hints", "text_hints"), "3": ("strategy", "strategy"), "4": ("state", "fine_tuning")}
_PLAIN = {"hints": "without", "strategy": "direct", "state": "before"}  # as in Table 6
_GRID = 0.25  # percent; all numbers are multiples of it
Row = dict[str, Any]


def reported(table: str) -> list[Row]:
    """The scores of a table in its order; `hints`, `strategy` or `state` if they are compared, otherwise `form`."""
    found = []
    for row in published(__package__, f"table{table}"):
        label, field = _LABELS.get(table, ("form", "form"))
        form = TEXT if row["form"] == TEXT else FORMS[row.get("visual_form", "Form-1")]
        labels = {label: form if label == "form" else row[field]}
        found.append(as_reported(row, **labels, metric=row["metric"], measure=SCORE))
    return found


def main_scores() -> dict[tuple[str, str, str], Row]:
    """Table 6 by system, form (`text`, `composite`) and metric."""
    return {(row["name"], row["form"], row["metric"]): row for row in reported("6")}


def classes() -> dict[str, str]:
    """The part of Table 6 in which each system is: `POPULAR`, `SMALL`, or another for people."""
    return {row["system"]: row["model_class"] for row in published(__package__, "table6")}


def reported_drops() -> Iterator[Row]:
    """Text minus multimodal score in points by system and metric, as Table 6 gives it, and their means."""
    cells = main_scores()
    for system in classes():
        texts, images = ([cells[system, form, metric]["value"] for metric in SCORES] for form in (TEXT, MAIN_FORM))
        drops = [round(text - image, 2) for text, image in zip(texts, images, strict=True)]
        for metric, drop in zip((*SCORES, ALL), (*drops, round(sum(drops) / len(drops), 4)), strict=True):
            yield {"name": system, "source": REPORTED, "metric": metric, "measure": DROP, "value": drop}


def unlike_table_6() -> Iterator[tuple[str, Row, Row]]:
    """The numbers of the other tables for which Table 6 has another one: the table, its number, that of Table 6."""
    cells = main_scores()
    for table in TABLES:
        for row in reported(table):
            same = cells.get((row["name"], row.get("form", MAIN_FORM), row["metric"]))
            plain = all(row.get(label, value) == value for label, value in _PLAIN.items())
            if plain and same and same["value"] != row["value"]:
                yield table, row, same


def about_sample() -> str:
    """What the numbers of all tables tell about the number of questions."""
    values = [row["value"] for table in TABLES for row in reported(table)]
    fitting = sum(value % _GRID == 0 for value in values)
    return (
        f"The paper does not say how many pairs it asks about: {fitting} of its {len(values)} numbers are multiples of "
        f"{_GRID}, which fits a sample of {100 / _GRID:.0f} pairs."
    )


def in_text(metric: str, location: str | None = None, subset: str | None = None) -> str:
    """A number of the running text as printed, by its metric, and its section and subset where several have it."""
    rows = published(__package__, "text")
    (found,) = (
        row["value"]
        for row in rows
        if row["metric"] == metric and location in (None, row["location"]) and subset in (None, row["group"])
    )
    return found


def rounded_in_text() -> Iterator[tuple[Row, str]]:
    """Scores of Table 6 that the text gives as another whole number than the nearest."""
    cells = main_scores()
    for row in published(__package__, "text"):
        form = TEXT if row["variant"] == TEXT else MAIN_FORM
        cell = cells.get((row["system"], form, row["metric"]))
        if row["location"] == "sec4.2" and cell and abs(cell["value"] - float(row["value"])) >= 0.5:
            yield cell, row["value"]
