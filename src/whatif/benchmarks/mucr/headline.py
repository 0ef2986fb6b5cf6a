"""The few numbers of MuCR for `dvc metrics diff`, and the points of its plot."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.mucr.asked_items import IN_IMAGES, IN_TEXT
from whatif.benchmarks.mucr.outcomes import Outcomes, change
from whatif.benchmarks.mucr.results import ALL, PEOPLE, SCORE, Results, value_of, with_all
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT
from whatif.benchmarks.mucr.tuning_table import MEAN, mean_over_seeds
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import OURS, Table

if TYPE_CHECKING:
    import pandas as pd

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
        tuned = {"multimodal": with_all(mean_over_seeds(results, model))}
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


def points_of(main: Table) -> pd.DataFrame:
    """The points of `dvc plots`, reported ones first: mean score in text and in images, in percent.

    Columns: model, name, source, text, images. A system without one of the six scores has no point.
    """
    import pandas as pd

    frame = main.frame
    cells: dict[tuple[str, str, str], dict[tuple[str, str], float]] = {}
    for row in frame[frame["measure"] == SCORE].to_dict("records"):
        place = (row["model"] or row["name"], row["name"], row["source"])
        cells.setdefault(place, {})[row["form"], row["metric"]] = row["value"]
    points = [
        (*place, *(round(fmean(scores[form, metric] for metric in SCORES), 4) for form in (TEXT, MAIN_FORM)))
        for place, scores in cells.items()
        if len(scores) == 2 * len(SCORES)
    ]
    points.sort(key=lambda point: point[2] == OURS)
    return pd.DataFrame(points, columns=["model", "name", "source", "text", "images"])
