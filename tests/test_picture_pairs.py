"""`whatif import` and `export` of pairs of pictures: what they print and leave behind, and one line for a mistake."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
import yaml

from tests.command_line import refused, whatif
from tests.defaults import shipped_values
from tests.people.pairs import pair, pictures
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import IMAGES, JUDGEMENTS, PAIRS, REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.people.consensus import errors, human_evaluated

ROWS = [pair(number) for number in range(5)]
NONE = ("--pairs", "none.parquet", "--images", "i.parquet")
DATA = Path("data/filter/coco-counterfactuals")


def done(*arguments: str) -> str:
    result = whatif(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the pairs and pictures that the graph makes."""
    monkeypatch.chdir(tmp_path)
    write_artifact(DATA / "pairs" / "part-000-of-002.parquet", PAIRS, ROWS[:2])
    write_artifact(DATA / "pairs" / "part-001-of-002.parquet", PAIRS, ROWS[2:])
    every = pictures(range(5))
    write_artifact(DATA / "images" / "part-000-of-002.parquet", IMAGES, every[:4])
    write_artifact(DATA / "images" / "part-001-of-002.parquet", IMAGES, every[4:])


def test_out_and_in_again_in_the_released_form() -> None:
    assert done("export", "coco-counterfactuals", "ours") == "ours: 5 pairs\n"
    assert done("import", "coco-counterfactuals", "ours", "back") == "back/pairs.parquet: 5 pairs\n"
    back = artifacts.read(Path("back/pairs.parquet"), PAIRS).to_pylist()
    for column in ("pair_id", "caption_1", "subject_0", "image_id_0", "image_id_1"):
        assert [row[column] for row in back] == [row[column] for row in ROWS]
    assert artifacts.footer_of(Path("back/images.parquet")).rows == 10
    assert artifacts.footer_of(Path("back/rejections.parquet")).rows == 0
    # Imported pairs have their pictures beside them.
    assert done("export", "coco-counterfactuals", "again", "--pairs", "back/pairs.parquet") == "again: 5 pairs\n"
    assert Path("again/examples.jsonl").read_bytes() == Path("ours/examples.jsonl").read_bytes()


def test_what_is_no_pair_is_counted_by_reason() -> None:
    done("export", "coco-counterfactuals", "ours")
    examples = Path("ours/examples.jsonl")
    lines = examples.read_text(encoding="utf-8").splitlines()
    examples.write_text("\n".join([*lines, lines[0], "{}"]), encoding="utf-8")
    next(Path("ours/images").iterdir()).unlink()
    said = done("import", "coco-counterfactuals", "ours", "back")
    assert said.splitlines() == [
        "back/pairs.parquet: 4 pairs",
        "back/rejections.parquet: duplicate id: 1",
        "back/rejections.parquet: field missing: 1",
        "back/rejections.parquet: picture missing: 1",
    ]
    assert artifacts.footer_of(Path("back/rejections.parquet")).rows == 3
    assert artifacts.footer_of(Path("back/images.parquet")).rows == 8


