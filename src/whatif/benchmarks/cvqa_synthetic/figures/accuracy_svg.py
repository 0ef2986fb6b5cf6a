"""Accuracy on counterfactual questions over that on original ones, beside the reported systems."""

from __future__ import annotations

from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.plots import accuracy_points, accuracy_scatter

FIGURE: Figure[Puzzles] = Figure(
    lambda found, tables: accuracy_scatter(accuracy_points(tables["table7"].frame), found.chance, found.title),
    above="",
)
