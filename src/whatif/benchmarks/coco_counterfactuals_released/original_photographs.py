"""Finds the photographs of the original captions of released pairs, by the ids of the pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from whatif.formats.caption_sets import SourceCaption
from whatif.formats.coco_photographs import coco_image_id, is_coco_name

_RELEASED_ID = re.compile(r"([0-9]{1,12})_([0-9]{1,4})")


def photograph_names(
    originals: Mapping[str, str], captions: Iterable[SourceCaption]
) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Pair id -> file name of the photograph of its original caption; and the reasons for pairs without one.

    The id of a released pair is `<COCO image id>_<k>`, where its original caption is number k, from 0, of that
    photograph's captions; this holds for all 17,410 pairs and captions_val2017.json. The id decides, because several
    photographs may have the same caption. As a check, the caption must be one of that photograph's captions; its number
    does not matter, because another annotation file may list them in another order. A pair with any other id is looked
    up by its caption, and found if only one photograph has it. White space is ignored.

    A reason comes with its detail: `unknown photograph`, `caption of another photograph`, `unknown caption`,
    `caption of several photographs`.
    """
    by_image: dict[int, tuple[str, set[str]]] = {}
    by_words: dict[str, set[str]] = {}
    for one in captions:
        if one.image is None:
            continue
        words = _words(one.caption)
        by_words.setdefault(words, set()).add(one.image)
        if is_coco_name(one.image):
            by_image.setdefault(coco_image_id(one.image), (one.image, set()))[1].add(words)
    names: dict[str, str] = {}
    missing: dict[str, tuple[str, str]] = {}
    for pair_id, original in originals.items():
        released = _RELEASED_ID.fullmatch(pair_id)
        if released:
            found = _by_id(int(released[1]), _words(original), by_image)
        else:
            found = _by_words(_words(original), by_words)
        if isinstance(found, str):
            names[pair_id] = found
        else:
            missing[pair_id] = found
    return names, missing


def _by_id(image_id: int, words: str, by_image: Mapping[int, tuple[str, set[str]]]) -> str | tuple[str, str]:
    if image_id not in by_image:
        return "unknown photograph", f"the caption set has no photograph {image_id}"
    name, told = by_image[image_id]
    if words not in told:
        return "caption of another photograph", f"{name} has {len(told)} captions, and none is {words[:80]!r}"
    return name


def _by_words(words: str, by_words: Mapping[str, set[str]]) -> str | tuple[str, str]:
    names = sorted(by_words.get(words, ()))
    if not names:
        return "unknown caption", "the caption set has no photograph with this caption"
    if len(names) > 1:
        return "caption of several photographs", f"{len(names)} have it, among them {names[0]} and {names[1]}"
    return names[0]


def _words(caption: str) -> str:
    return " ".join(caption.split())
