"""Responses to every benchmark's own questions, with their right readings: `own_options.py` in `own_sentences.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from string import Formatter
from typing import Literal, TypeAlias

from tests.scoring.extraction.further_forms import CASES
from tests.scoring.extraction.own_options import Asked, sources
from tests.scoring.extraction.own_sentences import (
    BOOLEANS,
    CHINESE_IMAGES,
    IMAGES,
    LETTERS,
    NO_ANSWER,
    NUMBERS,
    OPEN,
    TEXTS,
    Sentences,
)
from whatif.engine.language.number_words import in_digits
from whatif.engine.language.options import LETTERS as NAMES
from whatif.scoring.extraction.answer import extract, is_correct
from whatif.scoring.extraction.extracted import Extracted

Outcome: TypeAlias = Literal["right", "missed", "wrong"]
OPEN_WORDS = ("red", "large", "tree", "background")
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_COUNTED = re.compile(r"how many ((?:[a-z-]+ )+?)(?:are|is|can|do|would|will|could|were|was|inside|outside|in)\b", re.I)
_IS_THERE = re.compile(r"(Is|Are) there (.*)\?")
_IF = re.compile(r"\bif [^?]+", re.IGNORECASE)


@dataclass(frozen=True)
class Response:
    """A response to a question, and its answer; None if it gives none."""

    asked: Asked
    group: str
    text: str
    answer: str | None


def responses() -> Iterator[Response]:
    """All sentences, each about some options of every question; always the same."""
    for of_source in sources().values():
        for place, asked in enumerate(of_source):
            yield from _of(asked, place)
    for kind, question, choices, text, answer in CASES:
        yield Response(Asked("further", kind, question, choices), "further forms", text, answer)


@cache
def read() -> tuple[tuple[Response, Extracted, Outcome], ...]:
    """Each response, what is extracted from it, and whether that is its answer."""
    found = []
    for one in responses():
        extracted = extract(one.text, one.asked.kind, one.asked.question, one.asked.choices or None)
        found.append((one, extracted, _outcome(one, extracted)))
    return tuple(found)


def counts() -> dict[str, Counter[Outcome]]:
    """The outcomes of each group of sentences."""
    found: dict[str, Counter[Outcome]] = {}
    for one, _, outcome in read():
        found.setdefault(one.group, Counter())[outcome] += 1
    return found


def _outcome(response: Response, found: Extracted) -> Outcome:
    kind = response.asked.kind
    if kind == "text":  # all words are extracted; wrong is what would count as the answer to another question
        words = {word for word in OPEN_WORDS if is_correct(found, word, kind)}
        right = words == ({response.answer} if response.answer else set())
        return "right" if right else "wrong" if words else "missed"
    if response.answer is None:
        return "wrong" if found.status == "ok" else "right"
    return "right" if is_correct(found, response.answer, kind) else "wrong" if found.status == "ok" else "missed"


def _of(asked: Asked, place: int) -> Iterator[Response]:
    turn = place
    for form, sentences in _sentences(asked):
        for group, texts in sentences.items():
            for text in texts:
                turn += 1
                words, answer = _filled(asked, turn)
                if {name for _, name, _, _ in Formatter().parse(text) if name} <= words.keys():
                    said = text.format_map(words)
                    yield Response(asked, f"{form}: {group}", said, None if group == NO_ANSWER else answer)


def _sentences(asked: Asked) -> Iterator[tuple[str, Sentences]]:
    if asked.images:
        yield "images", IMAGES if asked.choices[0].startswith("Image") else CHINESE_IMAGES
    elif asked.is_choice:
        if asked.kind == "choice":
            yield "letters", LETTERS
        yield "texts", TEXTS
    else:
        found = {"number": ("numbers", NUMBERS), "boolean": ("yes or no", BOOLEANS), "text": ("open", OPEN)}
        yield found[asked.kind]


def _filled(asked: Asked, turn: int) -> tuple[dict[str, str], str]:
    """The words for the places of a sentence, and its answer."""
    if asked.is_choice:
        return _options(asked, turn)
    if asked.kind == "number":
        return _numbers(asked, turn)
    if asked.kind == "boolean":
        yes, no = ("yes", "no") if turn % 2 else ("no", "yes")
        true, false = ("true", "false") if yes == "yes" else ("false", "true")
        words = {"yes": yes, "no": no, "true": true, "false": false}
        words |= {key.capitalize(): one.capitalize() for key, one in words.items()}
        if found := _IS_THERE.fullmatch(asked.question):
            words["there"] = f"There {found[1].lower()} {found[2].removeprefix('any ')}"
        return {"question": asked.question, **words}, yes
    word = OPEN_WORDS[turn % len(OPEN_WORDS)]
    return {"question": asked.question, "T": word}, word


def _options(asked: Asked, turn: int) -> tuple[dict[str, str], str]:
    number = len(asked.choices)
    said = turn % number
    other = (said + 1 + turn // number % (number - 1)) % number
    others = [place for place in range(number) if place != said]
    texts = [choice.rstrip(".") for choice in asked.choices]
    named = texts if asked.images else list(NAMES[:number])
    lines = "  ".join(f"{letter}:{choice}" for letter, choice in zip(NAMES, asked.choices, strict=False))
    return {
        "question": asked.question,
        "options": lines,
        "L": NAMES[said],
        "l": NAMES[said].lower(),
        "K": NAMES[other],
        "T": texts[said],
        "U": texts[other],
        **({} if any(". " in text for text in texts) else {"t": _inside(texts[said]), "u": _inside(texts[other])}),
        "N": texts[said],
        "M": texts[other],
        "rest": _listed([named[place] for place in others]),
        "others": " ".join(f"{NAMES[place]} is wrong." for place in others),
        "otherstexts": " ".join(f'"{texts[place]}" is wrong.' for place in others),
    }, NAMES[said]


def _numbers(asked: Asked, turn: int) -> tuple[dict[str, str], str]:
    """Numbers that are neither in the question nor the same as another one of the sentence."""
    own = {int(one) for one in re.findall(r"\d+", in_digits(asked.question.lower()))}
    free = [number for number in range(1, len(_WORDS)) if number not in own]
    less, added = next(
        (one, more) for one in (*free[1 + turn % 5 :], *free) for more in free if more != one and one + more in free
    )
    found = _COUNTED.search(asked.question)
    clause = _IF.search(asked.question)
    words = {
        "question": asked.question,
        "n": str(less + added),
        "w": _WORDS[less + added],
        "m": str(less),
        "d": str(added),
        "things": found[1].strip() if found else "things",
    }
    if clause:
        text = clause[0].split(",")[0].strip()
        words |= {"if": text, "If": text[0].upper() + text[1:]}
    return words, words["n"]


def _inside(text: str) -> str:
    """A text as it stands inside a sentence."""
    return text[0].lower() + text[1:] if text.startswith("The ") else text


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def main() -> None:
    """Prints the outcomes of each group of sentences as a table."""
    print("| sentences | responses | right | missed | wrong |\n|---|--:|--:|--:|--:|")
    for group, found in counts().items():
        right = 100 * found["right"] / found.total()
        print(f"| {group} | {found.total()} | {right:.1f}% | {found['missed']} | {found['wrong']} |")


if __name__ == "__main__":
    main()
