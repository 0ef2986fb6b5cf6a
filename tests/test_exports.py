"""Exports for evaluation tools: what the tools read, and the way back of what they predict."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import datasets
import openpyxl
import pandas as pd
import pytest
import yaml
from click.testing import CliRunner, Result
from PIL import Image

from tests.awkward_texts import AWKWARD, READ_AS_NOTHING
from tests.pictures import png
from whatif.commands.cli import main
from whatif.engine.artifacts.images import ImageStore, image_row
from whatif.engine.artifacts.schemas import IMAGES, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import printed_question
from whatif.engine.language.strategies import prompt
from whatif.engine.params.model_entries import MultipleChoice
from whatif.engine.params.models import Replay
from whatif.formats.evaluation_tools import ChangedByReaderError, write_vlmevalkit
from whatif.formats.prediction_files import question_index
from whatif.models import load
from whatif.results.harnesses.exported_task import write_exported_task
from whatif.results.harnesses.scores import PAIR_ACCURACY
from whatif.scoring.open_answers import open_predictions
from whatif.scoring.rank import predictions

PICTURES = [image_row(png(colour), 8, 8, "drawn:test", "CC0-1.0") for colour in ((200, 0, 0), (0, 200, 0))]
OPEN = [("original", 'How many "red"\tcats,\nand dogs?', "2"), ("counterfactual", "What if {one} left? ## !x", "1")]


def question(pair: int, variant: str, text: str, answer: str, choices: list[str] | None) -> dict[str, Any]:
    return {
        "question_id": f"pair-{pair:03d}-{variant}",
        "pair_id": f"pair-{pair:03d}",
        "group": "dots" if choices else "direct",
        "variant": variant,
        "question": text,
        "choices": choices,
        "answer": answer,
        "answer_kind": "choice" if choices else "number",
        "image_ids": [PICTURES[pair]["image_id"]],
        "provenance": "{}",
    }


def rows_of(kind: str) -> list[dict[str, Any]]:
    choices = ["16", "17", "12", "13"] if kind == "choice" else None
    answers = {"2": "B", "1": "C"}
    return [
        question(pair, variant, text, answers[answer] if choices else answer, choices)
        for pair in (0, 1)
        for variant, text, answer in OPEN
    ]


@pytest.fixture(params=["open", "choice"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def tables(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A folder with `q.parquet` and `i.parquet`; the questions in it."""
    monkeypatch.chdir(tmp_path)
    rows = rows_of(kind)
    write_artifact(Path("q.parquet"), QUESTIONS, sorted(rows, key=lambda row: str(row["question_id"])))
    write_artifact(Path("i.parquet"), IMAGES, sorted(PICTURES, key=lambda row: str(row["image_id"])))
    return rows


def export(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["export", *arguments], prog_name="whatif")


def exported(*arguments: str) -> str:
    result = export(*arguments, "--questions", "q.parquet", "--images", "i.parquet")
    assert result.exit_code == 0, result.output
    return result.stdout


def all_right(path: str, rows: list[dict[str, Any]]) -> bool:
    """Whether every question is answered, and rightly, when the predictions are scored."""
    model = load("replay", Replay(adapter="replay", predictions=path), 0)
    images = ImageStore([Path("i.parquet")])
    if rows[0]["choices"]:
        found = list(predictions(rows, images, "m", model, form="words"))
    else:
        found = list(open_predictions(rows, images, "m", model, strategy="direct"))
    assert len(found) == len(rows)
    return all(row["correct"] for row in found)


def test_a_letter_that_was_not_shown_names_no_option(tmp_path: Path) -> None:
    (row, *_) = rows_of("choice")
    path = tmp_path / "p.csv"
    path.write_text(f"question_id,response\n{row['question_id']},{row['answer']}\n", encoding="utf-8")
    forms: dict[MultipleChoice, bool] = {"words": True, "open": False}
    for form, right in forms.items():
        model = load("replay", Replay.model_validate({"adapter": "replay", "predictions": str(path)}), 0)
        (found,) = predictions([row], ImageStore([]), "m", model, form=form)
        assert found["correct"] is right


def test_lmms_eval_shows_the_options_and_says_what_form_of_answer_is_wanted(
    tables: list[dict[str, Any]], kind: str
) -> None:
    exported("lmms-eval", "task")
    prompts = pd.read_parquet("task/test.parquet").set_index("question_id")["prompt"]
    for row in tables:
        said = prompts[row["question_id"]]
        assert said.startswith(printed_question(row["question"], row["choices"]))
        assert said.endswith("\nAnswer with one letter.") == (kind == "choice")


