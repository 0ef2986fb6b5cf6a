"""The pairs and images of the released form, of core captions and of drawn scenes, as a project extracts them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.mucr.released_rows import (
    STYLES,
    Row,
    image_bytes,
    image_name,
    pair_row,
    with_images,
    write_images,
    write_rows,
)
from tests.projects import Project
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.errors import WhatifError
from whatif.formats.mucr_texts import cue_fault, explanation_of

pytestmark = pytest.mark.slow


@pytest.fixture
def mucr(folder: Path) -> Project:
    return Project(folder, "mucr")


def all_rows(last: int = 8) -> list[Row]:
    return [styled for number in range(1, last + 1) for styled in with_images(pair_row(number))]


def extract(mucr: Project, rows: list[Row], name: str = "pairs.jsonl", **changes: Any) -> list[str]:
    write_rows(mucr.folder / name, rows)
    mucr.section("extract").update({"released": name, **changes})
    return made(mucr)


def made(mucr: Project) -> list[str]:
    """What the extraction says, but for its time."""
    return [line for line in mucr.make("extract") if "computed in" not in line]


def table(mucr: Project, role: str) -> list[Row]:
    return mucr.rows("extract", role)


def reasons(mucr: Project) -> dict[str, tuple[str, str]]:
    return {row["item_id"]: (row["reason"], row["detail"]) for row in table(mucr, "rejections")}


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.parquet"])
def test_released_pairs_have_their_images(mucr: Project, name: str) -> None:
    write_images(mucr.folder / "images", all_rows())
    folders = [] if name.endswith("parquet") else ["images"]
    assert extract(mucr, all_rows(), name, image_folders=folders) == []
    pairs, provided = table(mucr, "pairs"), table(mucr, "provided")
    assert [row["pair_id"] for row in pairs] == [str(number) for number in range(1, 9)]
    assert json.loads(pairs[0]["provenance"]) == {"origin": "released"}
    assert (len(provided), reasons(mucr)) == (8 * 2 * 3, {})
    one = next(row for row in provided if row["candidate_id"] == "3-black-white-effect-00")
    assert (one["pair_id"], one["style"], one["side"], one["place"]) == ("3", "black-white", "effect", 0)
    assert (one["generator"], one["prompt"], one["seed"]) == ("released", pairs[2]["effect_caption"], None)
    store = ImageStore(mucr.paths("extract", "images"))
    assert store.encoded(one["image_id"]) == image_bytes(image_name(3, "black-white", 1))


def test_a_picture_missing_in_one_style(mucr: Project) -> None:
    rows = all_rows()
    rows = [row for row in rows if (row["id"], row["style"]) != (6, "photograph")]
    write_images(mucr.folder / "a", rows, without=["3-comic-1.png", "4-comic-0.png", "4-comic-1.png"])
    (mucr.folder / "a/3-photograph-0.png").write_bytes(b"no image")
    (mucr.folder / "b").mkdir()
    (mucr.folder / "b/4-comic-1.png").write_bytes(image_bytes("4-comic-1.png"))
    extract(mucr, rows, image_folders=["a", "b"])
    assert reasons(mucr) == {
        "3/comic": ("picture missing", "effect: 3-comic-1.png is in none of the 2 folders"),
        "3/photograph": ("picture unreadable", "cause: 3-photograph-0.png: UnidentifiedImageError"),
        "4/comic": ("picture missing", "cause: 4-comic-0.png is in none of the 2 folders"),
        "6/photograph": ("style missing", "the file has no row of this pair in the style photograph"),
    }
    found = Counter((row["pair_id"], row["style"]) for row in table(mucr, "provided"))
    assert set(found.values()) == {2}
    assert {(pair, style) for pair in "12345678" for style in STYLES} - found.keys() == {
        ("3", "comic"),
        ("3", "photograph"),
        ("4", "comic"),
        ("6", "photograph"),
    }
    assert len(table(mucr, "pairs")) == 8, "questions in text need no images"


@pytest.mark.slow
def test_questions_need_no_picture_that_is_missing(mucr: Project) -> None:
    """Extracted, drawn, preselected, chosen and asked: only what needs the missing image is not asked."""
    rows = all_rows()
    write_images(mucr.folder / "images", rows, without=["3-comic-1.png"])
    mucr.section("verify")["questions"]["train_share"] = 0.0
    extract(mucr, rows, image_folders=["images"])
    mucr.make("generate", "filter", "verify")
    choices = mucr.rows("verify", "choices")
    assert {row["chosen_by"] for row in choices} == {"released"} and len(choices) == 8 * 3 - 1
    asked = mucr.rows("verify", "questions")
    in_text = Counter(row["group"] for row in asked if row["variant"] == "text")
    assert in_text == {"C2E": 8, "CP": 8, "EXP": 8}
    comics = {
        row["pair_id"] for row in asked if row["group"] == "C2E" and row["question_id"].endswith("composite-comic")
    }
    assert comics == set("5678"), "the effect of pair 3 is an option for its whole group"
    unasked = {row["item_id"] for row in mucr.rows("verify", "unasked")}
    assert {f"{pair}-c2e-composite-comic" for pair in "1234"} <= unasked


def test_only_the_styles_of_the_settings_are_read(mucr: Project) -> None:
    write_images(mucr.folder / "images", [row for row in all_rows() if row["style"] == "comic"])
    mucr.generate["styles"] = ["comic"]
    extract(mucr, all_rows(), image_folders=["images"])
    assert {row["style"] for row in table(mucr, "provided")} == {"comic"}
    assert reasons(mucr) == {}


def test_folders_in_names_and_without_them(mucr: Project) -> None:
    rows = [row for row in all_rows(4) if row["style"] == "comic"]
    write_images(mucr.folder / "images/comic", rows)
    named = [{**row, "image_0": f"comic/{row['image_0']}"} for row in rows]
    extract(mucr, named, image_folders=["images", "images/comic"])
    assert (len(table(mucr, "provided")), reasons(mucr)) == (8, {})


def test_bad_pairs_are_counted_and_said(mucr: Project) -> None:
    rows = [pair_row(number) for number in range(1, 9)]
    rows[0]["cue"] = "hat"
    rows[1]["causal_reason"] = "because"
    rows[7]["caption_0"] = "nan"
    said = extract(mucr, rows, "pairs.csv")
    assert len(said) == 1
    assert said[0].startswith(
        "extract mucr: 5 groups, cue phrases, explanations and styles of pairs cannot be used; for"
    )
    assert "1/cue: two right cues: line 2: false_cue" in said[0]
    pairs = {row["pair_id"]: row for row in table(mucr, "pairs")}
    assert (pairs["1"]["cue"], pairs["1"]["false_cues"], pairs["2"]["explanation"]) == (None, None, None)
    assert pairs["2"]["cue"] == "water" and "8" not in pairs
    assert {pairs[name]["group_id"] for name in "567"} == {"broken-5"}
    assert {item: reason for item, (reason, _) in reasons(mucr).items()} == {
        "1/cue": "two right cues",
        "2/explanation": "explanation without three parts",
        "5/group": "group without four members",
        "6/group": "group without four members",
        "7/group": "group without four members",
        "8": "caption missing",
    }


def test_no_pair_is_left(mucr: Project) -> None:
    rows = [{**pair_row(number), "label": "car"} for number in range(1, 5)]
    with pytest.raises(WhatifError, match=r"none of 4 pairs is left: unknown category \(4\).*docs/mucr.md describes"):
        extract(mucr, rows)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"image_folders": []}, "extract.mucr.image_folders: is empty; name the folders of the images"),
        ({"image_folders": ["nowhere"]}, "nowhere: no such folder"),
        ({"captions": "pairs.jsonl"}, "released and captions both name the source of the pairs"),
    ],
)
def test_settings_that_cannot_be_used(mucr: Project, changes: Row, told: str) -> None:
    with pytest.raises(WhatifError, match=told):
        extract(mucr, all_rows(4), **changes)


def test_core_captions_keep_their_history(mucr: Project) -> None:
    history = [{"kind": "idea", "text": "Fire and water."}, {"kind": "comment", "text": "Show the smoke."}]
    rows = [{**pair_row(number), "cue": None, "false_cue": None, "history": history} for number in range(1, 5)]
    write_rows(mucr.folder / "captions.json", rows)
    mucr.section("extract")["captions"] = "captions.json"
    assert made(mucr) == []
    first = table(mucr, "pairs")[0]
    assert json.loads(first["provenance"]) == {"history": history, "origin": "captions"}
    assert (first["cue"], first["explanation"][:6]) == (None, "Cause:")
    assert table(mucr, "provided") == table(mucr, "images") == []


def test_drawn_groups_are_written_whole(mucr: Project) -> None:
    from whatif.world.causal_pairs import draw_group

    mucr.section("extract")["scenes"] = {"groups": 3}
    assert made(mucr) == []
    pairs = table(mucr, "pairs")
    assert set(Counter(row["group_id"] for row in pairs).values()) == {4} and len(pairs) == 12
    for row in pairs:
        known = json.loads(row["provenance"])
        drawn = draw_group(known["split"], known["number"], known["seed"])[known["place"]]
        assert (known["origin"], drawn.pair_id, drawn.cause_caption) == ("scenes", row["pair_id"], row["cause_caption"])
        assert cue_fault([row["cue"]], row["false_cues"]) is None
        assert explanation_of([row["explanation"]]) == row["explanation"]
    assert table(mucr, "provided") == table(mucr, "images") == table(mucr, "rejections") == []
