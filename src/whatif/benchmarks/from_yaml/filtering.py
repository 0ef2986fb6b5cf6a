"""Filters candidates and chooses pairs among them; every candidate that is not chosen has its reason."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.from_yaml.choice import change_defect, choose, option_defect, questions_of
from whatif.benchmarks.from_yaml.settings import ChoiceSettings, Template
from whatif.benchmarks.shared.rejecting import rejection
from whatif.errors import WhatifError

CHANGE, OPTION, REPEATED, NOT_CHOSEN = "wrong change", "no such option", "repeated", "not chosen"
Row = dict[str, Any]


@dataclass(frozen=True)
class Filtered:
    """The questions of the chosen pairs, and the rejections of all other candidates."""

    questions: list[Row]
    rejections: list[Row]


def filtered(
    settings: ChoiceSettings, candidates: Iterable[Row], failed: Sequence[Mapping[str, Any]], seed: int
) -> Filtered:
    """Filters the candidates of all templates, which are in order of template, and chooses pairs.

    Raises WhatifError, naming the template, when one of them has no pair; `failed` are the rows for which an expression
    failed.
    """
    result = Filtered([], [])
    used: Counter[str] = Counter()  # pairs about each row
    wanted = numbers_of_pairs(settings.templates, settings.filter.pairs)
    by_template = {name: list(rows) for name, rows in itertools.groupby(candidates, lambda row: str(row["template"]))}
    for name in sorted(settings.templates):
        template, given = settings.templates[name], by_template.get(name, [])
        kept, rejections = _good(template, given)
        per_row = settings.filter.pairs_per_row
        chosen = choose(name, template, kept, used, pairs=wanted[name], per_row=per_row, seed=seed)
        if not chosen and wanted[name]:
            own = [str(row["detail"]) for row in failed if row["item_id"].partition(" ")[0] == name]
            raise WhatifError(f"templates.{name}: {_why_none(template, given, kept, rejections, own)}")
        drawn = {id(one.candidate) for one in chosen}
        rejections += [
            _rejected(row, NOT_CHOSEN, "other candidates were drawn") for row in kept if id(row) not in drawn
        ]
        result.rejections.extend(rejections)
        for one in chosen:
            result.questions.extend(questions_of(one))
    return result


def numbers_of_pairs(templates: Mapping[str, Template], pairs: int) -> dict[str, int]:
    """The number of pairs of each template, in proportion to their shares; together they are `pairs`."""
    total = sum(template.share for template in templates.values())
    exact = {name: pairs * templates[name].share / total for name in sorted(templates)}
    found = {name: int(value) for name, value in exact.items()}
    # The largest remainders, the first of equal ones.
    by_remainder = sorted(exact, key=lambda name: (found[name] - exact[name], name))
    for name in by_remainder[: pairs - sum(found.values())]:
        found[name] += 1
    return found


def _good(template: Template, candidates: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The candidates that may be chosen, and the rejections of the others."""
    kept: list[Row] = []
    rejections: list[Row] = []
    seen: dict[tuple[Any, ...], str] = {}
    for row in candidates:
        asked = (row["original"], row["counterfactual"], *row["image_ids"])
        first = seen.setdefault(asked, row["row_id"])
        if seen.get(asked) is not None and first != row["row_id"]:
            rejections.append(_rejected(row, REPEATED, f"row {first} has the same picture and the same questions"))
        elif defect := change_defect(template, row):
            rejections.append(_rejected(row, CHANGE, f"row {row['row_id']}: {defect}"))
        elif defect := option_defect(template, row):
            rejections.append(_rejected(row, OPTION, f"row {row['row_id']}: {defect}"))
        else:
            kept.append(row)
    return kept, rejections


def _rejected(row: Row, reason: str, detail: str) -> Row:
    return rejection(f"{row['template']} {row['row_id']} {row['blanks']}", reason, detail)


def _why_none(
    template: Template,
    candidates: Sequence[Row],
    kept: Sequence[Row],
    rejections: Sequence[Row],
    failed: Sequence[str],
) -> str:
    """Why a template has no pair, with an example; `failed` are the details of failed expressions."""
    if not candidates:
        if failed:
            return f"no row has a candidate; its expressions fail for {len(failed):,} rows, for example {failed[0]}"
        return "no row has words for its blanks that satisfy `where`"
    if not kept:
        reason, number = Counter(row["reason"] for row in rejections).most_common(1)[0]
        example = next(row["detail"] for row in rejections if row["reason"] == reason)
        return f"all of its candidates are rejected, {number:,} for `{reason}`, for example {example}"
    size = template.options if isinstance(template.options, int) else len(template.options)
    return (
        f"no {size} rows with the same question have {size} different answers to both questions; lower `options`, give "
        "more rows, or use fewer words for its blanks"
    )
