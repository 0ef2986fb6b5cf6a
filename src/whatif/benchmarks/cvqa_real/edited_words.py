"""What an edit of a question may not change: its meaning, who does something to whom, and one thing to several.

Words that carry the meaning are the same but for inflection and spelling. Nobody exchanges who does something with whom
it is done to, or what a thing has with what it is. Only a number that disagrees with its determiner may be corrected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

from whatif.benchmarks.cvqa_real.question_parts import forms, is_function_word, is_irregular_plural, words_of
from whatif.engine.language.number_words import in_digits
from whatif.engine.language.wording import without_pronoun_one

# Words that an edit may add, drop and change: they only hold a sentence together.
_GRAMMAR = frozenset({"then", "still", "now", "just", "actually", "really", "already"})
# The forms of irregular verbs in one line each; the first is what they are compared by.
_VERBS = (
    "go goes went gone going|come comes came coming|take takes took taken taking|eat eats ate eaten eating|"
    "fly flies flew flown flying|fall falls fell fallen falling|run runs ran running|swim swims swam swum swimming|"
    "leave leaves left leaving|lose loses lost losing|give gives gave given giving|get gets got gotten getting|"
    "put puts putting|set sets setting|cut cuts cutting|shut shuts shutting|hit hits hitting|sit sits sat sitting|"
    "stand stands stood standing|hold holds held holding|wear wears wore worn wearing|"
    "throw throws threw thrown throwing|"
    "break breaks broke broken breaking|catch catches caught catching|drive drives drove driven driving|"
    "ride rides rode ridden riding|rise rises rose risen rising|hide hides hid hidden hiding|"
    "steal steals stole stolen stealing|see sees saw seen seeing|sell sells sold selling|buy buys bought buying|"
    "bring brings brought bringing|build builds built building|make makes made making|find finds found finding|"
    "lie lies lay lain lying lays laid laying|hang hangs hung hanging|sleep sleeps slept sleeping|"
    "wake wakes woke woken waking|grow grows grew grown growing|blow blows blew blown blowing|"
    "drink drinks drank drunk drinking|sink sinks sank sunk sinking|become becomes became becoming|"
    "begin begins began begun beginning|feed feeds fed feeding|keep keeps kept keeping|meet meets met meeting|"
    "show shows showed shown showing|write writes wrote written writing|bite bites bit bitten biting|"
    "die dies died dying|tie ties tied tying|shoot shoots shot shooting|bend bends bent bending|spin spins spun|"
    "fewer less"
)
_LEAST_PREFIX = 5  # letters that a garbled word has in common with one of the original question
_LEAST_STEM = 2  # letters of a known word are more than these
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers")
_LONGEST_SHORT = 7  # letters of a word of which only one may be wrong; of a longer one, two

Words = Sequence[str]
_TO_BE = r"(?:am|is|are|was|were|be|been|being)"
_PASSIVE = re.compile(rf"\b{_TO_BE}(?:n't| not)? (?:(?:all|both|just|already|\w+ly) )?(\w+)")
_BE = re.compile(rf"\b{_TO_BE}\b")
_HAVE = re.compile(r"\b(?:have|has|had|having)\b")
# Verbs that need no object, so `was disappeared` can only be meant as `disappeared`.
_WITHOUT_OBJECT = (
    "disappear appear vanish arrive leave come go fly fall die happen exist remain stay sleep double triple halve land"
)
# What is done to things in presuppositions, so `if 2 dogs added` can only be meant as `were added`.
_DONE_TO_THINGS = (
    "add remove take move show put give replace paint cover cut build sell place bring hide double triple halve delete "
    "steal plant park lower install swap dye cook"
)
_SINGULAR, _PLURAL = "singular", "plural"
_FOR_ONE = frozenset({"a", "an", "1", "another", "each", "every", "this", "that"})
_FOR_SEVERAL = frozenset({"these", "those", "many", "several", "few", "fewer", "both", "all"})
_FOR_ANY = frozenset(
    {"the", "his", "her", "its", "their", "our", "my", "your", "no", "0", "other", "any", "some", "of"}
)
_NOUN_WITHIN = 3  # words from a determiner to its noun

Noun = tuple[str, str]  # what it is compared by, and its number


def meaning_words(text: str) -> list[str]:
    """The words that carry meaning, in order: numbers in figures, a possessive as its noun, parts at a hyphen."""
    return [
        part
        for word in words_of(in_digits(without_pronoun_one(text.lower())))
        if _has_meaning(word)
        for part in word.removesuffix("'s").split("-")
        if _has_meaning(part)
    ]


def corrected(before: Words, after: Words, known: Iterable[str] = ()) -> bool:
    """Whether each word is kept, inflected or spelled correctly, in the same order.

    Words may be joined or divided (`lady bug`). `known` are further words that are spelled as they should be.
    """
    spelled = frozenset(known)
    reached = {(0, 0)}
    for done in range(len(before) + 1):
        for place in range(len(after) + 1):
            if (done, place) not in reached:
                continue
            old, new = before[done : done + 2], after[place : place + 2]
            if old and new and _same(old[0], new[0], spelled):
                reached.add((done + 1, place + 1))
            if len(old) == 2 and new and "".join(old) == new[0]:
                reached.add((done + 2, place + 1))
            if old and len(new) == 2 and "".join(new) == old[0]:
                reached.add((done + 1, place + 2))
    return (len(before), len(after)) in reached


def _same(old: str, new: str, spelled: frozenset[str]) -> bool:
    if old == new or _forms(old) & _forms(new):
        return True
    if old.isdigit() or new.isdigit() or _is_known(old):
        return False
    if new in spelled and old[:_LEAST_PREFIX] == new[:_LEAST_PREFIX] and len(old) > _LEAST_PREFIX:
        return True
    most = 1 if min(len(old), len(new)) <= _LONGEST_SHORT else 2
    return (new in spelled or _is_known(new)) and _distance(old, new) <= most


def is_verb_form(word: str) -> bool:
    """Whether a word in lower case is a form of a verb that may be its participle, such as `eaten` and `added`."""
    return not word.endswith("ing") and (word in _verbs() or (word.endswith("ed") and len(word) > _LEAST_PREFIX - 1))


def verb_stem(word: str) -> str:
    """What the forms of a verb have in common."""
    return min(forms(_verbs().get(word, word)), key=lambda form: (len(form), form))


def _has_meaning(word: str) -> bool:
    return word != "" and not is_function_word(word) and word not in _GRAMMAR


@cache
def _forms(word: str) -> frozenset[str]:
    """What a word is compared by: its stems, and those of the verb whose irregular form it is."""
    verb = _verbs().get(word)
    return forms(word) | (forms(verb) if verb else frozenset())


@cache
def _verbs() -> dict[str, str]:
    rows = [row.split() for row in _VERBS.split("|")]
    return {form: row[0] for row in rows for form in row}


def _is_known(word: str) -> bool:
    """Whether a word is spelled as in the lexicon of TextBlob, with or without its ending."""
    stems = {word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending)}
    restored = {f"{word.removesuffix(ending)}e" for ending in ("ing", "ed") if word.endswith(ending)}
    derived = [stem for stem in stems if len(stem) > _LEAST_STEM]
    derived += [stem for stem in restored if len(stem) > _LEAST_STEM + 1]
    return any(stem in _lexicon() for stem in (word, *derived))


@cache
def _lexicon() -> frozenset[str]:
    """Words with their parts of speech, and words that occur at least twice in TextBlob's counts, which have errors."""
    folder = resources.files("textblob.en")
    known = set()
    for name in ("en-lexicon.txt", "en-spelling.txt"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            word, _, rest = line.partition(" ")
            if word and not word.startswith(";;;") and rest != "1":
                known.add(word.lower())
    return frozenset(known)


def _distance(first: str, second: str) -> int:
    """The number of letters to insert, delete, replace, or exchange with the next one (optimal string alignment)."""
    rows = [list(range(len(second) + 1))]
    for row, letter in enumerate(first, 1):
        here = [row]
        for column, other in enumerate(second, 1):
            cost = min(rows[-1][column] + 1, here[-1] + 1, rows[-1][column - 1] + (letter != other))
            crossed = row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other
            here.append(min(cost, rows[-2][column - 2] + 1) if crossed else cost)
        rows.append(here)
    return rows[-1][-1]


def changed_roles(before: str, after: str) -> str | None:
    """What an edit did to the roles in a lower-case text; None if they are the same."""
    old, new = _passives(before), _passives(after)
    every_old, every_new = (frozenset(map(verb_stem, re.findall(r"[^\W\d_]+", text))) for text in (before, after))
    made_active = [stem for stem in old - new if stem in every_new and stem not in _stems(_WITHOUT_OBJECT)]
    made_passive = [stem for stem in new - old if stem in every_old and stem not in _stems(_DONE_TO_THINGS)]
    if made_active or made_passive:
        return "what is done to a thing became what it does, or the other way round"
    be, have = (len(pattern.findall(after)) - len(pattern.findall(before)) for pattern in (_BE, _HAVE))
    if be * have < 0:
        return "what a thing has became what it is, or the other way round"
    return None


def _passives(text: str) -> Counter[str]:
    return Counter(verb_stem(word) for word in _PASSIVE.findall(text) if is_verb_form(word))


def _stems(words: str) -> frozenset[str]:
    return frozenset(verb_stem(form) for word in words.split() for form in (word, f"{word.removesuffix('e')}ed"))


def changed_numbers(before: str, after: str) -> list[str]:
    """The nouns whose number was right before an edit, and is another one after it; sorted."""
    (agreed, old), (_, now) = _nouns(before), _nouns(after)
    lost = {
        noun
        for (noun, number), count in agreed.items()
        if now[noun, number] < count and now[noun, _other(number)] > old[noun, _other(number)]
    }
    return sorted({word for word in words_of(before.lower()) if _compared_by(word) in lost})


def _nouns(text: str) -> tuple[Counter[Noun], Counter[Noun]]:
    """How often each noun is there, in agreement with its determiner, and in all."""
    words = words_of(in_digits(without_pronoun_one(text.lower())))
    agreed: Counter[Noun] = Counter()
    every: Counter[Noun] = Counter()
    for place, word in enumerate(words):
        if _is_noun(word):
            number = _PLURAL if _is_plural(word) else _SINGULAR
            noun = _compared_by(word), number
            every[noun] += 1
            if number in _demanded(words[max(place - _NOUN_WITHIN, 0) : place]):
                agreed[noun] += 1
    return agreed, every


def _compared_by(noun: str) -> str:
    return min(forms(noun), key=lambda form: (len(form), form))


def _demanded(before: list[str]) -> tuple[str, ...]:
    """The numbers that a noun after these words may have."""
    for word in reversed(before):
        if word in _FOR_ONE:
            return (_SINGULAR,)
        if word in _FOR_SEVERAL or (word.isdigit() and word != "0"):
            return (_PLURAL,)
        if word in _FOR_ANY:
            return (_SINGULAR, _PLURAL)
    return (_PLURAL,)  # without a determiner


def _other(number: str) -> str:
    return _SINGULAR if number == _PLURAL else _PLURAL


def _is_plural(word: str) -> bool:
    return is_irregular_plural(word) or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def _is_noun(word: str) -> bool:
    """Whether a word, or the word of which it is the plural, is a noun in TextBlob's lexicon."""
    if "'" in word or word.isdigit():
        return False
    tag = _tags().get(word) or (_tags().get(word.removesuffix("s")) if _is_plural(word) else None)
    return is_irregular_plural(word) or (tag or "").startswith("NN")


@cache
def _tags() -> dict[str, str]:
    text = (resources.files("textblob.en") / "en-lexicon.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in text.splitlines() if line and not line.startswith(";;;"))
    return {row[0]: row[1] for row in rows if len(row) == 2}
