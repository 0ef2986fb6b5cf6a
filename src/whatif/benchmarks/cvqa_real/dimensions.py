"""By what the steps of C-VQA-Real are divided: models that write and polish, and models that answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import CvqaRealSettings, main_strategy
from whatif.benchmarks.shared.dimensions import SHOWN_ANSWERERS, strategy, writer
from whatif.engine.graph.dimensions import part_dimension
from whatif.engine.params.programs import ProgramModel
from whatif.engine.params.whole import Params


def _own(params: Params, benchmark: str) -> CvqaRealSettings:
    return params.section(benchmark, CvqaRealSettings)


WRITER = writer(
    "writer",
    lambda params, benchmark: _own(params, benchmark).chat_models_of(*GROUPS),
    "writes counterfactual questions",
)
POLISHER = writer(
    "polisher",
    lambda params, benchmark: [] if (one := _own(params, benchmark).verify.polish.model) is None else [one],
    "polishes questions",
)


_EVERY = strategy(lambda params, benchmark: _own(params, benchmark).evaluate.strategies)


def _is_asked(params: Params, benchmark: str, wildcards: Mapping[str, str]) -> bool:
    """Whether a model is asked with a strategy. One that writes programs has only one."""
    if isinstance(params.models[wildcards["model"]], ProgramModel):
        return wildcards["strategy"] == main_strategy(_own(params, benchmark).evaluate.strategies)
    return _EVERY.exists(params, benchmark, wildcards)


STRATEGY = replace(_EVERY, exists=_is_asked)
PART = part_dimension(lambda params, benchmark: _own(params, benchmark).evaluate.shards)
SHOWN = replace(SHOWN_ANSWERERS, fields=(*SHOWN_ANSWERERS.fields, "adapter"))  # Table 6 shows the models of one adapter
