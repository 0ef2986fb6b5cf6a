"""The settings of label files in `params.yaml`: path, format, and what the columns and words of the file mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from whatif.engine.params.base import Settings, SourcePath

Format = Literal[
    "whatif",  # the CSV of tasks of our own export, filled in
    "wide",  # CSV or JSONL with one row for each item: label_1, label_2, ...
    "long",  # CSV or JSONL with one row for each label
    "columns",  # the same; `columns` names every column
    "label-studio",  # an export of Label Studio: JSON, JSON-MIN or CSV
    "mturk",  # the results of a batch of Amazon Mechanical Turk
    "corrected-copy",  # a copy of a file of items in which people changed fields and removed rows
    "rejected-ids",  # the ids of rejected items
    "chosen-images",  # the image file that was chosen for each item
    "answers",  # CSV or JSONL with one row for each answer of a person to a question
]
NUMBERED = "{n}"  # in the name of a column: 1, 2, 3, ...
ONE_PERSON = ("corrected-copy", "rejected-ids")  # formats that name no annotator
FIRST, SECOND, OWN, OTHER, UNLABELLED = "first", "second", "own", "other", "unlabelled"


def _texts(given: Any) -> Any:
    """Keys of a mapping as texts: YAML reads `1` as a number, and `yes` as a truth value."""
    if not isinstance(given, dict):
        return given
    for key in given:
        if isinstance(key, bool):
            raise ValueError(f"YAML reads a key as {str(key).lower()}; put quotes around words such as yes and no")
    return {str(key) if isinstance(key, int) else key: value for key, value in given.items()}


class ColumnMap(Settings):
    """The columns of a label file. A format has defaults; what is given here replaces them and must exist.

    An empty name means that the file has no such column, or that it is to be ignored.

    `{n}` in `decision` stands for 1, 2, 3, ...: a row then has several labels. It may also be in the other names.
    """

    item: str | None = None  # item id, pair id, task id, or the name of an image file
    side: str | None = None  # of a pair: original or counterfactual
    annotator: str | None = None
    decision: str | None = None
    corrected: dict[str, str] = Field(default_factory=dict)  # field of the item -> column with its corrected value
    comment: str | None = None
    time: str | None = None  # ISO 8601
    duration: str | None = None  # of the work on this label, in `duration_unit`
    first: str | None = None  # the captions in the order in which the annotator saw them
    second: str | None = None
    adjudicated: str | None = None  # the final decision, by an adjudicator

    def given(self) -> dict[str, Any]:
        """The names that the settings give; None and no corrected fields stand for those of the format."""
        return {name: value for name, value in self.model_dump().items() if value is not None and value != {}}

    @model_validator(mode="after")
    def _numbered(self) -> ColumnMap:
        others = (self.item, self.side, self.annotator, self.comment, self.time, self.duration, self.first, self.second)
        if self.decision and NUMBERED not in self.decision and any(NUMBERED in (one or "") for one in others):
            raise ValueError(f"a column has {NUMBERED}, but `decision` has not; number the decisions, too")
        if NUMBERED in (self.decision or ""):
            for field, column in self.corrected.items():
                if NUMBERED not in column:
                    raise ValueError(
                        f"corrected.{field}: {column} has no {NUMBERED}, but `decision` has; number it, too"
                    )
        if NUMBERED in (self.adjudicated or ""):
            raise ValueError(f"adjudicated: {self.adjudicated}: an item has one adjudicated decision; name one column")
        return self


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
    "answers": ColumnMap(
        item="question_id",
        annotator="attempt",
        decision="answer",
        comment="comment",
        time="time",
        duration="seconds",
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
    "answers": ("item", "annotator", "decision"),
}
CORRECTED = "corrected_"  # a preset's column of a corrected field is `corrected_<field>`; mturk: `Answer.corrected_...`


class LabelFile(Settings):
    """One file of labels, and how it is read."""

    path: SourcePath = Field(min_length=1)
    format: Format
    columns: ColumnMap = ColumnMap()
    # Word of the file -> decision. For pairs also `first`, `second` (caption as shown), `own`, `other` (caption that
    # the image was or was not made from). `unlabelled` for words that are no label. Replaces the words of the format.
    values: Annotated[dict[str, str], BeforeValidator(_texts)] = Field(default_factory=dict)
    sides: Annotated[dict[str, int], BeforeValidator(_texts)] = Field(default_factory=dict)  # word -> 0 or 1
    annotator: str | None = Field(default=None, min_length=1)  # who made all labels, if the file does not say
    duration_unit: Literal["milliseconds", "seconds", "minutes"] = "seconds"
    parent: SourcePath | None = None  # corrected-copy: the file that was copied; null: the items themselves
    rest: Literal["accept"] | None = None  # rejected-ids: decision about all other items; null leaves them unjudged

    @field_validator("sides")
    @classmethod
    def _of_a_pair(cls, sides: dict[str, int]) -> dict[str, int]:
        for word, side in sides.items():
            if side not in (0, 1):
                raise ValueError(f"{word}: {side} is no side of a pair; use 0 (original) or 1 (counterfactual)")
        return sides

    @model_validator(mode="after")
    def _consistent(self) -> LabelFile:
        if self.annotator is not None and self.columns.annotator is not None:
            raise ValueError("annotator and columns.annotator are both given; keep one")
        if self.format in ONE_PERSON and self.annotator is None:
            raise ValueError(f"annotator is missing; a file of the format {self.format} does not say who made it")
        if self.format in ONE_PERSON and (extra := self.columns.given().keys() - {"item", "corrected"}):
            raise ValueError(f"columns.{min(extra)}: the format {self.format} has only item and corrected")
        if self.format == "columns" and not (self.columns.item and (self.columns.decision or self.columns.corrected)):
            raise ValueError("the format columns needs columns.item, and columns.decision or columns.corrected")
        for name in ("item", "decision"):
            if getattr(self.columns, name) == "" and (name == "item" or not self.columns.corrected):
                raise ValueError(f"columns.{name} is empty; name the column")
        if self.parent is not None and self.format != "corrected-copy":
            raise ValueError(f"parent: only the format corrected-copy has one, not {self.format}")
        if self.rest is not None and self.format != "rejected-ids":
            raise ValueError(f"rest: only for the format rejected-ids, not for {self.format}")
        return self


def _listed(format_of_paths: Format) -> Callable[[Any], Any]:
    """What makes a list of one file or several; those of which only the path is given have this format."""

    def listed(given: Any) -> Any:
        entries = given if isinstance(given, list) else [given]
        return [{"path": entry, "format": format_of_paths} if isinstance(entry, str) else entry for entry in entries]

    return listed


def _once(files: list[LabelFile]) -> list[LabelFile]:
    paths = [file.path for file in files]
    for path in paths:
        if paths.count(path) > 1:
            raise ValueError(f"{path} is listed twice; keep one")
    return files


# The type of a setting: a list of files, or one file. Only a path is a filled-in CSV of our own export.
LabelFiles = Annotated[list[LabelFile], BeforeValidator(_listed("whatif")), AfterValidator(_once), Field(min_length=1)]
# The same for people's answers to questions. Only a path is a file in the format `answers`; an empty list is no file.
AnswerFiles = Annotated[list[LabelFile], BeforeValidator(_listed("answers")), AfterValidator(_once)]
