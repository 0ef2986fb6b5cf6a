"""The rank of the first right candidate in a search over embeddings, for captions and for images at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Embeddings: TypeAlias = NDArray[np.float32]
Integers: TypeAlias = NDArray[np.int64]

# The number of captions and images that are scored at once. A block always has this shape, even if fewer are left: for
# another shape, a matrix product is computed in another order, and the last bits of a score would differ.
_BLOCK = 768


@dataclass(frozen=True)
class _Group:
    """Items (ascending indices of captions or images) that are counted together, and their rows in a block."""

    items: Integers
    rows: slice | Integers


@dataclass(frozen=True)
class _Side:
    """The captions or the images: their embeddings, and the best right candidate of each as a query.

    `embeddings` holds each distinct embedding once, in order of first occurrence, padded with zeros to whole blocks;
    `rows` is the row of each item in it. For each item, `best` is the highest score of its right candidates (infinite
    if there are none), `first` the first right candidate with that score, and `ahead` the number of candidates before
    it.
    """

    embeddings: Embeddings
    rows: Integers
    best: Embeddings
    first: Integers
    ahead: Integers

    def find_best(self, asked: Integers, candidates: Integers, scores: Embeddings) -> None:
        """Sets `best` and `first` from the scores of all matching pairs of a query (`asked`) and a right candidate."""
        highest = np.full(len(self.best), -np.inf, dtype=np.float32)
        np.maximum.at(highest, asked, scores)
        self.best[asked] = highest[asked]
        is_best = scores == highest[asked]
        self.first[asked] = np.iinfo(np.int64).max
        np.minimum.at(self.first, asked[is_best], candidates[is_best])

    def count(self, scores: Embeddings, asked: Integers, candidates: Integers) -> None:
        """Counts the candidates of a block (asked x candidates) that come before the first right one.

        Among equal scores, the candidate with the smaller index comes first. If the whole block is before the right
        candidate, all scores that are not lower count, which are the scores above the next lower float. Otherwise only
        higher scores count and, if the right candidate is in the block, the equal scores before it.
        """
        best, first = self.best[asked], self.first[asked]
        limits = np.where(first > candidates[-1], np.nextafter(best, np.float32(-np.inf)), best)[:, np.newaxis]
        self.ahead[asked] += np.count_nonzero(scores > limits, axis=1)
        between = np.flatnonzero((candidates[0] < first) & (first <= candidates[-1]))
        equal = scores[between] == best[between, np.newaxis]
        self.ahead[asked[between]] += np.count_nonzero(equal & (candidates < first[between, np.newaxis]), axis=1)

    def groups(self) -> list[list[_Group]]:
        """For each block, the items with its embeddings: those in which the embeddings occur first, and the others."""
        is_first = np.zeros(len(self.rows), dtype=np.bool_)
        is_first[np.unique(self.rows, return_index=True)[1]] = True
        others = np.flatnonzero(~is_first)
        blocks = []
        for block, items in enumerate(_runs(np.flatnonzero(is_first))):
            same = others[self.rows[others] // _BLOCK == block]
            rest = [_Group(part, self.rows[part] % _BLOCK) for part in _runs(same)]
            blocks.append([_Group(items, slice(0, len(items))), *rest])
        return blocks

    def ranks(self) -> Integers:
        return np.where(np.isfinite(self.best), 1 + self.ahead, 0)


def exact_ranks(captions: Embeddings, pictures: Embeddings, right: Integers) -> tuple[Integers, Integers]:
    """Ranks, from 1, of the first right image of each caption and of the first right caption of each image.

    `captions` (n x width) and `pictures` (m x width) are embeddings of length 1. `right` (k x 2) has a row (caption,
    image), by index, for every matching pair. The rank is 0 if the query has no right candidate.

    A candidate comes before another if its score, the float32 product of the embeddings, is higher; among equal scores
    the smaller index comes first. The last bits of a product depend on its position in its block. Therefore each
    distinct embedding is multiplied once and all items with this embedding share its scores, so they tie exactly.

    Nothing is sorted: a rank is one more than the number of candidates before the right one, and both directions are
    counted on the same product. The scores of the right candidates must be known first, so their blocks are multiplied
    twice, at the same position of the same memory, which gives the same numbers. These blocks are few if captions and
    their images are in the same order, and at worst all blocks.

    Memory in addition to the embeddings: at first about three copies of them, then one; 10 MiB for a block; and less
    than 100 bytes for each caption, image and row of `right`. One core is used.

    Raises ValueError when an embedding contains a number that is not finite, when widths differ, or when `right` has an
    index out of range.
    """
    from threadpoolctl import threadpool_limits

    _check(captions, pictures, right)
    told, seen = _side(captions), _side(pictures)
    if not (len(captions) and len(pictures)):
        return told.ranks(), seen.ranks()
    product = np.empty((_BLOCK, _BLOCK), dtype=np.float32)
    with threadpool_limits(1, user_api="blas"):
        scores = _right_scores(told, seen, right, product)
        told.find_best(right[:, 0], right[:, 1], scores)
        seen.find_best(right[:, 1], right[:, 0], scores)
        picture_blocks = seen.groups()
        for caption_block, caption_groups in enumerate(told.groups()):
            for picture_block, picture_groups in enumerate(picture_blocks):
                _multiply(told, seen, caption_block, picture_block, product)
                for of_captions in caption_groups:
                    for of_pictures in picture_groups:
                        block = product[of_captions.rows][:, of_pictures.rows]
                        told.count(block, of_captions.items, of_pictures.items)
                        seen.count(block.T, of_pictures.items, of_captions.items)
    return told.ranks(), seen.ranks()


def _side(embeddings: Embeddings) -> _Side:
    items = len(embeddings)
    width = -(-embeddings.shape[1] // 16) * 16  # 16 numbers are 64 bytes: all blocks have the same alignment
    whole = np.add(embeddings, np.float32(0), dtype=np.float32)  # -0.0 becomes 0.0; equal embeddings have equal bytes
    numbers: dict[bytes, int] = {}  # distinct embeddings, in order of first occurrence
    rows = np.fromiter((numbers.setdefault(row.tobytes(), len(numbers)) for row in whole), np.int64, items)
    padded = np.zeros((-(-len(numbers) // _BLOCK) * _BLOCK, width), dtype=np.float32)
    padded[rows, : embeddings.shape[1]] = whole
    return _Side(
        embeddings=padded,
        rows=rows,
        best=np.full(items, np.inf, dtype=np.float32),
        first=np.full(items, -1, dtype=np.int64),
        ahead=np.zeros(items, dtype=np.int64),
    )


def _multiply(told: _Side, seen: _Side, caption_block: int, picture_block: int, product: Embeddings) -> None:
    captions, pictures = (slice(block * _BLOCK, (block + 1) * _BLOCK) for block in (caption_block, picture_block))
    np.matmul(told.embeddings[captions], seen.embeddings[pictures].T, out=product)


def _right_scores(told: _Side, seen: _Side, right: Integers, product: Embeddings) -> Embeddings:
    scores = np.empty(len(right), dtype=np.float32)
    captions, pictures = told.rows[right[:, 0]], seen.rows[right[:, 1]]
    blocks = captions // _BLOCK * (len(seen.embeddings) // _BLOCK) + pictures // _BLOCK
    order = np.argsort(blocks, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1):
        if part.size:
            _multiply(told, seen, captions[part[0]] // _BLOCK, pictures[part[0]] // _BLOCK, product)
            scores[part] = product[captions[part] % _BLOCK, pictures[part] % _BLOCK]
    return scores


def _runs(items: Integers) -> Iterator[Integers]:
    for start in range(0, len(items), _BLOCK):
        yield items[start : start + _BLOCK]


def _check(captions: Embeddings, pictures: Embeddings, right: Integers) -> None:
    matrices = captions.ndim == pictures.ndim == 2
    if not matrices or (len(captions) and len(pictures) and captions.shape[1] != pictures.shape[1]):
        raise ValueError(f"embeddings of captions {captions.shape} and pictures {pictures.shape}: not of one width")
    for name, embeddings in (("captions", captions), ("pictures", pictures)):
        if not np.isfinite(embeddings).all():
            raise ValueError(f"embeddings of {name}: some are no finite numbers")
    if right.ndim != 2 or right.shape[1] != 2:
        raise ValueError(f"right: pairs of a caption and a picture are needed, not an array of shape {right.shape}")
    if right.size and (right.min() < 0 or (right.max(axis=0) >= (len(captions), len(pictures))).any()):
        raise ValueError(f"right: names indices beyond {len(captions):,} captions and {len(pictures):,} pictures")
