"""`whatif export tasks`: what it writes for each tool, and one line for a mistake."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.command_line import refused, whatif
from tests.defaults import PARAMS
from tests.people.imports.files import csv_file, read
from tests.people.pairs import pair, pictures
from whatif.engine.artifacts.schemas import IMAGES, PAIRS, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.people.exports.questions import question_items
from whatif.people.imports.items import Items

ROWS = [pair(number) for number in range(5)]


def question(number: int, variant: str) -> dict[str, Any]:
    return {
        "question_id": f"{number:03d}-{variant}",
        "pair_id": f"{number:03d}",
        "group": "counting",
        "variant": variant,
        "question": f"How many {variant} dogs?",
        "choices": None,
        "answer": str(number),
        "answer_kind": "number",
        "image_ids": [pictures(range(5))[number]["image_id"]],
        "provenance": "{}",
    }


QUESTION_ROWS = [question(number, variant) for number in range(3) for variant in ("counterfactual", "original")]


def export_tasks(*arguments: str) -> Result:
    return whatif("export", "tasks", *arguments)


def done(*arguments: str) -> str:
    result = export_tasks(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the tables that the graph makes, some of them in parts."""
    monkeypatch.chdir(tmp_path)
    data = Path("data/filter/coco-counterfactuals")
    write_artifact(data / "pairs" / "part-000-of-002.parquet", PAIRS, ROWS[:2])
    write_artifact(data / "pairs" / "part-001-of-002.parquet", PAIRS, ROWS[2:])
    write_artifact(data / "images" / "part-000-of-001.parquet", IMAGES, pictures(range(5)))
    write_artifact(Path("data/filter/cvqa-real/questions.parquet"), QUESTIONS, QUESTION_ROWS)
    write_artifact(Path("data/extract/cvqa-real/images.parquet"), IMAGES, pictures(range(5)))


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_pairs_for_a_spreadsheet_and_back() -> None:
    told = done("coco-counterfactuals", "out", "--to", "csv", "--annotators", "2", "--people", "4")
    assert told == "out: 10 tasks, 20 labels to give: instructions.txt, tasks.csv\n"
    rows = rows_of("out/tasks.csv")
    assert {row["annotator"] for row in rows} == {"1", "2", "3", "4"}
    assert all(Path("out", row["image"]).is_file() for row in rows)
    filled = csv_file(Path("filled.csv"), [{**row, "label": "both"} for row in rows])
    labels = read(filled, "whatif", Items.of_pairs(ROWS, seed=0))
    assert len(labels.judgements) == 20 and labels.items_without_label == 0


def test_questions_for_a_spreadsheet_and_back() -> None:
    done("cvqa-real", "out", "--to", "csv", "--of", "verify", "--annotators", "1", "--seed", "9")
    rows = rows_of("out/tasks.csv")
    answers = [{**row, "label": "accept", "corrected_answer": "12"} for row in rows]
    labels = read(csv_file(Path("filled.csv"), answers), "whatif", question_items(QUESTION_ROWS, 9))
    assert {row["item_id"]: row["corrected"] for row in labels.judgements} == {
        row["question_id"]: '{"answer":"12"}' for row in QUESTION_ROWS
    }


def test_without_options_params_yaml_says_who_judges_what() -> None:
    Path("params.yaml").write_bytes(PARAMS.read_bytes())
    assert "10 tasks, 12 labels" in done("coco-counterfactuals", "out", "--to", "label-studio")  # a tenth by three
    assert "10 tasks, 30 labels" in done("coco-counterfactuals", "all", "--to", "label-studio", "--annotators", "3")
    assert sorted(path.name for path in Path("out").iterdir()) == [
        "instructions.html",
        "labelling-interface.xml",
        "tasks-by-1.json",
        "tasks-by-3.json",
    ]
    assert len(json.loads(Path("out/tasks-by-3.json").read_bytes())) == 1


