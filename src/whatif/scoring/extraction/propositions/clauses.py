"""Parses a clause into what it says: a subject, a verb, and the phrases that belong to the verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from whatif.scoring.extraction.propositions.finite import LINKING, finite_at
from whatif.scoring.extraction.propositions.lexicon import ADVERBS, UNCHANGED
from whatif.scoring.extraction.propositions.nouns import Noun, noun_at
from whatif.scoring.extraction.propositions.phrases import Phrase, phrases_in, without_no
from whatif.scoring.extraction.propositions.words import Token, tokens_of

_SPLIT = re.compile(r"[,;:] |,? (?:and|but) (?=(?:the|an?|it|they|he|she|there|this|its|his|her|no|none|some|one)\b)")
_INTRODUCTION = re.compile(
    r"^.{0,200}\b(?:suggest|indicate|mean|show|implie|imply|confirm)s? that |"
    r"^\W*(?:(?:so|but|and|well|yes|no|indeed),? )?(?:(?:i|we) (?:(?:would|can|do) )?(?:think|believe|say|guess|"
    r"see that|expect|assume|am (?:(?:quite|pretty|fairly) )?(?:sure|certain|confident))(?: that)? |(?:it|that) "
    r"(?:is (?:clear|likely|certain|evident|true|probable)|seems?|appears?|looks)(?: that| like| as though| as if) )"
    r"(?=there|the|an?\b|it|they|s?he|all|no|every|both|neither|\w+s\b)"
)
_IMAGES = frozenset(("image", "picture", "photo", "photograph", "pic", "scene", "frame"))
_SHOWING = frozenset(("show", "contain", "feature", "depict", "include", "have", "display"))
_SEEING = frozenset(("see", "notice", "spot", "find", "observe"))


@dataclass(frozen=True)
class Claim:
    """A clause: `The man is not wearing a hat in the image` has the subject `the man`, the verb `wear`, denied."""

    subject: Noun
    verb: str
    phrases: tuple[Phrase, ...]
    of_subject: tuple[Phrase, ...] = ()
    is_denied: bool = False
    modal: str = ""
    is_passive: bool = False
    is_doubtful: bool = False
    form: str = ""
    is_conclusion: bool = False  # `so ...`
    opening: tuple[Phrase, ...] = ()  # phrases before the subject: `On Sundays, ...`

    @property
    def is_existential(self) -> bool:
        return self.verb == "exist"


def claims_in(text: str, nouns: frozenset[str] = frozenset()) -> Iterator[Claim]:
    """The claims of a clause; verbs that are joined by `and` share their subject.

    `nouns` are words that are known to be nouns, and so no verbs: those of the question.
    """
    is_conclusion = re.match(r"\W*(?:so|therefore|thus|hence|consequently)\b", text) is not None
    for part in _parts(text, nouns):
        for claim in _claims(tokens_of(part), nouns):
            yield from _contrasted(replace(claim, is_conclusion=is_conclusion))


def _parts(text: str, nouns: frozenset[str]) -> list[str]:
    """The parts of a text that have a subject and a verb of their own, with what else belongs to them."""
    parts: list[str] = []
    is_open = False
    for part in _SPLIT.split(_INTRODUCTION.sub("", text)):
        has_verb = finite_at(tokens_of(part), nouns) is not None
        if parts and (is_open or not has_verb):
            parts[-1] += f", {part}"
        else:
            parts.append(part)
        is_open = finite_at(tokens_of(parts[-1]), nouns) is None
    return parts


def _contrasted(claim: Claim) -> Iterator[Claim]:
    """A claim, and what its `not` or `rather than` denies: `it is brown, not black`."""
    place = next((k for k, phrase in enumerate(claim.phrases) if phrase.link == "instead_of"), None)
    if place is None:
        yield claim
        return
    phrase, before = claim.phrases[place], claim.phrases[:place]
    yield replace(claim, phrases=before)
    if claim.is_denied:
        return
    if phrase.nouns and claim.is_existential and not before:
        yield replace(claim, subject=phrase.nouns[0], is_denied=True)
    elif phrase.nouns and before and not before[0].link:
        yield replace(claim, phrases=(Phrase("", phrase.nouns),), is_denied=True)
    elif place + 1 < len(claim.phrases) and before and claim.phrases[place + 1].link == before[-1].link:
        yield replace(claim, phrases=(*before[:-1], claim.phrases[place + 1]), is_denied=True)


def _claims(words: Sequence[Token], nouns: frozenset[str]) -> Iterator[Claim]:
    found = finite_at(words, nouns)
    if found is None:
        if fragment := _fragment(words):
            yield fragment
        return
    before, start = _subject_words(words, found)
    subject, of_subject = before
    if subject is None or any(phrase.link == "except" for phrase in of_subject):
        return
    place: int | None = found
    while place is not None and place < len(words):
        claim, place = predicate_at(words, place, subject, of_subject)
        if claim is not None:
            yield replace(claim, opening=start)


def _subject_words(
    words: Sequence[Token], end: int
) -> tuple[tuple[Noun | None, tuple[Phrase, ...]], tuple[Phrase, ...]]:
    """The subject with its own phrases, and the phrases before it (`On Sundays, ...`)."""
    place, start = 0, []
    if words[end - 1].written == "there":
        return (Noun("the", (words[end - 1],)), ()), ()
    while (
        place < end and words[place].kind in ("adverb", "mark", "and") and words[place].written not in ("only", "just")
    ):
        place += 1
    marks = [place for place in range(end) if words[place].written == ","]
    if marks:  # what comes before the last comma is an adverbial, if it begins with a preposition
        opening = list(phrases_in(words[place : marks[-1]]))
        start = [phrase for phrase in opening if phrase.link and not phrase.link.startswith("+")]
        place = marks[-1] + 1
    while (
        place < end and words[place].kind in ("adverb", "mark", "and") and words[place].written not in ("only", "just")
    ):
        place += 1
    if place < end and words[place].written == "there":
        return (Noun("the", (words[place],)), ()), tuple(start)
    subject, after = noun_at(words[:end], place)
    if subject is None and place < end and words[place].form == "ing":  # `cutting the hedge`
        return (Noun("", (words[place],)), ()), tuple(start)
    return (subject, tuple(phrases_in(words[after:end]))), tuple(start)


def predicate_at(  # noqa: PLR0912
    words: Sequence[Token], start: int, subject: Noun, of_subject: tuple[Phrase, ...]
) -> tuple[Claim | None, int | None]:
    """What is said of a subject from its finite verb on, and where a further verb with the same subject begins."""
    manner: list[Phrase] = []
    place, denied, modal, doubtful, passive, verb, form = start, False, "", False, False, "", ""
    while place < len(words):
        word = words[place]
        if word.kind == "not":
            denied = not denied
        elif word.kind == "doubt":
            doubtful = True
        elif word.kind == "modal":
            modal = word.written
        elif word.written in ("all", "both", "each") and verb:
            subject = replace(subject, quantity="all") if subject.quantity in ("the", "") else subject
        elif word.kind == "adverb" and word.written not in ADVERBS:
            manner.append(Phrase(f"~{word.written}"))
        elif word.kind in ("be", "have", "do"):
            verb = verb if word.kind == "do" and _has_more(words, place) else word.kind
        elif word.kind not in ("adverb", "do"):
            break
        place += 1
    rest = words[place:]
    first = rest[0] if rest else None
    if first is not None and first.written == "like" and verb == "do":
        first = replace(first, kind="word")
    if first is not None and first.kind == "word":
        if verb == "be" and first.written in UNCHANGED:
            verb, passive, form, place = first.written, True, "ed", place + 1
        elif verb == "be" and (first.form == "ing" or first.is_participle) and _is_verbal(rest):
            verb, passive, form, place = first.verb, first.form == "ed", first.form or "", place + 1
        elif verb == "have" and first.form == "ed" and first.is_participle:
            verb, form, place = first.verb, "ed", place + 1
        elif verb in ("", "do"):
            verb, form, place = first.verb, first.form or "", place + 1
    if not verb:
        return None, None
    end = next((k for k in range(place, len(words)) if _begins_verb(words, k)), None)
    stop = next(
        (
            k
            for k in range(place, len(words))
            if words[k].kind == "relative"
            or words[k].written in (";", ":", "(")
            or (words[k].written == "that" and (k + 1 < len(words)) and words[k + 1].kind != "word")
        ),
        None,
    )
    head = subject.head.written if subject.head is not None else ""
    is_there = head == "there"
    if (head in ("i", "we", "you", "one") and verb in _SEEING) or (head in _IMAGES and verb in _SHOWING):
        if words[place : place + 1] and words[place].written in ("that", "whether"):
            return None, None
        return _existential(
            words[place:], denied=denied, modal="" if modal == "can" else modal, doubtful=doubtful
        ), None
    limit = min(one for one in (end, None if is_there else stop, len(words)) if one is not None)
    body = words[place:limit]
    if is_there and verb in ("be", "exist", "remain", "appear"):
        return _existential(body, denied=denied, modal=modal, doubtful=doubtful), None
    phrases, denies = without_no(tuple(phrases_in(body)))
    if verb == "make" and passive and phrases and phrases[0].link in ("of", "from"):  # `made of stone` is stone
        verb, passive, phrases = (
            "be",
            False,
            tuple(Phrase("" if one.link in ("of", "from") else one.link, one.nouns) for one in phrases),
        )
    claim = Claim(
        subject=subject,
        verb="be" if verb in ("look", "appear", "seem") and phrases and not phrases[0].link else verb,
        phrases=(*phrases, *manner),
        of_subject=of_subject,
        is_denied=denied != denies,
        modal=modal,
        is_passive=passive,
        is_doubtful=doubtful or _is_open(body),
        form=form,
    )
    return claim, end + 1 if end is not None else None


def _existential(body: Sequence[Token], *, denied: bool, modal: str, doubtful: bool) -> Claim | None:
    thing, place = noun_at(body, 0)
    if thing is None:
        return None
    phrases = tuple(phrases_in(body[place:]))
    others: tuple[Noun, ...] = ()
    if phrases and not phrases[0].link:  # `a cat, a dog and a bird`
        others, phrases = phrases[0].nouns, phrases[1:]
    if phrases and phrases[0].link == "and":
        others, phrases = (*others, *phrases[0].nouns), phrases[1:]
    others = tuple(
        replace(noun, quantity="no") if thing.quantity == "no" and not noun.quantity else noun for noun in others
    )
    doubtful = doubtful or (_is_open(body) and not (denied or thing.quantity == "no"))
    return Claim(thing, "exist", phrases, (Phrase("and", others),) if others else (), denied, modal, False, doubtful)


def _is_open(body: Sequence[Token]) -> bool:
    """Whether words leave open what is true: `asleep or awake`, `partly black`."""
    return any(word.kind == "doubt" or word.written in ("much", "or") for word in body)


def _has_more(words: Sequence[Token], place: int) -> bool:
    following = [word for word in words[place + 1 :] if word.kind not in ("not", "adverb", "doubt")]
    return bool(following) and following[0].kind in ("word", "have", "be")


def _is_verbal(rest: Sequence[Token]) -> bool:
    """Whether a participle after `be` is a verb: all but one before a noun, as in `is running water`."""
    return not (len(rest) > 1 and rest[0].form == "ing" and rest[1].kind == "word" and rest[1].form == "base")


def _begins_verb(words: Sequence[Token], place: int) -> bool:
    """Whether a further verb with the same subject begins after this word: `and is`, `but does not`."""
    if words[place].written not in ("and", "but") or place + 1 >= len(words):
        return False
    after = next((word for word in words[place + 1 :] if word.kind not in ("adverb", "not")), None)
    return after is not None and after.kind in LINKING


def _fragment(words: Sequence[Token]) -> Claim | None:
    """A noun phrase without a verb, as something that there is: `no bread rolls`."""
    place = next((k for k, word in enumerate(words) if word.kind not in ("adverb", "mark", "and")), len(words))
    thing, end = noun_at(words, place)
    if thing is not None and end < len(words) and words[end].written == "instead_of":
        return Claim(thing, "exist", tuple(phrases_in(words[end:])))
    if thing is None or thing.quantity not in ("no", "not all") or not (thing.words or thing.quantity == "not all"):
        return None
    return Claim(thing, "exist", tuple(phrases_in(words[end:])))
