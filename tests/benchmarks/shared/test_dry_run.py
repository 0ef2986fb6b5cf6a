"""What a dry run says of evaluations by an endpoint, beside what the same evaluations then ask."""

from __future__ import annotations

import atexit
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.benchmarks.cvqa_real.small import small
from tests.benchmarks.shared.test_evaluation import Endpoint, endpoint, loopback, made
from tests.command_line import whatif
from tests.projects import Project
from whatif.commands.snakemake import open_graph
from whatif.engine import artifacts
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.artifacts.schemas import QUESTIONS
from whatif.engine.graph.run import run
from whatif.engine.language import strategies
from whatif.engine.language.strategies import prompt
from whatif.engine.language.strategies.strategy import Strategy
from whatif.models.responses.token_estimates import picture_tokens
from whatif.scoring import open_answers

pytestmark = pytest.mark.slow

__all__ = ["endpoint", "loopback"]  # fixtures


@pytest.fixture
def project(project: Project) -> Project:
    return small(project)


RULE = "estimated by rule of thumb: 4 characters per token, images by their size, responses of max_new_tokens"


def dry_run(project: Project, *arguments: str) -> list[str]:
    """What `whatif evaluate --dry-run` prints; it leaves every file as it was."""
    project.write_params()

    def files() -> dict[Path, bytes]:
        found = [path for folder in ("data", ".whatif") for path in Path(folder).rglob("*")]
        return {path: path.read_bytes() for path in found if path.is_file() and "index" not in path.parts}

    before = files()
    result = whatif("evaluate", "cvqa-real", *arguments, "--dry-run")
    assert (result.exit_code, result.stderr) == (0, "")
    assert files() == before
    return result.stdout.splitlines()


def make_questions(project: Project) -> None:
    for job in project.graph.jobs:
        if job.step.stage not in ("evaluate", "aggregate"):
            run(job, lambda line: None)


def test_a_model_is_not_asked_stale_questions_without_a_warning(project: Project, endpoint: Endpoint) -> None:
    make_questions(project)
    project.values["seed"] += 1
    project.write_params()
    for arguments in (("--dry-run",), ("--model", "m")):
        told = whatif("evaluate", "cvqa-real", *arguments).stderr.splitlines()[0]
        assert re.match(
            r"warning: \w+ cvqa-real.* is stale \(seed: .*\), so these questions may change; first run", told
        )


def test_what_a_dry_run_says_is_what_is_asked_then(project: Project, endpoint: Endpoint) -> None:
    prices = {"price_per_million_prompt_tokens": 1e6, "price_per_million_response_tokens": 1e5}
    project.values["models"]["m"] |= prices | {"max_new_tokens": 20, "key_variable": "NOT_SET"}
    (line,) = dry_run(project)
    questions_file = "data/verify/cvqa-real/questions.parquet"
    assert line.startswith(f"m cvqa-real direct: the cost is not known yet ({questions_file}: no such artifact")
    make_questions(project)
    rows = artifacts.read(Path(questions_file), QUESTIONS).to_pylist()
    images = ImageStore([Path("data/extract/cvqa-real/images.parquet")])
    tokens = sum(
        len(prompt("direct", row["question"], row["answer_kind"])) / 4
        + picture_tokens(*images.get(row["image_ids"][0]).size)
        for row in rows
    )
    numbers = f"about {round(tokens):,} prompt and 120 response tokens, cost about {round(tokens) + 12}.00"
    assert dry_run(project) == [f"m cvqa-real direct: asks 6 of 6 questions (0 are stored), {numbers}; {RULE}"]
    assert not endpoint.log
    project.values["models"]["m"]["key_variable"] = None
    endpoint.up = 4
    made(project)
    asked = len(endpoint.log)
    (line,) = dry_run(project)
    numbers = "about 18 prompt and 2 response tokens, cost about 18.20"
    basis = "estimated by the mean of 4 stored answers to this benchmark"
    pattern = re.escape(f"m cvqa-real direct: asks 2 of 6 questions (4 are stored), {numbers}, about TIME h; {basis}")
    assert re.fullmatch(pattern.replace("TIME", r"\d:\d\d:\d\d"), line)
    assert len(endpoint.log) == asked
    endpoint.up = 99
    made(project)
    assert len(endpoint.log) == asked + 2
    assert dry_run(project) == ["m cvqa-real direct: nothing to ask, it is up to date"]
    for path in Path("data/evaluate").rglob("*.parquet"):
        path.unlink()
    assert dry_run(project) == ["m cvqa-real direct: nothing to ask, all 6 answers are stored"]
    project.values["probes"] = ["without-image"]
    ordinary, probed = dry_run(project)
    assert ordinary == "m cvqa-real direct: nothing to ask, all 6 answers are stored"
    assert probed.startswith("m cvqa-real direct without-image: asks 6 of 6 questions (0 are stored)")


