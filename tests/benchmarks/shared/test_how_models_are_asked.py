"""Who is asked which puzzles and how: what an endpoint is sent, the benchmarks of an entry, files, pilot samples."""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.copies import copied
from tests.benchmarks.cvqa_synthetic.small import BEFORE_MODELS, NAME, small
from tests.benchmarks.shared.test_evaluation import Endpoint, loopback
from tests.command_line import refused, whatif
from tests.projects import Project, Row
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.commands import snakemake as workflow
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition
from whatif.engine.language.options import printed_question

pytestmark = pytest.mark.slow

__all__ = ["loopback"]  # fixture


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The puzzles, about which nobody is asked yet."""
    project = small(Project(tmp_path_factory.mktemp("verified")))
    project.make(*BEFORE_MODELS)
    return project


@pytest.fixture
def project(verified: Project, folder: Path) -> Project:
    """A copy of it, which the test may change."""
    return copied(verified, folder)


@pytest.fixture
def endpoint(project: Project) -> Iterator[Endpoint]:
    with Endpoint() as started:
        model = {"adapter": "api", "model": "m", "base_url": started.base_url, "retries": 0, "concurrency": 1}
        project.values["models"] = {"m": model}
        yield started


def sent(endpoint: Endpoint) -> list[str]:
    return [body["messages"][-1]["content"][-1]["text"] for _, body, _ in endpoint.log]


def test_an_endpoint_is_sent_each_puzzle_with_its_options_and_the_form_of_the_answer(
    project: Project, endpoint: Endpoint
) -> None:
    project.make("evaluate")
    questions = project.rows("verify", "questions")
    assert sorted(sent(endpoint)) == sorted(
        f"{printed_question(row['question'], row['choices'])}\nAnswer with one letter." for row in questions
    )
    assert all("Select the correct answer:A:" in words for words in sent(endpoint))
    assert len(project.rows("evaluate", "predictions")) == len(questions)


def test_an_endpoint_without_log_probabilities_ends_an_evaluation_that_ranks(
    project: Project, endpoint: Endpoint
) -> None:
    project.values["models"]["m"]["multiple_choice"] = "rank-letter"
    with pytest.raises(WhatifError, match=r"/v1: gives no log-probabilities \(logprobs\), so options cannot be ranked"):
        project.make("evaluate")
    assert [(body["max_tokens"], body["logprobs"], body["top_logprobs"]) for _, body, _ in endpoint.log] == [
        (1, True, 20)
    ]
    assert "Answer with one letter" not in sent(endpoint)[0]
    assert not any(path.exists() for path in project.paths("evaluate", "predictions"))


def test_how_letters_are_ranked_counts_only_where_there_are_choices(project: Project) -> None:
    project.values["benchmarks"] = [NAME, "scenes", "cvqa-real"]
    model = {"adapter": "api", "model": "m", "base_url": "http://127.0.0.1:1/v1", "multiple_choice": "rank-letter"}
    project.values["models"] = {"m": model}
    for place in ("models.m.top_logprobs", "models.m.prompt_log_probabilities"):
        assert {job.step.benchmark for job in project.jobs("evaluate") if place in job.plain_parameters} == {NAME}


def rows_by_model(project: Project) -> dict[str, list[Row]]:
    """The predictions of each model, whether its files have some or not."""
    found: dict[str, list[Row]] = {}
    for path in project.paths("evaluate", "predictions"):
        found.setdefault(path.relative_to(project.folder).parts[2], []).extend(artifacts.rows_of(path, PREDICTIONS))
    return found


def theirs(project: Project, responses: Mapping[str, str]) -> dict[str, Any]:
    path = project.folder / "theirs.csv"
    path.write_text(
        "".join(f"{k},{v}\n" for k, v in {"question_id": "response", **responses}.items()), encoding="utf-8"
    )
    return {"adapter": "replay", "predictions": path.name}


# Which benchmarks a model is evaluated on


def test_a_model_is_asked_on_the_benchmarks_of_its_entry_alone(project: Project) -> None:
    project.values["benchmarks"] = [NAME, "scenes", "cvqa-real"]
    project.values["models"]["random"]["benchmarks"] = ["scenes"]
    project.values["models"]["clip"] = {"adapter": "dual-encoder", "checkpoint": "a/b", "benchmarks": [NAME]}
    asked: dict[str, set[str]] = {}
    for job in project.jobs("evaluate"):
        asked.setdefault(job.step.benchmark, set()).update(job.wildcards.values())
    assert {name: found & set(project.values["models"]) for name, found in asked.items()} == {
        NAME: {"first-option", "majority"},
        "scenes": {"random", "majority"},
        "cvqa-real": {"majority"},
    }, "and nobody who can only choose an option is asked an open question"


def test_a_benchmark_may_be_left_without_any_model(project: Project) -> None:
    project.values["models"] = {"random": {"adapter": "random", "benchmarks": ["scenes"]}}
    project.make("aggregate")
    assert project.metrics == {}


def test_a_matcher_stays_away_from_other_benchmarks(project: Project) -> None:
    project.values["benchmarks"] = ["coco-counterfactuals", "coco-counterfactuals-released", "scenes"]
    matcher = {"adapter": "dual-encoder", "checkpoint": "a/b"}
    project.values["models"] = {"everywhere": matcher, "here": {**matcher, "benchmarks": ["coco-counterfactuals"]}}
    found = {(job.step.benchmark, *job.wildcards.values()) for job in project.jobs("evaluate")}
    benchmarks = project.values["benchmarks"]
    assert found == {("coco-counterfactuals", "here"), *((name, "everywhere") for name in benchmarks)}


def test_the_form_of_a_choice_counts_only_where_there_are_choices(project: Project) -> None:
    project.values["benchmarks"] = [NAME, "scenes", "cvqa-real"]
    project.values["models"] = {"m": {"adapter": "hf-chat", "checkpoint": "a/b"}}
    place = "models.m.multiple_choice"
    assert {job.step.benchmark for job in project.jobs("evaluate") if place in job.plain_parameters} == {NAME}


def test_where_else_a_model_is_evaluated_makes_nothing_stale(project: Project) -> None:
    project.make("evaluate")
    project.values["models"]["random"]["benchmarks"] = [NAME, "scenes"]
    found = {job.name: state for job, state in project.states().items() if job.step.stage == "evaluate"}
    assert {state.condition for state in found.values()} == {Condition.FRESH}, found


# A file of predictions


def test_the_parts_of_a_benchmark_do_not_warn_of_each_others_responses(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = project.rows("verify", "questions")
    answers = {row["question_id"]: row["answer"] for row in questions}
    project.values["models"] = {"theirs": theirs(project, {**answers, "elsewhere-1": "A"})}
    capsys.readouterr()
    project.make("evaluate", "aggregate")
    said = [line.partition("theirs.csv: ")[2] for line in capsys.readouterr().err.splitlines() if "theirs.csv" in line]
    assert said == [
        "has responses to 24 of 24 questions",
        "responses to other questions: 1 (elsewhere-1)",
        "has responses to 24 of 24 questions",
    ]
    assert project.metrics["theirs"]["original"] == 100


def test_a_file_of_one_part_leaves_the_others_unanswered(project: Project) -> None:
    last = project.rows("verify", "questions")[-1]
    project.values["models"] = {"theirs": theirs(project, {last["question_id"]: last["answer"]})}
    project.make("evaluate", "aggregate")
    assert project.funnel()["evaluate theirs"] == ("error: 47", 48, 1, 47)


def test_losses_in_a_file_are_ranked(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    questions = project.rows("verify", "questions")
    path = project.folder / "theirs.jsonl"
    losses = {row["question_id"]: [0.5 if each == row["answer"] else 2.0 for each in "ABCD"] for row in questions}
    path.write_text("".join(json.dumps({"question_id": k, "losses": v}) + "\n" for k, v in losses.items()))
    entry = {"adapter": "replay", "predictions": str(path)}
    project.values["models"] = {"theirs": {**entry, "multiple_choice": "rank-text"}}
    project.make("evaluate", "aggregate")
    assert (project.metrics["theirs"]["original"], project.metrics["theirs"]["counterfactual"]) == (100, 100)
    assert "theirs.jsonl: has losses for 24 of 24 questions" in capsys.readouterr().err
    project.values["models"] = {"theirs": entry}
    with pytest.raises(WhatifError, match="has losses of options, but no options are ranked here"):
        project.make("evaluate")


# Pilot samples


@pytest.fixture(scope="module")
def mixed(verified: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, list[str]]:
    """A finished project with a pilot, a model of another benchmark and a file about others; and what was said."""
    project = copied(verified, tmp_path_factory.mktemp("mixed"))
    models = project.values["models"]
    models["majority"] |= {"limit": 6, "name": "Most frequent"}
    models["random"]["limit"] = 24  # all pairs, which is no pilot
    models["away"] = {"adapter": "random", "name": "Elsewhere", "benchmarks": ["scenes"]}
    models["theirs"] = theirs(project, {"mmbench-1": "A", "mmbench-2": "B"})
    with contextlib.redirect_stderr(io.StringIO()) as said:
        project.make("evaluate", "aggregate")
    return project, said.getvalue().splitlines()


def test_a_pilot_is_asked_whole_pairs_of_every_group_and_says_so(mixed: tuple[Project, list[str]]) -> None:
    project, _ = mixed
    rows = rows_by_model(project)
    asked = {row["question_id"] for row in rows["majority"]}
    questions = [row for row in project.rows("verify", "questions") if row["question_id"] in asked]
    assert Counter(row["group"] for row in questions) == dict.fromkeys(GROUPS, 2)
    assert Counter(Counter(row["pair_id"] for row in questions).values()) == {2: 6}
    assert len(rows["random"]) == 48
    found = project.metrics
    assert (found["majority"]["pairs"], found["random"]["pairs"]) == (6, 24)
    for name in ("table7", "templates", "letters", "drops", "accuracy"):
        text = project.published(f"{name}.csv")
        assert text.count("Most frequent") == text.count("Most frequent (pilot sample of 6 pairs)"), name
        assert "(pilot sample of 6 pairs)" in text or name == "drops"
    assert "Most frequent (pilot sample of 6 pairs)" in project.published("table7.md")
    assert "Random (pilot" not in project.published("report.md")
    items = project.rows("aggregate", "items")
    systems = [answer["system"] for item in items for asked in item["questions"] for answer in asked["answers"]]
    assert systems.count("Most frequent (pilot sample of 6 pairs)") == 12
    assert not any("Most frequent" in name and "pilot" not in name for name in systems)
    assert project.funnel()["evaluate majority"] == ("not in the pilot sample: 36", 48, 12, 36)
    assert "error" not in {row["status"] for row in rows["majority"]}


def test_tables_have_no_row_of_a_model_that_is_evaluated_elsewhere(mixed: tuple[Project, list[str]]) -> None:
    project, _ = mixed
    assert set(project.metrics) == {"random", "first-option", "majority"}
    for name in ("table7", "templates", "letters", "funnel"):
        for suffix in ("md", "csv"):
            text = project.published(f"{name}.{suffix}")
            assert "lsewhere" not in text and "away" not in text
    assert workflow.targets(project.graph)["evaluate-away"] == []
    with pytest.raises(WhatifError, match=f"evaluate {NAME}: away is not evaluated here: .* there are first-option, "):
        project.graph.jobs_of(project.graph.steps_of("evaluate", NAME)[0], {"model": "away"})


def test_a_file_without_a_response_is_skipped_in_one_line(mixed: tuple[Project, list[str]]) -> None:
    project, said = mixed
    (line,) = [line for line in said if "theirs" in line]
    assert f"theirs: not evaluated on {NAME}: " in line
    assert "none of its 2 responses is to any of the 48 questions; it has mmbench-1, mmbench-2, asked are" in line
    assert rows_by_model(project)["theirs"] == []
    assert "theirs" not in project.metrics
    assert project.funnel()["evaluate theirs"] == ("no response in its file: 48", 48, 0, 48)
    assert {state.condition for state in project.states().values()} == {Condition.FRESH}


def test_a_pilot_does_not_depend_on_the_parts(tmp_path: Path) -> None:
    asked = []
    for shards in (1, 3):
        project = small(Project(tmp_path / str(shards)))
        project.generate["shards"] = shards
        project.values["models"] = {"random": {"adapter": "random", "limit": 5}}
        project.make(*BEFORE_MODELS, "evaluate")
        asked.append(rows_by_model(project)["random"])
    assert asked[0] == asked[1] and len(asked[0]) == 10


def test_a_larger_pilot_asks_only_what_is_new(project: Project, endpoint: Endpoint) -> None:
    project.values["models"]["m"]["limit"] = 3
    project.make("evaluate")
    assert len(endpoint.log) == 6
    project.values["models"]["m"]["limit"] = 5
    project.make("evaluate")
    assert len(endpoint.log) == 10


def test_a_file_of_pairs_is_asked_and_an_edit_asks_what_is_new(project: Project, endpoint: Endpoint) -> None:
    pairs = sorted({row["pair_id"] for row in project.rows("verify", "questions")})
    listed = project.folder / "subset.txt"
    listed.write_text("\n".join([*pairs[:3], ""]), encoding="utf-8")
    project.values["models"]["m"]["limit"] = "subset.txt"
    project.make("evaluate")
    assert {row["question_id"].rpartition("-")[0] for row in rows_by_model(project)["m"]} == set(pairs[:3])
    assert len(endpoint.log) == 6
    listed.write_text("\n".join(pairs[:4]), encoding="utf-8")
    project.make("evaluate")
    assert len(endpoint.log) == 8, "the answers to three pairs are stored"
    assert len(rows_by_model(project)["m"]) == 8


def test_a_pilot_from_the_command_line_stores_answers_and_writes_nothing(project: Project, endpoint: Endpoint) -> None:
    prices = {"price_per_million_prompt_tokens": 1000, "price_per_million_response_tokens": 10_000}
    project.values["models"]["m"] |= prices
    project.write_params()
    before = project.everything()
    result = whatif("evaluate", NAME, "--model", "m", "--limit", "6")
    assert result.exit_code == 0, result.output
    title, original, counterfactual, *rest = result.stdout.splitlines()
    assert title == f"m on {NAME}: pilot sample of 6 pairs of 24"
    assert original.startswith("  original: ") and original.endswith(" of 6")
    assert counterfactual.startswith("  counterfactual: ") and counterfactual.endswith(" of 6")
    # Each of 12 questions takes 9 tokens and 1.
    assert rest[-2] == "  tokens: 108 in prompts, 12 in responses; cost 0.23 at the prices in params.yaml"
    assert rest[-1].startswith("No artifact was written. To include the sample in the tables, add `limit: 6`")
    assert (project.everything(), len(endpoint.log)) == (before, 12)
    project.values["models"]["m"]["limit"] = 6
    project.make("evaluate")
    assert len(endpoint.log) == 12, "its answers are stored"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([NAME, "--limit", "5"], "--limit: a pilot sample is for one model; give --model"),
        ([NAME, "--model", "gpt", "--limit", "5"], f"evaluate {NAME}: model gpt is not in params.yaml"),
        (["coco-counterfactuals", "--model", "random", "--limit", "5"], "coco-counterfactuals: has no questions, so"),
    ],
)
def test_a_pilot_that_cannot_be_asked_is_one_line(project: Project, arguments: list[str], message: str) -> None:
    project.values["benchmarks"] = [NAME, "coco-counterfactuals"]
    project.write_params()
    assert refused(whatif("evaluate", *arguments)).startswith(message)
