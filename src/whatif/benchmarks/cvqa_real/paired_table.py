"""The table `paired` of C-VQA-Real: all strategies, beside the accuracies of Tables 3 to 5 and their drops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import STEP_BY_STEP
from whatif.benchmarks.cvqa_real.tables import REPORTED_GROUPS, table_3_name
from whatif.engine.language.strategies import DIRECT
from whatif.results.reporting.paired import PairedText, paired, reported_rows, twin_systems
from whatif.results.reporting.precision import Precision
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import Table
from whatif.results.reporting.twin_answers import TwinAnswers

Row = Mapping[str, Any]
# Table 5 is about a part of each group. Table 6 compares programs of other code models, which have no names here.
_STRATEGIES = {"3": DIRECT, "4": STEP_BY_STEP, "5": DIRECT}


def paired_questions(
    predictions: Sequence[Row], questions: Sequence[Row], *, settings: Precision, names: Mapping[str, str], main: str
) -> Table:
    """The table of the models in `names` (key -> display name, in that order), with `main` before other strategies."""
    found, order = {(row["model"], row["strategy"]) for row in predictions}, list(names)
    systems = sorted(found, key=lambda one: (order.index(one[0]), one[1] != main, one[1]))
    images = {row["pair_id"]: (row["image_ids"] or [row["pair_id"]])[0] for row in questions}
    answers = TwinAnswers(predictions, questions, systems)
    about = (
        "Answers are read by the rules alone. Yes-or-no questions have two possible answers, so a "
        "wrong one always counts as ignored. Reported rows are of the released set, that of GPT-4V of a tenth of it."
    )
    level = f"{100 * settings.confidence:g}%"
    text = PairedText("C-VQA-Real", level, "image", strategies=True, about=about)
    return paired(twin_systems(answers, names, images, GROUPS), settings.confidence, text, list(_reported()))


def _reported() -> Iterator[dict[str, Any]]:
    for table, strategy in _STRATEGIES.items():
        accuracies: dict[tuple[str, str], dict[str, float]] = {}
        for row in published(__package__, f"table{table}"):
            place = (table_3_name(row["system"]), REPORTED_GROUPS[row["group"]])
            accuracies.setdefault(place, {})[row["variant"]] = float(row["value"])
        for (name, group), values in accuracies.items():
            yield from reported_rows(name, values, group=group, strategy=strategy)
