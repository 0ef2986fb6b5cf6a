"""The contents of the report on the scenes."""

from __future__ import annotations

from whatif.results.reporting.table_modules import table_files

TABLES = ("accuracy", "matching", "paired", "reading", "costs", "funnel")
PUBLISHED = ("report.md", *table_files(TABLES))
PLOTS = (
    {
        "file": "accuracy.csv",
        "template": "groups",  # .dvc/plots/groups.json: accuracy with its interval, by group of questions
        "x": "group",
        "y": "value",
        "x_label": "Type of answer",
        "y_label": "Accuracy (%)",
        "title": "Scenes",
    },
)
