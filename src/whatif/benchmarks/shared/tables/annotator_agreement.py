"""How far the annotators agree, for each question that they were asked."""

from __future__ import annotations

from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made

TABLE: Made[Results] = Made(84, lambda found: found.of_annotators[0])
