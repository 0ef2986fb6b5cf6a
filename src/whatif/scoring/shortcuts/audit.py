"""The shortcut audit: how well a multiple-choice set can be answered without its images.

A random forest that sees only the text of question and options is cross-validated on the test set itself (the
Test-set Stress-Test of arXiv 2511.04655). A model's accuracy up to that of the forest is no evidence that it uses the
images. Fixed rules are reported as well, because they are easy to state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.engine.artifacts.variants import variant_order
from whatif.engine.language.options import LETTERS
from whatif.engine.random_streams import stream
from whatif.scoring.shortcuts.features import Features, by_rank, features
from whatif.scoring.shortcuts.fixed_rules import Count, by_answers, by_length, by_options
from whatif.scoring.shortcuts.word_model import right_by_words
from whatif.scoring.statistics import Interval, wilson

Row = Mapping[str, Any]
VARIANTS = ("original", "counterfactual")
RULES = ("letter", "rank", "forest")
ALL_RULES = (*RULES, "words", "length", "other-options", "other-answer")
# Enough trees and leaves to find simple rules, few enough for 3,000 pairs in seconds on one core.
_TREES = 100
_SMALLEST_LEAF = 20


@dataclass(frozen=True)
class Shortcut:
    """The accuracy of one way to answer without the image.

    `rule` is `letter` (always the same letter), `rank` (always the option of the same rank), `length` (always the
    longest or the shortest option), `other-options` (always, or never, the option that another question of the pair
    also has), `other-answer` (the same with its right answer), `forest` or `words` (models of the text). `choice` is
    the best letter, rank and so on, and empty for the models. The rule answers `right` of `n` questions correctly;
    questions to which a rule does not apply, such as those with options of one length, do not count.

    `other-answer` is the only one that needs the image: it takes the right answer to the other question as known, and
    shows what ignoring a presupposition, or inverting it, gives.
    """

    rule: str
    variant: str
    choice: str
    right: int
    n: int

    def accuracy(self, confidence: float) -> Interval:
        """The fraction of correctly answered questions, with its interval."""
        return wilson(self.right, self.n, confidence)


def audit(
    questions: Iterable[Row],
    *,
    folds: int,
    seed: int,
    variants: Collection[str] | None = None,
    rules: Collection[str] = RULES,
    basis: str = "",
) -> list[Shortcut]:
    """The shortcuts of each variant: those of ALL_RULES that are among `rules`.

    Rows are of the table `questions`; those without choices are skipped. `variants` are all that the questions have, by
    default. Ranks count from 1, the smallest: by value if all options of a question are numbers, otherwise in order of
    their text. Letters, ranks and the like are chosen in hindsight, so on a set without shortcuts their accuracy is
    slightly above chance. The models are cross-validated on the set itself; all questions of a pair are in the same one
    of the `folds`, so they were never trained on a pair that they are tested on. `basis` is the variant with
    whose questions the rules `other-options` and `other-answer` compare options; they are left out for that variant.
    With fewer pairs than folds, each pair is a fold of its own; with a single pair, there are no models.
    """
    rows = sorted((row for row in questions if row["choices"]), key=lambda row: str(row["question_id"]))
    how = _How(folds, seed, basis, {row["pair_id"]: row for row in rows if row["variant"] == basis})
    found = []
    for variant in sorted({row["variant"] for row in rows} if variants is None else variants, key=variant_order):
        asked = [row for row in rows if row["variant"] == variant]
        made = [_shortcut(rule, asked, variant, how) for rule in ALL_RULES if rule in rules and asked]
        found += [shortcut for shortcut in made if shortcut is not None]
    return found


def right_text(row: Row) -> str:
    """The text of the right option."""
    return str(row["choices"][LETTERS.index(row["answer"])])


@dataclass(frozen=True)
class _How:
    """The settings of an audit, and the questions of the variant `basis` by pair."""

    folds: int
    seed: int
    basis: str
    others: Mapping[str, Row]


def _shortcut(rule: str, rows: Sequence[Row], variant: str, how: _How) -> Shortcut | None:
    """The shortcut of this name; None if it does not apply to any question."""
    if rule == "letter":
        return _best_letter(rows, variant)
    if rule == "rank":
        return _best_rank(rows, variant)
    if rule in ("forest", "words"):
        folds = min(how.folds, len({row["pair_id"] for row in rows}))
        return (_forest if rule == "forest" else _words)(rows, variant, folds, how.seed) if folds > 1 else None
    return _best_of(rule, variant, _counts(rule, rows, variant, how))


def _counts(rule: str, rows: Sequence[Row], variant: str, how: _How) -> dict[str, Count]:
    """The counts of each choice of a rule that does not apply to all questions."""
    if rule == "length":
        return by_length(rows)
    if variant == how.basis:
        return {}
    if rule == "other-options":
        return by_options(rows, {pair: row["choices"] for pair, row in how.others.items()}, how.basis)
    return by_answers(rows, {pair: right_text(row) for pair, row in how.others.items()}, how.basis)


def _best_of(rule: str, variant: str, counts: Mapping[str, Count]) -> Shortcut | None:
    """The choice with the highest accuracy, the first of equal ones."""
    known = {choice: count for choice, count in counts.items() if count.n}
    if not known:
        return None
    choice = max(known, key=lambda name: known[name].right / known[name].n)
    return Shortcut(rule, variant, choice, known[choice].right, known[choice].n)


def _best_letter(rows: Sequence[Row], variant: str) -> Shortcut:
    counts = Counter(str(row["answer"]) for row in rows)
    letter = min(counts, key=lambda letter: (-counts[letter], letter))
    return Shortcut("letter", variant, letter, counts[letter], len(rows))


def _best_rank(rows: Sequence[Row], variant: str) -> Shortcut:
    counts = Counter(by_rank(row["choices"]).index(LETTERS.index(row["answer"])) + 1 for row in rows)
    rank = min(counts, key=lambda rank: (-counts[rank], rank))
    return Shortcut("rank", variant, str(rank), counts[rank], len(rows))


def _forest(rows: Sequence[Row], variant: str, folds: int, seed: int) -> Shortcut:
    examples, chances = forest_chances(rows, [row["pair_id"] for row in rows], variant=variant, folds=folds, seed=seed)
    right = 0
    for first, end in pairwise(np.searchsorted(examples.question, np.arange(len(rows) + 1))):
        right += bool(examples.right[first + np.argmax(chances[first:end])])
    return Shortcut("forest", variant, "", right, len(rows))


def forest_chances(
    rows: Sequence[Row], clusters: Sequence[str], *, variant: str, folds: int, seed: int
) -> tuple[Features, npt.NDArray[np.float64]]:
    """The options of all rows, and for each the probability that it is right, by a forest without its cluster.

    Rows are of the table `questions`, all with choices, in the order of their ids; `clusters` names the cluster of each
    row, and all rows of a cluster are in the same fold. There are at least as many clusters as folds.
    """
    examples = features(rows)
    random_state = int(stream(seed, "shortcut audit", variant).integers(2**31))
    return examples, _chances_out_of_fold(examples, clusters, folds, random_state)


def _words(rows: Sequence[Row], variant: str, folds: int, seed: int) -> Shortcut:
    random_state = int(stream(seed, "shortcut words", variant).integers(2**31))
    return Shortcut("words", variant, "", right_by_words(rows, folds, random_state), len(rows))


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
