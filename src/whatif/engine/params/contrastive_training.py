"""How a dual encoder is trained with the contrastive loss."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from whatif.engine.params.base import Settings


class ContrastiveTraining(Settings):
    """The recipe of COCO-Counterfactuals B.3.2; the defaults are those of its CLIP.

    The learning rate rises for `warmup` steps, and falls linearly to 0. The checkpoint with the lowest validation loss
    counts.
    """

    learning_rate: float = Field(default=5e-7, gt=0, lt=1)
    weight_decay: float = Field(default=0.001, ge=0)
    batch_size: int = Field(default=128, ge=2, le=65_536)  # samples in a step; each is a negative for the others
    validation_batch_size: int = Field(default=128, ge=2, le=65_536)
    epochs: float = Field(default=30, gt=0, le=10_000)
    warmup: int = Field(default=0, ge=0)  # steps
    # Steps between two evaluations, after each of which the weights are kept; null: the steps of an epoch.
    evaluate_every: int | None = Field(default=109, ge=1)
    precision: Literal["float32", "bfloat16", "float16"] = "float32"  # mixed precision needs a GPU
