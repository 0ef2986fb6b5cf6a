"""A contrastive training of a tiny CLIP with dropout.

`python -m tests.models.fine_tuning.contrastive CHECKPOINT EPOCHS` runs in the current folder.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from tests.tiny_checkpoints import tiny_clip
from whatif.engine.files.image_decoding import UnreadableImageError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.engine.params.contrastive_training import ContrastiveTraining
from whatif.models.fine_tuning.contrastive_samples import PreparedImages, Sample
from whatif.models.fine_tuning.contrastive_training import Training
from whatif.models.fine_tuning.trained_store import Trained, trained
from whatif.models.local.encoders import Embedder, dual_encoder

COLOURS = {"red": (250, 20, 20), "blue": (20, 20, 250), "green": (20, 250, 20), "yellow": (250, 250, 20)}
RECIPE = {
    "learning_rate": 0.003,
    "batch_size": 4,
    "validation_batch_size": 4,
    "epochs": 3,
    "evaluate_every": 2,
}


class Coloured:
    """Images by id: `NUMBER-COLOUR` is a square of that colour; `damaged` cannot be decoded."""

    def in_order(self, image_ids: Iterable[str]) -> list[str]:
        return sorted(set(image_ids))

    def get(self, image_id: str) -> Image.Image:
        if image_id.startswith("damaged"):
            raise UnreadableImageError("UnidentifiedImageError")
        number, colour = image_id.split("-")
        pixels = np.random.default_rng(int(number)).integers(-20, 21, (40, 40, 3)) + COLOURS[colour]
        return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def samples(numbers: range) -> list[Sample]:
    """A sample for each number, with the colours in turn."""
    colours = [list(COLOURS)[number % len(COLOURS)] for number in numbers]
    return [Sample(f"the {one} flower", f"{number}-{one}") for number, one in zip(numbers, colours, strict=True)]


def training(seed: int = 107, number: int = 18, **recipe: Any) -> Training:
    """Training on so many samples, with 8 for validation."""
    settings = ContrastiveTraining(**{**RECIPE, **recipe})
    return Training("tiny on colours", samples(range(number)), samples(range(number, number + 8)), settings, seed)


def clip(folder: Path) -> Path:
    """A tiny CLIP with dropout, so that the state of the random generator matters."""
    tiny_clip(folder)
    config = json.loads((folder / "config.json").read_text())
    for tower in ("text_config", "vision_config"):
        config[tower]["attention_dropout"] = 0.2
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def loaded(folder: Path) -> Embedder:
    return dual_encoder(LocalCheckpoint(checkpoint=str(folder), batch_size=4))


def start_of(encoder: Embedder) -> dict[str, Any]:
    return {name: value.clone() for name, value in encoder.model.state_dict().items()}


def store(encoder: Embedder, what: Training, identity: Mapping[str, Any] | None = None) -> Trained:
    """Trains in the current folder, or takes the weights from its store."""
    images = PreparedImages(Coloured(), encoder.processor)
    return trained(encoder.model, start_of(encoder), images, what, identity or {"checkpoint": "tiny"}, say=print)


def digest(encoder: Embedder) -> str:
    hasher = hashlib.sha256()
    for name, value in sorted(encoder.model.state_dict().items()):
        hasher.update(name.encode() + value.numpy().tobytes())
    return hasher.hexdigest()


@cache
def long_training(epochs: int) -> Training:
    """16 steps with 8 checkpoints an epoch."""
    return training(number=64, epochs=epochs)


if __name__ == "__main__":
    store(loaded(Path(sys.argv[1])), long_training(int(sys.argv[2])))
