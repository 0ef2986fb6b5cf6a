"""Items as the site shows them: pictures, questions, and the answer of every model to each question."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

import pyarrow as pa

from whatif.engine.artifacts.site_schemas import ITEMS

_BEGIN, _END = "<think>\n", "\n</think>\n\n"
_LONGEST_REASONING = 20_000  # characters; a page has the answers of every model to a hundred items


def with_reasoning(reasoning: str | None, response: str | None) -> str | None:
    """The reasoning of a model, if there is one, and what follows it, as one text: that of `ItemAnswer.response`."""
    if not reasoning:
        return response
    more = len(reasoning) - _LONGEST_REASONING
    shown = reasoning if more <= 0 else f"{reasoning[:_LONGEST_REASONING]} (and {more:,} more characters)"
    return f"{_BEGIN}{shown.replace(_END.strip(), '')}{_END}{response or ''}"


def without_reasoning(text: str | None) -> tuple[str | None, str | None]:
    """The reasoning and the response that `with_reasoning` put together; None where there was none."""
    if text is None or not text.startswith(_BEGIN) or _END not in text:
        return None, text
    reasoning, _, response = text.removeprefix(_BEGIN).partition(_END)
    return reasoning, response or None


@dataclass(frozen=True)
class ItemPicture:
    """An image by id; `side` is `original` or `counterfactual`, or empty where it is of neither."""

    image_id: str
    caption: str = ""
    side: str = ""


@dataclass(frozen=True)
class ItemProgram:
    """The program that gave an answer, why it is wrong (empty if it is right), and a line for each call of a tool."""

    code: str
    category: str = ""
    calls: tuple[str, ...] = ()


class ItemAnswer(NamedTuple):
    """What one system (a model, with its strategy if there are several) answered; see `ITEM_ANSWER` for the fields.

    There are millions, and a tuple is made in a sixth of the time of a frozen dataclass.
    """

    system: str
    answer: str | None
    correct: bool
    status: str = "ok"
    why: str = ""
    response: str | None = None
    turns: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    program: ItemProgram | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class ItemQuestion:
    """A question, caption or choice that systems were asked about; see `ITEM_QUESTION` for the fields."""

    question_id: str
    text: str
    right: str
    side: str = ""
    label: str = ""
    choices: tuple[str, ...] = ()
    answers: tuple[ItemAnswer, ...] = ()


@dataclass(frozen=True)
class Item:
    """What the site shows on one page; `views` are the names of the views (`ItemView`) that show it too.

    item_id: unique in its benchmark; part of the item's address.
    """

    item_id: str
    title: str
    group: str = ""
    notes: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    pictures: tuple[ItemPicture, ...] = ()
    questions: tuple[ItemQuestion, ...] = ()


@dataclass(frozen=True)
class ItemView:
    """Named selection of items, such as those of a figure in a paper.

    name: lower-case words joined by hyphens, such as `figure-9`.
    """

    name: str
    heading: str
    text: str


def item_tables(items: Iterable[Item]) -> Iterator[pa.Table]:
    """The table `items`, in the given order, in pieces of one row group each.

    They are made column by column: Arrow takes far longer to look up the fields of millions of answers by name.
    """
    first, waiting = 0, iter(items)
    while some := list(itertools.islice(waiting, ITEMS.row_group_rows)):
        positions = pa.array(range(first, first := first + len(some)), pa.int64())
        columns = _columns(some, [field for field in ITEMS.schema if field.name != "position"])
        yield pa.table([positions, *columns], schema=ITEMS.schema)


def _columns(records: Sequence[Any], fields: Sequence[pa.Field]) -> list[pa.Array]:
    """Some fields of records, an array for each."""
    return [_array([*map(attrgetter(field.name), records)], field.type) for field in fields]


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values, or lists of records, or single records, as an array."""
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        ends = pa.array([0, *itertools.accumulate(map(len, values))], pa.int32())
        return pa.ListArray.from_arrays(ends, _array([*itertools.chain(*values)], kind.value_type), kind)
    there = [value for value in values if value is not None]
    if not there or not pa.types.is_struct(kind):
        return pa.array(values, kind)
    found = pa.StructArray.from_arrays(_columns(there, list(kind)), fields=list(kind))
    if len(there) == len(values):
        return found
    # Fields that must not be null have the value of another record where there is none.
    mask = [value is None for value in values]
    places = [max(0, place - 1) for place in itertools.accumulate(not missing for missing in mask)]
    return pa.StructArray.from_arrays(found.take(pa.array(places)).flatten(), fields=list(kind), mask=pa.array(mask))


def view_rows(views: Iterable[ItemView]) -> Iterator[dict[str, Any]]:
    """Rows of the table `item-views`, in the given order."""
    for position, view in enumerate(views):
        yield {"position": position, "view": view.name, "heading": view.heading, "text": view.text}
