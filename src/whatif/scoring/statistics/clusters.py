"""Sums over the questions of each image, since only questions about different images are independent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Outcomes = Sequence[bool] | npt.NDArray[np.bool_]
Labels = Sequence[str] | Sequence[int] | npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_QUESTIONS = "questions"
_CODES_A_QUESTION = 16  # labels beyond this number for each question are not counted but sorted


@dataclass(frozen=True)
class ClusterTotals:
    """The totals of the questions of each cluster; clusters with the same totals are one kind.

    `kinds` (kinds x columns) contains the distinct totals in ascending order. Its first column is the number of
    questions, the others are the requested sums. `counts` (kinds) is the number of clusters of each kind.

    Outcomes have few values, so there are few kinds: a million images with up to three questions each have at most 9
    kinds of (questions, right answers). The result depends neither on the order of the questions nor on the names of
    the clusters.
    """

    kinds: Integers
    counts: Integers

    @property
    def clusters(self) -> int:
        return int(self.counts.sum())

    @property
    def degrees_of_freedom(self) -> int:
        """The degrees of freedom of the t distribution for a variance that is estimated from these clusters."""
        return self.clusters - 1

    @property
    def sums(self) -> Integers:
        """Totals of all clusters together, by column."""
        return np.asarray(self.counts @ self.kinds)

    @property
    def mean(self) -> float:
        """The mean per question of the first column after the number of questions; NaN without questions."""
        questions, total = self.sums[:2]
        return float(total / questions) if questions else math.nan

    def agree(self) -> bool:
        """Whether all clusters have the same mean of that column, and so show no variation."""
        first = self.kinds[0]
        return bool(np.all(self.kinds[:, 1] * first[0] == first[1] * self.kinds[:, 0]))


def cluster_totals(columns: Sequence[npt.NDArray[np.int8]], clusters: Labels | None) -> ClusterTotals:
    """Totals of `columns`, each with one entry per question, by cluster; every interval and test here uses them.

    `clusters` names the cluster of each question, as text or as an integer; None makes each question its own cluster.

    Raises ValueError when columns and clusters differ in length, when a label is missing (None, NaN or empty), or when
    labels are neither all text nor all integers.
    """
    questions = len(columns[0])
    if questions and all(len(column) == questions for column in columns):
        if clusters is None:
            return _totals_of_questions(columns)
        if _are_codes(clusters, questions):
            return _totals_of_codes(columns, np.asarray(clusters))
    values = {_QUESTIONS: np.ones(questions, dtype=np.int8)}
    values |= {f"column {number}": column for number, column in enumerate(columns)}
    table = pa.table(values)
    if clusters is not None:
        labels = _labels(clusters, questions)
        by_cluster = table.append_column("cluster", labels).group_by("cluster", use_threads=False)
        table = by_cluster.aggregate([(name, "sum") for name in values])
        table = table.select([f"{name}_sum" for name in values]).rename_columns(list(values))
    kinds = table.group_by(list(values), use_threads=False).aggregate([([], "count_all")])
    kinds = kinds.sort_by([(name, "ascending") for name in values])
    return ClusterTotals(
        np.stack([kinds[name].to_numpy().astype(np.int64) for name in values], axis=1),
        kinds["count_all"].to_numpy().astype(np.int64),
    )


def _totals_of_questions(columns: Sequence[npt.NDArray[np.int8]]) -> ClusterTotals:
    """`cluster_totals` if each question is its own cluster: it counts the few distinct combinations of values."""
    lowest = [int(column.min()) for column in columns]
    numbers = [int(column.max()) - low + 1 for column, low in zip(columns, lowest, strict=True)]
    places = np.zeros(len(columns[0]), dtype=np.intp)
    for column, low, number in zip(columns, lowest, numbers, strict=True):
        places *= number
        places += column
        places -= low
    counts = np.bincount(places)
    found = np.flatnonzero(counts)
    values = np.array(np.unravel_index(found, numbers)).T + lowest
    return ClusterTotals(np.column_stack([np.ones(len(found), dtype=np.int64), values]), counts[found].astype(np.int64))


def _are_codes(clusters: Labels, questions: int) -> bool:
    """Whether the labels are whole numbers from 0 that do not go far beyond the number of questions."""
    if not isinstance(clusters, np.ndarray) or clusters.shape != (questions,) or clusters.dtype.kind not in "iu":
        return False
    return bool(clusters.min() >= 0 and clusters.max() < _CODES_A_QUESTION * questions)


def _totals_of_codes(columns: Sequence[npt.NDArray[np.int8]], codes: Integers) -> ClusterTotals:
    """`cluster_totals` of such labels, by counting."""
    sizes = np.bincount(codes)
    found = np.flatnonzero(sizes)
    # Sums of small whole numbers are exact as floating-point numbers.
    sums = [np.bincount(codes, weights=column)[found].astype(np.int64) for column in columns]
    totals = np.stack([sizes[found], *sums])
    lowest = totals.min(axis=1, keepdims=True)
    # One number for each combination of totals, in their order, so that a fast sort is enough.
    places = np.ravel_multi_index(tuple(totals - lowest), tuple(np.ptp(totals, axis=1) + 1))
    _, first, counts = np.unique(places, return_index=True, return_counts=True)
    return ClusterTotals(totals[:, first].T.astype(np.int64), counts.astype(np.int64))


def outcomes(name: str, values: Outcomes) -> npt.NDArray[np.int8]:
    """Right answers as 1 and others as 0, one entry per question; `name` describes them in error messages.

    Raises ValueError when a value is neither true nor false (nor 1 nor 0): a missing value is not a wrong answer.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name}: one outcome a question is needed, not an array of shape {array.shape}")
    if array.size and array.dtype != np.bool_:
        strange = [index for index, value in enumerate(array.tolist()) if value not in (0, 1)]
        if strange:
            raise ValueError(f"{name}: question {strange[0]} has outcome {array[strange[0]]!r}, not true or false")
    return array.astype(np.int8)


