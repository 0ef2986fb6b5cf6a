"""The cost of each model's answers: tokens and money, and the number of questions that ended in error, by kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.language.reasoning import CUT_OFF, NEVER_LEFT
from whatif.engine.params.prices import Prices, money
from whatif.results.reporting.numerals import count
from whatif.results.reporting.table import Column, Table, View, tidy

# The columns that are read from `predictions`.
COLUMNS = ("model", "status", "reason", "prompt_tokens", "response_tokens")


_TOKENS = "Tokens of the answers as the models count them, and their cost in the currency of the prices in params.yaml."
_NOTE = (
    "Where answers came without a count, tokens and cost are of the others. Stored answers are included. Time is not "
    "part of a result: `whatif responses show` has it. Models without tokens and errors are left out."
)
_IDENTITY = ("model", "name", "measure", "error")
_COLUMNS = (
    Column("Questions", "questions", write=count),
    Column("Prompt tokens", "prompt tokens", write=count),
    Column("Response tokens", "response tokens", write=count),
    Column("Without a count", "uncounted", write=count),
    Column("Cost", "cost", write=money),
)
_ERRORS = Column("Questions", "errors", write=count)
_UNFINISHED = Column("Questions", "in its reasoning", write=count)


@dataclass
class Spent:
    """The sums of one model's predictions. `uncounted` are answers without token counts; errors are not included.

    `unfinished` are responses without anything after their reasoning, by the reason.
    """

    questions: int = 0
    counted: int = 0
    uncounted: int = 0
    prompt_tokens: int = 0
    response_tokens: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    unfinished: Counter[str] = field(default_factory=Counter)


def error_kind(reason: str | None) -> str:
    """The text of a reason before a colon, a bracket or a number of tokens; what follows differs between questions."""
    return re.split(r": | \(| at [\d,]+ tokens", reason or "no reason given", maxsplit=1)[0]


def spent_by_model(predictions: Iterable[pa.Table]) -> dict[str, Spent]:
    """Sums by model key, from tables with the columns COLUMNS of `predictions`."""
    found: dict[str, Spent] = {}
    for piece in predictions:
        failed = pc.equal(piece["status"], "error")
        both = pc.and_(piece["prompt_tokens"].is_valid(), piece["response_tokens"].is_valid())
        flags = {"counted": both, "uncounted": pc.and_not(pc.invert(both), failed)}
        table = piece.select(["model", "prompt_tokens", "response_tokens"])
        for name, flag in flags.items():
            table = table.append_column(name, flag.cast(pa.int64()))
        totals = [(name, "sum") for name in ("counted", "uncounted", "prompt_tokens", "response_tokens")]
        for row in table.group_by("model").aggregate([*totals, ([], "count_all")]).to_pylist():
            of_model = found.setdefault(row["model"], Spent())
            of_model.questions += row["count_all"]
            for name, _ in totals:
                setattr(of_model, name, getattr(of_model, name) + (row[f"{name}_sum"] or 0))
        errors = piece.select(["model", "reason"]).filter(failed)
        for row in errors.group_by(["model", "reason"]).aggregate([([], "count_all")]).to_pylist():
            found[row["model"]].errors[error_kind(row["reason"])] += row["count_all"]
        inside = pc.or_(*(pc.starts_with(piece["reason"], words) for words in (CUT_OFF, NEVER_LEFT)))
        unfinished = piece.select(["model", "reason"]).filter(inside)
        for row in unfinished.group_by(["model", "reason"]).aggregate([([], "count_all")]).to_pylist():
            found[row["model"]].unfinished[row["reason"]] += row["count_all"]
    return found


def together(spent: Iterable[Spent]) -> Spent:
    """The sums of several models as one."""
    total = Spent()
    for one in spent:
        for name in ("questions", "counted", "uncounted", "prompt_tokens", "response_tokens"):
            setattr(total, name, getattr(total, name) + getattr(one, name))
        total.errors.update(one.errors)
        total.unfinished.update(one.unfinished)
    return total


def costs(spent: Mapping[str, Spent], names: Mapping[str, str], prices: Mapping[str, Prices]) -> Table:
    """The table `costs` for the models in `names` (key -> display name, in order) that have tokens or errors.

    Measures: `questions`; `prompt tokens` and `response tokens`, summed over the `n` answers that have both counts;
    `uncounted`: answers without both counts; `cost`; `errors`, by kind; and, if there are any, responses without
    anything after their reasoning (`in its reasoning`), by reason.
    """
    rows: list[dict[str, Any]] = []
    for key, name in names.items():
        found = spent.get(key, Spent())
        if not found.counted and not found.errors:
            continue
        values: dict[str, float | None] = {"questions": found.questions, "uncounted": found.uncounted}
        if found.counted:
            tokens = (found.prompt_tokens, found.response_tokens)
            values |= {"prompt tokens": tokens[0], "response tokens": tokens[1]}
            values |= {"cost": prices[key].cost(*tokens)} if key in prices else {}
        for measure, value in values.items():
            n = found.counted if measure.endswith("tokens") else None
            rows.append({"model": key, "name": name, "measure": measure, "value": value, "n": n})
        for error, number in sorted(found.errors.items(), key=lambda one: (-one[1], one[0])) or [("none", 0)]:
            rows.append({"model": key, "name": name, "measure": "errors", "error": error, "value": number})
        for reason, number in sorted(found.unfinished.items(), key=lambda one: (-one[1], one[0])):
            row = {"model": key, "name": name, "measure": _UNFINISHED.measure, "error": reason, "value": number}
            rows.append(row)
    shown = {"model": "", "name": "Model"}
    views: tuple[View, ...] = (
        View(_TOKENS, shown, _COLUMNS, _NOTE),
        View("Questions that ended in an error, by kind.", {**shown, "error": "Error"}, (_ERRORS,)),
    )
    if any(row["measure"] == _UNFINISHED.measure for row in rows):
        caption = "Questions without an answer because the model did not leave its reasoning, by reason."
        views = (*views, View(caption, {**shown, "error": "Reason"}, (_UNFINISHED,)))
    return Table("costs", "Tokens, cost and errors", tidy(rows, _IDENTITY, ("value", "n")), views)


def errors_text(errors: Mapping[str, int]) -> str:
    """Errors by kind, the most frequent first: `status 500: 3; no reply within 60 s: 1`; `none` without errors."""
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{kind}: {number}" for kind, number in ordered) or "none"
