"""A benchmark in a YAML file through all stages, over scenes and over a table with pictures."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.from_yaml.files import SCENES, project, scenes, template, write, write_table
from tests.projects import Project
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition
from whatif.engine.language.options import LETTERS

pytestmark = pytest.mark.slow

TABLE: dict[str, Any] = {
    "title": "Small table",
    "about": "Questions about a table.",
    "extract": {"table": {"file": "table.csv", "folder": "pictures", "id": "name", "licence": "CC0-1.0"}},
    "generate": {
        "templates": {
            "swapped": {
                "blanks": {"other": ["red", "green", "blue"]},
                "where": "colour != other",
                "original": "What colour is picture {number}?",
                "if": "if {colour} were {other}",
                "counterfactual": "What colour would it be {if}?",
                "answer": {"original": "colour", "counterfactual": "other"},
                "change": "always",
                "options": 2,
            }
        }
    },
    "filter": {"pairs": 8, "draws": 1},
    "aggregate": {"audit_folds": 2},
}
NEUTRAL = {
    "original": "What colour is it?",
    "if": "if it were the next colour",
    "answer": {
        "original": "colour",
        "counterfactual": '"green" if colour == "red" else "blue" if colour == "green" else "red"',
    },
    "blanks": {},
    "where": "True",
    "options": 3,
}


def table_values(**changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(TABLE))
    made["generate"]["templates"]["swapped"] |= {**NEUTRAL, **changes}
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project that has made the benchmark over scenes."""
    found = project(tmp_path_factory.mktemp("scenes"), SCENES)
    found.make()
    return found


def test_every_answer_is_that_of_the_scene(made: Project) -> None:
    attributes = {row["row_id"]: json.loads(row["attributes"]) for row in made.rows("extract", "rows")}
    questions = made.rows("verify", "questions")
    assert len(questions) == 80
    for question in questions:
        told = json.loads(question["provenance"])
        things = attributes[told["row"]]["objects"]
        number = sum(thing["colour"] == told["blanks"]["tint"] for thing in things)
        wanted = number - (question["variant"] == "counterfactual")
        assert question["choices"][LETTERS.index(question["answer"])] == str(wanted)
        assert told["kind"] == ("many" if len(things) > 4 else "few")
        if question["variant"] == "counterfactual":
            assert question["question"].startswith("If one ")


def test_nothing_is_lost_on_the_way(made: Project) -> None:
    candidates = made.rows("generate", "candidates")
    rejected = made.rows("filter", "rejections")
    assert len(candidates) == 40 + len(rejected)
    funnel = made.funnel()
    assert funnel["filter"][1:] == (len(candidates), 40, len(rejected))
    assert funnel["verify"][1:] == (40, 40, 0)


def test_the_report_has_the_tables_of_every_benchmark(made: Project) -> None:
    for name in ("accuracy", "paired", "templates", "kinds", "letters", "shortcuts", "funnel"):
        assert made.published(f"{name}.csv").count("\n") > 1, name
    assert made.published("report.md").startswith("# Small scenes\n")
    assert {"few", "many"} <= set(made.published("kinds.csv").replace("\n", ",").split(","))
    assert set(made.metrics) == {"random", "majority"}
    predictions = made.rows("evaluate", "predictions")
    assert len(predictions) == 160


def test_the_report_says_that_the_audit_chose_the_draw(made: Project, tmp_path: Path) -> None:
    assert "Pairs were drawn" not in made.published("shortcuts.md")  # `draws: 1`
    several = project(tmp_path, scenes(filter={"draws": 3}))
    several.make()
    draws = {json.loads(row["provenance"])["draw"] for row in several.rows("verify", "questions")}
    assert len(draws) == 1 and draws < {1, 2, 3}
    assert "up to 3 times, until guessing was inside all intervals of this audit" in _words(several, "shortcuts.md")
    assert f"this is draw {draws.pop()}." in _words(several, "shortcuts.md")


def _words(made: Project, name: str) -> str:
    return " ".join(made.published(name).split())


def test_another_number_of_parts_makes_the_same_rows(made: Project, tmp_path: Path) -> None:
    other = project(tmp_path, scenes(generate={**SCENES["generate"], "shards": 3}))
    other.make("extract", "generate", "filter")
    assert other.rows("filter", "questions") == made.rows("filter", "questions")


