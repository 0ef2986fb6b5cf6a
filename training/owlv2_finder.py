"""Finds things in images with a trained OWLv2: the boxes of each query with their scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_OVERLAP = 0.5  # of two boxes of a query (IoU above this), the better one counts
_BATCH = 50

Boxes = NDArray[np.float64]  # (n, 5): left, top, right, bottom as fractions of the longer side; the score


class Finder:
    """The OWLv2 in a folder. Each query is judged by itself: a thing can be found by several queries."""

    def __init__(self, folder: Path) -> None:
        import torch
        import transformers

        processor_class: Any = transformers.AutoProcessor
        model_class: Any = transformers.AutoModelForZeroShotObjectDetection
        self._processor = processor_class.from_pretrained(
            folder, backend="pil", local_files_only=True, trust_remote_code=False
        )
        self._model = model_class.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True, trust_remote_code=False
        ).eval()

    def candidates(self, pictures: Sequence[Any], texts: Sequence[Sequence[str]]) -> list[list[Boxes]]:
        """For each image and each of its queries, the box of each patch, the best score first.

        Every image has the same number of queries; a text is cut at the longest that the model reads.
        """
        found: list[list[Boxes]] = []
        for start in range(0, len(pictures), _BATCH):
            found += self._of_batch(pictures[start : start + _BATCH], texts[start : start + _BATCH])
        return found

    def _of_batch(self, pictures: Sequence[Any], texts: Sequence[Sequence[str]]) -> list[list[Boxes]]:
        import torch

        inputs = self._processor(
            images=list(pictures), text=[list(queries) for queries in texts], truncation=True, return_tensors="pt"
        )
        with torch.inference_mode():
            outputs = self._model(**inputs)
        scores = outputs.logits.double().sigmoid().numpy()
        centres, sizes = np.split(outputs.pred_boxes.double().numpy(), 2, axis=-1)
        boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], axis=-1)
        return [
            [_ranked(here, by_query) for by_query in of_picture.T]
            for here, of_picture in zip(boxes, scores, strict=True)
        ]


def kept(candidates: Boxes, least_score: float, largest_overlap: float = LARGEST_OVERLAP) -> Boxes:
    """The candidates of one query with at least this score that overlap no better one by more than this."""
    chosen: list[NDArray[np.float64]] = []
    for one in candidates[candidates[:, 4] >= least_score]:
        if all(overlap(one, better) <= largest_overlap for better in chosen):
            chosen.append(one)
    return np.array(chosen, np.float64).reshape(-1, 5)


def overlap(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The intersection over union of two boxes: left, top, right, bottom."""
    shared = np.minimum(first[2:4], second[2:4]) - np.maximum(first[:2], second[:2])
    inside = float(np.prod(np.maximum(shared, 0)))
    areas = [float(np.prod(box[2:4] - box[:2])) for box in (first, second)]
    return inside / (sum(areas) - inside)


def _ranked(boxes: NDArray[np.float64], scores: NDArray[np.float64]) -> Boxes:
    order = np.argsort(-scores, kind="stable")
    return np.concatenate([boxes[order], scores[order, None]], axis=1)
