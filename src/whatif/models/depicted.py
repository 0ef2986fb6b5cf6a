"""What a drawn image shows, for tools that know it: things with their names and boxes, and answers to questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class DepictedThing:
    """A thing in a drawn image.

    phrases: everything by which it can be found or described, in lower case, singular and without articles: `ball`,
    `red ball`, `thing`, `red`, `flower inside red polygon`. box: left, top, right and bottom in pixels of the image,
    y downwards.
    """

    phrases: frozenset[str]
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class Depicted:
    """The content of a drawn image.

    things: all of them, in the order in which they were drawn. answer: the answer to a simple question about the whole
    image, None where it is not understood.
    """

    width: int
    height: int
    things: tuple[DepictedThing, ...]
    answer: Callable[[str], str | None]
