"""A judge in an evaluation: which jobs there are, what they ask, what the tables show, and what makes them stale."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.benchmarks.copies import copied
from tests.benchmarks.cvqa_real.small import LINES, small
from tests.command_line import whatif
from tests.faulty_proxy import Fault, FaultyProxy, _send
from tests.projects import Project
from tests.tiny_checkpoints import tiny_text_model
from whatif.commands.snakemake import targets
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import JUDGED
from whatif.engine.errors import WhatifError
from whatif.engine.graph import jobs
from whatif.engine.graph.freshness import Condition
from whatif.engine.workflow.dvc_yaml import dvc_yaml
from whatif.people.response_labels import read_response_labels
from whatif.results.reporting.reading import WAYS
from whatif.results.reporting.table import from_csv
from whatif.scoring.judging import FINDS_NONE, NOT_IN_RESPONSE, OUTSIDE

pytestmark = pytest.mark.slow

NAME = "cvqa-real"
# The responses to the original and the counterfactual question of each pair, and the judge's replies to some of them.
RESPONSES = (
    ("Answer: 2", "1 or maybe 2"),
    ("Perhaps some", "I would rather not tell"),
    ("yes", "It is unclear."),
    ("no", "no"),  # its photograph is missing
)
REPLIES = {
    "1 or maybe 2": "Answer: 1",  # right
    "Perhaps some": "Answer: 2",  # made up
    "I would rather not tell": "Answer: none",
    "It is unclear.": "I think that the answer is no.",  # outside the format
}
COMPARED = ("accuracy", "drop")
MADE = Path(f"data/evaluate/theirs/{NAME}/judged/j/answer/direct/part-000-of-001.parquet")
JUDGE_JOB = f"evaluate {NAME} judge theirs j answer direct part-000-of-001"


class JudgeEndpoint(FaultyProxy):
    """Replies by the response in the last message; after `up` requests it fails with status 500."""

    up = 99

    def __init__(self) -> None:
        super().__init__("127.0.0.1:1")

    def _reply(self, request: BaseHTTPRequestHandler, body: bytes, fault: Fault | None) -> None:
        self.up -= 1
        if self.up < 0:
            _send(request, 500, b"{}")
            return
        said = json.loads(body)["messages"][-1]["content"]
        text = said if isinstance(said, str) else said[-1]["text"]
        (reply,) = [reply for response, reply in REPLIES.items() if f"<response>\n{response}\n</response>" in text]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        usage = {"prompt_tokens": 100, "completion_tokens": 4}
        _send(request, 200, json.dumps({"choices": [choice], "usage": usage}).encode())


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A finished project with one model whose responses are in a file; nothing is judged yet."""
    project = small(Project(tmp_path_factory.mktemp("made")))
    header, *rows = LINES.splitlines()
    lines = [f"{row},{first},{second}" for row, (first, second) in zip(rows, RESPONSES, strict=True)]
    text = "\n".join([f"{header},response,new_response", *lines]) + "\n"
    (project.folder / "theirs.csv").write_text(text, encoding="utf-8")
    project.values["models"] = {"theirs": {"adapter": "replay", "predictions": "theirs.csv"}}
    project.make()
    return project


@pytest.fixture
def project(made: Project, folder: Path) -> Project:
    """The finished project; a judge is still to be named."""
    return copied(made, folder)


@pytest.fixture
def endpoint(project: Project) -> Iterator[JudgeEndpoint]:
    """The endpoint of a judge, which the project uses."""
    with JudgeEndpoint() as started:
        project.values["models"]["j"] = {
            "adapter": "api",
            "name": "Judge",
            "model": "j",
            "base_url": started.base_url,
            "retries": 0,
            "concurrency": 1,
            "benchmarks": [],
            "price_per_million_prompt_tokens": 1e6,
            "price_per_million_response_tokens": 1e6,
        }
        project.section("evaluate")["judge"] = {"model": "j"}
        yield started


def rows() -> list[dict[str, Any]]:
    return list(artifacts.rows_of(MADE, JUDGED))