@pytest.mark.parametrize(
    ("change", "stale"),
    [
        (scenes(title="Another title"), {"aggregate"}),
        (scenes(about="Something else about it."), set()),
        (scenes(aggregate={"confidence": 0.9}), {"aggregate"}),
        (scenes(filter={"pairs": 39}), {"filter"}),
        (template(change="either"), {"generate"}),
        (scenes(extract={"scenes": {"number": 119, "side": 64, "kind": "counted"}}), {"extract"}),
        ("# a comment\n" + json.dumps(SCENES), set()),
    ],
    ids=["title", "about", "confidence", "pairs", "template", "scenes", "comment"],
)
def test_an_edit_makes_exactly_the_steps_stale_that_read_the_key(made: Project, change: Any, stale: set[str]) -> None:
    write(made.folder, change)
    try:
        states = made.states()
    finally:
        write(made.folder, SCENES)
    assert {job.step.stage for job, state in states.items() if state.condition is Condition.STALE} == stale


def test_a_table_with_pictures_is_asked_about(tmp_path: Path) -> None:
    write_table(tmp_path)
    found = project(tmp_path, table_values())
    found.make()
    questions = found.rows("verify", "questions")
    assert Counter(row["variant"] for row in questions) == {"original": 8, "counterfactual": 8}
    assert {tuple(sorted(row["choices"])) for row in questions} == {("blue", "green", "red")}
    source = tmp_path / "table.csv"
    source.write_text(source.read_text(encoding="utf-8").replace("p000,0.png,red", "p000,0.png,blue"), encoding="utf-8")
    stale = {job.step.stage for job, state in found.states().items() if state.condition is Condition.STALE}
    assert stale == {"extract"}


def test_rows_without_a_picture_are_rejected_with_their_number(tmp_path: Path) -> None:
    write_table(tmp_path)
    (tmp_path / "pictures" / "3.png").unlink()
    (tmp_path / "pictures" / "4.png").write_bytes(b"no picture")
    table = tmp_path / "table.csv"
    text = table.read_text(encoding="utf-8").replace("5.png", "../5.png", 1).replace("p007,", "p006,")
    table.write_text(text.replace("p008,8.png,", "p008,,"), encoding="utf-8")
    found = project(tmp_path, table_values())
    found.make("extract")
    reasons = {row["item_id"]: (row["reason"], row["detail"]) for row in found.rows("extract", "rejections")}
    assert reasons["p003"] == ("no picture", "row 4: 3.png is not in the folder of the pictures")
    assert reasons["p004"][0] == "picture unreadable"
    assert reasons["p005"] == ("no picture", "row 6: ../5.png is not in the folder of the pictures")
    assert reasons["p006 (row 8)"][0] == "repeated id"
    assert reasons["p008"] == ("no picture", "row 9: picture is empty")
    assert len(found.rows("extract", "rows")) == 55


def test_an_expression_that_fails_on_some_rows_rejects_these(tmp_path: Path) -> None:
    write_table(tmp_path)
    found = project(tmp_path, table_values(where="10 / number > 0"))
    found.make("extract", "generate")
    rejected = found.rows("generate", "rejections")
    assert len(rejected) == 12
    assert rejected[0]["detail"] == "row p000: templates.swapped.where: divides by zero"


def test_a_cell_that_a_spreadsheet_changed_matters_only_where_it_is_asked_for(tmp_path: Path) -> None:
    write_table(tmp_path)
    table = tmp_path / "table.csv"
    text = table.read_text(encoding="utf-8").replace("p003,3.png,red,3,", "p003,3.png,red,#N/A,")
    text = text.replace("p004,4.png,", "p004,#REF!,").replace("p005,", "#NAME?,")
    table.write_text(text, encoding="utf-8")
    found = project(tmp_path, table_values())
    found.make("extract", "generate")
    rejected = {row["item_id"]: row["detail"] for row in found.rows("extract", "rejections")}
    assert rejected == {
        "p004": "row 5: picture holds the error #REF! of a spreadsheet",
        "row-000006": "row 6: name holds the error #NAME? of a spreadsheet",
    }
    assert found.rows("generate", "rejections") == []
    found = project(tmp_path, table_values(where="number > -1"))
    found.make("generate")
    (lost,) = found.rows("generate", "rejections")
    assert lost["detail"].startswith(
        "row p003: templates.swapped.where: number: holds the error #N/A of a spreadsheet; format the column as text"
    )


