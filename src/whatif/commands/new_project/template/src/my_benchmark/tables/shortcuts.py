"""How many questions can be answered without the picture."""

from __future__ import annotations

from whatif.benchmark import Made, PairedResults, audits_of, shortcuts

from my_benchmark.report import CHANCE

TABLE: Made[PairedResults] = Made(80, lambda found: shortcuts(audits_of(found.task), found.settings.confidence, CHANCE))
