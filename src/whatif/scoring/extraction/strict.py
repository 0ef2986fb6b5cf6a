"""The strict reader: what nobody would read otherwise (a letter alone, a box, JSON, `The answer is B.`).

It reads a text that consists of an answer, or that calls something its answer, once or always the same, and takes
nothing back afterwards. Everything else is left to the two readers that must agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from whatif.engine.language.number_words import NUMBER, canonical, in_digits
from whatif.engine.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, Kind, ambiguous
from whatif.scoring.extraction.words import same_words

_LONGEST = 20_000  # characters at the end of a text, in which it may call something its answer
_BRIEF = 200  # characters of a text that may be an answer and nothing else
_YES_OR_NO = {"yes": "yes", "true": "yes", "no": "no", "false": "no"}
_CALLED = re.compile(
    r"(?:(?P<supposed>\b(?:if|when|unless|assuming|suppose)\b[^.!?\n]{0,200}))?"
    r"\b(?:answer|(?:correct|right|best|final) (?:choice|option)|(?<=[\"'])(?:option|choice|letter)(?=[\"']))"
    r"(?:[_ ](?:text|letter|choice|option))?[\"']? ?(?:to (?:the|this|your) question )?"
    r"(?:(?:is|should be|must be)\b ?:?|:|=|(?<=\nanswer)(?=\n)) ?(?=\n?(?P<said>\S[^\n]{0,200}))",
    re.IGNORECASE,
)
# Where the words end that are called the answer: a sentence, a line, a value of JSON, or a reason that follows.
_END = re.compile(
    r"[.!?](?=\s|$|[\"'])|[;}]|[\"'],|"
    r",? (?:because|since|as|which|so|with|where|for|I (?:think|believe|guess|suppose))\b.*|(?<=\)): "
)
_TAKEN_BACK = re.compile(
    r"\b(?:wait|actually|however|but|correction|corrected|instead|rather|oops|sorry|alternatively|although|unless|or|"
    r"also|not|cannot|could|might|may|reconsider|mistake|wrong|unclear|unsure|uncertain|another|other|now|hmm)\b|n't\b",
    re.IGNORECASE,
)
_LAST_LETTER = re.compile(r"[.!?]\s+(?:\w+, )?\(?([A-Z])\)?\W*$")  # alone at the end
_LIST = re.compile(r"\W{0,2}\[ ?[\"']")  # of JSON
_WORD = 3  # letters; a longer option may contain words that take an answer back
_LETTER = re.compile(
    r"(?:(?:I think|I believe|Probably|[Ii]t's|[Ii]t is|[Ii]t would be|I choose|I pick|I'd say|"
    r"[Oo]ption|[Cc]hoice|[Aa]nswer|[Ll]etter) ){0,3}\W{0,3}"
    r"(?P<letter>[a-zA-Z])(?:\W{1,2}is (?:the )?(?:correct|right|best)(?: (?:answer|option|choice|one))?|"
    r"\W*?\W(?P<text>(?:(?<= )-)?\w[\s\S]*))?"
)
# `Indeed, it would not`, and what may stand before a yes or no.
_SHORT_FORM = re.compile(
    r"(?:it|he|she|they|there|we|you) (?:would|will|is|are|was|were|does|do|did|can|could|has|have)(?P<not> not|n't)?"
)
_SURELY = re.compile(
    r"\A(?:(?:indeed|probably|(?:most )?likely|certainly|definitely|absolutely|of course|surely|i think|i believe|"
    r"i guess|i think so|yes|no)\W{1,3}){0,4}"
)
_NOT_A_UNIT = frozenset(
    (
        *("or", "and", "to", "of", "out", "per", "than", "then", "minus", "plus", "times", "over", "by", "x", "not"),
        *("hundred", "thousand", "million", "billion", "trillion", "k", "am", "pm", "at", "if", "about", "around"),
        *("approximately", "between", "from", "more", "less", "most", "least"),
    )
)
_AROUND = " \t\r\n\"'*_`.,;:!$()[]{}<>|#~\\"
_AROUND_NUMBER = " \t\r\n\"'*_`()[]{}|#~\\:"  # `.5` is no 5, and `>5` is no number


def strictly_read(text: str, kind: Kind, choices: Sequence[str] | None) -> Extracted | None:
    """The answer of a text without markup if it can be read in one way only, otherwise None.

    A text that calls different things its answer, and takes none of them back, is ambiguous.

    The answer is `yes`, `no`, a number in its canonical form, the capital letter of an option, or the words that are
    called the answer. Of an `option text`, whose letters were not shown, only the whole text counts.
    """
    options = tuple(choices or ())
    if len(text) <= _BRIEF and kind != "text" and (answer := _alone(text, kind, options)):
        return Extracted(answer, "ok", None, read_by="strict")
    text = f"\n{text[-_LONGEST:]}"
    called = [*_CALLED.finditer(text)]
    answers = {_alone(_END.split(one["said"], maxsplit=1)[0], kind, options) for one in called}
    if not answers or None in answers or any(one["supposed"] or _LIST.match(one["said"]) for one in called):
        return None
    if len(answers) > 1:
        is_disputed = _TAKEN_BACK.search(text[called[0].start() :]) is not None
        return None if is_disputed else ambiguous("different answers, each called the answer")
    answer = answers.pop()
    is_disputed = _is_taken_back(text[called[-1].start("said") :], answer, kind, options)
    if is_disputed or _only_named(text, options) not in (None, answer):
        return None
    return Extracted(answer, "ok", None, read_by="strict")


def _only_named(text: str, options: tuple[str, ...]) -> str | None:
    """The letter of the only option whose words are in a text; None without one, or with several."""
    text = text.lower()
    named = [
        letter
        for letter, option in zip(LETTERS, options, strict=False)
        if (len(option) > 1 or option.isdigit())
        and option.lower() in text
        and re.search(rf"(?<!\w){re.escape(option.lower())}(?!\w)", text)
    ]
    return named[0] if len(named) == 1 else None


def _is_taken_back(after: str, answer: str | None, kind: Kind, options: tuple[str, ...]) -> bool:
    """Whether what follows takes an answer back, or names the opposite."""
    if kind == "boolean" and re.search(rf"\b{'no' if answer == 'yes' else 'yes'}\b", after, re.IGNORECASE):
        return True
    last = _LAST_LETTER.search(after) if options else None
    if last and last[1] != answer:
        return True
    for option in options:
        after = after.replace(option, " ") if len(option) > _WORD else after
    return _TAKEN_BACK.search(after) is not None


def _alone(text: str, kind: Kind, options: tuple[str, ...]) -> str | None:
    """The answer that a text consists of."""
    around, text = text, text.strip(_AROUND)
    if kind == "boolean":
        return _yes_or_no(text.lower())
    if kind == "number":
        return _number(around.strip(_AROUND_NUMBER))
    return same_words(text) or None if kind == "text" else _option(text, kind, options)


def _yes_or_no(text: str) -> str | None:
    """A word for yes or no, or a short form: `Of course it would`, `No, it wouldn't`."""
    rest = _SURELY.sub("", text, count=1)
    short = _SHORT_FORM.fullmatch(rest)
    answer = ("no" if short["not"] else "yes") if short else _YES_OR_NO.get(rest)
    before = {"yes", "no"}.intersection(re.findall(r"\w+", text.removesuffix(rest)))
    return answer if before <= {answer} else None


def _number(text: str) -> str | None:
    """A number with at most two words after it: `3 red cups`, `90°`. `No solution` is not zero of them."""
    text = re.sub(r"^(?:only|just|exactly) ", "", text.rstrip(_AROUND), flags=re.IGNORECASE)
    found = not text.lower().startswith("no ") and re.match(rf"[^\w<>-]{{0,2}}({NUMBER})", written := in_digits(text))
    if not found:
        return None
    rest = written[found.end() :].strip()
    words = re.findall(r"[^\W\d_]+", rest)
    is_unit = len(words) <= 2 and not re.search(r"[\d/=:^+*]", rest) and not _NOT_A_UNIT.intersection(words)
    return canonical(found[1]) if is_unit else None


def _option(text: str, kind: Kind, options: tuple[str, ...]) -> str | None:
    """The letter of an option that a text names by its letter, by its whole text, or by both."""
    said = _compared(text)
    same = [letter for letter, option in zip(LETTERS, options, strict=False) if _compared(option) == said]
    if kind == "option text":
        return same[0] if len(same) == 1 else None
    found = _LETTER.fullmatch(text)
    place = LETTERS.find(found["letter"].upper()) if found else -1
    if found and 0 <= place < len(options) and (found["letter"].isupper() or text.islower()):
        by_letter = found["text"] is None or _compared(found["text"]) == _compared(options[place])
        letter = LETTERS[place] if by_letter else None
        return letter if not same or same == [letter] else None
    return same[0] if len(same) == 1 else None


@lru_cache(maxsize=1 << 14)
def _compared(text: str) -> str:
    """The words and numbers of a text, without case, punctuation around them, and a leading article."""
    text = re.sub(r"\s+", " ", in_digits(text.lower()).strip(_AROUND))
    if re.fullmatch(NUMBER, text):
        return canonical(text)  # `1,250` and `1250`
    return re.sub(r"^(?:an?|the) (?=\w)", "", text)
