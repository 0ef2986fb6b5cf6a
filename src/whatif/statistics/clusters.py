"""Questions summed up by image: which observations are independent of each other."""

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


@dataclass(frozen=True)
class ClusterTotals:
    """What the questions of each cluster add up to; clusters that add up to the same are one kind.

    `kinds` (kinds x columns) holds the distinct totals in ascending order. Its first column is the number of
    questions, the others are the sums that were asked for. `counts` (kinds) says how many clusters are of each kind.

    Outcomes are few, so kinds are few: a million images with up to three questions each are at most 9 kinds of
    (questions, right answers). Neither the order of the questions nor the names of the clusters leave a trace.
    """

    kinds: Integers
    counts: Integers

    @property
    def clusters(self) -> int:
        return int(self.counts.sum())

    @property
    def degrees_of_freedom(self) -> int:
        """Of the t distribution that goes with a variance estimated from these clusters."""
        return self.clusters - 1

    @property
    def sums(self) -> Integers:
        """Totals of all clusters together, by column."""
        return np.asarray(self.counts @ self.kinds)

    @property
    def mean(self) -> float:
        """Mean a question of the first column after the number of questions; NaN without questions."""
        questions, total = self.sums[:2]
        return float(total / questions) if questions else math.nan

    def agree(self) -> bool:
        """Whether all clusters have the same mean of that column: then they say nothing of how clusters differ."""
        first = self.kinds[0]
        return bool(np.all(self.kinds[:, 1] * first[0] == first[1] * self.kinds[:, 0]))


def cluster_totals(columns: Sequence[npt.NDArray[np.int8]], clusters: Labels | None) -> ClusterTotals:
    """Totals of `columns`, each with one entry a question, by cluster; every interval and test here starts from them.

    `clusters` names the cluster of each question, by text or by whole number; None makes each question its own.

    Raises ValueError when columns and clusters differ in length, when a label is missing (None, NaN or empty), or when
    labels are neither all text nor all whole numbers.
    """
    questions = len(columns[0])
    if clusters is None and questions and all(len(column) == questions for column in columns):
        return _totals_of_questions(columns)
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
    """`cluster_totals` where each question is its own cluster: counts of the few combinations of values there are."""
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


def outcomes(name: str, values: Outcomes) -> npt.NDArray[np.int8]:
    """Right answers as 1 and others as 0, an entry a question; `name` says in errors what they are.

    Raises ValueError when a value is neither true nor false (nor 1 nor 0): one that is missing is not a wrong answer.
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
    """Mean a question of the second column of `kinds` (kinds x 2), and its variance by a jackknife over clusters.

    `counts` (... x kinds) may hold several samples; mean and variance have its shape but for the last axis. With m the
    mean of G clusters and m_(g) the mean without cluster g, the variance is

        (G - 1) / G * sum over clusters of (m - m_(g))^2

    (the estimator CV3 of MacKinnon, Nielsen and Webb, "Fast and reliable jackknife and bootstrap methods for
    cluster-robust inference", Journal of Applied Econometrics 38, 2023). When clusters are of equal size it is the
    sandwich of Liang and Zeger with the factor G / (G - 1), which is too small when they are not. When each cluster is
    one question it is the ordinary s^2 / n. Every sample must have two clusters or more.
    """
    mean, changes = without_one(kinds, counts)
    return mean, jackknife_variance(changes, counts)


def jackknife_variance(changes: Floats, counts: Integers) -> Floats:
    """Of an estimate that changes so much (... x kinds) when one cluster of each kind is left out."""
    clusters = counts.sum(axis=-1)
    return np.asarray((clusters - 1) / clusters * (counts * changes**2).sum(axis=-1))


def without_one(kinds: Integers, counts: Integers) -> tuple[Floats, Floats]:
    """Mean as `mean_and_variance`, and by how much it falls when one cluster of each kind is left out (... x kinds)."""
    sizes, totals = kinds[:, 0], kinds[:, 1]
    questions = counts @ sizes
    mean = counts @ totals / questions
    # A kind of which a sample has no cluster must not divide by zero there.
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
