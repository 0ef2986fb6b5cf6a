"""Finds the option that a statement means without its literal text: by the words that belong to one option only.

The words that all options share say nothing. A clause means an option if all of its other words that occur in options
occur in this one, and in no further option. Of several clauses, the conclusion counts, or the last statement about the
asked situation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted, ambiguous, none
from whatif.scoring.extraction.option_words import ASIDE
from whatif.scoring.extraction.response_text import SUPPOSED, SUPPOSITION, clauses
from whatif.scoring.extraction.word_forms import content_of, known_as

SEVERAL = "words of more than one option"
_PIECES = re.compile(
    r"[,()]\s(?:and |but )?|(?<=:)\s|\b(?:while|whereas|although|though|but|and (?=(?:it|he|she|they|we|i|there)\b)|"
    r"therefore|thus|hence)\b|(?:,|\band) (?=not\b)"
)
_NEGATIVE = re.compile(
    r"\b(?:not|never|cannot|no|neither|nor|hardly|unable|impossible|unlikely|nobody|wrong|incorrect|forbidden|"
    r"fails?|out of the question)\b|n't\b"
)
_NOT = ("not", "n't", "no", "never", "neither", "nor", "cannot")
_VERB = re.compile(r"\b(?:is|are|was|were|be|would|will|it|he|she|they)\b|'[sd]\b|but")
_ASKS_NEGATIVE = re.compile(
    r"\b(?:not|never|unable|no longer|impossible|cannot|missing|disappear|lack|absent|gone|invisible)\b|n't\b"
)
_CONCLUDES = re.compile(
    r"^\W*(?:and |or )?(?:so(?! (?:would|do|does|is|are|will|did|can|could)\b)|therefore|thus|"
    r"hence|then|consequently|by elimination|this means)\b"
)
_HYPOTHETICAL = re.compile(r"\b(?:if|would|were|suppose|imagine|could|had|without)\b")
_ASKED = re.compile(rf"{SUPPOSED}|\b(?:would|will|must|then|should|has to|have to|needs? to)\b|'d\b|'ll\b")
_DESCRIBES = re.compile(
    r"^\W*(?:(?:in|on) (?:the|this) (?:image|picture|photo\w*|scene|diagram)|the (?:image|picture|photo\w*|scene) "
    r"(?:shows|depicts|is|has)|i (?:can )?see|we (?:can )?see|currently|right now|at the moment|there (?:is|are)|"
    r"there's|originally|initially)\b"
)
_SAYS = re.compile(r"\b(?:answer|option|choice|if|so|therefore|thus|hence|could|can)\b|→|:\s*\w+\W*\Z")
_OF_ANY = re.compile(r"\W*an? \w+\W*")  # `a leash` is not `a dog leash`
_LEAST = 0.5  # of an option's distinctive words, unless the clause has two of them
_EITHER = re.compile(r"\b(?:or|both|either)\b|(?<!\w)xboth\b")
_BRIEF = 9  # words of a clause in which one word may name a longer option


@dataclass(frozen=True)
class _Options:
    """The distinctive words of each option by its letter, the options that are negative, and all of their words."""

    words: Mapping[str, frozenset[str]]
    negative: frozenset[str]
    vocabulary: frozenset[str]
    are_actions: bool  # begin with their verb: `run outside`; another verb is another action

    @property
    def known(self) -> frozenset[str]:
        return frozenset[str]().union(*self.words.values())


@dataclass(frozen=True)
class _Meant:
    """What a clause means or denies."""

    letters: frozenset[str]
    is_denied: bool
    concludes: bool
    is_either: bool  # names several options on purpose: `both`, `or`
    is_whole: bool  # with all distinctive words of an option
    follows_colon: bool
    is_asked: bool  # about the asked situation
    is_stated: bool  # not only mentioned on the way to an answer
    sentence: int


def meant_in(text: str, question: str, choices: Sequence[str]) -> Extracted:
    """The only option that the statements of a text can mean; `ambiguous` if one names several, otherwise `none`."""
    options = _options(choices, question)
    if not all(options.words.values()) or _is_plural(text, choices):
        return none("no option")
    said = list(_statements(text, question, options))
    denied_ones = [one.letters for one in said if one.is_denied]
    affirmed = [one for one in said if not one.is_denied and (one.is_whole or one.letters not in denied_ones)]
    if any(one.is_denied and one.is_asked for one in said) and not any(one.is_stated for one in affirmed):
        affirmed = []  # what is only mentioned does not count beside what is denied
    if _ASKS_NEGATIVE.search(SUPPOSITION.sub("", question.lower())) and any(one.is_denied for one in said):
        negated = {letter for one in said if one.is_denied for letter in one.letters}
        affirmed = [one for one in said if one.letters <= negated]
    if affirmed:
        return _of_affirmed(affirmed)
    denied = {letter for one in said for letter in one.letters}
    left = set(options.words) - denied
    return Extracted(left.pop(), "ok", None) if denied and len(left) == 1 else none("no option")


def _of_affirmed(affirmed: Sequence[_Meant]) -> Extracted:
    """The option of the conclusion, or of the last statement about the asked situation, or of all statements."""
    single = [one for one in affirmed if len(one.letters) == 1]
    found = {letter for one in affirmed for letter in one.letters}
    decisive = [
        one.letters for one in (_concluded(single), _last(affirmed)) if one is not None and len(one.letters) == 1
    ]
    if not decisive and len(found) == 1 and any(one.is_stated for one in affirmed):
        decisive = [frozenset(found)]
    if decisive:
        return Extracted(next(iter(decisive[0])), "ok", None)
    if any(one.is_either and len(one.letters) > 1 and one.is_stated for one in affirmed):
        return ambiguous("more than one option")
    return none(SEVERAL if len({one.letters for one in affirmed if one.is_asked}) > 1 else "no option")


def stated_in(text: str, question: str, choices: Sequence[str]) -> set[str]:
    """The letters of options whose distinctive words a text states in full, as its conclusion or of what is asked."""
    options = _options(choices, question)
    return {
        letter
        for one in _statements(text, question, options)
        if (one.is_asked or one.concludes) and one.is_whole and not one.is_denied
        for letter in one.letters
    }


def asked_part(text: str, question: str) -> str:
    """The clauses of a text about the asked situation, or its conclusions; all of it without such clauses."""
    kept = [one for one in clauses(text, question) if _ASKED.search(one) or _CONCLUDES.match(one)]
    return "; ".join(kept) or text


def is_description(text: str, question: str) -> bool:
    """Whether several sentences describe an image from their beginning, and none is about what is supposed."""
    sentences = [sentence for sentence in re.split(r"(?<=[.!?;])\s+|\n+", text.lower()) if re.search(r"\w", sentence)]
    if len(sentences) < 2 or not _HYPOTHETICAL.search(question.lower()) or not _DESCRIBES.match(sentences[0]):
        return False
    return not any(_ASKED.search(one) or _CONCLUDES.match(one) or _SAYS.search(one) for one in sentences)


def _is_plural(text: str, choices: Sequence[str]) -> bool:
    """Whether a text is only the plural of an option's word: `phones` is not `phone`."""
    words = re.findall(r"\w+", text.lower())
    of_options = set(re.findall(r"\w+", " ".join(choices).lower()))
    return (
        0 < len(words) < 3
        and words[-1] not in of_options
        and bool({words[-1].removesuffix("s"), words[-1].removesuffix("es")} & of_options)
    )


