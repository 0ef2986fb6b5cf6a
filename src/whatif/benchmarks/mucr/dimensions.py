"""By what the steps of MuCR are divided: strategies, generators of images, writers, variants, and tuned models."""

from __future__ import annotations

from dataclasses import replace

from whatif.benchmarks.mucr.settings import NAME, MucrSettings
from whatif.benchmarks.shared.dimensions import SHOWN_CHOOSERS, prompt_form_file, strategy, writer
from whatif.engine.graph.dimensions import Dimension, Shown, part_dimension
from whatif.engine.params.whole import Params
from whatif.models.text_to_image import code_of


def _own(params: Params, benchmark: str) -> MucrSettings:
    return params.section(benchmark, MucrSettings)


STRATEGY = strategy(lambda params, benchmark: _own(params, benchmark).evaluate.strategies)
WRITER = writer(
    "writer",
    lambda params, benchmark: [] if (one := _own(params, benchmark).generate.descriptions.model) is None else [one],
    "writes descriptions",
)
GENERATOR = Dimension(
    "generator",
    lambda params, benchmark: list(_own(params, benchmark).generate.generators),
    "Only this generator of images; all of params.yaml by default.",
    is_entry=True,
    code=lambda params, key: code_of(_own(params, NAME).generate.generators[key].adapter),
)
PART = part_dimension(lambda params, benchmark: _own(params, benchmark).generate.parts)
TUNED = replace(
    writer("tuned", lambda params, benchmark: _own(params, benchmark).evaluate.fine_tuning.models, "is fine-tuned"),
    files=prompt_form_file,
)
SEED = Dimension(
    "seed",
    lambda params, benchmark: [f"seed-{number}" for number in _own(params, benchmark).evaluate.fine_tuning.seeds],
    "Only this seed of the fine-tuning, for example seed-0.",
)
SHOWN = replace(SHOWN_CHOOSERS, fields=(*SHOWN_CHOOSERS.fields, "adapter"))
SHOWN_TUNED = Shown(TUNED, ("name",))
