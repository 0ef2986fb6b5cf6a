"""Options and right answers as benchmarks write them: lists, columns or lettered text; letters, numbers or texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from whatif.engine.files.well_formed import well_formed_json
from whatif.engine.language.options import LETTERS

# How the first of several lettered options begins; the others are the same with the next letters.
_STYLES = (r"\(A\)", r"(?<![\w(])A\)", r"(?<![\w.])A\.(?=\s)", r"(?<!\w)A\s?:")
_SMALL_STYLES = (r"\(a\)", r"(?<![\w(])a\)")
_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_LIST = re.compile(r"\s*\[.*\]\s*", re.DOTALL)
_PLACE = re.compile(r"(\d{1,3})(?:\.0+)?")  # also `2.0`, as data frames write whole numbers beside missing ones
_BEFORE = re.compile(r"(?:\b(?:options?|choices?|select the correct answer)\s*:?)?\s*\Z", re.IGNORECASE)


def options_of(value: Any) -> list[str]:
    """The options in a cell: a list, a mapping of labels to texts, `{text: [...], label: [...]}`, or JSON of these.

    They may also be a text with a letter before each option, or with `|` or a new line between them. A cell without
    options gives an empty list. Text with a Python list in it is read as far as it is JSON.
    """
    return [text for _, text in _labelled(value)]


def unread_options(rows: Sequence[Mapping[str, Any]], options: Sequence[Sequence[str]]) -> Iterator[str]:
    """Notes on columns of options (for each question one, or one for each option) that hold text but no options."""
    for column in dict.fromkeys(named[0] for named in options if len(named) == 1):
        cells = [row.get(column) for row in rows]
        lost = [str(cell) for cell in cells if cell not in (None, "", [], "[]") and not options_of(cell)]
        if lost:
            yield (
                f"{len(lost):,} cells of `{column}` hold no list of options, the first `{lost[0]:.40}`; write options "
                "as JSON or with | between them, or name another column with --options"
            )


def by_label(value: Any, answer: Any) -> Any:
    """The answer as a letter if it is the label of an option in this cell, otherwise as it is.

    Labels are keys, the list `label`, or the numbers of options: `{text: [red, blue], label: [1, 2]}` and 2 give B.
    """
    labels = [label.casefold() for label, _ in _labelled(value)]
    wanted = _text(answer).casefold()
    return LETTERS[labels.index(wanted)] if wanted and labels.count(wanted) == 1 else answer


def without_gaps(cells: Sequence[Any], answer: Any) -> tuple[list[str], Any]:
    """The options in columns of their own, without empty cells, and the answer as a letter among them.

    Where a cell between others is empty, a letter still means the column. A number cannot be read there.
    """
    texts = [_text(cell) for cell in cells]
    filled = [place for place, text in enumerate(texts) if text]
    options = [texts[place] for place in filled]
    if filled == list(range(len(filled))):
        return options, answer
    match = _LETTER.fullmatch(_text(answer))
    place = LETTERS.index(match[1].upper()) if match else -1
    if place in filled:
        return options, LETTERS[filled.index(place)]
    if place < 0 and _by_text(answer, options) >= 0:
        return options, LETTERS[_by_text(answer, options)]
    return options, f"{_text(answer)} (an option before others is empty)"


def _labelled(value: Any) -> list[tuple[str, str]]:
    """The label and the text of each option; labels are empty where a cell has none."""
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, Mapping):
        texts, labels = value.get("text", value.get("texts")), value.get("label", value.get("labels"))
        if not isinstance(texts, list):
            return [(_text(label), _text(one)) for label, one in value.items() if one is not None]
        if not isinstance(labels, list) or len(labels) != len(texts):
            labels = [""] * len(texts)
        return [(_text(label), _text(one)) for label, one in zip(labels, texts, strict=True)]
    if isinstance(value, list | tuple):
        return [("", _text(one)) for one in value]
    return []


def _parsed(text: str) -> Any:
    if not _LIST.fullmatch(text) and not text.lstrip().startswith("{"):
        if "|" in text:
            return text.split("|")
        return split_options(text, small=True)[1] or (
            [one for one in text.splitlines() if one.strip()] if "\n" in text else []
        )
    for written in (text, text.replace("'", '"')):
        try:
            return well_formed_json(written)
        except (ValueError, RecursionError):
            continue
    # Lists with both kinds of quotes, as Python prints them.
    return [one[0] or one[1] for one in re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", text)]


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def split_options(text: str, *, small: bool = False) -> tuple[str, list[str]]:
    """A question without its lettered options, and the options: `... A: 16  B: 17`, `(A) red (B) blue`, `A. red`.

    Options begin with A (with `small`, also with a) and follow each other; the last set in the text counts. Without two
    of them the text is returned as it is, with no options. A line after the last option is not part of it.
    """
    best: tuple[int, list[tuple[int, int]]] = (-1, [])
    for style in (*_STYLES, *_SMALL_STYLES) if small else _STYLES:
        for first in re.finditer(style, text):
            marks = [first.span()]
            for letter in LETTERS[1:]:
                one = style.replace("a", letter.lower()) if style in _SMALL_STYLES else style.replace("A", letter)
                following = re.compile(one).search(text, marks[-1][1])
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
    all of them, the first in this order if several fit as well. If another one of these gives other places, that is
    said.
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
    fits = {way: sum(place >= 0 for place in places) for way, places in found.items()}
    best = max(fits, key=lambda way: fits[way])
    others = [way for way in found if fits[way] == fits[best] > 0 and found[way] != found[best]]
    return found[best], f"{best} (but {' and '.join(others)} fits as well)" if others else best


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
    match = _PLACE.fullmatch(_text(answer))
    if match is None:
        return -1
    place = int(match[1]) - first
    return place if 0 <= place < len(texts) else -1
