"""Questions are summed up by image as one would by hand, and what has no image is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from whatif.scoring.statistics.clusters import cluster_totals, mean_and_variance, outcomes

RIGHT = np.array([1, 0, 1, 1, 0, 0], dtype=np.int8)
IMAGES = ["b", "a", "b", "c", "a", "d"]


def test_images_that_add_up_to_the_same_are_one_kind() -> None:
    totals = cluster_totals([RIGHT], ["a", "a", "b", "c", "d", "d"])
    assert totals.kinds.tolist() == [[1, 1], [2, 0], [2, 1]]
    assert totals.counts.tolist() == [2, 1, 1]
    assert (totals.clusters, totals.sums.tolist()) == (4, [6, 3])


def test_several_columns_are_summed_side_by_side() -> None:
    totals = cluster_totals([RIGHT, -RIGHT], IMAGES)
    assert totals.kinds.tolist() == [[1, 0, 0], [1, 1, -1], [2, 0, 0], [2, 2, -2]]
    assert totals.counts.tolist() == [1, 1, 1, 1]


def test_without_clusters_each_question_is_its_own() -> None:
    alone, named = cluster_totals([RIGHT], None), cluster_totals([RIGHT], range(6))
    assert (alone.kinds.tolist(), alone.counts.tolist()) == ([[1, 0], [1, 1]], [3, 3])
    assert (named.kinds.tolist(), named.counts.tolist()) == (alone.kinds.tolist(), alone.counts.tolist())


@pytest.mark.parametrize("names", [IMAGES, np.array(IMAGES), [2, 1, 2, 3, 1, 4], np.array([7, -1, 7, 0, -1, 9])])
def test_labels_are_names_only(names: Any) -> None:
    assert cluster_totals([RIGHT], names).kinds.tolist() == [[1, 0], [1, 1], [2, 0], [2, 2]]


def test_sums_of_many_questions_do_not_overflow() -> None:
    ones = np.ones(1000, dtype=np.int8)
    assert cluster_totals([ones, -ones], np.zeros(1000, dtype=int)).kinds.tolist() == [[1000, 1000, -1000]]


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        (["a", None, "b", "c", "d", "e"], 1),
        (["a", "b", "", "c", "d", "e"], 2),
        ([None] * 6, 0),
        ([1, 2, 3, None, 4, 5], 3),
        (np.array([1.0, 2.0, 3.0, 4.0, 5.0, math.nan]), 5),
        (np.array(["a", "b", "c", "d", None, "e"], dtype=object), 4),
    ],
)
def test_missing_label_is_named(labels: Any, place: int) -> None:
    with pytest.raises(ValueError, match=f"question {place} has no cluster label"):
        cluster_totals([RIGHT], labels)


@pytest.mark.parametrize("labels", [["a", 1, "b", 2, "c", 3], [1, "a", 2, "b", 3, "c"], np.arange(6.0), [[1]] * 6])
def test_labels_of_other_kinds_are_refused(labels: Any) -> None:
    with pytest.raises(ValueError, match="all text or all whole numbers"):
        cluster_totals([RIGHT], labels)


def test_every_question_needs_a_label() -> None:
    with pytest.raises(ValueError, match="2 cluster labels for 6 questions"):
        cluster_totals([RIGHT], ["a", "b"])


@pytest.mark.parametrize("values", [[True, False], [1, 0], [1.0, 0.0], np.array([True, False])])
def test_outcomes_are_true_or_false(values: Any) -> None:
    assert outcomes("correct", values).tolist() == [1, 0]


@pytest.mark.parametrize("strange", [None, math.nan, 0.5, 2, -1, "yes"])
def test_other_outcomes_are_named(strange: Any) -> None:
    with pytest.raises(ValueError, match="counterfactual: question 1 has outcome"):
        outcomes("counterfactual", np.array([True, strange, False], dtype=object))


def test_outcomes_are_one_a_question() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
        outcomes("correct", np.array([[True], [False]]))


def test_mean_and_variance_of_several_samples_are_those_of_each() -> None:
    kinds = np.array([[1, 0], [2, 2], [3, -1]])
    counts = np.array([[[2, 1, 1], [1, 1, 0]], [[0, 4, 3], [5, 0, 5]]])
    means, variances = mean_and_variance(kinds, counts)
    assert means.shape == variances.shape == (2, 2)
    for place in np.ndindex(2, 2):
        mean, variance = mean_and_variance(kinds, counts[place])
        assert (float(means[place]), float(variances[place])) == pytest.approx((float(mean), float(variance)))


@pytest.mark.parametrize("questions", [1, 2, 50, 3000])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_questions_of_their_own_are_summed_up_as_clusters_of_one(questions: int, columns: int) -> None:
    generator = np.random.default_rng(questions)
    values = [generator.integers(-2, 3, questions).astype(np.int8) for _ in range(columns)]
    alone, named = cluster_totals(values, None), cluster_totals(values, np.arange(questions))
    np.testing.assert_array_equal(alone.kinds, named.kinds)
    np.testing.assert_array_equal(alone.counts, named.counts)
    assert (alone.kinds.dtype, alone.counts.dtype) == (named.kinds.dtype, named.counts.dtype)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_codes_from_zero_are_counted_as_other_labels_are(kind: Any) -> None:
    generator = np.random.default_rng(3)
    columns = [generator.integers(-1, 2, 500).astype(np.int8) for _ in range(3)]
    codes = generator.integers(0, 150, 500).astype(kind)
    counted, named = cluster_totals(columns, codes), cluster_totals(columns, [f"image {code}" for code in codes])
    assert counted.kinds.tolist() == named.kinds.tolist()
    assert counted.counts.tolist() == named.counts.tolist()
    assert counted.kinds.dtype == named.kinds.dtype == counted.counts.dtype == np.int64
