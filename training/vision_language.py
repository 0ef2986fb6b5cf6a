"""Trains the embedded vision-language models: LLaVA with a convolutional stem, small enough to ship.

Stages: the vision tower alone learns dense targets; tower and language model learn the answers together; the language
model continues alone, at a third of the cost; both learn to count exactly; finally the language model alone adapts to
the tower in its evaluation mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.category_pictures import CategoryPicture, category_questions_of, draw_category_pictures
from training.dense_targets import CHANNELS, dense_losses, dense_targets
from training.loop import optimise, pick_device
from training.new_words import add_words, unknown_words
from training.puzzle_examples import PuzzleExample, draw_puzzles, puzzle_questions, turned
from training.question_losses import Example, new_readers, question_losses
from training.recipes import VisionLanguageRecipe, load_recipes
from training.saving import save_checkpoint
from training.scene_pictures import draw_scenes, scene_questions_of
from training.vision_language_parts import (
    SIDE,
    answer_prompt,
    load_start,
    new_model,
    new_processor,
    pixel_values,
    read_tokens,
)
from whatif.engine.random_streams import stream

_QUESTIONS_A_PICTURE = 8
# Relative numbers of flower puzzles, dot puzzles and scenes.
_SHARES = {"tower": (2, 1, 1), "answers": (2, 1, 1), "words": (2, 3, 3), "counts": (1, 4, 1), "settling": (1, 4, 1)}
_SHARES_WITH_CATEGORIES = (0, 0, 1, 3)  # the last are scenes with questions of CFMM's categories
_HALF = 0.5  # a number with a smaller error rounds to the correct one
_DENSE_WEIGHT = 0.5  # weight of the dense losses while answers are learnt
_SCENES_READ = 3000  # for the tokeniser's vocabulary
_ORIENTATIONS = 8


def train_vision_language(recipe: VisionLanguageRecipe, seed: int, threads: int, folder: Path, log: Path) -> None:
    """Trains a LLaVA and saves it, with its processor, in `folder`; the log of losses goes to `log`.

    A recipe with `start` continues from that checkpoint, in a folder beside `folder`. Raises WhatifError when it does
    not exist.
    """
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    if recipe.start is None:
        kinds = _draw_examples(recipe, seed)
        processor = new_processor(_texts(kinds, seed))
        model = new_model(processor)
    else:
        model, processor = load_start(folder.parent / recipe.start)
        kinds = _draw_examples(recipe, seed)
        if recipe.new_words:
            read = _category_texts(kinds, recipe, seed)
            add_words(model, processor.tokenizer, unknown_words(processor.tokenizer, read, recipe.new_words))
    model.to(device)
    head = torch.nn.Linear(model.config.vision_config.hidden_size, CHANNELS).to(device)
    readers = new_readers(model).to(device)

    def tower_losses(step: int) -> dict[str, Any]:
        examples, _ = _batch(kinds, recipe, "tower", step, seed)
        with torch.autocast(device.type, torch.bfloat16):
            tokens = read_tokens(model, pixel_values([example.picture for example in examples]).to(device))
        return dense_losses(head(tokens.float()), _targets(examples).to(device))

    def answer_losses(step: int, stretch: str = "answers", **numbers: float) -> dict[str, Any]:
        examples, questions = _batch(kinds, recipe, stretch, step, seed)
        asked = list(zip(examples, questions, strict=True))
        with torch.autocast(device.type, torch.bfloat16):
            tokens = read_tokens(model, pixel_values([example.picture for example in examples]).to(device))
            features = model.model.multi_modal_projector(tokens)
            losses = question_losses(model, readers, processor.tokenizer, features, asked, **numbers)
        dense = dense_losses(head(tokens.float()), _targets(examples).to(device))
        return {**losses, **{loss: _DENSE_WEIGHT * value for loss, value in dense.items()}}

    def language_losses(step: int, stretch: str = "words", **numbers: float) -> dict[str, Any]:
        examples, questions = _batch(kinds, recipe, stretch, step, seed)
        asked = list(zip(examples, questions, strict=True))
        with torch.autocast(device.type, torch.bfloat16):
            with torch.no_grad():
                tokens = read_tokens(model, pixel_values([example.picture for example in examples]).to(device))
            features = model.model.multi_modal_projector(tokens)
            return question_losses(model, readers, processor.tokenizer, features, asked, **numbers)

    def count_losses(step: int) -> dict[str, Any]:
        return answer_losses(step, "counts", tolerance=_HALF)

    def settling_losses(step: int) -> dict[str, Any]:
        return language_losses(step, "settling", tolerance=_HALF)

    parts = model.model
    language = [parts.multi_modal_projector, parts.language_model, readers]
    stretches = (
        ("tower", [parts.vision_tower, head], tower_losses, recipe.tower),
        ("answers", [model, head, readers], answer_losses, recipe.answers),
        ("words", language, language_losses, recipe.words),
        ("counts", [model, head, readers], count_losses, recipe.counts),
        ("settling", language, settling_losses, recipe.settling),
    )
    lines: list[dict[str, float]] = []
    model.eval()
    for stretch, trained, losses, schedule in stretches:
        if schedule is not None:
            lines += optimise(f"{folder.name}, {stretch}", trained, losses, schedule, log, before=lines)
    save_checkpoint(model, processor, folder)


def _draw_examples(recipe: VisionLanguageRecipe, seed: int) -> list[list[Any]]:
    """Flower puzzles, dot puzzles, scenes, and scenes with questions of CFMM's categories."""
    settings = load_recipes().puzzles
    wanted = recipe.examples
    return [
        draw_puzzles("flowers", wanted.flower_puzzles, seed, settings, SIDE),
        draw_puzzles("dots", wanted.dot_puzzles, seed, settings, SIDE),
        draw_scenes(wanted.scenes, seed, SIDE),
        draw_category_pictures(wanted.category_scenes, seed, SIDE),
    ]