def test_gold_items_go_to_everybody_and_nothing_says_which_they_are() -> None:
    csv_file(Path("gold.csv"), [{"item_id": "pair-001-0", "decision": "caption_0"}])
    options = ("--to", "csv", "--annotators", "1", "--people", "3", "--gold", "gold.csv")
    assert "10 tasks, 12 labels" in done("coco-counterfactuals", "out", *options)
    assert "gold" not in Path("out/tasks.csv").read_text(encoding="utf-8")
    assert sorted(path.name for path in Path("out").iterdir()) == ["images", "instructions.txt", "tasks.csv"]
    csv_file(Path("gold.csv"), [{"item_id": "pair-001-0", "decision": "perhaps"}])
    assert refused(export_tasks("coco-counterfactuals", "other", *options)).startswith(
        "gold.csv: line 2: 'perhaps' is not one of"
    )
    csv_file(Path("gold.csv"), [{"item_id": "pair-999-0", "decision": "both"}])
    assert "gold.csv: none of its 1 labels is about one of these pairs" in refused(
        export_tasks("coco-counterfactuals", "other", *options)
    )


def test_images_on_the_web() -> None:
    done(
        "coco-counterfactuals", "web", "--to", "label-studio", "--image-url", "https://lab.org/i/", "--annotators", "2"
    )
    (first, *_) = json.loads(Path("web/tasks-by-2.json").read_bytes())
    assert (Path("web/images") / first["data"]["image"].removeprefix("https://lab.org/i/")).is_file()
    done(
        "cvqa-real", "turk", "--to", "mturk", "--of", "verify", "--image-url", "https://lab.org/i/", "--annotators", "2"
    )
    names = {row["image"].removeprefix("https://lab.org/i/") for row in rows_of("turk/batch-by-2.csv")}
    assert names == {path.name for path in Path("turk/images").iterdir()}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing", "out", "--to", "csv"], "benchmark nothing: is unknown; use one of cfmm, coco-counterfactuals, "),
        (
            ["coco-counterfactuals-training", "out", "--to", "csv"],
            "benchmark coco-counterfactuals-training: people judge nothing in it; use one of ",
        ),
        (["scenes", "out", "--to", "csv"], "there is no table of questions; run `dvc repro`"),
        (["cvqa-real", "out", "--of", "verify", "--to", "mturk"], "--image-url is missing; MTurk shows images from"),
        (
            ["cvqa-real", "out", "--of", "verify", "--to", "csv", "--image-url", "x"],
            "--image-url: the CSV names the image files beside",
        ),
        (
            ["cvqa-real", "out", "--to", "csv", "--of", "verify", "--annotators", "3", "--people", "2"],
            "annotators: 3 of 2 people cannot",
        ),
        (["coco-counterfactuals-released", "out", "--to", "csv"], "there is no table of pairs; run `dvc repro`"),
        (["cvqa-real", "out", "--to", "csv", "--of", "verify", "--gold", "none.csv"], "none.csv: cannot be read"),
        (["cfmm", "out", "--to", "csv"], "--of is missing; benchmark cfmm has several kinds of work: annotate, check"),
        (["cfmm", "out", "--to", "csv", "--of", "all"], "--of all: is unknown; benchmark cfmm has annotate, check"),
        (["cvqa-real", "out", "--to", "csv", "--of", "check"], "--of check: is unknown; benchmark cvqa-real has"),
        (["cfmm", "out", "--to", "csv", "--of", "annotate"], "there is no table of candidates; run `dvc repro`"),
    ],
)
def test_mistakes(arguments: list[str], told: str) -> None:
    assert told in refused(export_tasks(*arguments))
    assert not Path("out").exists()


def test_the_only_kind_of_work_may_be_named() -> None:
    assert done("coco-counterfactuals", "out", "--to", "csv", "--of", "verify").startswith("out: 10 tasks, ")


def test_a_folder_with_tasks_is_left_alone() -> None:
    done("cvqa-real", "out", "--to", "csv", "--of", "verify")
    assert (
        refused(export_tasks("cvqa-real", "out", "--to", "csv", "--of", "verify"))
        == "out/tasks.csv: already exists; give another folder"
    )
