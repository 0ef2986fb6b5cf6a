"""Original questions and their counterfactuals in pairs: as released, or one pair for each written question."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real import rows
from tests.benchmarks.cvqa_real.annotators import source_questions
from tests.benchmarks.cvqa_real.small import configure, small
from tests.benchmarks.cvqa_real.vqa import vqa_project
from tests.projects import Project
from whatif.benchmarks.cvqa_real.joining import joined
from whatif.benchmarks.cvqa_real.schemas import WRITTEN
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow


def written(source_id: str, group: str, writer: str, answer: str = "3") -> dict[str, Any]:
    return rows.written(source_id, group, writer, answer, f"How many would there be if {writer} wrote it?", "a", "b")


def test_a_pair_has_the_source_question_and_its_counterfactual() -> None:
    original, new = joined(source_questions(3), [written("101", "direct", "people", "7")])
    source = source_questions(3)[1]
    same = ("choices", "answer_kind", "image_ids")
    assert (
        {name: original[name] for name in same}
        == {name: new[name] for name in same}
        == {name: source[name] for name in same}
    )
    assert {original["pair_id"], new["pair_id"]} == {"101-direct-people"}
    assert {original["group"], new["group"]} == {"direct"}
    assert (original["question_id"], original["variant"]) == ("101-direct-people-original", "original")
    assert (new["question_id"], new["variant"]) == ("101-direct-people-counterfactual", "counterfactual")
    assert (original["question"], original["answer"]) == (source["question"], source["answer"])
    assert (new["question"], new["answer"]) == ("How many would there be if people wrote it?", "7")
    for row in (original, new):
        assert json.loads(row["provenance"]) == {"source_id": "101", "writer": "people"}


def test_a_source_question_may_have_several_counterfactuals() -> None:
    writers = ("people", "rules", "gpt-4o", "gpt-4o-mini")
    rows = [written("101", group, writer) for group in ("direct", "indirect") for writer in writers]
    pairs = joined(source_questions(2), rows)
    assert len(pairs) == 16 and len({row["question_id"] for row in pairs}) == 16
    assert len({row["question"] for row in pairs if row["variant"] == "original"}) == 1
    assert all(row["question_id"] == f"{row['pair_id']}-{row['variant']}" for row in pairs)


def test_a_written_question_without_its_source_is_an_error() -> None:
    with pytest.raises(WhatifError, match="written question 9-direct-rules: its source 9 is not extracted"):
        joined(source_questions(2), [written("9", "direct", "rules")])


def join(project: Project, **rows: list[dict[str, Any]]) -> None:
    """Writes what the writers made, and runs the join."""
    for job in project.jobs("generate"):
        for role in job.outputs:
            if role in ("annotated", "by-rules", "by-model"):
                write_artifact(project.folder / job.outputs[role], WRITTEN, rows.get(role.replace("-", "_"), []))
    project.make_jobs(job for job in project.jobs("generate") if "questions" in job.outputs)


@pytest.fixture
def project(project: Project) -> Project:
    return vqa_project(project)


def test_the_questions_of_all_writers_are_joined(project: Project) -> None:
    project.generate["writers"] = {"direct": ["rules"], "indirect": [], "boolean": ["rules"]}
    project.make("extract")
    people, rules = written("1000", "indirect", "people"), written("1001", "boolean", "rules", "no")
    join(project, annotated=[people], by_rules=[rules])
    rows = project.rows("generate", "questions")
    assert [row["question_id"] for row in rows] == [
        "1000-indirect-people-counterfactual",
        "1000-indirect-people-original",
        "1001-boolean-rules-counterfactual",
        "1001-boolean-rules-original",
    ]
    known = json.loads(rows[0]["provenance"])
    assert (known["writer"], known["source_id"], known["agreement"]) == ("people", "1000", 8)
    assert known["img_path"] == "COCO_val2014_000000000001.jpg"
    assert project.rows("generate", "written") == [people, rules]


def test_without_a_written_question_one_line_says_who_could_write(project: Project) -> None:
    project.make("extract")
    with pytest.raises(
        WhatifError, match=r"there are no written questions; name writers of each group in generate\.cvqa"
    ):
        join(project)


def test_released_pairs_stay_as_they_are(tmp_path: Path) -> None:
    project = small(Project(tmp_path / "released"))
    project.make("extract")
    join(project)
    assert project.rows("generate", "questions") == project.rows("extract", "questions")
    assert project.rows("generate", "written") == []


def test_a_released_question_without_its_counterfactual_is_an_error(tmp_path: Path) -> None:
    project = small(Project(tmp_path / "released"))
    project.make("extract")
    rows = project.rows("extract", "questions")
    (path,) = project.paths("extract", "questions")
    write_artifact(path, QUESTIONS, rows[1:])
    with pytest.raises(WhatifError, match="lacks one of its questions; read the released file again"):
        join(project)


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="WHATIF_DATA names no folder of published data")
def test_the_released_file_as_a_whole(tmp_path: Path) -> None:
    data = Path(os.environ["WHATIF_DATA"])
    folders = [data / "coco-mini" / name for name in ("val2017", "train2017")]
    folders = [folder for folder in folders if folder.is_dir()] or [data / "coco-mini"]
    project = configure(
        Project(tmp_path / "released"),
        data / "c-vqa" / "C-VQA-Real_questions.csv",
        folders,
        {"random": {"adapter": "random"}},
    )
    project.make("extract")
    join(project)
    rows = project.rows("generate", "questions")
    assert len(rows) == 2 * 3144 and rows == project.rows("extract", "questions")
    assert len({row["pair_id"] for row in rows if row["image_ids"]}) == 15
