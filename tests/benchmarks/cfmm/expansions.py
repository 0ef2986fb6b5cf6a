"""Items that are to be expanded, and their project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.choice_questions import choice_question
from tests.projects import Project
from tests.served_model import encoded_picture
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.run import run

Row = dict[str, Any]
NAME = "cfmm"
# category -> basic question, answer and wrong option; counterfactual question and answer; and the new ones of the model
ITEMS: dict[str, tuple[tuple[str, str, str], tuple[str, str], tuple[tuple[str, str], ...]]] = {
    "color": (
        ("What color is the bus?", "red", "green"),
        ("If the bus and the taxi swapped colors, what color would the bus be?", "yellow"),
        (
            ("If the bus were given the color of the sky, what color would it be?", "blue"),
            ("If the paints of the bus and the taxi were mixed, what color would they give?", "orange."),
            ("If the taxi drove away, what color would the bus be?", "Red"),
        ),
    ),
    "count": (
        ("How many birds are on the wire?", "4", "6"),
        ("If one bird flew away, how many birds would be on the wire?", "3"),
        (
            ("If two more birds came, how many birds would be on the wire?", "6"),
            ("If half of the birds left, how many birds would be on the wire?", "2"),
            ("If the wire were painted red, how many birds would be on it?", "four"),
        ),
    ),
    "direction": (
        ("Where does the man look?", "left", "up"),
        ("If the man turned around, where would he look?", "right"),
        (
            ("If the image were mirrored, where would the man look?", "right"),
            ("If the man lay down on his back, where would he look?", "up"),
            ("If the man wore a hat, where would he look?", "left"),
        ),
    ),
}


def given(category: str) -> dict[str, str]:
    """The JSON object that the model gets about an item."""
    (question, answer, _), (changed, result), _ = ITEMS[category]
    return {
        "category": category,
        "basic question": question,
        "basic answer": answer,
        "counterfactual question": changed,
        "counterfactual answer": result,
    }


def good(category: str) -> dict[str, str]:
    """The JSON object of a reply that can be used."""
    reply = given(category)
    for place, (question, answer) in enumerate(ITEMS[category][2], start=1):
        reply |= {f"counterfactual question{place}": question, f"counterfactual answer{place}": answer}
    return reply


def item_rows(category: str) -> list[Row]:
    """The questions of an item, whose id is `<category>-1`."""
    (question, answer, other), (changed, result), _ = ITEMS[category]
    texts = {"basic": (question, [answer, other]), "counterfactual": (changed, [result, answer])}
    more = {"image_ids": [image_of(category)["image_id"]], "provenance": {"origin": "annotator"}}
    return [
        choice_question(f"{category}-1-{variant}", f"{category}-1", category, variant, text, choices, **more)
        for variant, (text, choices) in texts.items()
    ]


def image_of(category: str) -> Row:
    return image_row(encoded_picture(sorted(ITEMS).index(category)), 28, 28, f"test:{category}", "CC0-1.0")


def small(project: Project, rows: list[Row] | None = None) -> Project:
    """Selects the benchmark, with these questions as those that were checked; by default all items."""
    project.select(NAME)
    project.values["models"] = {}
    rows = [row for category in ITEMS for row in item_rows(category)] if rows is None else rows
    images = sorted((image_of(category) for category in ITEMS), key=lambda row: str(row["image_id"]))
    checked, extracted = Path(f"data/generate/{NAME}/checked.parquet"), Path(f"data/extract/{NAME}/images.parquet")
    for path, table, role, content in ((checked, QUESTIONS, "checked", rows), (extracted, IMAGES, "images", images)):
        (project.folder / path).parent.mkdir(parents=True, exist_ok=True)
        footer = {"role": role, "made_from": {}}
        write_artifact(project.folder / path, table, content, **footer)
    return project


def expand(project: Project, **changes: Any) -> list[str]:
    """Runs the expansion of the model `writer` alone; returns what the job said."""
    project.generate["expansion"] = {"model": "writer", **changes}
    said: list[str] = []
    (job,) = [job for job in project.jobs("generate") if job.step.name == "expand"]
    assert run(job, said.append) == "computed"
    return said
