"""Auxiliary losses: facts of scenes predicted from a model's inner states, by heads that are discarded later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.scene_facts import UNTOLD, Labels


def fact_reader(width: int, facts: Mapping[str, int]) -> Any:
    """A linear layer from states of a given width to the logits of all values of all facts, in order of the facts."""
    import torch

    return torch.nn.Linear(width, sum(facts.values()))


def fact_loss(logits: Any, labels: Labels, facts: Mapping[str, int]) -> Any:
    """The mean over facts of their mean cross-entropy: logits (..., values of all facts), labels (..., facts).

    UNTOLD labels are ignored.
    """
    import torch

    targets = torch.from_numpy(labels).to(logits.device).flatten(0, -2).unbind(-1)
    parts = logits.float().flatten(0, -2).split(list(facts.values()), dim=-1)
    losses = [
        torch.nn.functional.cross_entropy(part, target, ignore_index=UNTOLD, reduction="sum")
        / (target != UNTOLD).sum().clamp(min=1)
        for part, target in zip(parts, targets, strict=True)
    ]
    return torch.stack(losses).mean()


def pixel_values(pictures: NDArray[np.uint8], device: Any) -> Any:
    """Images (n, side, side, 3) in the form of the models' processors: (n, 3, side, side) from -1 to 1."""
    import torch

    return torch.from_numpy(pictures).to(device).permute(0, 3, 1, 2).float() / 127.5 - 1
