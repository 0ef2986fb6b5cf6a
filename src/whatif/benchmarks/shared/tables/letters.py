"""The share of each letter among the answers of each model, and its unanswered questions."""

from __future__ import annotations

from whatif.benchmarks.shared.results import PairedResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.pair_measures import COUNTS, each_variant, letters, of_models, unanswered
from whatif.results.reporting.table import Column, View

TABLE: Declared[PairedResults] = Declared(
    position=50,
    title="Letters chosen",
    identity=("model", "name", "source", "variant", "measure", "answer"),
    numbers=("value", "n"),
    rows=lambda found: of_models(found, each_variant(letters, unanswered)),
    views=lambda found: (
        View(
            f"{found.title}: letters chosen, in percent of answered questions, and number of unanswered ones.",
            {"model": "", "name": "Model", "variant": "Variant"},
            (*(Column(letter, "share", {"answer": letter}) for letter in found.answers.questions.letters), *COUNTS),
            found.ranked_by,
        ),
    ),
)