def _options(choices: Sequence[str], question: str) -> _Options:
    texts = [re.sub(r"^\W*(?:yes|no)\b\W*(?=\w)", "", choice, flags=re.IGNORECASE) for choice in choices]
    words = [frozenset(content_of(text)) for text in texts]
    shared = frozenset.intersection(*words) if len(words) > 1 else frozenset()
    by_letter = dict(zip(LETTERS, (one - shared for one in words), strict=False))
    negative = frozenset(
        letter for letter, text in zip(LETTERS, texts, strict=False) if _NEGATIVE.search(ASIDE.sub("", text.lower()))
    )
    return _Options(
        by_letter,
        negative,
        vocabulary=frozenset(content_of(question)).union(*words),
        are_actions=all(content_of(text.split()[0]) for text in texts if text.split()),
    )


def _statements(text: str, question: str, options: _Options) -> Iterator[_Meant]:
    supposes = _HYPOTHETICAL.search(question.lower()) is not None
    asks_negative = _ASKS_NEGATIVE.search(SUPPOSITION.sub("", question.lower())) is not None
    sentences = clauses(text, question)
    ends = re.split(r"(?<=[.!?;])\s+|\n+", text.strip())[-1]
    last = len(sentences) - max(1, len(clauses(ends, question)))
    for number, sentence in enumerate(sentences):
        if supposes and len(sentences) > 1 and _DESCRIBES.match(sentence) and not _ASKED.search(sentence):
            continue
        concludes = _CONCLUDES.match(sentence) is not None
        after_colon = was_denied = False
        pieces = _pieces(sentence, options)
        for place, piece in enumerate(pieces):
            clause = ASIDE.sub(" ", piece)
            letters = _letters(clause, options)
            if letters:
                negative = _is_negative(clause, question) or (was_denied and _is_list(clause, options))
                is_denied = negative and not letters <= options.negative
                if not negative:
                    letters -= options.negative
            was_denied = bool(letters) and is_denied
            if letters:
                is_asked = _ASKED.search(piece) is not None or after_colon
                yield _Meant(
                    letters,
                    is_denied=is_denied and not (asks_negative and concludes),
                    concludes=concludes,
                    is_either=_EITHER.search(clause) is not None or _has_several(clause, letters, options),
                    is_whole=any(options.words[letter] <= set(content_of(clause)) for letter in letters),
                    follows_colon=after_colon,
                    is_asked=is_asked,
                    is_stated=is_asked or concludes or number >= last,
                    sentence=number,
                )
            after_colon = piece.rstrip().endswith(":") and place == len(pieces) - 2


