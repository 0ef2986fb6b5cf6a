"""Captions with their images as a dual encoder reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whatif.engine.artifacts.images import OrderedPictures
from whatif.engine.errors import WhatifError
from whatif.models.local.dual_encoders import most_tokens
from whatif.models.local.encoders import Pixels
from whatif.models.local.prepared_pictures import PreparedPictures

if TYPE_CHECKING:
    import torch


class Sample(NamedTuple):
    """A caption and the id of the image that it describes."""

    caption: str
    image_id: str


class PreparedImages:
    """The images of samples after the checkpoint's image processor, each decoded and prepared once.

    Several trainings and evaluations may share `prepared`, if they have the same processor.
    """

    def __init__(self, images: OrderedPictures, processor: Any, prepared: PreparedPictures | None = None) -> None:
        self.processor = processor
        self.prepared = prepared or PreparedPictures(processor)
        self._images = images

    def pixels(self, image_ids: Sequence[str]) -> list[Pixels]:
        """The pixels of images (3 x height x width). Raises OSError when one cannot be decoded."""
        self.prepared.prepare(image_ids, self._images)
        return [self.prepared.get(one) for one in image_ids]

    def readable(self, samples: Sequence[Sample]) -> tuple[list[Sample], Counter[str]]:
        """The samples whose images can be decoded, in the same order, and the reasons for which others cannot."""
        image_ids = self._images.in_order(sample.image_id for sample in samples)
        self.prepared.prepare(image_ids, self._images)
        of_all = {image_id: self.prepared.reason(image_id) for image_id in image_ids}
        reasons = {image_id: reason for image_id, reason in of_all.items() if reason is not None}
        kept = [sample for sample in samples if sample.image_id not in reasons]
        return kept, Counter(reasons[sample.image_id] for sample in samples if sample.image_id in reasons)


@dataclass(frozen=True)
class Batches:
    """Encodes samples for a model: what a data loader calls for each batch."""

    model: Any
    images: PreparedImages

    def __call__(self, samples: Sequence[Sample]) -> dict[str, torch.Tensor]:
        """The tokens of captions, padded to the longest, and `pixel_values` (samples x 3 x height x width).

        A caption is truncated to the model's maximum length, as in an evaluation. Raises WhatifError when the processor
        makes images of different sizes.
        """
        import torch

        tokenizer = self.images.processor.tokenizer
        inputs = tokenizer(
            [sample.caption for sample in samples],
            padding=True,
            truncation=True,
            max_length=most_tokens(self.model, tokenizer),
            return_tensors="pt",
        )
        pixels = self.images.pixels([sample.image_id for sample in samples])
        if len(sizes := {one.shape for one in pixels}) > 1:
            listed = " and ".join(f"{width} x {height}" for _, height, width in sorted(sizes)[:2])
            raise WhatifError(
                f"training: the image processor makes images of different sizes ({listed}); set do_center_crop in the "
                "checkpoint's preprocessor_config.json"
            )
        return {**inputs, "pixel_values": torch.from_numpy(np.stack(pixels))}