def test_answers_to_other_questions_tell_how_many_tokens_to_expect(project: Project, endpoint: Endpoint) -> None:
    made(project)
    project.values["evaluate"]["cvqa-real"]["strategies"] = ["cot"]
    project.values["models"]["m"]["token_budget"] = 30
    (line,) = dry_run(project)
    assert line.startswith(
        "m cvqa-real cot: asks 6 of 6 questions (0 are stored), about 54 prompt and 6 response tokens"
    )
    assert line.endswith(
        "; token_budget stops it at 30 tokens; estimated by the mean of 6 stored answers to other questions"
    )


def test_both_turns_of_a_strategy_are_counted(
    project: Project, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [{"user": "{question}"}, {"user": "{question} Not {answer_1}?"}]
    described = Strategy.model_validate({"turns": turns})
    for module in (strategies, open_answers):
        monkeypatch.setattr(module, "read", lambda name: described)
    make_questions(project)
    (line,) = dry_run(project)
    assert line.startswith("m cvqa-real direct: asks 12 of 12 questions (0 are stored)")


def test_models_on_this_machine_cost_nothing(project: Project) -> None:
    make_questions(project)
    nothing = ["nothing to ask behind an endpoint; models on this machine cost nothing"]
    assert dry_run(project) == dry_run(project, "--model", "random") == nothing


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Callable[[Project, list[str]], list[str]]:
    """What a dry run of Snakemake with some targets says, but for what it moves out of the way."""

    def plan(project: Project, targets: list[str]) -> list[str]:
        project.write_params()
        whatif("dvc-yaml")
        said: list[str] = []
        ends: list[Callable[[], None]] = []
        monkeypatch.setattr(atexit, "register", ends.append)
        open_graph(project.values, schedules=True, say=said.append, asked_for=targets, dry_run=True)
        for end in ends:
            end()
        return [line for line in said if not line.startswith("not fresh: ")]

    return plan


def test_a_plan_says_what_models_with_prices_would_cost(
    project: Project, endpoint: Endpoint, planned: Callable[[Project, list[str]], list[str]]
) -> None:
    made(project)
    assert planned(project, []) == [], "it has no prices, and is up to date"
    project.values["models"]["paid"] = project.values["models"]["m"] | {
        "decoding": {"temperature": 0.5},
        "price_per_million_prompt_tokens": 1e6,
        "price_per_million_response_tokens": 0,
    }
    project.values["models"]["other"] = project.values["models"]["m"] | {"decoding": {"temperature": 0.7}}
    (line,) = planned(project, [])
    assert line.startswith("paid cvqa-real direct: asks 6 of 6 questions (0 are stored), about 54 prompt ")
    assert "cost about 54.00" in line
    for targets, lines in {"verify": [], "evaluate-other": [], "evaluate-paid": [line], "aggregate": [line]}.items():
        assert planned(project, [targets]) == lines
    project.values["extract"]["cvqa-real"]["image_folders"] = []
    (line,) = planned(project, [])
    assert line.startswith("paid cvqa-real direct: the cost is not known yet (data/")
    assert len(endpoint.log) == 6
