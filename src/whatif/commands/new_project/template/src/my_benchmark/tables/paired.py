"""The standard table of paired questions: both accuracies, the drop with its test, consistency."""

from __future__ import annotations

from whatif.benchmark import Made, PairedResults, PairedText, Table, paired, paired_systems


def _table(found: PairedResults) -> Table:
    text = PairedText(found.title, found.level, unit="picture", group="Change")
    return paired(paired_systems(found.answers, found.names, found.images), found.settings.confidence, text)


TABLE = Made(20, _table)
