"""Checks of a counterfactual question by its text, beside its original question (C-VQA 3.1, 3.2).

A fault rejects the question. A doubt does not: it is counted, because too many of the questions with it are good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from whatif.benchmarks.cvqa_real.change_amounts import can_change
from whatif.benchmarks.cvqa_real.question_parts import (
    content_words,
    counted_words,
    has_two_presuppositions,
    main_clause,
    missing,
    words_of,
)
from whatif.benchmarks.cvqa_real.schemas import BOOLEAN, DIRECT
from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.number_words import in_digits
from whatif.engine.language.wording import same, without_pronoun_one

NO_PRESUPPOSITION = "no presupposition"
TWO_PRESUPPOSITIONS = "presupposition given twice"
SAME_AS_ORIGINAL = "same as the original"
ASKS_ELSE = "asks about something else"
GIVES_ANSWER = "contains its answer"
OTHER_AMOUNT = "amount does not give the answer"
# Doubts.
ALL_REMOVED = "all are removed"
OTHER_WORDS = "asked in other words"

_LEAST_KEPT = 0.5  # of the words of a yes-or-no question
_NUMBER_STATED = re.compile(
    r"(?:\bthere (?:were|was|are|is|be|had been|would be|being)|\bnumber of [\w -]{1,40}? (?:were|was|is|be)|"
    r"\b(?:reduced|increased|decreased|limited|cut|changed|raised|lowered|cut down|combined|merged|split) (?:in)?to|"
    r"\bonly|\bjust|\bexactly) (?:only |just |exactly |a total of )?$"
)
_CHANGE_AFTER = re.compile(r"(?:\d+ )?(?:more|less|fewer|other|others|additional|extra|further|new|times|of|as)\b")
_PRONOUN = re.compile(r"\bif (?:he|she|it|they|this|that|these|those|one)\b")
_LEFT_OVER = re.compile(r"(?:left|remain\w*|there|here|shown|seen|visible|present|instead|in total|altogether)\b")
# Words that say only that something is in the image.
_NOT_ASKED = frozenset(
    [
        "image",
        "picture",
        "photo",
        "scene",
        "view",
        "visible",
        "shown",
        "seen",
        "present",
        "left",
        "see",
        "think",
        "look",
    ]
)
_NOUN_WITHIN = 4  # words between a number and its noun
# Words that a clause may add to a statement and still state only that.
_STATE_ONLY = frozenset(
    ["never", "without", "none", "nothing", "nobody", "already", "currently", "simply", "indeed", "longer"]
)
_WERE_THERE = re.compile(rf"(?:was|were|is|are|had been|would be) {_LEFT_OVER.pattern}$")
_ANSWER = re.compile(r"\bthe (?:new |right |correct )?answer (?:was|were|is|be|would)\b")
_FOR_EACH = re.compile(r"\b(?:each|every)\b")


@dataclass(frozen=True)
class Texts:
    """An original question and answer, and the counterfactual question and answer of a group."""

    group: str
    question: str
    answer: str
    new_question: str
    new_answer: str


def text_fault(texts: Texts) -> tuple[str, str] | None:
    """The first reason to reject a counterfactual question by its text, with a detail; None if there is none.

    Answers are a whole number in figures, or `yes` or `no`. The reasons:

    - `same as the original`, but for case, punctuation and articles;
    - `no presupposition`: it has no if clause (`whatif.engine.language.if_clauses`);
    - `presupposition given twice`: the rest of the question has an if clause, too;
    - `asks about something else`: the noun that it counts is not that of the original question, or fewer than half of
      the words of a yes-or-no question are in it;
    - `contains its answer`: its if clause says how many there are, adds them to none, or states what is asked;
    - `amount does not give the answer`: the amounts in the if clause of a direct question do not turn the original
      answer into the new one.
    """
    return next(_faults(texts), None)


def _faults(texts: Texts) -> Iterator[tuple[str, str]]:
    clause = if_clause(texts.new_question)
    if same(texts.question, texts.new_question):
        yield SAME_AS_ORIGINAL, f"{texts.new_question!r} changes nothing"
    if clause is None:
        yield NO_PRESUPPOSITION, f"{texts.new_question!r} has no if clause"
        return
    if has_two_presuppositions(texts.new_question):
        yield TWO_PRESUPPOSITIONS, f"{texts.new_question!r} has another if clause besides {clause!r}"
    if (lost := _asks_else(texts)) is not None:
        yield ASKS_ELSE, lost
    given = _statement_given(texts, clause) if texts.group == BOOLEAN else _number_given(texts, clause)
    if given is not None:
        yield GIVES_ANSWER, given
    if texts.group == DIRECT and not _explains(texts, in_digits(clause)):
        yield OTHER_AMOUNT, f"the if clause {clause!r} does not turn {texts.answer} into {texts.new_answer}"


def doubts(texts: Texts) -> list[str]:
    """Why a question that has no fault may be wrong or too easy, sorted.

    - `all are removed`: nothing is left to count, to which language models tend (C-VQA 3.2);
    - `asked in other words`: a word of what is asked is not in the counterfactual question.
    """
    if texts.group == BOOLEAN:
        lost = missing(content_words(texts.question), content_words(texts.new_question))
        return [OTHER_WORDS] if set(lost) - _NOT_ASKED else []
    lost = missing(counted_words(texts.question) or [], counted_words(texts.new_question) or [])
    found = [ALL_REMOVED] if texts.new_answer == "0" and texts.answer != "0" else []
    return sorted([*found, OTHER_WORDS] if lost else found)


def _asks_else(texts: Texts) -> str | None:
    """What a counterfactual question no longer asks about; None if it asks about the same."""
    if texts.group == BOOLEAN:
        asked = content_words(texts.question)
        lost = missing(asked, content_words(texts.new_question))
        if len(lost) <= _LEAST_KEPT * len(asked):
            return None
        return f"{texts.new_question!r} lacks {', '.join(lost)} of {texts.question!r}"
    counted, now = counted_words(texts.question), counted_words(texts.new_question)
    if now is None:
        return f"{texts.new_question!r} does not ask how many"
    last = [word for word in now if not word.isdigit()][-1:]  # `dog owners` are no dogs
    if not counted or not last or not (missing(counted[-1:], now) or missing(last, counted)):
        return None
    return f"{texts.new_question!r} counts {' '.join(now)}, not {' '.join(counted)}"


def _number_given(texts: Texts, clause: str) -> str | None:
    """How the clause states the number that is asked for; None if it does not.

    It does where it says that there are so many of the counted things, and where it adds so many to none.
    """
    text, answer = " ".join(words_of(in_digits(clause))), texts.new_answer
    counted, main = counted_words(texts.new_question) or [], main_clause(texts.new_question)
    if answer in _figures(main) - _figures(texts.question):
        return f"{answer!r} is in {texts.new_question!r}, outside its if clause"
    for found in re.finditer(rf"\b{answer}\b", text):
        before, after = text[: found.start()], text[found.end() :].strip()
        names_them = bool(counted) and not missing(counted[-1:], after.split()[:_NOUN_WITHIN])
        if _CHANGE_AFTER.match(after) or _FOR_EACH.search(before):
            stated = False
        elif answer == "0":
            no_noun = _WERE_THERE.match(after) is not None  # `none were there`
            stated = (names_them or no_noun) and not missing(content_words(after), [*_NOT_ASKED, *content_words(main)])
        else:
            alone = not after or _LEFT_OVER.match(after) is not None
            stated = _NUMBER_STATED.search(before) is not None and (names_them or alone)
        if stated or (texts.answer == "0" and answer != "0" and texts.group == DIRECT):
            return f"{answer!r} is in the if clause {clause!r}; the original answer is {texts.answer!r}"
    return f"the if clause {clause!r} names the answer" if _ANSWER.search(clause) else None


def _figures(text: str) -> set[str]:
    """The whole numbers of a text, also those in words."""
    return set(re.findall(r"\b\d+\b", in_digits(without_pronoun_one(text.lower()))))


def _statement_given(texts: Texts, clause: str) -> str | None:
    """How the clause states, or denies, only what is asked; None if it does not."""
    if _ANSWER.search(clause):
        return f"the if clause {clause!r} names the answer"
    return f"the if clause {clause!r} states what is asked" if _states(texts, clause) else None


def _states(texts: Texts, clause: str) -> bool:
    """Whether the clause says no more than the original question.

    A pronoun may replace the subject, `there` the place, and an adjective of the subject may be left out.
    """
    asked, stated = content_words(texts.question), content_words(clause)
    added = [word for word in missing(stated, asked) if word not in _STATE_ONLY]
    lost = missing(asked, stated)
    is_subject = _PRONOUN.search(clause) is not None and lost == asked[: len(lost)] and len(lost) < len(asked)
    there = re.search(r"\bthere (?:was|were|is|are)\b.* (?:there|here)$", clause) is not None
    is_place = there and lost == asked[len(asked) - len(lost) :] and len(lost) < len(asked)
    adjective = len(lost) == 1 and lost == asked[:1] and len(asked) > 2
    is_shorter = adjective and re.search(rf"\b(?:the|this|that|a|an) {lost[0]} {asked[1]}\b", texts.question.lower())
    return bool(asked) and not added and (not lost or is_subject or is_place or bool(is_shorter))


def _explains(texts: Texts, clause: str) -> bool:
    """Whether the amounts that the clause names, all of them, can turn the original answer into the new one."""
    asked = re.findall(r"\d+", in_digits(main_clause(texts.new_question)))  # `How many three-wheelers`
    counted = counted_words(texts.new_question) or []
    return can_change(clause, int(texts.answer), int(texts.new_answer), asked=asked, counted=counted)
