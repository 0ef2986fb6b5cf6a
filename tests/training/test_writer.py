"""The chat model that writes counterfactual questions: its examples, a training of a few steps, and the checkpoint."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from training import assess_writer as assessment
from training.assess_writer import assess_writer, has_form, held_out, possible_replies
from training.names import EMBEDDED
from training.recipes import LanguageRecipe, Schedule
from training.writer import LONGEST, build_writer, train_writer
from training.writer_examples import Asked, asked_about, conversations, prompt_turns, system_prompts
from whatif import models
from whatif.benchmarks.cvqa_real.rules.rules_writer import BOOLEAN, DIRECT, Rewritten, rewrite
from whatif.engine.language.messages import Message, user_message
from whatif.engine.params.checkpoints import BlindTextModel
from whatif.engine.random_streams import stream
from whatif.models import Question
from whatif.world.scenes import SPLITS

pytestmark = pytest.mark.slow

CHECKPOINT = EMBEDDED / "writer"
LOG_EVERY = 2
RECIPE = LanguageRecipe(train=Schedule(steps=6, batch=4, learning_rate=3e-3, warmup=2))


def test_a_conversation_has_three_turns_and_a_reply_by_the_rules() -> None:
    prompts = system_prompts()
    talks = conversations(8, 0, 3)
    assert talks == conversations(8, 0, 3) != conversations(8, 1, 3)
    for talk in talks:
        assert [turn["role"] for turn in talk] == ["system", "user", "assistant"]
        assert talk[0]["content"] in prompts.values()
        reply = talk[2]["content"].split("\n")
        assert talk[1]["content"].split("\n") == reply[:2]
        labels = [line.partition(": ")[0] for line in reply]
        assert labels == ["Original question", "Original answer", "Step1", "Step2", "New question", "New answer"]
    assert [talk[0]["content"] == prompts[DIRECT] for talk in talks] == [True, False] * 4


def test_every_question_about_a_scene_can_be_written() -> None:
    """Or a training would end with an error."""
    groups = set()
    for number in range(200):
        for asked in asked_about("train", number, 5):
            made = rewrite(asked.group, asked.question, asked.answer, stream(0, "test", number))
            assert isinstance(made, Rewritten), (asked, made)
            assert len(asked.reply(made).split("\n")) == 6
            groups.add(asked.group)
    assert groups == {DIRECT, BOOLEAN}


def test_held_out_questions_are_of_another_split_and_as_many_of_each_group() -> None:
    asked = held_out(20)
    assert [one.group for one in asked] == [DIRECT] * 20 + [BOOLEAN] * 20
    assert asked == held_out(20)
    assert asked != held_out(20, "train") and "test" in SPLITS


def test_a_right_reply_is_one_that_the_rules_can_write() -> None:
    asked = Asked(DIRECT, "How many red balls are there?", "3")
    known = possible_replies(asked)
    assert len(known) > 50
    made = rewrite(asked.group, asked.question, asked.answer, stream(9, "other"))
    assert isinstance(made, Rewritten)
    reply = asked.reply(made)
    assert has_form(asked, reply)
    assert asked.reply(made._replace(answer="17")) not in known
    for wrong in (reply.replace("red", "blue"), reply.replace("Step1", "Step 1"), f"{reply}\nYes", reply[:-14], ""):
        assert not has_form(asked, wrong) or wrong not in known
    assert not has_form(asked, "") and not has_form(asked, reply.replace("How many red", "How many blue", 1))


@pytest.fixture(scope="module")
def trained(short_logs: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, float]]]:
    folder = tmp_path_factory.mktemp("writer") / "first"
    return folder, train_writer(RECIPE, 3, 1, folder, folder / "log")


@pytest.mark.training
def test_the_loss_falls(trained: tuple[Path, list[dict[str, float]]]) -> None:
    first, _, last = trained[1]
    assert last["reply"] < 0.85 * first["reply"]


@pytest.mark.training
def test_the_same_seed_gives_the_same_bytes(trained: tuple[Path, list[dict[str, float]]], tmp_path: Path) -> None:
    folder, lines = trained
    assert train_writer(RECIPE, 3, 1, tmp_path / "again", tmp_path / "again/log") == lines
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name


@pytest.mark.training
def test_another_seed_gives_other_losses(trained: tuple[Path, list[dict[str, float]]], tmp_path: Path) -> None:
    """From the first steps on, which have the same learning rates."""
    recipe = LanguageRecipe(train=RECIPE.train.model_copy(update={"steps": LOG_EVERY, "decay": RECIPE.train.steps}))
    (line,) = train_writer(recipe, 4, 1, tmp_path / "other", tmp_path / "other/log")
    first = trained[1][0]
    assert line["learning_rate"] == first["learning_rate"] and line["reply"] != first["reply"]


@pytest.mark.training
def test_the_assessment_is_repeatable(trained: tuple[Path, list[dict[str, float]]]) -> None:
    table = assess_writer(trained[0], 2)
    assert table == assess_writer(trained[0], 2)
    assert json.loads(json.dumps(table)) == table


def test_only_the_reply_is_predicted_and_the_template_keeps_each_text() -> None:
    tokenizer, _ = build_writer(3)
    talk = conversations(1, 0, 3)[0]
    text = tokenizer.apply_chat_template(talk, tokenize=False)
    assert all(turn["content"] in text for turn in talk)
    assert text.endswith("</s>")
    prompt = tokenizer.apply_chat_template(talk[:2], tokenize=False, add_generation_prompt=True)
    assert text.startswith(prompt) and prompt.endswith("<|assistant|>")
    ids = tokenizer(text).input_ids
    assert tokenizer.decode(ids) == text and len(ids) < 160 < LONGEST


def test_the_shipped_checkpoint_is_small_and_right_in_four_of_five_replies() -> None:
    size = sum(file.stat().st_size for file in CHECKPOINT.iterdir())
    assert size < 2_100_000
    measured = json.loads((CHECKPOINT / "accuracy.json").read_text())
    for group in (DIRECT, BOOLEAN):
        assert measured[group]["right"]["accuracy"] > 0.8
        assert measured[group]["right"]["n"] == assessment.QUESTIONS


@pytest.mark.training
def test_the_shipped_checkpoint_answers_as_measured() -> None:
    table = assess_writer(CHECKPOINT, 60)
    for group in (DIRECT, BOOLEAN):
        assert table[group]["right"]["accuracy"] > 0.8
        assert table[group]["form"]["accuracy"] > 0.9


def test_the_adapter_for_language_models_asks_it_with_its_chat_template() -> None:
    """With greedy decoding: whole replies, at less than 0.2 s of one core a question, and the same each time."""
    settings = BlindTextModel(adapter="blind", checkpoint=str(CHECKPOINT.resolve()), max_new_tokens=192, batch_size=8)
    torch.set_num_threads(1)
    loaded = models.load("blind", settings, 0)
    asked = [one for place, one in enumerate(held_out(8)) if place % 2]
    questions = [question(one) for one in asked]
    before = time.process_time()
    answers = list(loaded.answer(questions))
    assert (time.process_time() - before) / len(asked) < 0.4  # half of it is room for a busy machine
    assert [answer.status for answer in answers] == ["ok"] * 8 and not any(answer.cut_off for answer in answers)
    replies = [str(answer.response) for answer in answers]
    assert sum(has_form(one, reply) for one, reply in zip(asked, replies, strict=True)) >= 7
    assert [answer.response for answer in loaded.answer(questions)] == replies


def test_it_takes_the_second_turn_of_a_repair() -> None:
    settings = BlindTextModel(adapter="blind", checkpoint=str(CHECKPOINT.resolve()), max_new_tokens=192, batch_size=8)
    first = question(held_out(1)[0])
    again = (*first.messages, Message("assistant", ("Four.",)), user_message("Write the whole entry again."))
    (answer,) = models.load("blind", settings, 0).answer([replace(first, messages=again)])
    assert answer.status == "ok"


def question(asked: Asked) -> Question:
    """As the benchmark sends it: a system message, and the first two lines of an entry."""
    system, user = (turn["content"] for turn in prompt_turns(asked, system_prompts()))
    messages = (Message("system", (system,)), user_message(user))
    return Question(asked.question, asked.group, "request", messages, max_new_tokens=256)