def mean_and_variance(kinds: Integers, counts: Integers) -> tuple[Floats, Floats]:
    """The mean per question of the second column of `kinds` (kinds x 2), and its variance by a jackknife over clusters.

    `counts` (... x kinds) may contain several samples; mean and variance have its shape without the last axis. With m
    the mean of G clusters and m_(g) the mean without cluster g, the variance is

        (G - 1) / G * sum over clusters of (m - m_(g))^2

    (the estimator CV3 of MacKinnon, Nielsen and Webb, "Fast and reliable jackknife and bootstrap methods for
    cluster-robust inference", Journal of Applied Econometrics 38, 2023). For clusters of equal size it is the sandwich
    estimator of Liang and Zeger with the factor G / (G - 1), which is too small for unequal sizes. If each cluster is
    one question, it is the ordinary s^2 / n. Every sample must have at least two clusters.
    """
    mean, changes = without_one(kinds, counts)
    return mean, jackknife_variance(changes, counts)


def jackknife_variance(changes: Floats, counts: Integers) -> Floats:
    """The variance of an estimate, given its change (... x kinds) when one cluster of each kind is left out."""
    clusters = counts.sum(axis=-1)
    return np.asarray((clusters - 1) / clusters * (counts * changes**2).sum(axis=-1))


def without_one(kinds: Integers, counts: Integers) -> tuple[Floats, Floats]:
    """The mean as in `mean_and_variance`, and its decrease when one cluster of each kind is left out (... x kinds)."""
    sizes, totals = kinds[:, 0], kinds[:, 1]
    questions = counts @ sizes
    mean = counts @ totals / questions
    # Avoid a division by zero for a kind that has no cluster in a sample.
    others = np.where(counts > 0, questions[..., np.newaxis] - sizes, 1)
    return mean, (totals - mean[..., np.newaxis] * sizes) / others


def _labels(clusters: Labels, questions: int) -> pa.Array:
    if len(clusters) != questions:
        raise ValueError(f"{len(clusters)} cluster labels for {questions} questions: each needs one")
    try:
        labels = pa.array(clusters, from_pandas=True)  # so that NaN is missing too
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(f"cluster labels must be all text or all whole numbers: {error}") from error
    text = pa.types.is_string(labels.type) or pa.types.is_large_string(labels.type)
    missing = pc.or_kleene(pc.is_null(labels), pc.equal(labels, "")) if text else pc.is_null(labels)
    first = pc.index(missing, True).as_py()
    if first >= 0:
        raise ValueError(f"question {first} has no cluster label: it must name its image")
    if questions and not text and not pa.types.is_integer(labels.type):
        raise ValueError(f"cluster labels must be all text or all whole numbers, not {labels.type}")
    return labels
