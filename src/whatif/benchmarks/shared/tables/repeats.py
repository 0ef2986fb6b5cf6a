"""Accuracy, pass@k and drop of the models that are asked each question several times, with the noise of decoding."""

from __future__ import annotations

from whatif.benchmarks.shared.repeated_questions import repeats_of
from whatif.benchmarks.shared.results import Results
from whatif.results.reporting.declared import Made

TABLE: Made[Results] = Made(60, repeats_of)
