"""The images that remain for the analysis by gender, step by step, beside the reported numbers (C-VQA 4.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from whatif.benchmarks.cvqa_real.gender_annotations import BOTH, GENDERS, UNSURE, coco_image_of
from whatif.results.reporting.numerals import count
from whatif.results.reporting.published_numbers import published
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy

Row = Mapping[str, Any]
SET, ASKED = "set", "asked"  # all images of the set, whether available or not; those that models are asked about
STAGES = ("in the set", "annotated", "of one gender", *GENDERS)
_NO_PEOPLE, _NOT_ANNOTATED = "a drawn scene", "not annotated"
_BOTH, _UNSURE = "people of both genders", "a gender that is not known"
_REPORTED = {
    "images_with_gender_and_skin_labels": "annotated",
    "single-gender": "of one gender",
    **{gender: gender for gender in GENDERS},
}


def gender_funnel(sets: Mapping[str, Sequence[Row]], genders: Mapping[int, str] | None) -> Table:
    """The table `gender-funnel`: the number of images at each stage, and why images are excluded.

    sets: the rows of questions of each scope: `set` and `asked`. An image counts once, however many questions it has.
    genders: by COCO image id, as from `perceived_genders`; None if there are no annotations. Images of one gender are
    those of men plus those of women; every excluded image has one reason.
    """
    rows: list[Row] = list(_reported())
    for scope, questions in sets.items():
        of_scope = {"source": OURS, "scope": scope}
        counts = Counter(_images(questions, genders or {}).values())
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
    scopes = {SET: "In the set", ASKED: "Asked about"}
    ours = [(heading, {"source": OURS, "scope": scope}) for scope, heading in scopes.items() if scope in sets]
    views = (
        View(
            "Images for the analysis by perceived gender (C-VQA 4.3): all images of the set, whether available or "
            "not, and those that models are asked about.",
            {"stage": "Images"},
            (
                Column("Reported", "images", {"source": REPORTED}, write=count),
                *(Column(heading, "images", where, write=count) for heading, where in ours),
            ),
            "No annotations were given." if genders is None else "",
        ),
        View(
            "Why images are excluded.",
            {"stage": "Stage", "reason": "Reason"},
            tuple(Column(heading, "excluded", where, write=count) for heading, where in ours),
        ),
    )
    identity = ("stage", "source", "scope", "reason", "measure", PUBLISHED)
    frame = tidy(sorted(rows, key=lambda row: STAGES.index(row["stage"])), identity, ("value",))
    return Table("gender-funnel", "Images by perceived gender", frame, views)


def why_no_gap(questions: Iterable[Row], genders: Mapping[int, str] | None) -> str:
    """Why Figure 5 shows no model, in words; to be used only if it shows none."""
    images = [coco_image_of(question) for question in questions]
    if images and not any(image is not None for image in images):
        return "The images are drawn scenes, which show no people."
    if genders is None:
        return "No annotations of perceived gender were given."
    if not any(genders.get(image) in GENDERS for image in images if image is not None):
        return "No image of the set has people of one annotated gender."
    return "No model answered questions about images of one annotated gender."


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


def _reported() -> Iterable[Row]:
    for row in published(__package__, "text"):
        if row["location"] == "sec4.3" and row["system"] == "none":
            stage = _REPORTED.get(row["metric"]) or _REPORTED.get(row["group"])
            if stage:
                numbers = {"measure": "images", "value": int(row["value"]), PUBLISHED: row["value"]}
                yield {"stage": stage, "source": REPORTED, **numbers}
