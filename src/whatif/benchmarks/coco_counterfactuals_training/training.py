"""Trains a dual encoder with one seed on each mixture, and evaluates it; or evaluates the checkpoint as it was.

The job trains one mixture after the other. Each begins with the weights of the checkpoint, which stay in memory, and
images are decoded and prepared once for all of them. Weights that were trained before come from the store
(`whatif.models.fine_tuning.trained_store`), so a job that was interrupted, or whose evaluation sets changed, continues
there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from whatif.benchmarks.coco_counterfactuals_training.dimensions import SEED, TRAINED, seed_name
from whatif.benchmarks.coco_counterfactuals_training.evaluating import IMAGES_OF_SAMPLES, Evaluation
from whatif.benchmarks.coco_counterfactuals_training.schemas import (
    CLASSIFIED,
    LOSSES,
    PRE_TRAINED,
    RETRIEVED,
    TRAIN,
    VALIDATION,
)
from whatif.benchmarks.coco_counterfactuals_training.settings import TrainedModel
from whatif.benchmarks.shared.evaluation import warn
from whatif.engine.errors import WhatifError
from whatif.engine.graph.task import Task
from whatif.models.fine_tuning.contrastive_samples import PreparedImages, Sample
from whatif.models.fine_tuning.contrastive_training import Training, check_trainable
from whatif.models.fine_tuning.trained_store import trained
from whatif.models.local.checkpoints import identity
from whatif.models.local.encoders import Embedder, dual_encoder
from whatif.models.local.prepared_pictures import PreparedPictures

_VERSION = 1  # of how a checkpoint is loaded for training
_ROLES = {"losses": LOSSES, "retrieved": RETRIEVED, "classified": CLASSIFIED}
Row = dict[str, Any]
Parts = dict[str, list[Sample]]  # `train` and `validation` -> samples


class Evaluated(Protocol):
    """An evaluation that was prepared for a job."""

    def rows(self, embedder: Embedder, place: dict[str, str]) -> tuple[list[Row], list[Row]]:
        """Rows of `retrieved` and `classified`; `place` is the model, mixture, division and seed."""


def write_trained(task: Task[dict[str, TrainedModel]]) -> None:
    """Writes the losses of the job's model and seed, the ranks of its retrieval, and its classes, for each mixture.

    The seed `pre-trained` trains nothing: the checkpoint is evaluated once for each division, because the withheld
    pairs differ. Raises WhatifError when the model cannot be trained, and as `trained` does.
    """
    write_with(task, Evaluation)


def write_with(
    task: Task[dict[str, TrainedModel]], evaluation_of: Callable[[Any, PreparedPictures], Evaluated]
) -> None:
    """As `write_trained`; `evaluation_of` gives an evaluation of the task, after its settings were checked.

    Trainings and evaluations share the prepared images.
    """
    key, seed = task.wildcards[TRAINED.name], task.wildcards[SEED.name]
    settings, own = task.model, task.settings[key]
    mixed = samples_of(task, own)
    if seed != PRE_TRAINED:
        check_trainable(key, settings.device, settings.dtype, own.recipe)
    embedder = dual_encoder(settings)
    with PreparedPictures(embedder.processor) as prepared:
        evaluation = evaluation_of(task, prepared)
        if seed == PRE_TRAINED:
            for division in sorted({division for _, division in mixed}):
                place = {"model": key, "mixture": PRE_TRAINED, "division": division, "seed": seed}
                _write(task, place, [], evaluation.rows(embedder, place))
            return
        images = PreparedImages(task.images(*IMAGES_OF_SAMPLES), embedder.processor, prepared)
        for place, rows in _trainings(task, embedder, images, own, mixed):
            _write(task, place, rows, evaluation.rows(embedder, place))


def samples_of(task: Task[dict[str, TrainedModel]], own: TrainedModel) -> dict[tuple[str, str], Parts]:
    """The samples by (mixture, division) in the order of their ids, of the mixtures that the model is trained on.

    Raises WhatifError when a mixture of the model has no samples.
    """
    found: dict[tuple[str, str], Parts] = {}
    for row in task.rows("samples"):
        if own.mixtures is None or row["mixture"] in own.mixtures:
            parts = found.setdefault((row["mixture"], row["division"]), {TRAIN: [], VALIDATION: []})
            if row["part"] in parts:
                parts[row["part"]].append(Sample(row["caption"], row["image_id"]))
    missing = set(own.mixtures or []) - {mixture for mixture, _ in found}
    if missing or not found:
        raise WhatifError(
            f"{task.benchmark}: the mixture {', '.join(sorted(missing)) or 'of every name'} has no samples; extract "
            f"more pairs, or remove it from generate.{task.benchmark}.mixtures"
        )
    return dict(sorted(found.items()))


def _trainings(
    task: Task[dict[str, TrainedModel]],
    embedder: Embedder,
    images: PreparedImages,
    own: TrainedModel,
    mixed: Mapping[tuple[str, str], Parts],
) -> Iterator[tuple[dict[str, str], list[Row]]]:
    """The place and the log of each training, in the order of the key; the embedder then has its weights."""
    key, seed = task.wildcards[TRAINED.name], task.wildcards[SEED.name]
    model = embedder.model
    start = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}
    of_checkpoint = identity(task.model, _VERSION, model.config)
    for (mixture, division), parts in mixed.items():
        name = f"{key} on {mixture} ({division}, {seed})"
        training = Training(name, parts[TRAIN], parts[VALIDATION], own.recipe, _number(own, seed))
        made = trained(model, start, images, training, of_checkpoint, say=task.say)
        if made.left_out:
            reasons = ", ".join(f"{reason} {count:,}" for reason, count in made.left_out.items())
            warn(
                f"{name}: {sum(made.left_out.values()):,} of {len(parts[TRAIN]) + len(parts[VALIDATION]):,} samples "
                f"are left out, because their images cannot be decoded ({reasons})"
            )
        yield {"model": key, "mixture": mixture, "division": division, "seed": seed}, made.rows


def _number(own: TrainedModel, seed: str) -> int:
    return {seed_name(number): number for number in own.seeds}[seed]


def _write(
    task: Task[dict[str, TrainedModel]],
    place: Mapping[str, str],
    losses: list[Row],
    evaluated: tuple[list[Row], list[Row]],
) -> None:
    """Writes the rows of one training, which are next in the order of the tables' keys."""
    retrieved, classified = evaluated
    rows = {"losses": [{**place, **row} for row in losses], "retrieved": retrieved, "classified": classified}
    for role, table in _ROLES.items():
        ordered = sorted(rows[role], key=lambda row: tuple(row[name] for name in table.key))
        if ordered:
            task.outputs.writer(role).write(ordered)
