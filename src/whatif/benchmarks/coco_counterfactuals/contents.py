"""What the report of COCO-Counterfactuals holds, ours and the released ones."""

from __future__ import annotations

from whatif.benchmarks.shared.dimensions import ENCODER, SHOWN_MATCHERS
from whatif.benchmarks.shared.tasks import table_files
from whatif.graph.dimensions import Shown

# File name -> heading in the report.
TABLES = {
    "table1": "Table 1: which caption a picture was judged to show",
    "agreement": "Agreement of the annotators",
    "table2": "Table 2: image-text retrieval",
    "table13": "Table 13: image-text retrieval by the model that chose the pictures",
    "changes": "Image-text retrieval: changes with their intervals",
    "figure3": "Figure 3: image-text matching",
    "table7": "Table 7: categories of errors",
    "table10": "Table 10: altered subjects among errors",
    "human": "Human subjects (A.3.2)",
    "funnel": "Funnel",
}
PUBLISHED = ("report.md", "gallery.html", "figure3.svg", *table_files(tuple(TABLES)))
SHOWN = (SHOWN_MATCHERS, Shown(ENCODER, ("name", "checkpoint")))  # the checkpoint tells Table 13 from Table 2
