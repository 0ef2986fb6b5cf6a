"""Accuracy on original questions and on their counterfactual twins, with its uncertainty, by model and group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from whatif.errors import WhatifError
from whatif.scoring.legacy_extraction import legacy_correct
from whatif.statistics import Interval, cluster_bootstrap, drop, mcnemar_exact, paired_difference, wilson
from whatif.text.options import LETTERS

VARIANTS = ("original", "counterfactual")
STATUSES = ("ok", "ambiguous", "none", "error")
ALL = "all"

Row = Mapping[str, Any]
Metrics = dict[str, Any]


class Precision(Protocol):
    """How intervals are made; part of every benchmark's `aggregate` settings."""

    @property
    def confidence(self) -> float: ...
    @property
    def resamples(self) -> int: ...


class Outcome(NamedTuple):
    """What is kept of a prediction."""

    letter: str | None
    status: str
    correct: bool
    legacy: bool | None  # right by the published rules; None where they have none
    said: bool  # in words, from which an answer was to be extracted


@dataclass
class _Group:
    """The questions of a group, and a model's outcomes on them by pair and variant."""

    questions: int
    pairs: dict[str, dict[str, Outcome]]


def twin_metrics(
    predictions: Iterable[Row],
    questions: Iterable[Row],
    settings: Precision,
    seed: int,
    models: Iterable[str],
    *,
    images: Mapping[str, str] | None = None,
) -> dict[str, dict[str, Metrics]]:
    """Model -> group (or `all`) -> metrics, ready for JSON; models in the order given, groups by name after `all`.

    A pair counts only when both of its twins have a prediction; `left_out` is the number of the group's questions
    that do not count for want of one. Metrics of a group:

    - `original`, `counterfactual`: accuracy in percent with its Wilson interval; what was not answered is wrong;
    - `difference`: counterfactual minus original in points, with the interval of a bootstrap over pairs;
    - `mcnemar_p`: exact, two-sided, of the two variants being equally hard;
    - `legacy`: by variant, the accuracy of the same responses by the rules of the authors' published scoring; null
      where a choice was named in words, which those do not know;
    - `extracted`: by variant, the share in percent of responses in words from which one answer was extracted, errors
      left out; null where nothing was said in words;
    - `letters`: by variant, the share in percent of each letter among the answered; `status`: by variant, counts.

    Where several pairs share an image, `images` names that of each pair: accuracies and differences then have the
    intervals of a bootstrap over images.

    Raises WhatifError when a prediction is of an unknown model or question, or when a model has no whole pair.
    """
    known: dict[str, Row] = {}
    letters = ""
    for row in questions:
        known[row["question_id"]] = row
        letters = max(letters, LETTERS[: len(row["choices"] or ())], key=len)
    sizes = Counter(row["group"] for row in known.values())
    outcomes: dict[str, dict[str, _Group]] = {
        model: {group: _Group(sizes[group], {}) for group in sorted(sizes)} for model in models
    }
    for row in predictions:
        if row["model"] not in outcomes:
            raise WhatifError(f"predictions: model {row['model']!r} is not in params.yaml ({', '.join(outcomes)})")
        if row["question_id"] not in known:
            raise WhatifError(f"predictions of {row['model']}: question {row['question_id']!r} is not in the questions")
        question = known[row["question_id"]]
        variant = question["variant"]
        twins = outcomes[row["model"]][question["group"]].pairs.setdefault(question["pair_id"], {})
        if variant in twins:
            raise WhatifError(f"predictions of {row['model']}: question {row['question_id']!r} is answered twice")
        twins[variant] = _outcome(row, question)
    how = _How(settings, seed, letters, images)
    return {model: _by_group(model, groups, how) for model, groups in outcomes.items()}


def _outcome(prediction: Row, question: Row) -> Outcome:
    said = prediction["response"] is not None and prediction["choice_scores"] is None
    return Outcome(
        prediction["answer"],
        prediction["status"],
        prediction["correct"],
        legacy_correct(prediction, question),
        said and prediction["status"] != "error",
    )


def percent(fraction: float) -> float:
    """A fraction in percent, rounded to the 4 decimals that metrics keep."""
    return round(100 * fraction, 4)


