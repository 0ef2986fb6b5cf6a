"""Captions with their images as a dual encoder reads them, and the images that are kept prepared in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.artifacts.images import DecodedPictures
from whatif.errors import WhatifError
from whatif.files.image_decoding import UnreadableImageError
from whatif.models.local.dual_encoders import most_tokens

if TYPE_CHECKING:
    import torch

Pixels: TypeAlias = NDArray[np.float32]
# Bytes of prepared images in memory: 14,266 images of 224 x 224 pixels. Further ones are decoded for each step.
MOST_BYTES = 8 * 1024**3


class Sample(NamedTuple):
    """A caption and the id of the image that it describes."""

    caption: str
    image_id: str


@dataclass
class PreparedImages:
    """The pixels of images after the checkpoint's image processor; the first `most_bytes` of them stay in memory."""

    images: DecodedPictures
    processor: Any
    most_bytes: int = MOST_BYTES
    _kept: dict[str, Pixels] = field(default_factory=dict)
    _bytes: int = 0

    def pixels(self, image_id: str) -> Pixels:
        """The pixels of an image (3 x height x width). Raises UnreadableImageError when it cannot be decoded."""
        if (known := self._kept.get(image_id)) is not None:
            return known
        read = self.processor.image_processor(images=[self.images.get(image_id)], return_tensors="np")
        found: Pixels = np.ascontiguousarray(read["pixel_values"][0], dtype=np.float32)
        if self._bytes + found.nbytes <= self.most_bytes:
            self._kept[image_id] = found
            self._bytes += found.nbytes
        return found

    @property
    def kept(self) -> int:
        """The number of images in memory."""
        return len(self._kept)

    def readable(self, samples: Sequence[Sample]) -> tuple[list[Sample], Counter[str]]:
        """The samples whose images can be decoded, in the same order, and the reasons for which others cannot."""
        reasons: dict[str, str] = {}
        checked: set[str] = set()
        for sample in samples:
            if sample.image_id not in checked:
                checked.add(sample.image_id)
                try:
                    self.pixels(sample.image_id)
                except UnreadableImageError as error:
                    # A store puts the id of the image before the decoder's reason, which is the cause.
                    reasons[sample.image_id] = getattr(error.__cause__, "kind", error.kind)
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

        processor = self.images.processor
        inputs = processor(
            text=[sample.caption for sample in samples],
            padding=True,
            truncation=True,
            max_length=most_tokens(self.model, processor.tokenizer),
            return_tensors="pt",
        )
        pixels = [self.images.pixels(sample.image_id) for sample in samples]
        if len(sizes := {one.shape for one in pixels}) > 1:
            listed = " and ".join(f"{width} x {height}" for _, height, width in sorted(sizes)[:2])
            raise WhatifError(
                f"training: the image processor makes images of different sizes ({listed}); set do_center_crop in the "
                "checkpoint's preprocessor_config.json"
            )
        return {**inputs, "pixel_values": torch.from_numpy(np.stack(pixels))}
