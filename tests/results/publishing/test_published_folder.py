"""A published data set: what libraries of the hub, Croissant and citations read in it, and what must not be in it."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import datasets
import mlcroissant
import pytest
import yaml
from huggingface_hub import DatasetCard
from rocrate.rocrate import ROCrate

from tests.awkward_texts import AWKWARD
from tests.formats.test_hugging_face_pairs import question
from tests.results.publishing import composed
from tests.results.publishing.composed import BOUND, FREE, PEOPLE, PHOTOGRAPHS, facts, questions
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.formats.croissant import CROISSANT
from whatif.formats.ro_crate import PROCESS_RUN, RO_CRATE
from whatif.results.publishing.folders import digests
from whatif.results.publishing.pictures import PublishedPictures
from whatif.results.publishing.publish import left_out, write_benchmark

TEXT_FILES = ("README.md", CROISSANT, "CITATION.cff", "eval.yaml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("composed")
    write_benchmark(facts(place / "artifacts"), place / "whatif-ours")
    return place / "whatif-ours"


def loaded(folder: Path, table: str, cache: Path) -> datasets.Dataset:
    return datasets.load_dataset(str(folder), table, split="test", cache_dir=str(cache))


def metadata(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / CROISSANT).read_text(encoding="utf-8"))
    return found


def test_the_datasets_library_loads_rows_with_the_pictures_that_may_be_published(folder: Path, tmp_path: Path) -> None:
    rows = sorted(questions(), key=lambda row: str(row["question_id"]))
    found = loaded(folder, "questions", tmp_path)
    for column in ("question_id", "question", "choices", "answer", "answer_kind"):
        assert found[column] == [row[column] for row in rows]
    bound = {row["image_id"] for row in PHOTOGRAPHS}
    for record, row in zip(found, rows, strict=True):
        assert record["image_ids"] == row["image_ids"]
        assert [image is None for image in record["images"]] == [one in bound for one in row["image_ids"]]
        licences = dict(zip(record["image_ids"], record["licences"], strict=True))
        assert all(licence == (BOUND if one in bound else FREE) for one, licence in licences.items())
    pairs = loaded(folder, "pairs", tmp_path)
    assert pairs["caption_0"] == ["Ein Äffchen, 猿"] * 3 and pairs[2]["image_1"].getpixel((0, 0)) == (2, 0, 11)
    assert pairs["licence_0"] == ["CC0-1.0"] * 3


def test_croissant_is_valid_and_its_records_are_the_rows(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        data_set = mlcroissant.Dataset(folder / CROISSANT)
    issues = data_set.metadata.ctx.issues
    assert (issues.errors, issues.warnings, caplog.messages) == (set(), set(), [])
    found = loaded(folder, "questions", tmp_path)
    records = list(data_set.records("questions"))
    assert len(records) == len(found) == 8
    for record, row in zip(records, found, strict=True):
        for column in ("question_id", "question", "answer", "source", "licence"):
            if column in row:
                assert record[f"questions/{column}"].decode() == row[column]
        choices = record["questions/choices"]
        assert (choices and [one.decode() for one in choices]) == row["choices"]
        shown = record["questions/images"]
        assert [image and image.getpixel((0, 0)) for image in shown] == [
            image and image.getpixel((0, 0)) for image in row["images"]
        ]
    pairs = list(data_set.records("pairs"))
    assert [record["pairs/p"] for record in pairs] == [0.25] * 3
    assert [record["pairs/image_1"].getpixel((0, 0)) for record in pairs] == [(number, 0, 11) for number in range(3)]


def test_awkward_texts_are_the_same_in_the_records_of_croissant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [
        question(number, question=text, choices=["red", text], answer="A", answer_kind="choice", group=text)
        for number, text in enumerate(AWKWARD)
    ]
    monkeypatch.setattr(composed, "questions", lambda: asked)
    write_benchmark(composed.facts(tmp_path / "artifacts"), tmp_path / "ours")
    columns = ("question_id", "question", "group", "choices")
    read = [
        [[text.decode() for text in value] if isinstance(value, list) else value.decode() for value in values]
        for record in mlcroissant.Dataset(tmp_path / "ours" / CROISSANT).records("questions")
        for values in [[record[f"questions/{column}"] for column in columns]]
    ]
    expected = sorted(asked, key=lambda row: str(row["question_id"]))
    assert read == [[row[column] for column in columns] for row in expected]
    assert DatasetCard.load(tmp_path / "ours" / "README.md").data.configs[0]["config_name"] == "questions"


def test_the_library_of_ro_crate_reads_every_file_and_what_it_was_made_with(tmp_path: Path) -> None:
    made = {"commit": "f00d", "changed_files": 2, "libraries": {"numpy": ["2.4.0", "2.5.0"]}}
    for name in ("first", "again"):
        write_benchmark(facts(tmp_path / f"{name} artifacts"), tmp_path / name, made)
    folder = tmp_path / "first"
    crate = ROCrate(folder)
    sums = {name: digest for name, digest in digests(folder).items() if name != RO_CRATE}
    assert {one.id: one["sha256"] for one in crate.data_entities} == sums and len(sums) > 5
    (run,) = crate.get_by_type("CreateAction")
    assert {one.id for one in run["result"]} == set(sums) and run["object"]["version"] == "f00d"
    used = [(one["name"], one["softwareVersion"]) for one in run["instrument"]["softwareRequirements"]]
    assert used == [("numpy", "2.4.0"), ("numpy", "2.5.0")]
    root, described = crate.root_dataset, metadata(folder)
    for name in ("name", "description", "version", "datePublished", "keywords", "url"):
        assert root[name] == described[name], name
    assert [one.id for one in root["license"]] == described["license"]
    assert [one["name"] for one in root["author"]] == [one["name"] for one in described["creator"]]
    assert root["conformsTo"].id == PROCESS_RUN
    assert (folder / RO_CRATE).read_bytes() == (tmp_path / "again" / RO_CRATE).read_bytes()


def test_croissant_lists_every_file_with_its_hash(folder: Path) -> None:
    files = {one["@id"]: one for one in metadata(folder)["distribution"] if one["@type"] == "cr:FileObject"}
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert set(files) == present - {CROISSANT}
    for name, one in files.items():
        data = (folder / name).read_bytes()
        assert (one["sha256"], one["contentSize"]) == (hashlib.sha256(data).hexdigest(), f"{len(data)} B")


def test_responsible_ai_fields_say_what_is_recorded_and_nothing_else(folder: Path) -> None:
    found = {name.removeprefix("rai:"): value for name, value in metadata(folder).items() if name.startswith("rai:")}
    assert "with seed 7, from captions.json" in found["dataCollection"]
    assert "extract ours (pairs 3, questions 8)" in found["dataCollection"]
    assert found["dataCollectionType"] == ["Software Collection", "Secondary Data Analysis", "Manual Human Curator"]
    assert found["dataCollectionRawData"] == "captions.json: SHA-256 f00d"
    assert "1 of 5 pictures" not in found["dataCollectionMissingData"]
    assert "1 of 9 pairs were rejected in the stage filter" in found["dataCollectionMissingData"]
    assert "too like the original: 1" in found["dataManipulationProtocol"]
    assert "questions.choices (4)" in found["dataImputationProtocol"]
    assert found["annotationsPerItem"] == "1 for 1 items, 2 for 1 items"
    assert "2 people gave labels: accept 2, reject 1" in found["dataAnnotationProtocol"]
    assert found["dataAnnotationAnalysis"] == ["fleiss of 2 annotators: 0.500 (0.100 to 0.900), 1 items"]
    assert "lab/clip, checkpoint of extract.ours.clip" in found["machineAnnotationTools"]
    assert any("always the letter A”: 62.5 (30.0 to 86.0)% of 8" in text for text in found["dataBiases"])
    assert found["personalSensitiveInformation"] == ["1 pictures are from outside (coco) and may show persons."]
    # Nothing is known of these.
    assert not {"annotatorDemographics", "dataAnnotationPlatform", "dataSocialImpact"} & set(found)


def test_the_card_is_read_by_the_hubs_library(folder: Path) -> None:
    card = DatasetCard.load(folder / "README.md")
    assert card.data.license == ["cc-by-4.0", "cc0-1.0"] and card.data.language == ["en", "zh"]
    assert [one["config_name"] for one in card.data.configs[:2]] == ["questions", "pairs"]
    text = card.content
    for told in (
        "| questions | 8 | 0 | 8 | 2 |",
        "9 different pictures; 8 are here, 1 are left out because of their licence",
        "| filter | pairs | 9 | 8 | 1 | too like the original (1) |",
        "| fleiss | 2 | 0.500 (0.100 to 0.900) | 1 |",
        "| original | always the letter A | 8 | 62.5 (30.0 to 86.0) |",
        "Seed: 7.",
        "| `extract.ours.clip` | `lab/clip` | abc123 |",
        "| `captions.json` | f00d |",
        f"| {BOUND} | not publishable | 1 |",
        "2 people labelled 2 items (1 items by 1, 1 items by 2). Their names are not published.",
        'load_dataset("lab/whatif-mucr", "questions", split="test")',
    ):
        assert told in text, told


def test_the_citation_names_authors_version_and_whatif(folder: Path) -> None:
    found = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
    assert (found["cff-version"], found["type"], found["title"]) == ("1.2.0", "dataset", "whatif-mucr")
    assert found["authors"] == [{"family-names": "Lovelace", "given-names": "Ada"}]
    assert found["version"] == metadata(folder)["version"] and found["date-released"] == "2026-11-23"
    assert found["license"] == ["CC-BY-4.0", "CC0-1.0"]
    assert found["references"][0]["title"] == "whatif"


def test_no_name_of_an_annotator_no_folder_and_no_withheld_picture_is_in_any_file(folder: Path, tmp_path: Path) -> None:
    hidden = ("/home/", "/tmp/", "captions/", PEOPLE[1])
    for path in folder.rglob("*"):
        if path.suffix in (".md", ".json", ".yaml", ".py", ".cff"):
            text = path.read_text(encoding="utf-8")
            assert [one for one in hidden if one in text] == [], path
    for name in ("README.md", CROISSANT):  # of the authors, but not of the annotator of the same name
        assert "annotator-" not in (folder / name).read_text(encoding="utf-8")
    found = loaded(folder, "questions", tmp_path)
    assert set(map(str, found["provenance"])) == {
        '{"by":"annotator-1","file":"cat.png"}',
        '{"by":"annotator-2","file":"cat.png"}',
    }
    shown = [image for record in found for image in record["images"] if image is not None]
    assert {image.getpixel((0, 0))[0] for image in shown} == {0}


def test_the_same_facts_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_benchmark(facts(folder.parent / "artifacts"), tmp_path / "again" / "whatif-ours")
    assert digests(tmp_path / "again" / "whatif-ours") == digests(folder)


def test_a_photograph_whose_own_licence_is_known_and_allows_it_is_published(tmp_path: Path) -> None:
    write_artifact(tmp_path / "images.parquet", IMAGES, PHOTOGRAPHS)
    shown = [row["image_id"] for row in PHOTOGRAPHS]
    licences = {1: "Attribution-NonCommercial License", 2: "Attribution-NoDerivs License", 3: "CC0-1.0"}
    found = PublishedPictures(shown, [tmp_path / "images.parquet"], licences)
    with found.gathered(tmp_path):
        assert [found.encoded(one) for one in shown] == [PHOTOGRAPHS[0]["image"]["bytes"], None]
    assert found.licences == ["Attribution-NonCommercial License"] and found.withheld == 1
    with pytest.raises(WhatifError, match="image none: is in none of the artifacts"):
        PublishedPictures(["none"], [tmp_path / "images.parquet"])


def test_private_pairs_are_left_out_and_counted(tmp_path: Path) -> None:
    found = facts(tmp_path / "artifacts", private=frozenset({"pair-001"}))
    write_benchmark(found, tmp_path / "ours")
    assert loaded(tmp_path / "ours", "questions", tmp_path)["pair_id"] == [
        f"pair-{number:03d}" for number in (0, 0, 2, 2, 3, 3)
    ]
    text = "\n".join(left_out(found))
    assert "left out: 2 of 8 questions, which are private" in text and "1 of 3 pairs" in text
    assert "| questions | 8 | 2 | 6 | 0 |" in (tmp_path / "ours" / "README.md").read_text(encoding="utf-8")
    assert b"pair-001" not in b"".join(path.read_bytes() for path in (tmp_path / "ours").rglob("*") if path.is_file())


@pytest.mark.parametrize("name", TEXT_FILES)
def test_text_files_are_utf8_without_escapes(folder: Path, name: str) -> None:
    if (folder / name).is_file():
        assert "\\u" not in (folder / name).read_text(encoding="utf-8")
