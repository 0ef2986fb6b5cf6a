"""The shortcut audit: how well a multiple-choice set can be answered without its images.

A random forest that sees only the text of question and options is cross-validated on the test set itself (the
Test-set Stress-Test of arXiv 2511.04655). A model's accuracy up to that of the forest is no evidence that it uses the
images. Two fixed rules are reported as well, because they are easy to state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.errors import WhatifError
from whatif.language.options import LETTERS
from whatif.random_streams import stream
from whatif.shortcuts.features import Features, by_rank, features
from whatif.statistics import Interval, wilson

Row = Mapping[str, Any]
VARIANTS = ("original", "counterfactual")
RULES = ("letter", "rank", "forest")
# Enough trees and leaves to find simple rules, few enough for 3,000 pairs in seconds on one core.
_TREES = 100
_SMALLEST_LEAF = 20


@dataclass(frozen=True)
class Shortcut:
    """The accuracy of one way to answer without the image.

    `rule` is `letter` (always the same letter), `rank` (always the option of the same rank) or `forest`; `choice` is
    the best letter or rank, and empty for the forest. The rule answers `right` of `n` questions correctly.
    """

    rule: str
    variant: str
    choice: str
    right: int
    n: int

    def accuracy(self, confidence: float) -> Interval:
        """The fraction of correctly answered questions, with its interval."""
        return wilson(self.right, self.n, confidence)


def audit(questions: Iterable[Row], *, folds: int, seed: int, variants: Collection[str] = VARIANTS) -> list[Shortcut]:
    """Three shortcuts for each variant: best letter, best rank, and a forest cross-validated on the set itself.

    Rows are of the table `questions`; those without choices are skipped. Ranks count from 1, the smallest: by value if
    all options of a question are numbers, otherwise in order of their text. Letter and rank are chosen in hindsight,
    so on a set without shortcuts their accuracy is slightly above chance. Both questions of a pair are in the same
    one of the `folds`, so the forest was never trained on a pair that it is tested on.

    Raises WhatifError when a variant has fewer pairs than folds.
    """
    rows = sorted((row for row in questions if row["choices"]), key=lambda row: str(row["question_id"]))
    found = []
    for variant in sorted(variants, key=VARIANTS.index):
        asked = [row for row in rows if row["variant"] == variant]
        if asked:
            found += [
                _best_letter(asked, variant),
                _best_rank(asked, variant),
                _forest(asked, variant, folds, seed),
            ]
    return found


def _best_letter(rows: Sequence[Row], variant: str) -> Shortcut:
    counts = Counter(str(row["answer"]) for row in rows)
    letter = min(counts, key=lambda letter: (-counts[letter], letter))
    return Shortcut("letter", variant, letter, counts[letter], len(rows))


def _best_rank(rows: Sequence[Row], variant: str) -> Shortcut:
    counts = Counter(by_rank(row["choices"]).index(LETTERS.index(row["answer"])) + 1 for row in rows)
    rank = min(counts, key=lambda rank: (-counts[rank], rank))
    return Shortcut("rank", variant, str(rank), counts[rank], len(rows))


def _forest(rows: Sequence[Row], variant: str, folds: int, seed: int) -> Shortcut:
    pairs = {row["pair_id"] for row in rows}
    if len(pairs) < folds:
        raise WhatifError(
            f"the shortcut audit: {folds} folds need as many pairs, but the {variant} questions have {len(pairs)}; "
            "reduce the number of folds or add questions"
        )
    examples = features(rows)
    random_state = int(stream(seed, "shortcut audit", variant).integers(2**31))
    chances = _chances_out_of_fold(examples, [row["pair_id"] for row in rows], folds, random_state)
    right = 0
    for first, end in pairwise(np.searchsorted(examples.question, np.arange(len(rows) + 1))):
        right += bool(examples.right[first + np.argmax(chances[first:end])])
    return Shortcut("forest", variant, "", right, len(rows))


def _chances_out_of_fold(
    examples: Features, pair_ids: Sequence[str], folds: int, random_state: int
) -> npt.NDArray[np.float64]:
    """For every option the probability that it is correct, by a forest that was trained without its pair."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GroupKFold

    pairs = np.array(pair_ids)[examples.question]
    chances = np.full(len(pairs), np.nan)
    splitter = GroupKFold(n_splits=folds, shuffle=True, random_state=random_state)
    for train, test in splitter.split(examples.values, groups=pairs):
        forest = RandomForestClassifier(
            _TREES, min_samples_leaf=_SMALLEST_LEAF, max_features=0.5, random_state=random_state, n_jobs=1
        )
        forest.fit(examples.values[train], examples.right[train])
        if True in forest.classes_:
            chances[test] = forest.predict_proba(examples.values[test])[:, list(forest.classes_).index(True)]
    return chances
