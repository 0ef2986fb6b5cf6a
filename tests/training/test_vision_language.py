"""The training of the embedded LLaVA: it learns, it is repeatable, and the saved model is the trained one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.world.scenes import puzzle_settings
from training.puzzle_examples import draw_puzzles, puzzle_questions
from training.question_losses import new_readers, question_losses
from training.recipes import Examples, Schedule, VisionLanguageRecipe
from training.vision_language import train_vision_language
from training.vision_language_parts import pixel_values, read_tokens
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Question, load

pytestmark = pytest.mark.training

LOG_EVERY = 1
_EXAMPLES = Examples(flower_puzzles=4, dot_puzzles=2, scenes=4)


def _schedule(steps: int) -> Schedule:
    return Schedule(steps=steps, batch=4, learning_rate=2e-3, warmup=2)


def _recipe(**changes: Any) -> VisionLanguageRecipe:
    stretches = {"tower": _schedule(1), "answers": _schedule(5), "words": _schedule(1), "counts": _schedule(1)}
    return VisionLanguageRecipe(**{"counterfactual": False, "examples": _EXAMPLES, **stretches, **changes})


@pytest.fixture(scope="module")
def trained(short_logs: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("embedded") / "first"
    train_vision_language(_recipe(), 3, 1, folder, folder / "log.jsonl")
    return folder


def test_the_losses_fall(trained: Path) -> None:
    lines = [json.loads(line) for line in (trained / "log.jsonl").read_text().splitlines()]
    assert len(lines) == 1 + 5 + 1 + 1
    answers = [line["answers"] for line in lines[1:6]]
    assert answers[-1] < 0.9 * answers[0]
    assert {"inside", "flowers", "dots", "thing", "background"} < set(lines[0])


def test_the_same_seed_gives_the_same_bytes(trained: Path, tmp_path: Path) -> None:
    train_vision_language(_recipe(), 3, 1, tmp_path / "again", tmp_path / "again" / "log.jsonl")
    for file in trained.iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name


def test_the_saved_checkpoint_answers_through_the_adapter(trained: Path) -> None:
    """Its loss there, question by question, also equals that of the packed training sequence."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model = AutoModelForImageTextToText.from_pretrained(trained, dtype=torch.float32).eval()
    processor = AutoProcessor.from_pretrained(trained)
    example = draw_puzzles("flowers", 1, 3, puzzle_settings(), 96)[0]
    asked = puzzle_questions(example, np.random.default_rng(0), False)[:2]
    with torch.inference_mode():
        features = _features(model, example.picture)
        losses = question_losses(model, new_readers(model), processor.tokenizer, features, [(example, asked)])
        packed = float(losses["answers"])
    adapter = load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(trained), max_new_tokens=4), 0)
    questions = [
        Question("q", "g", "original", one_turn(words, ["i"]), options, lambda: [Image.fromarray(example.picture)])
        for words, answer in asked
        for options in ((answer, "99"), ())
    ]
    answers = list(adapter.answer(questions))
    plain = _plain_loss(model, processor, example.picture, asked)
    assert packed == pytest.approx(plain, abs=1e-4)
    scores = answers[0].option_scores
    assert scores is not None and scores[0].tokens == 1
    assert answers[1].response is not None


def test_small_errors_of_numbers_count_the_more_the_smaller_the_tolerance(trained: Path) -> None:
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    model = AutoModelForImageTextToText.from_pretrained(trained, dtype=torch.float32).eval()
    tokenizer = AutoProcessor.from_pretrained(trained).tokenizer
    example = draw_puzzles("dots", 1, 3, puzzle_settings(), 96)[0]
    batch = [(example, puzzle_questions(example, np.random.default_rng(0), False))]
    readers = new_readers(model)
    with torch.inference_mode():
        features = _features(model, example.picture)
        whole, half = (
            question_losses(model, readers, tokenizer, features, batch, **told) for told in ({}, {"tolerance": 0.5})
        )
    assert half["numbers"] > whole["numbers"] > 0
    assert half["answers"] == whole["answers"]


def _features(model: Any, picture: Any) -> Any:
    return model.model.multi_modal_projector(read_tokens(model, pixel_values([picture])))


def _plain_loss(model: Any, processor: Any, picture: Any, asked: list[tuple[str, str]]) -> float:
    import torch

    total, tokens = 0.0, 0
    for question, answer in asked:
        turns = [
            {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": question}]},
            {"role": "assistant", "content": [{"type": "text", "text": answer}]},
        ]
        text = processor.apply_chat_template(turns)
        inputs = processor(text=text, images=[Image.fromarray(picture)], return_tensors="pt", add_special_tokens=False)
        with torch.inference_mode():
            logits = model(**inputs).logits[0]
        right = inputs["input_ids"][0, -2:]  # the number, one token, and the end
        total += float(torch.nn.functional.cross_entropy(logits[-3:-1], right, reduction="sum"))
        tokens += 2
    return total / tokens


def test_going_on_from_a_checkpoint_begins_with_its_weights(trained: Path) -> None:
    import torch
    from safetensors.torch import load_file

    barely = Schedule(steps=1, batch=4, learning_rate=1e-9, warmup=1)
    folder = trained.parent / "second"
    recipe = _recipe(counterfactual=True, start="first", tower=None, answers=barely, words=None, counts=None)
    train_vision_language(recipe, 3, 1, folder, folder / "log.jsonl")
    first, second = (load_file(place / "model.safetensors") for place in (trained, folder))
    weights = [name for name in first if "running" not in name and "num_batches" not in name]
    assert all(torch.allclose(first[name], second[name], atol=1e-3) for name in weights)
    with pytest.raises(WhatifError, match=r"nosuch: has no model\.safetensors to continue from"):
        train_vision_language(_recipe(start="nosuch"), 3, 1, trained.parent / "third", folder / "log.jsonl")


def test_going_on_with_categories_of_scenes_reads_their_words_as_tokens(trained: Path) -> None:
    from transformers import AutoProcessor

    examples = Examples(flower_puzzles=0, dot_puzzles=0, scenes=4, category_scenes=4)
    folder = trained.parent / "presuppositions"
    rest = dict.fromkeys(("tower", "answers", "counts"))
    recipe = _recipe(counterfactual=True, start="first", new_words=20, examples=examples, words=_schedule(1), **rest)
    train_vision_language(recipe, 3, 1, folder, folder / "log.jsonl")
    tokenizer = AutoProcessor.from_pretrained(folder).tokenizer
    assert len(tokenizer.encode(" swapped", add_special_tokens=False)) == 1
    adapter = load("hf-chat", HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), max_new_tokens=4), 0)
    picture = draw_puzzles("flowers", 1, 3, puzzle_settings(), 96)[0].picture
    messages = one_turn("Which shape would be red if the two things swapped shapes?", ["i"])
    question = Question("q", "g", "counterfactual", messages, ("ball", "larger"), lambda: [Image.fromarray(picture)])
    [answer] = adapter.answer([question])
    assert answer.option_scores is not None and len(answer.option_scores) == 2
