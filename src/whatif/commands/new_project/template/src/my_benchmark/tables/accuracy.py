"""A table of your own: the accuracy of each model by change and variant, with intervals by picture."""

from __future__ import annotations

from whatif.benchmark import Column, Declared, PairedResults, View, accuracy, each_variant, of_models

from my_benchmark.report import CHANCE

# Its rows have one number each, with the columns that identify it. Views say how they are printed.
TABLE: Declared[PairedResults] = Declared(
    position=10,
    title="Accuracy by change",
    identity=("model", "name", "source", "group", "variant", "measure"),
    rows=lambda found: of_models(found, each_variant(accuracy), by="group"),
    views=lambda found: (
        View(
            f"Accuracy in percent, with {found.level} intervals by picture; chance is {CHANCE:g}%.",
            {"model": "", "name": "Model", "group": "Change"},
            (
                Column("Original", "accuracy", {"variant": "original"}, interval=True),
                Column("Counterfactual", "accuracy", {"variant": "counterfactual"}, interval=True),
                Column("Pairs", "accuracy", {"variant": "original"}, number="n"),
            ),
            "A question without an answer counts as wrong.",
        ),
    ),
    numbers=("value", "low", "high", "n"),
)
