"""Finds which samples belong together because they are about the same photograph, directly or by a pair of images."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whatif.engine.artifacts.pair_items import SIDES, item_id

_RELEASED_ID = re.compile(r"([0-9]{1,12})_[0-9]{1,4}")


def coco_number(released_id: str) -> int | None:
    """The id of the MS-COCO photograph in the id of a released pair (`<COCO image id>_<k>`), or None."""
    found = _RELEASED_ID.fullmatch(released_id)
    return int(found[1]) if found else None


def photographs_of_samples(
    pairs: Mapping[str, Mapping[str, Any]], originals: Mapping[str, Mapping[str, Any]], *, released_ids: bool
) -> dict[str, str]:
    """Sample -> its photograph, the same for all samples that are about it.

    `pairs` and `originals` are rows by id. The samples of a pair belong to its original, originals to their
    photograph, and samples with the same image together. With `released_ids`, pairs and originals whose ids name the
    same MS-COCO photograph belong together, too, whether or not its image was found. The photograph is named by the
    first image_id of its originals, or else by the id of its first pair.
    """
    links = [*_links_of_pairs(pairs, released_ids), *_links_of_originals(originals, pairs, released_ids)]
    nodes = {node: number for number, node in enumerate(sorted({node for link in links for node in link}))}
    part = _components(len(nodes), [(nodes[one], nodes[other]) for one, other in links])
    names: dict[int, str] = {}
    for row in sorted(originals.values(), key=lambda row: str(row["image_id"])):
        names.setdefault(part[nodes[_image(row["image_id"])]], row["image_id"])
    for pair in sorted(pairs):
        names.setdefault(part[nodes[_pair(pair)]], pair)
    found = {caption_id: names[part[nodes[_original(caption_id)]]] for caption_id in originals}
    return found | {item_id(pair, side): names[part[nodes[_pair(pair)]]] for pair in pairs for side in SIDES}


def _links_of_pairs(pairs: Mapping[str, Mapping[str, Any]], released_ids: bool) -> Iterator[tuple[str, str]]:
    for pair_id, row in pairs.items():
        for side in SIDES:
            yield _pair(pair_id), _image(row[f"image_id_{side}"])
        if released_ids and (number := coco_number(pair_id)) is not None:
            yield _pair(pair_id), f"coco {number}"


def _links_of_originals(
    originals: Mapping[str, Mapping[str, Any]], pairs: Mapping[str, Any], released_ids: bool
) -> Iterator[tuple[str, str]]:
    for caption_id, row in originals.items():
        yield _original(caption_id), _image(row["image_id"])
        if caption_id in pairs:
            yield _original(caption_id), _pair(caption_id)
        if released_ids and (number := coco_number(caption_id)) is not None:
            yield _original(caption_id), f"coco {number}"


def _pair(pair_id: str) -> str:
    return f"pair {pair_id}"


def _original(caption_id: str) -> str:
    return f"original {caption_id}"


def _image(image_id: str) -> str:
    return f"image {image_id}"


def _components(number: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """The connected component of each of `number` nodes."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.asarray(list(links), dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends), dtype=bool), (ends[:, 0], ends[:, 1])), shape=(number, number))
    return [int(one) for one in connected_components(graph, directed=False)[1]]
