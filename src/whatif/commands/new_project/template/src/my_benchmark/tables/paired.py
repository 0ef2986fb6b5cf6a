"""The standard table of paired questions: both accuracies, the drop with its test, consistency."""

from __future__ import annotations

from whatif.benchmark import Made, PairedText, Table, TwinResults, paired, twin_systems


def _table(found: TwinResults) -> Table:
    text = PairedText(found.title, found.level, unit="picture", group="Change")
    return paired(twin_systems(found.answers, found.names, found.images), found.settings.confidence, text)


TABLE = Made(20, _table)
