"""Embeddings of captions and images by name, in batches, with the reasons why others have none."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from whatif.engine.artifacts.images import DecodedPictures
from whatif.engine.progress import progress
from whatif.scoring.exact_ranks import Embeddings

if TYPE_CHECKING:
    from PIL.Image import Image

NOT_FINITE = "its embedding holds what is no finite number"


class Encoder(Protocol):
    """Embeds captions and images, `batch_size` at once (`whatif.models.local.encoders.Embedder`)."""

    @property
    def batch_size(self) -> int: ...
    def captions(self, captions: Sequence[str]) -> NDArray[Any]: ...
    def pictures(self, pictures: Sequence[Image]) -> NDArray[Any]: ...


@dataclass(frozen=True)
class Embedded:
    """Embeddings by name (caption or image id), and the reasons why others have none."""

    place: Mapping[str, int]
    embeddings: Embeddings
    reasons: Mapping[str, str]

    def of(self, names: Sequence[str]) -> Embeddings:
        """The rows of those names that have an embedding, in order."""
        return self.embeddings[[self.place[name] for name in names]]


def embed_captions(captions: Collection[str], model_key: str, encoder: Encoder) -> Embedded:
    """The embeddings of captions, each of them once. `model_key` names the model in the progress."""
    # Sorted by length, so that batches have little padding.
    order = sorted(captions, key=lambda caption: (len(caption), caption))
    return _embedded(
        (part, encoder.captions(part)) for part in _batches(order, encoder.batch_size, f"{model_key} captions")
    )


def embed_pictures(image_ids: Collection[str], pictures: DecodedPictures, model_key: str, encoder: Encoder) -> Embedded:
    """The embeddings of images, each of them once; one that cannot be decoded has a reason and no embedding."""
    reasons: dict[str, str] = {}

    def batches() -> Iterator[tuple[Sequence[str], NDArray[Any]]]:
        for part in _batches(sorted(image_ids), encoder.batch_size, f"{model_key} pictures"):
            decoded: dict[str, Image] = {}
            for image_id in part:
                try:
                    decoded[image_id] = pictures.get(image_id)
                except OSError as error:
                    reasons[image_id] = f"picture cannot be decoded: {error}"
            if decoded:
                yield list(decoded), encoder.pictures(list(decoded.values()))

    found = _embedded(batches())
    return Embedded(found.place, found.embeddings, {**reasons, **found.reasons})


def _batches(names: Sequence[str], size: int, what: str) -> Iterator[list[str]]:
    shown = iter(progress(names, len(names), what, "item"))
    while part := list(itertools.islice(shown, size)):
        yield part


def _embedded(batches: Iterable[tuple[Sequence[str], NDArray[Any]]]) -> Embedded:
    names: list[str] = []
    parts: list[Embeddings] = []
    reasons: dict[str, str] = {}
    for part, made in batches:
        embeddings = np.asarray(made, dtype=np.float32)
        finite: NDArray[np.bool_] = np.all(np.isfinite(embeddings), axis=1)
        for name, good in zip(part, finite.tolist(), strict=True):
            if good:
                names.append(name)
            else:
                reasons[name] = NOT_FINITE
        parts.append(embeddings[finite])
    embeddings = np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)
    return Embedded({name: place for place, name in enumerate(names)}, embeddings, reasons)
