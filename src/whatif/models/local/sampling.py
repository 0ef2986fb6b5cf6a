"""Sampling that does not depend on batches: the noise of a response is drawn from a stream of its own.

Tokens are drawn by the Gumbel-max trick. The sum of a token's logit, divided by the temperature, and independent Gumbel
noise is largest for a token with exactly its softmax probability. So greedy generation after the noise is added is
sampling without a generator that a whole batch shares. The stream is derived from the seed and from the content of the
request, and each step draws one number for each token of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.language.messages import Messages, as_json
from whatif.engine.random_streams import stream

if TYPE_CHECKING:
    import torch


def sampling_stream(seed: int, messages: Messages, sample: int) -> np.random.Generator:
    """The generator of one response: it depends on the conversation, with the ids of its images, and on the sample."""
    return stream(seed, "sampling", canonical_json(as_json(messages)), sample)


@dataclass(frozen=True)
class Noise:
    """Adds noise to logits, so that the largest value is a sample; one generator for each row.

    A call takes tokens and logits (rows x vocabulary) of one step, as the library's processors of logits do.
    """

    temperature: float
    top_p: float | None
    generators: Sequence[np.random.Generator]

    def __call__(self, tokens: Any, logits: torch.Tensor) -> torch.Tensor:
        """Logits divided by the temperature plus noise; minus infinity outside the nucleus of `top_p`."""
        import torch

        scaled = logits.float() / self.temperature
        if self.top_p is not None and self.top_p < 1:
            scaled = nucleus(scaled, self.top_p)
        size = scaled.shape[-1]
        drawn = np.stack([_gumbel(generator, size) for generator in self.generators])
        return scaled + torch.from_numpy(drawn).to(scaled.device)

    def ordered(self, places: Sequence[int]) -> Noise:
        """The same noise with its rows in another order."""
        return Noise(self.temperature, self.top_p, [self.generators[place] for place in places])


def nucleus(logits: torch.Tensor, top_p: float) -> torch.Tensor:
    """Logits (rows x vocabulary), minus infinity outside the smallest set of tokens with a probability of `top_p`.

    The set has the most probable tokens; of equal ones, those with the lower number.
    """
    descending, order = logits.sort(dim=-1, descending=True, stable=True)
    probabilities = descending.softmax(dim=-1)
    before = probabilities.cumsum(dim=-1) - probabilities
    outside = before >= top_p
    outside[:, 0] = False
    return logits.masked_fill(outside.scatter(-1, order, outside), float("-inf"))


def _gumbel(generator: np.random.Generator, size: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Standard Gumbel noise: minus the logarithm of exponential numbers.

    These have double precision: with single precision, one draw in millions would be 0 and its token would win.
    """
    drawn = generator.standard_exponential(size)
    return -np.log(np.maximum(drawn, np.finfo(np.float64).tiny)).astype(np.float32)
