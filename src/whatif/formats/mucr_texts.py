"""Cue phrases and explanations of MuCR: how they are written, and what is wrong with them (MuCR 3.1, A.5)."""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.engine.files.well_formed import well_formed

FALSE_CUES = 3  # beside the right one
LONGEST_CUE = 8  # words; the paper asks for a word or a phrase
LONGEST_TEXT = 2_000  # characters of any text
CAUSE, EFFECT, LINK = "Cause:", "Effect:", "The causal link between them is that"
PARTS = (CAUSE, EFFECT, LINK)  # of an explanation, in this order
TWO_RIGHT = "two right cues"  # reason of a fault
FORM = f"{CAUSE} ... {EFFECT} ... {LINK} ..."

HISTORY_KINDS = ("idea", "comment", "captions")

_EMPTY = ("", "nan", "na", "<na>", "null")  # cells without a value, as in docs/labels.md
# Items of a list as Python and numpy write it: in quotes or not, with a comma or a space between them.
_ITEM = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|[^,;'"]*[^\s,;'"]""")
_GAP = re.compile(r"[\s,;]+|$")
_WHOLE_NUMBERS = re.compile(r"\d+(?:\.0*)?(?:\s+\d+(?:\.0*)?)*")
_EXPLANATION = re.compile(
    r"\s*Cause\s*:(?P<cause>.*?)Effect\s*:(?P<effect>.*?)The causal link between them is that\b(?P<link>.*)",
    re.IGNORECASE | re.DOTALL,
)
_MARKER = re.compile(r"\bcause\s*:|\beffect\s*:|the causal link between them is(?: that\b)?", re.IGNORECASE)


def one_text(value: Any) -> str | None:
    """The value of a cell as a text on one line; None for an empty cell, which may be `NaN`, `NA` or `null`.

    Raises ValueError, with what is wrong, when it is no text or number, or too long.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("is no text")
    whole = int(value) if isinstance(value, float) and value.is_integer() else value  # as spreadsheets have numbers
    text = " ".join(well_formed(str(whole)).split())
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"has {len(text):,} characters; the maximum is {LONGEST_TEXT:,}")
    return None if text.casefold() in _EMPTY else text


def several_texts(value: Any) -> list[str]:
    """The values of a cell with a list: a list, the text of one in the form of JSON, Python or numpy, or `a, b, c`.

    Empty values are left out. Raises ValueError when one of the values is no text or number, and for a list whose
    quotes are not in pairs.
    """
    given = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(given, list | tuple):
        return [text for one in given if (text := one_text(one)) is not None]
    text = one_text(given)
    if text is None:
        return []
    if not (text.startswith("[") and text.endswith("]")):
        return [text] if "," not in text and ";" not in text else _divided(text)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return _items(text[1:-1].strip())
    return [text for one in found if (text := one_text(one)) is not None]


def _divided(text: str) -> list[str]:
    return [one for part in re.split("[,;]", text) if (one := one_text(part)) is not None]


def _items(text: str) -> list[str]:
    """The items of a list as Python or numpy writes it, without its brackets."""
    if _WHOLE_NUMBERS.fullmatch(text):  # numpy: `2 3` or `2. 3.`
        return [number.partition(".")[0] for number in text.split()]
    if not text.startswith(("'", '"')):
        return _divided(text)
    found: list[str | None] = []
    place = 0
    while place < len(text):
        item = _ITEM.match(text, place)
        gap = _GAP.match(text, item.end()) if item else None
        if item is None or gap is None:
            raise ValueError(f"is a list whose quotes are not in pairs: [{text[:80]}]; write it as JSON")
        bare = None if item[0] == "None" else item[0]
        found.append(one_text(_unescaped(item[1]) if item[1] else bare))
        place = gap.end()
    return [one for one in found if one is not None]


def _unescaped(quoted: str) -> str:
    """A text that is in quotes as Python writes it. Raises ValueError when it has a faulty escape."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unknown escapes stay as they are
            return str(ast.literal_eval(quoted))
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"has a faulty escape in {quoted[:80]}; write the list as JSON") from error


def plain_cue(text: str) -> str:
    """A cue phrase in the form in which two of them are compared: without case and punctuation."""
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


