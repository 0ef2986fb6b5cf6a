"""Items as the site shows them: pictures, questions, and the answer of every model to each question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class ItemAnswer:
    """What one system (a model, with its strategy if there are several) answered; see `ITEM_ANSWER` for the fields."""

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


def item_rows(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """Rows of the table `items`, in the given order."""
    for position, item in enumerate(items):
        pictures = [vars(one) for one in item.pictures]
        yield {**vars(item), "position": position, "pictures": pictures, "questions": [*map(_question, item.questions)]}


def _question(question: ItemQuestion) -> dict[str, Any]:
    return {**vars(question), "answers": [*map(_answer, question.answers)]}


def _answer(answer: ItemAnswer) -> dict[str, Any]:
    """Its fields; `dataclasses.asdict` copies every value and takes ten times as long, for millions of answers."""
    return vars(answer) if answer.program is None else {**vars(answer), "program": vars(answer.program)}


def view_rows(views: Iterable[ItemView]) -> Iterator[dict[str, Any]]:
    """Rows of the table `item-views`, in the given order."""
    for position, view in enumerate(views):
        yield {"position": position, "view": view.name, "heading": view.heading, "text": view.text}
