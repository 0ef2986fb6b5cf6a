"""By what the steps of CFMM are divided: strategies, the model that writes questions, and variants."""

from __future__ import annotations

from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.benchmarks.cfmm.settings import CfmmSettings
from whatif.benchmarks.shared.dimensions import strategy, writer
from whatif.engine.graph.dimensions import Dimension

STRATEGY = strategy(lambda params, benchmark: params.section(benchmark, CfmmSettings).evaluate.strategies)
WRITER = writer(
    "writer",
    lambda params, benchmark: (
        [] if (one := params.section(benchmark, CfmmSettings).generate.expansion) is None else [one.model]
    ),
    "writes further questions",
)
VARIANT = Dimension("variant", lambda params, benchmark: VARIANTS, "Only this variant of the questions.")
