"""One judge for all benchmarks: it reads what the rules leave in each of them, unless a benchmark says otherwise."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.small import small as small_real
from tests.benchmarks.cvqa_synthetic_released.small import small as small_released
from tests.benchmarks.from_yaml.files import SCENES
from tests.benchmarks.from_yaml.files import write as write_declaration
from tests.chat_server import ChatServer, Message, text_of
from tests.defaults import name_no_model
from tests.projects import Project
from tests.published import numbers
from whatif.scoring.judging import FINDS_NONE, NOT_IN_RESPONSE

pytestmark = pytest.mark.slow

# Benchmark -> the table with the accuracies.
TABLES = {
    "cvqa-synthetic": "table7",
    "cvqa-synthetic-released": "table7",
    "cvqa-real": "table3",
    "scenes": "accuracy",
    "cfmm": "table2",
    "mucr": "table6",
    "small": "accuracy",
}
SILENT, INVENTED = "I would rather not tell.", "Perhaps."
Row = dict[str, Any]


class Judge(ChatServer):
    """Replies to each response as `replies` says."""

    def __init__(self) -> None:
        super().__init__(lambda asked, number: self.replies[asked])
        self.replies: dict[str, str] = {}

    def asked_in(self, messages: Any) -> str:
        said: Message = messages[-1]
        return text_of(said).partition("<response>\n")[2].partition("\n</response>")[0]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    with Judge() as started:
        yield started


def prepared(project: Project, benchmark: str) -> Project:
    """A small project with the questions of a benchmark, and a model whose responses are still to be written."""
    if benchmark == "cvqa-real":
        small_real(project)
    elif benchmark == "cvqa-synthetic-released":
        small_released(project)
    elif benchmark == "small":
        write_declaration(project.folder, SCENES)
    project.select(benchmark)
    generate, evaluate = (project.values[stage] for stage in ("generate", "evaluate"))
    generate["cvqa-synthetic"].update(puzzles_per_template=4, shards=1, image_size=192)
    project.values["extract"]["cfmm"]["scenes"]["items_per_category"] = 4
    project.values["extract"]["mucr"]["scenes"]["groups"] = 8
    project.values["extract"]["scenes"].update(number=4, side=64)
    generate["scenes"].update(pairs=2, candidates=1, shards=1)
    generate["mucr"].update(styles=["comic"], candidates=2)
    evaluate["cfmm"]["strategies"] = evaluate["mucr"]["strategies"] = evaluate["cvqa-real"]["strategies"] = ["direct"]
    theirs = {"adapter": "replay", "predictions": "theirs.csv", "multiple_choice": "words"}
    name_no_model(project.values)
    project.values["models"] = {"theirs": theirs}
    (project.folder / "theirs.csv").write_text("question_id,response\n", encoding="utf-8")
    return project


def answer_all(project: Project, judge: Judge) -> None:
    """Writes the right answer to every question but three, which are for the judge."""
    questions = project.rows("verify", "questions")
    said = {row["question_id"]: f"Answer: {row['answer']}" for row in questions}
    first, second, third = questions[:3]
    other = {"number": "77", "boolean": "yes and no", "choice": "C" if first["answer"] == "B" else "B"}
    said[first["question_id"]] = unclear = f"{first['answer']} or maybe {other[first['answer_kind']]}"
    said[second["question_id"]], said[third["question_id"]] = SILENT, INVENTED
    invented = {"number": "3", "boolean": "yes", "choice": "A", "text": "red"}[third["answer_kind"]]
    judge.replies = {unclear: f"Answer: {first['answer']}", SILENT: "Answer: none", INVENTED: f"Answer: {invented}"}
    with (project.folder / "theirs.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("question_id", "response"), *said.items()])


@pytest.mark.parametrize(
    "benchmark", [pytest.param(name, marks=() if name == "small" else pytest.mark.soak) for name in TABLES]
)
def test_every_benchmark_has_the_judge_of_all(benchmark: str, project: Project, judge: Judge) -> None:
    prepared(project, benchmark)
    project.make("extract", "generate", "filter", "verify")
    answer_all(project, judge)
    project.run()
    assert not judge.conversations
    before = project.published(f"{TABLES[benchmark]}.csv"), project.metrics
    project.values["models"]["j"] = judge.entry(name="Judge")
    project.values["judge"] = {"model": "j"}
    done = project.run()
    computed = {name for name, outcome in done.items() if outcome == "computed"}
    assert {name for name in computed if " judge " not in name} == {f"aggregate {benchmark}"}
    found = project.rows("evaluate", "judged")
    assert sorted((row["status"], row["correct"], row["reason"] or "") for row in found) == [
        ("none", False, FINDS_NONE),
        (NOT_IN_RESPONSE, False, f"the judge's answer is not in the response: {judge.replies[INVENTED][8:]}"),
        ("ok", True, ""),
    ]
    assert len(judge.conversations) == 3 and project.metrics == before[1]
    table = numbers(project.folder / "metrics" / project.benchmark / f"{TABLES[benchmark]}.csv", model="theirs")
    counts = table[table["measure"].isin(["judged", "decided right", "no answer found", "not in the response"])]
    assert counts.groupby("measure")["value"].max().to_dict() == {
        "judged": 3,
        "decided right": 1,
        "no answer found": 1,
        "not in the response": 1,
    }
    compared = table[table["measure"] == "compared accuracy"].groupby("judge")["value"].mean()
    assert compared["with"] > compared["without"]
    assert "with the judge Judge (prompt: answer)" in " ".join(project.published("report.md").split())
    told = [
        answer["why"]
        for row in project.rows("aggregate", "items")
        for one in row["questions"]
        for answer in one["answers"]
    ]
    assert sum("the judge Judge" in why for why in told) == 3
    project.values["judge"] = None
    project.run("aggregate")
    assert (project.published(f"{TABLES[benchmark]}.csv"), project.metrics) == before


@pytest.mark.soak  # that of C-VQA-Real in `test_judging`
def test_a_judge_of_its_own_is_compared_with_people(project: Project, judge: Judge) -> None:
    prepared(project, "cfmm")
    project.make("extract", "generate", "filter", "verify")
    answer_all(project, judge)
    first, second, third = project.rows("verify", "questions")[:3]
    labels = [(first, first["answer"]), (second, "none"), (third, "none")]
    lines = [f"{row['question_id']},theirs,direct,{said}" for row, said in labels]
    text = "\n".join(["question_id,model,strategy,answer", *lines, ""])
    (project.folder / "labels.csv").write_text(text, encoding="utf-8")
    project.values["models"]["j"] = judge.entry(name="Judge")
    project.section("evaluate")["judge"] = {"model": "j", "labels": str(project.folder / "labels.csv")}
    project.run()
    table = numbers(project.folder / "metrics" / "cfmm" / "table2.csv", measure="agreement with people")
    assert [(row.model, row.strategy, row.value, row.n) for row in table.itertuples()] == [("theirs", "direct", 100, 3)]
