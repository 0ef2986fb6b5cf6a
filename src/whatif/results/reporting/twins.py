"""Accuracy on original questions and on their counterfactual twins, with its uncertainty, by model and group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.results.reporting.precision import Precision, in_percent, p_number, percent
from whatif.results.reporting.table import DROP
from whatif.results.reporting.twin_answers import STATUSES, VARIANTS, Codes, Flags, Places, Rows, TwinAnswers
from whatif.scoring.statistics import Difference, Interval, clustered_share, paired_drop, wilson

ALL = "all"

Metrics = dict[str, Any]

_OK = STATUSES.index("ok")


def twin_metrics(
    predictions: Rows | TwinAnswers,
    questions: Rows,
    settings: Precision,
    models: Iterable[str],
    *,
    images: Mapping[str, str] | None = None,
) -> dict[str, dict[str, Metrics]]:
    """Model -> group (or `all`) -> metrics, ready for JSON; models in the given order, `all` before groups by name.

    A pair counts only if both of its twins have a prediction; `left_out` is the number of the group's questions that
    do not count because a prediction is missing. Metrics of a group:

    - `original`, `counterfactual`: accuracy in percent with its Wilson interval; unanswered questions are wrong;
    - `drop`: original minus counterfactual in points, with Tango's score interval;
    - `mcnemar_p`: exact two-sided p-value of the hypothesis that both variants are equally hard, from the same images
      as the intervals;
    - `legacy`, `vlmevalkit`, `lmms-eval`: by variant, the accuracy of the same responses by the rules of C-VQA's
      published scoring, of VLMEvalKit and of lmms-eval; null where the rules do not cover the kind of answer, as those
      of C-VQA a choice that was named in words;
    - `extracted`: by variant, the share in percent of responses in words from which one answer was extracted, without
      errors; null where there is no response in words;
    - `letters`: by variant, the share in percent of each letter among the answered; `status`: by variant, counts.

    If several pairs share an image, `images` names the image of each pair; intervals and p-values are then by image.

    Predictions may also be given as `TwinAnswers`; then `questions` are not read.

    Raises WhatifError when a prediction has an unknown model or question, or when a model has no complete pair.
    """
    answers = predictions
    if not isinstance(answers, TwinAnswers):
        answers = TwinAnswers(answers, questions, models)
    how = _How(settings.confidence, answers, images)
    return {model: _by_group(place, how) for place, model in enumerate(answers.models)}


@dataclass(frozen=True)
class _How:
    """The settings that all metrics of a run share."""

    confidence: float
    answers: TwinAnswers
    images: Mapping[str, str] | None

    def clusters(self, pairs: Places) -> list[str] | None:
        """The images of these pairs, used for all intervals and tests; None if each pair has its own image."""
        return None if self.images is None else [self.images[pair] for pair in self.answers.pair_ids(pairs)]

    def accuracy(self, right: Flags, clusters: Sequence[str] | None) -> Interval:
        """The share of right answers, one per pair."""
        if clusters is None:
            return wilson(int(right.sum()), len(right), self.confidence)
        return clustered_share(right, clusters, confidence=self.confidence)

    def drop(self, original: Flags, counterfactual: Flags, clusters: Sequence[str] | None) -> Difference:
        """Original minus counterfactual."""
        return paired_drop(original, counterfactual, clusters, confidence=self.confidence)


def _by_group(model: int, how: _How) -> dict[str, Metrics]:
    answers = how.answers
    whole = answers.answered[model].all(axis=1)
    if not whole.any():
        name = answers.models[model]
        raise WhatifError(f"predictions of {name}: no pair has answers to both of its questions; nothing to compare")
    metrics = {ALL: _metrics(model, np.flatnonzero(whole), int(answers.sizes.sum()), how)}
    for place, name in enumerate(answers.groups):
        pairs = np.flatnonzero(whole & (answers.group == place))
        if pairs.size:
            metrics[name] = _metrics(model, pairs, int(answers.sizes[place]), how)
    return metrics


def _metrics(model: int, pairs: Places, questions: int, how: _How) -> Metrics:
    answers = how.answers
    right, said, status, letter = (
        dict(zip(VARIANTS, array[model][pairs].T, strict=True))
        for array in (answers.right, answers.said, answers.status, answers.letter)
    )
    original, counterfactual = (right[variant] for variant in VARIANTS)
    clusters = how.clusters(pairs)
    accuracies = {variant: in_percent("accuracy", how.accuracy(side, clusters)) for variant, side in right.items()}
    drop = how.drop(original, counterfactual, clusters)
    return {
        "pairs": len(pairs),
        "left_out": questions - len(VARIANTS) * len(pairs),
        **accuracies,
        DROP: in_percent("points", drop.interval),
        "mcnemar_p": p_number(drop.p),
        **{measure: _by_rules(array[model][pairs]) for measure, array in answers.by_rules.items()},
        "extracted": {variant: _share(status[variant][side] == _OK) for variant, side in said.items()},
        "letters": {
            variant: _letters(letter[variant][side == _OK], answers.letters) for variant, side in status.items()
        },
        "status": {
            variant: {name: int(np.count_nonzero(side == place)) for place, name in enumerate(STATUSES)}
            for variant, side in status.items()
        },
    }


def _by_rules(right: Codes) -> dict[str, float | None]:
    """The accuracy in percent by variant, of pairs x variants; None where the rules do not apply."""
    sides = zip(VARIANTS, right.T, strict=True)
    return {variant: None if (side < 0).any() else _share(side > 0) for variant, side in sides}


def _share(found: Flags) -> float | None:
    """A share in percent; None if the total is 0."""
    return percent(int(found.sum()) / len(found)) if len(found) else None


def _letters(chosen: Codes, letters: str) -> dict[str, float]:
    """The share of each of `letters` among the answered, in percent; empty if nothing was answered."""
    total = len(chosen)
    return (
        {letter: percent(int((chosen == place).sum()) / total) for place, letter in enumerate(letters)} if total else {}
    )
