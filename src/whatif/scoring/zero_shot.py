"""Recognition without training: the class whose prompt is nearest to an image (COCO-Counterfactuals 5.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from whatif.engine.artifacts.images import DecodedPictures
from whatif.scoring.embedding import Encoder, embed_captions, embed_pictures
from whatif.scoring.exact_ranks import Embeddings, Integers

# The number of images that are compared at once. A block always has this shape, even if fewer images are left: for
# another shape, a matrix product is computed in another order, and the last bits of a score would differ.
_BLOCK = 1024


def zero_shot(
    image_ids: Collection[str],
    prompts: Mapping[int, str],
    pictures: DecodedPictures,
    model_key: str,
    encoder: Encoder,
) -> dict[str, int | None]:
    """The label of the nearest prompt by cosine, by image; None for an image that cannot be decoded.

    `prompts` has the prompt of each label. Among equally near prompts, the smallest label wins; so of two labels with
    the same prompt, the larger one never wins. Each image and each prompt is embedded once. An image whose embedding
    overflowed has no label, and a prompt whose embedding did is never chosen.
    """
    labels = sorted(prompts)
    told = embed_captions(set(prompts.values()), model_key, encoder)
    seen = embed_pictures(image_ids, pictures, model_key, encoder)
    known = [label for label in labels if prompts[label] in told.place]
    order = sorted(seen.place)
    found: dict[str, int | None] = dict.fromkeys(sorted(image_ids))
    if known and order:
        nearest = nearest_prompts(seen.of(order), told.of([prompts[label] for label in known]))
        found.update({image_id: known[place] for image_id, place in zip(order, nearest.tolist(), strict=True)})
    return found


def nearest_prompts(pictures: Embeddings, prompts: Embeddings) -> Integers:
    """The index of the prompt with the highest float32 product with each image; the smallest one of equal products.

    `pictures` (n x width) and `prompts` (classes x width, at least one) are embeddings of length 1. The last bits of a
    product depend on its position, so equal prompts are multiplied once, and so are equal images.
    """
    from threadpoolctl import threadpool_limits

    shown, of_picture = _distinct(pictures)
    told, of_prompt = _distinct(prompts)
    first = np.full(len(told), len(prompts), dtype=np.int64)  # the first prompt with each distinct embedding
    np.minimum.at(first, of_prompt, np.arange(len(prompts)))
    nearest = np.empty(len(shown), dtype=np.int64)
    block = np.zeros((_BLOCK, shown.shape[1]), dtype=np.float32)
    with threadpool_limits(1, user_api="blas"):
        for start in range(0, len(shown), _BLOCK):
            part = shown[start : start + _BLOCK]
            block[: len(part)] = part
            nearest[start : start + _BLOCK] = np.argmax(block @ told.T, axis=1)[: len(part)]
    return first[nearest[of_picture]]


def _distinct(embeddings: Embeddings) -> tuple[Embeddings, Integers]:
    """Each distinct embedding once, in order of first occurrence, and the index of each embedding among them."""
    numbers: dict[bytes, int] = {}
    whole = np.add(embeddings, np.float32(0), dtype=np.float32)  # -0.0 becomes 0.0
    rows = np.fromiter((numbers.setdefault(row.tobytes(), len(numbers)) for row in whole), np.int64, len(whole))
    places: Sequence[int] = np.unique(rows, return_index=True)[1].tolist()
    return whole[places], rows
