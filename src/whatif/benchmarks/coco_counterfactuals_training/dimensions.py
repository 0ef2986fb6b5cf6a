"""By what the steps of training with counterfactuals are divided: data sets, trained models, and seeds."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.benchmarks.coco_counterfactuals_training.schemas import PRE_TRAINED
from whatif.benchmarks.coco_counterfactuals_training.settings import CocoCounterfactualsTrainingSettings
from whatif.benchmarks.shared.dimensions import adapter_code
from whatif.engine.graph.dimensions import Dimension, Shown
from whatif.engine.params.whole import Params


def _own(params: Params, benchmark: str) -> CocoCounterfactualsTrainingSettings:
    return params.section(benchmark, CocoCounterfactualsTrainingSettings)


def seed_name(seed: int) -> str:
    """The name of a seed in paths and tables: `seed-107`."""
    return f"seed-{seed}"


def _seeds(params: Params, benchmark: str) -> list[str]:
    """All seeds of all models; first the checkpoint as it was."""
    numbers = {seed for one in _own(params, benchmark).evaluate.models.values() for seed in one.seeds}
    return [PRE_TRAINED, *map(seed_name, sorted(numbers))]


def _is_of_model(params: Params, benchmark: str, wildcards: Mapping[str, str]) -> bool:
    trained = _own(params, benchmark).evaluate.models[wildcards[TRAINED.name]]
    return wildcards[SEED.name] in (PRE_TRAINED, *map(seed_name, trained.seeds))


DATA_SET = Dimension(
    "data_set",
    lambda params, benchmark: list(_own(params, benchmark).extract.classification),
    "Only this data set of classified images; all of params.yaml by default.",
    is_entry=True,
)
TRAINED = Dimension(
    "trained",
    lambda params, benchmark: list(_own(params, benchmark).evaluate.models),
    "Only this model that is trained.",
    is_model=True,
    is_entry=True,
    ignores=("name", "benchmarks"),
    code=adapter_code,
)
SEED = Dimension(
    "seed",
    _seeds,
    "Only this seed of the training, for example seed-107, or pre-trained.",
    exists=_is_of_model,
)
SHOWN_TRAINED = Shown(TRAINED, ("name", "checkpoint"), is_summarized=True)
