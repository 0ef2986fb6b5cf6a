"""The agreement of the annotators."""

from __future__ import annotations

from whatif.benchmarks.shared.annotator_tables import Annotated, agreement_of
from whatif.results.reporting.declared import Made

TABLE: Made[Annotated] = Made(84, agreement_of)
