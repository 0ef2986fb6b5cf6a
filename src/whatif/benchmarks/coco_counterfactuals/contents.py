"""The contents of the COCO-Counterfactuals report, for our pairs and for the released pairs."""

from __future__ import annotations

from whatif.benchmarks.shared.annotator_tables import ANNOTATOR_TABLES
from whatif.benchmarks.shared.dimensions import ENCODER, SHOWN_MATCHERS
from whatif.engine.graph.dimensions import Shown
from whatif.results.reporting.table_modules import table_files

TABLES = (
    *("table1", "agreement", *ANNOTATOR_TABLES),
    *("table2", "table13", "figure3", "paired", "table7", "table10", "human", "funnel"),
)
SHARING = ("figure2",)  # a further table of our pairs, some of which are drawn without Prompt-to-Prompt
BY_ITEM = ("table2-by-item", "table13-by-item")  # further tables of the released pairs
# The reported numbers that the tables show beside ours.
REPORTED = tuple(
    f"{__package__}:published/{table}.csv" for table in ("table1", "table2", "table7", "table10", "table13", "text")
)
PUBLISHED = ("report.md", "figure3.svg", *table_files(TABLES))
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
