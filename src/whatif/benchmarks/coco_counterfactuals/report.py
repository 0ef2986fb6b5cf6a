"""The results of COCO-Counterfactuals: Tables 1, 2, 7, 10, 13, Figures 2 and 3, the funnel, and its items."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from whatif.benchmarks.coco_counterfactuals.errors_table import error_subjects_tables, table7
from whatif.benchmarks.coco_counterfactuals.evaluation_tables import Rule, recall_table
from whatif.benchmarks.coco_counterfactuals.images import photographs_of
from whatif.benchmarks.coco_counterfactuals.matching_tables import margin_distributions, matching_margins
from whatif.benchmarks.coco_counterfactuals.pair_views import Labelled, Shown, known_of_pairs
from whatif.benchmarks.coco_counterfactuals.sharing_table import sharing_table
from whatif.benchmarks.coco_counterfactuals.verification_tables import CHOSEN, agreement_table, table1
from whatif.benchmarks.shared.annotator_tables import annotator_tables, labels_stage
from whatif.benchmarks.shared.caption_items import pair_items, ranks_shown
from whatif.benchmarks.shared.dimensions import ENCODER, MATCHER
from whatif.benchmarks.shared.matched_pairs import matched_pairs
from whatif.benchmarks.shared.matching_funnel import matching_stage
from whatif.benchmarks.shared.reports import publish
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine.graph.task import Task
from whatif.people.consensus import consensus, made_by
from whatif.people.items import Row
from whatif.results.reporting.funnel import FunnelStage, funnel
from whatif.results.reporting.rendering import WIDTH
from whatif.results.reporting.report import Headline, Report
from whatif.results.reporting.table import OURS, Table
from whatif.scoring.retrieve import COUNTERFACTUALS, ORIGINALS


@dataclass(frozen=True)
class Made:
    """How the pairs of a benchmark were made: its name, its funnel up to the finished pairs, and a note for the report.

    `chose` is the checkpoint that selected the images. Its model is in Table 13, the other models are in Table 2. If
    `unique_captions` is set, these tables are about unique captions, as published, and two further tables by item.
    `drawn_alone` are the rows of the pairs that were also drawn without Prompt-to-Prompt, whose images are the input
    `unshared-images`; None if there is no such step. `drawn_by` is the checkpoint that drew the images, if it is known.
    """

    name: str
    title: str
    stages: Sequence[FunnelStage]
    chose: str
    note: str = ""
    unique_captions: bool = False
    drawn_alone: Sequence[Row] | None = None
    drawn_by: str = ""


def publish_report(task: Task[Any], made: Made) -> None:
    """Publishes every text file of a benchmark's aggregation, and its pairs as items of the site."""
    settings, rule, seed = task.settings.aggregate, task.settings.resolution, task.seed
    pairs = list(task.rows("pairs"))
    judgements = list(task.rows("judgements"))
    photographs = photographs_of(pairs)
    errors = list(task.rows("errors"))
    categories = {row["item_id"]: row["reason"] for row in errors}  # empty for an error without a category
    labelled_by = made_by(judgements)
    sorted_by = _sorted_by(task, labelled_by)
    sampled = table7(
        {item: category for item, category in categories.items() if category},
        settings,
        made_by=sorted_by,
        sampled=len(categories),
    )
    ranks = list(task.rows("ranks"))
    searchers = _searchers(task, made)

    def recall(rule: Rule) -> dict[str, Table]:
        return {
            table: recall_table(
                table,
                [row for row in ranks if row["model"] in names],
                photographs=photographs,
                names=names,
                settings=settings,
                rule=rule,
            )
            for table, names in searchers.items()
        }

    recalls = recall("unique captions" if made.unique_captions else "rows")
    by_item = recall("by item") if made.unique_captions else {}
    matching_names = names_of(task, MATCHER)
    matches = list(task.rows("matches"))
    margins = matching_margins(
        task.rows("random"),
        matches,
        photographs=photographs,
        names=matching_names,
        settings=settings,
        logits={row["model"]: row["logit_scale"] for row in task.rows("logit-scales") if row["logit_scale"]},
    )
    judged = table1(judgements, settings, rule)
    agreed = agreement_table(judgements, settings, seed, rule)
    tables = (
        judged,
        agreed,
        *annotator_tables(judgements, task.rows("gold"), settings, seed, rule),
        recalls["2"],
        recalls["13"],
        *by_item.values(),
        margins.table,
        matched_pairs(
            matches, names=matching_names, confidence=settings.confidence, title=made.title, photographs=photographs
        ),
        *([] if made.drawn_alone is None else [sharing_table(pairs, made.drawn_alone, photographs, settings)]),
        sampled,
        *error_subjects_tables(judgements, pairs, settings, least_errors=settings.least_errors, resolution=rule),
        funnel([*made.stages, *_evaluated(task, judgements, len(pairs))]),
    )
    known, views = known_of_pairs(
        pairs,
        Labelled(judgements, rule, errors, labelled_by, sorted_by),
        Shown(settings.shown_pairs, settings.shown_errors),
        photographs=photographs,
        drawn_alone=made.drawn_alone or [],
        ranks=ranks_shown(ranks),
    )
    known = replace(known, drawn_by=made.drawn_by, measured_by=made.chose)
    files = {"figure3.svg": margin_distributions(margins.values, matching_names)}
    searched = pd.concat([recalls["2"].frame, recalls["13"].frame])
    report = Report(
        made.title,
        tables,
        headline(searched, margins.table.frame, judged.frame, agreed.frame),
        files,
        {"figure3": "figure3.svg"},
        textwrap.fill(made.note, WIDTH),
    )
    publish(task, report, pair_items(pairs, matches, matching_names, known), views)


