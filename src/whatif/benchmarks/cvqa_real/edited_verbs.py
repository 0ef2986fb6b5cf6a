"""Whether an edit exchanges who does something with whom it is done to, or what a thing has with what it is."""

from __future__ import annotations

import re
from collections import Counter

from whatif.benchmarks.cvqa_real.edited_words import is_verb_form, verb_stem

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
