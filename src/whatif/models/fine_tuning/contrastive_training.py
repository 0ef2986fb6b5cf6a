"""Trains a dual encoder with the contrastive loss, through the Trainer of transformers (COCO-Counterfactuals B.3.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import disk_errors
from whatif.engine.params.contrastive_training import ContrastiveTraining
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream
from whatif.models.fine_tuning import training_checkpoints as checkpoints
from whatif.models.fine_tuning.contrastive_loss import contrastive_loss
from whatif.models.fine_tuning.contrastive_samples import Batches, PreparedImages, Sample
from whatif.models.local.faults import first_line, model_faults


@dataclass(frozen=True)
class Training:
    """What a model is trained with. `name` is what messages and the progress display call it."""

    name: str
    train: Sequence[Sample]
    validation: Sequence[Sample]
    recipe: ContrastiveTraining
    seed: int

    @property
    def steps_of_epoch(self) -> int:
        """Optimiser steps of an epoch; the last batch may be smaller."""
        return math.ceil(len(self.train) / self.recipe.batch_size)


def check_trainable(key: str, device: str, dtype: str, recipe: ContrastiveTraining) -> None:
    """Raises WhatifError when the entry `key` of `models` cannot be trained as the recipe says."""
    if dtype != "float32":
        raise WhatifError(
            f"models.{key}.dtype: {dtype} weights cannot be trained; set float32 here, and `precision: {dtype}` in the "
            "recipe for mixed precision"
        )
    if recipe.precision != "float32" and not device.startswith("cuda"):
        raise WhatifError(
            f"recipe of {key}: precision {recipe.precision} needs a GPU, but models.{key}.device is {device}; set "
            "`precision: float32`, or `device: cuda`"
        )
    if find_spec("accelerate") is None:
        raise WhatifError("training: requires accelerate; run pip install accelerate")


def train(model: Any, images: PreparedImages, training: Training, folder: Path) -> list[dict[str, Any]]:
    """Trains all weights of a model in place; afterwards it has the weights with the lowest validation loss.

    Returns a row for step 0 and one for each evaluation (`step`, `epoch`, `learning_rate`, `loss` in nats, the mean
    since the row before, `validation_loss`, and `best` for the row whose weights the model has).

    The order of the samples has the next seed, as in the paper. The same seed gives the same weights on a CPU, for one
    number of threads. The weights are saved in `folder` at each evaluation, and a training that was cut off continues
    from the last whole checkpoint there, as if nothing had happened.

    Raises WhatifError when there are too few samples, when the loss is not a number any more, when a batch does not fit
    into memory, and when a checkpoint cannot be written.
    """
    import torch

    if len(training.train) < 2 or not training.validation:
        raise WhatifError(
            f"{training.name}: there are {len(training.train)} samples to train on and {len(training.validation)} for "
            "validation, but at least 2 and 1 are needed; extract more pairs, or raise the limits of their filters"
        )
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    resumed = checkpoints.last_usable(folder)
    device = model.device
    with (
        _kept_randomness(),
        torch.random.fork_rng(devices=[device] if device.type == "cuda" else []),
        model_faults(f"{training.recipe.batch_size} samples in a step"),
        ExitStack() as last,
    ):
        trainer = _trainer(model, images, training, folder, is_resumed=resumed is not None)
        last.callback(_as_before, trainer, model)
        done = checkpoints.step_of(resumed) or 0 if resumed else 0
        last.callback(trainer.add_display(done).close)
        trainer.train(resume_from_checkpoint=None if resumed is None else str(resumed))
        return _rows(trainer.state, training.recipe)


def _trainer(model: Any, images: PreparedImages, training: Training, folder: Path, *, is_resumed: bool) -> Any:
    import torch
    import transformers

    class ContrastiveTrainer(transformers.Trainer):
        """The library's loop with our loss, our marks on its checkpoints, and nothing printed."""

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            with self.accelerator.autocast():
                return contrastive_loss(model, inputs)

        def training_step(self, *arguments: Any, **options: Any) -> Any:
            return _finite(super().training_step(*arguments, **options), self.state, training, "loss")

        def prediction_step(self, model: Any, inputs: Any, *_: Any, **__: Any) -> Any:
            with torch.no_grad():
                loss = self.compute_loss(model, self._prepare_inputs(inputs))
            return _finite(loss.detach(), self.state, training, "validation loss"), None, None

        def floating_point_ops(self, inputs: Any) -> int:
            return 0  # their sum is not reported

        def save_model(self, output_dir: str | None = None, _internal_call: bool = False) -> None:
            """Writes weights and nothing else: the library would add its settings as a pickle."""
            assert output_dir is not None
            save_weights(self.model, Path(output_dir) / checkpoints.WEIGHTS)

        def _save_checkpoint(self, model: Any, trial: Any) -> None:
            step = self.state.global_step
            checkpoint = checkpoints.checkpoint_of(folder, step)
            with writing(checkpoint):
                super()._save_checkpoint(model, trial)
            checkpoints.mark(checkpoint)
            # The library would remove older ones before the new one is known to be whole.
            checkpoints.keep_only(folder, {step, self.state.best_global_step or step})

        def add_display(self, done: int) -> Iterator[int]:
            """Shows the progress from here on; returns what to close at the end."""
            total = math.ceil(training.recipe.epochs * training.steps_of_epoch)
            shown = progress(range(done, total), total - done, f"{training.name} training", "step")
            self.add_callback(_display(shown))
            return shown

    settings = _arguments(training, folder, model.device, is_resumed=is_resumed)
    # In an order of its own: captions of the same photograph and both sides of a pair are neighbours in the table.
    order = stream(0, "validation order").permutation(len(training.validation))
    trainer = ContrastiveTrainer(
        model=model,
        args=settings,
        data_collator=Batches(model, images),
        train_dataset=list(training.train),
        eval_dataset=[training.validation[place] for place in order],
        callbacks=[_last_step()],
    )
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def _arguments(training: Training, folder: Path, device: Any, *, is_resumed: bool) -> Any:
    """The recipe as arguments of the library; all others are its defaults: AdamW, gradients of length 1 at most."""
    import torch
    import transformers

    recipe = training.recipe
    every = recipe.evaluate_every or training.steps_of_epoch
    settings = transformers.TrainingArguments(
        output_dir=str(folder),
        learning_rate=recipe.learning_rate,
        weight_decay=recipe.weight_decay,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=recipe.validation_batch_size,
        num_train_epochs=recipe.epochs,
        warmup_steps=recipe.warmup,
        lr_scheduler_type="linear",
        logging_strategy="steps",
        eval_strategy="steps",
        save_strategy="steps",
        logging_steps=every,
        eval_steps=every,
        save_steps=every,
        eval_on_start=not is_resumed,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        greater_is_better=False,
        save_total_limit=None,  # see `_save_checkpoint`
        seed=training.seed,
        data_seed=training.seed + 1,
        bf16=recipe.precision == "bfloat16",
        fp16=recipe.precision == "float16",
        use_cpu=device.type == "cpu",
        dataloader_num_workers=0,
        dataloader_pin_memory=device.type == "cuda",
        remove_unused_columns=False,
        prediction_loss_only=True,
        logging_nan_inf_filter=False,
        disable_tqdm=True,
        report_to="none",
    )
    if device.type == "cuda":  # the model's own GPU alone
        torch.cuda.set_device(device)
        _ = settings.device
        settings._n_gpu = 1
    return settings


