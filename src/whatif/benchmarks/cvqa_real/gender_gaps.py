"""Figure 5 of C-VQA: the drop on counterfactual questions for images of men and of women, and the gap."""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np

from whatif.results.reporting.pair_measures import Part
from whatif.results.reporting.precision import Precision, Resampling, resampling
from whatif.results.reporting.question_pairs import VARIANTS, QuestionPairAnswers
from whatif.scoring.statistics import GroupGap, group_gap

NAMES = ("male", "female")


def gender_parts(
    answers: QuestionPairAnswers,
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
        pairs = shown[answers.asked_whole[place][shown]]
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
