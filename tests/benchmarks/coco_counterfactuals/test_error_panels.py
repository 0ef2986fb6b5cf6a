"""The gallery of errors by category, and of pairs with and without Prompt-to-Prompt: what it shows, and escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.reporting.test_gallery import Page
from whatif.artifacts.images import ImageStore, image_row
from whatif.artifacts.schemas import IMAGES
from whatif.artifacts.writer import write_artifact
from whatif.benchmarks.coco_counterfactuals.error_panels import error_sections, sharing_section
from whatif.drawing import png
from whatif.reporting.gallery import Section, gallery
from whatif.verification.error_categories import ANNOTATION, CATEGORIES, HYPONYMY, OBJECT

PEOPLE = {"labelled_by": "people", "sorted_by": "people"}
DECISIONS = ("caption_1", "caption_0", "both", "neither", "undecided")


def store(folder: Path, number: int) -> tuple[ImageStore, list[str]]:
    """Images of one colour each."""
    from PIL import Image

    rows = [
        image_row(png.encode(Image.new("RGB", (4, 4), (place, 7, 9))), 4, 4, "test", "CC0-1.0")
        for place in range(number)
    ]
    write_artifact(folder / "images.parquet", IMAGES, rows)
    return ImageStore([folder / "images.parquet"]), [row["image_id"] for row in rows]


def pair(number: int, ids: list[str], **other: Any) -> dict[str, Any]:
    return {
        "pair_id": f"p{number}",
        "caption_0": f"A <b>man {number}</b> & a dog.",
        "caption_1": f"A boy {number} & a dog.",
        "subject_0": "man",
        "subject_1": "<i>boy",
        "image_id_0": ids[2 * number],
        "image_id_1": ids[2 * number + 1],
        **other,
    }


def error(item: str, category: str, decision: str = "neither") -> dict[str, str]:
    return {"item_id": item, "reason": category, "detail": decision}


def text(sections: list[Section]) -> tuple[Page, str]:
    page = Page(gallery("Errors", sections))
    return page, " ".join(" ".join(page.words).split())


def test_a_section_for_each_category_most_frequent_first_and_the_unsorted_last(tmp_path: Path) -> None:
    images, ids = store(tmp_path, 8)
    pairs = [pair(number, ids) for number in range(4)]
    errors = [
        error("p0-0", ""),
        error("p1-0", HYPONYMY),
        error("p2-0", OBJECT),
        error("p3-1", ANNOTATION),
        error("p2-1", ANNOTATION),
        error("p3-0", ANNOTATION),
    ]
    sections = error_sections(errors, pairs, images, 2, **PEOPLE)
    assert [one.heading for one in sections] == [ANNOTATION, OBJECT, HYPONYMY, "Errors without a category"]
    assert [len(one.panels) for one in sections] == [2, 1, 1, 1]
    assert "3 of the 6 errors in the sample; 2 shown." in sections[0].text
    assert "so both captions are valid" in sections[2].text
    assert len({one.name for one in sections}) == 4
    assert all(one.panels == () for one in error_sections(errors, pairs, images, 0, **PEOPLE))
    assert error_sections([], pairs, images, 2, **PEOPLE) == []


def test_every_category_has_its_own_link(tmp_path: Path) -> None:
    images, ids = store(tmp_path, 2)
    errors = [error(f"p0-{place % 2}", category) for place, category in enumerate(CATEGORIES)]
    sections = error_sections(errors, [pair(0, ids)], images, 1, **PEOPLE)
    assert [one.heading for one in sections] == list(CATEGORIES)
    assert len({one.name for one in sections}) == len(CATEGORIES)


def test_an_error_has_both_captions_its_subject_and_the_decision_and_all_is_escaped(tmp_path: Path) -> None:
    images, ids = store(tmp_path, 2)
    told = ("the counterfactual caption", "the original caption", "both captions", "neither caption", "no decision")
    for decision, words in zip(DECISIONS, told, strict=True):
        page, shown = text(error_sections([error("p0-1", OBJECT, decision)], [pair(0, ids)], images, 1, **PEOPLE))
        assert page.open == [] and not {"b", "i"} & set(page.tags)
        assert len(page.sources) == 2
        assert "Original: A <b>man 0</b> & a dog." in shown
        assert "Counterfactual (the error): A boy 0 & a dog." in shown
        assert f"Its subject: <i>boy. Decision of the labels: {words}." in shown
    _, shown = text(error_sections([error("p0-0", OBJECT)], [pair(0, ids)], images, 1, **PEOPLE))
    assert "The error is the original image. Its subject: man." in shown and "Original (the error)" in shown


def test_what_no_person_made_is_said_in_each_section(tmp_path: Path) -> None:
    images, ids = store(tmp_path, 2)
    errors = [error("p0-0", OBJECT), error("p0-1", "")]
    for labelled_by, sorted_by, said in (
        ("automatic", "automatic", ("Labels and categories are automatic, not by people.", "Labels are automatic, ")),
        ("automatic", "people", ("Labels are automatic, not by people.", "Labels are automatic, not by people.")),
        ("people", "automatic", ("Categories are automatic, not by people.", "1 shown.")),
    ):
        sections = error_sections(errors, [pair(0, ids)], images, 1, labelled_by=labelled_by, sorted_by=sorted_by)
        assert [words in one.text for words, one in zip(said, sections, strict=True)] == [True, True]
    assert not any("automatic" in one.text for one in error_sections(errors, [pair(0, ids)], images, 1, **PEOPLE))


def test_with_and_without_sharing_side_by_side(tmp_path: Path) -> None:
    images, ids = store(tmp_path, 4)
    how = {"guidance": 7.5, "seed": 12, "candidate": 3}
    shared = pair(0, ids, image_image=0.91, p=0.62, **how)
    alone = {**pair(0, ids[2:]), "image_image": 0.4321, "p": 0.0, **how}
    page, shown = text([sharing_section([pair(1, ids), shared], [alone], images)])
    assert len(set(page.sources)) == 4 and page.open == [] and "b" not in page.tags
    assert "0.910 with Prompt-to-Prompt (p 0.62), 0.432 without. Guidance 7.5, seed 12." in shown
    assert page.alternatives == [
        "With: A <b>man 0</b> & a dog.",
        "With: A boy 0 & a dog.",
        "Without: A <b>man 0</b> & a dog.",
        "Without: A boy 0 & a dog.",
    ]
    _, shown = text([sharing_section([shared], [], images)])
    assert "There is none to show." in shown
