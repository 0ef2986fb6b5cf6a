"""The training loop of all embedded checkpoints: AdamW, warm-up and cosine, clipped gradients, a log."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from training.recipes import Schedule
from whatif.engine.errors import WhatifError
from whatif.engine.files.atomic import write_whole
from whatif.engine.progress import progress

_LOG_EVERY = 50  # steps
_BETAS = (0.9, 0.98)
_LARGEST_GRADIENT = 1.0  # norm over all weights


def pick_device(threads: int) -> Any:
    """The GPU if there is one, otherwise the CPU with this many threads."""
    import torch

    if torch.cuda.is_available():
        return torch.device("cuda")
    torch.set_num_threads(threads)
    return torch.device("cpu")


def optimise(
    name: str,
    modules: Iterable[Any],
    losses: Callable[[int], Mapping[str, Any]],
    schedule: Schedule,
    log: Path,
    *,
    before: Sequence[dict[str, float]] = (),
) -> list[dict[str, float]]:
    """Trains the weights of `modules` in place for `schedule.steps` steps, and returns the log.

    `losses(step)` makes the batch of a step and returns its losses by name, already weighted; their sum is minimised.
    The log has the mean of each loss over every 50 steps. It is written to `log` as JSON lines, after those of the
    earlier stages `before`, and contains no times. Raises WhatifError when a loss is not a number any more.
    """
    import torch

    trained = list(modules)
    weights = [weight for module in trained for weight in module.parameters() if weight.requires_grad]
    optimiser = torch.optim.AdamW(
        _groups(trained, schedule.weight_decay), lr=schedule.learning_rate, betas=_BETAS, fused=True
    )
    for module in trained:
        module.train()
    lines: list[dict[str, float]] = []
    sums: dict[str, float] = {}
    for step in progress(range(schedule.steps), schedule.steps, name, "step"):
        rate = schedule.learning_rate * _share(step, schedule)
        for group in optimiser.param_groups:
            group["lr"] = rate
        parts = losses(step)
        total: Any = torch.stack(list(parts.values())).sum()
        if not torch.isfinite(total):
            raise WhatifError(
                f"{name}: the loss is {total.item()} at step {step}; lower learning_rate in its recipe (now "
                f"{schedule.learning_rate})"
            )
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(weights, _LARGEST_GRADIENT)
        optimiser.step()
        for loss, value in parts.items():
            sums[loss] = sums.get(loss, 0.0) + float(value.detach())
        since = step % _LOG_EVERY + 1
        if since == _LOG_EVERY or step == schedule.steps - 1:
            means = {loss: round(value / since, 6) for loss, value in sums.items()}
            lines.append({"step": step + 1, "learning_rate": round(rate, 8), **means})
            write_whole(log, "".join(json.dumps(line) + "\n" for line in [*before, *lines]).encode(), durable=False)
            sums.clear()
    for module in trained:
        module.eval()
    return lines


def _groups(modules: Iterable[Any], weight_decay: float) -> list[dict[str, Any]]:
    """Weight decay applies to matrices, not to biases, norms and position embeddings."""
    matrices: list[Any] = []
    rest: list[Any] = []
    for module in modules:
        for weight in module.parameters():
            if weight.requires_grad:
                (matrices if weight.ndim > 1 else rest).append(weight)
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]


def _share(step: int, schedule: Schedule) -> float:
    """The fraction of the learning rate at a step: a linear rise, then half a cosine down to 1%."""
    if step < schedule.warmup:
        return (step + 1) / schedule.warmup
    done = min(1.0, (step - schedule.warmup) / max(1, (schedule.decay or schedule.steps) - schedule.warmup))
    return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done))
