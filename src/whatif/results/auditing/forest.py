"""The random forest on features of the text: of each option of a choice, or of the question where there is none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from whatif.engine.language.number_words import in_digits
from whatif.engine.language.options import LETTERS
from whatif.results.auditing.guesses import Flags, Floats, Folds, Guesses, Places
from whatif.results.auditing.items import CHOICE, Item
from whatif.scoring.shortcuts.audit import forest_chances

FOREST = "forest"
_TREES, _SMALLEST_LEAF = 100, 5
_FREQUENT_WORDS = 100  # whose presence is a feature
MOST_ANSWERS = 50  # that are learned; rarer ones are never predicted
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"(?<![\w.])\d{1,9}(?![\w.]*\d)")


def forest(items: Sequence[Item], folds: Folds) -> Guesses:
    """The cross-validated forest. For choices it is that of our reports (`whatif.scoring.shortcuts.audit`)."""
    return _of_options(items, folds) if items[0].kind == CHOICE else _of_questions(items, folds)


def _of_options(items: Sequence[Item], folds: Folds) -> Guesses:
    rows = [
        {"group": item.group, "question": item.question, "choices": item.options, "answer": LETTERS[item.right]}
        for item in items
    ]
    examples, chances = forest_chances(rows, folds.clusters, variant=folds.variant, folds=folds.number, seed=folds.seed)
    right, probability = np.zeros(len(items), bool), np.zeros(len(items))
    for place, (first, end) in enumerate(pairwise(np.searchsorted(examples.question, np.arange(len(items) + 1)))):
        values = chances[first:end]
        right[place] = int(np.argmax(values)) == items[place].right
        total = values.sum()
        probability[place] = values[items[place].right] / total if total > 0 else 1 / len(values)
    return Guesses(FOREST, "", np.ones(len(items), bool), right, probability)


def _of_questions(items: Sequence[Item], folds: Folds) -> Guesses:
    from sklearn.ensemble import RandomForestClassifier

    values = _features(items)
    answers = np.array([item.answer for item in items])
    right, probability = np.zeros(len(items), bool), np.zeros(len(items))
    for train, test in folds.splits():
        known = frequent_answers([items[place].answer for place in train])
        learned = train[np.isin(answers[train], known)]
        model = RandomForestClassifier(
            _TREES, min_samples_leaf=_SMALLEST_LEAF, random_state=folds.random_state, n_jobs=1
        )
        model.fit(values[learned], answers[learned])
        record(
            model.predict_proba(values[test]), list(model.classes_), items, test, right=right, probability=probability
        )
    return Guesses(FOREST, "", np.ones(len(items), bool), right, probability)


def frequent_answers(answers: Sequence[str]) -> list[str]:
    """The most frequent answers, at most MOST_ANSWERS, in alphabetical order."""
    counts = Counter(map(str, answers))
    return sorted(sorted(counts, key=lambda answer: (-counts[answer], answer))[:MOST_ANSWERS])


def record(
    chances: Floats, classes: Sequence[str], items: Sequence[Item], test: Places, *, right: Flags, probability: Floats
) -> None:
    """Notes for each tested place whether the most probable class is its answer, and the answer's probability."""
    for place, row in zip(test, chances, strict=True):
        answer = items[place].answer
        right[place] = classes[int(np.argmax(row))] == answer
        probability[place] = row[classes.index(answer)] if answer in classes else 0.0


def _features(items: Sequence[Item]) -> npt.NDArray[np.float32]:
    """Questions as examples: group, length, numbers in the text, and which frequent words it has."""
    words = [_WORD.findall(in_digits(item.question.casefold())) for item in items]
    counts = Counter(word for of in words for word in set(of))
    frequent = sorted(sorted(counts, key=lambda word: (-counts[word], word))[:_FREQUENT_WORDS])
    groups = {group: number for number, group in enumerate(sorted({item.group for item in items}))}
    rows = []
    for item, of in zip(items, words, strict=True):
        numbers = [float(number) for number in _DIGITS.findall(in_digits(item.question))]
        present = set(of)
        rows.append(
            [
                groups[item.group],
                len(item.question),
                len(of),
                len(numbers),
                numbers[0] if numbers else np.nan,
                numbers[-1] if numbers else np.nan,
                item.question.count(","),
                *(word in present for word in frequent),
            ]
        )
    return np.array(rows, dtype=np.float32)
