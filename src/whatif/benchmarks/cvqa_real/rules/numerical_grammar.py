"""The grammar of "how many" questions: what is counted, and the question under a condition (C-VQA 3.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from whatif.benchmarks.cvqa_real.rules.question_words import (
    FOOD,
    PREPOSITIONS,
    THING,
    NotChangedError,
    cleaned,
    is_plural,
    is_verb_in_ing,
    kind_of,
    refuse_if,
    singular,
    words_of,
)

_MEASURES = words_of(
    "times years hours minutes seconds days weeks months feet inches miles meters degrees dollars cents percent pounds "
    "ounces calories points"
)
_WHOLE = "picture|photo|image|scene|shot|photograph|frame|view|pic|pictures"
_SCENE = re.compile(
    rf"(?:(?:in|on|of) (?:the|this|that|these) (?:entire |whole |full )?(?:{_WHOLE})|"
    r"in (?:view|total|all|sight|picture|photo)|here|shown|visible|seen|pictured|present|depicted|there|"
    r"displayed|around|total|altogether|nearby|outside|inside)"
    rf"(?: (?:here|in total|in (?:the|this|that) (?:{_WHOLE})|total))?"
)
_ENDS = words_of("are is do does can could was were would have has will")
_BASE_VERBS = words_of("have appear make wear hold carry contain face need use show stand sit eat own play ride")
_STATES = words_of(
    "on off open closed red blue green yellow black white brown orange pink purple grey gray lit up down full empty "
    "asleep awake adult adults male female alive airborne upright set cut ripe standing clean dirty wet dry left "
    "missing"
)
_LIFELESS = words_of("stuffed toy teddy plastic ceramic fake porcelain rubber wooden stone computer painted snow")
_PORTIONS = words_of("slice piece bunch bite group herd flock pair")
_SEES = frozenset({("do", "you"), ("can", "you"), ("could", "you")})
_IS_SEEN = frozenset({("can", "be", "seen"), ("can", "been", "seen"), ("could", "be", "seen"), ("can", "be", "found")})


class Counted(NamedTuple):
    """A parsed "how many" question.

    `phrase` is the counted noun phrase and `noun` its head, in the plural. `frame` is the new question up to its
    condition. `addition` is what more of them do in a condition (`were there`), None where their kind decides (`came`):
    then the whole image is counted. `place` is where they are counted, or empty.
    """

    phrase: str
    noun: str
    frame: str
    addition: str | None
    place: str


class _Frame(NamedTuple):
    asked: str
    addition: str | None = None
    place: str = ""


def parsed(question: str) -> Counted | str:
    """The parts of a "how many" question, or why it cannot be changed."""
    try:
        return _parsed(cleaned(question))
    except NotChangedError as reason:
        return str(reason)


def single_head(counted: Counted) -> str:
    """The noun that decides how things come and leave: `pizza` in `slices of pizza`, otherwise the head; singular."""
    contents = counted.phrase.lower().split(" of ")
    head = singular(counted.noun.lower())
    if len(contents) == 2 and head in _PORTIONS:
        last = contents[1].split()[-1]
        return singular(last) if is_plural(last) else last
    return head


def counted_kind(counted: Counted) -> str:
    """What is counted, as `kind_of` says it of one noun; a toy is a thing, and a hot dog is food."""
    words = set(counted.phrase.lower().split())
    if words & _LIFELESS:
        return THING
    return FOOD if "hot" in words and counted.noun.lower() == "dogs" else kind_of(single_head(counted))


def _parsed(text: str) -> Counted:
    words = text.split()[2:]
    lower = [word.lower() for word in words]
    refuse_if(
        (not text.lower().startswith("how many ") or not words, "does not begin with `how many`"),
        ("or" in lower or "and/" in lower or "," in text, "has several parts"),
        (lower[:1] in (["of"], ["more"], ["other"]) or "than" in lower, "counts a part of a group, or compares"),
        (any(word in {"not", "no"} or word.endswith("n't") for word in lower), "has a negation"),
    )
    end = _end_of_phrase(lower)
    phrase, rest = words[:end], words[end:]
    noun = _head(phrase)
    measure = noun.lower() in _MEASURES and len(phrase) == 1 and not (noun.lower() in {"feet", "points"} and rest)
    refuse_if((measure, "asks for a measure, not for a count of things"))
    kept = [word for word in phrase if word.lower() not in {"different", "total", "visible", "separate"}]
    frame = _frame(" ".join(phrase), rest)
    return Counted(" ".join(kept), noun, f"How many {frame.asked}", frame.addition, frame.place)


def _end_of_phrase(lower: Sequence[str]) -> int:
    """The number of words of the noun phrase that follows `how many`."""
    for place, word in enumerate(lower[1:], start=1):
        if word in _ENDS or (word in PREPOSITIONS and word != "to"):
            return place
        verb = is_verb_in_ing(word) and lower[place + 1 : place + 2] not in (["are"], ["is"])
        more = word in _BASE_VERBS or word.endswith("ed") or word in {"there", "here", "total", "shown", "seen", "you"}
        if is_plural(lower[place - 1]) and (verb or more):
            return place
    return len(lower)


def _head(phrase: Sequence[str]) -> str:
    """The counted noun: the plural before `of`, or at the end."""
    lower = [word.lower() for word in phrase]
    stop = lower.index("of") if "of" in lower else len(lower)
    head = phrase[stop - 1] if stop else ""
    usable = head.replace("-", "").isalpha() and is_plural(head) and lower[0] not in {"the", "these", "those"}
    refuse_if((not usable, "no plural noun found"))
    return head


def _frame(phrase: str, rest: Sequence[str]) -> _Frame:
    """The question with `would`, from the words after the noun phrase."""
    if not rest:
        return _Frame(f"{phrase} would there be")
    for form in _FORMS:
        made = form(phrase, rest, [word.lower() for word in rest])
        if made is not None:
            return made
    raise NotChangedError("the words after the noun follow no known grammar")


def _seen(phrase: str, rest: Sequence[str], lower: Sequence[str]) -> _Frame | None:
    """`do you see`, `can be seen in the picture`."""
    if tuple(lower[:2]) in _SEES and lower[2:3] in (["see"], ["count"], ["find"]):
        return _placed(f"{phrase} would you {lower[2]}", " ".join(rest[3:]))
    return _placed(f"{phrase} would be {lower[2]}", " ".join(rest[3:])) if tuple(lower[:3]) in _IS_SEEN else None


def _there(phrase: str, rest: Sequence[str], lower: Sequence[str]) -> _Frame | None:
    """`are there on the bed`, `on the bed`, `there`."""
    if lower[0] in {"are", "is"} and lower[1:2] == ["there"]:
        return _placed(f"{phrase} would there be", " ".join(rest[2:]))
    verb = next((place for place, word in enumerate(lower) if word in {"are", "can", "do"}), 0)
    if lower[0] in PREPOSITIONS and 1 < verb < len(rest) - 1:  # wheels on his skateboard are visible
        return _frame(f"{phrase} {' '.join(rest[:verb])}", rest[verb:])
    if lower[0] in PREPOSITIONS:
        return _placed(f"{phrase} would there be", " ".join(rest))
    if " ".join(lower) == "here":
        return _Frame(f"{phrase} would there be here")
    return _Frame(f"{phrase} would there be") if _SCENE.fullmatch(" ".join(lower)) else None


def _verb(phrase: str, rest: Sequence[str], lower: Sequence[str]) -> _Frame | None:
    """`wearing hats`, `have hats`."""
    text = " ".join(rest)
    if _again(lower[1:]):
        return None
    if is_verb_in_ing(rest[0]):
        return _Frame(f"{phrase} would be {text}", "did the same")
    return _Frame(f"{phrase} would {text}", "did too") if lower[0] in _BASE_VERBS and len(lower) > 1 else None


def _being(phrase: str, rest: Sequence[str], lower: Sequence[str]) -> _Frame | None:
    """`are in the room`, `are visible`, `are wearing hats`, `are on`."""
    text = " ".join(rest[1:])
    if lower[0] not in {"are", "is"} or len(lower) < 2 or _again(lower[1:]):
        return None
    if _SCENE.fullmatch(text.lower()):
        return _Frame(f"{phrase} would be {text}")
    if is_verb_in_ing(rest[1]) and lower[1] != "being":
        return _Frame(f"{phrase} would be {text}", "did the same")
    if lower[1] in PREPOSITIONS and len(rest) > 2:
        return _Frame(f"{phrase} would be {text}", "were there", text)
    known = lower[1].endswith(("ed", "en")) or lower[1] in _STATES or lower[1] == "being"
    return _Frame(f"{phrase} would be {text}", f"were {text}") if known and lower[0] == "are" else None


def _belonging(phrase: str, rest: Sequence[str], lower: Sequence[str]) -> _Frame | None:
    """`is the man holding`, `does the bus have`."""
    if (
        lower[0] in {"are", "is"}
        and lower[1:2]
        and lower[1] in {"the", "this", "these", "he", "she", "they", "that", "his"}
    ):
        last = len(rest) - 1 - (lower[-1] in {"up", "on"})
        known = is_verb_in_ing(rest[last]) and not _again(lower[1:])
        asked = f"{phrase} would {' '.join(rest[1:last])} be {' '.join(rest[last:])}"
        return _Frame(asked, "were added") if known else None
    if lower[0] not in {"do", "does"}:
        return None
    verbs = "have|has|own|hold|carry|contain|use|wear|see|show"
    found = re.fullmatch(rf"(.+?) ({verbs})(?: on)?", " ".join(rest[1:]), re.IGNORECASE)
    if found is None or _again(found[1].lower().split()) or found[1].lower() in {"you", "we", "i"}:
        return None
    verb = "have" if found[2].lower() == "has" else found[2]
    return _Frame(f"{phrase} would {found[1]} {verb}", "were added")


_FORMS: tuple[Callable[[str, Sequence[str], Sequence[str]], _Frame | None], ...] = (
    _seen,
    _there,
    _belonging,
    _being,
    _verb,
)


def _placed(frame: str, place: str) -> _Frame | None:
    if not place:
        return _Frame(frame)
    if _SCENE.fullmatch(place.lower()):
        return _Frame(f"{frame} {place}")
    known = place.split(maxsplit=1)[0].lower() in PREPOSITIONS and not _again(place.lower().split())
    return _Frame(f"{frame} {place}", "were there", place) if known else None


def _again(words: Sequence[str]) -> bool:
    """Whether a second clause begins, or a comparison."""
    joins = {"that", "who", "which", "than", "are", "is", "if", "do", "does", "and", "but", "have", "has"}
    return bool(joins & set(words))
