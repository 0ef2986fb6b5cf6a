"""How the answers in each model's responses were read."""

from __future__ import annotations

from whatif.benchmarks.shared.reports import reading_of
from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made

TABLE: Made[Results] = Made(90, lambda found: reading_of(found.task, found.names))
