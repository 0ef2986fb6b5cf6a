"""Losses of a LLaVA for questions with known image and answer: the answers, and two auxiliary losses.

The tokens of 30 and 31 are as unlike as those of 30 and 3, so a numerical answer is also predicted as a number. In
scenes, the reference of each word of a question is predicted after the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whatif.training.packing import attention_mask, pack
from whatif.training.puzzle_examples import PuzzleExample
from whatif.training.scene_pictures import ScenePicture
from whatif.training.vision_language_parts import PATCH, SIDE, answer_prompt
from whatif.training.word_targets import CHANNELS, word_losses, word_targets

Example = PuzzleExample | ScenePicture
_PREFIX = 1 + (SIDE // PATCH) ** 2  # tokens before a question: the start token and the image
_WORDS_LAYER = 2  # the layer after which references of words are predicted, so that later layers can use them
_WORDS_WEIGHT = 0.5  # relative to the loss of the answers
_NUMBERS_WEIGHT = 2.0
_LARGE = 10.0  # the unit of predicted numbers


def new_readers(model: Any) -> Any:
    """Linear heads on the language model's states, discarded later: a word's reference, and an answer as a number."""
    import torch

    width = model.config.text_config.hidden_size
    return torch.nn.ModuleDict({"words": torch.nn.Linear(width, CHANNELS), "numbers": torch.nn.Linear(width, 1)})


def question_losses(
    model: Any,
    readers: Any,
    tokenizer: Any,
    features: Any,
    batch: Sequence[tuple[Example, Sequence[tuple[str, str]]]],
    *,
    tolerance: float = _LARGE,
) -> dict[str, Any]:
    """The losses of images with some questions and answers each; `features` are the images' projected tokens.

    The gradient of a number's error is constant beyond `tolerance`, and proportional to the error below it.

    `answers` is the mean over the answers' tokens, including each answer's end token. `named` and `numbers` are already
    weighted, and are left out if no question has them.
    """
    import torch
    from torch.nn.functional import cross_entropy, smooth_l1_loss

    asked = [[_Asked.encoded(tokenizer, *one) for one in questions] for _, questions in batch]
    packed = pack([[(one.tokens, one.reply) for one in row] for row in asked], _PREFIX, tokenizer.pad_token_id)
    device = features.device
    embed = model.get_input_embeddings()
    begin = embed(torch.full((len(batch), 1), tokenizer.bos_token_id, device=device))
    words = embed(torch.from_numpy(packed.tokens).to(device))
    embedded = torch.cat([begin, features.to(begin.dtype), words], dim=1)
    before = np.tile(np.arange(_PREFIX), (len(batch), 1))
    states = model.model.language_model(
        inputs_embeds=embedded,
        attention_mask=attention_mask(packed, _PREFIX, embedded.dtype, device),
        position_ids=torch.from_numpy(np.concatenate([before, packed.positions], axis=1)).to(device),
        use_cache=False,
        output_hidden_states=True,
    )
    last, earlier = (each[:, _PREFIX:] for each in (states.last_hidden_state, states.hidden_states[_WORDS_LAYER]))
    labels = torch.from_numpy(packed.labels).to(device)
    answered = labels >= 0
    losses = {"answers": cross_entropy(model.lm_head(last[answered]).float(), labels[answered])}
    named, numbers = _read_beside([example for example, _ in batch], asked)
    if named.targets:
        targets = torch.from_numpy(np.stack(named.targets)).to(device)
        losses["named"] = _WORDS_WEIGHT * word_losses(readers["words"](named.of(earlier)).float(), targets)
    if numbers.targets:
        targets = torch.tensor(numbers.targets, device=device)
        read = readers["numbers"](numbers.of(last)).float()[:, 0]
        losses["numbers"] = _NUMBERS_WEIGHT * smooth_l1_loss(read, targets, beta=tolerance / _LARGE)
    return losses


@dataclass(frozen=True)
class _Asked:
    """A question with its answer, as tokens; `ends` gives the token that ends before a character of the question."""

    question: str
    answer: str
    tokens: list[int]
    reply: list[int]
    ends: dict[int, int]

    @classmethod
    def encoded(cls, tokenizer: Any, question: str, answer: str) -> _Asked:
        said = tokenizer(answer_prompt(question), add_special_tokens=False, return_offsets_mapping=True)
        ends = {end: place for place, (_, end) in enumerate(said["offset_mapping"])}
        reply = tokenizer.encode(f" {answer}", add_special_tokens=False)
        return cls(question, answer, said["input_ids"], [*reply, tokenizer.eos_token_id], ends)


@dataclass
class _Read:
    """Token positions after the prefix, (row, column), and the targets to predict there."""

    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    targets: list[Any] = field(default_factory=list)

    def add(self, row: int, column: int, target: Any) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.targets.append(target)

    def of(self, states: Any) -> Any:
        """The states at these places, (places, width)."""
        return states[self.rows, self.columns]


def _read_beside(examples: Sequence[Example], asked: Sequence[Sequence[_Asked]]) -> tuple[_Read, _Read]:
    """The references of words in scenes, and the numerical answers, predicted where an answer begins."""
    named, numbers = _Read(), _Read()
    for row, (example, of_picture) in enumerate(zip(examples, asked, strict=True)):
        start = 0
        for one in of_picture:
            if isinstance(example, ScenePicture):
                for character, target in word_targets(one.question, example.scene):
                    named.add(row, start + one.ends[character], target)
            if one.answer.isdecimal():
                numbers.add(row, start + len(one.tokens) - 1, int(one.answer) / _LARGE)
            start += len(one.tokens) + len(one.reply)
    return named, numbers
