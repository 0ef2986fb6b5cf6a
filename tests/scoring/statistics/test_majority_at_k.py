"""The majority of some samples, against all subsets of the samples with the majority that counts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from whatif.models import Answer
from whatif.scoring.extraction.answer import Extracted, is_correct
from whatif.scoring.majority import majority
from whatif.scoring.statistics.majority_at_k import agreement, majority_at_k

ROW = {"answer_kind": "choice", "answer": "A"}


def said(answer: str) -> tuple[Answer, Extracted]:
    """A sample: a letter, `-` for a response without an answer, or `!` for an error."""
    if answer == "!":
        return Answer(status="error", reason="failed"), Extracted(None, "none", None)
    letter = None if answer == "-" else answer
    return Answer(response=answer), Extracted(letter, "ok" if letter else "none", None)


def by_subsets(samples: str, k: int) -> float:
    """The share of the subsets whose majority is right, by `whatif.scoring.majority` itself."""
    right = []
    for some in itertools.combinations(samples, k):
        answers, found = zip(*map(said, some), strict=True)
        _, answer, together = majority(answers, found, ROW)
        right.append(answer.status == "ok" and is_correct(together, "A", "choice"))
    return float(np.mean(right))


@pytest.mark.parametrize(
    "samples", ["AAB", "AABBC", "AAAB-", "AB--", "AAAAA", "BBBBA", "AAB!", "AABBCCD-", "------", "A"]
)
def test_every_subset_is_counted(samples: str) -> None:
    wrong = tuple(samples.count(one) for one in "BCD" if one in samples)
    for k in range(1, len(samples) + 1):
        given = tuple(filter(None, [samples.count("A")])), wrong, samples.count("-"), samples.count("!")
        assert majority_at_k(*given, k) == pytest.approx(by_subsets(samples, k), abs=1e-12)


def test_by_hand() -> None:
    # Of AAB, three subsets of 2: AA is right, AB and AB are ties.
    assert majority_at_k((2,), (1,), 0, 0, 2) == pytest.approx(1 / 3)
    # Two ways to write the right answer are two votes, each of which may lead.
    assert majority_at_k((2, 1), (1,), 0, 0, 1) == pytest.approx(3 / 4)
    assert majority_at_k((2, 2), (), 0, 0, 4) == 0


def test_many_samples_agree_with_draws() -> None:
    random = np.random.default_rng(5)
    samples = np.repeat([0, 1, 2, 3], [90, 80, 50, 36])  # 3: no answer
    drawn = [np.bincount(random.permutation(samples)[:65], minlength=4) for _ in range(4000)]
    right = [one[0] > max(one[1:3]) and 2 * one[3] <= 65 for one in drawn]
    assert majority_at_k((90,), (80, 50), 36, 0, 65) == pytest.approx(np.mean(right), abs=0.025)
    assert majority_at_k((90,), (80, 50), 36, 0, 256) == 1


def test_agreement() -> None:
    # AAB-: of 6 pairs of samples, one agrees. Two without an answer do not.
    assert agreement(np.array([[2, 1, 0, 0], [0, 0, 0, 0], [4, 0, 0, 0]])).tolist() == [1 / 6, 0, 1]
    with pytest.raises(ValueError, match="needs two"):
        agreement(np.array([[1]]))


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="majority@3: k must lie between 1"):
        majority_at_k((1,), (1,), 0, 0, 3)
