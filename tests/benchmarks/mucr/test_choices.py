"""People choose one pair of images among those that CLIP preselected: tasks out, choices in, and what is refused."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.benchmarks.mucr.released_rows import image_bytes
from tests.benchmarks.mucr.rows import Row, candidate, causal_pair, choice
from tests.people.imports.files import csv_file, csv_rows
from tests.projects import Project
from whatif.benchmarks.mucr.choice_tasks import choice_task_set, interface_of, with_images
from whatif.benchmarks.mucr.choices import chosen
from whatif.benchmarks.mucr.schemas import CANDIDATES, CAUSAL_PAIRS, CHOICES, SIDES
from whatif.benchmarks.shared.imported_labels import Labelled, LabelSettings
from whatif.commands.cli import main
from whatif.engine import artifacts
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import Resolution
from whatif.people.exports.folder import NO_IMAGE
from whatif.people.imports.settings import LabelFile


def picture(pair: str, style: str, side: str, place: int) -> bytes:
    return image_bytes(f"{len(pair) + place}-{style}-{side == 'effect':d}.png")


def drawn(pair: str, style: str, side: str, place: int) -> Row:
    return candidate(pair, style, side, place, image_row(picture(pair, style, side, place), 8, 8, "", "")["image_id"])


def measured(pair: str, style: str, place: int, by: str = "clip") -> Row:
    measures = {"caption_cause": 0.3, "caption_effect": 0.3, "likeness": 0.9 - place / 10}
    return choice(pair, style, place, chosen_by=by, **measures)


PRESELECTED = [
    *(measured("1", "comic", place) for place in range(3)),
    *(measured("1", "photograph", place) for place in range(2)),
    *(measured("2", "comic", place) for place in range(2)),
    measured("3", "comic", 0, "released"),
]


def decide(folder: Path, *said: tuple[str, str, str], rule: Any = "majority") -> Labelled:
    """The choices after labels: item, annotator, decision."""
    text = "item_id,annotator,decision\n" + "".join(",".join(row) + "\n" for row in said)
    (folder / "choices.csv").write_text(text, encoding="utf-8")
    files = [LabelFile.model_validate({"path": str(folder / "choices.csv"), "format": "long"})]
    return chosen(PRESELECTED, LabelSettings(files, Resolution(rule=rule)), 0)


def taken(found: Labelled) -> dict[str, tuple[int, str]]:
    return {f"{row['pair_id']}-{row['style']}": (row["place"], row["chosen_by"]) for row in found.rows}


def test_without_labels_the_best_by_clip_is_taken() -> None:
    found = chosen(PRESELECTED, LabelSettings(None, Resolution(rule="majority")), 0)
    assert taken(found) == {
        "1-comic": (0, "clip"),
        "1-photograph": (0, "clip"),
        "2-comic": (0, "clip"),
        "3-comic": (0, "released"),
    }
    assert found.rejections == found.judgements == []


def test_people_choose_a_pair_or_none(tmp_path: Path) -> None:
    said = [("1-comic", "ann", "3"), ("1-comic", "bob", "3"), ("1-comic", "cem", "1"), ("2-comic", "ann", "none")]
    found = decide(tmp_path, *said)
    assert taken(found) == {"1-comic": (2, "people"), "1-photograph": (0, "clip"), "3-comic": (0, "released")}
    assert found.rows[0] == {**measured("1", "comic", 2), "chosen_by": "people"}
    assert found.rejections == [
        {
            "item_id": "2/comic",
            "reason": "no pair of images fits",
            "detail": "people find that none of 2 pairs of images can be used",
        }
    ]
    assert len(found.judgements) == 4


def test_people_who_disagree(tmp_path: Path) -> None:
    said = [("1-comic", "ann", "1"), ("1-comic", "bob", "2")]
    found = decide(tmp_path, *said)
    assert found.rejections == [{"item_id": "1/comic", "reason": "annotators disagree", "detail": "ann: 1; bob: 2"}]
    assert "1-comic" not in taken(found)


def test_a_number_that_the_task_does_not_show(tmp_path: Path) -> None:
    found = decide(tmp_path, ("1-photograph", "ann", "3"), ("1-comic", "ann", "2"), ("3-comic", "ann", "1"))
    assert taken(found)["1-photograph"] == (0, "clip")
    reasons = {row["reason"]: row["detail"] for row in found.refused_labels}
    assert reasons["unknown number"] == "ann chose 3 of 2 pairs of images"
    assert "unknown item" in reasons, "the images of pair 3 were chosen by its source"
    assert [row["item_id"] for row in found.judgements] == ["1-comic"]


@pytest.fixture
def preselected(folder: Path) -> Project:
    """A project with preselected images, in the places where the graph keeps them."""
    project = Project(folder, "mucr")
    origin = {"category": "human", "provenance": '{"origin":"captions"}'}
    pairs = [causal_pair(name, "group-1", f"Cause <{name}>.", f"=Effect {name}.", **origin) for name in ("1", "2", "3")]
    places = [(one["pair_id"], one["style"], side, one["place"]) for one in PRESELECTED for side in SIDES]
    rows = sorted((drawn(*place) for place in places), key=lambda row: str(row["candidate_id"]))
    made = [image_row(picture(*place), 8, 8, "drawn:test", "CC0-1.0") for place in places]
    images = sorted({row["image_id"]: row for row in made}.values(), key=lambda row: str(row["image_id"]))
    for path, table, content in (
        ("generate/mucr/pairs", CAUSAL_PAIRS, pairs),
        ("extract/mucr/provided", CANDIDATES, [row for row in rows if row["pair_id"] == "3"]),
        ("extract/mucr/images", IMAGES, images[:1]),
        ("generate/mucr/candidates/scenes/part-000-of-001", CANDIDATES, [row for row in rows if row["pair_id"] != "3"]),
        ("generate/mucr/drawn-images/scenes/part-000-of-001", IMAGES, images),
        (
            "filter/mucr/preselected",
            CHOICES,
            sorted(PRESELECTED, key=lambda row: (row["pair_id"], row["style"], row["place"])),
        ),
    ):
        place = folder / f"data/{path}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        write_artifact(place, table, content, role=place.stem, made_from={})
    project.write_params()
    return project


def export(tool: str, *more: str) -> str:
    done = CliRunner().invoke(
        main, ["export", "tasks", "mucr", tool, "--of", "choose", "--to", tool, "--annotators", "2", *more]
    )
    assert done.exit_code == 0, done.output
    return done.output


def test_a_spreadsheet_shows_two_images_for_each_choice(preselected: Project) -> None:
    assert export("csv") == "csv: 3 tasks, 6 labels to give: instructions.txt, tasks.csv\n"
    rows = csv_rows("csv/tasks.csv")
    named = [[row[name] for name in ("image", *(f"image_{place}" for place in range(2, 7)))] for row in rows]
    assert sorted({sum(bool(name) for name in names) for names in named}) == [4, 6]
    assert all(Path("csv", name).is_file() for names in named for name in names if name)
    told = Path("csv/instructions.txt").read_text(encoding="utf-8")
    assert "The columns image to image_6 name image files in this folder." in told
    assert "image_4: Pair 2, effect" in told
    assert {row["style"] for row in rows} == {"comic", "photograph"}


def test_label_studio_and_mturk_show_nothing_for_a_missing_pair(preselected: Project) -> None:
    export("label-studio")
    tasks = json.loads(Path("label-studio/tasks-by-2.json").read_text(encoding="utf-8"))
    empty = sorted(sum(value == NO_IMAGE for value in task["data"].values()) for task in tasks)
    assert empty == [0, 2, 2]
    interface = Path("label-studio/labelling-interface.xml").read_text(encoding="utf-8")
    assert interface.count("<Image ") == 6 and '<Header value="Pair 3, effect" size="5"' in interface
    assert '<Choice value="None of these pairs can be used." alias="none"' in interface
    export("mturk", "--image-url", "https://lab.example/")
    batch = csv_rows("mturk/batch-by-2.csv")
    assert sorted(sum(unescape(value) == NO_IMAGE for value in row.values()) for row in batch) == [0, 2, 2]


def test_annotators_see_the_images_that_were_chosen(preselected: Project) -> None:
    data = preselected.folder / "data"
    rows = artifacts.rows_of([data / "generate/mucr/pairs.parquet"], CAUSAL_PAIRS)
    footer = {"made_from": {}}
    write_artifact(data / "extract/mucr/pairs.parquet", CAUSAL_PAIRS, list(rows), role="pairs", **footer)
    (data / "verify/mucr").mkdir(parents=True)
    chosen_rows = [measured("1", "comic", 1), measured("1", "photograph", 0)]
    write_artifact(data / "verify/mucr/choices.parquet", CHOICES, chosen_rows, role="choices", **footer)
    done = CliRunner().invoke(main, ["export", "tasks", "mucr", "out", "--of", "annotate-images", "--to", "csv"])
    assert done.exit_code == 0, done.output
    shown = {row["cause_caption"]: [row["image"], row["image_2"]] for row in csv_rows("out/tasks.csv")}
    images = {drawn("1", "photograph", side, 0)["image_id"] for side in SIDES}
    assert {Path(name).stem for name in shown["Cause <1>."]} == images, "those of the first style"
    assert shown["Cause <2>."] == shown["Cause <3>."] == ["", ""]


def test_filled_tasks_come_back_as_choices(preselected: Project) -> None:
    export("csv")
    csv_file(Path("filled.csv"), [{**row, "label": "2"} for row in csv_rows("csv/tasks.csv")])
    files = [LabelFile.model_validate({"path": "filled.csv", "format": "whatif"})]
    found = chosen(PRESELECTED, LabelSettings(files, Resolution(rule="majority")), preselected.values["seed"])
    assert taken(found)["1-comic"] == taken(found)["2-comic"] == (1, "people")
    assert found.refused_labels == []
    others = [{**row, "place": 1 - row["place"]} if row["pair_id"] == "2" else row for row in PRESELECTED]
    found = chosen(others, LabelSettings(files, Resolution(rule="majority")), preselected.values["seed"])
    assert {row["reason"] for row in found.refused_labels} == {"unknown task"}, "their numbers mean other images now"
    assert (taken(found)["1-comic"], taken(found)["2-comic"]) == ((1, "people"), (0, "clip"))


def test_the_step_writes_what_people_chose(preselected: Project) -> None:
    Path("labels.csv").write_text("item_id,annotator,decision\n1-comic,ann,2\n2-comic,ann,none\n", encoding="utf-8")
    preselected.section("verify")["choices"] = [{"path": "labels.csv", "format": "long"}]
    (job,) = [one for one in preselected.jobs("verify") if one.step.name == "verify" or "choices" in one.outputs]
    preselected.make_jobs([job])
    rows = preselected.rows("verify", "choices")
    assert [(row["pair_id"], row["style"], row["place"], row["chosen_by"]) for row in rows] == [
        ("1", "comic", 1, "people"),
        ("1", "photograph", 0, "clip"),
        ("3", "comic", 0, "released"),
    ]


def test_tasks_without_images_or_choices() -> None:
    with pytest.raises(WhatifError, match="there is nothing to choose"):
        choice_task_set([], 0)
    pairs = [{"pair_id": "1", "cause_caption": "a", "effect_caption": "b"}]
    with pytest.raises(WhatifError, match="candidate 1-comic-cause-00: has no image"):
        with_images(PRESELECTED[:3], pairs, [], released="released")
    assert with_images([PRESELECTED[-1]], pairs, [], released="released") == []
    assert with_images(PRESELECTED[:3], [], [], released="released") == [], "the pair was removed"
    assert len(interface_of(4).images) == 8