def test_an_expression_that_fails_on_all_rows_is_an_error_with_a_row(tmp_path: Path) -> None:
    write_table(tmp_path)
    found = project(tmp_path, table_values(where="colour > number"))
    found.make("extract", "generate")
    with pytest.raises(WhatifError, match=r"templates\.swapped: .* fail for 60 rows, for example row p000: .*where"):
        found.run("filter")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("table.csv", "picture,colour\na.png\n", "row 1 has 1 cells, the header has 2"),
        ("table.csv", "picture,picture\na.png,b.png\n", "two columns are called 'picture'"),
        ("table.csv", "image,colour\na.png,red\n", "has no column 'picture'; its columns are image, colour"),
        ("table.csv", "picture,colour\n", "has no rows"),
        ("table.jsonl", '{"picture": "a.png"}\n[1]\n', "table.jsonl:2: must be an object"),
        ("table.jsonl", '{"picture": "a.png"\n', "table.jsonl:1: not valid JSON"),
        ("table.jsonl", '{"picture": "\\ud800"}\n', "table.jsonl:1: has half of a character"),
        ("table.parquet", "no parquet", "is no Parquet file"),
        ("table.xlsx", "x", r"ends in \.csv, \.json, \.jsonl, \.parquet"),
        ("missing.csv", None, "cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(tmp_path: Path, name: str, content: str | None, told: str) -> None:
    write_table(tmp_path)
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    values = table_values(answer={"original": "1", "counterfactual": "2"})
    values["extract"]["table"] = {"file": name, "folder": "pictures", "licence": "CC0-1.0"}
    found = project(tmp_path, values)
    with pytest.raises(WhatifError, match=told):
        found.run("extract")


def test_lists_of_objects_come_from_jsonl(tmp_path: Path) -> None:
    write_table(tmp_path)
    rows = [
        {"picture": f"{number}.png", "objects": [{"kind": "cup", "full": place < number % 4} for place in range(5)]}
        for number in range(60)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answers = {"original": "count(objects, full)", "counterfactual": "count(objects, not full)"}
    values = table_values(original="How many full?", **{"if": "if full were empty"}, answer=answers, change="either")
    values["extract"]["table"] = {"file": "rows.jsonl", "folder": "pictures", "licence": "unknown"}
    found = project(tmp_path, values)
    found.make("extract", "generate", "filter")
    assert len(found.rows("filter", "questions")) == 16


def test_people_may_remove_and_correct_questions(made: Project, tmp_path: Path) -> None:
    questions = made.rows("verify", "computed")
    removed, corrected = questions[0], questions[2]
    wrong = next(letter for letter in "ABC" if letter != corrected["answer"])
    labels = tmp_path / "labels.csv"
    header = "item_id,annotator,decision,corrected_answer"
    kept = [f"{row['question_id']},ann,accept," for row in questions[3:] if row["question_id"].endswith("-original")]
    lines = [f"{removed['question_id']},ann,reject,", f"{corrected['question_id']},ann,accept,{wrong}", *kept]
    lines += [f"{corrected['question_id']},bob,acept,"]
    labels.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    columns = {
        "item": "item_id",
        "annotator": "annotator",
        "decision": "decision",
        "corrected": {"answer": "corrected_answer"},
    }
    given = {"labels": {"path": str(labels), "format": "columns", "columns": columns}}
    write(made.folder, scenes() | {"verify": given})
    try:
        with contextlib.chdir(made.folder):
            made.run_jobs([job for job in made.jobs("verify") if not job.step.name])
        made.run("evaluate", "aggregate")
        funnel = made.text("metrics/small/funnel.csv")
        assert "verify,labels,rejected because,unknown label,1" in funnel and "verify,pairs,rejected,,1" in funnel
        after = {row["question_id"]: row for row in made.rows("verify", "questions")}
        assert removed["pair_id"] not in {row["pair_id"] for row in after.values()}
        assert after[corrected["question_id"]]["answer"] == wrong
        assert [row["item_id"] for row in made.rows("verify", "corrections")] == [corrected["question_id"]]
    finally:
        write(made.folder, SCENES)
        made.run("verify")
