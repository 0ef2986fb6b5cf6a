"""Losses of options, computed elsewhere: the negative log-likelihood of each option of a question, in nats.

A file has one of three forms; a question is named by `question_id`, or by the `index` of VLMEvalKit:

| form | columns |
|---|---|
| one row for each option | `option` (its letter or its exact text), `loss`, and optionally `tokens` |
| one row for each question | `losses`, a list in the order of the options, and optionally `tokens`, a list |
| one row for each question | `loss_A`, `loss_B`, ..., and optionally `tokens_A`, `tokens_B`, ... |

In CSV, TSV and workbooks a list is JSON text. A loss is the mean over the option's tokens. The columns `total_loss`,
`total_losses` and `total_loss_A` hold the sum instead, and need the number of tokens.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS
from whatif.formats.prediction_fields import (
    OptionLoss,
    Prediction,
    as_text,
    found_columns,
    index_of,
    listed,
    printable,
    question_id_of,
    whole_number,
)
from whatif.formats.table_records import Record

LOSSES = "`question_id` and `losses`, `loss_A`, `loss_B`, ..., or `option` and `loss`"

_COLUMN = re.compile(r"(?P<total>total_)?loss(?:(?P<list>es)|_(?P<letter>[A-Z]))?")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

Form: TypeAlias = Literal["options", "list", "letters"]


class _Cell(NamedTuple):
    """The values of one option in a file; `field` names the loss in messages."""

    field: str
    option: str | None
    loss: Any
    tokens: Any


def has_losses(columns: Sequence[str]) -> bool:
    """Whether a column has the name of losses."""
    return any(_COLUMN.fullmatch(column) for column in columns)


def losses_of(path: Path, columns: Sequence[str], records: Sequence[Record]) -> list[Prediction]:
    """One prediction with `losses` for each question, in the order in which the file first names them.

    Raises WhatifError with file, row and field when the losses are in several forms, when a question or an option is
    not named or an option is duplicated, when a loss is not a finite number from 0, when a number of tokens is not a
    whole number from 1, and when a sum has no number of tokens, or only some options of a question have one.
    """
    named = "question_id" if "question_id" in columns else "index"
    if named not in columns:
        raise WhatifError(f"{path}: column `question_id` is missing; losses need {LOSSES}; {found_columns(columns)}")
    form, total = _form(path, columns)
    rows: dict[tuple[str | None, int | None], Prediction] = {}
    losses: dict[tuple[str | None, int | None], list[OptionLoss]] = {}
    for record in records:
        index = index_of(path, record) if named == "index" else None
        question_id = question_id_of(path, record) if index is None else None
        one = Prediction(record.place, "", question_id=question_id, index=index)
        key = (question_id, index)
        earlier = rows.setdefault(key, one)
        if earlier is not one and form != "options":
            raise WhatifError(
                f"{path}: {one.place}: {one.label} is already in {earlier.place}; give one row for each question"
            )
        losses.setdefault(key, []).extend(
            _loss(path, record, cell, total) for cell in _cells(path, record, form, total)
        )
    predictions = [replace(one, losses=tuple(losses[key])) for key, one in rows.items()]
    for one in predictions:
        _check(path, one)
    return predictions


def _form(path: Path, columns: Sequence[str]) -> tuple[Form, bool]:
    """The form of the losses, and whether they are sums."""
    kinds: dict[tuple[Form, bool], str] = {}
    for column in columns:
        if match := _COLUMN.fullmatch(column):
            form: Form = "list" if match["list"] else "letters" if match["letter"] else "options"
            kinds.setdefault((form, match["total"] is not None), column)
    if len(kinds) > 1:
        raise WhatifError(f"{path}: has columns {listed(list(kinds.values()))}; keep the losses in one form")
    ((form, total),) = kinds
    if form == "options" and "option" not in columns:
        raise WhatifError(
            f"{path}: column `option` is missing; beside `{kinds[form, total]}`, each row needs the letter or the text "
            f"of its option; {found_columns(columns)}"
        )
    return form, total


def _cells(path: Path, record: Record, form: Form, total: bool) -> Iterator[_Cell]:
    """The losses in one row as the file has them."""
    where, fields = f"{path}: {record.place}", record.fields
    column = ("total_" if total else "") + ("losses" if form == "list" else "loss")
    if form == "options":
        option = as_text(path, record, "option").strip()
        if not option:
            raise WhatifError(f"{where}: option is empty; it needs the letter or the text of the option")
        yield _Cell(column, option, fields.get(column), fields.get("tokens"))
    elif form == "list":
        losses, tokens = _list(where, column, fields.get(column)), _list(where, "tokens", fields.get("tokens"))
        if losses is None:
            raise WhatifError(f"{where}: {column} is empty; it needs a number for each option")
        if tokens is not None and len(tokens) != len(losses):
            raise WhatifError(f"{where}: has {len(losses)} {column} and {len(tokens)} tokens; give one for each option")
        for number, loss in enumerate(losses):
            yield _Cell(f"{column}, number {number + 1},", None, loss, None if tokens is None else tokens[number])
    else:
        # An empty cell is an option that this question does not have: the columns are those of the longest question.
        given = [letter for letter in LETTERS if not _is_empty(fields.get(f"{column}_{letter}"))]
        if not given:
            raise WhatifError(f"{where}: {column}_A is empty; each option needs its loss")
        for letter in given:
            yield _Cell(f"{column}_{letter}", letter, fields[f"{column}_{letter}"], fields.get(f"tokens_{letter}"))


def _loss(path: Path, record: Record, cell: _Cell, total: bool) -> OptionLoss:
    where = f"{path}: {record.place}"
    value, tokens = _number(where, cell.field, cell.loss), _count(where, cell.field, cell.tokens)
    if tokens is None:
        if total:
            raise WhatifError(f"{where}: {cell.field} is a sum; it needs the number of tokens (`tokens`)")
        return OptionLoss(record.place, cell.option, value)
    if total:
        return OptionLoss(record.place, cell.option, value / tokens, value, tokens)
    if not math.isfinite(value * tokens):
        raise WhatifError(f"{where}: {cell.field} is {value} for {tokens} tokens; the sum must be a finite number")
    return OptionLoss(record.place, cell.option, value, value * tokens, tokens)


def _number(where: str, field: str, value: Any) -> float:
    if _is_empty(value):
        raise WhatifError(f"{where}: {field} is empty; each option needs its loss")
    number = math.nan
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        number = float(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an integer beyond the range of floats
            number = math.inf
    if not math.isfinite(number):
        raise WhatifError(f"{where}: {field} is {_shown(value)}; it must be a finite number")
    if number < 0:
        raise WhatifError(
            f"{where}: {field} is {_shown(value)}; a loss is a negative log-likelihood in nats, so it is not below 0"
        )
    return abs(number)  # -0.0 is 0


def _count(where: str, field: str, value: Any) -> int | None:
    if _is_empty(value):
        return None
    written = str(value).strip() if isinstance(value, int | float | str) and not isinstance(value, bool) else ""
    tokens = whole_number(written)
    if tokens is None or not 1 <= tokens < 2**31:
        raise WhatifError(f"{where}: {field} has {_shown(value)} tokens; it must be a whole number from 1")
    return tokens


def _list(where: str, field: str, value: Any) -> list[Any] | None:
    """A list, or the JSON text of one; None for an empty field."""
    if _is_empty(value):
        return None
    found = value
    if isinstance(value, str):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):  # ValueError: also for integers beyond Python's digit limit
            found = None
    if not isinstance(found, list) or not found:
        raise WhatifError(f"{where}: {field} is {_shown(value)}; it must be a list with a number for each option")
    return found


def _check(path: Path, one: Prediction) -> None:
    """Rejects an option that is named twice, and numbers of tokens for some options only."""
    losses, first = one.losses or (), dict[str, OptionLoss]()
    for loss in losses:
        if loss.option is not None and (earlier := first.setdefault(loss.option, loss)) is not loss:
            raise WhatifError(
                f"{path}: {loss.place}: option `{printable(loss.option)}` of {one.label} is already in "
                f"{earlier.place}; give one loss for each option"
            )
    without = next((loss for loss in losses if loss.tokens is None), None)
    if without is not None and any(loss.tokens is not None for loss in losses):
        raise WhatifError(
            f"{path}: {without.place}: {one.label} has the number of tokens of some options only; give it for all "
            "options of a question or for none"
        )


def _is_empty(value: Any) -> bool:
    """Whether a spreadsheet or a JSON file has nothing for a value."""
    return value is None or (isinstance(value, str) and not value.strip())


def _shown(value: Any) -> str:
    """A value for a message. Lists and objects are not shown, because they may be nested too deep for that."""
    if isinstance(value, str):
        return f"`{printable(value[:40])}`"
    return (
        "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else printable(f"{value!r:.40}")
    )
