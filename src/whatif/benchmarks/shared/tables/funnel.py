"""The counts of every stage."""

from __future__ import annotations

from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made
from whatif.results.reporting.funnel import funnel

TABLE: Made[Results] = Made(120, lambda found: funnel(found.stages))
