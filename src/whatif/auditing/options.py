"""Options and right answers as benchmarks write them: lists, columns or lettered text; letters, numbers or texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from whatif.language.options import LETTERS

# How the first of several lettered options begins; the others are the same with the next letters.
_STYLES = (r"\(A\)", r"(?<![\w(])A\)", r"(?<![\w.])A\.(?=\s)", r"(?<!\w)A\s?:")
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_LIST = re.compile(r"\s*\[.*\]\s*", re.DOTALL)
_BEFORE = re.compile(r"(?:\b(?:options?|choices?|select the correct answer)\s*:?)?\s*\Z", re.IGNORECASE)


def options_of(value: Any) -> list[str]:
    """The options in a cell: a list, a mapping of letters to texts, `{text: [...], label: [...]}`, or JSON of these.

    A cell without options gives an empty list. Text with a Python list in it is read as far as it is JSON.
    """
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, Mapping):
        texts = value.get("text", value.get("texts"))
        if isinstance(texts, list):
            return [_text(one) for one in texts]
        return [_text(one) for one in value.values() if one is not None]
    if isinstance(value, list | tuple):
        return [_text(one) for one in value]
    return []


def _parsed(text: str) -> Any:
    if not _LIST.fullmatch(text) and not text.lstrip().startswith("{"):
        return text.split("|") if "|" in text else []
    for written in (text, text.replace("'", '"')):
        try:
            return json.loads(written)
        except (ValueError, RecursionError):
            continue
    # Lists with both kinds of quotes, as Python prints them.
    return [one[0] or one[1] for one in re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", text)]


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def split_options(text: str) -> tuple[str, list[str]]:
    """A question without its lettered options, and the options: `... A: 16  B: 17`, `(A) red (B) blue`, `A. red`.

    Options begin with A and follow each other; the last set in the text counts. Without two of them the text is
    returned as it is, with no options. A line after the last option is not part of it.
    """
    best: tuple[int, list[tuple[int, int]]] = (-1, [])
    for style in _STYLES:
        for first in re.finditer(style, text):
            marks = [first.span()]
            for letter in LETTERS[1:]:
                following = re.compile(style.replace("A", letter)).search(text, marks[-1][1])
                if following is None:
                    break
                marks.append(following.span())
            if len(marks) > 1 and (len(marks), marks[0][0]) > (len(best[1]), best[0]):
                best = (marks[0][0], marks)
    start, marks = best
    if len(marks) < 2:
        return text, []
    ends = [*(begin for begin, _ in marks[1:]), len(text)]
    found = [text[mark[1] : end].strip(" \t\n,;") for mark, end in zip(marks, ends, strict=True)]
    found[-1] = found[-1].split("\n")[0].strip()
    question = _BEFORE.sub("", text[:start]).rstrip(" \t\n:")
    return question, found


def right_options(answers: Sequence[Any], options: Sequence[Sequence[str]]) -> tuple[list[int], str]:
    """The place of the right option for each answer, -1 where it is not found, and how answers were read.

    Answers are letters, texts of options, or places counted from 0 or from 1: what fits the most questions holds for
    all of them, the first in this order if several fit as well.
    """
    ways: dict[str, Callable[[Any, Sequence[str]], int]] = {
        "letter": _by_letter,
        "text of an option": _by_text,
        "place from 0": lambda answer, texts: _by_place(answer, texts, 0),
        "place from 1": lambda answer, texts: _by_place(answer, texts, 1),
    }
    found = {
        way: [read(answer, texts) for answer, texts in zip(answers, options, strict=True)] for way, read in ways.items()
    }
    best = max(found, key=lambda way: sum(place >= 0 for place in found[way]))
    return found[best], best


def _by_letter(answer: Any, texts: Sequence[str]) -> int:
    match = _LETTER.fullmatch(_text(answer))
    place = LETTERS.index(match[1].upper()) if match else -1
    return place if place < len(texts) else -1


def _by_text(answer: Any, texts: Sequence[str]) -> int:
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    wanted = _text(answer).casefold()
    same = [place for place, text in enumerate(texts) if text.casefold() == wanted]
    if len(same) == 1:
        return same[0]
    # `B. red` or `(B) red`, as some logs write the target
    led = re.match(r"\(?([A-Z])[).:]\s*(.+)", _text(answer), re.DOTALL)
    if led and (place := LETTERS.index(led[1])) < len(texts) and texts[place].casefold() == led[2].strip().casefold():
        return place
    return -1


def _by_place(answer: Any, texts: Sequence[str], first: int) -> int:
    if isinstance(answer, bool):
        return -1
    text = _text(answer)
    if isinstance(answer, float) and answer.is_integer():
        text = str(int(answer))
    if not text.isdecimal() or len(text) > 3:
        return -1
    place = int(text) - first
    return place if 0 <= place < len(texts) else -1
