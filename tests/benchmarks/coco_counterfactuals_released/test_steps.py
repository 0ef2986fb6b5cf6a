"""The released pairs through the graph: labels, retrieval and matching, and what is no pair with its reason."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import Any

import pytest
from PIL import Image

from tests.people.imports.files import jsonl_file
from tests.pictures import png
from tests.projects import Project
from tests.published import numbers
from tests.released_captions import needs_released_captions, released_captions
from tests.shown_items import shown_items, shown_views
from tests.tiny_checkpoints import tiny_clip, tiny_vilt
from whatif.engine.errors import WhatifError
from whatif.people.picture_tasks import picture_tasks

pytestmark = pytest.mark.slow

pytest.importorskip("transformers")

NAME = "coco-counterfactuals-released"
CAPTIONS = [
    ("A cat on a sofa ", "A dog on a sofa "),
    ("Two kids by a fence", "Two girls by a fence"),
    ("A red bus", "A red car"),
]


def small(project: Project) -> Project:
    """A released data set of three pairs, a line that is none, and photographs of two of its captions."""
    folder = project.folder
    data = folder / "released"
    (data / "images").mkdir(parents=True)
    lines = []
    for place, captions in enumerate(CAPTIONS):
        for side in (0, 1):
            (data / "images" / f"{place}_{side}.png").write_bytes(png((40 * place, 200 * side, 7)))
        names = {f"image_{side}": f"{place}_{side}" for side in (0, 1)}
        lines.append({"id": place, "caption_0": captions[0], "caption_1": captions[1], **names})
    lines.append({"id": 9, "caption_0": "A cup", "caption_1": "A mug", "image_0": "gone", "image_1": "gone"})
    jsonl_file(data / "examples.jsonl", lines)
    photographs = folder / "photographs"
    photographs.mkdir()
    sources = []
    for place, (original, _) in enumerate(CAPTIONS[:2]):
        (photographs / f"{place}.png").write_bytes(png((3, 60 * place, 9)))
        sources.append({"id": f"c{place}", "caption": original.strip(), "image": f"{place}.png"})
    jsonl_file(folder / "captions.jsonl", sources)
    project.select(NAME)
    project.values["extract"][NAME] = {
        "data_set": str(data),
        "captions": str(folder / "captions.jsonl"),
        "image_folders": [str(photographs)],
    }
    project.values["models"] = {
        "clip": {"adapter": "dual-encoder", "checkpoint": str(tiny_clip(folder / "clip"))},
        "vilt": {"adapter": "cross-encoder", "checkpoint": str(tiny_vilt(folder / "vilt"))},
    }
    return project


def label(project: Project, pairs: list[dict[str, Any]], wrong: str) -> None:
    """Labels every image rightly but one."""
    file = project.folder / "labels.csv"
    with file.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(("task_id", "annotator", "label"))
        for task in picture_tasks(pairs, seed=project.values["seed"], labelled_three_times=0.1):
            (pair,) = (row for row in pairs if task.item_id.startswith(row["pair_id"] + "-"))
            shown = pair[f"caption_{task.item_id[-1]}"]
            writer.writerow((task.task_id, "7", "neither" if task.item_id == wrong else shown.strip()))
    project.values["verify"][NAME]["labels"] = str(file)


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


def test_released_pairs_are_labelled_searched_and_matched(project: Project) -> None:
    project.make("extract")
    pairs = project.rows("extract", "pairs")
    assert [row["pair_id"] for row in pairs] == ["0", "1", "2"]
    assert [json.loads(row["provenance"])["image_id"] is not None for row in pairs] == [True, True, False]
    rejected = project.rows("extract", "rejections")
    assert [(row["item_id"], row["reason"]) for row in rejected] == [("line-000004", "picture missing")]
    (missing,) = project.rows("extract", "missing")
    assert (missing["item_id"], missing["reason"]) == ("2", "unknown caption")
    label(project, pairs, wrong="1-1")
    project.make("verify", "evaluate", "aggregate")
    assert len({row["item_id"] for row in project.rows("verify", "judgements")}) == 6
    (error,) = project.rows("verify", "errors")
    assert (error["item_id"], error["detail"]) == ("1-1", "neither")
    ranks = Counter((row["subset"], row["direction"]) for row in project.rows("evaluate", "ranks", "retrieve"))
    assert ranks["counterfactuals", "text-retrieval"] == 6
    assert ranks["human-evaluated", "text-retrieval"] == 5
    assert ranks["originals", "text-retrieval"] == 2
    assert ranks["counterfactuals, unique captions", "image-retrieval"] == 6
    for name in ("table2", "table2-by-item", "table13", "table13-by-item"):
        assert f"{name}.csv" in {path.name for path in (project.folder / "metrics" / NAME).iterdir()}
    # Table 13 has the model that chose the released images, CLIP ViT-B/32; this one did not.
    searched = {
        table: set(numbers(project.folder / "metrics" / NAME / f"{table}.csv", source="ours")["model"])
        for table in ("table2", "table13")
    }
    assert searched == {"table2": {"clip"}, "table13": set()}
    assert Counter(row["model"] for row in project.rows("evaluate", "random-matches", "match")) == {
        "clip": 2,
        "vilt": 2,
    }
    metrics = project.metrics
    assert metrics["image_labels"]["all_correct"] == pytest.approx(100 * 5 / 6, abs=1e-4)
    folder = project.folder / "metrics" / NAME
    (right,) = numbers(folder / "table1.csv", variant="all", label="correct", measure="count", made_by="people")[
        "value"
    ]
    assert right == 5
    assert "labelled automatically" not in " ".join((folder / "report.md").read_text(encoding="utf-8").split())
    lost = numbers(folder / "funnel.csv", stage="extract", measure="rejected because")
    assert list(zip(lost["unit"], lost["reason"], lost["value"], strict=True)) == [
        ("pairs", "picture missing", 1),
        ("photographs", "unknown caption", 1),
    ]
    photographs = numbers(folder / "funnel.csv", stage="extract", unit="photographs")
    assert list(photographs["value"]) == [3, 2, 1, 1]


def test_errors_that_people_sorted_are_in_the_view_of_their_category(project: Project) -> None:
    project.make("extract")
    label(project, project.rows("extract", "pairs"), wrong="1-1")
    categories = project.folder / "categories.csv"
    categories.write_text("item_id,category\n1-1,Hyponymy relationship between altered subjects\n", encoding="utf-8")
    project.values["verify"][NAME]["error_categories"] = str(categories)
    project.make("verify", "evaluate", "aggregate")
    views, items = shown_views(project), {row["item_id"]: row for row in shown_items(project)}
    assert list(views) == ["figure-1", "figure-4", "hyponymy-relationship-between-altered-subjects"]
    view = views["hyponymy-relationship-between-altered-subjects"]
    assert view["heading"] == "Hyponymy relationship between altered subjects"
    assert "1 of the 1 errors of this category in the sample of 1" in view["text"] and "automatic" not in view["text"]
    assert [name for name, row in items.items() if view["view"] in row["views"]] == ["1"]
    notes = items["1"]["notes"]
    assert any(
        note.startswith("The counterfactual image is an error. Its subject: girls. Decision of the labels: neither")
        for note in notes
    )
    assert "Labels of the counterfactual image: 7: neither caption. Decision: neither caption." in notes
    assert items["1"]["group"] == "one image labelled as correct"
    assert not any("Drawn " in note or "Similarity" in note for note in notes), "not known of released pairs"
    photographs = [len(row["pictures"]) - 2 for row in items.values()]
    assert photographs == [1, 1, 0]


def wide(project: Project, pairs: list[dict[str, Any]]) -> None:
    """A wide file: all images are labelled, some by three people; captions in either order, adjudicated decisions."""
    project.folder.joinpath("people").mkdir()
    file = project.folder / "people" / "wide.csv"
    with file.open("w", newline="", encoding="utf-8") as text:
        writer = csv.writer(text)
        writer.writerow(("caption_1", "caption_2", "filename", "type", "label_1", "label_2", "label_3", "label"))
        for number, row in enumerate(pairs):
            for side, kind in enumerate(("original", "counterfactual")):
                first = (number + side) % 2
                own, other = ("1", "2") if first == side else ("2", "1")
                # The final decision differs from the majority where three people labelled the image.
                labels = (own, own, other, other) if number == 0 else (own, "", "", own)
                shown = (row[f"caption_{first}"], row[f"caption_{1 - first}"])
                writer.writerow((*shown, f"{row['pair_id']}_{side}.jpg", kind, *labels))
        writer.writerow(("A", "B", "999_0.jpg", "original", "1", "", "", ""))
        writer.writerow((*shown, f"{pairs[-1]['pair_id']}_1.jpg", "counterfactual", "neither", "", "", ""))
    project.section("verify")["labels"] = [{"path": str(file), "format": "wide"}]


def test_wide_labels_make_every_table_of_annotators_work(project: Project) -> None:
    project.make("extract")
    pairs = project.rows("extract", "pairs")
    wide(project, pairs)
    said = project.make("verify", "evaluate", "aggregate")
    (line,) = [line for line in said if "are not counted" in line]
    assert (
        "3 of 18 labels are not counted: given twice, differently (2), unknown item (1); for example wide.csv" in line
    )
    assert any("1 of 6 items have only a final decision, which the rule first does not count" in line for line in said)
    folder = project.folder / "metrics" / NAME
    # The last image was labelled twice, differently, so its own label does not count and only a final decision is left.
    rejected = project.rows("verify", "rejections")
    assert Counter(row["reason"] for row in rejected) == {"unknown item": 1, "given twice, differently": 2}
    assert all(row["detail"].startswith("wide.csv: line ") for row in rejected)
    labels = numbers(folder / "funnel.csv", stage="verify", unit="labels")
    judgements = project.rows("verify", "judgements")
    assert [int(value) for value in labels["value"]][:3] == [len(judgements) + 3, len(judgements), 3]
    images = numbers(folder / "funnel.csv", stage="verify", unit="images", measure="rejected because")
    assert list(zip(images["reason"], images["value"], strict=True)) == [("only a final decision", 1)]
    (correct,) = numbers(folder / "table1.csv", variant="all", label="correct", measure="count")["value"]
    assert correct == 5
    assert project.rows("verify", "errors") == []
    (shared,) = numbers(folder / "annotator-agreement.csv", measure="items", annotators="3")["value"]
    (equal,) = numbers(folder / "annotator-agreement.csv", measure="agreement")["value"]
    assert (shared, equal) == (2, pytest.approx(100 / 3, abs=1e-3))
    (unanimous,) = numbers(folder / "agreement.csv", measure="unanimous", source="ours")["value"]
    assert unanimous == 0, "a final decision is no fourth label"
    assert set(numbers(folder / "annotators.csv", measure="items")["annotator"]) == {"label_1", "label_2", "label_3"}
    ranks = Counter(row["subset"] for row in project.rows("evaluate", "ranks", "retrieve"))
    assert ranks["human-evaluated"] == ranks["human-evaluated, unique captions"] == 2 * 5

    project.section("verify")["resolution"] = {"rule": "adjudicated", "adjudicator": "adjudicated"}
    project.run("verify", "evaluate", "aggregate")
    errors = project.rows("verify", "errors")
    assert [(row["item_id"], row["detail"]) for row in errors] == [("0-0", "caption_1"), ("0-1", "caption_0")]
    (correct,) = numbers(folder / "table1.csv", variant="all", label="correct", measure="count")["value"]
    assert correct == 4
    (wrong,) = numbers(folder / "table10.csv", subjects="all", measure="errors")["value"]
    assert wrong == 2
    assert set(numbers(folder / "annotators.csv", measure="items")["annotator"]) == {"label_1", "label_2", "label_3"}
    ranks = Counter(row["subset"] for row in project.rows("evaluate", "ranks", "retrieve"))
    assert ranks["human-evaluated"] == 2 * 4
    assert "The adjudicator's label counts" in " ".join(project.published("report.md").split())


def test_of_three_labels_that_differ_the_first_counts_and_none_is_undecided(project: Project) -> None:
    lines = ["filename,type,caption_1,caption_2,label_1,label_2,label_3"]
    for number, (first, second) in enumerate(CAPTIONS):
        for side, kind in enumerate(("original", "counterfactual")):
            labels = ("1,both,2", "both,1,2")[number % 2]
            lines.append(f"{number}_{side}.jpg,{kind},{first},{second},{labels}")
    (project.folder / "three.csv").write_text("\n".join(lines), encoding="utf-8")
    project.section("verify")["labels"] = [{"path": str(project.folder / "three.csv"), "format": "wide"}]
    project.make("extract", "verify", "evaluate", "aggregate")
    folder = project.folder / "metrics" / NAME
    counts = numbers(folder / "table1.csv", variant="all", measure="count", made_by="people")
    assert dict(zip(counts["label"], counts["value"], strict=True)) == {
        **{"correct": 2, "incorrect": 2, "both": 2, "neither": 0, "undecided": 0}
    }
    project.section("verify")["resolution"] = {"rule": "majority"}
    project.run("verify", "evaluate", "aggregate")
    counts = numbers(folder / "table1.csv", variant="all", measure="count", label="undecided")
    assert list(counts["value"]) == [6]


def test_every_photograph_is_there_or_has_a_reason(project: Project) -> None:
    examples = project.folder / "released" / "examples.jsonl"
    lines = [json.loads(line) for line in examples.read_text(encoding="utf-8").splitlines()]
    lines.append({**lines[0], "id": 5, "caption_0": "  A cat on a sofa"})  # as another, but for outer space
    jsonl_file(examples, lines)
    (project.folder / "photographs" / "1.png").unlink()
    project.make("extract")
    told = {row["pair_id"]: json.loads(row["provenance"]) for row in project.rows("extract", "pairs")}
    assert told["0"]["image_id"] == told["5"]["image_id"] is not None
    missing = {row["item_id"]: row["reason"] for row in project.rows("extract", "missing")}
    assert missing == {"1": "picture missing", "2": "unknown caption"}
    assert {pair_id for pair_id, row in told.items() if row["image_id"] is None} == set(missing)
    project.values["extract"][NAME]["captions"] = None
    project.make("extract")
    rows = project.rows("extract", "missing")
    assert {row["reason"] for row in rows} == {"no caption set"} and len(rows) == 4


def test_no_pair_is_left(project: Project) -> None:
    examples = project.folder / "released" / "examples.jsonl"
    examples.write_text(examples.read_text(encoding="utf-8").splitlines()[-1], encoding="utf-8")
    with pytest.raises(WhatifError, match=r"none of 1 pairs is left: picture missing .*id 9: .*; give the released"):
        project.make("extract")
    assert not (project.folder / "data").exists() or not list((project.folder / "data").rglob("*.parquet"))


@needs_released_captions
def test_the_released_list_without_its_images_is_an_error(project: Project) -> None:
    folder = project.folder / "hub"
    folder.mkdir()
    jsonl_file(folder / "metadata.jsonl", released_captions())
    project.section("extract")["data_set"] = str(folder)
    with pytest.raises(WhatifError, match=r"^extract .*: none of 17,410 pairs is left: picture missing \(17,410\)"):
        project.make("extract")


def test_when_most_pairs_are_lost_one_line_says_so(project: Project) -> None:
    for picture in (project.folder / "released" / "images").glob("[01]_*.png"):
        picture.unlink()
    (line,) = [line for line in project.make("extract") if " pairs " in line]
    told = "only 1 of 4 pairs is left; most frequent reason: picture missing (3), for example line-000001: "
    assert line.startswith(f"warning: extract {NAME}: {told}")


def test_the_same_picture_twice_is_no_pair(project: Project) -> None:
    images = project.folder / "released" / "images"
    (images / "1_1.png").write_bytes((images / "1_0.png").read_bytes())
    with Image.open(images / "2_0.png") as picture:
        picture.save(images / "2_1.png", compress_level=0)  # the same pixels in other bytes
    project.make("extract")
    rejected = project.rows("extract", "rejections")
    assert Counter(row["reason"] for row in rejected) == {"picture missing": 1, "same picture": 2}
    assert [row["pair_id"] for row in project.rows("extract", "pairs")] == ["0"]


def test_a_limit_draws_pairs_by_their_ids(project: Project) -> None:
    drawn: dict[int, set[str]] = {}
    for limit in (1, 2, 3):
        project.values["extract"][NAME]["limit"] = limit
        project.make("extract")
        rejected = Counter(row["reason"] for row in project.rows("extract", "rejections"))
        assert rejected["not drawn"] == 4 - limit
        drawn[limit] = {row["pair_id"] for row in project.rows("extract", "pairs")}
        assert len(drawn[limit]) + rejected["picture missing"] == limit
    assert drawn[1] <= drawn[2] <= drawn[3]


@pytest.mark.parametrize("side", [8, 64])  # 64: a size that the recogniser of drawn scenes takes
def test_without_labels_nothing_is_judged_and_the_tables_say_so(project: Project, side: int) -> None:
    for picture in (project.folder / "released" / "images").iterdir():
        with Image.open(picture) as small:
            small.resize((side, side)).save(picture)
    project.make("extract", "verify", "evaluate", "aggregate")
    assert project.rows("verify", "judgements") == []
    (unlabelled,) = numbers(project.folder / "metrics" / NAME / "funnel.csv", stage="verify", reason="no label")[
        "value"
    ]
    assert unlabelled == 6


def test_a_data_set_must_be_named(project: Project) -> None:
    project.values["extract"][NAME]["data_set"] = None
    with pytest.raises(WhatifError, match="data_set: is null; give the folder or the zip"):
        project.make("extract")