def headline(recalls: pd.DataFrame, margins: pd.DataFrame, judged: pd.DataFrame, agreed: pd.DataFrame) -> Headline:
    """The numbers for `dvc metrics diff`, by model; those of the labels are under `image_labels`.

    For a model: recall@1 in percent on counterfactuals and originals, by retrieved item, and the share of
    counterfactual pairs for which it scores the wrong image (IR_c) or the wrong caption (TR_c) higher.
    """
    found: dict[str, dict[str, float | int]] = {}
    names = {COUNTERFACTUALS: "counterfactual", ORIGINALS: "original"}
    chosen = recalls[(recalls["source"] == OURS) & (recalls["measure"] == "recall") & (recalls["k"] == "1")]
    for row in chosen[chosen["subset"].isin(names)].to_dict("records"):
        found.setdefault(row["model"], {})[f"{names[row['subset']]}_{row['retrieved']}_retrieval"] = row["value"]
    chosen = margins[(margins["measure"] == "below zero") & margins["margin"].isin(["IR_c", "TR_c"])]
    for row in chosen.to_dict("records"):
        found.setdefault(row["model"], {})[f"wrong_{row['margin']}"] = row["value"]
    ours = judged[(judged["source"] == OURS)]
    correct = ours[(ours["measure"] == "share") & (ours["label"] == "correct") & ours["value"].notna()]
    labels = {f"{row['variant']}_correct": row["value"] for row in correct.to_dict("records")}
    kappas = agreed[(agreed["source"] == OURS) & (agreed["measure"] == "kappa") & agreed["value"].notna()]
    for row in kappas[kappas["of"] == CHOSEN].to_dict("records"):
        labels["kappa"] = row["value"]
    return {**found, "image_labels": labels} if labels else found


def _searchers(task: Task[Any], made: Made) -> dict[str, dict[str, str]]:
    """The models of Tables 2 and 13: Table 13 has the model that selected the images (A.6)."""
    names, shown = names_of(task, ENCODER), task.shown_models(ENCODER)
    by_it = {key: name for key, name in names.items() if shown[key]["checkpoint"] == made.chose}
    return {"2": {key: name for key, name in names.items() if key not in by_it}, "13": by_it}


def _sorted_by(task: Task[Any], judged_by: str | None) -> str | None:
    """Who assigned the categories: people if there is a file, otherwise the judges of the images."""
    return "people" if task.settings.error_categories is not None else judged_by


def _evaluated(task: Task[Any], judgements: Sequence[Row], pairs: int) -> list[FunnelStage]:
    """The stages after the pairs are finished: labels, the images that were judged, and the pairs that were matched."""
    judged = len(consensus(judgements, task.settings.resolution))
    only_final = len({row["item_id"] for row in judgements}) - judged
    unlabelled = {"no label": 2 * pairs - judged - only_final, "only a final decision": only_final}
    unjudged = {reason: number for reason, number in unlabelled.items() if number}
    labels = labels_stage(judgements, task.rows("refused"))
    verified = FunnelStage("verify", "images", 2 * pairs, judged, unjudged)
    return [
        *labels,
        verified,
        *(matching_stage(paths, key, pairs) for key, paths in task.paths_by(MATCHER, "matches").items()),
    ]
