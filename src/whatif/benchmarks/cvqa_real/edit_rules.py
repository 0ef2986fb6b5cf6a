"""Whether an edit of a question only corrects its grammar: numbers, names and meaning stay as they are (C-VQA 3.2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from whatif.benchmarks.cvqa_real.edited_words import changed_numbers, changed_roles, corrected, meaning_words
from whatif.benchmarks.cvqa_real.question_parts import has_two_presuppositions, main_clause, words_of
from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.number_words import in_digits
from whatif.engine.language.wording import one_line, without_pronoun_one

NO_QUESTION = "no single question"
LENGTH = "length changed"
FORM = "form changed"
NO_CLAUSE = "if clause lost"
NUMBERS = "numbers changed"
NEGATION = "negation changed"
AMOUNTS = "amounts changed"
PLACES = "place or direction changed"
PEOPLE = "people changed"
NAMES = "names changed"
WORDS = "words changed"

_LONGEST_SHARE = 1.5  # of the words before, and the other way round
_HOW_MANY = re.compile(r"\bhow\s+many\b")
_ASKS_YES_OR_NO = re.compile(
    r"(?:then )?(?:would|could|will|can|should|might|may|is|are|was|were|am|do|does|did|has|have|had)(?:n't)?\b"
)
_WOULD = re.compile(r"\b(?:would|could|might|should)(?:n't)?\b|'d\b")
_CAPITALISED = re.compile(r"(?<=[\w,;:)] )[A-Z][\w'-]*")
_NEGATIONS = re.compile(r"n't\b|\b(?:not|cannot|never|nor|neither|without|unless|hardly|nobody|nothing|none|no)\b")
_AMOUNTS = re.compile(
    r"\b(?:all|every|everyone|everything|everybody|each|both|half|halves|halved|twice|thrice|double[ds]?|triple[ds]?|"
    r"quadruple[ds]?|times|more|fewer|less|most|least|another|other|others|only|some|someone|somebody|something|many|"
    r"much|few|several|enough|even|or|either|same|first|second|third|last|next|almost|nearly|about|exactly|should|must|"
    r"might|may|can|could)\b"
)
_SAME_AMOUNT = {"less": "fewer", "doubles": "double", "doubled": "double", "everybody": "everyone", "others": "other"}
_SAME_AMOUNT |= {"triples": "triple", "tripled": "triple", "somebody": "someone", "might": "may", "could": "can"}
_PLACES = re.compile(
    r"\b(?:under|underneath|beneath|below|above|over|behind|before|after|beside|besides|between|among|near|nearby|"
    r"next to|inside|outside|indoors|outdoors|off|out|up|down|across|through|along|around|against|towards?|away|from|"
    r"front|back|top|bottom|middle|side|here|right|leftmost|rightmost|"
    r"(?<=the )left|(?<=to )left|(?<=on )left|(?<=his )left|(?<=her )left|"
    r"left(?= (?:side|hand|of|corner|half|end)\b))\b"
)
_SAME_PLACE = {"towards": "toward", "underneath": "under", "beneath": "under"}
_PREPOSITIONS = ("in", "on", "at", "with", "of")
_IMAGE_WORDS = r"(?:the |this |that )?(?:picture|image|photo|photograph|scene|background|foreground|shot|view)"
_MEN = re.compile(r"\b(?:he|him|his|himself)\b")
_WOMEN = re.compile(r"\b(?:she|her|hers|herself)\b")
_SPEAKERS = re.compile(r"\b(?:i|me|my|we|us|our|you|your)\b")

Fault = tuple[str, str]


def edit_fault(before: str, after: str, *, original: str = "") -> Fault | None:
    """Why an edit of a counterfactual question is refused: reason and detail; None if it only corrects the grammar.

    `original` is the original question of the pair: its words are spelled as they should be. The reasons:

    - `no single question`: not one sentence that ends with a question mark;
    - `length changed`: more than 1.5 times as many words, or fewer than so many parts of them;
    - `form changed`: `how many` is lost or added, `would` is lost, or a yes-or-no question becomes
      another one;
    - `if clause lost`, or a second one added;
    - `numbers changed`, in figures and in words alike;
    - `negation changed`; `amounts changed` (all, half, twice, more, another, ...; one thing and several);
    - `place or direction changed`; `people changed` (he and she, you);
      words of these three kinds may not move from the if clause to the rest of the question or back, either;
    - `names changed`: words with a capital letter inside the sentence;
    - `words changed`: any other word, except for its inflection, its spelling, or a repetition; `was chased` and
      `chased`, `has` and `is`.
    """
    before, after = one_line(before), one_line(after)
    if before == after:
        return None
    checks: tuple[Callable[[str, str], Fault | None], ...]
    checks = (_sentence, _length, _form, _clause, _mood, _counts, _names)
    for check in checks:
        if (fault := check(before, after)) is not None:
            return fault
    return _words(before, after, original)


def _sentence(before: str, after: str) -> Fault | None:
    breaks = len(re.findall(r"[.!;]\s", after)) - len(re.findall(r"[.!;]\s", before))
    if not after.endswith("?") or after.count("?") > 1 or breaks > 0:
        return NO_QUESTION, "the edit must be one question that ends with a question mark"
    return None


def _length(before: str, after: str) -> Fault | None:
    old, new = len(words_of(before)), len(words_of(after))
    if old <= _LONGEST_SHARE * new and new <= _LONGEST_SHARE * old:
        return None
    return LENGTH, f"{old} words became {new}"


def _form(before: str, after: str) -> Fault | None:
    old, new = main_clause(before), main_clause(after)
    if len(_HOW_MANY.findall(old)) != len(_HOW_MANY.findall(new)):
        return FORM, "`how many` was lost or added"
    if not _HOW_MANY.search(old) and _ASKS_YES_OR_NO.match(old) and not _ASKS_YES_OR_NO.match(new):
        return FORM, "the question can no longer be answered with yes or no"
    return None


def _clause(before: str, after: str) -> Fault | None:
    if if_clause(after) is None and if_clause(before) is not None:
        return NO_CLAUSE, "the edit has no if clause"
    if has_two_presuppositions(after) and not has_two_presuppositions(before):
        return NO_CLAUSE, "the edit has a second if clause"
    return None


def _mood(before: str, after: str) -> Fault | None:
    if _WOULD.search(main_clause(before)) and not _WOULD.search(main_clause(after)):
        return FORM, "`would` was lost"
    return None


def _counts(before: str, after: str) -> Fault | None:
    """Which of the words that decide the meaning are no longer there as often."""
    old, new = _spaced(before), _spaced(after)
    for reason, found in (
        (NUMBERS, lambda text: Counter(re.findall(r"\d+", in_digits(without_pronoun_one(text))))),
        (NEGATION, lambda text: Counter({"not": len(_NEGATIONS.findall(text))})),
        (AMOUNTS, lambda text: _counted(_AMOUNTS, text, _SAME_AMOUNT)),
        (PLACES, lambda text: _counted(_PLACES, text, _SAME_PLACE)),
        (PEOPLE, lambda text: Counter(men=len(_MEN.findall(text)), women=len(_WOMEN.findall(text)))),
        (PEOPLE, lambda text: Counter(you=len(_SPEAKERS.findall(text)))),
    ):
        if found(old) != found(new):
            return reason, _difference(found(old), found(new))
    if (moved := _moved(before, after)) is not None:
        return moved
    if several := changed_numbers(old, new):
        return AMOUNTS, f"one became several, or several became one: {', '.join(several)}"
    if (roles := changed_roles(old, new)) is not None:
        return WORDS, roles
    return _prepositions(old, new)


def _moved(before: str, after: str) -> Fault | None:
    """Which of these words are in another order in the if clause or in the rest, or have gone from one to the other."""
    if if_clause(before) is None or if_clause(after) is None:
        return None
    for part in (main_clause, if_clause):
        old, new = (_spaced(str(part(text))) for text in (before, after))
        for reason, pattern, same in (
            (NEGATION, _NEGATIONS, dict.fromkeys(_NEGATIONS.findall(f"{old} {new}"), "not")),
            (AMOUNTS, _AMOUNTS, _SAME_AMOUNT),
            (PLACES, _PLACES, _SAME_PLACE),
        ):
            was, now = ([same.get(word, word) for word in pattern.findall(text)] for text in (old, new))
            if was != now:
                return reason, f"these words were moved: {', '.join(_out_of_place(was, now))}"
    return None


def _out_of_place(was: list[str], now: list[str]) -> list[str]:
    """The words that only one of two lists has, or else all, sorted."""
    differing = (Counter(was) - Counter(now)) + (Counter(now) - Counter(was))
    return sorted(differing or {*was})


def _prepositions(before: str, after: str) -> Fault | None:
    """`in`, `on`, `at`, `with` and `of` may be added, or replaced before `the picture`, but not otherwise lost."""
    (old, old_elsewhere), (new, new_elsewhere) = (_preposition_counts(text) for text in (before, after))
    lost = [word for word in _PREPOSITIONS if new[word] < old[word] and new_elsewhere[word] < old_elsewhere[word]]
    return (PLACES, _difference(old, new)) if lost else None


def _preposition_counts(text: str) -> tuple[Counter[str], Counter[str]]:
    """How often each preposition occurs, and how often before other words than `the picture` and its kin."""
    elsewhere = re.sub(rf"\b(?:in|on|at|of) (?={_IMAGE_WORDS}\b)", "", text)
    every, other = (Counter(word for word in words_of(part) if word in _PREPOSITIONS) for part in (text, elsewhere))
    return every, other


def _names(before: str, after: str) -> Fault | None:
    """Names in the question keep their letters; whether they have a capital may be corrected."""
    kept = Counter(words_of(after))
    for name in _CAPITALISED.findall(before):
        if kept[name.lower()] < 1 and kept[name.lower().removesuffix("'s")] < 1:
            return NAMES, f"{name} was lost"
    known = Counter(words_of(before))
    for name in _CAPITALISED.findall(after):
        if known[name.lower()] < 1 and known[name.lower().removesuffix("'s")] < 1:
            return NAMES, f"{name} was added"
    return None


def _words(before: str, after: str, original: str) -> Fault | None:
    """Whether the words that carry meaning are the same in the same order, in each part or in the whole."""
    known = words_of(original)
    if _corrected(before, after, known):
        return None
    clauses = if_clause(before), if_clause(after)
    parts_kept = None not in clauses and all(
        _corrected(old, new, known)
        for old, new in ((main_clause(before), main_clause(after)), (str(clauses[0]), str(clauses[1])))
    )
    if parts_kept:
        return None
    return _other_words(before, after)


def _other_words(before: str, after: str) -> Fault:
    old, new = Counter(meaning_words(before)), Counter(meaning_words(after))
    return WORDS, _difference(old, new) or "the words are in another order"


def _corrected(before: str, after: str, known: Iterable[str]) -> bool:
    return corrected(meaning_words(_spaced(before)), meaning_words(_spaced(after)), known)


def _spaced(text: str) -> str:
    """Lower-case text in which a repeated word is there once: removing it is a correction."""
    return re.sub(r"\b((?:\w+ ){0,2}\w+)(?: \1\b)+", r"\1", text.lower())


def _counted(pattern: re.Pattern[str], text: str, same: dict[str, str]) -> Counter[str]:
    return Counter(same.get(word, word) for word in pattern.findall(text))


def _difference(old: Counter[str], new: Counter[str]) -> str:
    lost, added = sorted((old - new).elements()), sorted((new - old).elements())
    told = [f"{', '.join(words)} was {what}" for words, what in ((lost, "lost"), (added, "added")) if words]
    return "; ".join(told)
