"""Classes of English words by which sentences are parsed: function words, quantities, adverbs, verbs, persons."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from whatif.scoring.extraction import statement_words
from whatif.scoring.extraction.propositions.everyday_words import IRREGULAR_VERBS, VERBS

_IN_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


BE = _set("is are was were am be been being")
DO = _set("do does did")
HAVE = _set("have has had having")
MODALS = _set("can could will would may might must should shall")
PRONOUNS = _set("it he she they them him her i we you this that these those one ones itself himself herself there here")
PLURAL = _set("they them these those we you ones")
ARTICLES = _set("a an the this that these those my your his her its their our another")
OWNERS = _set("his her its their my your our")
NUMBERS = {word: number for number, word in enumerate(_IN_WORDS.split())}
# What a quantity says of the things: all of them, some, none, most, too few to be all, enough.
QUANTITIES = {
    "all": "all",
    "every": "all",
    "each": "all",
    "both": "all",
    "everyone": "all",
    "everybody": "all",
    "everything": "all",
    "no": "no",
    "none": "no",
    "neither": "no",
    "nobody": "no",
    "nothing": "no",
    "some": "some",
    "several": "some",
    "many": "some",
    "various": "some",
    "multiple": "some",
    "certain": "some",
    "most": "most",
    "few": "most",
    "half": "most",
    "any": "any",
    "either": "any",
    "someone": "any",
    "somebody": "any",
    "something": "any",
    "anyone": "any",
    "anybody": "any",
    "anything": "any",
    "enough": "enough",
    "sufficient": "enough",
}
PERSONS_UNNAMED = _set("everyone everybody nobody someone somebody anyone anybody")
THINGS_UNNAMED = _set("everything nothing something anything")
RELATIVES = _set("who which that whose where")
CONJUNCTIONS = _set("and or nor but")
# Prepositions, with those of about the same meaning under one name.
PREPOSITIONS = {
    word: words.split()[0]
    for words in (
        "on onto upon atop",
        "in inside into within",
        "under underneath beneath below",
        "above over",
        "near by beside next_to close_to alongside",
        "behind",
        "at",
        "with",
        "without",
        "from",
        "of",
        "to toward towards",
        "for",
        "between among",
        "through across",
        "along",
        "around round",
        "against",
        "during",
        "before",
        "after",
        "as",
        "like",
        "than",
        "in_front_of",
        "left_of",
        "right_of",
        "off",
        "out",
        "up",
        "down",
        "away",
        "back",
        "about",
        "outside",
        "beyond",
        "past",
        "via",
        "until till",
        "since",
        "instead_of",
        "except except_for",
        "despite",
        "because_of due_to thanks_to",
        "per",
    )
    for word in words.split()
}
PARTICLES = _set("on off up down in out over away back")
ADVERBS = _set(
    "also still currently already yet just now then indeed too very quite rather really so well again always "
    "actually even ever only soon instead therefore thus hence however likely most-likely probably clearly "
    "definitely certainly surely together anymore more-or-less once both all fairly pretty exactly anyway though "
    "perfectly fine not-at-all visibly of-course at-all easily simply merely somewhat otherwise apparently"
)
DOUBTFUL = _set(
    "maybe perhaps possibly potentially almost nearly hardly barely scarcely rarely seldom sometimes usually partly "
    "partially unlikely supposedly allegedly mostly mainly occasionally often temporarily"
)
NOUNS_IN_LY = statement_words.NOUNS_IN_LY | {"italy"}
NOUNS_IN_ING = statement_words.NOUNS_IN_ING | _set(
    "nothing everything parking wiring fencing flooring bedding spring stocking clearing"
)
PERSONS = _set(
    "person people man men woman women boy girl child children kid kids baby guy lady gentleman player someone "
    "anyone rider driver user worker officer waiter chef cook teacher student skier surfer skater cyclist runner "
    "pedestrian passenger tourist visitor guest customer mother father couple toddler teenager adult group crowd "
    "family musician dancer singer farmer fisherman swimmer climber hiker"
)
MALE = statement_words.MALE | _set("father husband king grandfather brother son")
FEMALE = statement_words.FEMALE | _set("mother wife queen grandmother sister daughter bride")
ANIMALS = _set(
    "dog cat bird horse cow sheep elephant bear giraffe zebra goat puppy kitten lion tiger monkey animal duck"
)
COLOURS = statement_words.COLOURS | _set("grey beige golden silver turquoise")
# A glass of wine is wine.
MEASURES = _set("glass cup pair piece bottle bowl plate slice group set bunch kind type sort pile stack row herd flock")
# Attributes beside colours and everyday adjectives.
ATTRIBUTES = _set(
    "silver gold golden wooden metal plastic leather stone brick glass paper cardboard concrete steel iron wool "
    "cotton denim straw rubber ceramic marble silk velvet external internal striped checkered dotted floral plaid "
    "folding parked rusty dirty clean wet dry empty full tidy messy sunny cloudy rainy busy quiet crowded broken "
    "open closed bald blond blonde curly straight short-sleeved long-sleeved woolly knitted electric digital "
    "analog antique vintage tabby fluffy furry shiny heavy light thick thin wide narrow deep shallow high low "
    "potted ripe front back left right rear main upper lower second first third last single double clearly "
    "visible"
)
# Attributes with which a thing may be no such thing: a hot dog, a missing cat.
CHANGING = _set("hot missing gone absent removed toy fake artificial imaginary model past former dead")
AFTER_NOUNS = _set("visible present left available missing")
# Verbs whose place is not where somebody is.
MOVING = _set("look jump fall climb throw point step move go come run stare gaze paint turn switch")
FILLING = _set("fill cover line top crowd pack decorate load")
# Verbs whose object need not exist.
INTENSIONAL = _set("want need look search wait hope expect ask mention suggest resemble lack miss")
SHADES = _set("dark light bright pale deep")
NUMBERED = _set("lane step number room row line gate platform page player level floor table point bus figure")
# Places that an image shows as a whole, and parts of them.
SCENES = _set(
    "hallway kitchen room bathroom bedroom street park garden yard office shop store station train bus restaurant "
    "garage classroom hall beach"
)
PARTS = _set("wall corner left right side window door background foreground middle center centre ceiling front back")
# Verbs that say where something is, and nothing else, if it is no person.
POSTURES = _set("be stand sit lie hang rest locate place position mount park situate install attach find put lean")
BODY = _set("hand arm wrist finger head neck face nose ear back shoulder waist foot leg lap mouth")
HAVING = _set("have wear contain include feature possess carry hold own display show")
# Past participles that are like the base of their verb.
UNCHANGED = _set("cut put shut set hit hurt spread split shed burst")


@cache
def _irregular() -> dict[str, str]:
    """The base of each irregular form of a verb."""
    entries = [entry.split() for entry in re.split(r"[,\n]", IRREGULAR_VERBS.strip())]
    return {form: base for base, *others in reversed(entries) for form in others}


@cache
def known_verbs() -> frozenset[str]:
    return VERBS | FILLING | frozenset(_irregular().values())


@lru_cache(maxsize=16384)
def verb_of(word: str) -> tuple[str, str] | None:
    """The base form of a verb, and which form a word is of it: `base`, `s`, `ing` or `ed`; None for other words."""
    verbs = known_verbs()
    if word in verbs:
        return word, "base"
    if word in _irregular():
        return _irregular()[word], "ed"
    for ending, form in (("ing", "ing"), ("ed", "ed"), ("es", "s"), ("s", "s")):
        if word.endswith(ending) and len(word) - len(ending) > 1 and not word.endswith("ss"):
            stem = word.removesuffix(ending)
            doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
            as_y = f"{stem[:-1]}y" if stem.endswith("i") else stem
            found = next((base for base in (f"{stem}e", stem, doubled, as_y) if base in verbs), None)
            if found:
                return found, form
    return None
