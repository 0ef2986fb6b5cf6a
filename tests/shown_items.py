"""The items that a benchmark's report published for the site, and whether the site can show their images."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.projects import Project
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.graph.jobs import Job

Row = dict[str, Any]


def shown_items(project: Project) -> list[Row]:
    """The rows of `items`, checked: ids occur once, views exist, and all images are in inputs of the report's step."""
    job = project.jobs("aggregate")[-1]
    rows = project.rows("aggregate", "items")
    views = project.rows("aggregate", "views")
    check_items(rows, views)
    store = ImageStore(
        [project.folder / path for given in job.inputs.values() if given.table == IMAGES for path in given.paths]
    )
    assert missing_images(rows, store) == set()
    return rows


def shown_views(project: Project) -> dict[str, Row]:
    """The rows of `item-views` by name, in order."""
    return {row["view"]: row for row in project.rows("aggregate", "views")}


def images_read_by(job: Job) -> ImageStore:
    """The images in all inputs of a job, in the current folder."""
    return ImageStore([path for given in job.inputs.values() if given.table == IMAGES for path in given.paths])


def missing_images(rows: Iterable[Row], store: ImageStore) -> set[str]:
    """The images of items that a store does not have."""
    return {one["image_id"] for row in rows for one in row["pictures"] if one["image_id"] not in store}


def check_items(rows: Iterable[Row], views: Iterable[Row]) -> None:
    """Ids of items and, in an item, of questions occur once; the views are those that items name."""
    found = list(rows)
    ids = [row["item_id"] for row in found]
    assert len(set(ids)) == len(ids)
    for row in found:
        questions = [one["question_id"] for one in row["questions"]]
        assert len(set(questions)) == len(questions)
        for one in row["questions"]:
            systems = [answer["system"] for answer in one["answers"]]
            assert len(set(systems)) == len(systems)
    assert {row["view"] for row in views} == {name for row in found for name in row["views"]}
