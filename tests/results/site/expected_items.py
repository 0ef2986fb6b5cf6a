"""What the filters of the item browser should give, computed from the example items."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tests.results.site.example_items import paired

ITEM = "pair/0003"
Row = Mapping[str, Any]


@cache
def rows() -> tuple[Row, ...]:
    return tuple(paired().items)


LETTERS = {"right": "r", "not-right": "wne", "wrong": "w", "none": "n", "error": "e", "not-asked": "-"}


def status(row: Row, system: str, side: str) -> str:
    given = [
        answer
        for question in row["questions"]
        if question["side"] == side
        for answer in question["answers"]
        if answer["system"] == system
    ]
    if not given:
        return "-"
    wrong = [answer["status"] for answer in given if not answer["correct"]]
    if not wrong:
        return "r"
    if "ok" in wrong:
        return "w"
    return "e" if set(wrong) == {"error"} else "n"


SIDES = ("original", "counterfactual")


def systems() -> list[str]:
    return sorted({a["system"] for row in rows() for q in row["questions"] for a in q["answers"]})


def right_systems(row: Row) -> list[bool]:
    """For each system that was asked about the item: whether it is right on all of it."""
    found = []
    for system in systems():
        given = [a["correct"] for q in row["questions"] for a in q["answers"] if a["system"] == system]
        if given:
            found.append(all(given))
    return found


def expected(state: Mapping[str, str]) -> list[str]:
    def matches(row: Row) -> bool:
        wanted = [(side, LETTERS[state[side]]) for side in SIDES if side in state]
        chosen = [state["system"]] if "system" in state else systems()
        tests = [
            state.get("group", row["group"]) == row["group"],
            "view" not in state or state["view"] in row["views"],
            any(all(status(row, one, side) in codes for side, codes in wanted) for one in chosen),
        ]
        if "other" in state:
            pairs = [(status(row, state["system"], side), status(row, state["other"], side)) for side in SIDES]
            tests.append(any("-" not in pair and (pair[0] == "r") != (pair[1] == "r") for pair in pairs))
        if "all" in state:
            right = right_systems(row)
            tests.append(
                bool(right)
                and {"all": all(right), "none": not any(right), "some": any(right) and not all(right)}[state["all"]]
            )
        return all(tests)

    return [row["item_id"] for row in rows() if matches(row)]
