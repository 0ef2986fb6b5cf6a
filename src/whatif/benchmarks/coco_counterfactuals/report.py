"""The results of COCO-Counterfactuals, ours or the released pairs, and their publication."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from whatif.benchmarks.coco_counterfactuals.errors_table import error_subjects_tables
from whatif.benchmarks.coco_counterfactuals.evaluation_tables import Rule, recall_table
from whatif.benchmarks.coco_counterfactuals.images import photographs_of
from whatif.benchmarks.coco_counterfactuals.matching_tables import MatchingMargins, matching_margins
from whatif.benchmarks.coco_counterfactuals.pair_views import Labelled, Shown, known_of_pairs
from whatif.benchmarks.coco_counterfactuals.settings import AggregatePictures
from whatif.benchmarks.coco_counterfactuals.verification_tables import CHOSEN, agreement_table, table1
from whatif.benchmarks.shared.annotator_tables import labels_stage
from whatif.benchmarks.shared.caption_items import pair_items, ranks_shown
from whatif.benchmarks.shared.dimensions import ENCODER, MATCHER
from whatif.benchmarks.shared.matching_funnel import matching_stage
from whatif.benchmarks.shared.reports import publish
from whatif.benchmarks.shared.results import Results
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine.graph.task import Task
from whatif.people.consensus import consensus, made_by
from whatif.people.items import Row
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.funnel import FunnelStage
from whatif.results.reporting.rendering import WIDTH
from whatif.results.reporting.report import Headline
from whatif.results.reporting.table import OURS, Table
from whatif.results.reporting.table_modules import TableModules
from whatif.scoring.retrieve import COUNTERFACTUALS, ORIGINALS


@dataclass(frozen=True, kw_only=True, eq=False)
class PairResults(Results):
    """The pairs of captions and images, labels of people, and what matchers and dual encoders make of them.

    chose: the checkpoint that selected the images; its model is in Table 13, the other models are in Table 2.
    unique_captions: whether these tables are about unique captions, as published, and two further tables by item.
    drawn_alone: the rows of the pairs that were also drawn without Prompt-to-Prompt, whose images are the input
    `unshared-images`. drawn_by: the checkpoint that drew the images, if it is known.
    """

    settings: AggregatePictures
    pairs: Sequence[Row]
    judgements: Sequence[Row]
    chose: str
    unique_captions: bool = False
    drawn_alone: Sequence[Row] = ()
    drawn_by: str = ""

    @classmethod
    def of(cls, task: Task[Any], title: str, stages: Sequence[FunnelStage], **more: Any) -> PairResults:
        """The results of a step; `stages` is the funnel up to the finished pairs."""
        pairs, judgements = list(task.rows("pairs")), list(task.rows("judgements"))
        return cls(
            task=task,
            title=title,
            settings=task.settings.aggregate,
            dimension=MATCHER,
            names=names_of(task, MATCHER),
            questions=(),
            stages=[*stages, *_evaluated(task, judgements, len(pairs))],
            pairs=pairs,
            judgements=judgements,
            **more,
        )

    @cached_property
    def photographs(self) -> dict[str, str]:
        """The photograph of each pair by its id, where there is one."""
        return photographs_of(self.pairs)

    @cached_property
    def errors(self) -> list[Row]:
        """The sampled errors with their categories, which are empty where an error has none."""
        return list(self.task.rows("errors"))

    @property
    def sorted_by(self) -> str | None:
        """Who assigned the categories: people if there is a file, otherwise the judges of the images."""
        return "people" if self.task.settings.error_categories is not None else made_by(self.judgements)

    @cached_property
    def searchers(self) -> dict[str, dict[str, str]]:
        """The models of Tables 2 and 13: Table 13 has the model that selected the images (A.6)."""
        names, shown = names_of(self.task, ENCODER), self.task.shown_models(ENCODER)
        by_it = {key: name for key, name in names.items() if shown[key]["checkpoint"] == self.chose}
        return {"2": {key: name for key, name in names.items() if key not in by_it}, "13": by_it}

    @cached_property
    def ranks(self) -> list[Row]:
        """The rank of each item that was searched for."""
        return list(self.task.rows("ranks"))

    @cached_property
    def recalls(self) -> dict[str, Table]:
        """Tables 2 and 13, by their numbers."""
        return self._recalls_by("unique captions" if self.unique_captions else "rows")

    @cached_property
    def recalls_by_item(self) -> dict[str, Table]:
        """The same where of several equal captions, only that of the image counts as right."""
        return self._recalls_by("by item")

    def _recalls_by(self, rule: Rule) -> dict[str, Table]:
        return {
            table: recall_table(
                table,
                [row for row in self.ranks if row["model"] in names],
                photographs=self.photographs,
                names=names,
                settings=self.settings,
                rule=rule,
            )
            for table, names in self.searchers.items()
        }

    @cached_property
    def matches(self) -> list[Row]:
        """The scores of both images and captions of each pair."""
        return list(self.task.rows("matches"))

    @cached_property
    def margins(self) -> MatchingMargins:
        """The margins of each matcher."""
        logits = {row["model"]: row["logit_scale"] for row in self.task.rows("logit-scales") if row["logit_scale"]}
        return matching_margins(
            self.task.rows("random"),
            self.matches,
            photographs=self.photographs,
            names=self.names,
            settings=self.settings,
            logits=logits,
        )

    @cached_property
    def labelled(self) -> Table:
        """Table 1."""
        return table1(self.judgements, self.settings, self.resolution)

    @cached_property
    def agreed(self) -> Table:
        """The agreement of the annotators, beside the reported one."""
        return agreement_table(self.judgements, self.settings, self.task.seed, self.resolution)

    @cached_property
    def error_subjects(self) -> tuple[Table, Table]:
        """Table 10, and errors by human subjects."""
        return error_subjects_tables(
            self.judgements,
            self.pairs,
            self.settings,
            least_errors=self.settings.least_errors,
            resolution=self.resolution,
        )


def publish_report(found: PairResults, modules: TableModules, note: str = "") -> None:
    """Publishes every text file of a benchmark's aggregation, and its pairs as items of the site."""
    task, settings = found.task, found.task.settings
    known, views = known_of_pairs(
        found.pairs,
        Labelled(found.judgements, settings.resolution, found.errors, made_by(found.judgements), found.sorted_by),
        Shown(found.settings.shown_pairs, found.settings.shown_errors),
        photographs=found.photographs,
        drawn_alone=found.drawn_alone,
        ranks=ranks_shown(found.ranks),
    )
    known = replace(known, drawn_by=found.drawn_by, measured_by=found.chose)
    searched = pd.concat([found.recalls["2"].frame, found.recalls["13"].frame])
    numbers = headline(searched, found.margins.table.frame, found.labelled.frame, found.agreed.frame)
    report = replace(report_of(modules, found.title, found, numbers), closing=textwrap.fill(note, WIDTH))
    publish(task, report, pair_items(found.pairs, found.matches, found.names, known), views)


def headline(recalls: pd.DataFrame, margins: pd.DataFrame, judged: pd.DataFrame, agreed: pd.DataFrame) -> Headline:
    """The headline numbers, by model; those of the labels are under `image_labels`.

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
