"""The points of the plot of accuracies, for `dvc plots`."""

from __future__ import annotations

from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.results.reporting.declared import Figure
from whatif.results.reporting.plots import accuracy_points, points_csv

FIGURE: Figure[Puzzles] = Figure(lambda found, tables: points_csv(accuracy_points(tables["table7"].frame)))
