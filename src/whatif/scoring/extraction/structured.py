"""Finds the answer in JSON: the value of a key such as `answer`, or the option with the largest share."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.language.number_words import in_digits
from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Kind
from whatif.scoring.extraction.option_words import option_words

_KEYS = (
    ("finalanswer", "finalresponse", "finalchoice", "finalcount", "finaloption"),
    ("answer", "correctanswer", "correctoption", "correctchoice", "youranswer", "myanswer", "bestanswer"),
    ("respuesta", "réponse", "reponse", "antwort", "resposta", "risposta", "antwoord", "ответ", "答案", "回答", "答え"),
    ("prediction", "predictedanswer", "predicted", "choice", "option", "selectedoption", "selectedanswer", "selected"),
    ("selection", "chosenoption", "letter", "label", "response", "result", "output", "verdict", "conclusion"),
    ("remaining", "left", "after", "final", "newnumber", "afterwards", "resulting", "remainder"),
    ("value", "count", "total", "number", "newcount", "newtotal", "totalcount", "answertext", "text"),
)
_LAST = frozenset(("remaining", "left", "after", "final", "new", "result", "answer"))  # words of a key
_TEXTS = ("answertext", "optiontext", "choicetext", "text", "value", "content", "answervalue")
_CHOSEN = ("selected", "correct", "iscorrect", "chosen", "isanswer", "answer", "right")
_CHOSEN_NAME = ("option", "letter", "choice", "label", "id", "key", "name")
_BOOLEANS = {"yes": True, "true": True, "correct": True, "no": False, "false": False, "incorrect": False}
_CALLED = 4  # rows of keys that call their value the answer
_ATTEMPTS = 20
_OPENING = re.compile(r"[{\[]")
_PYTHON = re.compile(r"\{[^{}]{1,4000}\}")
_CUT = re.compile(
    r"""\A[^{\w]*\{\s*["'](?P<key>[\w ]{1,30})["']\s*:\s*["']?(?P<value>[^"'{}\[\],\n]{1,200})["']?,\s*["'][^{}]*\Z"""
)
_SHARES = re.compile(
    r"(?<!\w)(?:(?P<first>[A-Z]|[Yy]es|[Nn]o)(?:\)|\b)[^\w%]{1,5}(?P<after>\d+(?:\.\d+)?) ?%|"
    r"(?P<before>\d+(?:\.\d+)?) ?%[^\w%]{1,4}(?:for |of |option )?(?P<second>[A-Z]|[Yy]es|[Nn]o)\b)"
)
_PROBABILITIES = re.compile(r"(?<!\w)(?P<first>[A-Z])\)? ?[:=] ?(?P<after>0?\.\d{1,4}|[01](?:\.0+)?)(?![\d.])")
_SHARE = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<percent>%?)")


def with_values(response: str, kind: Kind, question: str, choices: Sequence[str] | None) -> str:
    """A response with the answer of each JSON object in its place: `answer: B` for `{"answer": "B", "why": ...}`.

    Objects without a recognisable answer stay as they are. An object that was cut off has an answer if its first key is
    the answer's.
    """
    letters = LETTERS[: len(choices or ())]
    pieces, end = [], 0
    for attempt, opening in enumerate(_OPENING.finditer(response)):
        if attempt >= _ATTEMPTS:
            break
        if opening.start() < end:
            continue
        value, stop = _parsed(response, opening.start())
        if isinstance(value, list) and not _is_answer(value, response):
            continue
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):  # the box `{2:1}`
            continue
        value = _with_letters(value, choices)
        is_plain = isinstance(value, dict) and choices and not any(_rank(str(key)) <= _CALLED for key in value)
        said = _of_asked(value, question, choices) if is_plain else None
        if said is None and isinstance(value, dict | list):
            said = _answer_of(value, kind, letters)
        if said is None and isinstance(value, dict):
            said = _of_asked(value, question, choices)
        if said is not None:
            pieces += [response[end : opening.start()], f"\nanswer: {said}\n"]
            end = stop
    if not pieces and (cut := _CUT.match(response)) and _rank(cut["key"]) < 2:
        return f"answer: {cut['value']}"
    return "".join([*pieces, response[end:]])


def _is_answer(values: Sequence[Any], response: str) -> bool:
    """Whether a list may be an answer, and is not a note such as `[1]`."""
    return any(isinstance(one, dict) for one in values) or (
        response.strip().endswith("]") and response.strip()[0] == "["
    )


def with_shares(text: str, letters: str) -> str:
    """A text that gives shares in percent to letters, or to yes and no, with the largest as its answer in front."""
    shares: dict[str, float] = {}
    for found in _PROBABILITIES.finditer(text) if letters else ():
        shares.setdefault(found["first"], float(found["after"]))
    if sum(shares.values()) > 1.01 or not set(shares) <= set(letters):
        shares = {}
    for found in _SHARES.finditer(text):
        name, number = (found["first"], found["after"]) if found["first"] else (found["second"], found["before"])
        if name in letters or name.lower() in ("yes", "no"):
            shares.setdefault(name, float(number))
    if len(shares) < 2:
        return text
    most = max(shares.values())
    return f"answer: {' and '.join(name for name, share in shares.items() if share == most)}"


def _parsed(response: str, start: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(strict=False).raw_decode(response, start)
    except (ValueError, RecursionError):
        if not (python := _PYTHON.match(response, start)):
            return None, start
    try:
        return ast.literal_eval(python[0]), python.end()
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None, start


def _answer_of(value: Any, kind: Kind, letters: str) -> str | None:  # noqa: PLR0911
    """The answer that a JSON value gives, as text; None if it has none that can be recognised."""
    if isinstance(value, list):
        return _of_list(value, kind, letters)
    if not isinstance(value, dict):
        return _text(value)
    names = {re.sub(r"[\W_]+", "", str(key).casefold()): key for key in value}
    several = [_text(value[key]) for name, key in names.items() if re.fullmatch(r"answer\d", name)]
    if len(several) > 1:
        return " and ".join(several)
    for name in (name for row in _KEYS for name in row):
        if name in names and (kind != "number" or _may_be_number(value[names[name]])):
            said = _answer_of(value[names[name]], kind, letters)
            texts = [_text(value[names[text]]) for text in _TEXTS if text in names and text != name]
            return f"{said}: {texts[0]}" if said and said in letters and texts else said
    flags = [one for one in value.values() if isinstance(one, bool)]
    if kind == "boolean" and len(flags) == 1:
        return _text(flags[0])
    if kind == "number" and (last := _of_last(value)) is not None:
        return last
    return _of_letters(value, letters) or (_text(next(iter(value.values()))) if _has_one_value(value) else None)


def _of_last(value: Mapping[str, Any]) -> str | None:
    """The value of the only key with a word such as `remaining`."""
    found = [key for key in value if _LAST & _parts_of(str(key)) and isinstance(value[key], str | int | float)]
    return _text(value[found[0]]) if len(found) == 1 else None


def _parts_of(key: str) -> set[str]:
    """The words of a key: `eggs_remaining`, `eggsRemaining`."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+", key)}


def _has_one_value(value: Mapping[str, Any]) -> bool:
    return len(value) == 1 and isinstance(next(iter(value.values())), str | int | float | bool)


def _of_letters(value: Mapping[str, Any], letters: str) -> str | None:
    by_letter = {letter: value[key] for key in value if (letter := str(key).strip("() .")) in letters and letter}
    return _largest(by_letter) if len(by_letter) > 1 and len(by_letter) >= len(value) - 1 else None


def _with_letters(value: Any, choices: Sequence[str] | None) -> Any:
    """A JSON object whose keys are the options' texts, with their letters as keys."""
    if not isinstance(value, dict) or not choices:
        return value
    letters = dict(zip(map(option_words, choices), LETTERS, strict=False))
    keys = {key: letters.get(option_words(str(key))) for key in value}
    return {keys[key]: one for key, one in value.items()} if len(keys) > 1 and None not in keys.values() else value


def _of_asked(value: Mapping[str, Any], question: str, choices: Sequence[str] | None) -> str | None:
    """The only value that is an option's text; of several, or without options, that of the key from the question."""
    texts = {key: _text(one) for key, one in value.items() if isinstance(one, str | int | float)}
    if choices:
        options = {option_words(choice) for choice in choices}
        texts = {key: text for key, text in texts.items() if option_words(text) in options}
        if len(texts) == 1:
            return next(iter(texts.values()))
    words = set(re.findall(r"\w+", question.lower().partition(" if ")[0]))
    keys = [key for key in texts if str(key).lower() in words]
    return texts[keys[0]] if len(keys) == 1 else None


def _of_list(values: Sequence[Any], kind: Kind, letters: str) -> str | None:
    """Of objects, the one that is marked as chosen; otherwise the values one after the other."""
    if values and all(isinstance(one, dict) for one in values):
        chosen = []
        for one in values:
            names = {re.sub(r"[\W_]+", "", str(key).casefold()): one[key] for key in one}
            if any(names.get(name) is True for name in _CHOSEN):
                chosen.append(next((str(names[name]) for name in _CHOSEN_NAME if name in names), ""))
        if chosen:
            return " and ".join(chosen)
        return _answer_of(values[0], kind, letters) if len(values) == 1 else None
    if not values or any(isinstance(one, dict | list) for one in values):
        return None
    return " and ".join(_text(one) for one in values)


def _may_be_number(value: Any) -> bool:
    """Whether a value can be an answer in number; a name, as of what was counted, is none."""
    if value is None or isinstance(value, dict | list | int | float):
        return True
    return re.search(r"\d", said := in_digits(str(value))) is not None or len(said.split()) > 2


def _text(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).replace("\n", " ")


def _largest(by_letter: Mapping[str, Any]) -> str | None:
    """The letter with the value true, or with the largest number or share; None if the values are neither."""
    by_letter = {letter: _BOOLEANS.get(str(one).strip().lower(), one) for letter, one in by_letter.items()}
    if all(isinstance(one, bool) for one in by_letter.values()):
        return " and ".join(letter for letter, one in by_letter.items() if one) or None
    shares = {letter: _SHARE.fullmatch(str(one).strip()) for letter, one in by_letter.items()}
    numbers = {letter: float(share["number"]) for letter, share in shares.items() if share}
    if len(numbers) < len(by_letter):
        return None
    most = max(numbers.values())
    return " and ".join(letter for letter, number in numbers.items() if number == most)


def _rank(key: str) -> int:
    name = re.sub(r"[\W_]+", "", key.casefold())
    return next((place for place, row in enumerate(_KEYS) if name in row), len(_KEYS))