# VLMEvalKit


def test_vlmevalkit_reads_every_question_and_its_picture(tables: list[dict[str, Any]], kind: str) -> None:
    assert exported("vlmevalkit", "ours.tsv") == "ours.tsv: 4 questions\n"
    table = pd.read_csv("ours.tsv", sep="\t")  # as the tool reads it
    options = list("ABCD") if kind == "choice" else []
    names = ["answer", "category", "variant", "question_id"]
    assert list(table.columns) == ["index", "image", "question", *options, *names]
    assert list(table["question_id"]) == sorted(row["question_id"] for row in tables)
    assert list(table["index"]) == [question_index(name) for name in table["question_id"]]
    images = dict(zip(map(str, table["index"]), table["image"], strict=True))
    by_id = {row["question_id"]: row for row in tables}
    encoded = {picture["image_id"]: picture["image"]["bytes"] for picture in PICTURES}
    for line in table.to_dict("records"):
        row = by_id[line["question_id"]]
        image = line["image"] if len(line["image"]) > 64 else images[line["image"]]  # the tool's rule
        assert base64.b64decode(image) == encoded[row["image_ids"][0]]
        assert row["question"] in line["question"]
        assert line["question"] == row["question"] or kind == "open"
        assert str(line["answer"]) == row["answer"]
        assert [str(line[letter]) for letter in options] == (row["choices"] or [])
    assert sum(len(image) <= 64 for image in images.values()) == 2  # the questions of a pair share a picture


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        (["red", "None", "blue", "green"], "B is `None`, which VLMEvalKit reads as nothing"),
        (["red", "", "blue", "green"], "B is empty, which VLMEvalKit reads as nothing"),
        (["007", "8", "9", "10"], "A is `007`, which VLMEvalKit reads as `7`"),
        (["1.50", "2.5", "3.5", "4.5"], "A is `1.50`, which VLMEvalKit reads as `1.5`"),
        (["1e3", "2", "3", "4"], "A is `1e3`, which VLMEvalKit reads as `1000.0`"),
        (["True", "TRUE", "false", "x"], "B is `TRUE`, which VLMEvalKit reads as `True`"),
    ],
)
def test_a_cell_that_vlmevalkit_would_change_is_named_and_nothing_is_written(
    choices: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [question(0, variant, text, "A", choices) for variant, text, _ in OPEN]
    write_artifact(Path("q.parquet"), QUESTIONS, rows)
    write_artifact(Path("i.parquet"), IMAGES, PICTURES)
    result = export("vlmevalkit", "ours.tsv", "--questions", "q.parquet", "--images", "i.parquet")
    assert result.exit_code == 2 and "pair-000-counterfactual: " + told in result.stderr
    assert not list(tmp_path.glob("*ours.tsv*"))


@pytest.mark.parametrize("place", ["question", "choices", "answer"])
def test_vlmevalkit_reads_awkward_texts_as_they_are_or_the_export_stops(place: str, tmp_path: Path) -> None:
    write_artifact(tmp_path / "i.parquet", IMAGES, PICTURES)
    images, path = ImageStore([tmp_path / "i.parquet"]), tmp_path / "ours.tsv"
    choices = None if place == "answer" else ["red", "blue"]
    ordinary, changed = (question(pair, "original", "What?", "A", choices) for pair in (0, 1))
    refused = []
    for text in AWKWARD:
        changed[place] = ["red", text] if place == "choices" else text
        path.unlink(missing_ok=True)
        try:
            write_vlmevalkit([ordinary, changed], images, path, strategy="plain")
        except ChangedByReaderError as told:
            assert f": pair-001-original: {'B' if place == 'choices' else place} is " in str(told) and not path.exists()
            refused.append(text)
            continue
        table = pd.read_csv(path, sep="\t")  # as the tool reads it
        assert list(table["B" if place == "choices" else place])[1] == text
    assert refused == [*READ_AS_NOTHING, ""]


def test_an_export_has_a_letter_for_each_option(tmp_path: Path) -> None:
    write_artifact(tmp_path / "i.parquet", IMAGES, PICTURES)
    images = ImageStore([tmp_path / "i.parquet"])
    many = [question(0, "original", "Which?", "A", [f"thing {number}" for number in range(27)])]
    for export_as in (write_vlmevalkit, partial(write_exported_task, name="many")):
        with pytest.raises(WhatifError, match="has 27 of them; give at most 26"):
            export_as(many, images, tmp_path / "out", strategy="plain")
        assert not (tmp_path / "out").is_file() and not list(tmp_path.glob("out/*"))


def test_whole_numbers_beside_missing_options_are_named_because_the_tool_makes_fractions_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [question(0, "original", "a?", "A", ["1", "2", "3"]), question(1, "original", "b?", "A", ["1", "2"])]
    write_artifact(Path("q.parquet"), QUESTIONS, rows)
    write_artifact(Path("i.parquet"), IMAGES, PICTURES)
    result = export("vlmevalkit", "ours.tsv", "--questions", "q.parquet", "--images", "i.parquet")
    assert "pair-000-original: C is `3`, which VLMEvalKit reads as `3.0`" in result.stderr


@pytest.mark.parametrize("suffix", ["xlsx", "tsv", "json"])
@pytest.mark.parametrize("keeps_ids", [True, False])
def test_what_vlmevalkit_predicts_comes_back(tables: list[dict[str, Any]], suffix: str, keeps_ids: bool) -> None:
    exported("vlmevalkit", "ours.tsv")
    table = pd.read_csv("ours.tsv", sep="\t").drop(columns="image")
    table["prediction"] = [f"The answer is {answer}." for answer in table["answer"]]
    if not keeps_ids:
        table = table.drop(columns="question_id")
    path = f"model_ours.{suffix}"
    if suffix == "tsv":
        table.to_csv(path, sep="\t", index=False, quoting=1)
    elif suffix == "json":
        Path(path).write_text(json.dumps(json.loads(table.to_json(orient="records"))), encoding="utf-8")
    else:
        book = openpyxl.Workbook()
        assert book.active is not None
        for line in [list(table.columns), *table.astype(object).values.tolist()]:
            book.active.append(line)
        book.save(path)
    assert all_right(path, tables)


# lmms-eval


def task_of(folder: Path) -> tuple[dict[str, Any], ModuleType]:
    """A task as lmms-eval reads it: its configuration, where `!function` names a function of utils.py."""
    spec = importlib.util.spec_from_file_location("exported_utils", folder / "utils.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    class Loader(yaml.SafeLoader):
        pass

    def function(loader: yaml.SafeLoader, node: yaml.Node) -> Any:
        file, _, name = str(node.value).partition(".")
        assert file == "utils"
        return getattr(module, name)

    Loader.add_constructor("!function", function)
    (file,) = folder.glob("*.yaml")
    return yaml.load(file.read_text(encoding="utf-8"), Loader), module


def test_lmms_eval_runs_the_exported_task(tables: list[dict[str, Any]], kind: str) -> None:
    said = exported("lmms-eval", "What If!", "--name", "ours")
    assert said.startswith("What If!/whatif_ours.yaml: 4 questions")
    assert "--include_path 'What If!' --tasks whatif_ours" in said
    assert str(Path.cwd()).encode() not in b"".join(file.read_bytes() for file in Path("What If!").iterdir())
    moved = Path("What If!").rename("moved")
    task, _ = task_of(moved)
    assert (task["task"], task["output_type"], task["test_split"]) == ("whatif_ours", "generate_until", "test")
    assert task["dataset_kwargs"] == {"data_files": {"test": ["test.parquet"]}}  # the tool looks beside the YAML file
    read = datasets.load_dataset(
        task["dataset_path"],
        name=None,
        cache_dir=str(Path("cache").resolve()),
        data_files={"test": str(moved / "test.parquet")},
    )
    documents = list(read[task["test_split"]])
    by_id = {row["question_id"]: row for row in tables}
    assert {document["question_id"] for document in documents} == set(by_id)
    log, scored = [], {metric["metric"]: [] for metric in task["metric_list"]}
    for number, document in enumerate(documents):
        row = by_id[document["question_id"]]
        text = task["doc_to_text"](document, {"pre_prompt": "<", "post_prompt": ">"})
        assert text.startswith("<" + row["question"]) and text.endswith(">")
        assert task["doc_to_text"](document) == text[1:-1]
        assert ("A:16  B:17  C:12  D:13" in text) == (kind == "choice")
        (picture,) = task["doc_to_visual"](document)
        (expected,) = (one["image"]["bytes"] for one in PICTURES if one["image_id"] == row["image_ids"][0])
        with Image.open(io.BytesIO(expected)) as opened:
            assert picture.mode == "RGB" and picture.tobytes() == opened.convert("RGB").tobytes()
        assert task["doc_to_target"](document) == row["answer"]
        response = f"It is {row['answer']}."
        results = task["process_results"](document, [response])
        for name, value in results.items():
            scored[name].append(value)
        kept = {key: value for key, value in document.items() if "image" not in key}
        log.append({"doc_id": number, "doc": kept, "resps": [[response]], "filtered_resps": [response], **results})
    for metric in task["metric_list"]:
        expected_number = 4 if metric["metric"] == PAIR_ACCURACY else 2
        assert len(scored[metric["metric"]]) == expected_number
        assert metric["aggregation"](scored[metric["metric"]]) == 1.0
    Path("a_samples_what_if.jsonl").write_text("".join(json.dumps(one) + "\n" for one in log), encoding="utf-8")
    assert all_right("a_samples_what_if.jsonl", tables)
    for one in log:
        del one["doc"]  # newer versions do not log it
    Path("b_samples_what_if.jsonl").write_text("".join(json.dumps(one) + "\n" for one in log), encoding="utf-8")
    assert all_right("b_samples_what_if.jsonl", tables)


def test_lmms_eval_asks_awkward_texts_as_they_are(tmp_path: Path) -> None:
    write_artifact(tmp_path / "i.parquet", IMAGES, PICTURES)
    rows = [
        {**question(0, "original", text, "A", ["red", text]), "question_id": f"q{number:02d}"}
        for number, text in enumerate(AWKWARD)
    ]
    write_exported_task(rows, ImageStore([tmp_path / "i.parquet"]), tmp_path / "out", name="ours", strategy="plain")
    task, _ = task_of(tmp_path / "out")
    data = str(tmp_path / "out" / "test.parquet")
    read = datasets.load_dataset("parquet", data_files={"test": data}, cache_dir=str(tmp_path / "cache"))["test"]
    asked = [task["doc_to_text"](document, {"pre_prompt": "", "post_prompt": ""}) for document in read]
    assert asked == [prompt("plain", printed_question(text, ["red", text]), "choice") for text in AWKWARD]


@pytest.mark.parametrize("kind", ["open"], indirect=True)
def test_lmms_eval_asks_questions_in_text_alone(tables: list[dict[str, Any]]) -> None:
    write_artifact(Path("text.parquet"), QUESTIONS, [{**row, "image_ids": []} for row in rows_of("open")])
    result = export("lmms-eval", "o", "--questions", "text.parquet", "--images", "i.parquet")
    assert result.exit_code == 0, result.output
    task, _ = task_of(Path("o"))
    documents = datasets.load_dataset("parquet", data_files=str(Path("o/test.parquet").resolve()), cache_dir="cache")
    asked = list(task["process_docs"](documents["train"]))
    assert len(asked) == len(tables) and all(task["doc_to_visual"](one) == [] for one in asked)


# What is refused


@pytest.mark.parametrize("kind", ["open"], indirect=True)
def test_what_cannot_be_exported_is_said_and_leaves_no_file(tables: list[dict[str, Any]]) -> None:
    def refused(*arguments: str) -> str:
        result = export(*arguments)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.output
        return result.stderr

    write_artifact(Path("none.parquet"), QUESTIONS, [])
    partly = [{**rows_of("open")[0], "image_ids": []}, *rows_of("open")[1:]]
    write_artifact(Path("partly.parquet"), QUESTIONS, sorted(partly, key=lambda row: str(row["question_id"])))
    write_artifact(Path("mixed.parquet"), QUESTIONS, [rows_of("open")[0], rows_of("choice")[2]])
    write_artifact(Path("one.parquet"), IMAGES, PICTURES[1:])
    before = sorted(Path().iterdir())
    pictures = ("--images", "i.parquet")
    assert "o.txt: must end in .tsv" in refused("vlmevalkit", "o.txt", "--questions", "q.parquet", *pictures)
    assert "with --images" in refused("vlmevalkit", "o.tsv", "--questions", "q.parquet")
    for tool in (("vlmevalkit", "o.tsv"), ("lmms-eval", "o")):
        assert "there are no questions" in refused(*tool, "--questions", "none.parquet", *pictures)
        assert "is not among the 1 images" in refused(*tool, "--questions", "q.parquet", "--images", "one.parquet")
        assert "strategy odd: is unknown" in refused(*tool, "--questions", "q.parquet", *pictures, "--strategy", "odd")
        assert "no such artifact" in refused(*tool, "--questions", "lost.parquet", *pictures)
    assert "has 0 images; write questions in text alone" in refused(
        "vlmevalkit", "o.tsv", "--questions", "partly.parquet", *pictures
    )
    assert "holds one kind" in refused("vlmevalkit", "o.tsv", "--questions", "mixed.parquet", *pictures)
    assert "cannot be written" in refused("lmms-eval", "q.parquet", "--questions", "q.parquet", *pictures)
    assert [path for path in Path().rglob("*") if path.is_file() and path not in before] == []
