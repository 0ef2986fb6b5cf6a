"""Shortcuts to open answers: questions that their text or the other answer of their pair answers without the image.

| rule | answers |
|---|---|
| `most-frequent` | always the most frequent answer, found in hindsight |
| `question` | the answer that a linear model predicts from the words of the question |
| `presupposition` | the answer that a linear model predicts from the words of the presupposition |
| `keyword` | one answer if the presupposition has a certain word, and another one if it has not |
| `number` | the first, or the last, number in the presupposition, whichever is better |
| `same-answer` | the answer to the other question of the pair |
| `opposite-answer` | `no` if the answer to the other question is `yes`, and the reverse |
| `arithmetic` | the answer to the other question, changed as the presupposition suggests (`operations`) |

The models and the keyword are cross-validated: they are found on some images and tested on the others. The last three
rules take the answer to the other question as known. They show how much is left to see in the image for a model that
knows it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from whatif.engine.language.number_words import in_digits
from whatif.engine.random_streams import stream
from whatif.scoring.shortcuts.audit import Shortcut
from whatif.scoring.shortcuts.fixed_rules import Count
from whatif.scoring.shortcuts.text_model import (
    CrossValidation,
    predicted_by_keyword,
    predicted_by_text,
    right_by_choice,
)

OF_TEXT = ("most-frequent", "question", "presupposition", "keyword", "number")
MODELS = ("question", "presupposition", "keyword")  # those of OF_TEXT that are cross-validated
OF_PAIR = ("same-answer", "opposite-answer", "arithmetic")
OPEN_RULES = (*OF_TEXT, *OF_PAIR)
_OPPOSITES = {"yes": "no", "no": "yes"}
_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.]*\d)")


@dataclass(frozen=True)
class OpenQuestion:
    """A question with an open answer.

    `presupposition` is empty if it has none; `other_answer` is the answer to the other question of its pair, None if
    that is not used; questions of the same `cluster`, such as an image, are in the same fold.
    """

    question: str
    presupposition: str
    answer: str
    cluster: str
    other_answer: str | None = None


def open_shortcuts(
    questions: Sequence[OpenQuestion],
    *,
    variant: str,
    folds: int,
    seed: int,
    rules: Collection[str] = OPEN_RULES,
) -> list[Shortcut]:
    """The shortcuts to the answers of one variant, those of OPEN_RULES that are among `rules` and apply to a question.

    `n` counts the questions to which a rule applies: `number` those with a number in the presupposition, `keyword` and
    `presupposition` those with a presupposition. With a single cluster there are no cross-validated rules.
    """
    found = (_shortcut(rule, questions, variant, folds, seed) for rule in OPEN_RULES if rule in rules)
    return [shortcut for shortcut in found if shortcut is not None and shortcut.n]


def operations(presupposition: str, number: int) -> dict[str, str]:
    """What may become of a number under a presupposition, by the name of the operation.

    The number stays, becomes 0, doubles, is halved, or grows or shrinks by 1 or by the last number in the
    presupposition. Negative results and halves of odd numbers are left out.
    """
    given = numbers_in(presupposition)
    results = {"same": number, "none": 0, "double": 2 * number, "plus one": number + 1, "minus one": number - 1}
    if number % 2 == 0:
        results["half"] = number // 2
    if given:
        results |= {"plus": number + given[-1], "minus": number - given[-1]}
    return {name: str(value) for name, value in results.items() if value >= 0}


def numbers_in(text: str) -> list[int]:
    """The whole numbers in a text, in figures or in words, in order."""
    return [int(number) for number in _NUMBER.findall(in_digits(text))]


def _shortcut(rule: str, rows: Sequence[OpenQuestion], variant: str, folds: int, seed: int) -> Shortcut | None:
    fixed = {
        "most-frequent": _most_frequent,
        "number": _number,
        "same-answer": _same_answer,
        "opposite-answer": _opposite_answer,
    }
    if rule in fixed:
        return fixed[rule](rows, variant)
    if rule != "question":
        rows = [row for row in rows if row.presupposition]
    if rule == "arithmetic":
        rows = [row for row in rows if row.other_answer is not None and row.other_answer.isdecimal()]
    if len({row.cluster for row in rows}) < 2:
        return None
    if rule == "arithmetic":
        results = [operations(row.presupposition, int(row.other_answer or 0)) for row in rows]
        texts, answers = [row.presupposition for row in rows], [row.answer for row in rows]
        right, n = right_by_choice(texts, results, answers, _how(rule, rows, variant, folds, seed))
        return Shortcut(rule, variant, "", right, n)
    found, word = predicted(rule, rows, variant=variant, folds=folds, seed=seed)
    return Shortcut(rule, variant, word, sum(map(_is_right, rows, found)), len(rows))


def predicted(rule: str, rows: Sequence[OpenQuestion], *, variant: str, folds: int, seed: int) -> tuple[list[str], str]:
    """What a rule of MODELS predicts for each question, cross-validated; and the word, if it is `keyword`."""
    texts = [row.question if rule == "question" else row.presupposition for row in rows]
    answers, how = [row.answer for row in rows], _how(rule, rows, variant, folds, seed)
    return (
        predicted_by_keyword(texts, answers, how) if rule == "keyword" else (predicted_by_text(texts, answers, how), "")
    )


def _how(rule: str, rows: Sequence[OpenQuestion], variant: str, folds: int, seed: int) -> CrossValidation:
    random_state = int(stream(seed, "shortcut to open answers", rule, variant).integers(2**31))
    return CrossValidation([row.cluster for row in rows], folds, random_state)


def _is_right(row: OpenQuestion, answer: str) -> bool:
    return row.answer == answer


def _most_frequent(rows: Sequence[OpenQuestion], variant: str) -> Shortcut:
    counts = Counter(row.answer for row in rows)
    best = min(counts, key=lambda answer: (-counts[answer], answer), default="")
    return Shortcut("most-frequent", variant, best, counts[best], len(rows))


def _number(rows: Sequence[OpenQuestion], variant: str) -> Shortcut:
    counts: Mapping[str, Count] = {"first": Count(), "last": Count()}
    for row in rows:
        if row.answer.isdecimal() and (given := numbers_in(row.presupposition)):
            for name, value in (("first", given[0]), ("last", given[-1])):
                counts[name].add(correct=int(row.answer) == value)
    best = max(counts, key=lambda name: counts[name].right)
    return Shortcut("number", variant, best, counts[best].right, counts[best].n)


def _same_answer(rows: Sequence[OpenQuestion], variant: str) -> Shortcut:
    known = [(row.answer, row.other_answer) for row in rows if row.other_answer is not None]
    return Shortcut("same-answer", variant, "", sum(answer == other for answer, other in known), len(known))


def _opposite_answer(rows: Sequence[OpenQuestion], variant: str) -> Shortcut:
    known = [(row.answer, _OPPOSITES[row.other_answer]) for row in rows if row.other_answer in _OPPOSITES]
    return Shortcut("opposite-answer", variant, "", sum(answer == said for answer, said in known), len(known))
