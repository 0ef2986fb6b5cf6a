"""Finds the option that a text of several sentences arrives at, where its words alone leave several options.

The conclusion counts most, then the only statement about what is asked, such as the last one, then the only option that
is left when the others are set aside. What several options have in common (`The chair, the lamp and the window are far
away.`) sets them aside, because a question has one answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from whatif.language.options import LETTERS
from whatif.scoring.extraction.extracted import Extracted
from whatif.scoring.extraction.option_mentions import joined_in
from whatif.scoring.extraction.option_words import option_words
from whatif.scoring.extraction.word_forms import content_of

_SENTENCES = re.compile(r"(?<=[.!?;])[\"')]*\s+|\n+")
_CONCLUDES = re.compile(
    r"(?:^\W*|[,:;] (?:and )?)(?:so(?! (?:far|that|many|much|would|do|does|is|are|will|did|can|could)\b)|therefore|"
    r"thus|hence|consequently|accordingly|as a result|in (?:conclusion|summary|short|other words)|by elimination|"
    r"overall|(?:this|that|which) (?:only |just |clearly )?(?:means|leaves|makes|suggests|implies|indicates)|"
    r"meaning|leaving|this way)\b|"
    r"\b(?:therefore|thus|hence)\b|^(?:(?!(?:which|what|how|where|when|who|that|as)\b)[\w'-]+ ){1,4}it is\W*\Z|→",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:would|will|must)\b|'d\b|'ll\b", re.IGNORECASE)
_BUT = re.compile(r",? (?:but|however),? ", re.IGNORECASE)
# A contrast, a remark on the image, or a line of a list: none of them is a last word.
_NO_LAST_WORD = re.compile(
    r"\b(?:but|however|though|although|while|whereas|currently|right now|originally|at (?:the moment|present))\b|"
    r"^[^.!?]{1,60}(?::| -)(?! ?\w+\W*\Z)|\w\Z",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"^\W*(?:so|therefore|thus|hence)\b[^.;!?]{0,60}"
    r"\b(?:that|this|it|he|she|they)(?:'s| is| are| would| will|'d|'ll)\b",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(r"\b(?:either|could|might|may)\b|^(?!.*\bn(?:ot|either)\b).*\bor\b", re.IGNORECASE)
_ENDS = re.compile(r"[:→=]\s*[\"']?(?P<end>[^:→=\n]{1,200})\Z")

_FEW = 4  # words of an answer without a verb
_VERB = re.compile(r"[:(]| -|\b(?:is|are|was|were|has|have|had|can|could|do|does|did)\b|'s\b", re.IGNORECASE)
_MOST = 30  # sentences from the end of a text

Read = Callable[[str], Extracted]


@dataclass(frozen=True)
class _Claim:
    """The option that a sentence names as the answer; `weight` is 2 in a conclusion, 1 if it is about what is asked."""

    letter: str
    weight: int
    sentence: int


def reasoned(text: str, choices: Sequence[str], read: Read) -> Extracted | None:
    """The option at which several sentences arrive, each of them judged by `read`; None if they leave it open."""
    sentences = [one for one in _SENTENCES.split(text.strip()) if re.search(r"\w", one)][-_MOST:]
    if len(sentences) < 2:
        return None
    claims = _claims(sentences, choices, read)
    found = _concluded(claims) or _only_asked(claims, sentences) or _left(sentences, choices)
    return Extracted(found, "ok", None) if found else None


def _claims(sentences: Sequence[str], choices: Sequence[str], read: Read) -> list[_Claim]:
    whole = dict(zip(map(option_words, choices), LETTERS, strict=False))
    claims: list[_Claim] = []
    for number, sentence in enumerate([*sentences[:-1], _BUT.split(sentences[-1])[-1]]):  # a contrast is the last word
        concluded = _CONCLUDES.search(sentence)
        end = _ENDS.search(sentence.rstrip(" ."))
        letter = whole.get(option_words(end["end"])) if end else None
        is_last = number == len(sentences) - 1 and _states(sentence)
        is_asked = is_last or _ASKED.search(sentence) or (number == 0 and _is_brief(sentence))
        weight = 2 if concluded else 1 if letter or is_asked else 0
        if letter is None and concluded and concluded.start():
            letter = read(sentence[concluded.start() :]).answer
        letter = letter or read(sentence).answer
        if letter is None and _POINTS_BACK.match(sentence) and claims and claims[-1].sentence == number - 1:
            letter = claims[-1].letter
        if letter is not None:
            claims.append(_Claim(letter, weight, number))
    return claims


def _is_brief(sentence: str) -> bool:
    """Whether a sentence may be an answer in a few words, which the others explain."""
    return len(sentence.split()) <= _FEW and not _VERB.search(sentence)


def _states(sentence: str) -> bool:
    """Whether a sentence without `would` may be the last word of a text."""
    return not _NO_LAST_WORD.search(sentence)


def _concluded(claims: Sequence[_Claim]) -> str | None:
    """The option of the last conclusion, if nothing else is claimed after it."""
    concluded = [claim for claim in claims if claim.weight == 2]
    if not concluded:
        return None
    after = {claim.letter for claim in claims if claim.sentence > concluded[-1].sentence}
    return concluded[-1].letter if after <= {concluded[-1].letter} else None


def _left(sentences: Sequence[str], choices: Sequence[str]) -> str | None:
    """The option that is left when those with something in common are set aside, if the text has one of its words."""
    aside: set[str] = set()
    rest = []
    for sentence in sentences:
        joined = [letters for letters, said in joined_in(sentence, choices) if not _UNDECIDED.search(said)]
        aside = aside.union(*joined)
        rest += [] if joined else [sentence]
    left = set(LETTERS[: len(choices)]) - aside
    if len(left) != 1 or len(choices) < 3:
        return None
    (letter,) = left
    others = {word for place, choice in enumerate(choices) if LETTERS[place] != letter for word in content_of(choice)}
    own = set(content_of(choices[LETTERS.index(letter)])) - others
    return letter if own & set(content_of(" ".join(rest))) else None


def _only_asked(claims: Sequence[_Claim], sentences: Sequence[str]) -> str | None:
    """The option of the last sentence, or of a brief first one, if all claims about what is asked name it."""
    if not claims or not (claims[-1].sentence == len(sentences) - 1 or _is_brief(sentences[claims[0].sentence])):
        return None
    asked = {claim.letter for claim in claims if claim.weight}
    return asked.pop() if len(asked) == 1 else None
