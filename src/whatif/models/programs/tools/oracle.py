"""Tools that know what a drawn image shows, so that a wrong answer is a fault of the program."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatif.models.depicted import Depicted, DepictedThing
from whatif.models.programs.interfaces import Box, Picture, ToolError

VERSION = 1  # of the answers; increase it when a change alters them
UNKNOWN = "unknown"  # the answer to a question that is not understood
_ARTICLES = {"a", "an", "the", "any", "all"}
_OWN_BOX = 0.9  # intersection over union from which a patch is that of a thing
_HOW_MANY = re.compile(
    r"how many (.+?)(?: (?:are|is|can be|do you) (?:there|seen|visible|shown|see))?(?: in the (?:image|picture))?"
)
_IS_THERE = re.compile(r"(?:is|are) there (?:an? |any )?(.+?)(?: in the (?:image|picture))?")


class OracleTools:
    """Finds, verifies and counts the things of a drawn image by the phrases that describe them.

    `depicted` returns what an image shows, None for one that was not drawn.
    """

    def __init__(self, depicted: Callable[[str], Depicted | None]) -> None:
        self._depicted = depicted

    @property
    def identity(self) -> Mapping[str, Any]:
        """The image itself is part of each request, so its content needs no place here."""
        return {"kind": "oracle", "version": VERSION}

    def size(self, picture: Picture) -> tuple[int, int]:
        """See `Toolset`, for this and all that follow."""
        shown = self._shown(picture)
        return shown.width, shown.height

    def find(self, picture: Picture, box: Box, name: str) -> list[Box]:
        """The boxes of the things that a name describes and whose middle is inside the box."""
        return sorted((thing.box for thing in self._inside(picture, box, name)), key=lambda found: found[:2])

    def exists(self, picture: Picture, box: Box, name: str) -> bool:
        """Whether `find` finds anything."""
        return bool(self._inside(picture, box, name))

    def verify_property(self, picture: Picture, box: Box, name: str, attribute: str) -> bool:
        """Whether the attribute describes the thing whose patch this is; in a larger patch, any thing of the name."""
        named = self._inside(picture, box, name)
        own = [thing for thing in named if _overlap(thing.box, box) >= _OWN_BOX]
        return any(_has(thing, name, attribute) for thing in own or named)

    def best_text_match(self, picture: Picture, box: Box, options: Sequence[str]) -> str:
        """The first option that describes the thing whose patch this is, or any inside; otherwise the first one."""
        inside = [thing for thing in self._shown(picture).things if _is_inside(thing.box, box)]
        own = [thing for thing in inside if _overlap(thing.box, box) >= _OWN_BOX]
        return next(
            (option for option in options if any(_is(thing, option) for thing in own or inside)),
            options[0],
        )

    def simple_query(self, picture: Picture, box: Box, question: str) -> str:
        """The answer to a question about the whole image, or a count or `yes` or `no` about a part of it."""
        shown = self._shown(picture)
        if box == (0, 0, shown.width, shown.height) and (answer := shown.answer(question)) is not None:
            return answer
        words = question.strip().lower().rstrip("?. ")
        if found := _HOW_MANY.fullmatch(words):
            return str(len(self._inside(picture, box, found[1])))
        if found := _IS_THERE.fullmatch(words):
            return "yes" if self._inside(picture, box, found[1]) else "no"
        return UNKNOWN

    def compute_depth(self, picture: Picture, box: Box) -> float:
        """Raises ToolError: a drawing has no depth."""
        raise ToolError("compute_depth: a drawn image has no depth")

    def _inside(self, picture: Picture, box: Box, name: str) -> list[DepictedThing]:
        shown = self._shown(picture)
        return [thing for thing in shown.things if _is_inside(thing.box, box) and _is(thing, name)]

    def _shown(self, picture: Picture) -> Depicted:
        shown = self._depicted(picture.image_id)
        if shown is None:
            raise ToolError("not a drawn image: the tools know only what drawn images show")
        return shown


def _is(thing: DepictedThing, name: str) -> bool:
    return _normalised(name, thing.phrases) in thing.phrases


def _has(thing: DepictedThing, name: str, attribute: str) -> bool:
    phrases = (attribute, f"{attribute} {name}", f"{name} {attribute}")
    return any(_normalised(phrase, thing.phrases) in thing.phrases for phrase in phrases)


def _normalised(phrase: str, known: frozenset[str]) -> str:
    """The phrase in lower case, without articles, with those words in the singular that are known in the singular."""
    words = [word for word in re.findall(r"[a-z0-9]+", phrase.lower()) if word not in _ARTICLES]
    vocabulary = {word for one in known for word in one.split()}
    return " ".join(_singular(word, vocabulary) for word in words)


def _singular(word: str, vocabulary: set[str]) -> str:
    if word in vocabulary:
        return word
    return next((word[:-cut] for cut in (1, 2) if word.endswith("s") and word[:-cut] in vocabulary), word)


def _is_inside(thing: Box, box: Box) -> bool:
    across, down = (thing[0] + thing[2]) / 2, (thing[1] + thing[3]) / 2
    return box[0] <= across <= box[2] and box[1] <= down <= box[3]


def _overlap(first: Box, second: Box) -> float:
    """The intersection over union of two boxes."""
    across = min(first[2], second[2]) - max(first[0], second[0])
    down = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(0.0, across) * max(0.0, down)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return shared / (sum(areas) - shared)
