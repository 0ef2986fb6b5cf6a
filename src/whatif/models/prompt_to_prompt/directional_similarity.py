"""Selects candidates by CLIP similarities, above all directional similarity (COCO-Counterfactuals 3.2, B.1.2)."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.engine.artifacts.images import DecodedPictures
from whatif.engine.artifacts.pair_items import SAME_PICTURE
from whatif.models.cosines import cosines, rounded

if TYPE_CHECKING:
    from PIL.Image import Image

Floats: TypeAlias = NDArray[np.float64]
Row: TypeAlias = Mapping[str, Any]
Refusal: TypeAlias = tuple[str, str]  # reason and detail

STOPPED_AFTER = "stopped_after"  # in the provenance of a candidate that was not drawn to its end: its number of steps
STOPPED = "stopped early"
NO_CANDIDATE_LEFT = "no candidate is left"  # prefix of the reason of `lost_pair`
_CANDIDATES_AT_ONCE = 256
_SAME = 1e-9  # a shorter difference of embeddings has no direction


class Embeds(Protocol):
    """Embeds captions and images, each as a vector of length 1 (`whatif.models.local.encoders.Embedder`)."""

    def captions(self, captions: Sequence[str]) -> Floats: ...
    def pictures(self, pictures: Sequence[Image]) -> Floats: ...


@dataclass(frozen=True)
class Thresholds:
    """The minimum cosines of a candidate (COCO-Counterfactuals B.1.2)."""

    caption_image: float  # each caption with its image
    image_image: float  # one image with the other
    directional: float  # the change in captions with the change in images; the paper gives no minimum


@dataclass(frozen=True)
class Similarities:
    """Cosines of n pairs: captions with their images, image with image, change of captions with change of images."""

    caption_image_0: Floats
    caption_image_1: Floats
    image_image: Floats
    directional: Floats


def similarities(captions_0: Floats, captions_1: Floats, images_0: Floats, images_1: Floats) -> Similarities:
    """The similarities of n pairs from their embeddings (n, width), which have length 1.

    `directional` is equation (1) of COCO-Counterfactuals 3.2. It is 0 if both captions or both images have the same
    embedding, because there is no direction.
    """
    told, shown = captions_1 - captions_0, images_1 - images_0
    lengths = np.linalg.norm(told, axis=-1) * np.linalg.norm(shown, axis=-1)
    directional = np.divide(_dot(told, shown), lengths, out=np.zeros(len(told)), where=lengths > _SAME)
    alike = (cosines(captions_0, images_0), cosines(captions_1, images_1), cosines(images_0, images_1))
    return Similarities(*alike, rounded(directional))


def measured(candidates: Iterable[Row], pictures: DecodedPictures, clip: Embeds) -> Iterator[dict[str, Any]]:
    """Rows of `pairs` with the similarities by CLIP, in the same order."""
    waiting = iter(candidates)
    while rows := list(itertools.islice(waiting, _CANDIDATES_AT_ONCE)):
        # The candidates of a pair have the same captions: each caption is embedded once.
        texts = sorted({row[f"caption_{side}"] for row in rows for side in (0, 1)})
        told = dict(zip(texts, clip.captions(texts), strict=True))
        captions = [np.stack([told[row[f"caption_{side}"]] for row in rows]) for side in (0, 1)]
        images = [clip.pictures([pictures.get(row[f"image_id_{side}"]) for row in rows]) for side in (0, 1)]
        found = similarities(*captions, *images)
        for place, row in enumerate(rows):
            yield {**row, **{name: float(values[place]) for name, values in vars(found).items()}}


def best_candidates(
    candidates: Iterable[Row], least: Thresholds, refused_too: Callable[[Row], Refusal | None] = lambda row: None
) -> Iterator[tuple[str, Row | None, list[dict[str, Any]]]]:
    """For each pair its id, its best candidate or None, and the rejections of the others, in order of pairs.

    The best candidate has the highest directional similarity (the first in case of a tie) among those that neither
    `refusal` nor `refused_too`, which is called for the rest, rejects. Remaining candidates that are not the best are
    rejected as "another candidate was better".
    """
    for pair_id, group in itertools.groupby(candidates, key=lambda row: str(row["pair_id"])):
        rows = list(group)
        refused = {row["candidate"]: refusal(row, least) or refused_too(row) for row in rows}
        left = [row for row in rows if refused[row["candidate"]] is None]
        best = max(left, key=lambda row: row["directional"], default=None)
        rejections = []
        for row in rows:
            if row is best:
                continue
            reason, detail = refused[row["candidate"]] or _not_the_best(row, best)
            rejections.append({"item_id": candidate_name(row), "reason": reason, "detail": detail})
        yield pair_id, best, rejections


def candidate_name(row: Row) -> str:
    """The name of a candidate in rejected items."""
    return f"{row['pair_id']}-{row['candidate']:04d}"


def lost_pair(pair_id: str, rejections: Iterable[Row]) -> dict[str, Any]:
    """The rejection of a pair that has no candidate left, with the most frequent reason of its candidates in brackets.

    Its detail counts the reasons of all candidates.
    """
    counted = sorted(Counter(str(row["reason"]) for row in rejections).items())
    most = max(counted, key=lambda found: found[1])[0]
    detail = "; ".join(f"{reason}: {number}" for reason, number in counted)
    return {"item_id": pair_id, "reason": f"{NO_CANDIDATE_LEFT} ({most})", "detail": detail}


def is_lost_pair(row: Row) -> bool:
    """Whether this rejection is of a pair without candidates, rather than of a candidate."""
    return str(row["reason"]).startswith(NO_CANDIDATE_LEFT)


def refusal(row: Row, least: Thresholds) -> Refusal | None:
    """The reason and detail why a measured candidate is rejected; None if it can be kept.

    The first of these that applies: the candidate was not drawn to its end; both images are the same image; an image is
    unlike its caption (the detail names the side); the images are unlike each other; the images do not change as the
    captions do. Encoding is deterministic, so the same pixels have the same id.
    """
    provenance = str(row.get("provenance", ""))
    if f'"{STOPPED_AFTER}"' in provenance and (steps := json.loads(provenance).get(STOPPED_AFTER)) is not None:
        names = ("caption_image_0", "caption_image_1", "image_image", "directional")
        found = ", ".join(f"{name} {row[name]:.3f}" for name in names)
        return STOPPED, f"after {steps} steps its predicted pictures had {found}"
    if row["image_id_0"] == row["image_id_1"]:
        return SAME_PICTURE, "both pictures have the same pixels"
    for side in (0, 1):
        value = row[f"caption_image_{side}"]
        if not value >= least.caption_image:
            return "picture unlike its caption", f"similarity {value:.3f} of side {side} is below {least.caption_image}"
    if not row["image_image"] >= least.image_image:
        return "pictures unlike each other", f"similarity {row['image_image']:.3f} is below {least.image_image}"
    if not row["directional"] >= least.directional:
        detail = f"directional similarity {row['directional']:.3f} is below {least.directional}"
        return "pictures change unlike their captions", detail
    return None


def _not_the_best(row: Row, best: Row | None) -> tuple[str, str]:
    if best is None:
        raise ValueError(f"{row['pair_id']}: a candidate is left, and none is the best")
    said = f"directional similarity {row['directional']:.3f}; candidate {best['candidate']} has"
    return "another candidate was better", f"{said} {best['directional']:.3f}"


def _dot(first: Floats, second: Floats) -> Floats:
    product: Floats = (first * second).sum(axis=-1)
    return product
