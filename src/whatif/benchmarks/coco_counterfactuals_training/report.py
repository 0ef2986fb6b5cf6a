"""The results of training with counterfactuals, from which its tables and figures are made, and their publication."""

from __future__ import annotations

from typing import Any

from whatif.benchmarks.coco_counterfactuals_training.dimensions import TRAINED
from whatif.benchmarks.coco_counterfactuals_training.funnel_stages import funnel_stages
from whatif.benchmarks.coco_counterfactuals_training.recognition import recomputed
from whatif.benchmarks.coco_counterfactuals_training.results import (
    COMPARED_MIXTURES,
    MEAN,
    PUBLISHED_DIVISION,
    Results,
    recognitions,
    searches,
    sizes,
)
from whatif.benchmarks.coco_counterfactuals_training.settings import AggregateTraining
from whatif.benchmarks.shared.reports import publish
from whatif.benchmarks.shared.tasks import names_of
from whatif.engine.graph.task import Task
from whatif.results.reporting.declared import report_of
from whatif.results.reporting.report import Headline
from whatif.results.reporting.table_modules import TableModules
from whatif.scoring.statistics.seed_tests import gain

# The mixture of the headline is fixed before the results are known, so it is not the luckiest one: the paper's best
# on both retrieval sets together, or the next one that was trained.
_HEADLINE_MIXTURES = ("medium", "all", "base")


def publish_report(task: Task[AggregateTraining], modules: TableModules) -> None:
    """Publishes every text file of the aggregation."""
    names, searched = names_of(task, TRAINED), searches(task.paths("retrieved"))
    recognised = recognitions([*task.paths("classified"), *task.paths("imported")])
    found = Results(
        task=task,
        title="Training with COCO-Counterfactuals",
        settings=task.settings,
        dimension=TRAINED,
        names=names,
        questions=(),
        stages=list(funnel_stages(task, names, searched, recognised)),
        searches=searched,
        recognitions=recognised,
        sizes=sizes(task.paths("samples")),
    )
    publish(task, report_of(modules, found.title, found, headline(found)))


def headline(found: Results) -> Headline:
    """The headline numbers, by model; a model without the trainings that a number needs lacks it.

    `counterfactual_gain` is the mean recall (of R@1, R@5 and R@10 in both directions) out of domain with the mixture
    `medium` minus that with `ms-coco`, in points, as means over seeds; `counterfactual_gain_p` is the one-tailed
    p-value of Welch's t-test that it is above 0. `pre_trained` and `ms_coco` are the mean recalls in percent.
    `recomputed_accuracy` is the mean accuracy of imported predictions over the six data sets of Table 4, in percent,
    and `accuracy` has that on each data set.
    """
    made: dict[str, dict[str, Any]] = {}
    for model in found.names:
        recalls = {
            mixture: found.mean_recall(model, mixture, PUBLISHED_DIVISION, found.settings.out_of_domain)
            for mixture in COMPARED_MIXTURES
        }
        numbers: dict[str, float] = {}
        for mixture in ("pre-trained", "ms-coco"):
            if values := recalls[mixture]:
                numbers[mixture.replace("-", "_")] = round(sum(values.values()) / len(values), 4)
        trained = next((one for one in _HEADLINE_MIXTURES if recalls[one]), None)
        if trained and recalls["ms-coco"]:
            tested = gain(recalls[trained], recalls["ms-coco"], found.settings.confidence)
            numbers["counterfactual_gain"] = round(tested.difference, 4)
            if tested.p is not None:
                numbers["counterfactual_gain_p"] = float(f"{tested.p:.4g}")
        made[model] = numbers
    for model in found.imported:
        if of_sets := recomputed(found, model):
            accuracies = {name: round(one.accuracy, 4) for name, (one, _) in of_sets.items()}
            mean = {"recomputed_accuracy": accuracies.pop(MEAN)} if MEAN in accuracies else {}
            made[model] = {**mean, "accuracy": accuracies}
    return made
