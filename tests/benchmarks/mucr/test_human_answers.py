"""People's answers from CSV files: what counts, and what is rejected and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.mucr.asked import Set
from tests.benchmarks.mucr.evaluated import Collected, job_of, write_inputs
from tests.benchmarks.mucr.rows import Row
from tests.projects import Project
from whatif.benchmarks.mucr.human_answers import attempts_of, write_attempts
from whatif.benchmarks.mucr.schemas import ATTEMPTS
from whatif.engine.artifacts.schemas import REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.people.label_files import TWICE_ALIKE, TWICE_DIFFERENTLY

QUESTIONS = [
    {"question_id": name, "choices": ["w", "x", "y", "z"], "answer": answer}
    for name, answer in (("p0-c2e-text", "A"), ("p1-c2e-text", "B"), ("p2-cp-text", "D"))
]
HEADER = "question_id,attempt,answer"


def read(folder: Path, *lines: str, **files: str) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    contents = files or {"people.csv": "\n".join([HEADER, *lines])}
    for name, text in contents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return attempts_of([folder / name for name in contents], QUESTIONS)


def test_each_answer_is_right_or_wrong_and_attempts_may_leave_questions_out(tmp_path: Path) -> None:
    found, refused = read(tmp_path, "p1-c2e-text,2,b", "p0-c2e-text,1,A", "p1-c2e-text,1,C", "p2-cp-text,ann, D ")
    assert [tuple(row.values()) for row in found] == [
        ("p0-c2e-text", "1", "A", True),
        ("p1-c2e-text", "1", "C", False),
        ("p1-c2e-text", "2", "B", True),
        ("p2-cp-text", "ann", "D", True),
    ]
    assert refused == []


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        ("p9-c2e-text,1,A", "unknown question", "question_id 'p9-c2e-text' is not among the questions"),
        ("p1-c2e-text,1,E", "no letter of an option", "answer to p1-c2e-text is 'E'; use one of A, B, C, D"),
        ("p1-c2e-text,1,AB", "no letter of an option", "is 'AB'; use one of A, B, C, D"),
        ("p1-c2e-text,1,x", "no letter of an option", "is 'x'; use one of A, B, C, D"),
        ("p1-c2e-text,1,", "no answer", "answer to p1-c2e-text is empty"),
        ("p1-c2e-text,1,NaN", "no answer", "answer to p1-c2e-text is empty"),
        ("p1-c2e-text,nan,A", "no attempt", "give the person or the number of the attempt"),
        ("p1-c2e-text,,A", "no attempt", "give the person or the number of the attempt"),
    ],
)
def test_a_row_that_does_not_count_is_named_with_its_line(tmp_path: Path, line: str, reason: str, detail: str) -> None:
    found, (refused,) = read(tmp_path, "p0-c2e-text,1,A", line)
    assert len(found) == 1
    assert (refused["item_id"], refused["reason"]) == ("answers-line-000003", reason)
    assert refused["detail"].startswith("people.csv: line 3: ") and detail in refused["detail"]


def test_repeated_rows_count_once_if_they_agree_and_not_at_all_if_they_differ(tmp_path: Path) -> None:
    lines = ["p0-c2e-text,1,A", "p0-c2e-text,1,a", "p1-c2e-text,1,A", "p1-c2e-text,1,B"]
    found, refused = read(tmp_path, *lines)
    assert [(row["question_id"], row["answer"]) for row in found] == [("p0-c2e-text", "A")]
    assert [(row["item_id"][-1], row["reason"]) for row in refused] == [
        ("3", TWICE_ALIKE),
        ("4", TWICE_DIFFERENTLY),
        ("5", TWICE_DIFFERENTLY),
    ]
    assert "people.csv: line 4, people.csv: line 5 have different answers" in refused[1]["detail"]
    assert read(tmp_path, *reversed(lines))[0] == found


def test_several_files_are_one_set_of_attempts(tmp_path: Path) -> None:
    files = {"b.csv": f"{HEADER}\np0-c2e-text,2,B\n", "a.csv": f"{HEADER}\np0-c2e-text,1,A\np0-c2e-text,2,C\nq,1,A\n"}
    found, refused = read(tmp_path, **files)
    assert [(row["attempt"], row["answer"]) for row in found] == [("1", "A")]
    assert [row["item_id"] for row in refused] == [
        "answers-a.csv-line-000003",
        "answers-a.csv-line-000004",
        "answers-b.csv-line-000002",
    ]
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "a.csv")]
    assert attempts_of(paths, QUESTIONS) == (found, refused), "a file that is named twice is read once"


def test_a_file_without_a_column_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(WhatifError, match=r"people\.csv: has no column attempt; a file of people's answers needs it"):
        read(tmp_path, **{"people.csv": "question_id,answer\np0-c2e-text,A\n"})
    with pytest.raises(WhatifError, match=r"none\.csv: cannot be read"):
        attempts_of([tmp_path / "none.csv"], QUESTIONS)


class TestStep:
    @pytest.fixture
    def project(self, project: Project) -> Project:
        project.select("mucr")
        return project

    def imported(self, project: Project, *lines: str) -> dict[str, list[Row]]:
        made = Set()
        if lines:
            (project.folder / "people.csv").write_text("\n".join([HEADER, *lines]), encoding="utf-8")
            project.section("evaluate")["human_attempts"] = ["people.csv"]
        job = next(job for job in project.jobs("verify") if job.step.name == "people")
        write_inputs(job, made)
        outputs = Collected()
        write_attempts(job.task(outputs, project.messages.append))  # type: ignore[arg-type]
        return outputs.rows

    def test_its_rows_fit_the_tables(self, project: Project, tmp_path: Path) -> None:
        found = self.imported(project, "g0-p0-c2e-text,1,A", "g0-p0-c2e-text,2,B", "g0-p9,1,A")
        assert [row["correct"] for row in found["attempts"]] == [True, False]
        write_artifact(tmp_path / "a.parquet", ATTEMPTS, found["attempts"])
        write_artifact(tmp_path / "u.parquet", REJECTIONS, found["uncounted"])

    def test_without_files_there_are_no_attempts(self, project: Project) -> None:
        assert self.imported(project) == {"attempts": [], "uncounted": []}

    def test_a_file_about_other_questions_is_an_error(self, project: Project) -> None:
        with pytest.raises(WhatifError, match=r"none of 1 answers is left: unknown question \(1\); for example"):
            self.imported(project, "p9,1,A")

    def test_the_file_is_a_source_of_the_step(self, project: Project) -> None:
        self.imported(project, "g0-p0-c2e-text,1,A")
        job = next(job for job in project.jobs("verify") if job.step.name == "people")
        assert "people.csv" in job.named_sources
        assert job_of(project, "random", "direct").named_sources == {}
