"""The work of each annotator."""

from __future__ import annotations

from whatif.benchmarks.shared.annotator_tables import Annotated, work_of
from whatif.results.reporting.declared import Made

TABLE: Made[Annotated] = Made(86, work_of)
