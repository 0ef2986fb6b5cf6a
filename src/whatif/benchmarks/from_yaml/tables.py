"""The tables of a benchmark in a YAML file: accuracy, by template and by kind of pair, and the chosen letters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import Precision
from whatif.results.reporting.table import NUMBERS, OURS, Column, Table, View, tidy
from whatif.results.reporting.twin_answers import STATUSES, VARIANTS, TwinAnswers
from whatif.results.reporting.twin_rows import ACCURACIES, CHOICES, DETAILS, DROPPED, MCNEMAR, PAIRS, READING, twin_rows
from whatif.results.reporting.twins import ALL, Metrics, twin_metrics

_NUMBERS = tuple(name for name in NUMBERS if name != "p_holm")
_SYSTEM = {"model": "", "name": "Model"}
_PAIR_COLUMNS = (*ACCURACIES, DROPPED, MCNEMAR, PAIRS)
_UNANSWERED = tuple(status for status in STATUSES if status != "ok")
OfModels = Mapping[str, Mapping[str, Metrics]]
Row = Mapping[str, Any]


def accuracy(metrics: OfModels, names: Mapping[str, str], chance: Mapping[str, float], level: str, title: str) -> Table:
    """The accuracy of each model on all pairs; `chance` is that of guessing, in percent, by variant."""
    rows: list[dict[str, Any]] = [
        {"name": "Chance", "variant": variant, "measure": "accuracy", "value": chance[variant]} for variant in VARIANTS
    ]
    for model, name in names.items():
        rows += [{"model": model, "name": name, "source": OURS, **row} for row in twin_rows(metrics[model][ALL])]
    views = (
        View(f"{title}: accuracy in percent with {level} intervals.", _SYSTEM, _PAIR_COLUMNS),
        View(
            f"{title}: how responses were read, in percent, and unanswered questions.",
            {**_SYSTEM, "variant": "Variant"},
            DETAILS,
            f"{READING} {CHOICES}",
        ),
    )
    identity = ("model", "name", "source", "variant", "measure")
    return Table("accuracy", "Accuracy", tidy(rows, identity, _NUMBERS), views)


def by_group(metrics: OfModels, names: Mapping[str, str], level: str, title: str, *, kinds: bool = False) -> Table:
    """The accuracy by template, or by the kinds of pairs that the templates compute; pairs without a kind are left out.

    The table of kinds has no rows where no template computes any.
    """
    table, column, heading = ("kinds", "kind", "Kind") if kinds else ("templates", "template", "Template")
    rows = [
        {"model": model, "name": name, "source": OURS, column: group, **row}
        for model, name in names.items()
        for group, numbers in metrics[model].items()
        if group not in (ALL, "")
        for row in twin_rows(numbers)
    ]
    view = View(
        f"{title} by {column}: accuracy in percent with {level} intervals.",
        {**_SYSTEM, column: heading},
        _PAIR_COLUMNS,
        "The expression `kind` of a template says which kind a pair is; models do not see it." if kinds else "",
    )
    identity = ("model", "name", "source", column, "variant", "measure")
    return Table(table, f"By {column}", tidy(rows, identity, _NUMBERS), (view,))


def letters(metrics: OfModels, names: Mapping[str, str], title: str) -> Table:
    """The share of each letter among the answers of each model, and its unanswered questions."""
    shares = [metrics[model][ALL]["letters"][variant] for model in names for variant in VARIANTS]
    offered: Mapping[str, float] = max(shares, key=len, default={})  # a model without any answer has no shares
    rows: list[dict[str, Any]] = []
    for model, name in names.items():
        for variant in VARIANTS:
            numbers = metrics[model][ALL]
            chosen, status = numbers["letters"][variant], numbers["status"][variant]
            place = {"model": model, "name": name, "source": OURS, "variant": variant}
            for letter in offered:
                share = chosen.get(letter, 0.0)
                rows.append({**place, "measure": "share", "answer": letter, "value": share, "n": status["ok"]})
            rows += [{**place, "measure": kind, "value": status[kind]} for kind in _UNANSWERED]
    view = View(
        f"{title}: letters chosen, in percent of answered questions, and number of unanswered ones.",
        {**_SYSTEM, "variant": "Variant"},
        (
            *(Column(letter, "share", {"answer": letter}) for letter in offered),
            *(Column(kind.capitalize(), kind, write=count) for kind in _UNANSWERED),
        ),
    )
    identity = ("model", "name", "source", "variant", "measure", "answer")
    return Table("letters", "Letters chosen", tidy(rows, identity, ("value", "n")), (view,))


def drawn(audit: Table, questions: Sequence[Row], draws: int) -> Table:
    """The shortcut audit with a note on how the pairs were drawn, if there could be several draws."""
    if draws == 1 or not questions:
        return audit
    draw = json.loads(questions[0]["provenance"])["draw"]
    note = (
        f" Pairs were drawn up to {draws} times, until guessing was inside all intervals of this audit, and otherwise "
        f"the nearest draw counts; this is draw {draw}. The numbers describe these pairs; the intervals are not those "
        "of a random draw."
    )
    return replace(audit, views=tuple(replace(view, note=view.note + note) for view in audit.views))


def kinds_metrics(
    predictions: Iterable[Any],
    questions: Sequence[Row],
    settings: Precision,
    names: Mapping[str, str],
    images: Mapping[str, str] | None,
) -> dict[str, dict[str, Metrics]]:
    """The metrics by the kind of each pair instead of its template; empty where no pair has one."""
    kinds = [{**row, "group": json.loads(row["provenance"]).get("kind", "")} for row in questions]
    if not any(row["group"] for row in kinds):
        return {model: {} for model in names}
    return twin_metrics(TwinAnswers(predictions, kinds, names), (), settings, names, images=images)


def shared_images(questions: Iterable[Row]) -> dict[str, str] | None:
    """The pictures of each pair as one name, if several pairs share some; otherwise None."""
    found = {str(row["pair_id"]): " ".join(row["image_ids"]) for row in questions}
    return found if len(set(found.values())) < len(found) else None


def chance_of(questions: Iterable[Row]) -> dict[str, float]:
    """The accuracy of guessing in percent, by variant: the mean of 1 / number of options."""
    sizes: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
    for row in questions:
        sizes[row["variant"]].append(100 / len(row["choices"]))
    return {variant: round(sum(values) / max(len(values), 1), 4) for variant, values in sizes.items()}
