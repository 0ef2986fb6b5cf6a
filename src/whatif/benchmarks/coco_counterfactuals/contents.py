"""The contents of the COCO-Counterfactuals report, for our pairs and for the released pairs."""

from __future__ import annotations

from whatif.benchmarks.shared.dimensions import ENCODER, SHOWN_MATCHERS
from whatif.benchmarks.shared.tables import shared_tables
from whatif.engine.graph.dimensions import Shown

OF_PAIRS = ("whatif.benchmarks.coco_counterfactuals", *shared_tables("annotator_agreement", "annotators", "funnel"))
# The reported numbers that the tables show beside ours.
REPORTED = tuple(
    f"{__package__}:published/{table}.csv" for table in ("table1", "table2", "table7", "table10", "table13", "text")
)
SHOWN = (SHOWN_MATCHERS, Shown(ENCODER, ("name", "checkpoint")))  # the checkpoint decides between Table 13 and Table 2
PLOTS = tuple(
    {
        "file": f"table{number}.csv",
        "template": "recall",  # .dvc/plots/recall.json: our recall at k, by model, subset and retrieved item
        "x": "k",
        "y": "value",
        "x_label": "k",
        "y_label": "Recall at k (%)",
        "title": f"Image-text retrieval (COCO-Counterfactuals Table {number})",
    }
    for number in (2, 13)
)
