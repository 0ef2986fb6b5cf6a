"""How a vision-language model is fine-tuned."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from whatif.engine.params.base import Settings


class LowRank(Settings):
    """The LoRA that is trained in place of the weights."""

    rank: int = Field(default=8, ge=1, le=4096)
    alpha: int = Field(default=16, ge=1)  # what the LoRA adds is multiplied by alpha / rank
    dropout: float = Field(default=0.0, ge=0, lt=1)  # of its inputs
    # Names of linear layers such as q_proj; null: all of those that `trains` selects, without the output layer.
    target_modules: list[str] | None = Field(default=None, min_length=1)


class FineTuning(Settings):
    """Which weights are trained, on how many examples, and how fast.

    A step takes `batch_size` times `accumulation` examples. Together they decide the result; each of them alone only
    changes memory, time and the last digits.
    """

    trains: Literal["all", "language"]  # `language`: the language model alone, without vision tower and projector
    lora: LowRank | None = None  # null: the weights themselves
    steps: int = Field(ge=1, le=1_000_000)
    batch_size: int = Field(ge=1, le=1024)  # examples in one pass
    accumulation: int = Field(default=1, ge=1, le=1024)  # passes in one step
    learning_rate: float = Field(gt=0, lt=1)  # the highest one, after the warm-up
    warmup: int = Field(default=0, ge=0)  # steps in which it rises; then it falls along a cosine
    weight_decay: float = Field(default=0.0, ge=0)
    largest_gradient: float = Field(default=1.0, gt=0)  # norm over all trained weights; longer ones are clipped
    held_out: float = Field(ge=0, lt=1)  # share of the groups whose loss is reported, and which are not trained on
