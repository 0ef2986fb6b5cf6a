"""Fine-tuning with the correct choices: who is trained on what, and asked how (MuCR Table 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image

from tests.benchmarks.mucr.tuning import Asked, task_of, tuned, whole
from tests.projects import Project
from tests.tiny_checkpoints import tiny_llava
from whatif.benchmarks import check_params
from whatif.benchmarks.mucr.fine_tuning import main_questions
from whatif.benchmarks.mucr.schemas import TRAINING
from whatif.benchmarks.shared.pilots import pilot_of
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import as_table
from whatif.engine.errors import WhatifError
from whatif.models import load
from whatif.scoring.rank import predictions

pytestmark = pytest.mark.slow

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return tiny_llava(tmp_path_factory.mktemp("llava"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", "mucr")


def test_a_tuned_model_answers_questions_of_groups_that_it_was_not_trained_on(checkpoint: Path, tmp_path: Path) -> None:
    task = task_of(tmp_path, checkpoint, whole("train", 8), whole("test", 5))
    losses, answers = tuned(task)
    assert isinstance(as_table(losses, TRAINING, "losses"), pa.Table)
    assert isinstance(as_table(answers, PREDICTIONS, "predictions"), pa.Table)
    assert [row["step"] for row in losses] == list(range(41))
    assert losses[0]["loss"] is None
    assert losses[-1]["loss"] < 0.1 < losses[1]["loss"]
    assert losses[-1]["held_out_loss"] < losses[0]["held_out_loss"] / 4
    assert {row["model"] for row in answers} == {"tiny-tuned-3"}
    assert {row["strategy"] for row in answers} == {"direct"}
    assert [row["question_id"] for row in answers] == sorted(row["question_id"] for row in whole("test", 5).questions)
    assert sum(row["correct"] for row in answers) >= 18
    # Nothing is stored under the key of the checkpoint as it was.
    assert {row["request_key"] for row in answers} == {None}


@pytest.mark.parametrize("lora", [None, {}])
def test_without_an_update_the_answers_are_those_before(checkpoint: Path, tmp_path: Path, lora: object) -> None:
    if lora is not None:
        pytest.importorskip("peft")
    asked = whole("test", 3)
    task = task_of(tmp_path, checkpoint, whole("train", 4), asked, steps=1, learning_rate=1e-30, lora=lora)
    before = predictions(
        asked.questions, task.images("composites"), "x", load("hf-chat", task.model, 0), form="rank-text"
    )
    _, after = tuned(task)
    for one, same in zip(before, after, strict=True):
        assert {**same, "model": "x"} == one


def test_the_same_seed_gives_the_same_rows(checkpoint: Path, tmp_path: Path) -> None:
    def made(seed: str) -> Any:
        return tuned(task_of(tmp_path, checkpoint, whole("train", 4), whole("test", 2), seed=seed, steps=4))

    assert made("seed-1") == made("seed-1")
    (losses, _), (others, _) = made("seed-1"), made("seed-2")
    assert losses[0] == others[0]  # the same groups are held out
    assert losses[1:] != others[1:]


def test_only_main_questions_are_trained_on_and_asked() -> None:
    asked = Asked()
    asked.add("g0", 0, "C2E", split="test")
    others: dict[str, dict[str, Any]] = {
        "text": {"form": "text", "style": None},
        "strip": {"form": "strip"},
        "photograph": {"mixture": False},
        "hints": {"hints": True},
        "zh": {"language": "zh"},
    }
    for name, more in others.items():
        asked.add("g0", 0, "C2E", split="test", name=name, **more)
    asked.add("g0", 0, "context", split="test")
    items = {row["question_id"]: row for row in asked.items}
    assert [row["question_id"] for row in main_questions(asked.questions, items)] == ["g0-0-c2e-main"]


def test_a_group_in_both_splits_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    training, asked = whole("train", 3), whole("test", 3)
    training.add("test1", 0, "EXP", split="train", name="again")
    with pytest.raises(
        WhatifError, match=r"group test1: is trained on and asked about, as are 0 more of 3 asked groups"
    ):
        tuned(task_of(tmp_path, checkpoint, training, asked))


def test_no_train_groups_name_the_setting(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(
        WhatifError, match=r"no train groups to fine-tune tiny on; raise verify.mucr.questions.train_share"
    ):
        tuned(task_of(tmp_path, checkpoint, Asked(), whole("test", 2)))


def test_a_damaged_image_is_counted_on_both_sides(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    training, asked = whole("train", 3), whole("test", 2)
    for of_split in (training, asked):
        place = 1
        damaged = {**of_split.images[place], "image_id": f"{place:064x}", "image": {"bytes": b"no image", "path": None}}
        of_split.images[place] = damaged
        of_split.questions[place]["image_ids"] = [damaged["image_id"]]
    _, answers = tuned(task_of(tmp_path, checkpoint, training, asked, steps=2))
    said = capsys.readouterr().err
    assert "tiny-tuned-3: 1 of 12 examples cannot be shown, most often: picture cannot be decoded" in said
    assert "tiny-tuned-3: 1 of 8 questions ended in error" in said
    assert [row["status"] for row in answers].count("error") == 1


def test_a_pilot_sample_is_that_of_the_model_before_its_training(checkpoint: Path, tmp_path: Path) -> None:
    asked = whole("test", 6)
    task = task_of(tmp_path, checkpoint, whole("train", 2), asked, entry={"limit": 5}, steps=1)
    _, answers = tuned(task)
    pilot = pilot_of(5, asked.questions, 0, "mucr")
    assert pilot is not None
    assert {row["question_id"] for row in answers} == {row["question_id"] for row in pilot.rows(asked.questions)}


@pytest.mark.parametrize("form", ["rank-letter", "words"])
def test_questions_are_trained_and_asked_in_the_form_of_the_entry(checkpoint: Path, tmp_path: Path, form: str) -> None:
    entry = {"multiple_choice": form, "max_new_tokens": 4}
    _, answers = tuned(task_of(tmp_path, checkpoint, whole("train", 6), whole("test", 3), entry=entry))
    assert sum(row["correct"] for row in answers) >= 10
    assert all((row["choice_scores"] is None) == (form == "words") for row in answers)


def test_weights_that_cannot_be_trained_are_refused_at_once(tmp_path: Path) -> None:
    task = task_of(tmp_path, tmp_path / "none", whole("train", 1), whole("test", 1))
    quantised = task.model.model_copy(update={"quantization": "8bit"})
    with pytest.raises(WhatifError, match=r"models.tiny.quantization: 8bit weights cannot be trained"):
        tuned(replace(task, own_model=quantised))


def test_a_tuned_model_is_asked_before_its_training_too(project: Project) -> None:
    project.section("evaluate")["fine_tuning"]["models"] = ["llava-presuppositions"]
    with pytest.raises(WhatifError, match=r"presuppositions\.benchmarks: lacks mucr; evaluate"):
        check_params(project.values)


def test_one_job_for_each_model_and_seed(project: Project) -> None:
    project.values["models"]["llava-presuppositions"]["benchmarks"] = ["cfmm", "mucr"]
    project.section("evaluate")["fine_tuning"].update(models=["llava-causes", "llava-presuppositions"], seeds=[0, 7])
    jobs = [job for job in project.jobs("evaluate") if job.step.name == "fine-tune"]
    assert sorted((job.wildcards["tuned"], job.wildcards["seed"]) for job in jobs) == [
        ("llava-causes", "seed-0"),
        ("llava-causes", "seed-7"),
        ("llava-presuppositions", "seed-0"),
        ("llava-presuppositions", "seed-7"),
    ]
    project.section("evaluate")["fine_tuning"]["models"] = []
    assert [job for job in project.jobs("evaluate") if job.step.name == "fine-tune"] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda tuning: tuning.update(models=["clip"]),
            "'clip' is no checkpoint that can be fine-tuned; those that can:",
        ),
        (lambda tuning: tuning.update(seeds=[1, 1]), "names one twice; keep one"),
        (lambda tuning: tuning.update(seeds=[-1]), "greater than or equal to 0"),
        (lambda tuning: tuning["recipe"].update(trains="lora"), "'all' or 'language'"),
        (lambda tuning: tuning["recipe"].update(held_out=1.0), "less than 1"),
        (lambda tuning: tuning["recipe"].update(lora={"rank": 0}), "greater than or equal to 1"),
        (
            lambda tuning: tuning["recipe"].update(lora={"target_modules": "q_proj"}),
            "lora.target_modules: is 'q_proj'; input should be a valid list",
        ),
    ],
)
def test_settings_that_cannot_be_are_named(
    project: Project, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    change(project.section("evaluate")["fine_tuning"])
    with pytest.raises(WhatifError, match="fine_tuning") as raised:
        check_params(project.values)
    assert message in str(raised.value)


def test_tuned_models_are_compared_with_direct_answers(project: Project) -> None:
    project.section("evaluate")["strategies"] = ["cot"]
    with pytest.raises(WhatifError, match="tuned models are compared with their answers to the strategy 'direct'"):
        check_params(project.values)


@pytest.mark.soak
def test_the_default_recipe_takes_less_than_forty_seconds_on_one_core(project: Project, tmp_path: Path) -> None:
    """Of the processor, because other tests may run on the same core."""
    import time

    recipe = project.section("evaluate")["fine_tuning"]["recipe"]
    training, asked = whole("train", 6, long=True), whole("test", 1, long=True)
    task = task_of(tmp_path / "made", Path("embedded:llava-scenes"), training, asked, **recipe)
    began = time.process_time()
    tuned(task)
    assert time.process_time() - began < 40


def test_images_come_from_all_three_inputs(checkpoint: Path, tmp_path: Path) -> None:
    training, asked = whole("train", 2), whole("test", 1)
    task = task_of(tmp_path, checkpoint, training, asked, steps=1)
    inputs = dict(task.inputs)
    inputs["images"], inputs["composites"] = inputs["composites"], inputs["images"]
    _, answers = tuned(replace(task, inputs=inputs))
    assert {row["status"] for row in answers} == {"ok"}
    assert isinstance(task.images("composites").get(training.images[0]["image_id"]), Image.Image)
