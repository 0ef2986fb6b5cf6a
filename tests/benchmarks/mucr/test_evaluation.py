"""The evaluation of MuCR: what each model is sent with each strategy, and the predictions that follow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.mucr.asked import Set
from tests.benchmarks.mucr.evaluated import evaluated, job_of, write_inputs
from tests.benchmarks.mucr.rows import Row
from tests.benchmarks.shared.test_evaluation import Endpoint, loopback
from tests.command_line import whatif
from tests.faulty_proxy import Fault
from tests.people.imports.files import jsonl_file
from tests.projects import Project
from tests.tiny_checkpoints import tiny_llava, tiny_text_model
from whatif.benchmarks.shared.dry_run import DryRun
from whatif.engine.errors import WhatifError

pytestmark = pytest.mark.slow

__all__ = ["loopback"]  # a fixture

MADE = Set()
STRATEGIES = ["direct", "cot", "ccot", "mmcot", "vccot", "multi-turn", "one-shot-cot-reason-first"]
STEPS = {"ccot": 2, "mmcot": 2, "vccot": 3, "multi-turn": 3}
REASONED = "The red cup is in both panels.\n**Answer:** A"


class Reasoning(Endpoint):
    """Answers A after some reasons, however it is asked."""

    def said(self, asked: str, number: int) -> Fault:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REASONED}}
        usage = {"prompt_tokens": 9, "completion_tokens": 5}
        return Fault("status", 200, body=json.dumps({"choices": [choice], "usage": usage}).encode())


@pytest.fixture
def endpoint() -> Iterator[Reasoning]:
    with Reasoning() as started:
        yield started


@pytest.fixture
def project(project: Project, endpoint: Reasoning) -> Project:
    project.select("mucr")
    entry = {"adapter": "api", "model": "m", "base_url": endpoint.base_url, "retries": 0, "concurrency": 1}
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {
        "eyes": entry,
        "one-image": {**entry, "several_images": "composite"},
        "words": {**entry, "takes_images": False},
        "chance": {"adapter": "random"},
        "half": {"adapter": "first-option", "limit": 4},
    }
    project.section("evaluate")["strategies"] = list(STRATEGIES)
    return project


def parts(body: Any) -> list[Any]:
    """The parts of all messages of a request: texts, and `image` for an image."""
    found = []
    for message in body["messages"]:
        content = message["content"]
        listed = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += [part.get("text", "image") for part in listed]
    return found


def sent(endpoint: Reasoning) -> list[list[Any]]:
    return [parts(body) for _, body, _ in endpoint.log]


def test_the_first_strategy_asks_everything_with_images_from_all_three_inputs(
    project: Project, endpoint: Reasoning
) -> None:
    found = evaluated(project, MADE, "eyes", "direct")
    assert [row["question_id"] for row in found] == [row["question_id"] for row in MADE.questions]
    assert {(row["status"], row["answer"], row["image_form"]) for row in found} == {
        ("ok", "A", "in place"),
        ("ok", "A", None),
    }
    assert Counter(one.count("image") for one in sent(endpoint)) == Counter(
        len(row["image_ids"]) for row in MADE.questions
    )
    assert {row["correct"] for row in found if "-p0-" in row["question_id"]} == {True}
    assert {row["correct"] for row in found if "-p1-" in row["question_id"]} == {False}


@pytest.mark.parametrize("strategy", STEPS)
def test_other_strategies_ask_in_steps_in_the_main_form_and_keep_their_notes(
    project: Project, endpoint: Reasoning, strategy: str
) -> None:
    found = evaluated(project, MADE, "eyes", strategy)
    assert len(found) == 16 and {row["question_id"].split("-")[3] for row in found} == {"composite"}
    assert {row["answer"] for row in found} == {"A"}, "the mark before the letter may be in bold"
    assert len(endpoint.log) == 16 * STEPS[strategy]
    for row in found:
        assert [turn["response"] for turn in row["earlier_turns"]] == [REASONED] * (STEPS[strategy] - 1)
        assert row["prompt_tokens"] == 9 * STEPS[strategy]


def test_an_example_precedes_each_turn_with_its_images(project: Project, endpoint: Reasoning) -> None:
    (row, *others) = evaluated(project, MADE, "eyes", "one-shot-cot-reason-first")
    assert row["question_id"] == "g0-p0-c2e-composite-photograph" and len(others) == 15
    (example,) = row["example_ids"]
    assert example.startswith("g2-p") and "-c2e-composite-" in example
    shown = next(one for one in MADE.pairs if example.startswith(one["pair_id"]))
    first = next(one for one in sent(endpoint) if "The cup of g0-p0 falls." in one[-1])
    assert [part == "image" for part in first] == [True, False, False, False, False, True, False]
    assert first[2] == shown["explanation"] and first[4] in "ABCD"


def test_a_model_without_images_is_asked_text_alone(project: Project, endpoint: Reasoning) -> None:
    found = evaluated(project, MADE, "words", "direct")
    assert {row["question_id"].split("-", 3)[3] for row in found} == {"text", "text-zh"}
    assert len(found) == 24 and not any("image" in one for one in sent(endpoint))
    assert evaluated(project, MADE, "words", "vccot") == [] and len(endpoint.log) == 24


def test_images_apart_have_their_labels_on_a_composite_for_models_that_take_one(
    project: Project, endpoint: Reasoning, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whatif.models import composite_picture as composite

    drawn: list[tuple[str, ...]] = []
    original = composite.composite
    monkeypatch.setattr(
        composite, "composite", lambda images, labels: drawn.append(tuple(labels)) or original(images, labels)
    )
    found = evaluated(project, MADE, "one-image", "direct")
    forms = {row["question_id"].split("-", 3)[3].rsplit("-", 1)[0]: row["image_form"] for row in found}
    assert forms["separate"] == "composite" and forms["composite"] == "in place"
    assert Counter(drawn) == {("Cause", "A", "B", "C", "D"): 8, ("Cause", "Effects"): 8}
    assert max(one.count("image") for one in sent(endpoint)) == 1


def test_a_pilot_sample_is_of_pairs_and_the_same_for_every_strategy(project: Project) -> None:
    first, other = (evaluated(project, MADE, "half", strategy) for strategy in ("direct", "cot"))
    pairs = {row["question_id"][:5] for row in first}
    assert len(pairs) == 4 and {row["question_id"][:5] for row in other} == pairs
    assert len(other) == 8


def test_a_pilot_on_the_command_line_prints_the_accuracy_of_each_form(project: Project) -> None:
    write_inputs(job_of(project, "chance", "direct"), MADE)
    project.write_params()
    result = whatif("evaluate", "mucr", "--model", "chance", "--strategy", "direct", "--limit", "4")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "chance on mucr direct: pilot sample of 4 items of 8"
    assert {line.split(":")[0].strip() for line in lines[1:-1]} == {row["variant"] for row in MADE.questions}


def test_a_dry_run_counts_the_tokens_of_all_images_and_turns_and_sends_nothing(
    project: Project, endpoint: Reasoning
) -> None:
    with DryRun() as dry_run:
        for strategy in ("direct", "vccot"):
            assert evaluated(project, MADE, "eyes", strategy, dry_run.stand_in) == []
        found = dry_run.estimate()
    assert found.questions == found.asked == len(MADE.questions) + 16 * 3
    images = sum(len(row["image_ids"]) for row in MADE.questions) + 16 * 3
    assert found.prompt_tokens > 255 * images * 0.9 and not endpoint.log
    with DryRun() as dry_run:
        evaluated(project, MADE, "words", "direct", dry_run.stand_in)
        assert dry_run.estimate().prompt_tokens < 24 * 255


def replies(folder: Path, rows: list[Row]) -> Path:
    return jsonl_file(folder / "made.jsonl", [{"question_id": row["question_id"], "response": "B"} for row in rows])


def test_a_file_of_predictions_has_none_for_other_strategies(project: Project, tmp_path: Path) -> None:
    mixed = {row["question_id"] for row in MADE.items if row["mixture"]}
    main = [row for row in MADE.questions if row["variant"] == "composite" and row["question_id"] in mixed]
    file = replies(tmp_path, main)
    project.values["models"]["made"] = {"adapter": "replay", "predictions": str(file), "strategy": "vccot"}
    assert [job.wildcards["strategy"] for job in project.jobs("evaluate") if job.model_key == "made"] == ["vccot"]
    assert [row["answer"] for row in evaluated(project, MADE, "made", "vccot")] == ["B"] * 16


def test_a_file_of_a_model_that_reads_text_alone_has_none_about_images(project: Project, tmp_path: Path) -> None:
    texts = [row for row in MADE.questions if row["variant"].startswith("text")]
    file = replies(tmp_path, texts)
    project.values["models"]["made"] = {"adapter": "replay", "predictions": str(file), "takes_images": False}
    found = evaluated(project, MADE, "made", "direct")
    assert [(row["question_id"], row["status"]) for row in found] == [(row["question_id"], "ok") for row in texts]


def test_without_training_questions_a_strategy_with_examples_says_what_to_set(project: Project) -> None:
    made = Set()
    made.training = []
    with pytest.raises(WhatifError, match="the train groups have 0; raise verify"):
        evaluated(project, made, "eyes", "one-shot-cot-reason-first")


def test_another_strategy_in_the_settings_leaves_the_evaluation_with_the_first_as_it_is(project: Project) -> None:
    before = job_of(project, "chance", "direct").plain_parameters
    project.section("evaluate")["strategies"] = ["direct", "vccot"]
    assert job_of(project, "chance", "direct").plain_parameters == before
    project.section("evaluate")["strategies"] = ["vccot", "direct"]
    assert job_of(project, "chance", "direct").plain_parameters != before


@pytest.mark.slow
@pytest.mark.parametrize("multiple_choice", ["rank-text", pytest.param("words", marks=pytest.mark.soak)])
def test_a_real_checkpoint_takes_every_form_and_every_step(
    project: Project, tmp_path: Path, multiple_choice: str
) -> None:
    tiny_llava(tmp_path / "llava")
    entry = {"adapter": "hf-chat", "checkpoint": str(tmp_path / "llava"), "max_new_tokens": 4}
    project.values["models"]["llava"] = {**entry, "multiple_choice": multiple_choice, "limit": 1}
    direct = evaluated(project, MADE, "llava", "direct")
    assert len(direct) == 13 and not [row["reason"] for row in direct if row["status"] == "error"]
    assert {len(row["image_sizes"] or ()) for row in direct} == {0, 1, 2, 5}
    for strategy, steps in STEPS.items():
        found = evaluated(project, MADE, "llava", strategy)
        assert len(found) == 2 and not [row["reason"] for row in found if row["status"] == "error"], strategy
        assert {len(row["earlier_turns"]) for row in found} == {steps - 1}
        assert all((row["choice_scores"] is None) == (multiple_choice == "words") for row in found)


def test_a_blind_model_is_asked_all_questions_without_images(project: Project, tmp_path: Path) -> None:
    tiny_text_model(tmp_path / "text")
    project.values["models"]["blind"] = {"adapter": "blind", "checkpoint": str(tmp_path / "text"), "limit": 1}
    found = evaluated(project, MADE, "blind", "direct")
    assert len(found) == 13 and {row["status"] for row in found} == {"ok"}
    assert {row["image_sizes"] for row in found} == {None}
