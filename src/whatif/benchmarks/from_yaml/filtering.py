"""Filters candidates and chooses pairs among them; every candidate that is not chosen has its reason."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.from_yaml.auditing import distance_from_guessing
from whatif.benchmarks.from_yaml.choice import VARIANTS, Chosen, change_defect, choose, option_defect, questions_of
from whatif.benchmarks.from_yaml.settings import MOST_OPTIONS, ChoiceSettings, Template, blanks_in
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.errors import WhatifError
from whatif.results.reporting.answer_codes import meaning

CHANGE, OPTION, REPEATED, NOT_CHOSEN = "wrong change", "no such option", "repeated", "not chosen"
_FEWEST_OPTIONS = 2  # of a question
Row = dict[str, Any]


@dataclass(frozen=True)
class Filtered:
    """The questions of the chosen pairs, and the rejections of all other candidates.

    distance: the largest distance of a shortcut from guessing; above 1, guessing is outside its interval.
    """

    questions: list[Row]
    rejections: list[Row]
    distance: float


def filtered(
    settings: ChoiceSettings, candidates: Iterable[Row], failed: Sequence[Mapping[str, Any]], seed: int
) -> Filtered:
    """Filters the candidates of all templates, which are in order of template, and chooses pairs.

    Pairs are drawn up to `draws` times, until the shortcut audit finds nothing: no expected accuracy differs from
    guessing, but that of a single draw may by chance. Otherwise the draw counts that is nearest to guessing.

    Raises WhatifError, naming the template, when one of them has no pair; `failed` are the rows for which an expression
    failed.
    """
    templates, limits = settings.templates, settings.filter
    by_template = {name: list(rows) for name, rows in itertools.groupby(candidates, lambda row: str(row["template"]))}
    sorted_out = {name: _good(templates[name], by_template.get(name, [])) for name in sorted(templates)}
    wanted = numbers_of_pairs(templates, limits.pairs)
    draws = []
    for number in range(limits.draws):
        used: Counter[str] = Counter()  # pairs about each row
        drawn: list[Chosen] = []
        for name, (kept, rejections) in sorted_out.items():
            chosen = choose(
                name,
                templates[name],
                kept,
                used,
                pairs=wanted[name],
                per_row=limits.pairs_per_row,
                seed=seed,
                draw=number,
            )
            if not chosen and wanted[name]:
                own = [str(row["detail"]) for row in failed if row["item_id"].partition(" ")[0] == name]
                given = by_template.get(name, [])
                taken = limits.pairs_per_row if _has_pair(name, templates[name], kept, seed) else None
                why = (
                    f"other templates ask about its rows as often as filter.pairs_per_row allows ({taken}); raise it, "
                    "or give more rows"
                    if taken is not None
                    else _why_none(templates[name], given, kept, rejections, own)
                )
                raise WhatifError(f"generate.templates.{name}: {why}")
            drawn += chosen
        questions = [row for one in drawn for row in questions_of(one)]
        distance = distance_from_guessing(questions, seed=seed)
        draws.append((distance, number, drawn, questions))
        if distance <= 1:
            break
    distance, _, drawn, questions = min(draws, key=lambda one: one[:2])
    asked = {id(one.candidate) for one in drawn}
    left = [row for kept, _ in sorted_out.values() for row in kept if id(row) not in asked]
    rejections = [row for _, rejected in sorted_out.values() for row in rejected]
    rejections += [_rejected(row, NOT_CHOSEN, "other candidates were drawn") for row in left]
    return Filtered(questions, rejections, distance)


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


def shortest(settings: ChoiceSettings, questions: Sequence[Row]) -> str:
    """The template that lacks most of the pairs that it should have."""
    made = Counter(row["group"] for row in questions if row["variant"] == VARIANTS[0])
    wanted = numbers_of_pairs(settings.templates, settings.filter.pairs)
    return max(sorted(wanted), key=lambda name: wanted[name] - made[name])


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
        satisfies = "has words for its blanks that satisfy" if template.blanks else "satisfies"
        remedy = "" if "where" not in template.model_fields_set else f": {template.where}`; widen it, or leave it out"
        return f"no row {satisfies} `where{remedy or '`'}"
    if not kept:
        reason, number = Counter(row["reason"] for row in rejections).most_common(1)[0]
        example = next(row["detail"] for row in rejections if row["reason"] == reason)
        line = _line(reason, candidates)
        return f"all of its candidates are rejected, {number:,} for `{reason}`, for example {example}{line}"
    return _why_no_options(template, kept)


def _line(reason: str, candidates: Sequence[Row]) -> str:
    """The line of a template that keeps candidates that are rejected for a reason; empty if there is none."""
    if reason == CHANGE:
        return "; write `change: either`, or leave such rows out by `where`"
    answers = sorted({str(row[f"answer_{variant}"]) for row in candidates for variant in VARIANTS})
    if reason == OPTION and len(answers) <= MOST_OPTIONS:
        return f"; write `options: {json.dumps(answers, ensure_ascii=False)}`"
    return ""


def remedies(template: Template, *, per_row: int | None = None, least: int = _FEWEST_OPTIONS) -> str:
    """What gives a template more pairs, of what can be changed in it.

    `per_row` is a limit on pairs that matters; fewer than `least` options are not thought of.
    """
    found = ["give more rows"]
    if per_row is not None:
        found.append("raise filter.pairs_per_row")
    if template.blanks:
        found.append("use fewer words for its blanks")
    if _size(template) > least:
        found.append("lower `options`" if isinstance(template.options, int) else "list fewer `options`")
    return ", or ".join(found)


def _size(template: Template) -> int:
    return template.options if isinstance(template.options, int) else len(template.options)


def _has_pair(name: str, template: Template, kept: Sequence[Row], seed: int) -> bool:
    """Whether a template had a pair if no other asked about its rows."""
    return bool(choose(name, template, kept, Counter(), pairs=1, per_row=None, seed=seed))


def _why_no_options(template: Template, kept: Sequence[Row]) -> str:
    """Why candidates give no options: rows with the same question are needed, and as many answers as options."""
    size = _size(template)
    by_question: dict[tuple[str, str], list[Row]] = {}
    for row in kept:
        by_question.setdefault((row["original"], row["counterfactual"]), []).append(row)
    shared = [rows for rows in by_question.values() if len({row["row_id"] for row in rows}) > 1]
    if not shared:
        named = [name for text in template.texts().values() for name in blanks_in(text) if name not in template.blanks]
        more = f"leave {{{named[0]}}} out of its text, or give rows that share it" if named else remedies(template)
        return f"no two rows have the same question, so there are no wrong options; {more}"
    for variant in VARIANTS:
        most = max(len({meaning(row[f"answer_{variant}"]) for row in rows}) for rows in shared)
        if most == 1:
            return (
                f"answer.{variant}: is the same for all rows with the same question, for example "
                f"{shared[0][0][f'answer_{variant}']!r}, so there are no wrong options; let it depend on the row"
            )
        if most < size:
            fewer = f"write `options: {most}`" if isinstance(template.options, int) else f"list {most} in `options`"
            return (
                f"answer.{variant}: has at most {most} different values for rows with the same question, but there are "
                f"{size} options; {fewer}, or {remedies(template, least=size)}"
            )
    return (
        f"no {size} rows with the same question have {size} different answers to both questions; {remedies(template)}"
    )
