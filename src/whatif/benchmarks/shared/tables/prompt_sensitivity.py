"""Accuracy and drop of the models that are evaluated with several prompts, and how far they move with the wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from whatif.benchmarks.shared.results import Results
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.language.options import LETTERS
from whatif.engine.language.prompts import is_text
from whatif.engine.params.several_prompts import labels
from whatif.results.reporting.answers import COLUMNS, Answers, Codes, codes_of
from whatif.results.reporting.declared import Made
from whatif.results.reporting.prompt_sensitivity import PromptedAnswers, prompt_sensitivity
from whatif.results.reporting.repeats import AskedQuestions
from whatif.results.reporting.table import OURS, Table
from whatif.scoring.ranking_rules import STORED


@dataclass(frozen=True)
class _Prompted:
    """A model with several prompts: its key in `params.yaml`, the prompts by name, and the keys of their entries."""

    key: str
    prompts: Mapping[str, str]

    @property
    def entries(self) -> list[str]:
        return [f"{self.key}-{name}" for name in self.prompts]

    def name(self, names: Mapping[str, str]) -> str:
        """The display name that the entries share, given those of all entries."""
        return names[self.entries[0]].replace(f" ({next(iter(self.prompts))})", "", 1)


@dataclass(frozen=True, eq=False)
class _Asked:
    """The questions: their ids, and the index of the correct letter of each."""

    ids: pa.Array
    correct: Codes

    @classmethod
    def of(cls, questions: Sequence[Mapping[str, Any]]) -> _Asked:
        ids, answers = ([str(row[name]) for row in questions] for name in ("question_id", "answer"))
        correct = codes_of(pa.chunked_array([pa.array(answers, pa.string())]), LETTERS)
        return cls(pa.array(ids, pa.string()), correct.astype("int8"))


def _prompt_sensitivity(found: Results) -> Table | None:
    """The table; None if no model has several prompts. Options are ranked by the rule of the other tables.

    Raises WhatifError as `Answers`.
    """
    files = found.task.paths_by(found.dimension, "predictions")
    models = _prompted(found.task.shown_models(found.dimension))
    if not models:
        return None
    paths = [path for model in models for key in model.entries for path in files[key]]
    pieces = list(artifacts.batches(paths, PREDICTIONS, COLUMNS))
    strategies = sorted({one for piece in pieces for one in pc.unique(piece["strategy"]).to_pylist()})
    systems = [(key, strategy) for model in models for strategy in strategies for key in model.entries]
    answers = Answers(pieces, _Asked.of(found.questions), systems)
    answers.rank_by(getattr(found, "rule", STORED))
    shown, first = [], 0
    for model in models:
        for strategy in strategies:
            of = slice(first, first := first + len(model.prompts))
            named = strategy if len(strategies) > 1 else ""
            place = {"model": model.key, "name": model.name(found.names), "source": OURS, "strategy": named}
            whole = np.asarray(answers.asked[of].all(axis=0), dtype=np.bool_)
            shown.append(PromptedAnswers(place, list(model.prompts), whole, answers.right[of]))
    asked = AskedQuestions.of(found.questions, found.clusters, found.first_variant)
    confidence, unit = found.settings.confidence, found.cluster_unit
    return prompt_sensitivity(shown, asked, confidence, found.title, unit=unit, note=_texts(models, found.names))


def _prompted(shown: Mapping[str, Mapping[str, Any]]) -> list[_Prompted]:
    """The models with several prompts, in the order of their keys, from the fields of all models that a step shows."""
    found: dict[str, _Prompted] = {}
    for key, fields in shown.items():
        if prompts := fields.get("prompts"):
            names = labels(prompts)
            base = key.removesuffix(f"-{names[prompts.index(fields['prompt'])]}")
            found[base] = _Prompted(base, dict(zip(names, prompts, strict=True)))
    return [found[base] for base in sorted(found)]


def _texts(models: Sequence[_Prompted], names: Mapping[str, str]) -> str:
    """The prompts that are texts, with their names; where several models have some, with the name of the model."""
    with_texts = [(model, name, text) for model in models for name, text in model.prompts.items() if is_text(text)]
    several = len({model.key for model, _, _ in with_texts}) > 1
    shown = (f"{f'{model.name(names)}, ' if several else ''}{name}: {text!r}." for model, name, text in with_texts)
    return " ".join(shown)


TABLE: Made[Results] = Made(61, _prompt_sensitivity)
