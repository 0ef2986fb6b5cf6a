"""The accuracy of models on the questions as they are asked, and changed by probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.benchmarks.shared.results import Results
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS, PROBED
from whatif.engine.artifacts.schemas import Table as Kind
from whatif.engine.params.probes import PROBES, SHUFFLED
from whatif.results.reporting.declared import Made
from whatif.results.reporting.probes import Given, given, measures, probes
from whatif.results.reporting.table import OURS, Table
from whatif.scoring.probes import probed
from whatif.scoring.ranking_rules import STORED

_COLUMNS = ["question_id", "strategy", "answer", "correct"]
Row = Mapping[str, Any]
Questions = Mapping[str, Row]


def _probes(found: Results) -> Table | None:
    """The table; None if no model is probed."""
    asked = found.task.inputs["probed"].wildcards
    if not asked:
        return None
    ordinary = found.task.paths_by(found.dimension, "predictions")
    known = [probe for probe in PROBES if any(one["probe"] == probe for one in asked)]
    changed = {probe: found.task.paths_by(found.dimension, "probed", probe=probe) for probe in known}
    questions = {str(row["question_id"]): row for row in found.questions}
    shuffled = {str(row["question_id"]): row for row in probed(SHUFFLED, found.questions, found.task.seed)}
    several = len({one.get("strategy") for one in asked}) > 1
    about: dict[str, Any] = {
        "questions": questions,
        "clusters": found.clusters,
        "confidence": found.settings.confidence,
    }
    rows: list[Row] = []
    for model, name in found.names.items():
        before = _answers(ordinary.get(model, ()), PREDICTIONS, questions)
        for probe in (one for one in known if model in changed[one]):
            after = _answers(changed[probe][model], PROBED, shuffled if probe == SHUFFLED else questions)
            for strategy, answers in before.items():
                place = {"model": model, "name": name, "source": OURS, "strategy": strategy if several else ""}
                of_strategy = measures(probe, answers, after.get(strategy, {}), **about)
                rows += [{**place, **row} for row in of_strategy]
    missing = {name: [one for one in known if model not in changed[one]] for model, name in found.names.items()}
    note = _note(found, {name: "all probes" if of == known else ", ".join(of) for name, of in missing.items() if of})
    return probes(rows, found.title, f"{found.level} intervals by {found.cluster_unit}", note)


def _answers(paths: Sequence[Path], kind: Kind, questions: Questions) -> dict[str, dict[str, Given]]:
    """The answers of a model in some artifacts, by strategy and question; options have the texts in `questions`."""
    answers: dict[str, dict[str, Given]] = {}
    for row in artifacts.rows_of(paths, kind, _COLUMNS):
        name = row["question_id"]
        answers.setdefault(row["strategy"], {})[name] = given(questions[name], row["answer"], right=row["correct"])
    return answers


def _note(found: Results, not_asked: Mapping[str, str]) -> str:
    """What a reader has to know: which models were not asked some probes, and how ranked options are compared."""
    sentences = []
    if not_asked:
        named = "; ".join(f"{name} ({of})" for name, of in not_asked.items())
        sentences.append(
            f"Not asked: {named}. A file has answers to the ordinary questions alone; BLIP and models that answer by "
            "programs need an image."
        )
    if getattr(found, "rule", STORED) != STORED:
        sentences.append("In this table, ranked options are compared by the mean.")
    return " ".join(sentences)


TABLE: Made[Results] = Made(61, _probes)
