"""Finds things by their names with an open-vocabulary detector: OWL-ViT, OWLv2 or Grounding DINO."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.programs import Detector as DetectorSettings
from whatif.models.local.checkpoints import identity, load_checkpoint
from whatif.models.local.faults import model_faults
from whatif.models.local.option_scores import on_device
from whatif.models.local.processors import load_processor
from whatif.models.programs.interfaces import Box

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = 1  # increase it when a change alters boxes
_SMALLEST = 1.0  # pixels: a box that is narrower or lower counts for nothing


class Detector:
    """A detector with the score from which a box counts.

    Raises WhatifError when the checkpoint cannot be loaded or is of another type.
    """

    def __init__(self, settings: DetectorSettings) -> None:
        self._model, self._processor = load_checkpoint(
            settings, "AutoModelForZeroShotObjectDetection", _check, load_processor
        )
        self._settings = settings
        self._kind: str = self._model.config.model_type

    @property
    def identity(self) -> Mapping[str, Any]:
        """What determines its boxes."""
        return identity(self._settings, VERSION, self._model.config)

    def find(self, picture: Image, name: str) -> list[Box]:
        """The boxes of the things of a name in an image, in its pixels, sorted by their left and then top edges.

        Of two boxes that overlap by more than `largest_overlap`, the one with the lower score is left out.
        """
        boxes, scores = _FAMILIES[self._kind](self._model, self._processor, picture, name)
        width, height = picture.size
        ranked = sorted(zip(scores, boxes, strict=True), key=lambda one: -one[0])
        kept: list[Box] = []
        for score, (left, top, right, bottom) in ranked:
            box = (max(0.0, left), max(0.0, top), min(float(width), right), min(float(height), bottom))
            if score < self._settings.least_score or min(box[2] - box[0], box[3] - box[1]) < _SMALLEST:
                continue
            if all(overlap(box, better) <= self._settings.largest_overlap for better in kept):
                kept.append(box)
        return sorted(kept)


def overlap(first: Box, second: Box) -> float:
    """The intersection over union of two boxes that are not empty."""
    across = min(first[2], second[2]) - max(first[0], second[0])
    down = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(0.0, across) * max(0.0, down)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return shared / (sum(areas) - shared)


def _owl(model: Any, processor: Any, picture: Image, name: str) -> tuple[list[Box], list[float]]:
    """OWL-ViT and OWLv2: a box and a score for each patch of the image."""
    import torch

    inputs = processor(text=[[name]], images=picture.convert("RGB"), truncation=True, return_tensors="pt")
    with torch.inference_mode(), model_faults("one image"):
        outputs = model(**on_device(model, inputs))
    # OWLv2 pads an image at the right and below to a square; OWL-ViT scales each side by itself.
    side = max(picture.size)
    width, height = (side, side) if model.config.model_type == "owlv2" else picture.size
    return _corners(outputs.pred_boxes[0], width, height), _floats(outputs.logits[0].double().sigmoid().amax(-1))


def _grounding_dino(model: Any, processor: Any, picture: Image, name: str) -> tuple[list[Box], list[float]]:
    """Grounding DINO: a box for each query, with the best score among the tokens of the name.

    The name is in lower case and ends in a full stop, as in its training data.
    """
    import torch

    text = f"{name.strip().lower().rstrip('.')}."
    inputs = processor(text=text, images=picture.convert("RGB"), truncation=True, return_tensors="pt")
    with torch.inference_mode(), model_faults("one image"):
        outputs = model(**on_device(model, inputs))
    return _corners(outputs.pred_boxes[0], *picture.size), _floats(outputs.logits[0].double().sigmoid().amax(-1))


def _corners(boxes: Any, width: int, height: int) -> list[Box]:
    """Left, top, right and bottom in pixels of boxes as centre, width and height in fractions of the sides."""
    found = []
    for across, down, wide, high in boxes.double().cpu().tolist():
        left, top = (across - wide / 2) * width, (down - high / 2) * height
        found.append((left, top, left + wide * width, top + high * height))
    return found


def _floats(scores: Any) -> list[float]:
    return [float(score) for score in scores.cpu().tolist()]


def _check(source: str, configuration: Any) -> None:
    if configuration.model_type not in _FAMILIES:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is no detector that finds things by their names; "
            f"give one of the types {', '.join(_FAMILIES)}"
        )


_FAMILIES: dict[str, Callable[[Any, Any, Any, str], tuple[list[Box], list[float]]]] = {
    "owlvit": _owl,
    "owlv2": _owl,
    "grounding-dino": _grounding_dino,
}
