"""Training with counterfactuals: retrieval and recognition after it, Tables 3 to 6, 11 and 12 (COCO-Counterfactuals 5).

The steps extract pairs, captions of photographs, and evaluation sets; mix training sets of originals and
counterfactuals; train dual encoders on them with several seeds; evaluate these by retrieval and by recognition without
training; and make the tables.
"""

from __future__ import annotations

from collections.abc import Callable

from whatif.benchmarks.coco_counterfactuals import BENCHMARK as OURS
from whatif.benchmarks.coco_counterfactuals import images as our_images
from whatif.benchmarks.coco_counterfactuals_released import steps as released
from whatif.benchmarks.coco_counterfactuals_training.dimensions import DATA_SET, SEED, SHOWN_TRAINED, TRAINED
from whatif.benchmarks.coco_counterfactuals_training.schemas import (
    CLASSES,
    CLASSIFIED,
    LABELLED,
    LOSSES,
    ORIGINALS,
    RETRIEVAL_SETS,
    RETRIEVED,
    SAMPLES,
)
from whatif.benchmarks.coco_counterfactuals_training.settings import (
    NAME,
    AggregateTraining,
    ClassificationSet,
    CocoCounterfactualsTrainingSettings,
    ImportSettings,
    MixSettings,
    RetrievalSet,
    SourceSettings,
    TrainedModel,
)
from whatif.benchmarks.shared.tables import shared_tables
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, PAIRS, REJECTIONS
from whatif.engine.artifacts.site_schemas import SITE_OUTPUTS
from whatif.engine.graph.steps import Benchmark, StepsOf
from whatif.engine.graph.task import Task
from whatif.engine.params.whole import Params
from whatif.results.reporting.table_modules import TableModules

TABLES = TableModules("whatif.benchmarks.coco_counterfactuals_training", *shared_tables("funnel"))
REPORTED = tuple(f"{__package__}:published/table{number}.csv" for number in (3, 4, 5, 6, 11, 12))
_step = StepsOf(CocoCounterfactualsTrainingSettings)


def _takes_pairs_of(benchmark: str) -> Callable[[Params], bool]:
    """Whether the pairs are those of a benchmark."""
    return lambda params: params.section(NAME, CocoCounterfactualsTrainingSettings).extract.pairs == benchmark


@_step(
    "extract",
    reads=lambda s: SourceSettings(s.extract.pairs, s.extract.scenes, s.extract.captions, s.extract.image_folders),
    seed=True,
    outputs={
        "pairs": PAIRS,
        "images": IMAGES,
        "judgements": JUDGEMENTS,
        "originals": ORIGINALS,
        "photographs": IMAGES,
        "rejections": REJECTIONS,
    },
)
def extract(task: Task[SourceSettings]) -> None:
    """Draws pairs and originals, or extracts the originals of other pairs: captions with their photographs (B.3.1)."""
    from whatif.benchmarks.coco_counterfactuals_training.sources import write_sources

    write_sources(task)


@_step(
    "extract",
    name="retrieval",
    reads=lambda s: s.extract.retrieval,
    seed=True,
    outputs={"retrieval": RETRIEVAL_SETS, "retrieval-images": IMAGES, "retrieval-rejections": REJECTIONS},
)
def retrieval(task: Task[dict[str, RetrievalSet]]) -> None:
    """Extracts the captions and images that are searched (5.1, A.5)."""
    from whatif.benchmarks.coco_counterfactuals_training.evaluation_sets import write_retrieval_sets

    write_retrieval_sets(task)


@_step(
    "extract",
    name="classification",
    reads=lambda s: s.extract.classification,
    seed=True,
    divided_by=(DATA_SET,),
    outputs={"classes": CLASSES, "labelled": LABELLED, "labelled-images": IMAGES, "labelled-rejections": REJECTIONS},
)
def classification(task: Task[dict[str, ClassificationSet]]) -> None:
    """Extracts the classes and images of one data set (5.2)."""
    from whatif.benchmarks.coco_counterfactuals_training.evaluation_sets import write_classification_set

    write_classification_set(task)


@_step(
    "extract",
    name="predictions",
    reads=lambda s: ImportSettings(s.extract.predictions, s.extract.prediction_folders),
    outputs={"imported": CLASSIFIED, "imported-classes": CLASSES},
)
def predictions(task: Task[ImportSettings]) -> None:
    """Imports predictions that were made elsewhere."""
    from whatif.benchmarks.coco_counterfactuals_training.imported_predictions import write_imported

    write_imported(task)


