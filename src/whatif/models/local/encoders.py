"""Scores how well captions and images match, with dual encoders and cross-encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import CrossEncoder, LocalCheckpoint
from whatif.models.local.checkpoints import load_checkpoint
from whatif.models.local.dual_encoders import DUAL_FAMILIES, DualFamily, most_tokens
from whatif.models.local.faults import model_faults
from whatif.models.local.option_scores import on_device
from whatif.models.local.processors import load_processor

if TYPE_CHECKING:
    from PIL.Image import Image

Floats: TypeAlias = NDArray[np.float64]
Pixels: TypeAlias = NDArray[np.float32]
_Item = TypeVar("_Item")

# Model type -> class of the library.
_DUAL = {kind: family.loaded_by for kind, family in DUAL_FAMILIES.items()}
_CROSS = {"vilt": "ViltForImageAndTextRetrieval", "bridgetower": "BridgeTowerForImageAndTextRetrieval"}


class Matcher(Protocol):
    """A matching model, as an adapter makes it."""

    @property
    def logit_scale(self) -> float | None:
        """The factor between its scores and its logits; None if the scores are logits."""

    def match(self, captions: Sequence[tuple[str, str]], pictures: Sequence[tuple[Image, Image]]) -> Floats:
        """How well both captions of a pair match both of its images, higher is better: (pairs, caption, image)."""


@dataclass(frozen=True)
class Embedder:
    """Embeds captions and images into one space, `batch_size` at once; embeddings have length 1.

    The cosine of two embeddings is the output of the model's contrastive head without its scale (`logits_per_image`).
    """

    model: Any
    processor: Any
    batch_size: int

    def captions(self, captions: Sequence[str]) -> Floats:
        """Embeddings (captions, width). A caption is truncated to the model's maximum length."""

        def embed(part: Sequence[str]) -> Any:
            inputs = self.processor(text=list(part), return_tensors="pt", **_cut_off(self.model, self.processor))
            return self._family.captions(self.model, on_device(self.model, inputs))

        return self._embedded(captions, embed)

    def pictures(self, pictures: Sequence[Image]) -> Floats:
        """Embeddings (images, width)."""

        def embed(part: Sequence[Image]) -> Any:
            inputs = self.processor(images=list(part), return_tensors="pt")
            return self._family.pictures(self.model, on_device(self.model, inputs))

        return self._embedded(pictures, embed)

    def prepared_pictures(self, prepared: Sequence[Pixels]) -> Floats:
        """Embeddings (images, width) of images that the processor has prepared: channels x height x width."""
        import torch

        def embed(part: Sequence[Pixels]) -> Any:
            inputs = {"pixel_values": torch.from_numpy(np.stack(part))}
            return self._family.pictures(self.model, on_device(self.model, inputs))

        return self._embedded(prepared, embed)

    def match(self, captions: Sequence[tuple[str, str]], pictures: Sequence[tuple[Image, Image]]) -> Floats:
        """Cosines of both captions of a pair with both of its images: (pairs, caption, image)."""
        told = self.captions([caption for pair in captions for caption in pair])
        seen = self.pictures([picture for pair in pictures for picture in pair])
        by_pair = (len(captions), 2, -1)
        scores: Floats = np.einsum("pcw,piw->pci", told.reshape(by_pair), seen.reshape(by_pair))
        return scores

    @property
    def logit_scale(self) -> float:
        """The factor between cosines and logits that the checkpoint was trained to: 100 for OpenAI's CLIP."""
        return float(self.model.logit_scale.detach().double().exp())

    @property
    def _family(self) -> DualFamily:
        return DUAL_FAMILIES[self.model.config.model_type]

    def _embedded(self, items: Sequence[_Item], embed: Callable[[Sequence[_Item]], Any]) -> Floats:
        found = _in_batches(items, self.batch_size, embed)
        unit: Floats = found / np.linalg.norm(found, axis=-1, keepdims=True)
        return unit


@dataclass(frozen=True)
class JointReader:
    """Reads a caption and an image together, in batches of `batch_size`."""

    model: Any
    processor: Any
    batch_size: int

    @property
    def logit_scale(self) -> None:
        """None: the scores are the logits of its head."""
        return None

    def match(self, captions: Sequence[tuple[str, str]], pictures: Sequence[tuple[Image, Image]]) -> Floats:
        """Logits of both captions of a pair with both of its images: (pairs, caption, image)."""
        import torch

        def logits(part: Sequence[tuple[str, Image]]) -> Any:
            torch.manual_seed(0)  # ViLT shuffles its patches, which affects the last digits
            texts, images = [caption for caption, _ in part], [picture for _, picture in part]
            inputs = self.processor(images, texts, return_tensors="pt", **_cut_off(self.model, self.processor))
            return self.model(**on_device(self.model, inputs)).logits[:, -1:]  # the second logit means a match

        together = [
            (caption, picture)
            for of_pair, shown in zip(captions, pictures, strict=True)
            for caption in of_pair
            for picture in shown
        ]
        return _in_batches(together, self.batch_size, logits).reshape(len(captions), 2, 2)


def dual_encoder(settings: LocalCheckpoint) -> Embedder:
    """A CLIP, a FLAVA, or a BridgeTower with its contrastive heads.

    Raises WhatifError when the checkpoint cannot be loaded or is of another type.
    """
    model, processor = load_checkpoint(settings, _DUAL, _only("dual-encoder", _DUAL), load_processor)
    return Embedder(model, processor, settings.batch_size)


def cross_encoder(settings: CrossEncoder) -> JointReader:
    """A ViLT, or a BridgeTower with its matching head.

    Raises WhatifError when the checkpoint cannot be loaded or is of another type.
    """
    model, processor = load_checkpoint(settings, _CROSS, _only("cross-encoder", _CROSS), load_processor)
    return JointReader(model, processor, settings.batch_size)


def _only(adapter: str, kinds: dict[str, str]) -> Callable[[str, Any], None]:
    *others, last = kinds
    listed = f"{', '.join(others)} and {last}"

    def check(source: str, configuration: Any) -> None:
        if configuration.model_type not in kinds:
            raise WhatifError(
                f"checkpoint {source}: is a {configuration.model_type!r}; the adapter {adapter} takes {listed}"
            )

    return check


def _cut_off(model: Any, processor: Any) -> dict[str, Any]:
    """Tokeniser options: padding, and truncation at the model's maximum length, which some tokenisers do not know."""
    return {"padding": True, "truncation": True, "max_length": most_tokens(model, processor.tokenizer)}


def _in_batches(items: Sequence[_Item], size: int, compute: Callable[[Sequence[_Item]], Any]) -> Floats:
    """The results of `compute` for consecutive batches of items, concatenated: (items, ...).

    Raises WhatifError when a batch does not fit into memory, or the device fails.
    """
    import torch

    def rows() -> Iterator[Floats]:
        for start in range(0, len(items), size):
            with torch.inference_mode():
                yield compute(items[start : start + size]).double().cpu().numpy()

    if not items:
        return np.zeros((0, 1))
    with model_faults(f"{size} at once"):
        return np.concatenate(list(rows()))
