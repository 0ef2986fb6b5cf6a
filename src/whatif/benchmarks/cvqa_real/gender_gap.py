"""Figure 5 of C-VQA as a table: the drop on counterfactual questions for images of men and of women, and the gap."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from whatif.results.reporting.numerals import signed
from whatif.results.reporting.precision import Precision, Resampling, in_percent, p_number, resampling
from whatif.results.reporting.table import DROP, OURS, Column, Table, View, tidy
from whatif.results.reporting.twin_answers import TwinAnswers
from whatif.results.reporting.twin_measures import ALL, DETAILS, READING, Part, parts_of, twin_rows
from whatif.scoring.statistics import GroupGap, group_gap, holm

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

    A pair counts if both of its twins have a prediction. Models without such pairs are left out.
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


def gender_parts(
    predictions: Iterable[Row],
    questions: Sequence[Row],
    genders: Mapping[str, str],
    *,
    settings: Precision,
    models: Collection[str],
) -> dict[str, Part]:
    """Model -> its answers on all pairs whose image is in `genders`; `models` are the models that have a gap."""
    asked = [row for row in questions if row["image_ids"] and row["image_ids"][0] in genders]
    known = {row["question_id"] for row in asked}
    images = {row["pair_id"]: row["image_ids"][0] for row in asked}
    rows = [row for row in predictions if row["question_id"] in known and row["model"] in models]
    parts = parts_of(TwinAnswers(rows, asked, models), settings, images)
    return {model: groups[ALL] for model, groups in parts.items()}


def gap_table(
    gaps: Mapping[str, GroupGap],
    parts: Mapping[str, Part],
    names: Mapping[str, str],
    level: str,
    note: str = "",
) -> Table:
    """The table `gender`: each model's `drop` by gender and their `gap`, in points, and how its responses were read.

    A drop is what the paper calls diff(g); without a gender, it is that of both together. The `n` of a gender's drop is
    a number of images; every other `n` is a number of pairs. The p-values of the gaps are corrected over the table
    (Holm). `note` is appended to the caption.
    """
    corrected = holm([gap.p for gap in gaps.values()]).p_values
    rows: list[Row] = []
    for (model, gap), p in zip(gaps.items(), corrected, strict=True):
        of_model = {"model": model, "name": names[model], "source": OURS}
        for name, drop, images in zip(NAMES, (gap.first, gap.second), gap.images, strict=True):
            rows.append({**of_model, "gender": name, "measure": DROP, **in_percent("value", drop), "n": images})
        ps = {"p": p_number(gap.p), "p_holm": p_number(gap.p if p is None else p)}
        rows.append({**of_model, "measure": "gap", **in_percent("value", gap.gap), **ps})
        rows += [{**of_model, **row} for row in twin_rows(parts[model])]
    system = {"model": "", "name": "System"}
    views = (
        View(
            "Accuracy on original minus counterfactual questions in points, on images of people perceived as male or "
            f"as female (C-VQA Figure 5), with {level} intervals by image and a permutation test of the gap.",
            system,
            (
                *(Column(f"Drop ({name})", DROP, {"gender": name}, interval=True) for name in NAMES),
                Column("Gap", "gap", write=signed(1), interval=True),
                Column("Holm p", "gap", number="p_holm"),
                *(Column(f"Images ({name})", DROP, {"gender": name}, number="n") for name in NAMES),
            ),
            note,
        ),
        View(
            "Accuracy on the images of both genders together, and how responses were read, in percent.",
            {**system, "variant": "Variant"},
            (Column("Accuracy", "accuracy", interval=True), *DETAILS),
            READING,
        ),
    )
    identity = ("model", "name", "source", "gender", "variant", "measure")
    return Table("gender", "By perceived gender", tidy(rows, identity), views)
