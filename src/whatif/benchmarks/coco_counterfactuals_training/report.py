"""The results of training with counterfactuals: Tables 3 to 6, 11 and 12, the mixtures, the leak, and the losses."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.benchmarks.coco_counterfactuals_training.dimensions import TRAINED
from whatif.benchmarks.coco_counterfactuals_training.figures import losses_figure
from whatif.benchmarks.coco_counterfactuals_training.funnel_stages import PAIRS_ROLES, funnel_stages
from whatif.benchmarks.coco_counterfactuals_training.label_table import table6
from whatif.benchmarks.coco_counterfactuals_training.leak_table import leak_table
from whatif.benchmarks.coco_counterfactuals_training.mixture_tables import mixtures_table
from whatif.benchmarks.coco_counterfactuals_training.recognition_tables import MEAN, models_of, recomputed, table4
from whatif.benchmarks.coco_counterfactuals_training.results import Results, recognitions, searches, sizes
from whatif.benchmarks.coco_counterfactuals_training.retrieval_tables import PUBLISHED_DIVISION, retrieval_tables
from whatif.benchmarks.coco_counterfactuals_training.settings import AggregateTraining
from whatif.benchmarks.coco_counterfactuals_training.trainings_table import trainings, trainings_table
from whatif.benchmarks.shared.reports import publish
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine.graph.task import Task
from whatif.results.reporting.funnel import funnel
from whatif.results.reporting.report import Headline, Report
from whatif.scoring.statistics.seed_tests import gain

TITLE = "Training with COCO-Counterfactuals"
# The mixture of the headline is fixed before the results are known, so it is not the luckiest one: the paper's best
# on both retrieval sets together, or the next one that was trained.
_HEADLINE_MIXTURES = ("medium", "all", "base")


def publish_report(task: Task[AggregateTraining]) -> None:
    """Publishes every text file of the aggregation."""
    settings = task.settings
    results = Results(
        names_of(task, TRAINED),
        searches(task.paths("retrieved")),
        recognitions([*task.paths("classified"), *task.paths("imported")]),
        sizes(task.paths("samples")),
        settings.confidence,
    )
    losses = list(task.rows("losses"))
    found = trainings(losses)
    pairs = itertools.chain.from_iterable(task.rows(role) for role in PAIRS_ROLES)
    retrieved = retrieval_tables(results, settings.out_of_domain, settings.in_domain)
    tables = (
        retrieved["table3"],
        table4(results),
        retrieved["table5"],
        table6(results, pairs, _class_names(task.rows("classes")), _class_names(task.rows("imported-classes"))),
        retrieved["table11"],
        retrieved["table12"],
        mixtures_table(task.rows("samples")),
        leak_table(results, found),
        trainings_table(found, results.names, settings.confidence),
        funnel(list(funnel_stages(task, results))),
    )
    files = {"losses.svg": losses_figure(losses, results.names)}
    figures = {"trainings": "losses.svg"}
    publish(task, Report(TITLE, tables, headline(results, settings.out_of_domain), files, figures))


def _class_names(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The different names of the classes of each data set."""
    names: dict[str, list[str]] = {}
    for row in rows:
        of_set = names.setdefault(row["data_set"], [])
        if row["name"] not in of_set:
            of_set.append(row["name"])
    return names


def headline(results: Results, out_of_domain: str) -> Headline:
    """The numbers for `dvc metrics diff`, by model; a model without the trainings that a number needs lacks it.

    `counterfactual_gain` is the mean recall (of R@1, R@5 and R@10 in both directions) out of domain with the mixture
    `medium` minus that with `ms-coco`, in points, as means over seeds; `counterfactual_gain_p` is the one-tailed
    p-value of Welch's t-test that it is above 0. `pre_trained` and `ms_coco` are the mean recalls in percent.
    `recomputed_accuracy` is the mean accuracy of imported predictions over the six data sets of Table 4, in percent,
    and `accuracy` has that on each data set.
    """
    made: dict[str, dict[str, Any]] = {}
    for model in results.names:

        def recall(mixture: str, model: str = model) -> dict[str, float]:
            return results.mean_recall(model, mixture, PUBLISHED_DIVISION, out_of_domain)

        numbers: dict[str, float] = {}
        for mixture in ("pre-trained", "ms-coco"):
            if values := recall(mixture):
                numbers[mixture.replace("-", "_")] = round(sum(values.values()) / len(values), 4)
        trained = next((one for one in _HEADLINE_MIXTURES if recall(one)), None)
        if trained and recall("ms-coco"):
            tested = gain(recall(trained), recall("ms-coco"), results.confidence)
            numbers["counterfactual_gain"] = round(tested.difference, 4)
            if tested.p is not None:
                numbers["counterfactual_gain_p"] = float(f"{tested.p:.4g}")
        made[model] = numbers
    for model in models_of(results):
        if found := recomputed(results, model):
            values = {name: round(one.accuracy, 4) for name, (one, _) in found.items()}
            mean = {"recomputed_accuracy": values.pop(MEAN)} if MEAN in values else {}
            made[model] = {**mean, "accuracy": values}
    return made
