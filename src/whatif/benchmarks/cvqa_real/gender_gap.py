"""Figure 5 of C-VQA as a table: the drop on counterfactual questions for images of men and of women, and the gap."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from whatif.results.reporting.numerals import signed
from whatif.results.reporting.precision import Precision, Resampling, in_percent, p_number, resampling
from whatif.results.reporting.table import DROP, OURS, Column, Table, View, tidy
from whatif.results.reporting.twin_answers import VARIANTS, TwinAnswers
from whatif.results.reporting.twin_measures import DETAILS, READING, Part, twin_rows
from whatif.scoring.statistics import GroupGap, group_gap, holm

Row = Mapping[str, Any]
NAMES = ("male", "female")


def gender_parts(
    answers: TwinAnswers,
    images: Mapping[str, str],
    genders: Mapping[str, str],
    settings: Precision,
    models: Container[str],
) -> dict[str, Part]:
    """Model -> its answers to all pairs whose image is in `genders`, in the order of their ids.

    `images` names the image of each pair. Models without such pairs are left out.
    """
    asked = answers.questions
    ids = asked.pair_ids()
    shown = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    shown = shown[[images[ids[pair]] in genders for pair in shown]]
    found = {}
    for place, model in enumerate(answers.models):
        pairs = shown[answers.asked[place][shown].all(axis=1)]
        if model in models and pairs.size:
            questions = int(np.isin(asked.slots // len(VARIANTS), shown).sum())
            found[model] = Part(answers, place, pairs, questions, settings, images)
    return found


def gender_gaps(
    parts: Mapping[str, Part], genders: Mapping[str, str], settings: Resampling, seed: int
) -> dict[str, GroupGap]:
    """Model -> its gap, over its answers to pairs whose image is in `genders` (image_id -> `male` or `female`)."""
    gaps = {}
    for model, part in parts.items():
        images = part.clusters or []
        original, counterfactual = (side.tolist() for side in part.of(part.answers.right).T)
        of_images = [genders[image] for image in images]
        gaps[model] = group_gap(original, counterfactual, images, of_images, names=NAMES, **resampling(settings, seed))
    return gaps


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