def _is_negative(clause: str, question: str) -> bool:
    """Whether a clause denies something in other words than those of the question: `the wrong kind`."""
    return any(one[0] not in question.lower() or one[0] in _NOT for one in _NEGATIVE.finditer(clause))


def _is_list(clause: str, options: _Options) -> bool:
    """Whether a clause is a list of options, as after `not the cat, the dog, ...`, and has no verb of its own."""
    return not _VERB.search(clause) and all(known_as(word, options.known) for word in content_of(clause))


def _pieces(sentence: str, options: _Options) -> list[str]:
    """The clauses of a sentence; one that lists all words of an option, `the cat, the dog`, stays whole."""
    said = {word for one in content_of(sentence) if (word := known_as(one, options.known, options.vocabulary))}
    is_list = any(len(words) > 1 and words == said for words in options.words.values())
    return [sentence] if is_list and not _NEGATIVE.search(sentence) else _PIECES.split(sentence)


def _has_several(clause: str, letters: frozenset[str], options: _Options) -> bool:
    """Whether a clause has all distinctive words of each of several options."""
    said = set(content_of(clause))
    return len(letters) > 1 and all(options.words[letter] <= said for letter in letters)


def _letters(clause: str, options: _Options) -> frozenset[str]:
    """The options that the distinctive words of a clause can mean; several if no option has all of these words."""
    known = options.known
    said = frozenset(
        word for one in content_of(clause) if (word := known_as(one, known, options.vocabulary)) is not None
    )
    if not said:
        return frozenset()
    numbers = {one for one in content_of(clause) if one[0].isdigit()}
    if not numbers <= said and any(word[0].isdigit() for word in known):
        return frozenset()
    fits = {letter: words for letter, words in options.words.items() if said <= words}
    whole = [letter for letter, words in fits.items() if words == said]
    if len(whole) == 1:
        return frozenset(whole)
    if len(fits) == 1:
        (words,) = fits.values()
        others = any(known_as(one, options.vocabulary) is None for one in content_of(clause))
        is_brief = len(clause.split()) <= _BRIEF and not (others and options.are_actions)
        is_much = len(said) > _LEAST * len(words) or is_brief or (len(said) > 1 and not options.are_actions)
        is_much = is_much and not _OF_ANY.fullmatch(clause.strip())
        return frozenset(fits) if is_much else frozenset()
    return frozenset(letter for letter, words in options.words.items() if said & words)


def _concluded(said: Sequence[_Meant]) -> _Meant | None:
    """The last conclusion, unless a later statement means something else."""
    if not said:
        return None
    concluded = [one for one in said if one.concludes]
    return concluded[-1] if concluded and said[-1].letters == concluded[-1].letters else None


def _last(said: Sequence[_Meant]) -> _Meant | None:
    """The last statement about the asked situation, if there is none about another option in its sentence."""
    asked = [one for one in said if one.is_asked]
    if not asked or asked[-1].sentence != said[-1].sentence:
        return None
    return asked[-1] if len({one.letters for one in asked}) == 1 or asked[-1].follows_colon else None
