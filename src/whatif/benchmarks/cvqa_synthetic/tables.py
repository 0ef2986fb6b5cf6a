"""Table 7 of C-VQA: accuracy on C-VQA-Synthetic, ours beside the reported one, by template, and the chosen letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import Precision, percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.ranking_rules import marked, rank_by, ranking_rules
from whatif.results.reporting.table import NUMBERS, OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.results.reporting.twin_answers import STATUSES, VARIANTS, Rows, TwinAnswers
from whatif.results.reporting.twin_rows import (
    ACCURACIES,
    CHOICES,
    DETAILS,
    DROPPED,
    MCNEMAR,
    PAIRS,
    READING,
    twin_rows,
)
from whatif.results.reporting.twins import ALL, Metrics, twin_metrics
from whatif.scoring.ranking_rules import STORED

_NUMBERS = tuple(name for name in NUMBERS if name != "p_holm")
_SYSTEM = {"model": "", "name": "Model"}
_FROM = {"source": "From"}
_IDENTITY = ("model", "name", "source", "variant", "measure")
Row = dict[str, Any]
TITLE = "C-VQA-Synthetic"


@dataclass(frozen=True)
class Wording:
    """What the tables of a set of puzzles say.

    title: the name of the set. reported: about the rows that the paper reports. beside: rows of the same systems on
    another set, which follow in `table7` under their own `source`.
    """

    title: str = TITLE
    reported: str = "Reported rows are the paper's, of other images."
    beside: Sequence[Mapping[str, Any]] = ()


OWN = Wording()


@dataclass(frozen=True)
class Table7:
    """The numbers of each model and group, and the tables `table7`, `templates`, `letters` and `rules`.

    `answers` are the answers from which they were made, and `names` the models' display names. `by_mean` are the models
    that could not be ranked by the rule; their display names say so.
    """

    answers: TwinAnswers
    names: dict[str, str]
    by_mean: list[str]
    metrics: dict[str, dict[str, Metrics]]
    tables: dict[str, Table]
    chance: float  # percent


def table7(
    predictions: Rows,
    questions: Rows,
    settings: Precision,
    names: Mapping[str, str],
    rule: RankingRule = STORED,
    *,
    wording: Wording = OWN,
) -> Table7:
    """Table 7 (C-VQA 4.2) from all predictions of all models in `names` (key -> display name, in that order).

    The paper reports neither intervals nor sample sizes. Our rows have both; `twin_metrics` documents what is counted
    and what raises. Chance is the mean of 1 / number of options, 25% in the paper. `rule` decides what models that
    ranked options chose. Any rule but the mean, and the table `rules`, need the scores of the options, so predictions
    must then be given as tables with them.

    Raises WhatifError when there is no question, or when a question has no choices.
    """
    answers = TwinAnswers(predictions, questions, names)
    by_mean = rank_by(answers, rule)
    shown = marked(names, by_mean)
    chance = _chance(answers)
    metrics = twin_metrics(answers, (), settings, names)
    level = f"{100 * settings.confidence:g}%"
    made = (
        _main(metrics, shown, chance, level=level, ranked_by=_ranked_by(rule), wording=wording),
        _templates(metrics, shown, level, _ranked_by(rule), wording.title),
        _letters(metrics, shown, _ranked_by(rule), wording.title),
        ranking_rules(answers, names, settings, rule, wording.title),
    )
    return Table7(answers, shown, by_mean, metrics, {table.name: table for table in made}, chance)


def _chance(answers: TwinAnswers) -> float:
    if not answers.options.size:
        raise WhatifError("questions: there are none, so there is no Table 7")
    if not answers.options.all():
        question = answers.question_ids[int(np.argmin(answers.options))]
        raise WhatifError(f"question {question}: has no choices; Table 7 is of multiple-choice questions")
    return percent(sum((1 / answers.options).tolist()) / answers.options.size)


def _ranked_by(rule: RankingRule) -> str:
    """What a table says about a rule of ranking that is not the usual one."""
    return "" if rule == STORED else f"Ranked options are compared by {rule}; see the table of ranking rules."


def _main(
    metrics: Mapping[str, Mapping[str, Metrics]],
    names: Mapping[str, str],
    chance: float,
    *,
    level: str,
    ranked_by: str,
    wording: Wording,
) -> Table:
    """Chance, then each reported system followed by our models of the same name, then our other models, then others."""

    def ours(model: str) -> Iterator[Row]:
        of_model = {"model": model, "name": names[model], "source": OURS}
        return ({**of_model, **row} for row in twin_rows(metrics[model][ALL]))

    rows: list[Row] = [
        {"name": "Chance", "variant": variant, "measure": "accuracy", "value": chance} for variant in VARIANTS
    ]
    reported = published(__package__, "table7")
    systems = list(dict.fromkeys(row["system"] for row in reported))
    for system in systems:
        rows += [
            {
                "name": system,
                "source": REPORTED,
                "variant": row["variant"],
                "measure": "accuracy",
                "value": float(row["value"]),
                PUBLISHED: row["value"],
            }
            for row in reported
            if row["system"] == system
        ]
        rows += [row for model, name in names.items() if name == system for row in ours(model)]
    rows += [row for model, name in names.items() if name not in systems for row in ours(model)]
    rows += [dict(row) for row in wording.beside]
    title = wording.title
    views = (
        View(
            f"{title}: accuracy in percent with {level} intervals (C-VQA Table 7).",
            {**_SYSTEM, **_FROM},
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
            f"{wording.reported} {ranked_by}".strip(),
        ),
        _details(
            f"{title}: how responses were read, in percent, and unanswered questions.", _FROM if wording.beside else {}
        ),
    )
    return Table("table7", "Accuracy", tidy(rows, (*_IDENTITY, PUBLISHED), _NUMBERS), views)


def _templates(
    metrics: Mapping[str, Mapping[str, Metrics]], names: Mapping[str, str], level: str, ranked_by: str, title: str
) -> Table:
    rows = [
        {"model": model, "name": name, "source": OURS, "template": group, **row}
        for model, name in names.items()
        for group, numbers in metrics[model].items()
        if group != ALL
        for row in twin_rows(numbers)
    ]
    template = {"template": "Template"}
    views = (
        View(
            f"{title} by template: accuracy in percent with {level} intervals.",
            {**_SYSTEM, **template},
            (*ACCURACIES, DROPPED, MCNEMAR, PAIRS),
            ranked_by,
        ),
        _details(f"{title} by template: how responses were read, in percent, and unanswered questions.", template),
    )
    identity = ("model", "name", "source", "template", "variant", "measure")
    return Table("templates", "By template", tidy(rows, identity, _NUMBERS), views)


def _details(caption: str, further: Mapping[str, str]) -> View:
    return View(caption, {**_SYSTEM, **further, "variant": "Variant"}, DETAILS, f"{READING} {CHOICES}")


def _letters(
    metrics: Mapping[str, Mapping[str, Metrics]], names: Mapping[str, str], ranked_by: str, title: str
) -> Table:
    shares = [metrics[model][ALL]["letters"][variant] for model in names for variant in VARIANTS]
    # A model without any answer has no shares; all other models have a share for every letter.
    letters: dict[str, float] = max(shares, key=len, default={})
    unanswered = [status for status in STATUSES if status != "ok"]
    rows: list[Row] = []
    for model, name in names.items():
        for variant in VARIANTS:
            chosen, status = (metrics[model][ALL][what][variant] for what in ("letters", "status"))
            of_variant = {"model": model, "name": name, "source": OURS, "variant": variant}
            rows += [
                {
                    **of_variant,
                    "measure": "share",
                    "answer": letter,
                    "value": chosen.get(letter, 0.0),
                    "n": status["ok"],
                }
                for letter in letters
            ]
            rows += [{**of_variant, "measure": kind, "value": status[kind]} for kind in unanswered]
    view = View(
        f"{title}: letters chosen, in percent of answered questions, and number of unanswered ones.",
        {**_SYSTEM, "variant": "Variant"},
        (
            *(Column(letter, "share", {"answer": letter}) for letter in letters),
            *(Column(kind.capitalize(), kind, write=count) for kind in unanswered),
        ),
        ranked_by,
    )
    identity = ("model", "name", "source", "variant", "measure", "answer")
    return Table("letters", "Letters chosen", tidy(rows, identity, ("value", "n")), (view,))
