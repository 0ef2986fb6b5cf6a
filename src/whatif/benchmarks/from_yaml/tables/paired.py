"""The standard measures of pairs."""

from __future__ import annotations

from whatif.benchmarks.from_yaml.report import YamlResults
from whatif.results.reporting.declared import Made
from whatif.results.reporting.paired import PairedText, paired, paired_systems
from whatif.results.reporting.table import Table


def _table(found: YamlResults) -> Table:
    text = PairedText(found.title, found.level, "pair" if found.images is None else "picture", group="Template")
    return paired(paired_systems(found.answers, found.names, found.images), found.settings.confidence, text)


TABLE = Made(20, _table)
