"""A linear model of the words of questions and options, cross-validated: what the question alone tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from whatif.engine.language.options import LETTERS

Row = Mapping[str, Any]
_WORD = re.compile(r"\w+")
_FEATURES = 1 << 17  # hashed; collisions only lose a little


def right_by_words(rows: Sequence[Row], folds: int, random_state: int) -> int:
    """The number of questions that a logistic regression on words answers correctly.

    Rows are of the table `questions`, all with choices. An example is an option, described by its text, its words, and
    their combinations with the group and with each word of the question, minus the mean of the options of its question.
    Questions of a pair are in the same fold. The option with the highest probability is chosen, the first of several.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    sizes = [len(row["choices"]) for row in rows]
    question = np.repeat(np.arange(len(rows)), sizes)
    right = np.concatenate(
        [np.arange(size) == LETTERS.index(row["answer"]) for size, row in zip(sizes, rows, strict=True)]
    )
    pairs = np.array([row["pair_id"] for row in rows])[question]
    hasher = FeatureHasher(_FEATURES, input_type="string", alternate_sign=False)
    values = hasher.transform(list(_features(row, choice)) for row in rows for choice in row["choices"])
    belongs = csr_matrix((np.ones(len(question)), (question, np.arange(len(question)))))
    means = csr_matrix((1 / np.array(sizes), (np.arange(len(rows)), np.arange(len(rows))))) @ belongs @ values
    centred = (values - belongs.T @ means).tocsr()
    chances = np.zeros(len(question))
    splitter = GroupKFold(n_splits=folds, shuffle=True, random_state=random_state)
    for train, test in splitter.split(centred, groups=pairs):
        model = LogisticRegression(fit_intercept=False, solver="liblinear", random_state=random_state)
        model.fit(centred[train], right[train])
        chances[test] = model.decision_function(centred[test])
    bounds = pairwise(np.append(0, np.cumsum(sizes)))
    return sum(bool(right[first + np.argmax(chances[first:end])]) for first, end in bounds)


def _features(row: Row, choice: str) -> Iterator[str]:
    text = choice.strip().casefold()
    asked = sorted(set(_WORD.findall(row["question"].casefold())))
    yield f"option {text}"
    yield f"group {row['group']} option {text}"
    yield from (f"asked {word} option {text}" for word in asked)
    for word in sorted(set(_WORD.findall(text))):
        yield f"word {word}"
        if word in asked:
            yield "in the question"
