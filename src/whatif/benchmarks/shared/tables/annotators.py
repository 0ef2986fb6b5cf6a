"""The work of each annotator."""

from __future__ import annotations

from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made

TABLE: Made[Results] = Made(86, lambda found: found.of_annotators[1])
