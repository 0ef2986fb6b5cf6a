"""How many questions can be answered without their images, with a note if the pairs were drawn several times."""

from __future__ import annotations

import json
from dataclasses import replace

from whatif.benchmarks.from_yaml.report import YamlResults
from whatif.benchmarks.shared.reports import audits_of
from whatif.results.reporting.declared import Made
from whatif.results.reporting.shortcuts import shortcuts
from whatif.results.reporting.table import Table


def _table(found: YamlResults) -> Table:
    audit = shortcuts(audits_of(found.task), found.settings.confidence, found.chances["original"])
    draws = found.task.settings.draws
    if draws == 1 or not found.questions:
        return audit
    draw = json.loads(found.questions[0]["provenance"])["draw"]
    note = (
        f" Pairs were drawn up to {draws} times, until guessing was inside all intervals of this audit, and otherwise "
        f"the nearest draw counts; this is draw {draw}. The numbers describe these pairs; the intervals are not those "
        "of a random draw."
    )
    return replace(audit, views=tuple(replace(view, note=view.note + note) for view in audit.views))


TABLE = Made(80, _table)
