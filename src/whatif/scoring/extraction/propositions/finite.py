"""Finds the finite verb of a clause, and so the end of its subject."""

from __future__ import annotations

from collections.abc import Sequence

from whatif.scoring.extraction.propositions.nouns import is_attribute
from whatif.scoring.extraction.propositions.words import Token

LINKING = ("be", "do", "have", "modal")


def finite_at(words: Sequence[Token], nouns: frozenset[str] = frozenset()) -> int | None:
    """Where the finite verb of a clause is, after its subject; None without one."""
    skipped = False
    for place, word in enumerate(words):
        after = words[place + 1] if place + 1 < len(words) else None
        before = words[place - 1] if place else None
        if word.kind == "relative" or (
            word.written == "that" and before is not None and before.kind == "word" and _is_verb_next(words, place)
        ):
            skipped = True
            continue
        if before is None:
            continue
        is_verb = word.kind in LINKING or (word.written not in nouns and _agrees(before, word, after))
        if not is_verb:
            continue
        if skipped:  # the verb of `the man who is ...`
            skipped = False
            if words[place - 1].kind in LINKING:
                skipped = True
            continue
        if word.kind in LINKING and before.kind in LINKING:
            continue
        return place
    return None


def _is_verb_next(words: Sequence[Token], place: int) -> bool:
    after = words[place + 1] if place + 1 < len(words) else None
    return after is not None and (after.kind in LINKING or after.form in ("s", "base", "ed"))


def _agrees(before: Token, word: Token, after: Token | None) -> bool:
    """Whether a word is a verb in the present whose subject ends before it: `man walks`, `dogs walk`."""
    if word.kind != "word" or (after is not None and after.kind in ("be", "modal", "owner")):
        return False
    if before.kind == "pronoun":
        plural = before.written in ("they", "we", "you", "these", "those", "i")
    elif before.kind == "quantity":
        plural = before.written in ("both", "all", "some", "most", "none")
    elif before.kind == "word" and not is_attribute(before):
        plural = before.written.endswith("s") or (
            before.base in ("person", "man", "woman", "child") and (before.written != before.base)
        )
    elif before.kind == "adverb":
        return word.form in ("s",)
    else:
        return False
    is_unknown = word.form is None and word.written.endswith("s") and after is not None
    if is_unknown and not plural and after is not None and after.kind in ("article", "quantity"):
        return True  # an unknown verb: `spans the river`
    if word.form == "s" and not plural:
        return True
    return word.form == "base" and plural and word.written not in ("light", "sign", "stand", "cover")
