"""Table 3 of C-VQA (4.1): accuracy on C-VQA-Real by group, our results beside the reported ones.

Tables 4 to 6 are made in the same way (`accuracies`) from other answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.report import RealResults, images_of
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.shared.people_rows import with_people
from whatif.results.reporting.declared import Made
from whatif.results.reporting.judged import JUDGE, PAIR_COLUMNS, Judged, judge_views, paired_judge_rows
from whatif.results.reporting.pair_measures import (
    ACCURACIES,
    ALL,
    DETAILS,
    DROPPED,
    HOLM,
    PAIRS,
    READING,
    Part,
    paired_rows,
    parts_of,
)
from whatif.results.reporting.precision import SMALLEST_P, p_number, percent
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.question_pairs import VARIANTS, QuestionPairAnswers
from whatif.results.reporting.table import DROP, OURS, PUBLISHED, REPORTED, Column, Table, View, tidy
from whatif.scoring.statistics import holm

Row = dict[str, Any]
Parts = Mapping[str, Mapping[str, Part]]
REPORTED_GROUPS = {"numerical-direct": "direct", "numerical-indirect": "indirect", "boolean": "boolean"}
# Table 4 uses other names for systems than Table 3. Each model has one name, that of Table 3.
_ELSEWHERE = {
    "InstructBLIP-13B": "InstructBLIP (Vicuna-13B)",
    "LLaVA-1.5-13B": "LLaVA-1.5-13B (Vicuna-13B)",
    "MiniGPT-v2-7B": "MiniGPT-v2 (Llama2-Chat-7B)",
}
_IDENTITY = ("model", "name", "source", "group", "variant", "measure", PUBLISHED)
_SYSTEM = {"model": "", "name": "Model"}
_GROUP = {"group": "Group"}
_P = Column("p", DROP, number="p")


def accuracies(
    found: RealResults,
    number: int,
    title: str,
    what: str,
    *,
    strategy: str,
    models: Mapping[str, str],
    sampled: Collection[str] = (),
) -> Table:
    """Table 3, 4, 5 or 6, from the answers of the models in `models` (key -> display name) to a strategy.

    Several questions share an image, so intervals and tests are by image. The caption begins with `what` the answers
    are; the models in `sampled` are marked as asked only a part. The second view has the accuracy of the same responses
    under published rules (`legacy` are those of the authors' scoring, `vlmevalkit`, `lmms-eval`). p-values are
    corrected over the groups of the whole table (Holm). Our rows follow the reported rows of the same system.

    With a judge, further rows and views show the accuracy with it, what it found, and its agreement with people; all
    other numbers are those of the rules alone.
    """
    predictions = found.predictions_of(strategy, models)
    judged = found.judged.of(models, strategy) if found.judged and models else None
    parts = _parts(found, predictions, models)
    names = {model: f"{name} (a part)" if model in sampled else name for model, name in models.items()}
    ours = {
        (model, group): [
            {"model": model, "name": names[model], "source": OURS, "group": group, **row} for row in paired_rows(part)
        ]
        for model, groups in parts.items()
        for group, part in groups.items()
    }
    rows: list[Row] = []
    for (system, group), texts in reported_accuracies(number).items():
        of_group = {"name": system, "source": REPORTED, "group": group}
        for variant in VARIANTS:
            numbers = {"measure": "accuracy", "value": float(texts[variant]), PUBLISHED: texts[variant]}
            rows.append({**of_group, "variant": variant, **numbers})
        original, counterfactual = (float(texts[variant]) for variant in VARIANTS)
        rows.append({**of_group, "measure": DROP, "value": percent((original - counterfactual) / 100)})
        same = [model for model, name in models.items() if name == table_3_name(system)]
        rows += [row for model in same for row in ours.pop((model, group), ())]
    rows += [row for model in names for group in (*GROUPS, ALL) for row in ours.get((model, group), ())]
    tested = [row for row in rows if row["source"] == OURS and row["measure"] == DROP and row["group"] != ALL]
    # The smallest p-value in metrics also represents all smaller ones; Holm's factor would turn it into another number.
    known = [0.0 if row["p"] <= SMALLEST_P else row["p"] for row in tested]
    for row, p in zip(tested, holm(known).p_values, strict=True):
        row["p_holm"] = p_number(p or 0.0)
    views: tuple[View, ...] = (
        View(
            f"{what}: accuracy in percent with {found.level} intervals and p-values by image (C-VQA Table {number}).",
            {**_SYSTEM, "source": "From", **_GROUP},
            (*ACCURACIES, DROPPED, HOLM, _P, PAIRS),
            found.beside_reported(strategy),
        ),
        View(
            "How responses were read, in percent, and unanswered questions.",
            {**_SYSTEM, **_GROUP, "variant": "Variant"},
            DETAILS,
            READING,
        ),
    )
    identity: tuple[str, ...] = _IDENTITY
    if judged is not None:
        identity = (JUDGE, *_IDENTITY)
        with_judge = _parts(found, judged.applied_to(predictions), models)
        rows += _judge_rows(found, judged, predictions, (parts, with_judge), names)
        views = (*views, *judge_views(judged, PAIR_COLUMNS, _SYSTEM, _GROUP, found.level))
    return Table(f"table{number}", title, tidy(rows, identity), views)


def table_3_name(system: str) -> str:
    """The name of a system in Table 3, given its name in another table; a model should have the name in Table 3."""
    return _ELSEWHERE.get(system, system)


def reported_accuracies(number: int) -> dict[tuple[str, str], dict[str, str]]:
    """The accuracies that a table of the paper reports, as text: by system and group, then by variant."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for row in published("whatif.benchmarks.cvqa_real", f"table{number}"):
        found.setdefault((row["system"], REPORTED_GROUPS[row["group"]]), {})[row["variant"]] = row["value"]
    return found


def _parts(found: RealResults, predictions: Sequence[Mapping[str, Any]], models: Mapping[str, str]) -> Parts:
    return parts_of(
        QuestionPairAnswers(predictions, found.questions, models), found.settings, images_of(found.questions)
    )


def _judge_rows(
    found: RealResults,
    judged: Judged,
    predictions: Sequence[Mapping[str, Any]],
    parts: tuple[Parts, Parts],
    names: Mapping[str, str],
) -> Iterator[Row]:
    """The rows of each model and group without and with the judge (`parts`), and its agreement with people."""
    without, with_judge = parts
    by_id = {row["question_id"]: row for row in found.questions}
    asked: dict[str, list[str]] = {}
    for row in predictions:
        asked.setdefault(row["model"], []).append(row["question_id"])
    for model, name in names.items():
        for group in (*GROUPS, ALL):
            if group in without[model]:
                place = {"model": model, "name": name, "source": OURS, "group": group}
                ids = {one for one in asked[model] if group in (by_id[one]["group"], ALL)}
                compared = paired_judge_rows(without[model][group], with_judge[model][group])
                yield from ({**place, **row} for row in (*compared, *judged.counts(model, ids)))
    images = images_of(found.questions)
    clusters = {name: images[row["pair_id"]] for name, row in by_id.items()}
    for row in judged.agreements(names, "All systems", by_id, found.settings.confidence, clusters):
        yield {"source": OURS, "group": ALL, **row}


def _table(found: RealResults) -> Table:
    models = {model: name for model, name in found.asked(found.main).items() if model not in found.sampled}
    table = accuracies(found, 3, "Accuracy", found.title, strategy=found.main, models=models)
    places = {(key, found.main): {"model": key, "name": name, "source": OURS} for key, name in models.items()}
    return with_people(found, table, places, {**_GROUP, "variant": "Variant"}, _parts_of)


def _parts_of(row: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"group": group, "variant": row["variant"]} for group in (row["group"], ALL)]


TABLE = Made(10, _table)