def numbers(project: Project, table: str = "table3", **of: str) -> dict[tuple[str, str], float]:
    """The values of a table in these rows, by measure and variant."""
    frame: pd.DataFrame = from_csv(project.published(f"{table}.csv"))
    for name, value in of.items():
        frame = frame[frame[name] == value]
    frame = frame[frame["value"].notna()]
    return {
        (f"{row['measure']} {row.get('judge', '')}".rstrip(), row.get("variant", "")): row["value"]
        for row in frame.to_dict("records")
    }


def stale(project: Project) -> set[str]:
    return {job.name for job, state in project.states().items() if state.condition is not Condition.FRESH}


def test_without_a_judge_there_is_no_job_and_no_number_of_one(project: Project) -> None:
    assert not [job for job in project.graph.jobs if job.step.name == "judge"]
    assert not list(Path("data").rglob("judged*"))
    assert not [measure for measure, _ in numbers(project) if "judge" in measure]
    assert "judge" not in project.published("report.md")


def test_a_judge_is_asked_about_what_the_rules_leave_and_stands_beside_them(
    project: Project, endpoint: JudgeEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    without = project.metrics, numbers(project, source="ours", group="all")
    assert {name for name, outcome in project.run().items() if outcome == "computed"} == {
        JUDGE_JOB,
        f"aggregate {NAME}",
    }
    assert len(endpoint.log) == 4
    assert all(body["messages"][0]["role"] == "system" for _, body, _ in endpoint.log)
    assert "image" not in json.dumps([body for _, body, _ in endpoint.log]).replace("about an image", "").replace(
        "see the image", ""
    )
    told = capsys.readouterr().err
    assert (
        "1 of 4 replies of this judge are outside its format, and count as no answer; the first is 'I think that the "
        "answer is no.'; it must be one whole line such as `Answer: yes`\n"
    ) in told
    assert any("j: found the answer of 1 of 4 responses of theirs" in line for line in project.messages)
    assert [(row["by_rules"], row["status"], row["answer"], row["correct"], row["reason"]) for row in rows()] == [
        ("ambiguous", "ok", "1", True, None),
        ("none", "none", None, False, FINDS_NONE),
        ("none", NOT_IN_RESPONSE, None, False, "the judge's answer is not in the response: 2"),
        ("none", "none", None, False, OUTSIDE),
    ]
    assert project.metrics == without[0], "the headline numbers never include the judge"
    found = numbers(project, source="ours", group="all")
    assert {place: found[place] for place in without[1]} == without[1]
    assert found["accuracy", "counterfactual"] == 0
    assert found["compared accuracy with", "counterfactual"] == pytest.approx(100 / 3, abs=1e-3)
    assert found["compared accuracy with", "original"] == found["accuracy", "original"]
    assert {place: found[f"compared {place[0]} without", place[1]] for place in without[1] if place[0] in COMPARED} == {
        place: value for place, value in without[1].items() if place[0] in COMPARED
    }
    assert found["compared drop with", ""] == pytest.approx(100 / 3, abs=1e-3)
    counts = (
        "judged",
        "decided",
        "decided right",
        "no answer found",
        "not in the response",
        "outside its format",
        "judge errors",
    )
    assert [found[name, ""] for name in counts] == [4, 1, 1, 1, 1, 1, 0]
    direct = numbers(project, source="ours", group="direct")
    assert [direct[name, ""] for name in counts] == [1, 1, 1, 0, 0, 0, 0]
    costs = numbers(project, "costs", model="j (judge)")
    assert (costs["prompt tokens", ""], costs["response tokens", ""], costs["cost", ""]) == (400, 16, 416)
    read = numbers(project, "reading", model="theirs")
    assert read["judge", ""] == pytest.approx(100 / 6)
    assert sum(read[by, ""] for by in WAYS if (by, "") in read) == pytest.approx(100)
    page = project.published("report.md")
    assert "with the judge Judge (prompt: answer)" in " ".join(page.split())
    assert set(project.run().values()) == {"up to date"}
    assert len(endpoint.log) == 4


def test_a_judge_belongs_to_the_evaluation_of_the_model_that_it_reads(
    project: Project, endpoint: JudgeEndpoint
) -> None:
    graph = project.graph
    assert targets(graph)["evaluate-j"] == []
    assert str(MADE) in targets(graph)["evaluate-theirs"]
    (job,) = [job for job in graph.jobs if job.name == JUDGE_JOB]
    assert (job.model_key, job.evaluated_key) == ("j", "theirs")
    assert list(job.package_files) == [
        "whatif.engine.language:judges/answer.yaml",
        "whatif.engine.language:strategies/direct.yaml",
    ]
    assert "models.j.max_new_tokens" in job.plain_parameters
    assert not {"models.j.name", "models.j.limit", "models.theirs.predictions"} & set(job.plain_parameters)
    assert "models.j" in dvc_yaml(graph, project.values)
    project.section("evaluate")["judge"] = None
    assert "models.j" not in dvc_yaml(project.graph, project.values)


def test_answers_that_the_rules_read_need_no_judge(project: Project, tmp_path: Path) -> None:
    text = project.text("theirs.csv")
    for response in REPLIES:
        text = text.replace(response, "Yes. 3.")
    (project.folder / "theirs.csv").write_text(text, encoding="utf-8")
    project.values["models"]["j"] = {"adapter": "blind", "checkpoint": str(tmp_path / "missing"), "benchmarks": []}
    project.section("evaluate")["judge"] = {"model": "j"}
    project.run()
    assert rows() == []
    assert numbers(project, source="ours", group="all")["judged", ""] == 0


def test_a_checkpoint_that_knows_no_format_changes_nothing(project: Project, tmp_path: Path) -> None:
    checkpoint = str(tiny_text_model(tmp_path / "tiny"))
    project.values["models"]["j"] = {"adapter": "blind", "checkpoint": checkpoint, "max_new_tokens": 4}
    project.values["models"]["j"]["benchmarks"] = []
    project.section("evaluate")["judge"] = {"model": "j"}
    project.run()
    assert [row["reason"] for row in rows()] == [OUTSIDE] * 4
    found = numbers(project, source="ours", group="all")
    assert found["outside its format", ""] == 4
    for variant in ("original", "counterfactual"):
        assert found["compared accuracy with", variant] == found["accuracy", variant]


def test_what_makes_a_judgement_stale(
    project: Project, endpoint: JudgeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.run()
    tables, judge = {f"aggregate {NAME}"}, project.values["models"]["j"]
    assert stale(project) == set()
    for field, value, due in (
        ("retries", 3, set()),
        ("name", "Another name", tables),
        ("max_new_tokens", 20, {JUDGE_JOB} | tables),
    ):
        before = judge.get(field)
        judge[field] = value
        assert stale(project) == due, field
        judge[field] = before if before is not None else 64
    judge["name"] = "Judge"
    assert stale(project) == set()
    (tmp_path / "labels.csv").write_text("question_id,model,strategy,answer\n", encoding="utf-8")
    project.section("evaluate")["judge"]["labels"] = str(tmp_path / "labels.csv")
    assert stale(project) == tables
    project.section("evaluate")["judge"].pop("labels")
    package_file = jobs._package_file
    changed = tmp_path / "answer.yaml"
    shutil.copy(package_file("whatif.engine.language:judges/answer.yaml"), changed)
    monkeypatch.setattr(
        jobs, "_package_file", lambda name: changed if name.endswith("answer.yaml") else package_file(name)
    )
    assert stale(project) == set(), "a prompt with the same content is the same prompt"
    changed.write_text(changed.read_text(encoding="utf-8") + "# a remark\n", encoding="utf-8")
    assert stale(project) == {JUDGE_JOB} | tables
    assert project.run("evaluate")[JUDGE_JOB] == "computed"
    assert len(endpoint.log) == 4, "the requests are the same, and their answers are stored"


def test_a_judge_that_fails_is_asked_again_and_counted(
    project: Project, endpoint: JudgeEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.up = 1
    project.run()
    said = capsys.readouterr().err
    assert "j: 3 of 4 questions ended in error, most often: status 500" in said
    assert "--force evaluate@theirs" in said
    assert [row["status"] for row in rows()] == ["ok", "error", "error", "error"]
    assert numbers(project, source="ours", group="all")["judge errors", ""] == 3
    assert JUDGE_JOB in stale(project)
    endpoint.up, asked = 99, len(endpoint.log)
    project.run("evaluate")
    assert len(endpoint.log) == asked + 3
    assert [row["status"] for row in rows()] == ["ok", "none", "not in the response", "none"]


def test_a_dry_run_names_what_the_judge_would_be_asked(project: Project, endpoint: JudgeEndpoint) -> None:
    def dry_run() -> str:
        project.write_params()
        result = whatif("evaluate", NAME, "--dry-run")
        assert (result.exit_code, result.stderr) == (0, "")
        (line,) = result.stdout.splitlines()
        start = f"j {NAME} direct as judge of theirs: "
        assert line.startswith(start)
        return str(line.removeprefix(start))

    questions = Path(f"data/verify/{NAME}/questions.parquet")
    questions.unlink()
    assert dry_run().startswith("the cost is not known yet (")
    project.run_jobs(job for job in project.jobs("verify", "evaluate") if job.step.name != "judge")
    assert dry_run().startswith("asks 4 of 4 questions (0 are stored), about ")
    assert not endpoint.log
    project.run("evaluate")
    assert dry_run() == "nothing to ask, it is up to date"
    MADE.unlink()
    assert dry_run() == "nothing to ask, all 4 answers are stored"


LABELS = """question_id,model,strategy,answer
{0},theirs,direct,1
{1},theirs,direct,none
{2},theirs,direct,none
{3},theirs,direct,No
{4},theirs,direct,2
"""


def labels_of(project: Project, before: str = "", after: str = "") -> list[dict[str, Any]]:
    """Writes labels of the four responses that are for a judge and of one other; returns all questions."""
    questions = project.rows("verify", "questions")
    first, other, *rest, _ = (row["question_id"] for row in questions)
    text = LABELS.replace(before, after, 1).format(first, *rest, other)
    Path("labels.csv").write_text(text, encoding="utf-8")
    return questions


def test_agreement_with_people_is_shown_where_there_are_labels(project: Project, endpoint: JudgeEndpoint) -> None:
    labels_of(project)
    judge = project.section("evaluate")["judge"]
    judge["labels"] = "missing.csv"
    before = project.published("table3.csv")
    with pytest.raises(WhatifError, match=r"missing\.csv"):
        project.run()
    assert project.published("table3.csv") == before
    judge["labels"] = "labels.csv"
    assert project.run()[JUDGE_JOB] == "up to date"
    found = numbers(project, source="ours", group="all")
    # The judge reads 1, none, 2 (which is not in the response, so none), none; people read 1, none, none, no.
    assert found["agreement with people", ""] == 75
    # By chance they agree in 1/4 x 1/4 on `1` and in 3/4 x 2/4 on `none`: (3/4 - 7/16) / (1 - 7/16).
    assert found["kappa with people", ""] == pytest.approx(5 / 9, abs=1e-4)
    page = " ".join(project.published("table3.md").split())
    assert "Labels of responses that were not judged: 1." in page


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("{1},theirs", "nowhere,theirs", "line 3: question_id 'nowhere' is not among the questions that are asked"),
        ("{1},theirs", "{1},j", "line 3: model 'j' is not evaluated here; there are theirs"),
        ("{1},theirs,direct", "{1},theirs,x", "line 3: strategy 'x' is unknown; there are ccot, cot, direct, mmcot, "),
        ("{1},", "{0},", "line 3: labels the same response as line 2; keep one"),
        ("direct,1", "direct,one", "line 2: answer is 'one'; it must be a number in digits, or none"),
        ("direct,No", "direct,3", "line 5: answer is '3'; it must be yes or no, or none"),
        ("direct,1", "direct,", "line 2: answer is ''; it must be a number in digits, or none"),
        ("answer\n", "reading\n", "has no column answer; a file of answers that people read in responses needs it"),
    ],
)
def test_a_wrong_file_of_labels_is_one_line(made: Project, folder: Path, before: str, after: str, told: str) -> None:
    assert before in LABELS
    questions = labels_of(made, before, after)
    with pytest.raises(WhatifError) as caught:
        read_response_labels(Path("labels.csv"), questions, ["theirs"])
    assert str(caught.value).startswith("labels.csv: ") and told in str(caught.value)
    assert "\n" not in str(caught.value)
