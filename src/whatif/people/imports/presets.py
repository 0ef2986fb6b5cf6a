"""The columns that a label file of each format has, unless the settings name others."""

from __future__ import annotations

from whatif.people.imports.settings import ColumnMap

# Columns by which each format names what a label is; a column that the settings do not give may be missing.
PRESETS: dict[str, ColumnMap] = {
    "whatif": ColumnMap(
        item="task_id", annotator="annotator", decision="label", comment="comment", time="time", duration="seconds"
    ),
    "wide": ColumnMap(
        item="filename",
        side="type",
        annotator="annotator_{n}",
        decision="label_{n}",
        comment="comment_{n}",
        time="time_{n}",
        duration="seconds_{n}",
        first="caption_1",
        second="caption_2",
        adjudicated="label",
    ),
    "long": ColumnMap(
        item="item_id",
        side="side",
        annotator="annotator",
        decision="decision",
        comment="comment",
        time="time",
        duration="seconds",
    ),
    "columns": ColumnMap(),
    "label-studio": ColumnMap(
        item="task_id",
        annotator="annotator",
        decision="decision",
        comment="comment",
        time="created_at",
        duration="lead_time",
    ),
    "mturk": ColumnMap(
        item="Input.task_id",
        annotator="WorkerId",
        decision="Answer.decision",
        comment="Answer.comment",
        time="SubmitTime",
        duration="WorkTimeInSeconds",
    ),
    "corrected-copy": ColumnMap(item="item_id"),
    "rejected-ids": ColumnMap(item="item_id"),
    "chosen-images": ColumnMap(
        item="item_id", annotator="annotator", decision="chosen", comment="comment", time="time"
    ),
}
NEEDED = {  # of a preset
    "whatif": ("item", "annotator", "decision"),
    "wide": ("item", "decision"),
    "long": ("item", "decision"),
    "label-studio": ("item", "decision"),
    "mturk": ("item", "annotator", "decision"),
    "corrected-copy": ("item",),
    "rejected-ids": ("item",),
    "chosen-images": ("item", "decision"),
}
CORRECTED = "corrected_"  # a preset's column of a corrected field is `corrected_<field>`; mturk: `Answer.corrected_...`
