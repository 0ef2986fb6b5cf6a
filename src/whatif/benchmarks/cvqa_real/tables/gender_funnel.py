"""The images that remain for the analysis by gender, step by step, beside the reported numbers (C-VQA 4.3).

An image counts once, however many questions it has. Images of one gender are those of men plus those of women; every
excluded image has one reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from whatif.benchmarks.cvqa_real.gender_annotations import BOTH, GENDERS, UNSURE, coco_image_of
from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, View

Row = Mapping[str, Any]
SET, ASKED = "set", "asked"  # all images of the set, whether available or not; those that models are asked about
_OURS = [
    (heading, {"source": OURS, "scope": scope}) for scope, heading in ((SET, "In the set"), (ASKED, "Asked about"))
]
STAGES = ("in the set", "annotated", "of one gender", *GENDERS)
_NO_PEOPLE, _NOT_ANNOTATED = "a drawn scene", "not annotated"
_BOTH, _UNSURE = "people of both genders", "a gender that is not known"
_REPORTED = {
    "images_with_gender_and_skin_labels": "annotated",
    "single-gender": "of one gender",
    **{gender: gender for gender in GENDERS},
}


def _rows(found: RealResults) -> list[Row]:
    """The number of images at each stage, and why images are excluded."""
    rows = list(_reported())
    for scope, questions in ((SET, found.main_set), (ASKED, found.questions)):
        of_scope = {"source": OURS, "scope": scope}
        counts = Counter(_images(questions, found.perceived or {}).values())
        kept = sum(counts[gender] for gender in GENDERS)
        annotated = kept + counts[_BOTH] + counts[_UNSURE]
        numbers = (counts.total(), annotated, kept, *(counts[gender] for gender in GENDERS))
        rows += [
            {**of_scope, "stage": stage, "measure": "images", "value": number}
            for stage, number in zip(STAGES, numbers, strict=True)
        ]
        for reason in (_NO_PEOPLE, _NOT_ANNOTATED, _BOTH, _UNSURE):
            if counts[reason]:
                stage = "annotated" if reason in (_NO_PEOPLE, _NOT_ANNOTATED) else "of one gender"
                why = {"stage": stage, "reason": reason, "measure": "excluded", "value": counts[reason]}
                rows.append({**of_scope, **why})
    return sorted(rows, key=lambda row: STAGES.index(row["stage"]))


def _images(questions: Iterable[Row], genders: Mapping[int, str]) -> dict[int | str, str]:
    """Each image -> its gender if it is of one, or else the reason why it is excluded."""
    found: dict[int | str, str] = {}
    for question in questions:
        image = coco_image_of(question)
        if image is None:
            found[(question["image_ids"] or [question["pair_id"]])[0]] = _NO_PEOPLE
        else:
            gender = genders.get(image, _NOT_ANNOTATED)
            found[image] = {BOTH: _BOTH, UNSURE: _UNSURE}.get(gender, gender)
    return found


def _reported() -> Iterator[Row]:
    for row in published("whatif.benchmarks.cvqa_real", "text"):
        if row["location"] == "sec4.3" and row["system"] == "none":
            stage = _REPORTED.get(row["metric"]) or _REPORTED.get(row["group"])
            if stage:
                numbers = {"measure": "images", "value": int(row["value"]), PUBLISHED: row["value"]}
                yield {"stage": stage, "source": REPORTED, **numbers}


TABLE: Declared[RealResults] = Declared(
    position=55,
    title="Images by perceived gender",
    identity=("stage", "source", "scope", "reason", "measure", PUBLISHED),
    numbers=("value",),
    rows=_rows,
    views=lambda found: (
        View(
            "Images for the analysis by perceived gender (C-VQA 4.3): all images of the set, whether available or "
            "not, and those that models are asked about.",
            {"stage": "Images"},
            (
                Column("Reported", "images", {"source": REPORTED}, write=count),
                *(Column(heading, "images", where, write=count) for heading, where in _OURS),
            ),
            "No annotations were given." if found.perceived is None else "",
        ),
        View(
            "Why images are excluded.",
            {"stage": "Stage", "reason": "Reason"},
            tuple(Column(heading, "excluded", where, write=count) for heading, where in _OURS),
        ),
    ),
)
