"""Contrastive training of the embedded CLIP, beside a plain Trainer of transformers: pairs a second of an epoch."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import transformers

from bench.contrastive_pairs import Encoded, pairs
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.engine.params.contrastive_training import ContrastiveTraining
from whatif.models.fine_tuning.contrastive_samples import PreparedImages, Sample
from whatif.models.fine_tuning.contrastive_training import Training, train
from whatif.models.local.encoders import Embedder, dual_encoder

_SAMPLES = 480
_CHECKED = 128  # for validation
_ROUNDS = 3
_SEED = 107
_NEAR = 0.01  # mean difference of the weights as a share of what the epoch changes; Adam enlarges rounding
_RECIPE = ContrastiveTraining(
    learning_rate=0.0005, batch_size=64, validation_batch_size=64, epochs=6, evaluate_every=None
)
_SHORT = _RECIPE.model_copy(update={"epochs": 1})
SMALL = {"_SAMPLES": 64, "_CHECKED": 64, "_ROUNDS": 1, "_NEAR": 1.0, "_RECIPE": _SHORT}


def measure() -> dict[str, Any]:
    """Training pairs per CPU second in six epochs, from decoding the images on: median of alternating rounds.

    Ours prepares each image once, before the first step; in a few epochs this pays off, so they are not one or two.

    Both sides train on the same samples in the same order, evaluate before and after each epoch, and save checkpoints.
    They end with the same weights. The peer is the form of the library's examples: images are decoded for each batch,
    the processor is the collator, and the model returns its loss.
    """
    encoder = dual_encoder(LocalCheckpoint(checkpoint="embedded:clip", batch_size=64))
    start = {name: value.clone() for name, value in encoder.model.state_dict().items()}
    samples, images = pairs(_SAMPLES + _CHECKED, 64)
    speeds: dict[str, list[float]] = {"ours": [], "peer": []}
    ends: dict[str, dict[str, Any]] = {}
    for number in range(1 + _ROUNDS):
        for side in ("ours", "peer") if number % 2 else ("peer", "ours"):
            encoder.model.load_state_dict(start)
            with tempfile.TemporaryDirectory() as folder:
                began = time.process_time()  # CPU time, which other processes do not affect
                if side == "peer":
                    _plain(encoder, samples, images, folder)
                else:
                    training = Training("embedded CLIP", samples[:_SAMPLES], samples[_SAMPLES:], _RECIPE, _SEED)
                    train(encoder.model, PreparedImages(images, encoder.processor), training, Path(folder))
                if number:  # the first round also imports and reserves
                    speeds[side].append(_RECIPE.epochs * _SAMPLES / (time.process_time() - began))
            ends[side] = {name: value.clone() for name, value in encoder.model.state_dict().items()}
    apart = _distance(ends["ours"], ends["peer"]) / _distance(start, ends["peer"])
    assert apart < _NEAR, f"other weights than the library's: {apart}"
    ours, peer = (statistics.median(speeds[side]) for side in speeds)
    return {
        "name": "contrastive-epoch",
        "ours": ours,
        "peer": peer,
        "unit": "pairs/s",
        "ratio": ours / peer,
        "peer_name": f"transformers {transformers.__version__} (Trainer, images decoded each time)",
    }


def _distance(first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
    """The mean difference of weights."""
    total = sum(float((value - second[name]).abs().double().sum()) for name, value in first.items())
    return total / sum(value.numel() for value in first.values())


def _plain(encoder: Embedder, samples: Sequence[Sample], images: Encoded, folder: str) -> None:
    def collate(rows: Sequence[Sample]) -> dict[str, Any]:
        inputs = encoder.processor(
            text=[row.caption for row in rows],
            images=[images.get(row.image_id) for row in rows],
            padding=True,
            truncation=True,
            return_tensors="pt",
        )
        return {**inputs, "return_loss": True}

    trainer = transformers.Trainer(
        model=encoder.model,
        args=transformers.TrainingArguments(
            output_dir=folder,
            learning_rate=_RECIPE.learning_rate,
            weight_decay=_RECIPE.weight_decay,
            per_device_train_batch_size=_RECIPE.batch_size,
            per_device_eval_batch_size=_RECIPE.validation_batch_size,
            num_train_epochs=_RECIPE.epochs,
            eval_on_start=True,
            eval_strategy="epoch",
            save_strategy="epoch",
            load_best_model_at_end=True,
            seed=_SEED,
            data_seed=_SEED + 1,
            use_cpu=True,
            dataloader_pin_memory=False,
            remove_unused_columns=False,
            prediction_loss_only=True,
            disable_tqdm=True,
            report_to="none",
        ),
        data_collator=collate,
        train_dataset=list(samples[:_SAMPLES]),
        eval_dataset=list(samples[_SAMPLES:]),
    )
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    encoder.model.eval()
