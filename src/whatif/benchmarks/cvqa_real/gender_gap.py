"""Figure 5 of C-VQA as a table: what a counterfactual costs on images of men and of women, and the gap between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from whatif.reporting.formats import DisplayTable
from whatif.reporting.precision import Precision, Resampling, p_text, percent, resampling
from whatif.reporting.twin_cells import READING, reading_cells, reading_header, signed
from whatif.reporting.twins import ALL, VARIANTS, Metrics, twin_metrics
from whatif.statistics import GroupGap, Interval, group_gap, holm

Row = Mapping[str, Any]
NAMES = ("male", "female")


def gender_gaps(
    predictions: Iterable[Row],
    questions: Sequence[Row],
    genders: Mapping[str, str],
    *,
    settings: Resampling,
    seed: int,
    models: Iterable[str],
) -> dict[str, GroupGap]:
    """Model -> its gap, over the pairs whose image is in `genders` (image_id -> `male` or `female`).

    A pair counts when both of its twins have a prediction. Models without such pairs are left out.
    """
    asked = {row["question_id"]: row for row in questions if row["image_ids"] and row["image_ids"][0] in genders}
    right: dict[str, dict[str, dict[str, bool]]] = {model: {} for model in models}
    for row in predictions:
        if row["question_id"] in asked and row["model"] in right:
            question = asked[row["question_id"]]
            right[row["model"]].setdefault(question["pair_id"], {})[question["variant"]] = row["correct"]
    image_of = {row["pair_id"]: row["image_ids"][0] for row in asked.values()}
    gaps = {}
    for model, pairs in right.items():
        whole = {pair: twins for pair, twins in sorted(pairs.items()) if len(twins) == 2}
        if whole:
            images = [image_of[pair] for pair in whole]
            gaps[model] = group_gap(
                [twins["original"] for twins in whole.values()],
                [twins["counterfactual"] for twins in whole.values()],
                images,
                [genders[image] for image in images],
                names=NAMES,
                **resampling(settings, seed),
            )
    return gaps


def gender_metrics(
    predictions: Iterable[Row],
    questions: Sequence[Row],
    genders: Mapping[str, str],
    *,
    settings: Precision,
    models: Collection[str],
) -> dict[str, Metrics]:
    """Model -> its `twin_metrics` on all pairs whose image is in `genders`; `models` are those that have a gap."""
    asked = [row for row in questions if row["image_ids"] and row["image_ids"][0] in genders]
    known = {row["question_id"] for row in asked}
    images = {row["pair_id"]: row["image_ids"][0] for row in asked}
    rows = [row for row in predictions if row["question_id"] in known and row["model"] in models]
    made = twin_metrics(rows, asked, settings, models, images=images)
    return {model: groups[ALL] for model, groups in made.items()}


def gap_table(
    gaps: Mapping[str, GroupGap], metrics: Mapping[str, Metrics], names: Mapping[str, str], level: str
) -> DisplayTable:
    """One row a model, with its gap and how its responses were read; p values are corrected over the table (Holm)."""
    corrected = holm([gap.p for gap in gaps.values()]).p_values
    rows = tuple(
        (
            names[model],
            f"{gap.images[0]} and {gap.images[1]}",
            *_cells(gap.first),
            *_cells(gap.second),
            *_cells(gap.gap),
            p_text(gap.p if p is None else p),
            *(f"{metrics[model][variant]['accuracy']:.1f}" for variant in VARIANTS),
            *reading_cells(metrics[model]),
        )
        for (model, gap), p in zip(gaps.items(), corrected, strict=True)
    )
    gap = ("diff(male)", level, "diff(female)", level, "Gap", level, "Holm p")
    header = ("System", "Images", *gap, "Original", "Counterfactual", *reading_header())
    caption = (
        "Accuracy on original minus counterfactual questions in points, on images of people perceived as male or as "
        "female (C-VQA Figure 5), with intervals by image and a permutation test of the gap; accuracies "
        f"are of both together. {READING}"
    )
    return DisplayTable(caption, header, rows, text_columns=2)


def _cells(interval: Interval) -> tuple[str, str]:
    low, high = (signed(percent(end)) for end in (interval.low, interval.high))
    return signed(percent(interval.estimate)), f"{low} to {high}"
