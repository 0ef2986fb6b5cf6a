"""The results of trainings, from which the tables are made: recall and accuracy by weights, mixtures, and losses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whatif.benchmarks.coco_counterfactuals_training.schemas import (
    CLASSIFIED,
    COUNTERFACTUAL,
    PRE_TRAINED,
    RETRIEVED,
    SAMPLES,
    TRAIN,
)
from whatif.benchmarks.coco_counterfactuals_training.settings import AggregateTraining
from whatif.benchmarks.shared import results as shared
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import Table
from whatif.engine.errors import WhatifError
from whatif.scoring.classification import accuracy, macro_accuracy
from whatif.scoring.retrieve import IMAGE_RETRIEVAL, TEXT_RETRIEVAL

DEPTHS = (1, 5, 10)
TEXT, IMAGE, BOTH, MEAN = "text", "image", "both", "mean"
RETRIEVED_ITEM = {TEXT_RETRIEVAL: TEXT, IMAGE_RETRIEVAL: IMAGE}
# A recall: what is found (`text` or `image`) and among how many (`1`, `5` or `10`); or the mean of all six.
Measure: TypeAlias = tuple[str, str]
MEASURES: tuple[Measure, ...] = (
    *((found, str(depth)) for found in (TEXT, IMAGE) for depth in DEPTHS),
    (BOTH, MEAN),
)
PUBLISHED_DIVISION = "published"
COMPARED_MIXTURES = (PRE_TRAINED, "ms-coco", "base", "medium", "all")
PAIRS_ROLES = ("pairs", "our-pairs", "released-pairs")
BySeed: TypeAlias = dict[str, float]


class Weights(NamedTuple):
    """What was evaluated: a model after one training, or the checkpoint as it was."""

    model: str
    mixture: str
    division: str
    seed: str


class Search(NamedTuple):
    """The queries of one direction: how many, among how many candidates, without a result, and found at each depth."""

    queries: int
    candidates: int
    errors: int
    found: tuple[int, ...]


class Recognition(NamedTuple):
    """The images of a data set: how many, without a prediction, and the accuracies in percent."""

    images: int
    errors: int
    accuracy: float
    macro: float


class Size(NamedTuple):
    """The training samples of a mixture, and those among them that are counterfactual samples."""

    samples: int
    counterfactual: int


class Kept(NamedTuple):
    """The weights that a training kept: their step of all `steps`, and their validation loss, in nats.

    `first` is the validation loss before the first step.
    """

    step: int
    steps: int
    first: float
    loss: float


Searches: TypeAlias = dict[Weights, dict[tuple[str, str], Search]]  # by data set and direction
Recognitions: TypeAlias = dict[Weights, dict[str, Recognition]]  # by data set
Sizes: TypeAlias = dict[tuple[str, str], Size]  # by mixture and division
Trainings: TypeAlias = dict[Weights, Kept]


@dataclass(frozen=True, kw_only=True, eq=False)
class Results(shared.Results):
    """All results: `names` are the display names of the trained models, by key."""

    settings: AggregateTraining
    searches: Searches = field(default_factory=dict)
    recognitions: Recognitions = field(default_factory=dict)
    sizes: Sizes = field(default_factory=dict)

    @property
    def imported(self) -> dict[str, str]:
        """The models of imported predictions, which are called by their keys."""
        return {weights.model: weights.model for weights in self.recognitions if weights.model not in self.names}

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """The pairs of the benchmark that they are taken from."""
        return [row for role in PAIRS_ROLES for row in self.task.rows(role)]

    @cached_property
    def losses(self) -> list[dict[str, Any]]:
        """The rows of the losses of all trainings."""
        return list(self.task.rows("losses"))

    @cached_property
    def trainings(self) -> Trainings:
        """What each training kept."""
        return trainings(self.losses)

    def recalls(self, model: str, mixture: str, division: str, data_set: str) -> dict[Measure, BySeed]:
        """Recall in percent by seed; empty if this was not evaluated on the data set. The mean is that of all six."""
        found: dict[Measure, BySeed] = {}
        for weights, searched in self.searches.items():
            if weights[:3] != (model, mixture, division):
                continue
            of_seed = {
                (RETRIEVED_ITEM[direction], str(depth)): 100 * number / search.queries
                for (of_set, direction), search in searched.items()
                if of_set == data_set
                for depth, number in zip(DEPTHS, search.found, strict=True)
            }
            if len(of_seed) == len(MEASURES) - 1:
                of_seed[BOTH, MEAN] = sum(of_seed.values()) / len(of_seed)
                for measure, value in of_seed.items():
                    found.setdefault(measure, {})[weights.seed] = value
        return found

    def mean_recall(self, model: str, mixture: str, division: str, data_set: str) -> BySeed:
        """The mean of the six recalls in percent, by seed."""
        return self.recalls(model, mixture, division, data_set).get((BOTH, MEAN), {})

    def searched(self, model: str, mixture: str, division: str, data_set: str) -> int | None:
        """The number of captions that images search; the same for all seeds. None if it was not evaluated."""
        sizes_of = (
            searched[data_set, TEXT_RETRIEVAL].candidates
            for weights, searched in self.searches.items()
            if weights[:3] == (model, mixture, division) and (data_set, TEXT_RETRIEVAL) in searched
        )
        return next(sizes_of, None)

    def best_losses(self, model: str, mixture: str, division: str) -> BySeed:
        """The lowest validation loss by seed."""
        of = (model, mixture, division)
        return {weights.seed: kept.loss for weights, kept in self.trainings.items() if weights[:3] == of}

    def size(self, mixture: str, division: str) -> Size:
        """The size of a training set; that of the checkpoint as it was is 0."""
        return Size(0, 0) if mixture == PRE_TRAINED else self.sizes.get((mixture, division), Size(0, 0))


def searches(paths: Sequence[Path]) -> Searches:
    """The searches in artifacts of `retrieved`. Raises WhatifError when two of them have the same one."""
    found: Searches = {}
    for key, (rank, candidates) in _segments(paths, RETRIEVED, ("rank", "candidates")):
        ranked = rank > 0
        depths = tuple(int(np.count_nonzero(ranked & (rank <= depth))) for depth in DEPTHS)
        missing = len(rank) - int(np.count_nonzero(ranked))
        found.setdefault(Weights(*key[:4]), {})[key[4], key[5]] = Search(
            len(rank), int(candidates.max()), missing, depths
        )
    return found


def recognitions(paths: Sequence[Path]) -> Recognitions:
    """The accuracies in artifacts of `classified`. Raises WhatifError when two of them have the same one."""
    found: Recognitions = {}
    for key, (label, predicted) in _segments(paths, CLASSIFIED, ("label", "predicted")):
        found.setdefault(Weights(*key[:4]), {})[key[4]] = Recognition(
            len(label),
            int(np.count_nonzero(predicted < 0)),
            100 * accuracy(label, predicted),
            100 * macro_accuracy(label, predicted),
        )
    return found


def sizes(paths: Sequence[Path]) -> Sizes:
    """The sizes of the training sets in artifacts of `samples`."""
    counts: dict[tuple[str, str], list[int]] = {}
    names = ["mixture", "division", "part", "source"]
    for piece in artifacts.batches(paths, SAMPLES, names, encoded=names):
        grouped = piece.group_by(names, use_threads=False).aggregate([([], "count_all")])
        for row in grouped.to_pylist():
            if row["part"] == TRAIN:
                of_mixture = counts.setdefault((row["mixture"], row["division"]), [0, 0])
                of_mixture[0] += row["count_all"]
                of_mixture[1] += row["count_all"] if row["source"] == COUNTERFACTUAL else 0
    return {key: Size(*numbers) for key, numbers in counts.items()}


def trainings(losses: Iterable[Mapping[str, Any]]) -> Trainings:
    """What each training kept, from rows of `losses`: the last row that is marked as best, in the order of steps."""
    by_weights: dict[Weights, list[Mapping[str, Any]]] = {}
    for row in losses:
        if row["validation_loss"] is not None:
            weights = Weights(row["model"], row["mixture"], row["division"], row["seed"])
            by_weights.setdefault(weights, []).append(row)
    found: Trainings = {}
    for weights, rows in by_weights.items():
        *_, best = (row for place, row in enumerate(rows) if row["best"] or place == 0)
        found[weights] = Kept(best["step"], rows[-1]["step"], rows[0]["validation_loss"], best["validation_loss"])
    return found


def _segments(
    paths: Sequence[Path], table: Table, numbers: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], list[NDArray[Any]]]]:
    """The rows with equal keys but for the last one: the key, and columns of whole numbers, -1 where one is missing.

    One file at a time is in memory, with a few bytes for each row: the texts of keys are read as codes.
    """
    names = list(table.key[:-1])
    seen: dict[tuple[str, ...], Path] = {}
    for path in paths:
        pieces = list(artifacts.batches([path], table, [*names, *numbers], encoded=names))
        if not pieces:
            continue
        whole = pa.concat_tables(pieces).unify_dictionaries().combine_chunks()
        texts = [whole[name].combine_chunks() for name in names]
        codes = np.stack([column.indices.to_numpy(zero_copy_only=False) for column in texts])
        columns = [whole[name].fill_null(-1).to_numpy() for name in numbers]
        starts = [0, *(np.flatnonzero(np.any(codes[:, 1:] != codes[:, :-1], axis=0)) + 1).tolist(), whole.num_rows]
        for start, end in itertools.pairwise(starts):
            key = tuple(column.dictionary[int(of[start])].as_py() for column, of in zip(texts, codes, strict=True))
            if key in seen:
                raise WhatifError(
                    f"{path}: has results of {' '.join(key)}, as {seen[key]} has; give one of them another name"
                )
            seen[key] = path
            yield key, [column[start:end] for column in columns]
