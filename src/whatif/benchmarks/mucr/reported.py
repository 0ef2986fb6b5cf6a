"""The reported numbers of MuCR in the terms of our tables, and what does not add up in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT, Form
from whatif.results.reporting.published_numbers import published

TABLES = ("1", "2", "3", "4", "6", "7")  # with numbers; Table 5 has examples
FORMS: Mapping[str, Form] = {"Form-1": MAIN_FORM, "Form-2": "cause-and-composite", "Form-3": "separate"}
POPULAR, SMALL = "popular-mllm", "lightweight-open-source"  # the two parts of Table 6, besides people
_GRID = 0.25  # percent; all numbers are multiples of it


@dataclass(frozen=True)
class Number:
    """A number of a table as printed: its system, its labels in that table, its metric, and its text, in percent."""

    system: str
    labels: Mapping[str, str]
    metric: str
    text: str

    @property
    def value(self) -> float:
        return float(self.text)


def numbers(table: str) -> list[Number]:
    """The numbers of a table in its order; labels are `form`, and of some tables `hints`, `strategy`, `state`."""
    found = []
    for row in published(__package__, f"table{table}"):
        labels: dict[str, str] = {"form": TEXT if row["form"] == TEXT else FORMS[row.get("visual_form", "Form-1")]}
        if table == "2":
            labels["hints"] = row["text_hints"]
        if table == "3":
            labels["strategy"] = row["strategy"]
        if table == "4":
            labels["state"] = row["fine_tuning"]
        found.append(Number(row["system"], labels, row["metric"], row["value"]))
    return found


def main_numbers() -> dict[tuple[str, str, str], Number]:
    """Table 6 by system, form (`text`, `composite`) and metric."""
    return {(one.system, one.labels["form"], one.metric): one for one in numbers("6")}


def classes() -> dict[str, str]:
    """The part of Table 6 in which each system is: `POPULAR`, `SMALL`, or another for people."""
    return {row["system"]: row["model_class"] for row in published(__package__, "table6")}


def gaps() -> dict[tuple[str, str], float]:
    """Text minus multimodal score in points by system and metric, as Table 6 gives it."""
    cells = main_numbers()
    return {
        (system, metric): round(cells[system, TEXT, metric].value - cells[system, MAIN_FORM, metric].value, 2)
        for system in classes()
        for metric in SCORES
    }


def unlike_table_6() -> Iterator[tuple[str, Number, Number]]:
    """The numbers of the other tables for which Table 6 has another one: the table, its number, that of Table 6."""
    cells = main_numbers()
    for table in TABLES:
        for one in numbers(table):
            labels = one.labels
            plain = labels.get("hints", "without") == "without" and labels.get("state", "before") == "before"
            same = cells.get((one.system, labels["form"], one.metric))
            if plain and labels.get("strategy", "direct") == "direct" and same and same.value != one.value:
                yield table, one, same


def about_sample() -> str:
    """What the numbers of all tables tell about the number of questions."""
    values = [one.value for table in TABLES for one in numbers(table)]
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


def rounded_in_text() -> list[tuple[Number, str]]:
    """Scores of Table 6 that the text gives as another whole number than the nearest."""
    cells, found = main_numbers(), []
    for row in published(__package__, "text"):
        form = TEXT if row["variant"] == TEXT else MAIN_FORM
        cell = cells.get((row["system"], form, row["metric"]))
        if row["location"] == "sec4.2" and cell is not None and abs(cell.value - float(row["value"])) >= 0.5:
            found.append((cell, row["value"]))
    return found
