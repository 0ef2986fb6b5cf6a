"""Prompt forms and samples through whole evaluations: what is sent, stored and fresh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.small import small
from tests.benchmarks.cvqa_synthetic.small import BEFORE_MODELS
from tests.benchmarks.cvqa_synthetic.small import small as small_puzzles
from tests.benchmarks.shared.test_evaluation import MADE, Endpoint, loopback, made, rows, state
from tests.projects import Project
from whatif.engine.graph.freshness import Condition
from whatif.engine.language import prompts

pytestmark = pytest.mark.slow
__all__ = ["loopback"]  # a fixture


@pytest.fixture
def real(project: Project) -> Project:
    return small(project)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as started:
        yield started


def ask(project: Project, endpoint: Endpoint, **more: Any) -> None:
    entry = {"adapter": "api", "model": "m", "base_url": endpoint.base_url, "retries": 0, "concurrency": 1}
    project.values["models"] = {"m": {**entry, **more}}


def texts(endpoint: Endpoint) -> list[str]:
    return [body["messages"][-1]["content"][-1]["text"] for _, body, _ in endpoint.log]


def test_a_form_words_open_questions_in_direct_alone(real: Project, endpoint: Endpoint) -> None:
    ask(real, endpoint, prompt="llava-1-5")
    real.values["evaluate"]["cvqa-real"]["strategies"] = ["direct", "cot"]
    made(real)
    line = "\nAnswer the question using a single word or phrase."
    by_strategy = {text.endswith(line): "step by step" in text for text in texts(endpoint)}
    assert by_strategy == {True: False, False: True}
    assert len(texts(endpoint)) == 12


def test_a_form_words_puzzles_that_are_answered_in_words(project: Project, endpoint: Endpoint) -> None:
    small_puzzles(project)
    ask(project, endpoint, prompt="llava-1-5")
    project.make(*BEFORE_MODELS, "evaluate")
    line = "\nAnswer with the option's letter from the given choices directly."
    assert texts(endpoint) and all(text.endswith(line) for text in texts(endpoint))


def test_a_text_is_around_every_prompt_and_is_not_stored_with_bare_answers(real: Project, endpoint: Endpoint) -> None:
    ask(real, endpoint)
    made(real)
    bare = texts(endpoint)
    ask(real, endpoint, prompt="Q: {question} A:")
    made(real)
    assert sorted(texts(endpoint)[len(bare) :]) == sorted(f"Q: {text} A:" for text in bare)


def test_an_edited_form_makes_the_answers_of_its_models_stale_and_no_others(
    real: Project, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "prompts"
    package.mkdir()
    form = package / "toy.yaml"
    form.write_text("question: '{question} Be short.'", encoding="utf-8")
    (package / "other.yaml").write_text("question: '{question} Be long.'", encoding="utf-8")
    monkeypatch.setattr(prompts, "FOLDER", package)
    # A path that is absolute stays as it is below the folder of a package.
    monkeypatch.setattr(prompts, "FILE", f"whatif.engine.language:{package}/{{}}.yaml")
    prompts.read.cache_clear()
    ask(real, endpoint, prompt="toy")
    made(real)
    assert state(real) == (Condition.FRESH, ())
    assert all(text.endswith(" Be short.") for text in texts(endpoint))
    (package / "other.yaml").write_text("question: '{question} Be very long.'", encoding="utf-8")
    assert state(real) == (Condition.FRESH, ())
    form.write_text("question: '{question} Be brief.'", encoding="utf-8")
    prompts.read.cache_clear()
    condition, (reason,) = state(real)
    assert condition is Condition.STALE and reason.startswith("package files ") and "toy.yaml" in reason
    made(real)
    assert [text.endswith(" Be brief.") for text in texts(endpoint)] == [False] * 6 + [True] * 6
    prompts.read.cache_clear()


def test_a_question_whose_samples_failed_is_counted_once(
    real: Project, endpoint: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.up = 7
    ask(real, endpoint, decoding={"temperature": 0.7, "samples": 3})
    made(real)
    assert [row["status"] for row in rows()] == ["ok"] * 2 + ["error"] * 4
    assert [row["reason"][:15] for row in rows()[2:]] == ["sample 2 of 3: "] + ["sample 1 of 3: "] * 3
    said = capsys.readouterr().err
    assert "4 of 6 questions ended in error" in said and "4 of these errors are transient" in said
    endpoint.up, asked = 99, len(endpoint.log)
    made(real)
    assert len(endpoint.log) == asked + 11 and {row["status"] for row in rows()} == {"ok"}


def test_each_sample_is_sent_with_its_own_seed_and_stored_for_itself(real: Project, endpoint: Endpoint) -> None:
    drawn = {"temperature": 0.7, "top_p": 0.9, "seed": 5}
    ask(real, endpoint, decoding={**drawn, "samples": 2})
    made(real)
    bodies = [body for _, body, _ in endpoint.log]
    assert sorted(body["seed"] for body in bodies) == [5] * 6 + [6] * 6
    assert {(body["temperature"], body["top_p"]) for body in bodies} == {(0.7, 0.9)}
    found = rows()
    assert len({one["request_key"] for row in found for one in row["samples"]}) == 12
    assert {len(row["samples"]) for row in found} == {2}
    ask(real, endpoint, decoding={**drawn, "samples": 3})
    made(real)
    assert [body["seed"] for _, body, _ in endpoint.log[12:]] == [7] * 6, "the first two samples are stored"
    ask(real, endpoint, decoding=drawn)
    made(real)
    assert len(endpoint.log) == 18 and {row["samples"] is None for row in rows()} == {True}
    assert MADE.is_file()


def test_a_model_is_asked_with_each_of_its_prompts_and_answers_are_stored(real: Project, endpoint: Endpoint) -> None:
    brief = "{question} Be brief."
    ask(real, endpoint, prompts=["llava-1-5", brief])
    real.values["evaluate"]["cvqa-real"]["strategies"] = ["direct"]
    made(real)
    assert Counter(text.endswith(" Be brief.") for text in texts(endpoint)) == {True: 6, False: 6}
    ask(real, endpoint, prompt=brief)
    made(real)
    assert len(endpoint.log) == 12
