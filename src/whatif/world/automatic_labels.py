"""Automatic labels of images of the embedded world, which has no human annotators: the recogniser's findings.

Their annotators' names begin with `automatic:`, and everything that is reported from them must say so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from whatif.engine.artifacts.images import DecodedPictures
from whatif.engine.artifacts.pair_items import SIDES, item_id, pair_and_side
from whatif.engine.errors import WhatifError
from whatif.people.consensus import AUTOMATIC
from whatif.people.error_categories import ANNOTATION, ATTRIBUTE, DETAILS, HYPONYMY, OBJECT
from whatif.people.items import Row, pairs_by_id
from whatif.people.picture_tasks import items_labelled_three_times

if TYPE_CHECKING:
    from whatif.world.scene_recognition import Recognised

_WORD = re.compile(r"[a-z]+")
LEAST_SCORES = (0.8, 0.7, 0.9)  # the first labels every image, the others a sample


def annotator_name(least_score: float) -> str:
    """The recogniser's name as an annotator, with the overlap that it requires: `automatic:recogniser-0.80`."""
    return f"{AUTOMATIC}recogniser-{least_score:.2f}"


def automatic_decision(seen: Recognised, pair: Row) -> str:
    """The caption of a pair that fits the recogniser's finding: `caption_0`, `caption_1`, `both` or `neither`.

    A caption fits if its noun was recognised, and colour and background are the requested ones: from the pair's
    provenance if it names them, otherwise from the caption if it has exactly one such word.
    """
    fitting = [side for side in SIDES if seen.noun == _noun(pair, side) and not _wrong(seen, pair, side)]
    if len(fitting) == len(SIDES):
        return "both"
    return f"caption_{fitting[0]}" if fitting else "neither"


def automatic_labels(
    pairs: Iterable[Row],
    images: DecodedPictures,
    *,
    seed: int,
    labelled_three_times: float,
    least_scores: Sequence[float] = LEAST_SCORES,
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Rows of `judgements` for the images of chosen `pairs`, and of `rejections` for unreadable ones.

    The recogniser with the first of `least_scores` labels every image. With the others it labels the fraction
    `labelled_three_times` of them, sampled as for human annotators, to measure the agreement of stricter and laxer
    checks. An item is rejected if an image cannot be decoded, is not square, or is not of 32 to 64 pixels.

    Raises WhatifError when `least_scores` is empty or has two with the same name, and when an image is in none of the
    image files.
    """
    from whatif.world.scene_recognition import LARGEST_SIDE, SMALLEST_SIDE, recognise

    if not least_scores or len({annotator_name(score) for score in least_scores}) < len(least_scores):
        raise WhatifError(f"automatic labels: least scores {list(least_scores)}; give one or more, all different")
    by_id = pairs_by_id(pairs)
    items = [item_id(pair_id, side) for pair_id in by_id for side in SIDES]
    by_all = items_labelled_three_times(items, seed=seed, share=labelled_three_times)
    judgements, rejections = [], []
    for item in sorted(items):
        pair_id, side = pair_and_side(item)
        scores = least_scores if item in by_all else least_scores[:1]
        image_id = by_id[pair_id][f"image_id_{side}"]
        try:
            picture = images.get(image_id)
        except OSError as error:
            rejections.append({"item_id": item, "reason": "picture unreadable", "detail": str(error)})
            continue
        if picture.width != picture.height or not SMALLEST_SIDE <= picture.width <= LARGEST_SIDE:
            told = f"{picture.width} x {picture.height} pixels; the recogniser takes square ones of 32 to 64"
            rejections.append({"item_id": item, "reason": "picture not recognisable", "detail": told})
            continue
        seen = {score: recognise(picture, score) for score in scores}
        for score in sorted(scores):
            decision = automatic_decision(seen[score], by_id[pair_id])
            judgements.append(_judgement(item, score, decision, _told(seen[score])))
    return judgements, rejections


def unlabelled(pairs: Iterable[Row]) -> list[dict[str, str]]:
    """Rows of `rejections` for the images of chosen `pairs` that the recogniser does not know and nobody labelled."""
    detail = "the recogniser knows drawn scenes only; people have to label other pictures"
    items = (item_id(pair_id, side) for pair_id in pairs_by_id(pairs) for side in SIDES)
    return [{"item_id": item, "reason": "no label", "detail": detail} for item in items]


def automatic_category(item: str, pair: Row, seen: Recognised) -> str:
    """The category of Table 7 for an image's error, by the first thing that is wrong: noun, colour, background.

    A missing subject is a failure to generate it, unless the other subject is shown and is its hyponym or hypernym. If
    the recogniser finds everything that was requested, the label was wrong: the paper's category for that is
    `Human annotation error`, although no human was involved. Errors that a single thing on a background cannot show
    (numbers, spatial relationships, both subjects) are never found.
    """
    _, side = pair_and_side(item)
    if seen.noun is None or seen.noun != _noun(pair, side):
        other_is_seen = seen.noun is not None and seen.noun == _noun(pair, 1 - side)
        return HYPONYMY if other_is_seen and json.loads(pair["provenance"]).get("relation") else OBJECT
    wrong = _wrong(seen, pair, side)
    if "colour" in wrong:
        return ATTRIBUTE
    return DETAILS if wrong else ANNOTATION


def automatic_categories(
    sample: Iterable[str], pairs: Iterable[Row], images: DecodedPictures, *, least_score: float = LEAST_SCORES[0]
) -> dict[str, str]:
    """Item -> `automatic_category` of each error of a sample. Raises WhatifError when an image is not recognisable."""
    from whatif.world.scene_recognition import recognise

    by_id = pairs_by_id(pairs)
    categories = {}
    for item in sorted(sample):
        pair_id, side = pair_and_side(item)
        seen = recognise(images.get(by_id[pair_id][f"image_id_{side}"]), least_score)
        categories[item] = automatic_category(item, by_id[pair_id], seen)
    return categories


def _noun(pair: Row, side: int) -> str:
    """The thing that a caption names: its subject, or the only other noun if the subject is a background."""
    from whatif.world.scenes import NOUNS

    subject = str(pair[f"subject_{side}"]).casefold()
    named = [word for word in _WORD.findall(pair[f"caption_{side}"].casefold()) if word in NOUNS]
    return named[0] if subject not in NOUNS and len(named) == 1 else subject


def _wrong(seen: Recognised, pair: Row, side: int) -> list[str]:
    """Which of colour and background differ from the requested ones."""
    from whatif.world.scenes import BACKGROUNDS, COLOURS

    named = json.loads(pair["provenance"])
    words = set(_WORD.findall(pair[f"caption_{side}"].casefold()))
    wrong = []
    for name, known in (("colour", COLOURS), ("background", BACKGROUNDS)):
        said = words & set(known)
        asked = named[name] if name in named else next(iter(said)) if len(said) == 1 else None
        if asked is not None and asked != getattr(seen, name):
            wrong.append(name)
    return wrong


def _told(seen: Recognised) -> str:
    parts = (f"{name} {getattr(seen, name) or 'none'}" for name in ("noun", "colour", "background"))
    return f"{', '.join(parts)}; overlap {seen.score:.3f}"


def _judgement(item: str, score: float, decision: str, told: str) -> dict[str, Any]:
    return {
        "item_id": item,
        "annotator": annotator_name(score),
        "decision": decision,
        "corrected": "{}",
        "comment": told,
        "time": None,
        "seconds": None,
    }
