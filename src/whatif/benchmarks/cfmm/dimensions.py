"""By what the steps of CFMM are divided: strategies, the model that writes questions, and variants."""

from __future__ import annotations

from whatif.benchmarks.cfmm.schemas import VARIANTS
from whatif.benchmarks.cfmm.settings import CfmmSettings
from whatif.benchmarks.shared.dimensions import CHOOSER, adapter_code, strategy
from whatif.engine.graph.dimensions import Dimension

STRATEGY = strategy(lambda params, benchmark: params.section(benchmark, CfmmSettings).evaluate.strategies)
WRITER = Dimension(
    "writer",
    lambda params, benchmark: (
        [] if (one := params.section(benchmark, CfmmSettings).generate.expansion) is None else [one.model]
    ),
    "Only this model that writes further questions.",
    is_model=True,
    ignores=CHOOSER.ignores,
    code=adapter_code,
)
VARIANT = Dimension("variant", lambda params, benchmark: VARIANTS, "Only this variant of the questions.")
