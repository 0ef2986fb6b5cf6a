"""The table `paired` of pairs of captions and images: a matcher's choices in each pair (COCO-Counterfactuals 4.2.2).

A pair has two questions of each kind. Kind `caption`: which of both captions fits the original image, and which fits
the counterfactual image. Kind `image`: which of both images fits the original caption, and which fits the
counterfactual one. The share of pairs with both right is the text score of Winoground for captions, its image score for
images, and its group score for all four choices (Thrush et al., "Winoground: Probing vision and language models for
visio-linguistic compositionality", CVPR 2022).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.results.reporting.answers import Places
from whatif.results.reporting.paired import PairedSystem, PairedText, paired
from whatif.results.reporting.paired_answers import ALL, PairOutcomes
from whatif.results.reporting.table import Table
from whatif.scoring.match import SCORES

CAPTION, IMAGE = "caption", "image"  # the groups: what is chosen
Row = Mapping[str, Any]
_ABOUT = (
    "Chosen is a caption for each of both images, or an image for each of both captions; in rows over all pairs, a "
    "side is right if both of its choices are. Pair accuracy is the text, image or group score of Winoground. A tie, "
    "or a pair that could not be scored, is no answer. Of two, a wrong choice is always that of the other side, so "
    "there is no share of ignored presuppositions."
)
_OF_TWO = 1 / 2  # the chance of a choice by random scores
_OF_BOTH = 1 / 3  # and of two choices at once: of three random scores, the right one is the largest


def matched_pairs(
    matches: Iterable[Row],
    *,
    names: Mapping[str, str],
    confidence: float,
    title: str,
    photographs: Mapping[str, str] | None = None,
) -> Table:
    """The table `paired` of each matcher in `names` (key -> display name), from rows of `matches`.

    `photographs` maps pair ids to photographs, where there is one; intervals are then by photograph.
    """
    rows: dict[str, list[Row]] = {key: [] for key in names}
    for row in matches:
        rows[row["model"]].append(row)
    systems = (PairedSystem(key, names[key], choices(of_model, photographs)) for key, of_model in rows.items())
    unit = "pair" if photographs is None else "photograph"
    level = f"{100 * confidence:g}%"
    text = PairedText(title, level, unit, "Chosen", few_groups=True, ignored=False, about=_ABOUT)
    return paired(systems, confidence, text)


def choices(matches: Sequence[Row], photographs: Mapping[str, str] | None = None) -> dict[str, PairOutcomes]:
    """What the choices of one matcher say about each pair, by what is chosen, and for all four; empty without pairs."""
    if not matches:
        return {}
    scores = np.array([[np.nan if row[name] is None else row[name] for name in SCORES] for row in matches], dtype=float)
    scores = scores.reshape(-1, 2, 2)  # pairs x captions x images
    scored = np.array([row["status"] == "ok" for row in matches])
    clusters: Places | None = None
    if photographs is not None:
        of_pair = [photographs.get(row["pair_id"], row["pair_id"]) for row in matches]
        clusters = np.unique(np.array(of_pair), return_inverse=True)[1].astype(np.int64)
    # The margin of the right caption (columns of an image), and of the right image (rows of a caption).
    right, other = scores[:, [0, 1], [0, 1]], scores[:, [1, 0], [0, 1]]
    captions = _outcomes(np.where(scored[:, np.newaxis], right - other, 0.0), clusters)
    images = _outcomes(np.where(scored[:, np.newaxis], right - scores[:, [0, 1], [1, 0]], 0.0), clusters)
    none = np.zeros(len(matches), dtype=np.bool_)
    every = PairOutcomes(
        captions.original & images.original,
        captions.counterfactual & images.counterfactual,
        captions.consistent & images.consistent,
        captions.extracted & images.extracted,
        none,
        none,
        None,
        clusters,
        np.full(len(matches), _OF_BOTH),
    )
    return {ALL: every, CAPTION: captions, IMAGE: images}


def _outcomes(margins: npt.NDArray[np.float64], clusters: Places | None) -> PairOutcomes:
    """The outcomes of one kind of choice from its margins (pairs x 2, the original first); 0 is no choice."""
    right, made = margins > 0, margins != 0
    none = np.zeros(len(margins), dtype=np.bool_)
    # Of two, both right or both wrong choices differ from each other.
    consistent = made.all(axis=1) & (right[:, 0] == right[:, 1])
    guessed = np.full(len(margins), _OF_TWO)
    return PairOutcomes(right[:, 0], right[:, 1], consistent, made, none, none, None, clusters, guessed)