_OURS, _RELEASED = OURS.name, released.NAME
# What the images of pairs and their labels are, by where they come from.
_PAIRS = {
    "pairs": extract["pairs"],
    "our-pairs": our_images.filter_["pairs"].of(_OURS, _takes_pairs_of(_OURS)),
    "released-pairs": released.extract["pairs"].of(_RELEASED, _takes_pairs_of(_RELEASED)),
}
_JUDGEMENTS = {
    "judgements": extract["judgements"],
    "our-judgements": our_images.verify["judgements"].of(_OURS, _takes_pairs_of(_OURS)),
    "released-judgements": released.verify["judgements"].of(_RELEASED, _takes_pairs_of(_RELEASED)),
}
_IMAGES = {
    "images": extract["images"],
    "photographs": extract["photographs"],
    "our-images": our_images.filter_["images"].of(_OURS, _takes_pairs_of(_OURS)),
    "released-images": released.extract["images"].of(_RELEASED, _takes_pairs_of(_RELEASED)),
}


@_step(
    "verify",  # not `generate`, because the mixture `correct` depends on people's labels
    name="mix",
    reads=lambda s: MixSettings(s.extract.pairs, s.generate, s.verify.resolution),
    seed=True,
    inputs={
        **_PAIRS,
        **_JUDGEMENTS,
        "originals": extract["originals"],
        "photographs": extract["photographs"],  # the names of their files, which split files name
    },
    outputs={"samples": SAMPLES, "unused": REJECTIONS},
)
def mix(task: Task[MixSettings]) -> None:
    """Mixes originals and counterfactual samples, and divides them into training, validation and test (B.3.1, A.1)."""
    from whatif.benchmarks.coco_counterfactuals_training.mixtures import write_mixtures

    write_mixtures(task)


@_step(
    "evaluate",
    name="train",
    reads=lambda s: s.evaluate.models,
    divided_by=(TRAINED, SEED),
    inputs={
        **_IMAGES,
        "samples": mix["samples"],
        "retrieval": retrieval["retrieval"],
        "retrieval-images": retrieval["retrieval-images"],
        "classes": classification["classes"],
        "labelled": classification["labelled"],
        "labelled-images": classification["labelled-images"],
    },
    outputs={"losses": LOSSES, "retrieved": RETRIEVED, "classified": CLASSIFIED},
)
def train(task: Task[dict[str, TrainedModel]]) -> None:
    """Trains a model with one seed on each mixture, and evaluates it (5.1, 5.2); or evaluates it as it was."""
    from whatif.benchmarks.coco_counterfactuals_training.training import write_trained

    write_trained(task)


@_step(
    "aggregate",
    reads=lambda s: s.aggregate,
    shown=(SHOWN_TRAINED,),
    package_files=REPORTED,
    inputs={
        **_PAIRS,
        "originals": extract["originals"],
        "samples": mix["samples"],
        "unused": mix["unused"],
        "rejections": extract["rejections"],
        "retrieval": retrieval["retrieval"],
        "retrieval-rejections": retrieval["retrieval-rejections"],
        "labelled": classification["labelled"],
        "labelled-rejections": classification["labelled-rejections"],
        "classes": classification["classes"],
        "imported": predictions["imported"],
        "imported-classes": predictions["imported-classes"],
        "losses": train["losses"],
        "retrieved": train["retrieved"],
        "classified": train["classified"],
    },
    outputs=SITE_OUTPUTS,
    code=TABLES.code,
    publishes=("report.md", *TABLES.files),
)
def aggregate(task: Task[AggregateTraining]) -> None:
    """Makes Tables 3 to 6, 11 and 12 beside the reported numbers, and the curves of the losses."""
    from whatif.benchmarks.coco_counterfactuals_training.report import publish_report

    publish_report(task, TABLES)


BENCHMARK = Benchmark(
    name=NAME,
    settings=CocoCounterfactualsTrainingSettings,
    steps=(extract, retrieval, classification, predictions, mix, train, aggregate),
    headline=("counterfactual_gain", "recomputed_accuracy"),
    outside=lambda params: (
        "photographs" if params.section(NAME, CocoCounterfactualsTrainingSettings).extract.pairs != "scenes" else ""
    ),
    citation=OURS.citation,
    about=(
        "Models that match captions with images are trained with and without counterfactual pairs, and then evaluated"
        " on retrieval and on recognition (COCO-Counterfactuals, Le et al. 2023)."
    ),
)