def cue_fault(cues: Sequence[str], false_cues: Sequence[str]) -> tuple[str, str] | None:
    """Why cue phrases cannot be used, as a reason and its detail: one is right, three others are not (MuCR 3.1)."""
    right, others = plain_cue(cues[0]) if cues else "", [plain_cue(cue) for cue in false_cues]
    listed = ", ".join(false_cues)[:120]
    number = f"false_cue: has {len(others)} values, not {FALSE_CUES}: {listed}"
    unusable = [cue for cue in (*cues, *false_cues) if not plain_cue(cue) or len(cue.split()) > LONGEST_CUE]
    checks = (
        (not cues, "cue missing", "cue: is empty"),
        (len({plain_cue(cue) for cue in cues}) > 1, TWO_RIGHT, f"cue: has {len(cues)} values: {', '.join(cues)[:120]}"),
        (right in others, TWO_RIGHT, f"false_cue: {listed}: has the right cue, too: {right[:80]}"),
        (len(others) < FALSE_CUES, "false cue missing", number),
        (len(set(others)) < len(others), "false cue twice", f"false_cue: two are the same: {listed}"),
        (len(others) > FALSE_CUES, "too many false cues", number),
        (unusable, "no cue phrase", f"{''.join(unusable[:1])[:80]!r} is no phrase of at most {LONGEST_CUE} words"),
    )
    return next(((reason, detail) for fails, reason, detail in checks if fails), None)


def explanation_of(given: Sequence[str]) -> str:
    """An explanation in one form, of its three parts or of the whole text (MuCR A.5).

    Raises ValueError, with what is wrong, when a part is missing, empty or given twice.
    """
    if not given:
        raise ValueError("is empty")
    if len(given) == len(PARTS):
        parts = [_without_marker(part, marker) for part, marker in zip(given, PARTS, strict=True)]
    elif len(given) == 1:
        found = _EXPLANATION.fullmatch(given[0].strip().strip('"\u201c\u201d'))
        if found is None:
            raise ValueError(f"has not the three parts of `{FORM}`: {given[0][:80]!r}")
        parts = [found["cause"], found["effect"], found["link"]]
    else:
        raise ValueError(f"has {len(given)} parts, not {len(PARTS)}; they are those of `{FORM}`")
    cleaned = [" ".join(part.split()).strip(' "\u201c\u201d').rstrip(" .,;") for part in parts]
    for part, marker in zip(cleaned, PARTS, strict=True):
        if not part:
            raise ValueError(f"has nothing after `{marker}`")
        if _MARKER.search(part):
            raise ValueError(f"has two parts in the place of one, after `{marker}`: {part[:80]!r}")
    cause, effect, link = cleaned
    return f"{CAUSE} {cause}. {EFFECT} {effect}. {LINK} {link}."


def _without_marker(part: str, marker: str) -> str:
    words = " ".join(part.split())
    known = re.escape(marker).replace(":", r"\s*:")  # some write `Cause :`
    return re.sub(rf"^{known}", "", words, flags=re.IGNORECASE)


def history_of(value: Any) -> list[dict[str, str]]:
    """The history of a caption pair's refinement, in order (MuCR A.3, Figure 16): `kind`, `text`, perhaps `by`.

    An entry is a text, which is a comment, or an object with `kind` (`idea`, `comment`, `captions`) and `text`. The
    cell may have the list as a text in JSON. Raises ValueError, with what is wrong, for anything else.
    """
    if isinstance(value, str):
        if one_text(value) is None:
            return []
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("is no JSON list") from error
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return []
    if not isinstance(value, list | tuple):
        raise ValueError("is no list; give the steps in their order")
    return [_step(number, entry) for number, entry in enumerate(value, 1)]


def _step(number: int, entry: Any) -> dict[str, str]:
    if isinstance(entry, str):
        entry = {"kind": "idea" if number == 1 else "comment", "text": entry}
    if not isinstance(entry, Mapping):
        raise ValueError(f"step {number}: is neither a text nor an object")
    kind = one_text(entry.get("kind")) or ("idea" if number == 1 else "comment")
    if kind not in HISTORY_KINDS:
        raise ValueError(f"step {number}: kind {kind[:40]!r} is none of {', '.join(HISTORY_KINDS)}")
    keys = ("text",) if kind != "captions" else ("text", "cause", "effect")
    found = {key: text for key in (*keys, "by") if (text := one_text(entry.get(key))) is not None}
    if not found.keys() - {"by"}:
        raise ValueError(f"step {number}: has no text")
    return {"kind": kind, **found}
