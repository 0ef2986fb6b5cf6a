"""Estimates the depth of an image: Depth Anything, DPT and other models that the library loads for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.local.checkpoints import identity, load_checkpoint
from whatif.models.local.faults import model_faults
from whatif.models.local.processors import load_image_processor

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = 1  # increase it when a change alters depths


class DepthEstimator:
    """A model that predicts how near each pixel is.

    Raises WhatifError when the checkpoint cannot be loaded.
    """

    def __init__(self, settings: LocalCheckpoint) -> None:
        self._settings = settings
        self._model, self._processor = load_checkpoint(
            settings, "AutoModelForDepthEstimation", _check, load_image_processor
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """What determines its depths."""
        return identity(self._settings, VERSION, self._model.config)

    def median(self, picture: Image) -> float:
        """The median depth of an image; larger is further away. Its unit is the checkpoint's own.

        Checkpoints of relative depth, such as Depth Anything, predict nearness: its negative is the depth.
        """
        import torch

        inputs = self._processor(images=picture.convert("RGB"), return_tensors="pt")
        pixels = inputs["pixel_values"].to(self._model.device, self._model.dtype)
        with torch.inference_mode(), model_faults("one image"):
            predicted = self._model(pixel_values=pixels).predicted_depth
        is_metric = getattr(self._model.config, "depth_estimation_type", "relative") == "metric"
        median = float(predicted.double().median())
        return median if is_metric else -median


def _check(source: str, configuration: Any) -> None:
    from transformers import AutoModelForDepthEstimation

    if type(configuration) not in AutoModelForDepthEstimation._model_mapping:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} estimates no depth; give a Depth Anything or a DPT"
        )
