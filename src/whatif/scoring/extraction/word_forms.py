"""Words as they are compared: without inflection, equal for equal meanings, with typing errors corrected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from whatif.language.number_words import in_digits


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that say nothing about which option is meant.
_EMPTY = _set(
    "a an the is are was were be been being am it its he she they him her his hers them their this that these those "
    "there here would will could should might may can must shall of in on at to with by for from and or as have has "
    "had do does did done i you we us our my your me so then very quite rather who whom whose which what why because "
    "one how many if when where while than too also still now already yet such some any own thing things way go goes "
    "went gone get gets got having going doing getting making taking putting make makes made become becomes became "
    "put take takes took let seem seems look looks looked appear appears about around again into onto not no never s "
    "t d ll ve re m person people somebody someone something option answer correct image picture photo like need "
    "needs exactly"
)
# Spellings and words of British and American English, and the usual shorter words of everyday things.
_EQUAL = {
    word: words.split()[0]
    for words in (
        "bicycle bike cycle",
        "motorcycle motorbike",
        "truck lorry",
        "sofa couch",
        "car auto automobile",
        "airplane plane aeroplane aircraft",
        "sidewalk pavement footpath",
        "gray grey",
        "color colour",
        "trash rubbish garbage",
        "elevator lift",
        "child kid",
        "mother mom mum mummy mommy",
        "father dad daddy",
        "tv television",
        "phone telephone cellphone smartphone",
        "refrigerator fridge",
        "tap faucet",
        "flashlight torch",
        "fall autumn",
        "street road",
        "stone rock",
        "photograph photo picture image",
        "big large",
        "small little",
        "fast quick rapid",
        "begin start",
        "close shut",
        "center centre middle",
        "meter metre",
        "umbrella parasol",
        "cup mug",
        "police policeman policewoman",
        "sun sunlight sunshine",
        "tumble topple tip",
        "sleep asleep",
        "wake awake",
        "die dead",
        "break broken broke",
        "fly flew flown",
        "sink sank sunk",
        "melt molten",
        "freeze frozen froze",
        "grow grew grown",
        "blow blew blown",
        "run ran",
        "eat ate eaten",
        "stand stood",
        "woman women lady",
        "man men",
        "foot feet",
        "hide hidden hid",
        "weigh weight",
        "high height",
        "tie tied",
        "long length lengthen lengthened",
        "short shorten shortened",
    )
    for word in words.split()
}
_CONCEPTS = tuple(
    (re.compile(pattern), f" {concept} ")
    for pattern, concept in (
        (r"\bat all\b|\ball (?:in all|right|of a sudden)\b|\bafter all\b|\bone another\b|\beach other\b", ""),
        (
            r"\b(?:not|no) (?:\w+ ){0,2}?(?:changed?|differ|different|difference|effect|impact|affect(?:ed)?)\b|"
            r"\bunchanged\b|\bunaffected\b|\b(?:the|this) same\b|\bidentical(?:ly)?\b|\bequal(?:ly)?\b|"
            r"\bas (?:it|they) (?:is|are|do|does|was|were)\b|\b(?:as|like) (?:before|now|today)\b",
            "xsame",
        ),
        (r"\b(?:nothing|nobody|none|no one|neither(?![^.;!?]*\bnor\b))\b", "xnone"),
        (r"\b(?:only|just|solely|merely|exclusively)\b", "xonly"),
        (r"\b(?:both)\b", "xboth"),
        (r"\b(?:all|every|everything|everyone|everybody|entire|entirely|whole|wholly|complete|completely)\b", "xall"),
    )
)
_ENDINGS = ("ingly", "edly", "ings", "ing", "iest", "ier", "ies", "ied", "est", "ers", "er", "ed", "es", "ly", "s")
_LEAST = 3  # letters of a stem
_LONG = 5  # letters of a word whose typing errors are corrected


def stem(word: str) -> str:
    """A word without the ending of its inflection: `sledding` sled, `flatter` flat, `couples` coupl."""
    word = _EQUAL.get(word, word)
    if word.isdigit() or word.startswith("x"):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST and not word.endswith(("ss", "us", "is")):
            word = word.removesuffix(ending) + ("y" if ending in ("iest", "ier", "ies", "ied") else "")
            break
    if len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    word = _EQUAL.get(word, word)
    if len(word) <= _LEAST:
        return word
    return f"{word[:-1]}i" if word.endswith("y") else word.removesuffix("e")  # `cookies` and `cookie`


def content_of(text: str) -> list[str]:
    """The stems of the words of a text that have a meaning of their own, and its numbers in digits."""
    text = re.sub(r"(?<=\w)'s\b", "", text.lower().replace("’", "'"))
    text = re.sub(r"(?<=[a-z])n't\b|(?<=can)not\b", " not", text)
    for pattern, concept in _CONCEPTS:
        text = pattern.sub(concept, text)
    text = in_digits(re.sub(r"\b(?:no|one)\b", " ", text))
    words = re.findall(r"\d+(?:[.:/]\d+)*|[^\W\d_]+|%", text)
    return [stem(word) for word in words if word not in _EMPTY]


def known_as(word: str, known: Set[str], vocabulary: Iterable[str] = ()) -> str | None:
    """The only word of `known` that a word is, or is a misspelling of; None without one."""
    if word in known:
        return word
    if len(word) < _LONG or not word.isalpha() or word in vocabulary:
        return None
    near = [one for one in known if len(one) >= _LONG and one[0] == word[0] and _is_near(word, one)]
    return near[0] if len(near) == 1 else None


def _is_near(one: str, other: str) -> bool:
    """Whether two words differ by one letter, or long ones by the order of their letters."""
    if one == other:
        return True
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    if len(one) == len(other):
        is_mixed = len(one) > _LONG and sorted(one) == sorted(other)
        swapped = one[start : start + 2] == other[start : start + 2][::-1]
        return (
            one[start + 1 :] == other[start + 1 :] or is_mixed or (swapped and one[start + 2 :] == other[start + 2 :])
        )
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer[start + 1 :] == shorter[start:]
