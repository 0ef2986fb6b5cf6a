"""The text model: a linear model of TF-IDF weights of words and pairs of words, cross-validated by cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.engine.language.number_words import in_digits
from whatif.results.auditing.forest import frequent_answers, record
from whatif.results.auditing.guesses import Folds, Guesses, softmax_by_item
from whatif.results.auditing.items import CHOICE, Item

TEXT = "text"
_WORD = re.compile(r"\w+")
_REASONS = 3  # words that are named for an item
_SHORT = 3  # words of an option that is combined with each word of its question


def text_model(items: Sequence[Item], folds: Folds) -> Guesses:
    """A logistic regression on the text of question and options.

    An example of a choice is an option: its text, its words, its pairs of neighbouring words, whether the question has
    them, and combinations of a short option with the group and with each word of the question; all minus the mean over
    the options of its question. Otherwise an example is a question, and one regression is learned for each answer.
    """
    return _of_options(items, folds) if items[0].kind == CHOICE else _of_questions(items, folds)


def _of_options(items: Sequence[Item], folds: Folds) -> Guesses:
    from scipy.sparse import csr_matrix, vstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import normalize

    texts = [[_of_option(item, option) for option in item.options] for item in items]
    sizes = np.array([len(item.options) for item in items])
    right, probability = np.zeros(len(items), bool), np.zeros(len(items))
    reasons = [""] * len(items)

    def centred(values: Any, of: npt.NDArray[np.int64]) -> Any:
        """Options minus the mean of their item, as vectors of length 1; what all options share disappears."""
        item = np.repeat(np.arange(len(of)), sizes[of])
        belongs = csr_matrix((np.ones(len(item)), (item, np.arange(len(item)))))
        means = csr_matrix((1 / sizes[of], (np.arange(len(of)), np.arange(len(of))))) @ belongs @ values
        return normalize((values - belongs.T @ means).tocsr())

    for train, test in folds.splits():
        vectors = TfidfVectorizer(analyzer=list, min_df=2, sublinear_tf=True, norm=None)
        try:
            known = vectors.fit_transform([text for place in train for text in texts[place]])
        except ValueError:  # no word occurs twice
            probability[test] = 1 / sizes[test]
            continue
        learned = centred(known, train)
        correct = np.concatenate([np.arange(sizes[place]) == items[place].right for place in train])
        model = LogisticRegression(fit_intercept=False, solver="liblinear", random_state=folds.random_state)
        # Each option also with the opposite sign, so that a value of 0 means neither right nor wrong.
        weights = np.concatenate([np.where(correct, 1.0, 1 / (np.repeat(sizes[train], sizes[train]) - 1))] * 2)
        model.fit(vstack([learned, -learned]), np.concatenate([correct, ~correct]), weights)
        asked = centred(vectors.transform([text for place in test for text in texts[place]]), test)
        chances = softmax_by_item(model.decision_function(asked), list(sizes[test]))
        names = vectors.get_feature_names_out()
        firsts = np.concatenate([[0], np.cumsum(sizes[test])[:-1]])
        for place, values, first in zip(test, chances, firsts, strict=True):
            right[place] = int(np.argmax(values)) == items[place].right
            probability[place] = values[items[place].right]
            reasons[place] = _reasons(asked, int(first) + items[place].right, model.coef_[0], names)
    return Guesses(TEXT, "", np.ones(len(items), bool), right, probability, reasons)


def _of_questions(items: Sequence[Item], folds: Folds) -> Guesses:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    texts = [_of_question(item) for item in items]
    answers = np.array([item.answer for item in items])
    right, probability = np.zeros(len(items), bool), np.zeros(len(items))
    reasons = [""] * len(items)
    for train, test in folds.splits():
        known = frequent_answers([items[place].answer for place in train])
        learned = train[np.isin(answers[train], known)]
        if len(known) < 2:
            record(np.ones((len(test), 1)), known, items, test, right=right, probability=probability)
            continue
        vectors = TfidfVectorizer(analyzer=list, min_df=2, sublinear_tf=True)
        try:
            values = vectors.fit_transform([texts[place] for place in learned])
        except ValueError:  # no word occurs twice
            counts = np.array([(answers[train] == answer).mean() for answer in known])
            record(np.tile(counts, (len(test), 1)), known, items, test, right=right, probability=probability)
            continue
        model = OneVsRestClassifier(LogisticRegression(C=3.0, solver="liblinear", random_state=folds.random_state))
        model.fit(values, answers[learned])
        asked = vectors.transform([texts[place] for place in test])
        classes = list(model.classes_)
        record(model.predict_proba(asked), classes, items, test, right=right, probability=probability)
        names = vectors.get_feature_names_out()
        for number, place in enumerate(test):
            if answers[place] in classes:
                way = classes.index(answers[place])
                weights = model.estimators_[0 if len(classes) == 2 else way].coef_[0]
                sign = -1.0 if len(classes) == 2 and way == 0 else 1.0
                reasons[place] = _reasons(asked, number, sign * weights, names)
    return Guesses(TEXT, "", np.ones(len(items), bool), right, probability, reasons)


def _reasons(values: Any, row: int, weights: npt.NDArray[np.float64], names: Sequence[str]) -> str:
    """The features of a row that speak most for it, in words."""
    span = slice(values.indptr[row], values.indptr[row + 1])
    places = values.indices[span]
    parts = values.data[span] * weights[places]
    best = sorted(zip(-parts, places, strict=True))[:_REASONS]
    return "; ".join(str(names[place]) for part, place in best if part < 0)


def _of_option(item: Item, option: str) -> list[str]:
    text = option.casefold()
    words = _WORD.findall(text)
    asked = sorted(set(_WORD.findall(item.question.casefold())))
    found = [f"option “{text}”", *(f"“{word}”" for word in words)]
    found += [f"“{one} {two}”" for one, two in pairwise(words)]
    found += [f"“{word}” is in the question" for word in words if word in asked]
    if len(words) <= _SHORT:
        found.append(f"option “{text}” in {item.group}")
        found += [f"option “{text}” after “{word}”" for word in asked]
    return found


def _of_question(item: Item) -> list[str]:
    words = _WORD.findall(in_digits(item.question.casefold()))
    found = [f"“{word}”" for word in words] + [f"“{one} {two}”" for one, two in pairwise(words)]
    return [*found, f"group {item.group}"] if item.group else found or ["an empty question"]
