"""Tables 3 to 6 of C-VQA: accuracy on C-VQA-Real by group, our results beside the reported ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.results.reporting.judged import JUDGE, TWIN_COLUMNS, Judged, judge_views, twin_judge_rows
from whatif.results.reporting.precision import SMALLEST_P, Precision, p_number, percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import DROP, NUMBERS, OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.results.reporting.twin_answers import VARIANTS, TwinAnswers
from whatif.results.reporting.twin_measures import (
    ACCURACIES,
    ALL,
    DETAILS,
    DROPPED,
    HOLM,
    PAIRS,
    READING,
    Part,
    parts_of,
    twin_rows,
)
from whatif.scoring.statistics import holm

Row = Mapping[str, Any]

REPORTED_GROUPS = {"numerical-direct": "direct", "numerical-indirect": "indirect", "boolean": "boolean"}
# Table 4 uses other names for systems than Table 3. Each model has one name, that of Table 3.
_ELSEWHERE = {
    "InstructBLIP-13B": "InstructBLIP (Vicuna-13B)",
    "LLaVA-1.5-13B": "LLaVA-1.5-13B (Vicuna-13B)",
    "MiniGPT-v2-7B": "MiniGPT-v2 (Llama2-Chat-7B)",
}
TITLES = {"3": "Accuracy", "4": "Step by step", "5": "A part of each group", "6": "Code models of ViperGPT"}
_CAPTIONS = {
    "3": "C-VQA-Real: accuracy in percent with {level} intervals and p-values by image (C-VQA Table 3).",
    "4": "C-VQA-Real with a step-by-step prompt: accuracy in percent with {level} intervals and p-values by "
    "image (C-VQA Table 4).",
    "5": "C-VQA-Real, a random part of each group: accuracy in percent with {level} intervals and p-values by "
    "image (C-VQA Table 5).",
    "6": "C-VQA-Real by ViperGPT with several code models: accuracy in percent with {level} intervals and p-values by "
    "image (C-VQA Table 6).",
}
VIPERGPT = "vipergpt"  # the adapter of the models of Table 6
# The name of ViperGPT in Table 3, where its code model is this one.
_VIPERGPT, _ITS_CODE_MODEL = "ViperGPT", "GPT-3.5-turbo"
_IDENTITY = ("model", "name", "source", "group", "variant", "measure", PUBLISHED)
_SYSTEM = {"model": "", "name": "System"}
_GROUP = {"group": "Group"}
_P = Column("p", DROP, number="p")


@dataclass(frozen=True)
class RealTable:
    """One of the tables, and the answers by model and group from which it was made."""

    parts: dict[str, dict[str, Part]]
    table: Table


def real_table(
    table: str,
    predictions: Sequence[Row],
    questions: Sequence[Row],
    *,
    settings: Precision,
    names: Mapping[str, str],
    sampled: Collection[str] = (),
    note: str = "",
    judged: Judged | None = None,
) -> RealTable:
    """Table `3`, `4`, `5` or `6` from the predictions of the models in `names` (key -> display name, in that order).

    Several questions share an image, so intervals and tests are by image. The second view has the accuracy of
    the same responses under published rules (`legacy` are those of the authors' scoring, `vlmevalkit`, `lmms-eval`).
    p-values are corrected over the groups of the whole table (Holm). Our rows follow the reported rows of the same
    system. The models in `sampled` are marked as asked only a part. `note` is appended to the caption.

    With a judge (`judged`: what it found in responses of these models to this strategy), further rows and views show
    the accuracy with it, what it found, and its agreement with people; all other numbers are those of the rules alone.
    """
    images = {row["pair_id"]: (row["image_ids"] or [row["pair_id"]])[0] for row in questions}
    parts = parts_of(TwinAnswers(predictions, questions, names), settings, images)
    identity = _IDENTITY if judged is None else (JUDGE, *_IDENTITY)
    rows: list[dict[str, Any]] = []
    shown = {model: f"{name} (a part)" if model in sampled else name for model, name in names.items()}
    for (system, group), of_system in _reported(table).items():
        rows += of_system
        same = [model for model, name in names.items() if name == table_3_name(system)]
        rows += [row for model in same for row in _ours(model, shown, group, parts)]
    of_reported = {(table_3_name(system), group) for system, group in _reported(table)}
    for model, name in names.items():
        for group in (*GROUPS, ALL):
            if (name, group) not in of_reported:
                rows += _ours(model, shown, group, parts)
    tested = [row for row in rows if row["source"] == OURS and row["measure"] == DROP and row["group"] != ALL]
    # The smallest p-value in metrics also represents all smaller ones; Holm's factor would turn it into another number.
    known = [0.0 if row["p"] <= SMALLEST_P else row["p"] for row in tested]
    for row, p in zip(tested, holm(known).p_values, strict=True):
        row["p_holm"] = p_number(p or 0.0)
    level = f"{100 * settings.confidence:g}%"
    views: tuple[View, ...] = (
        View(
            _CAPTIONS[table].format(level=level),
            {**_SYSTEM, "source": "From", **_GROUP},
            (*ACCURACIES, DROPPED, HOLM, _P, PAIRS),
            note,
        ),
        View(
            "How responses were read, in percent, and unanswered questions.",
            {**_SYSTEM, **_GROUP, "variant": "Variant"},
            DETAILS,
            READING,
        ),
    )
    if judged is not None:
        with_judge = parts_of(TwinAnswers(judged.applied_to(predictions), questions, names), settings, images)
        rows += _judge_rows(judged, (parts, with_judge), predictions, questions, settings=settings, names=shown)
        views = (*views, *judge_views(judged, TWIN_COLUMNS, _SYSTEM, _GROUP, level))
    return RealTable(parts, Table(f"table{table}", TITLES[table], tidy(rows, identity, NUMBERS), views))


def table_3_name(system: str) -> str:
    """The name of a system in Table 3, given its name in another table; a model should have the name in Table 3."""
    return _ELSEWHERE.get(system, system)


def code_model(name: str) -> str:
    """The name of the code model in the name of a model: that of `ViperGPT (CodeLlama-7B-Instruct)` is in parentheses.

    It follows the word ViperGPT, in parentheses or after a comma; the size of a pilot sample stays behind it. ViperGPT
    alone has the code model of Table 3, and any other name stays as it is.
    """
    if name == _VIPERGPT:
        return _ITS_CODE_MODEL
    if not name.startswith((f"{_VIPERGPT} (", f"{_VIPERGPT}, ")):
        return name
    rest = name.removeprefix(_VIPERGPT)
    if rest.startswith(","):
        return rest.removeprefix(", ")
    code, pilot, size = rest.removeprefix(" (").partition(") (")
    return f"{code} ({size}" if pilot else code.removesuffix(")")


def _ours(
    model: str, names: Mapping[str, str], group: str, parts: Mapping[str, Mapping[str, Part]]
) -> list[dict[str, Any]]:
    if group not in parts[model]:
        return []
    of_group = {"model": model, "name": names[model], "source": OURS, "group": group}
    return [{**of_group, **row} for row in twin_rows(parts[model][group])]


def _judge_rows(
    judged: Judged,
    parts: tuple[Mapping[str, Mapping[str, Part]], Mapping[str, Mapping[str, Part]]],
    predictions: Sequence[Row],
    questions: Sequence[Row],
    *,
    settings: Precision,
    names: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    """The rows of each model and group without and with the judge (`parts`), and its agreement with people."""
    without, with_judge = parts
    by_id = {row["question_id"]: row for row in questions}
    asked: dict[str, list[str]] = {}
    for row in predictions:
        asked.setdefault(row["model"], []).append(row["question_id"])
    for model, name in names.items():
        for group in (*GROUPS, ALL):
            if group in without[model]:
                place = {"model": model, "name": name, "source": OURS, "group": group}
                ids = {one for one in asked[model] if group in (by_id[one]["group"], ALL)}
                yield from (
                    {**place, **row} for row in twin_judge_rows(without[model][group], with_judge[model][group])
                )
                yield from ({**place, **row} for row in judged.counts(model, ids))
    clusters = {row["question_id"]: (row["image_ids"] or [row["pair_id"]])[0] for row in questions}
    of_each = {"source": OURS, "group": ALL}
    for row in judged.agreements(names, "All systems", by_id, settings.confidence, clusters):
        yield {**of_each, **row}


def _reported(table: str) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The rows of each system and group as reported by the paper, and the drop, in points."""
    values: dict[tuple[str, str], dict[str, str]] = {}
    for row in published(__package__, f"table{table}"):
        place = (row["system"], REPORTED_GROUPS[row["group"]])
        values.setdefault(place, {})[row["variant"]] = row["value"]
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (system, group), texts in values.items():
        of_group = {"name": system, "source": REPORTED, "group": group}
        accuracies = [
            {**of_group, "variant": v, "measure": "accuracy", "value": float(texts[v]), PUBLISHED: texts[v]}
            for v in VARIANTS
        ]
        original, counterfactual = (float(texts[variant]) for variant in VARIANTS)
        drop = percent((original - counterfactual) / 100)
        rows[system, group] = [*accuracies, {**of_group, "measure": DROP, "value": drop}]
    return rows
