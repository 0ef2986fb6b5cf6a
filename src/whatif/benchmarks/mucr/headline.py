"""The few numbers of MuCR for `dvc metrics diff`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT
from whatif.benchmarks.mucr.outcomes import Outcomes, change
from whatif.benchmarks.mucr.results import ALL, MEAN, PEOPLE, Results, value_of, with_all
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.results.reporting.precision import percent

_NAMES = {"text": IN_TEXT, "multimodal": IN_IMAGES}


def headline_of(results: Results) -> dict[str, Any]:
    """Model -> strategy -> numbers: `text` and `multimodal` in percent, `gap` in points, and `n`, the pairs.

    `gap` is the drop from text to images, positive where a model loses with images.
    `text`, `multimodal` and `gap` are over the three metrics together; with a metric at the end (`text_c2e`) they are
    of this metric. People are `Human`, and the mean over the seeds of a fine-tuned model is `<model>-tuned`.
    """
    found: dict[str, Any] = {}
    for system in results.answers.systems:
        by_form = {name: with_all(results.metrics(system, way)) for name, way in _NAMES.items()}
        found.setdefault(system[0], {})[system[1]] = _numbers(by_form, results)
    people = {name: with_all(results.by_people(way, SCORES)) for name, way in _NAMES.items()}
    if any(people.values()):
        found[PEOPLE] = {MEAN: _numbers(people, results)}
    for model in dict.fromkeys(model for model, _ in results.tuned):
        tuned = {"multimodal": with_all(results.mean_over_seeds(model))}
        found[f"{model}-tuned"] = {MEAN: _numbers(tuned, results)}
    return found


def _numbers(by_form: Mapping[str, Mapping[str, Outcomes]], results: Results) -> dict[str, float | int]:
    numbers: dict[str, float | int] = {}
    for form, by_metric in by_form.items():
        for metric, outcomes in by_metric.items():
            value = value_of(outcomes)
            if value is not None:
                numbers[_name(form, metric)] = value
    text, images = (by_form.get(name, {}) for name in _NAMES)
    for metric in (*SCORES, ALL):
        if metric in text and metric in images:
            difference = change(images[metric], text[metric], results.settings.confidence)
            if difference is not None:
                numbers[_name("gap", metric)] = percent(difference[0].interval.estimate)
    asked = [outcomes.n for by_metric in by_form.values() for name, outcomes in by_metric.items() if name != ALL]
    return {**numbers, "n": max(asked, default=0)}


def _name(what: str, metric: str) -> str:
    return what if metric == ALL else f"{what}_{metric.lower()}"
