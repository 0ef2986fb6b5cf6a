"""How the answers of programs divide into categories, and which programs are right (C-VQA 4.2)."""

from __future__ import annotations

from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.results.reporting.declared import Made
from whatif.results.reporting.programs import programs

TABLE: Made[Puzzles] = Made(
    110,
    lambda found: programs(
        found.task.rows("program-findings"), found.questions, found.names, found.settings, list(TEMPLATES)
    ),
)
