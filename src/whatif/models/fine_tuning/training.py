"""Fine-tunes a loaded checkpoint: AdamW, a warm-up and a cosine, clipped gradients (MuCR, Table 4)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.fine_tuning import FineTuning
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream
from whatif.models.fine_tuning.answer_loss import AnswerLoss
from whatif.models.fine_tuning.examples import Example
from whatif.models.fine_tuning.trained_weights import in_training
from whatif.models.local.chat import Chat
from whatif.models.local.faults import model_faults

_HELD_OUT_TIMES = 2  # how often the held-out loss is computed, beside once before the first step
_LOWEST_RATE = 0.01  # share of the learning rate that the last step has


def fine_tune(
    key: str, chat: Chat, examples: Sequence[Example], held_out: Sequence[Example], recipe: FineTuning, *, seed: int
) -> list[dict[str, Any]]:
    """Trains a checkpoint in place to give the correct answers, and returns the rows of `training`.

    Each epoch shows all `examples` once, in an order drawn by `seed`. A step minimises the mean loss of all answer
    tokens of its examples, so it does not depend on how they are divided into passes. `held_out` serves nothing but the
    report. The same seed gives the same weights, for one number of threads. `key` is the model's, for messages.

    Raises WhatifError when there are no examples, when the loss is not a number any more, and when a pass does not fit
    into memory.
    """
    import torch

    if not examples:
        raise WhatifError(f"fine-tuning of {key}: there are no examples to train on")
    losses = AnswerLoss(chat, recipe.batch_size)
    precision = chat.network.dtype
    device = chat.network.device
    draws = _draws(examples, recipe.batch_size * recipe.accumulation, seed)
    rows = []
    with (
        torch.random.fork_rng(devices=[device] if device.type == "cuda" else []),
        in_training(key, chat.network, recipe, seed) as weights,
        model_faults(f"{recipe.batch_size} examples in a pass"),
    ):
        torch.manual_seed(int(stream(seed, "dropout").integers(2**31)))
        optimiser = torch.optim.AdamW(_groups(weights, recipe.weight_decay), lr=recipe.learning_rate)
        rows.append(_row(0, 0.0, None, _mean_loss(losses, chat.network, held_out, precision)))
        for step in progress(range(1, recipe.steps + 1), recipe.steps, f"{key} fine-tuning", "step"):
            rate = recipe.learning_rate * _share(step - 1, recipe)
            for group in optimiser.param_groups:
                group["lr"] = rate
            loss = _backward(losses, next(draws), device, precision)
            if not math.isfinite(loss):
                raise WhatifError(
                    f"fine-tuning of {key}: the loss is {loss} at step {step}; lower learning_rate (now "
                    f"{recipe.learning_rate})"
                )
            torch.nn.utils.clip_grad_norm_(weights, recipe.largest_gradient)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            is_due = step * _HELD_OUT_TIMES // recipe.steps > (step - 1) * _HELD_OUT_TIMES // recipe.steps
            checked = _mean_loss(losses, chat.network, held_out, precision) if is_due else None
            rows.append(_row(step, rate, loss, checked))
    return rows


def _draws(examples: Sequence[Example], number: int, seed: int) -> Iterator[list[Example]]:
    """The examples of each step, epoch after epoch without end."""
    ordered = sorted(examples, key=lambda example: example.question.question_id)
    waiting: list[Example] = []
    epoch = 0
    while True:
        while len(waiting) < number:
            waiting += [ordered[place] for place in stream(seed, "order", epoch).permutation(len(ordered))]
            epoch += 1
        yield waiting[:number]
        del waiting[:number]


def _backward(losses: AnswerLoss, examples: Sequence[Example], device: Any, precision: Any) -> float:
    """Adds the gradients of a step's mean loss, and returns the loss."""
    tokens = sum(len(losses.answer(example)) for example in examples)
    total = 0.0
    for encoded in losses.passes(examples):
        with _computed_in(device, precision):
            loss: Any = losses(encoded) / tokens
        loss.backward()
        total += float(loss.detach())
    return total


def _mean_loss(losses: AnswerLoss, network: Any, examples: Sequence[Example], precision: Any) -> float | None:
    """The mean over the answer tokens of examples that are not trained on; None if there are none."""
    import torch

    if not examples:
        return None
    modes = [(module, module.training) for module in network.modules()]
    network.eval()
    total, tokens = 0.0, 0
    with torch.no_grad(), _computed_in(network.device, precision):
        for encoded in losses.passes(examples):
            total += float(losses(encoded))
            tokens += sum(map(len, encoded.answers))
    for module, mode in modes:
        module.training = mode
    return total / tokens


def _computed_in(device: Any, precision: Any) -> AbstractContextManager[Any]:
    """Matrix products in bfloat16 if the entry has this type, otherwise in float32."""
    import torch

    return torch.autocast(device.type, torch.bfloat16) if precision == torch.bfloat16 else nullcontext()


def _groups(weights: Sequence[Any], weight_decay: float) -> list[dict[str, Any]]:
    """Weight decay applies to matrices, not to biases and norms."""
    matrices = [weight for weight in weights if weight.ndim > 1]
    rest = [weight for weight in weights if weight.ndim <= 1]
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]


def _share(step: int, recipe: FineTuning) -> float:
    """The share of the learning rate at a step, from 0: a linear rise, then half a cosine."""
    if step < recipe.warmup:
        return (step + 1) / recipe.warmup
    done = (step - recipe.warmup) / max(1, recipe.steps - 1 - recipe.warmup)
    return _LOWEST_RATE + (1 - _LOWEST_RATE) * 0.5 * (1 + math.cos(math.pi * done))


def _row(step: int, rate: float, loss: float | None, held_out: float | None) -> dict[str, Any]:
    return {"step": step, "learning_rate": rate, "loss": loss, "held_out_loss": held_out}
