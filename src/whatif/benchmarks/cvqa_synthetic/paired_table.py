"""The table `paired` of a set of puzzles, beside the accuracies of C-VQA's Table 7 and their drops."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.results.reporting.paired import PairedSystem, PairedText, paired, reported_rows
from whatif.results.reporting.paired_answers import answers_of_twins, by_group, pairs_of_twins
from whatif.results.reporting.precision import Precision
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import Table
from whatif.results.reporting.twin_answers import TwinAnswers


def paired_puzzles(
    answers: TwinAnswers, settings: Precision, names: Mapping[str, str], title: str, about: str
) -> Table:
    """The table of all models in `answers`; `names` are their display names, `about` is appended to the captions."""
    pairs = pairs_of_twins(answers)
    systems = (
        PairedSystem(model, names[model], dict(by_group(pairs, given))) for model, given in answers_of_twins(answers)
    )
    accuracies: dict[str, dict[str, float]] = {}
    for row in published(__package__, "table7"):
        accuracies.setdefault(row["system"], {})[row["variant"]] = float(row["value"])
    reported = [row for system, values in accuracies.items() for row in reported_rows(system, values)]
    text = PairedText(title, f"{100 * settings.confidence:g}%", group="Template", about=about)
    return paired(systems, settings.confidence, text, reported)
