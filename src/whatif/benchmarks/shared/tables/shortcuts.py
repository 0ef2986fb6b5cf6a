"""How many questions can be answered without their images."""

from __future__ import annotations

from whatif.benchmarks.shared.reports import audits_of
from whatif.benchmarks.shared.results import Audited
from whatif.results.reporting.declared import Made
from whatif.results.reporting.shortcuts import shortcuts

TABLE: Made[Audited] = Made(80, lambda found: shortcuts(audits_of(found.task), found.settings.confidence, found.chance))
