"""Benchmarks over released files, by name: small files in the released layouts, asked, and numbers counted by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.benchmarks.from_yaml.files import write
from whatif.benchmark import Trial
from whatif.benchmarks.discovery import released
from whatif.engine.errors import WhatifError
from whatif.world.drawn_images import scene_row
from whatif.world.scenes import draw_scene

pytestmark = pytest.mark.slow
Row = dict[str, Any]


def picture(number: int) -> bytes:
    """A drawn picture, encoded."""
    data: bytes = scene_row(draw_scene("test", number, 1), 32)["image"]["bytes"]
    return data


def stored(number: int) -> dict[str, Any]:
    """A picture as the datasets library stores it in a Parquet file."""
    return {"bytes": picture(number), "path": None}


def put(path: Path, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(picture(number))


def trial(folder: Path, name: str, section: Mapping[str, Any], responses: Mapping[str, str]) -> Trial:
    """A project with one of the benchmarks, these files, and a model whose responses are in a file."""
    found = Trial(
        folder,
        {
            "seed": 1,
            "benchmarks": [name],
            "extract": {name: dict(section)},
            "models": {
                "theirs": {"adapter": "replay", "predictions": "theirs.csv"},
                "majority": {"adapter": "majority"},
            },
        },
    )
    with (folder / "theirs.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question_id", "response"), *responses.items()])
    return found


def numbers(made: Trial, name: str, table: str, *columns: str) -> dict[tuple[str, ...], float]:
    """The values of a table for the model `theirs`, by some columns and the measure."""
    read = csv.DictReader(io.StringIO(made.text(f"metrics/{name}/{table}.csv")))
    return {
        tuple(row[column] for column in (*columns, "measure")): round(float(row["value"]), 1)
        for row in read
        if row["model"] == "theirs"
    }


def natural_rows() -> list[Row]:
    columns = ("Image_0_Question_0", "Image_1_Question_0", "Image_0_Question_1", "Image_1_Question_1")
    texts = (
        ("Is it red?", "Is it blue?"),
        ("Which side? Option: A: left; B: right;", "Which? Options: A: up; B: down"),
    )
    answers = (("Yes", "No", "No", "Yes"), ("A", "B", "B", "A"))
    return [
        {
            "Index": index,
            "Image_0": stored(2 * index),
            "Image_1": stored(2 * index + 1),
            "Question_0": texts[index][0],
            "Question_1": texts[index][1],
            **dict(zip(columns, answers[index], strict=True)),
            "Question Type": ("yes_no", "multiple_choice")[index],
            "Source": "drawn",
        }
        for index in (0, 1)
    ]


NATURAL = {
    "0-00": "Yes",
    "0-01": "Yes",
    "0-10": "No.",
    "0-11": "Yes",
    "1-00": "A",
    "1-01": "B",
    "1-10": "B",
    "1-11": "A",
}


def test_naturalbench_by_question_by_image_and_by_group(tmp_path: Path) -> None:
    for number, row in enumerate(natural_rows()):  # two files, as the released ones are parts of one table
        pq.write_table(pa.Table.from_pylist([row]), tmp_path / f"part-{number}.parquet")
    made = trial(tmp_path, "naturalbench", {"files": ["part-0.parquet", "part-1.parquet"]}, NATURAL)
    made.make()
    questions = {row["question_id"]: row for row in made.rows("extract", "questions")}
    assert set(questions) == set(NATURAL)
    assert {row["answer_kind"] for row in questions.values()} == {"boolean", "choice"}
    assert (questions["1-00"]["question"], questions["1-00"]["choices"]) == ("Which side?", ["left", "right"])
    assert (questions["1-10"]["question"], questions["1-10"]["choices"]) == ("Which?", ["up", "down"])
    assert questions["0-00"]["image_ids"] == questions["0-10"]["image_ids"] != questions["0-01"]["image_ids"]
    assert numbers(made, "naturalbench", "units", "unit") == {
        ("Q-Acc", "all right"): 75.0,  # three of four questions, each about both pictures
        ("I-Acc", "all right"): 75.0,
        ("G-Acc", "all right"): 50.0,
    }
    assert numbers(made, "naturalbench", "accuracy", "variant")["all", "accuracy"] == 87.5
    assert numbers(made, "naturalbench", "groups", "group")["yes or no", "accuracy"] == 75.0
    assert json.loads(made.text("metrics/naturalbench.json"))["theirs"]["G-Acc"] == 50.0
    assert json.loads(made.text("metrics/naturalbench/summary/theirs.json")) == {"score": 87.5}
    assert len(made.rows("aggregate", "items")) == 2


def test_people_are_a_row_beside_the_models(tmp_path: Path) -> None:
    """Two people answer two questions: one is right twice, the other once."""
    pq.write_table(pa.Table.from_pylist(natural_rows()), tmp_path / "all.parquet")
    made = trial(tmp_path, "naturalbench", {"files": ["all.parquet"]}, NATURAL)
    people = [("0-00", "ann", "yes"), ("0-01", "ann", "no"), ("0-00", "bo", "yes"), ("0-01", "bo", "yes")]
    with (tmp_path / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question_id", "attempt", "answer"), *people])
    made.values["evaluate"] = {"naturalbench": {"human_attempts": ["people.csv"]}}
    made.make()
    rows = csv.DictReader(io.StringIO(made.text("metrics/naturalbench/accuracy.csv")))
    found = {(row["variant"], row["measure"]): float(row["value"]) for row in rows if row["name"] == "Humans"}
    assert [found[part, "accuracy"] for part in ("image 0", "image 1", "all")] == [100.0, 50.0, 75.0]
    assert (found["all", "attempts per question"], found["all", "people"]) == (2.0, 2.0)
    assert "people" in made.text("metrics/naturalbench/funnel.csv")


def hallusion_row(category: str, figure: str, question: str, right: str, **more: Any) -> Row:
    return {
        "category": category,
        "subcategory": "illusion",
        "visual_input": "1",
        "set_id": "0",
        "figure_id": figure,
        "sample_note": "circle",
        "question_id": question,
        "question": f"Is statement {question} true?",
        "gt_answer_details": "",
        "gt_answer": right,
        "filename": f"./hallusion_bench/{category}/illusion/0_{figure}.png",
        **more,
    }


def test_hallusionbench_by_question_pair_and_by_figure(tmp_path: Path) -> None:
    rows = [
        *(hallusion_row("VD", figure, question, str(int(figure == question))) for figure in "01" for question in "01"),
        hallusion_row("VS", "0", "0", "1", visual_input="0", filename=None),
        hallusion_row("VS", "1", "0", "0", visual_input="2"),
    ]
    (tmp_path / "HallusionBench.json").write_text(json.dumps(rows), encoding="utf-8")
    for number, path in enumerate(("VD/illusion/0_0.png", "VD/illusion/0_1.png", "VS/illusion/0_1.png")):
        put(tmp_path / "sources" / "hallusion_bench" / path, number)
    right = {"VD-illusion-0-0-0": "Yes", "VD-illusion-0-0-1": "No", "VD-illusion-0-1-1": "Yes"}
    responses = {**right, "VD-illusion-0-1-0": "Yes", "VS-illusion-0-0-0": "Yes", "VS-illusion-0-1-0": "No"}
    made = trial(tmp_path, "hallusionbench", {"files": ["HallusionBench.json"], "folder": "sources"}, responses)
    made.make()
    pictures = {row["question_id"]: len(row["image_ids"]) for row in made.rows("extract", "questions")}
    assert pictures == {**dict.fromkeys(responses, 1), "VS-illusion-0-0-0": 0}
    assert numbers(made, "hallusionbench", "units", "unit") == {
        ("qAcc", "all right"): 66.7,
        ("fAcc", "all right"): 66.7,  # of three figures: a question without a figure is about none
    }
    found = numbers(made, "hallusionbench", "accuracy", "variant")
    assert [found[one, "accuracy"] for one in ("easy", "hard", "all")] == [100.0, 66.7, 83.3]


def test_vqa_cp_joins_its_files_and_counts_what_people_answered(tmp_path: Path) -> None:
    splits = {9: "train2014", 42: "val2014", 43: "val2014"}
    questions = [
        {"question_id": 10 * image, "image_id": image, "question": f"What of {image}?", "coco_split": split}
        for image, split in splits.items()
    ]
    given = {9: ["red"] * 6 + ["crimson"] * 4, 42: ["no"] * 9 + ["yes"]}
    annotations = [
        {
            "question_id": 10 * image,
            "image_id": image,
            "coco_split": splits[image],
            "question_type": "what",
            "answer_type": "other" if image == 9 else "yes/no",
            "multiple_choice_answer": answers[0],
            "answers": [{"answer": one, "answer_confidence": "yes", "answer_id": 1} for one in answers],
        }
        for image, answers in given.items()
    ]
    (tmp_path / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    (tmp_path / "annotations.json").write_text(json.dumps({"annotations": annotations}), encoding="utf-8")
    put(tmp_path / "coco" / "train2014" / "COCO_train2014_000000000009.jpg", 1)
    put(tmp_path / "coco" / "val2014" / "COCO_val2014_000000000042.jpg", 2)
    section = {"files": ["questions.json"], "joined": ["annotations.json"], "folder": "coco"}
    made = trial(tmp_path, "vqa-cp", section, {"90": "red", "420": "yes"})
    made.make()
    assert [row["reason"] for row in made.rows("extract", "rejections")] == ["no joined row"]
    found = numbers(made, "vqa-cp", "accuracy", "variant")
    assert found["all", "accuracy"] == 50.0
    assert found["all", "vqa"] == 65.0  # 1 for red; for yes, nine of ten people leave one other who said it: 0.3


def test_vlms_are_biased_says_how_often_the_known_thing_is_answered(tmp_path: Path) -> None:
    rows = [
        {
            "image": stored(number),
            "ID": f"animal_{number}",
            "topic": "Animals",
            "sub_topic": "Mammals",
            "prompt": "How many legs does this animal have? Answer with a number in curly brackets, e.g., {9}.",
            "ground_truth": right,
            "expected_bias": "4",
            "with_title": False,
            "type_of_question": "Q1",
            "pixel": 384,
        }
        for number, right in enumerate(("5", "3", "6"))
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "main.parquet")
    responses = {"animal_0-Q1-384": "{4}", "animal_1-Q1-384": "{3}", "animal_2-Q1-384": "{7}"}
    made = trial(tmp_path, "vlms-are-biased", {"files": ["main.parquet"]}, responses)
    made.make()
    found = numbers(made, "vlms-are-biased", "accuracy", "variant")
    assert (found["all", "accuracy"], found["all", "prior"]) == (33.3, 33.3)
    assert "Prior" in made.text("metrics/vlms-are-biased/accuracy.md")


def test_counterbench_is_asked_without_pictures(tmp_path: Path) -> None:
    told = "We know that Blaf causes Ziklo, and Ziklo causes Trune. " * 30  # longer than a text in an expression
    rows = [
        {
            "question_id": n,
            "given_info": told,
            "question": "Would Trune occur?",
            "answer": right,
            "type": kind,
            "meta": {},
        }
        for n, (right, kind) in enumerate((("yes", "Basic"), ("no", "Nested")))
    ]
    (tmp_path / "alpha.json").write_text(json.dumps(rows), encoding="utf-8")
    made = trial(tmp_path, "counterbench", {"files": ["alpha.json"]}, {"0": "Yes", "1": "Yes, it would."})
    made.make()
    assert made.rows("extract", "images") == []
    assert made.rows("extract", "questions")[0]["question"] == f"{' '.join(told.split())} Would Trune occur?"
    found = numbers(made, "counterbench", "groups", "group")
    assert [found[one, "accuracy"] for one in ("Basic", "Nested", "all")] == [100.0, 0.0, 50.0]


def write_charts(folder: Path) -> dict[str, Any]:
    """Two families of charts in the layout of the export; returns the section that names the files."""
    rows = [
        {
            "chart_id": f"c{chart}",
            "question_id": f"q{chart}",
            "variant": variant,
            "image": f"images/{variant}/c{chart}.png",
            "question": "How many bars are above 3?",
            "answer": str(2 + place),
            "chart_data": "",
            "source_dataset_split": "charts_test",
            "source_row_index": chart,
        }
        for chart in (0, 1)
        for place, variant in enumerate(("original", "reconstruction", "seed_0"))
    ]
    for number, row in enumerate(rows):
        put(folder / "charts" / row["image"], number)
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (folder / "charts" / "test.jsonl").write_text(text, encoding="utf-8")
    return {"files": ["charts/test.jsonl"], "folder": "charts"}


CHARTS = {
    f"charts_test-q{chart}-{variant}": str(2 + place - (chart == 1 and variant == "seed_0"))
    for chart in (0, 1)
    for place, variant in enumerate(("original", "reconstruction", "seed_0"))
}


def test_chartographer_by_family(tmp_path: Path) -> None:
    made = trial(tmp_path, "chartographer", write_charts(tmp_path), CHARTS)
    made.make()
    assert numbers(made, "chartographer", "units", "unit") == {("family", "all right"): 50.0}
    found = numbers(made, "chartographer", "accuracy", "variant")
    wanted = {"original": 100.0, "reconstruction": 100.0, "counterfactual": 50.0, "all": 83.3}
    assert {name: found[name, "accuracy"] for name in wanted} == wanted


def test_a_limit_and_a_pilot_sample_take_whole_sets(tmp_path: Path) -> None:
    section = write_charts(tmp_path)
    made = trial(tmp_path, "chartographer", section, CHARTS)
    made.values["models"]["majority"]["limit"] = 1
    made.values["evaluate"] = {"chartographer": {"shards": 2}}
    made.make()
    asked = [row["question_id"] for row in made.rows("evaluate", "predictions") if row["model"] == "majority"]
    assert (len(asked), len({one.rsplit("-", 1)[0] for one in asked})) == (3, 1)
    assert "not in the pilot sample" in made.text("metrics/chartographer/funnel.csv")
    made.values["extract"]["chartographer"]["limit"] = 1
    made.make("extract")
    assert len({row["pair_id"] for row in made.rows("extract", "questions")}) == 1
    assert len(made.rows("extract", "questions")) == 3


def test_what_cannot_be_asked_is_rejected_with_its_reason(tmp_path: Path) -> None:
    section = write_charts(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "charts" / "test.jsonl").read_text().splitlines()]
    rows[1] |= {"image": "images/none.png"}
    rows[2] |= {"answer": None}
    rows[3] |= {"answer": "-"}
    rows.append(rows[0])
    (tmp_path / "charts" / "test.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made = trial(tmp_path, "chartographer", section, CHARTS)
    made.make("extract")
    assert [(row["item_id"], row["reason"]) for row in made.rows("extract", "rejections")] == [
        ("question row 2", "no picture"),
        ("question row 3", "an expression fails"),
        ("question row 4", "cannot be scored"),
        ("question row 7", "repeated id"),
    ]
    units = {row["question_id"]: json.loads(row["provenance"])["units"] for row in made.rows("extract", "questions")}
    left = {key: {} for key in ("charts_test-q0-original", "charts_test-q1-reconstruction", "charts_test-q1-seed_0")}
    assert units == left  # both families lack a chart


def test_mistakes_are_said_in_one_line(tmp_path: Path) -> None:
    made = trial(tmp_path, "naturalbench", {}, {})
    with pytest.raises(WhatifError, match=r"extract\.naturalbench\.files: names no file; .*hf download BaiqiL"):
        made.run("extract")
    made = trial(tmp_path, "vqa-cp", {"files": ["questions.json"]}, {})
    with pytest.raises(WhatifError, match=r"extract\.vqa-cp\.joined: names no file"):
        made.run("extract")
    section = write_charts(tmp_path)
    made = trial(tmp_path, "chartographer", {"files": section["files"]}, CHARTS)
    with pytest.raises(WhatifError, match=r"images/original/c0\.png: .* give the folder of the pictures"):
        made.run("extract")
    (tmp_path / "other.jsonl").write_text('{"colour": "red"}\n', encoding="utf-8")
    made = trial(tmp_path, "chartographer", {"files": ["other.jsonl"]}, CHARTS)
    with pytest.raises(WhatifError, match=r"source_dataset_split: the row has no such attribute"):
        made.run("extract")


@pytest.mark.parametrize("content", ["[1]", '{"a": [], "b": []}', "{", '"\\ud800"'])
def test_a_json_file_of_another_form_is_said(tmp_path: Path, content: str) -> None:
    (tmp_path / "other.json").write_text(content, encoding="utf-8")
    made = trial(tmp_path, "counterbench", {"files": ["other.json"]}, {})
    with pytest.raises(WhatifError, match=r"other\.json: (must be a list of objects|not valid JSON|has half)"):
        made.run("extract")


def test_a_project_declares_such_a_benchmark_under_another_name(tmp_path: Path) -> None:
    text = released()["chartographer"].read_text(encoding="utf-8")
    write(tmp_path, text, "my-charts")
    made = trial(tmp_path, "my-charts", write_charts(tmp_path), CHARTS)
    made.make()
    assert numbers(made, "my-charts", "units", "unit") == {("family", "all right"): 50.0}
    assert made.graph.benchmarks["my-charts"].file == "benchmarks/my-charts.yaml"
    write(tmp_path, text, "chartographer")
    with pytest.raises(WhatifError, match=r"chartographer\.yaml: whatif has a benchmark of this name"):
        made.values["benchmarks"] = ["chartographer"]
        made.run("extract")


def test_the_declaration_in_the_documentation_runs(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "yaml-benchmarks.md"
    text = next(block for block in page.read_text(encoding="utf-8").split("```") if "Charts of mine" in block)
    write(tmp_path, text.removeprefix("yaml\n"), "my-charts")
    made = trial(tmp_path, "my-charts", write_charts(tmp_path), {})
    made.make("extract")
    assert len(made.rows("extract", "questions")) == 6


def test_every_declaration_says_where_its_files_are_from() -> None:
    from whatif.engine.files.yaml_values import parse_yaml

    assert sorted(released()) == [
        *("chartographer", "counterbench", "hallusionbench", "naturalbench", "vlms-are-biased", "vqa-cp"),
    ]
    for name, path in released().items():
        values, _ = parse_yaml(path.read_text(encoding="utf-8"), path)
        assert values["homepage"].startswith("https://"), name
        assert all(values[key] for key in ("about", "citation", "licence", "download")), name
