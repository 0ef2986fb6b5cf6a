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
    from PIL.Image import Image

Pixels: TypeAlias = NDArray[np.float32]
# Bytes of prepared images in memory: 14,266 images of 224 x 224 pixels. Further ones are decoded for each step.
MOST_BYTES = 8 * 1024**3
_AT_ONCE = 64  # images that are prepared together


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

    def pixels(self, image_ids: Sequence[str]) -> list[Pixels]:
        """The pixels of images (3 x height x width). Raises UnreadableImageError when one cannot be decoded."""
        missing = [one for one in dict.fromkeys(image_ids) if one not in self._kept]
        made = dict(zip(missing, self._prepared([self.images.get(one) for one in missing]), strict=True))
        for image_id, found in made.items():
            self._keep(image_id, found)
        return [self._kept[one] if one in self._kept else made[one] for one in image_ids]

    def _prepared(self, images: Sequence[Image]) -> list[Pixels]:
        if not images:
            return []
        read = self.processor.image_processor(images=list(images))["pixel_values"]
        return [np.ascontiguousarray(one, dtype=np.float32) for one in read]

    def _keep(self, image_id: str, found: Pixels) -> None:
        if self._bytes + found.nbytes <= self.most_bytes:
            self._kept[image_id] = found
            self._bytes += found.nbytes

    @property
    def kept(self) -> int:
        """The number of images in memory."""
        return len(self._kept)

    def readable(self, samples: Sequence[Sample]) -> tuple[list[Sample], Counter[str]]:
        """The samples whose images can be decoded, in the same order, and the reasons for which others cannot."""
        reasons: dict[str, str] = {}
        unknown = [one for one in dict.fromkeys(sample.image_id for sample in samples) if one not in self._kept]
        for start in range(0, len(unknown), _AT_ONCE):
            decoded: dict[str, Image] = {}
            for image_id in unknown[start : start + _AT_ONCE]:
                try:
                    decoded[image_id] = self.images.get(image_id)
                except UnreadableImageError as error:
                    # A store puts the id of the image before the decoder's reason, which is the cause.
                    reasons[image_id] = getattr(error.__cause__, "kind", error.kind)
            if self._bytes < self.most_bytes:
                for image_id, found in zip(decoded, self._prepared(list(decoded.values())), strict=True):
                    self._keep(image_id, found)
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
