"""Packs many short questions about one image into one sequence: the image, then questions that ignore each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

IGNORED = -100  # a label that is excluded from the loss


@dataclass(frozen=True)
class Packed:
    """Questions and answers of a batch of images; arrays of shape (images, tokens), without the prefix."""

    tokens: npt.NDArray[np.int64]
    labels: npt.NDArray[np.int64]  # the next token, if it belongs to an answer
    positions: npt.NDArray[np.int64]
    owners: npt.NDArray[np.int64]  # the number of the question, from 1; 0 is padding


def pack(questions: Sequence[Sequence[tuple[list[int], list[int]]]], prefix: int, padding: int) -> Packed:
    """Token ids of (question, answer) for each image; `prefix` is the number of tokens before each question."""
    width = max(sum(len(asked) + len(answer) for asked, answer in of_picture) for of_picture in questions)
    shape = (len(questions), width)
    tokens = np.full(shape, padding, np.int64)
    labels = np.full(shape, IGNORED, np.int64)
    positions = np.zeros(shape, np.int64)
    owners = np.zeros(shape, np.int64)
    for row, of_picture in enumerate(questions):
        start = 0
        for number, (asked, answer) in enumerate(of_picture, start=1):
            whole = [*asked, *answer]
            end = start + len(whole)
            tokens[row, start:end] = whole
            labels[row, start + len(asked) - 1 : end - 1] = answer
            positions[row, start:end] = prefix + np.arange(len(whole))
            owners[row, start:end] = number
            start = end
    return Packed(tokens, labels, positions, owners)


def attention_mask(packed: Packed, prefix: int, dtype: Any, device: Any) -> Any:
    """The additive attention mask, (images, 1, prefix + tokens, prefix + tokens): 0 where attention is allowed.

    A token attends to earlier tokens of the prefix and of its own question.
    """
    import torch

    owners = torch.from_numpy(np.pad(packed.owners, ((0, 0), (prefix, 0)))).to(device)
    in_prefix = torch.arange(owners.shape[1], device=device) < prefix
    earlier = torch.ones(2 * (owners.shape[1],), dtype=torch.bool, device=device).tril()
    same = (owners[:, :, None] == owners[:, None, :]) & (owners[:, None, :] > 0)
    # Padding attends to the prefix: a fully masked row would give NaN.
    allowed = earlier & (same | in_prefix[None, None, :])
    mask = torch.zeros(allowed.shape, dtype=dtype, device=device).masked_fill(~allowed, torch.finfo(dtype).min)
    return mask[:, None]