def _last_step() -> Any:
    import transformers

    class LastStep(transformers.TrainerCallback):
        """Logs the last step, which the library evaluates and saves anyway."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
            control.should_log = control.should_log or state.global_step >= state.max_steps
            return control

    return LastStep()


def _display(shown: Iterator[int]) -> Any:
    import transformers

    class Display(transformers.TrainerCallback):
        """Counts steps in our own display."""

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            next(shown, None)

        def on_step_end(self, *_: Any, **__: Any) -> None:
            next(shown, None)

    return Display()


def _finite(loss: Any, state: Any, training: Training, what: str) -> Any:
    if not math.isfinite(loss):
        raise WhatifError(
            f"{training.name}: the {what} is {float(loss)} after {state.global_step} steps; lower learning_rate (now "
            f"{training.recipe.learning_rate})"
            + (", or set `precision: float32`" if training.recipe.precision != "float32" else "")
        )
    return loss


def save_weights(model: Any, path: Path) -> None:
    """Writes the weights of a model by their own names, as safetensors."""
    from safetensors.torch import save_file

    path.parent.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    save_file(weights, path, metadata={"format": "pt"})


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what the libraries raise when a disk is full or read-only into a WhatifError that names the file."""
    import torch
    from safetensors import SafetensorError

    with disk_errors(path):
        try:
            yield
        except (torch.OutOfMemoryError, torch.AcceleratorError):
            raise
        except (SafetensorError, RuntimeError) as error:
            raise WhatifError(f"{path}: cannot be written ({first_line(error)}); free space and run again") from error


@contextmanager
def _kept_randomness() -> Iterator[None]:
    """The library seeds the global generators of Python and numpy; afterwards they are as they were."""
    ours, numbers = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(ours)
        np.random.set_state(numbers)


def _as_before(trainer: Any, model: Any) -> None:
    """Ready to embed again, with the forward pass that the library may have wrapped for mixed precision."""
    trainer.accelerator.unwrap_model(model, keep_fp32_wrapper=False)
    model.zero_grad(set_to_none=True)
    model.eval()


def _rows(state: Any, recipe: ContrastiveTraining) -> list[dict[str, Any]]:
    by_step: dict[int, dict[str, Any]] = {}
    for entry in state.log_history:
        by_step.setdefault(int(entry["step"]), {}).update(entry)
    first = recipe.learning_rate if recipe.warmup == 0 else 0.0
    return [
        {
            "step": step,
            "epoch": float(entry.get("epoch") or 0.0),
            "learning_rate": float(entry.get("learning_rate", first)),
            "loss": entry.get("loss"),
            "validation_loss": entry["eval_loss"],
            "best": step == state.best_global_step,
        }
        for step, entry in sorted(by_step.items())
        if "eval_loss" in entry
    ]