def _texts(kinds: Sequence[Sequence[Any]], seed: int) -> list[str]:
    """The tokeniser's training texts: questions of all kinds with their answers, and every number up to 99."""
    flowers, dots, scenes, _ = kinds
    generator = stream(seed, "tokeniser")
    asked = [pair for puzzle in [*flowers[:1000], *dots[:300]] for pair in puzzle_questions(puzzle, generator, True)]
    asked += [pair for scene in scenes[:_SCENES_READ] for pair in scene_questions_of(scene, generator)]
    return [f"{answer_prompt(question)} {answer}" for question, answer in asked]


def _category_texts(kinds: Sequence[Sequence[Any]], recipe: VisionLanguageRecipe, seed: int) -> list[str]:
    """Questions of CFMM's categories with their answers."""
    generator = stream(seed, "new-words")
    pictures = kinds[-1][:_SCENES_READ]
    asked = [found for one in pictures for found in category_questions_of(one, generator, recipe.counterfactual)]
    return [f"{answer_prompt(question)} {answer}" for question, answer, *_ in asked]


def _batch(
    kinds: Sequence[Sequence[Example]], recipe: VisionLanguageRecipe, stage: str, step: int, seed: int
) -> tuple[list[Example], list[list[tuple[str, ...]]]]:
    """The images of a step, and some questions about each."""
    schedule = getattr(recipe, stage)
    generator = stream(seed, "batch", stage, recipe.counterfactual, step)
    relative = _SHARES_WITH_CATEGORIES if recipe.examples.category_scenes else (*_SHARES[stage], 0)
    shares = [schedule.batch * share // sum(relative) for share in relative]
    examples: list[Example] = []
    questions = []
    asked: Sequence[tuple[str, ...]]
    for kind, share in zip(kinds, shares, strict=True):
        for number in generator.integers(0, len(kind), share) if len(kind) else ():
            example = kind[number]
            if isinstance(example, PuzzleExample):
                example = turned(example, int(generator.integers(_ORIENTATIONS)))
                asked = puzzle_questions(example, generator, recipe.counterfactual)
            elif isinstance(example, CategoryPicture):
                asked = category_questions_of(example, generator, recipe.counterfactual)
            else:
                asked = scene_questions_of(example, generator)
            examples.append(example)
            chosen = generator.permutation(len(asked))[:_QUESTIONS_A_PICTURE]
            questions.append([asked[place] for place in chosen])
    return examples, questions


def _targets(examples: Sequence[Example]) -> Any:
    import torch

    return torch.from_numpy(np.stack([dense_targets(example) for example in examples]))
