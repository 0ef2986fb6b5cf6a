"""Conversations from which a language model learns to write counterfactual questions about scenes (C-VQA 3.1, B).

The rules of C-VQA-Real write the replies, for questions about scenes of a split. So a reply is right, but the model has
to learn to copy, to calculate, and to choose a change that suits the question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import yaml

from whatif.benchmarks.cvqa_real.rules.rules_writer import BOOLEAN, DIRECT, Rewritten, rewrite
from whatif.engine.random_streams import stream
from whatif.world.scene_questions import NUMBER, YES_NO, scene_questions
from whatif.world.scenes import draw_scene

PROMPT_FILE = "writer_prompt_short.yaml"
LABELS = ("Original question", "Original answer", "Step1", "Step2", "New question", "New answer")
_GROUPS = {NUMBER: DIRECT, YES_NO: BOOLEAN}


@dataclass(frozen=True)
class Asked:
    """A question about a scene with its answer, and the group of the counterfactual question that is asked for."""

    group: str
    question: str
    answer: str

    @property
    def request(self) -> str:
        """The text of the user: the first two lines of an entry."""
        return _lines((self.question, self.answer))

    def reply(self, written: Rewritten) -> str:
        """The text of the assistant: the six lines of an entry."""
        values = (self.question, self.answer, written.step1, written.step2, written.question, written.answer)
        return _lines(values)


def system_prompts() -> dict[str, str]:
    """The system prompt of each group, as the benchmark sends it."""
    text = resources.files("whatif.benchmarks.cvqa_real").joinpath(PROMPT_FILE).read_text(encoding="utf-8")
    return {group: str(prompt["system"]).strip() for group, prompt in yaml.safe_load(text).items()}


def asked_about(split: str, number: int, seed: int) -> list[Asked]:
    """The questions about scene `number` of a split that can be changed directly or flipped."""
    scene = draw_scene(split, number, seed)
    return [
        Asked(_GROUPS[one.answer_type], one.question, one.answer)
        for one in scene_questions(scene, stream(seed, "writer questions", split, number))
        if one.answer_type in _GROUPS
    ]


def conversations(number: int, step: int, seed: int) -> list[list[dict[str, str]]]:
    """The `number` conversations of a training step: one question of each of so many new scenes of the split `train`.

    Half of them are about numbers. A conversation has the turns system, user and assistant.
    """
    generator = stream(seed, "writer", step)
    prompts = system_prompts()
    made: list[list[dict[str, str]]] = []
    scenes = iter(range(step * 4 * number, (step + 1) * 4 * number))
    while len(made) < number:
        group = (DIRECT, BOOLEAN)[len(made) % 2]
        options = [one for one in asked_about("train", next(scenes), seed) if one.group == group]
        if options:
            made.append(_turns(options[int(generator.integers(len(options)))], prompts, generator))
    return made


def texts_for_tokenizer(number: int, seed: int) -> Iterator[str]:
    """The turns of `number` conversations: enough to contain every word of the scenes' questions and their changes."""
    for conversation in conversations(number, 0, seed + 1):
        yield from (turn["content"] for turn in conversation)


def prompt_turns(asked: Asked, prompts: dict[str, str]) -> list[dict[str, str]]:
    """The turns that ask about a question."""
    return [{"role": "system", "content": prompts[asked.group]}, {"role": "user", "content": asked.request}]


def _turns(asked: Asked, prompts: dict[str, str], generator: np.random.Generator) -> list[dict[str, str]]:
    written: Any = rewrite(asked.group, asked.question, asked.answer, generator)
    if isinstance(written, str):  # the rules understand every question about a scene; a test checks it
        raise AssertionError(f"{asked}: {written}")
    return [*prompt_turns(asked, prompts), {"role": "assistant", "content": asked.reply(written)}]


def _lines(values: tuple[str, ...]) -> str:
    return "\n".join(f"{label}: {value}" for label, value in zip(LABELS, values, strict=False))