@dataclass(frozen=True)
class _How:
    """What all metrics of a run have in common."""

    settings: Precision
    seed: int
    letters: str
    images: Mapping[str, str] | None

    def accuracy(self, right: Sequence[bool], pairs: Sequence[str]) -> Interval:
        """Share of right answers, one a pair."""
        if self.images is None:
            return wilson(sum(right), len(right), self.settings.confidence)
        clusters = [self.images[pair] for pair in pairs]
        return cluster_bootstrap(right, clusters, **self._bootstrap())

    def difference(self, original: Sequence[bool], counterfactual: Sequence[bool], pairs: Sequence[str]) -> Interval:
        """Counterfactual minus original."""
        if self.images is None:
            settings = self.settings
            return paired_difference(original, counterfactual, settings.confidence, settings.resamples, self.seed)
        clusters = [self.images[pair] for pair in pairs]
        return drop(original, counterfactual, clusters, **self._bootstrap()).absolute

    def _bootstrap(self) -> dict[str, Any]:
        return {"confidence": self.settings.confidence, "resamples": self.settings.resamples, "seed": self.seed}


def _by_group(model: str, groups: Mapping[str, _Group], how: _How) -> dict[str, Metrics]:
    whole = {
        name: {pair: twins for pair, twins in sorted(group.pairs.items()) if len(twins) == len(VARIANTS)}
        for name, group in groups.items()
    }
    everything = {pair: twins for pairs in whole.values() for pair, twins in pairs.items()}
    if not everything:
        raise WhatifError(f"predictions of {model}: no pair has answers to both of its questions; nothing to compare")
    total = sum(group.questions for group in groups.values())
    metrics = {ALL: _metrics(everything, total, how)}
    for name, pairs in whole.items():
        if pairs:
            metrics[name] = _metrics(pairs, groups[name].questions, how)
    return metrics


def _metrics(pairs: Mapping[str, Mapping[str, Outcome]], questions: int, how: _How) -> Metrics:
    sides = {variant: [twins[variant] for twins in pairs.values()] for variant in VARIANTS}
    right = {variant: [outcome.correct for outcome in side] for variant, side in sides.items()}
    original, counterfactual = (right[variant] for variant in VARIANTS)
    accuracies = {variant: _in_percent("accuracy", how.accuracy(side, list(pairs))) for variant, side in right.items()}
    return {
        "pairs": len(pairs),
        "left_out": questions - len(VARIANTS) * len(pairs),
        **accuracies,
        "difference": _in_percent("points", how.difference(original, counterfactual, list(pairs))),
        "mcnemar_p": float(f"{mcnemar_exact(original, counterfactual):.4g}"),
        "legacy": {variant: _legacy(side) for variant, side in sides.items()},
        "extracted": {variant: _extracted(side) for variant, side in sides.items()},
        "letters": {variant: _letters(side, how.letters) for variant, side in sides.items()},
        "status": {variant: _status(side) for variant, side in sides.items()},
    }


def _in_percent(name: str, interval: Interval) -> dict[str, float]:
    return {name: percent(interval.estimate), "low": percent(interval.low), "high": percent(interval.high)}


def _legacy(side: Sequence[Outcome]) -> float | None:
    right = [outcome.legacy for outcome in side if outcome.legacy is not None]
    return percent(sum(right) / len(right)) if len(right) == len(side) else None


def _extracted(side: Sequence[Outcome]) -> float | None:
    found = [outcome.status == "ok" for outcome in side if outcome.said]
    return percent(sum(found) / len(found)) if found else None


def _letters(side: Sequence[Outcome], letters: str) -> dict[str, float]:
    """Share of each of `letters` among the answered, in percent; empty when nothing was answered."""
    counts = Counter(outcome.letter for outcome in side if outcome.status == "ok")
    return {letter: percent(counts[letter] / counts.total()) for letter in letters} if counts else {}


def _status(side: Sequence[Outcome]) -> dict[str, int]:
    counts = Counter(outcome.status for outcome in side)
    return {status: counts[status] for status in STATUSES}
