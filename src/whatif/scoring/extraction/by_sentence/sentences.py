"""The text of a response without markup, as a list of sentences."""

from __future__ import annotations

import re

_END = 20_000  # characters that are looked at from each end of a response
_MARKS = re.compile(
    r"(?i)</?(?:s|b|i|u|p|br|em|strong|image) ?/?>|<\|[^|<>]{0,40}\|>|<image ?\d{0,2}>|\*\*|__|`+|"
    r"[\x00-\x08\u200b\ud800-\udfff]"
)
_LINE_STARTS = re.compile(r"(?m)^[ \t]*(?:#{1,6}|[*•>-])[ \t]+")
_FURTHER_TURN = re.compile(r"(?i)\n\s{0,9}(?:###? ?)?(?:Question|Hint|User|Human|Instruction|Q) ?\d{0,2}:")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_QUOTES = str.maketrans("’‘“”：（）\xa0−", "''\"\":() -")

BOX, UNBOX = "⟦", "⟧"  # around what a response puts into a box
_BOXED = re.compile(r"\\f?boxed ?\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}")
_TAGGED = re.compile(r"(?i)<(?:answer|conclusion)>([^<>]{1,200})</(?:answer|conclusion)>")
_STYLES = re.compile(r"\\(?:text(?:bf|it|rm|sf)?|math(?:bf|rm|sf|it)|bf|left|right|displaystyle|boldsymbol)(?![a-z])")
_ROOT = re.compile(r"\\sqrt ?\{ ?([^{}]*?) ?\}|√\{([^{}]*)\}")
_FRACTION = re.compile(r"\\[dt]?frac ?(?:\{([^{}]*)\}|(\d)) ?(?:\{([^{}]*)\}|(\d))")
_SIMPLE = re.compile(r"[\w.°π√]*")
_COMMAND = re.compile(r"\\([a-zA-Z]+|.)", re.DOTALL)
_DEGREES = re.compile(r"\^ ?\{? ?° ?\}?")
_SIGNS = {"pi": "π", "times": "×", "cdot": "·", "circ": "°", "approx": "≈", "angle": "∠", "sqrt": "√"}

# Not after `B.` or `2.` at the beginning of a line, nor after `a.m.`.
_BREAK = re.compile(
    r"\s*\n\s*|(?<=[.!?。])(?<!^[A-Za-z0-9]\.)(?<!\n[A-Za-z0-9]\.)(?<!\.[A-Za-z]\.)(?<!\bvs\.)[\"')\]]?\s+(?![a-z])"
)
_OPEN_END = re.compile(r"(?i)[:=]\s*$|^(?:(?:the|my|final|correct) )*(?:answer|conclusion)\W*$|\b(?:is|are|be)\s*$")
_CORRECTS = re.compile(
    r"(?i)^(?:but |oh,? |no,? )*wait\b[,.!:— -]|, wait,|\bhmm\b|\boops\b|"
    r"\bscratch (?:that|my)\b|\bon second thoughts?\b|"
    r"\bcorrection[:,]|\blet me (?:recount|redo|correct|re-?check|look again|count again)\b|"
    r"\bto correct (?:myself|that)\b|\b(?:ah|well),? no\b|\bor rather\b|"
    r"\bi (?:forgot|misread|miscounted|overlooked|take (?:that|it) back)\b"
)
_MAY_CORRECT = (
    "wait",
    "hmm",
    "oops",
    "scratch",
    "second thought",
    "correct",
    "let me ",
    "h, no",
    "l, no",
    "or rather",
    " back",
)


def plain(text: str) -> str:
    """The text without LaTeX: `\\frac{1}{2}` is 1/2, `2\\sqrt{3}` 2√3, `\\text{cm}` cm; a box is put into ⟦⟧."""
    if "\\" in text:
        text = _BOXED.sub(rf"{BOX}\1{UNBOX}", _STYLES.sub("", text))
        text = _FRACTION.sub(_over, _FRACTION.sub(_over, _ROOT.sub(r"√\1\2", text)))
        text = _DEGREES.sub("°", _COMMAND.sub(_sign, text)).replace("~", " ")
    elif "√{" in text:
        text = _ROOT.sub(r"√\1\2", text)
    return text.replace("$", "").replace("{", "").replace("}", "")


def of(response: str) -> list[str]:
    """The sentences of a response that count: without markup, invented further turns, and what is taken back later.

    A line that ends with a colon, and a heading `Answer`, belong to the next line.
    """
    if len(response) > 2 * _END:
        response = f"{response[:_END]}\n{response[-_END:]}"
    if not response.isascii():
        response = _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), response)
    text = _MARKS.sub("", _TAGGED.sub(rf"\n{BOX}\1{UNBOX}\n", response)).translate(_QUOTES).strip()
    if "\n" in text:
        turn = _FURTHER_TURN.search(text)
        text = _LINE_STARTS.sub("", text[: turn.start()] if turn else text)
    found: list[str] = []
    is_open = False
    for piece in filter(None, _BREAK.split(plain(text).strip())):
        if is_open:
            found[-1] = f"{found[-1]}{'' if found[-1][-1] in ':=' else ':'} {piece}"
        else:
            found.append(piece)
        is_open = len(found[-1]) < 400 and _OPEN_END.search(piece[-40:]) is not None
    lower = text.lower()
    return _after_correction(found) if any(mark in lower for mark in _MAY_CORRECT) else found


def _after_correction(sentences: list[str]) -> list[str]:
    """What follows the last place at which a response takes back what it said."""
    for place in range(len(sentences) - 1, -1, -1):
        if (found := _CORRECTS.search(sentences[place])) and (place or found.start()):
            first = _CORRECTS.split(sentences[place])[-1].strip(" ,.:;-!—")
            return [first or sentences[place], *sentences[place + 1 :]]
    return sentences


def _over(fraction: re.Match[str]) -> str:
    parts = (fraction[1] or fraction[2] or "", fraction[3] or fraction[4] or "")
    return "/".join(part if _SIMPLE.fullmatch(part) else f"({part})" for part in map(str.strip, parts))


def _sign(command: re.Match[str]) -> str:
    name = command[1]
    if name.isalpha():
        return _SIGNS.get(name, f" {name} ")
    return name if name in "%$&#" else " "
