"""Models of the words of a text, cross-validated: what a text tells about the answer to an open question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.engine.language.number_words import in_digits

_WORD = re.compile(r"\w+")
_FEATURES = 1 << 16  # hashed; collisions only lose a little
Places = npt.NDArray[np.int64]


def words_of(text: str) -> set[str]:
    """The different words of a text in lower case; numbers are in digits."""
    return set(_WORD.findall(in_digits(text)))


@dataclass(frozen=True)
class CrossValidation:
    """How texts are divided: all of a cluster, such as an image, are in one of the folds.

    `clusters` has one name for each text. With fewer clusters than folds, each cluster is a fold of its own; with a
    single cluster there are no folds.
    """

    clusters: Sequence[str]
    folds: int
    random_state: int

    def splits(self) -> Iterator[tuple[Places, Places]]:
        """Places to train on and to test on, fold after fold."""
        from sklearn.model_selection import GroupKFold

        number = min(self.folds, len(set(self.clusters)))
        if number > 1:
            splitter = GroupKFold(n_splits=number, shuffle=True, random_state=self.random_state)
            yield from splitter.split(np.zeros(len(self.clusters)), groups=np.array(self.clusters))


def predicted_by_text(texts: Sequence[str], answers: Sequence[str], how: CrossValidation) -> list[str]:
    """The answers that a logistic regression on words and pairs of neighbouring words predicts; empty without folds.

    Only answers of the other folds can be predicted. There is one regression for each answer; the answer with the
    highest value is predicted, the first of several in order of their text.
    """
    values = _hashed(texts)
    known = np.array(answers)
    found = [""] * len(texts)
    for train, test in how.splits():
        names = sorted(set(known[train]))
        chances = [_chances(values, known[train] == name, train, test, how.random_state) for name in names]
        for place, best in zip(test, np.argmax(np.stack(chances), axis=0), strict=True):
            found[place] = names[best]
    return found


def right_by_choice(
    texts: Sequence[str], results: Sequence[Mapping[str, str]], answers: Sequence[str], how: CrossValidation
) -> tuple[int, int]:
    """How many answers are found by choosing one of several computed results by the words of a text, and of how many.

    `results` gives, for each text, the result of each way to compute it that is possible there, by the way's name. A
    logistic regression for each way learns from the other folds for which texts its result is the answer; the result of
    the way with the highest value is taken, the first of several by name. Texts without any result do not count.
    """
    values = _hashed(texts)
    ways = sorted({way for of_text in results for way in of_text})
    fits = {way: np.array([of.get(way) == answer for of, answer in zip(results, answers, strict=True)]) for way in ways}
    possible = {way: np.array([way in of for of in results]) for way in ways}
    right = n = 0
    for train, test in how.splits():
        chances = {way: np.full(len(test), -np.inf) for way in ways}
        for way in ways:
            learned, asked = train[possible[way][train]], np.flatnonzero(possible[way][test])
            if len(learned) and len(asked):
                chances[way][asked] = _chances(values, fits[way][learned], learned, test[asked], how.random_state)
        best = np.argmax(np.stack([chances[way] for way in ways]), axis=0)
        for place, way in zip(test, best, strict=True):
            if results[place]:
                n += 1
                right += bool(fits[ways[way]][place])
    return right, n


def predicted_by_keyword(texts: Sequence[str], answers: Sequence[str], how: CrossValidation) -> tuple[list[str], str]:
    """The answers that follow from whether a text has one single word, and the word.

    In each fold the word is the one that is best on the other folds: it gives the most frequent answer of the texts
    with the word, and of those without it. Of words that are equally good, the first in the alphabet is taken. The word
    that is returned is the one of the most folds; it is empty where no word is better than none.
    """
    words = [words_of(text) for text in texts]
    found, chosen = [""] * len(texts), Counter[str]()
    for train, test in how.splits():
        word, present, absent = _best_word([(words[place], answers[place]) for place in train])
        chosen[word] += 1
        for place in test:
            found[place] = present if word in words[place] else absent
    return found, min(chosen, key=lambda word: (-chosen[word], word), default="")


def _best_word(examples: Sequence[tuple[set[str], str]]) -> tuple[str, str, str]:
    """The word whose presence tells most, and the answers with it and without it."""
    every = Counter(answer for _, answer in examples)
    having: dict[str, Counter[str]] = {}
    for words, answer in examples:
        for word in words:
            having.setdefault(word, Counter())[answer] += 1
    usual = _most_frequent(every)
    best, most = ("", usual, usual), every[usual]
    for word in sorted(having):
        without = every - having[word]
        present, absent = _most_frequent(having[word]), _most_frequent(without) if without else usual
        if (right := having[word][present] + without[absent]) > most:
            best, most = (word, present, absent), right
    return best


def _most_frequent(counts: Counter[str]) -> str:
    return min(counts, key=lambda answer: (-counts[answer], answer))


def features_of(text: str) -> Iterator[str]:
    """The different words and pairs of neighbouring words of a text, with a constant; as names of features."""
    words = _WORD.findall(in_digits(text))
    yield "any text"
    yield from sorted({f"word {word}" for word in words})
    yield from sorted({f"words {first} {second}" for first, second in pairwise(words)})


def _hashed(texts: Sequence[str]) -> Any:
    """The features of each text in a row; columns that all texts leave empty would only cost time."""
    from sklearn.feature_extraction import FeatureHasher

    hasher = FeatureHasher(_FEATURES, input_type="string", alternate_sign=False)
    values = hasher.transform(list(features_of(text)) for text in texts)
    return values[:, np.unique(values.indices)]


def _chances(
    values: Any, right: npt.NDArray[np.bool_], train: Places, test: Places, random_state: int
) -> npt.NDArray[np.float64]:
    """The decision values of the texts `test`, by a regression that was trained on the texts `train`."""
    from sklearn import config_context
    from sklearn.linear_model import LogisticRegression

    if right.all() or not right.any():
        return np.full(len(test), 1e3 if right.all() else -1e3)  # there is nothing to learn
    model = LogisticRegression(fit_intercept=False, solver="liblinear", random_state=random_state)
    with config_context(assume_finite=True, skip_parameter_validation=True):  # most of the time of a small regression
        model.fit(values[train], right)
    found: npt.NDArray[np.float64] = values[test] @ model.coef_[0]
    return found
