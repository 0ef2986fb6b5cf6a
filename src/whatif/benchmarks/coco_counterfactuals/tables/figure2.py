"""Figure 2 of COCO-Counterfactuals in numbers: CLIP similarities of pairs with and without Prompt-to-Prompt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.coco_counterfactuals.report import PairResults
from whatif.people.items import Row, pairs_by_id
from whatif.results.reporting.declared import Made
from whatif.results.reporting.numerals import count, decimal, signed
from whatif.results.reporting.precision import Precision
from whatif.results.reporting.table import OURS, Column, Table, View, tidy
from whatif.scoring.statistics import Interval, mean_interval

# Column of `pairs` -> what it is the similarity of.
SIMILARITIES = {
    "image_image": "both images",
    "caption_image_0": "original caption and image",
    "caption_image_1": "counterfactual caption and image",
    "directional": "change of captions and change of images",
}
WITH, WITHOUT, DIFFERENCE = "with", "without", "difference"


def sharing_table(
    pairs: Iterable[Row], unshared: Sequence[Row], photographs: Mapping[str, str], settings: Precision
) -> Table:
    """The table `figure2`: the mean similarities of the pairs of `unshared`, with and without sharing.

    `pairs` are the rows of the same pairs with sharing, among others. For each similarity by CLIP there are the mean
    `with` Prompt-to-Prompt, the mean `without`, and the mean of the paired `difference` (with minus without), each of
    `n` pairs with a t interval by photograph. The table has the number of `pairs` alone if none was drawn twice, and no
    intervals if all are of one photograph.
    """
    by_id = pairs_by_id(pairs)
    clusters = [photographs.get(row["pair_id"], row["pair_id"]) for row in unshared]
    rows: list[dict[str, Any]] = [{"measure": "pairs", "value": len(unshared)}]
    for name, of in SIMILARITIES.items():
        shared = [by_id[row["pair_id"]][name] for row in unshared]
        alone = [row[name] for row in unshared]
        both = [one - other for one, other in zip(shared, alone, strict=True)]
        for measure, values in ((WITH, shared), (WITHOUT, alone), (DIFFERENCE, both)):
            if values:
                interval = mean_interval(values, clusters, confidence=settings.confidence)
                rows.append({"of": of, "measure": measure, **_numbers(interval), "n": len(values)})
    frame = tidy([{"source": OURS, **row} for row in rows], ("of", "source", "measure"), ("value", "low", "high", "n"))
    level = f"{100 * settings.confidence:g}%"
    view = View(
        f"Mean similarities by CLIP, with {level} intervals by photograph (COCO-Counterfactuals Figure 2).",
        {"of": "Similarity of"},
        (
            Column("With", WITH, write=decimal(3), interval=True),
            Column("Without", WITHOUT, write=decimal(3), interval=True),
            Column("Difference", DIFFERENCE, write=signed(3), interval=True),
            Column("Pairs", DIFFERENCE, number="n"),
        ),
        "The same captions, noise and guidance, with and without shared attention. The pairs are a sample of those "
        "that the filter kept. It chose them by these similarities with sharing, so the numbers are not those of all "
        "candidates. The paper shows images and reports no numbers.",
    )
    drawn = View("Pairs that were drawn in both ways.", {"source": "From"}, (Column("Pairs", "pairs", write=count),))
    return Table("figure2", "Figure 2: with and without Prompt-to-Prompt", frame, (view, drawn))


def _numbers(interval: Interval) -> dict[str, float]:
    ends = {"low": interval.low, "high": interval.high}
    return {"value": round(interval.estimate, 6)} | {
        name: round(end, 6) for name, end in ends.items() if math.isfinite(end)
    }


TABLE: Made[PairResults] = Made(
    98, lambda found: sharing_table(found.pairs, found.drawn_alone, found.photographs, found.settings)
)
