"""Trains the embedded LLaVA of causes and effects on MuCR's three tasks, in text and on composites.

Stages: the vision tower alone learns what each panel of a composite shows; the whole model learns the answers. Without
the first stage, hundreds of steps pass before the answers say anything about the shapes in the image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from training.causal_examples import FACTS, CausalExample, draw_causal_examples, reduced
from training.loop import optimise, pick_device
from training.question_losses import new_readers, question_losses
from training.recipes import CausalRecipe, Schedule
from training.saving import save_checkpoint
from training.scene_facts import Labels
from training.supervision import fact_loss, fact_reader
from training.vision_language_parts import (
    PATCH,
    SIDE,
    Sizes,
    answer_prompt,
    new_model,
    new_processor,
    pixel_values,
    read_tokens,
)
from whatif.benchmarks.mucr.schemas import MAIN_FORM, SCORES, TEXT, Metric
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream

_SIZES = Sizes(24, (32, 64, 96), depth=1, tower_layers=2, tower_heads=4, width=96, layers=4, heads=4)
_VOCABULARY = 720
_READ = 600  # pairs whose texts are read for the tokeniser's vocabulary: enough to have every word
_NAMED = "Which thing is in the image {label}?"  # beside C2E: panels must be read before they can be compared
_PANELS = ("Cause", "A", "B", "C", "D")
# The composites: their tasks, and their rows and columns of panels.
_COMPOSITES: dict[str, tuple[tuple[Metric, ...], tuple[int, int]]] = {
    "two panels": (("CP", "EXP"), (1, 2)),
    "five panels": (("C2E",), (2, 3)),
}
_PANELS_WEIGHT = 0.5  # of the panels' facts while answers are learnt


@dataclass(frozen=True)
class _Canvas:
    """A small composite, (side, side, 3), the facts of its panels, and questions with their answers."""

    picture: npt.NDArray[np.uint8]
    facts: Labels
    questions: list[tuple[str, str]]


def train_causal(recipe: CausalRecipe, seed: int, threads: int, folder: Path, log: Path) -> None:
    """Trains a LLaVA and saves it, with its processor, in `folder`; the log of losses goes to `log`."""
    import torch

    device = pick_device(threads)
    torch.manual_seed(seed)
    numbers = progress(range(recipe.groups), recipe.groups, "groups of causes and effects to train on", "group")
    examples = [example for number in numbers for example in draw_causal_examples("train", number, seed)]
    canvases = {kind: [_canvas(one, about) for one in examples] for kind, (about, _) in _COMPOSITES.items()}
    processor = new_processor(_texts(examples[:_READ]), _VOCABULARY, whole_numbers=False)
    model = new_model(processor, _SIZES).to(device)
    parts, width = model.model, model.config.text_config.hidden_size
    parts.language_model.set_attn_implementation("eager")  # faster with a mask of its own for each row
    readers = new_readers(model).to(device)
    patches = (SIDE // PATCH) ** 2 * model.config.vision_config.hidden_size
    heads = torch.nn.ModuleDict(
        {kind: fact_reader(patches // (rows * columns), FACTS) for kind, (_, (rows, columns)) in _COMPOSITES.items()}
    ).to(device)

    def seen(kind: str, drawn: Sequence[_Canvas]) -> tuple[Any, Any]:
        """The tokens of composites, and the loss of their panels' facts."""
        tokens = read_tokens(model, pixel_values([one.picture for one in drawn]).to(device))
        facts = np.stack([one.facts for one in drawn])
        read = heads[kind](panels(tokens, *_COMPOSITES[kind][1])[:, : facts.shape[1]])
        return tokens, fact_loss(read, facts, FACTS)

    def some(kind: str, schedule: Schedule, generator: np.random.Generator) -> list[_Canvas]:
        return [canvases[kind][place] for place in generator.integers(0, len(examples), schedule.batch)]

    def tower_losses(step: int) -> dict[str, Any]:
        generator = stream(seed, "causal tower", step)
        with torch.autocast(device.type, torch.bfloat16):
            return {kind: seen(kind, some(kind, recipe.tower, generator))[1] for kind in _COMPOSITES}

    def answer_losses(step: int) -> dict[str, Any]:
        generator = stream(seed, "causal answers", step)
        losses: dict[str, Any] = {}
        with torch.autocast(device.type, torch.bfloat16):
            asked = [examples[place] for place in generator.integers(0, len(examples), recipe.texts)]
            nothing = torch.zeros(len(asked), 0, width, device=device)
            texts = [(None, text_questions(one)) for one in asked]
            losses[TEXT] = question_losses(model, readers, processor.tokenizer, nothing, texts)["answers"]
            for kind in _COMPOSITES:
                drawn = some(kind, recipe.answers, generator)
                tokens, facts = seen(kind, drawn)
                shown = [(None, one.questions) for one in drawn]
                features = parts.multi_modal_projector(tokens)
                found = question_losses(model, readers, processor.tokenizer, features, shown)
                losses |= {kind: found["answers"], f"{kind}, facts": _PANELS_WEIGHT * facts}
        return losses

    lines = optimise(f"{folder.name}, tower", [parts.vision_tower, heads], tower_losses, recipe.tower, log)
    optimise(f"{folder.name}, answers", [model, heads], answer_losses, recipe.answers, log, before=lines)
    save_checkpoint(model, processor, folder)


def text_questions(example: CausalExample) -> list[tuple[str, str]]:
    """The three tasks in text, with their answers."""
    return [(example.question(metric, TEXT), example.answer(metric, TEXT)) for metric in SCORES]


def panels(tokens: Any, rows: int, columns: int) -> Any:
    """The tokens of each panel of composites, row by row: (images, patches, width) to (images, panels, rest)."""
    side = SIDE // PATCH
    grid = tokens[:, : side * side].unflatten(1, (rows, side // rows, columns, side // columns))
    return grid.permute(0, 1, 3, 2, 4, 5).flatten(3).flatten(1, 2)


def _canvas(example: CausalExample, metrics: Sequence[Metric]) -> _Canvas:
    first = metrics[0]
    questions = [(example.question(metric, MAIN_FORM), example.answer(metric, MAIN_FORM)) for metric in metrics]
    if first == "C2E":
        named = zip(_PANELS, example.things(first), strict=True)
        questions += [(_NAMED.format(label=label), thing) for label, thing in named]
    return _Canvas(reduced(example.canvas(first), SIDE), example.facts(first), questions)


def _texts(examples: Sequence[CausalExample]) -> list[str]:
    """The tokeniser's training texts."""
    texts = []
    for one in examples:
        texts += [f"{answer_prompt(question)} {answer}" for question, answer in text_questions(one)]
        texts += [answer_prompt(one.question(metric, MAIN_FORM)) for metric in SCORES]
        texts += [one.pair.cause_description, one.pair.effect_description]
    return texts
