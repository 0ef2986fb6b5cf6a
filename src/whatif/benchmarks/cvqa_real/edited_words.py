"""Whether the words that carry the meaning of a text are the same after an edit, but for inflection and spelling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

from whatif.benchmarks.cvqa_real.question_parts import forms, is_function_word, words_of
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
