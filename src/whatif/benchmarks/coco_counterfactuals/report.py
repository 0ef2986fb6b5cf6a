"""What COCO-Counterfactuals ends in: Tables 1, 2, 7, 10, 13 and Figure 3, the funnel, and a gallery of pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.coco_counterfactuals.contents import TABLES
from whatif.benchmarks.coco_counterfactuals.errors_table import error_categories_table, error_subjects_tables
from whatif.benchmarks.coco_counterfactuals.evaluation_tables import changes_table, recall_table
from whatif.benchmarks.coco_counterfactuals.images import photographs_of
from whatif.benchmarks.coco_counterfactuals.matching_tables import margin_distributions, matching_margins
from whatif.benchmarks.coco_counterfactuals.verification_tables import verification
from whatif.benchmarks.shared.dimensions import ENCODER, MATCHER
from whatif.benchmarks.shared.pair_panels import matching_stage, pair_panels
from whatif.benchmarks.shared.tasks import names_of, publish_tables, report
from whatif.graph.task import Task
from whatif.reporting.formats import DisplayTable
from whatif.reporting.funnel import FunnelStage, funnel_table
from whatif.reporting.gallery import Section, gallery


@dataclass(frozen=True)
class Made:
    """How the pairs of a benchmark were made: its name, its funnel until there were pairs, and what else is to be said.

    `chose` is the checkpoint by which the pictures were chosen; its model stands in Table 13, the others in Table 2.
    """

    name: str
    title: str
    stages: Sequence[FunnelStage]
    chose: str
    note: str = ""


def publish_report(task: Task[Any], made: Made) -> None:
    """Publishes every text file of a benchmark's aggregation."""
    settings, seed = task.settings.aggregate, task.seed
    pairs = list(task.rows("pairs"))
    funnel = funnel_table([*made.stages, *_evaluated(task, len(pairs))])
    judgements = list(task.rows("judgements"))
    photographs = photographs_of(pairs)

    verified = verification(judgements, settings, seed)
    categories = _categories(task)
    sampled = error_categories_table(
        {item: category for item, category in categories.items() if category},
        settings,
        made_by=_sorted_by(task, verified.metrics["made_by"]),
        sampled=len(categories),
    )
    subjects = error_subjects_tables(judgements, pairs, settings, least_errors=settings.least_errors)
    ranks = list(task.rows("ranks"))
    recalls = {
        table: recall_table(
            table,
            [row for row in ranks if row["model"] in names],
            photographs=photographs,
            names=names,
            settings=settings,
        )
        for table, names in _searchers(task, made).items()
    }
    retrieved = {**recalls["2"].metrics, **recalls["13"].metrics}
    matching_names = names_of(task, MATCHER)
    matches = list(task.rows("matches"))
    margins = matching_margins(
        task.rows("random"),
        matches,
        photographs=photographs,
        names=matching_names,
        settings=settings,
    )
    tables: dict[str, DisplayTable] = {
        "table1": verified.tables["table1"],
        "agreement": verified.tables["agreement"],
        "table2": recalls["2"].shown,
        "table13": recalls["13"].shown,
        "changes": changes_table(retrieved, matching_names, settings),
        "figure3": margins.table,
        "table7": sampled.tables["table7"],
        "table10": subjects.tables["table10"],
        "human": subjects.tables["human"],
        "funnel": funnel,
    }
    metrics = {
        "verification": verified.metrics,
        "error_categories": sampled.metrics,
        "error_subjects": subjects.metrics,
        "retrieval": retrieved,
        "matching": margins.metrics,
    }
    images = task.images("images", "photographs")
    section = Section(
        "Counterfactual pairs",
        "Two captions that differ in one noun, and the pictures that were made of them. A matcher finds what it scores "
        "higher.",
        pair_panels(pairs, matches, matching_names, images, settings.shown_pairs),
    )
    folder = f"metrics/{made.name}"
    text = report(made.title, tables, TABLES, {"figure3": "figure3.svg"})
    note = f"\n{made.note}\n" if made.note else ""
    publish = task.outputs.publish
    encoded = json.dumps(metrics, indent=2, sort_keys=True, allow_nan=False).encode() + b"\n"
    publish(f"metrics/{made.name}.json", encoded)
    publish(f"{folder}/report.md", f"{text}{note}\nPictures: [gallery.html](gallery.html)\n".encode())
    publish(f"{folder}/gallery.html", gallery(made.title, [section]).encode())
    publish(f"{folder}/figure3.svg", margin_distributions(margins.values, matching_names))
    publish_tables(task, folder, tables)


def _searchers(task: Task[Any], made: Made) -> dict[str, dict[str, str]]:
    """The models of Tables 2 and 13: in the second stands the one by which the pictures were chosen (A.6)."""
    names, shown = names_of(task, ENCODER), task.shown_models(ENCODER)
    by_it = {key: name for key, name in names.items() if shown[key]["checkpoint"] == made.chose}
    return {"2": {key: name for key, name in names.items() if key not in by_it}, "13": by_it}


def _categories(task: Task[Any]) -> dict[str, str]:
    """The category of each error of the sample, empty where it has none."""
    return {row["item_id"]: row["reason"] for row in task.rows("errors")}


def _sorted_by(task: Task[Any], judged_by: str | None) -> str | None:
    """Who told the categories: people where there is a file, else whoever judged."""
    return "people" if task.settings.error_categories is not None else judged_by


def _evaluated(task: Task[Any], pairs: int) -> list[FunnelStage]:
    """The stages after there are pairs: which pictures were judged, and which pairs matched."""
    judged = len({row["item_id"] for row in task.rows("judgements")})
    unjudged = {"no label": 2 * pairs - judged} if judged < 2 * pairs else {}
    verified = FunnelStage("verify", "pictures", 2 * pairs, judged, unjudged)
    return [verified, *(matching_stage(paths, key, pairs) for key, paths in task.paths_by(MATCHER, "matches").items())]
