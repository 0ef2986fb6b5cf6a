"""Information leakage: the answer, a synonym or a word of the same stem inside the if clause (CFMM 3.3).

The synonyms are a table of our own, for colours, sizes, shapes and directions, so the result does not depend on what is
installed. Numbers are compared as digits.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from whatif.engine.language.wording import plain


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SYNONYMS = (
    # colours
    ("red", "crimson", "scarlet", "redden"),
    ("black", "blacken"),
    ("white", "whiten"),
    ("purple", "violet"),
    ("cyan", "turquoise", "aqua", "teal"),
    ("gold", "golden"),
    ("silver", "silvery"),
    ("pink", "fuchsia", "magenta"),
    ("blue", "azure"),
    ("transparent", "colorless", "clear"),
    # sizes
    ("big", "large", "huge", "giant", "gigantic", "enormous", "massive", "enlarge"),
    ("small", "little", "tiny", "miniature"),
    ("tall", "high"),
    ("long", "lengthy", "lengthen"),
    ("short", "shorten"),
    ("wide", "broad", "widen"),
    ("narrow", "thin", "slim"),
    ("thick", "fat", "thicken"),
    ("same", "equal", "identical"),
    # shapes
    ("round", "circle", "circular"),
    ("square", "squared"),
    ("rectangle", "rectangular", "oblong"),
    ("triangle", "triangular"),
    ("oval", "ellipse", "elliptical"),
    ("sphere", "spherical", "ball"),
    ("cube", "cubic", "cubical"),
    ("cylinder", "cylindrical"),
    ("cone", "conical"),
    ("flat", "flatten"),
    ("curve", "curved", "curvy", "bent", "bend"),
    ("star", "starry"),
    # directions
    ("left", "leftward", "leftwards", "lefthand", "leftmost"),
    ("right", "rightward", "rightwards", "righthand", "rightmost"),
    ("up", "upward", "upwards"),
    ("down", "downward", "downwards"),
    ("above", "over"),
    ("below", "under", "beneath", "underneath"),
    ("behind", "back", "rear"),
    ("front", "ahead", "forward", "forwards"),
    ("backward", "backwards"),
    ("inside", "within", "in", "indoors"),
    ("outside", "out", "outdoors"),
    ("top", "upper", "uppermost", "topmost"),
    ("bottom", "lowermost"),
    ("near", "close"),
    ("far", "distant"),
    ("upright", "vertical"),
    ("sideways", "horizontal"),
    ("north", "northern", "northward", "northwards"),
    ("south", "southern", "southward", "southwards"),
    ("east", "eastern", "eastward", "eastwards"),
    ("west", "western", "westward", "westwards"),
    # other words with several forms
    ("closed", "shut"),
    ("night", "nighttime"),
    ("day", "daytime"),
    ("alive", "living"),
    ("dark", "darken"),
    ("bright", "brighten"),
    ("hard", "harden"),
    ("soft", "soften"),
    ("rain", "rainy"),
    ("sun", "sunny"),
    ("snow", "snowy"),
    ("cloud", "cloudy"),
    ("wind", "windy"),
    ("fog", "foggy"),
    ("storm", "stormy"),
)
# Words that say nothing by themselves. In an answer that has no other words, those in _PARTICLES count.
_FUNCTION_WORDS = _words(
    "yes no not is are was were be been being am it its this that these those they them he she his her their of to "
    "at by for from with and or than as into onto would will could can do does did has have had there here so more "
    "most on off in out up down over side one ones color colored colors shape shaped size sized thing object direction"
)
_PARTICLES = _words("on off in out up down over")
# Verbs after which a particle has a meaning of its own: `the lamp was switched on`, `the bird flew over the fence`.
_MEANT = _words(
    "turned turn switched switch powered flew fly flown went go gone going moved move moving came come jumped jump "
    "climbed climb"
)
_NO_DIRECTION = {  # pairs of words in which the second is no direction
    "up": _words("pick add clean wake give break shut light close open use eat dress mix grow blow clean hang make"),
    "down": _words("slow calm shut break close cool burn melt"),
    "back": _words("come came put bring brought give gave go went take took get got"),
    "over": _words("fall fell knock turn tip flip take took run ran all"),
}
_BEFORE_LEFT = _words(
    "the to on its his her their your my from far facing face turn turned move moved point pointed look looked shift "
    "shifted went go flew fly upper lower toward towards slid rolled swung lean leaned"
)
_AFTER_LEFT = _words("of side hand edge corner half end")
_AFTER_ADVERB = _words("now away next behind in after before here there")  # right now, right behind
# Words of a clause that adds, removes or divides: its number is an amount, not the number that is asked for.
_CHANGES = re.compile(
    r"\b(?:more|fewer|less|extra|additional|another|other|others|times|add\w*|remov\w*|tak(?:e|en|es|ing)|took|"
    r"(?<!the )(?<!to )(?<!on )left(?! of| side)|\d+ of|blow\w*|extinguish\w*|burst|pop(?:ped|s)|s[aiu]nk|"
    r"leav\w*|bring\w*|brought|join\w*|arriv\w*|came|comes?|go(?:es|ne)?|went|fl(?:y|ies|ew|own)|disappear\w*|vanish\w*|"
    r"eat(?:en|s)?|ate|sold|sell\w*|broke\w*|fell|fallen|lost|los(?:e|es)|cut|hid\w*|cover\w*|stol\w*|put|plac\w*|"
    r"plant\w*|park\w*|dr(?:ove|iven|ives?)|walk\w*|r[au]n|drop\w*|pick\w*|bought|buy\w*|g[ai]ve\w*|gain\w*|escap\w*|"
    r"jump\w*|turn\w*|paint\w*|replac\w*|away|each|every|twice|halv\w*|doubl\w*)\b"
)
_NUMBER = re.compile(r"\d+(?: point \d+)?")


def leak(clause: str, answer: str, *, basic_answer: str = "") -> str | None:
    """The words of an if clause that give the answer away; None if there are none.

    All words of the answer that carry meaning must be in the clause. A number leaks only where the clause states it: if
    the clause adds or removes so many of the things, the number is an amount, which may equal the answer by chance. It
    is not chance if there were none before (`basic_answer` is 0).
    """
    words, asked = plain(clause, articles=True).split(), plain(answer)
    if _NUMBER.fullmatch(asked):
        stated = re.search(rf"(?<!point )\b{asked}\b(?! point)", " ".join(words))
        by_chance = _CHANGES.search(" ".join(words)) is not None and plain(basic_answer) != "0"
        return asked if stated and not by_chance else None
    content = [word for word in asked.split() if word not in _FUNCTION_WORDS]
    content = content or [word for word in asked.split() if word in _PARTICLES]
    found = [_place(word, words) for word in content]
    if not found or None in found:
        return None
    return " ".join(words[place] for place in found if place is not None)


def _place(word: str, words: Sequence[str]) -> int | None:
    """The first place of a word, a synonym or a word of its stem, where it has its own meaning."""
    meant = _classes(word)
    for place, other in enumerate(words):
        if meant & _classes(other) and _has_its_meaning(other, place, words):
            return place
    return None


def _has_its_meaning(word: str, place: int, words: Sequence[str]) -> bool:
    before = words[place - 1] if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if word == "left":  # `the dog left`, `two were left`
        return before in _BEFORE_LEFT or after in _AFTER_LEFT
    if word == "right":
        return before == "the" or after not in _AFTER_ADVERB
    if _stem(before) in _stems_of(word):
        return False
    if word in ("on", "in", "out", "over", "off"):  # before what they govern, they are prepositions
        return not after or before in _MEANT
    return True


@cache
def _stems_of(word: str) -> frozenset[str]:
    """The stems of the words after which a word is no direction."""
    return frozenset(_stem(one) for one in _NO_DIRECTION.get(word, ()))


@cache
def _classes(word: str) -> frozenset[str]:
    """What a word is compared by: its stem, and the first words of its synonyms."""
    own = _stem(word)
    return frozenset([own, *(row[0] for row in _SYNONYMS if own in {_stem(one) for one in row})])


@cache
def _stem(word: str) -> str:
    """The stem by Porter's rules, of a comparative or a word such as `reddish` that of the adjective."""
    for ending in ("iest", "ier", "est", "er", "ish"):
        base = word.removesuffix(ending)
        if base == word:
            continue
        candidates = (f"{base}y",) if ending.startswith("i") and ending != "ish" else (base, f"{base}e", base[:-1])
        for candidate in candidates:
            if candidate in _adjectives():
                return _porter(candidate)
    return _porter(word)


@cache
def _porter(word: str) -> str:
    from nltk.stem import PorterStemmer

    return str(PorterStemmer().stem(word))


@cache
def _adjectives() -> frozenset[str]:
    """Words whose comparatives, and colours whose forms in `-ish`, have the stem of the word."""
    colors = "green yellow orange brown black white gray beige"
    others = (
        "heavy light fast slow warm cold hot cool old young dark bright strong weak deep low hard soft dry wet clean"
    )
    return frozenset([*colors.split(), *others.split(), *(word for row in _SYNONYMS for word in row)])
