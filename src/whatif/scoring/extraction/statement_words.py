"""Normalises the words of questions and statements for comparison."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache

# Markers in a list of words: a form of `be` or another auxiliary, a negation, and `visible` or `in the image`.
VERB, NOT, IMAGE = "<verb>", "<not>", "<image>"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FIGURES = "one two three four five six seven eight nine ten eleven twelve"
PRONOUNS = _set("it he she they this that these those")
COLOURS = _set("black white red green blue yellow brown orange pink purple gray")
_IN_WORDS = tuple(_FIGURES.split())
NUMBERS = frozenset(_IN_WORDS)
PREPOSITIONS = _set(
    "in on at to with near behind under beside above below from by of next inside outside along around against over "
    "between through across into onto beneath underneath atop during for among while as upon via toward towards within"
)
# Words that an affirmative statement may add before a noun without changing its kind (a toy dog is not a dog).
ADDED = (
    COLOURS
    | NUMBERS
    | _set(
        "large big small little tiny tall short long old young new modern other several many few two-story single lone "
        "another couple both all various multiple numerous lot bright dark beautiful cute adult round square "
        "some very really quite fairly pretty extremely particularly noticeably rather entirely completely fully only "
        "just"
    )
)
IMAGE_NAME = "(?:image|picture|photo|photograph|pic|scene|frame)"
SHOWS = "(?:show|contain|feature|depict|include|have|has|display)s?"
AUXILIARY = "(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would)"
_SEEN_IN = re.compile(
    rf"\b(?P<visible>visible|seen|shown|present|depicted|pictured)? ?\b(?:in|from|within) "
    rf"(?:the|this|that|given|provided)(?: (?:given|provided|same|original))? {IMAGE_NAME}s?\b|"
    r"\b(?:visible|seen|shown|present|depicted|pictured)\b"
)
_CONTRACTIONS = {"won't": "will not", "can't": "can not", "cannot": "can not", "n't": " not", "'d ": " would "}
_CONTRACTIONS |= {"'re ": " are ", "'ve ": " have ", "'ll ": " will ", "i'm ": "i am ", "grey": "gray"}
_CONTRACTIONS |= {
    f"{word}'s ": f"{word} is "
    for word in ("it", "he", "she", "that", "there", "nobody", "no one", "nothing", "neither", "none", "everyone")
}
_VERBS = _set("is are was were am be been would will does do did")
_NEGATIONS = _set("not never no neither nor")
_DROPPED = _set(
    "a an the his her its their my your our any also actually clearly indeed still currently now already yet anymore "
    "probably likely certainly definitely apparently so then therefore thus hence well"
)
_SAME = {"people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "kids": "child"}
_SAME |= {
    "kid": "child",
    "someone": "someone",
    "has": "have",
    "have": "have",
    "had": "have",
    "having": "have",
    "lying": "lie",
    "anyone": "someone",
}
_SAME |= {"anybody": "someone", "somebody": "someone", "sees": "see", "worn": "wear", "does": "do", "feet": "foot"}
MALE, FEMALE = _set("man boy guy gentleman male"), _set("woman girl lady female")
PEOPLE = MALE | FEMALE | _set("someone person child player")
NOUNS_IN_ING = _set(
    "building ceiling railing painting clothing string ring king wing thing something anything morning evening wedding "
    "swing awning crossing lighting icing topping frosting pudding sling earring"
)
# Verbs that lose their `e` before `ing`; other verbs are only recognised in the same form.
_VERBS_IN_E = _set(
    "bake bike celebrate change chase close come cruise cycle dance decorate dine dive drive exercise face gaze give "
    "glide graze have hike hide judge leave line lounge make measure merge move operate pose practice prepare produce "
    "race raise receive ride rise save score serve shake shape share shave shine skate slice slide smile smoke stare "
    "store stroke taste take trade type use wake wave whistle wipe write"
)
NOUNS_IN_LY = _set("family butterfly dragonfly belly jelly lily assembly fly bully trolley")
# Words after `this` and `that` when these are not articles of a noun.
_NO_NOUN = _set("a an the is are was were would will can do does did has have not also in on at from of for")
OBJECTS = _set("it them him one")


_NO_PERSON = re.compile(
    r"\bnobody of (?:the |these |those )?(?:people|persons|men|women|children|boys|girls|players|"
    r"individuals|visitors|guests)\b"
)
# The same in other words, for questions and statements.
_PARAPHRASES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b(?:on|at|to) the (?:far )?(left|right)(?:[- ]hand)?(?: side)? of\b", r"to the \1 of"),
        (r"\ball of (?:the|these|those|its|his|her)\b|\ball the\b", "all"),
        (
            r"\b(?:every|each)(?: single)?(?: one)? of (?:the|these|those)\b|\b(?:every|each)(?: single)? (?=[a-z])",
            "all ",
        ),
        (r"\blooks? to be\b", "is"),
        (r"\bof the same\b", "the same"),
        (r"\b(would|will) (?:start|begin) to (?=[a-z])", r"\1 "),
        (r"\b(would|will|could) (?:end up|wind up) (?=[a-z]+ing\b)", r"\1 "),
        (r",? ?\b(?:according to|based on|judging by|as per) (?:the|this|that) [a-z]+,?", ""),
    )
)


@dataclass(frozen=True)
class Word:
    """A word as written, and its base form for comparison."""

    written: str
    base: str

    @property
    def is_participle(self) -> bool:
        return self.written not in NOUNS_IN_ING and bool(re.fullmatch(r"[a-z]{2,}ing|[a-z]{3,}ed", self.written))

    @property
    def ends_noun(self) -> bool:
        """Whether the noun before this word has ended, so that the two are not a compound such as `dog house`."""
        return (
            self.base in (VERB, NOT, IMAGE)
            or self.written in PREPOSITIONS
            or self.written in ("and", ",", "that", "which", "who", "there", "here", "together")
            or self.is_participle
            or (self.written.endswith("ly") and self.written not in NOUNS_IN_LY)
        )


@lru_cache(maxsize=4096)
def written_out(text: str) -> str:
    """A text in lower case without contractions: `isn't` is `is not`."""
    text = f"{text.lower()} "
    for short, full in _CONTRACTIONS.items():
        text = text.replace(short, full)
    text = re.sub(r"\b(?:[1-9]|1[012])\b(?![.,]\d)", lambda figure: _IN_WORDS[int(figure[0]) - 1], text)
    for pattern, replacement in _PARAPHRASES:
        text = pattern.sub(replacement, text)
    text = re.sub(r"\bnot a single\b", "not a", text)
    text = re.sub(
        r"\b(?:none|neither|not one|no one) of\b|^\W*neither(?= (?:is|are|was|were|would|does|do|has|have|can)\b)|"
        r"(?<=, )neither(?= (?:is|are|was|were|would|does|do|has|have|can)\b)",
        "nobody of",
        text,
    )
    text = _NO_PERSON.sub("nobody", text)
    text = re.sub(r"\b(?:any|either|(?<!no )one|some) of\b", "anybody of", text)
    text = re.sub(r"\b(?:both|all) of (?:them|these|those)\b", "they", text)
    text = re.sub(
        r",? ?\b(?:in (?:that|this|such a|such|the latter) (?:case|scenario|situation|event)|as a result)\b", "", text
    )
    text = re.sub(r", which (?=(?:is|are|was|were|would|does|do|has|have)\b)", ", it ", text)
    text = re.sub(r"\b(?:does|do) not (?:appear|seem) to (?:be\b)?", "is not ", text)
    text = re.sub(r"\b(?:anywhere|whatsoever|to be seen)\b", "", text)
    text = re.sub(r"\b(?:is|are|was|were) unable to\b", "can not", text).replace("be unable to", "not be able to")
    text = re.sub(r"\bboth(?= (?:are|were|have|do|would|will|can)\b)", "they", text)
    text = re.sub(r"\bboth (?:of )?(?:the )?(?=[a-z]+s\b|men\b|women\b|people\b|children\b)", "the two ", text)
    text = re.sub(r"\bneither (?=[a-z]+ (?:is|are|was|were|would|does|has|can|could)\b)", "no ", text)
    text = re.sub(r"\bany ?more\b|\bany longer\b", "", text)
    return re.sub(r"\bno longer\b", "not", re.sub(r"\bat all\b", "", text)).strip()


def words_of(text: str) -> list[Word]:
    """The words of a text that was written out: those without a meaning of their own dropped, marks in their place."""
    text = re.sub(r"\bcan( not)? be (?=visible|seen|shown)", r"is\1 ", text)
    text = _SEEN_IN.sub(f" {IMAGE} ", text)
    text = re.sub(r"\b(?:nobody|no one)\b", f"{NOT} someone", text)
    text = re.sub(r"\bnothing\b", f"{NOT} anything", text)
    text = re.sub(
        r"\b(?:appear|seem)s?\b(?: to\b)?|\blooks?\b(?! (?:at|for|out|up|down|into|away|over|like)\b)", "is", text
    )
    words = []
    found = re.findall(r"<[a-z]+>|[a-z0-9][a-z0-9'-]*|[,;:]", re.sub(r"\bable to\b", "", text))
    for written, following in itertools.zip_longest(found, found[1:], fillvalue="is"):
        if written in ("this", "that", "these", "those") and not (following in _NO_NOUN or following.startswith("<")):
            continue
        if written in _VERBS:
            words.append(Word(written, VERB))
        elif written in _NEGATIONS:
            words.append(Word(written, NOT))
        elif written not in _DROPPED:
            words.append(Word(written, base_form(written)))
    return words


def base_form(word: str) -> str:
    """What the forms of a noun or a verb have in common; a past participle stays apart (`closed` is not `closing`)."""
    if word in _SAME:
        return _SAME[word]
    if len(word) > 4 and word.endswith("ing") and word not in NOUNS_IN_ING:
        stem = word[:-3]
        if f"{stem}e" in _VERBS_IN_E:
            return f"{stem}e"
        return stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz" else stem
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        if word.endswith("ies") and len(word) > 4:
            return f"{word[:-3]}y"
        return word[:-2] if re.search(r"(?:ss|sh|ch|x|bus|glas|z)es$", word) else word[:-1]
    return word
