"""Tokens, cost and errors of each model, and of the judge."""

from __future__ import annotations

from whatif.benchmarks.shared.reports import costs_of
from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made

TABLE: Made[Results] = Made(100, lambda found: costs_of(found.task, found.dimension, found.names))
