"""Accuracy, pass@k and drop of the models that are asked each question several times, with the noise of decoding."""

from __future__ import annotations

from whatif.benchmarks.shared.results import Results
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.results.reporting.declared import Made
from whatif.results.reporting.repeats import AskedQuestions, repeats
from whatif.results.reporting.sampled_answers import COLUMNS, FIELDS, sampled_answers
from whatif.results.reporting.table import OURS, Table

_SAMPLES = ("decoding.samples", "samples_in_file")  # the fields that a step shows of its models


def _repeats(found: Results) -> Table | None:
    """The table; None if no model has several samples. A model that ranks options, of which none is drawn, has no row.

    Raises WhatifError as `sampled_answers`.
    """
    shown = found.task.shown_models(found.dimension)
    repeated = [key for key, fields in shown.items() if any(fields.get(name, 1) > 1 for name in _SAMPLES)]
    if not repeated:
        return None
    files = found.task.paths_by(found.dimension, "predictions")
    paths = [path for key in repeated for path in files.get(key, ())]
    pieces = artifacts.batches(paths, PREDICTIONS, COLUMNS, parts={"samples": FIELDS})
    sampled = sampled_answers(pieces, found.questions)
    asked = AskedQuestions.of(found.questions, found.clusters, found.first_variant)
    order = sorted(sampled, key=lambda system: (list(found.names).index(system[0]), system[1]))
    several = len({strategy for _, strategy in sampled}) > 1
    places = {
        (model, strategy): {
            "model": model,
            "name": found.names[model],
            "source": OURS,
            "strategy": strategy if several else "",
        }
        for model, strategy in order
    }
    return repeats(sampled, asked, places, found.settings.confidence, found.title, unit=found.cluster_unit)


TABLE: Made[Results] = Made(60, _repeats)