def test_tasks_out_and_labels_in() -> None:
    said = done("export", "picture-tasks", "tasks", "--seed", "4", "--labelled-three-times", "0.2")
    assert said == "tasks/tasks.csv: 14 labels to give for 10 images\n"
    with Path("tasks/tasks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert "no project here" in refused(whatif("export", "picture-tasks", "others", "--seed", "4"))
    shipped = yaml.safe_dump(shipped_values())
    Path("params.yaml").write_text(shipped.replace("three_times: 0.1", "three_times: 0.5"), encoding="utf-8")
    assert "20 labels to give for 10 images" in done("export", "picture-tasks", "others", "--seed", "4")
    Path("params.yaml").unlink()
    for row in rows[:-1]:
        row["label"] = "1"
    rows[-1]["label"] = "maybe"
    with Path("labelled.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    result = whatif("import", "picture-labels", "labelled.csv", "labels.parquet", "--seed", "4")
    assert result.exit_code == 0
    assert result.stdout.startswith("labels.parquet: 13 labels; 0 rows without a label")
    assert "labelled.csv: line 15: 'maybe' is not one of 1, 2, both, neither" in result.stderr
    judgements = artifacts.read(Path("labels.parquet"), JUDGEMENTS).to_pylist()
    assert len(judgements) == 13 and {row["annotator"] for row in judgements} <= {"1", "2", "3"}
    assert 0 < len(human_evaluated(judgements)) < 10
    wrong = len(errors(judgements))
    sampled = done("export", "picture-errors", "wrong", "--judgements", "labels.parquet")
    assert sampled == f"wrong/errors.csv: {wrong} errors\n"
    assert len(list(Path("wrong/images").iterdir())) == wrong
    assert "give the pairs and the seed" in refused(whatif("import", "picture-labels", "labelled.csv", "x.parquet"))
    assert not Path("x.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("import", "coco-counterfactuals", "bare", "out"), "bare: has no complete pair (picture missing: 1;"),
        (("import", "coco-counterfactuals", "bare", "out.parquet"), "out.parquet: must be a folder"),
        (("import", "picture-labels", "no.csv", "out.parquet"), "no.csv: cannot be read"),
        (("import", "picture-labels", "no.csv", "out.csv"), "out.csv: must end in .parquet"),
        (("export", "coco-counterfactuals", "out", "--pairs", "no.parquet"), "no.parquet: no such artifact"),
        (("export", "coco-counterfactuals", "out", "--pairs", "alone.parquet"), "with --images"),
        (("export", "picture-tasks", "out", "--labelled-three-times", "0", *NONE), "there are no images"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(arguments: tuple[str, ...], message: str) -> None:
    Path("bare").mkdir()
    line = {"id": 1, "caption_0": "a cat", "caption_1": "a dog", "image_0": "1_0", "image_1": "1_1"}
    Path("bare/examples.jsonl").write_text(json.dumps(line), encoding="utf-8")
    write_artifact(Path("alone.parquet"), PAIRS, ROWS)
    write_artifact(Path("none.parquet"), PAIRS, [])
    write_artifact(Path("i.parquet"), IMAGES, [])
    before = {path for path in Path().rglob("*") if path.is_file()}
    assert message in refused(whatif(*arguments))
    assert {path for path in Path().rglob("*") if path.is_file()} == before


def test_rejections_have_the_schema_of_all() -> None:
    done("export", "coco-counterfactuals", "ours")
    done("import", "coco-counterfactuals", "ours", "back")
    assert artifacts.read(Path("back/rejections.parquet"), REJECTIONS).num_rows == 0


def test_without_pairs_it_is_said_where_they_would_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "contains no table of pairs" in refused(whatif("export", "coco-counterfactuals", "out"))


def test_the_sample_of_errors_follows_the_rule_of_the_benchmark() -> None:
    """One caption has a majority; under the rule `unanimous` the image is an error, and the other image is not."""
    about = {"corrected": "{}", "comment": "", "time": None, "seconds": None}
    said = {0: ("caption_0", "caption_0", "caption_1"), 1: ("caption_1",) * 3}
    rows = [
        {"item_id": f"{ROWS[0]['pair_id']}-{side}", "annotator": str(number), "decision": decision, **about}
        for side, decisions in said.items()
        for number, decision in enumerate(decisions)
    ]
    own = Path("data/verify/coco-counterfactuals/judgements.parquet")
    write_artifact(own, JUDGEMENTS, rows)
    shipped = yaml.safe_dump(shipped_values())
    Path("params.yaml").write_text(shipped, encoding="utf-8")
    assert "there are no errors" in refused(whatif("export", "picture-errors", "majority"))
    Path("params.yaml").write_text(shipped.replace("rule: majority", "rule: unanimous"), encoding="utf-8")
    assert done("export", "picture-errors", "unanimous") == "unanimous/errors.csv: 1 errors\n"
