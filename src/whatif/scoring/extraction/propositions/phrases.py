"""The phrases after a verb: prepositions with their things, objects, complements, and further verbs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from whatif.scoring.extraction.propositions.lexicon import ADVERBS, COLOURS, PARTICLES
from whatif.scoring.extraction.propositions.nouns import Noun, noun_at
from whatif.scoring.extraction.propositions.words import Token


@dataclass(frozen=True)
class Phrase:
    """A preposition with the things after it; without one (``), an object or a complement; `+eat` is a further verb."""

    link: str
    nouns: tuple[Noun, ...] = ()


def phrases_in(words: Sequence[Token]) -> Iterator[Phrase]:
    """The phrases of a list of words, in order."""
    place = 0
    while place < len(words):
        word = words[place]
        if word.kind == "prep":
            nouns, end = _nouns(words, place + 1)
            yield Phrase(word.base, nouns)
            place = max(end, place + 1)
        elif word.kind == "not":
            yield Phrase("not")
            place += 1
        elif (
            word.is_participle or word.kind in ("be", "have") or (place and words[place - 1].written in ("to", "that"))
        ):
            yield Phrase(f"+{word.verb if word.kind == 'word' else word.kind}")
            place += 1
        elif word.kind == "adverb" and word.written not in ADVERBS:
            yield Phrase(f"~{word.written}")
            place += 1
        elif word.kind in ("adverb", "mark", "owner", "doubt", "modal", "do", "relative") or word.written == "that":
            place += 1
        elif word.written in PARTICLES:
            yield Phrase(word.base)
            place += 1
        else:
            nouns, end = _nouns(words, place)
            if end == place:
                place += 1
                continue
            link = "and" if word.kind == "and" else ""
            if nouns:
                yield Phrase(link, nouns)
            place = end


def _nouns(words: Sequence[Token], place: int) -> tuple[tuple[Noun, ...], int]:
    """Noun phrases that are joined by commas and `and`."""
    found: list[Noun] = []
    end = place
    while place < len(words):
        if words[place].kind in ("and", "adverb") or words[place].written == ",":
            if words[place].written == "or" and found:
                break
            place += 1
            continue
        if words[place].written == "to" or (words[place].is_participle and found):
            break
        noun, after = noun_at(words, place)
        if noun is None or after == place or (found and words[place - 1].kind not in ("and", "mark", "adverb")):
            break
        if len(noun.words) > 1 and all(one.written in COLOURS for one in noun.words):  # `black and white`
            found += [replace(noun, words=(one,)) for one in noun.words]
        else:
            found.append(noun)
        place = end = after
    return tuple(found), max(end, place if found else end)


def without_no(phrases: tuple[Phrase, ...]) -> tuple[tuple[Phrase, ...], bool]:
    """The phrases with `any` in place of `no`, and whether there was one: `wears no hat`."""
    first = phrases[0] if phrases else None
    if first is None or not first.nouns or first.nouns[0].quantity != "no":
        return phrases, False
    return (Phrase(first.link, tuple(replace(noun, quantity="any") for noun in first.nouns)), *phrases[1:]), True
