"""Losses of a LLaVA for questions with known image and answer: the answers, and two auxiliary losses.

The tokens of 30 and 31 are as unlike as those of 30 and 3, so a numerical answer is also predicted as a number. In
scenes, the reference of each word of a question is predicted after the word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from training.packing import attention_mask, pack
from training.puzzle_examples import PuzzleExample
from training.scene_pictures import ScenePicture
from training.vision_language_parts import answer_prompt
from training.word_targets import CHANNELS, word_losses, word_targets

Example = PuzzleExample | ScenePicture
_WORDS_LAYER = 2  # the layer after which references of words are predicted, so that later layers can use them
_WORDS_WEIGHT = 0.5  # relative to the loss of the answers
_BASIC_LAYER = 3  # the layer after which the basic answer is predicted; the last layer combines it with the change
_BASIC_WEIGHT = 0.5
_NUMBERS_WEIGHT = 2.0
_LARGE = 10.0  # the unit of predicted numbers


def new_readers(model: Any) -> Any:
    """Linear heads on the language model's states, discarded later.

    They read a word's reference, an answer as a number, and the answer without the presupposition (the first token).
    """
    import torch

    text = model.config.text_config
    channels = {"words": CHANNELS, "numbers": 1, "basic": text.vocab_size + 1}
    return torch.nn.ModuleDict({name: torch.nn.Linear(text.hidden_size, to) for name, to in channels.items()})


def question_losses(
    model: Any,
    readers: Any,
    tokenizer: Any,
    features: Any,
    batch: Sequence[tuple[Example | None, Sequence[tuple[str, ...]]]],
    *,
    tolerance: float = _LARGE,
) -> dict[str, Any]:
    """The losses of images with some questions and answers each; `features` are the images' projected tokens.

    These are the tokens of one or several images before the questions, or none. An example that is None has no words
    with references.

    A counterfactual question may have a third text: the answer to its basic question. That answer and whether the
    presupposition changes it are predicted, too (`basic`): neither alone says anything about the final answer, so a
    model that must find both at once does not begin to learn for a long time.

    The gradient of a number's error is constant beyond `tolerance`, and proportional to the error below it.

    `answers` is the mean over the answers' tokens, including each answer's end token. `named`, `numbers` and `basic`
    are already weighted, and are left out if no question has them.
    """
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, smooth_l1_loss

    prefix = 1 + features.shape[1]  # tokens before a question: the start token and the images
    asked = [[_Asked.encoded(tokenizer, *one) for one in questions] for _, questions in batch]
    packed = pack([[(one.tokens, one.reply) for one in row] for row in asked], prefix, tokenizer.pad_token_id)
    device = features.device
    embed = model.get_input_embeddings()
    begin = embed(torch.full((len(batch), 1), tokenizer.bos_token_id, device=device))
    words = embed(torch.from_numpy(packed.tokens).to(device))
    embedded = torch.cat([begin, features.to(begin.dtype), words], dim=1)
    before = np.tile(np.arange(prefix), (len(batch), 1))
    states = model.model.language_model(
        inputs_embeds=embedded,
        attention_mask=attention_mask(packed, prefix, embedded.dtype, device),
        position_ids=torch.from_numpy(np.concatenate([before, packed.positions], axis=1)).to(device),
        use_cache=False,
        output_hidden_states=True,
    )
    last, earlier, later = (
        each[:, prefix:]
        for each in (states.last_hidden_state, states.hidden_states[_WORDS_LAYER], states.hidden_states[_BASIC_LAYER])
    )
    labels = torch.from_numpy(packed.labels).to(device)
    answered = labels >= 0
    losses = {"answers": cross_entropy(model.lm_head(last[answered]).float(), labels[answered])}
    named, numbers, basic = _read_beside([example for example, _ in batch], asked)
    if named.targets:
        targets = torch.from_numpy(np.stack(named.targets)).to(device)
        losses["named"] = _WORDS_WEIGHT * word_losses(readers["words"](named.of(earlier)).float(), targets)
    if numbers.targets:
        targets = torch.tensor(numbers.targets, device=device)
        read = readers["numbers"](numbers.of(last)).float()[:, 0]
        losses["numbers"] = _NUMBERS_WEIGHT * smooth_l1_loss(read, targets, beta=tolerance / _LARGE)
    if basic.targets:
        tokens, changes = torch.tensor(basic.targets, device=device).T
        read = readers["basic"](basic.of(later)).float()
        found = cross_entropy(read[:, 1:], tokens) + binary_cross_entropy_with_logits(read[:, 0], changes.float())
        losses["basic"] = _BASIC_WEIGHT * found
    return losses


@dataclass(frozen=True)
class _Asked:
    """A question with its answer, as tokens; `ends` gives the token that ends before a character of the question.

    `basic` is the first token of the basic answer and whether the presupposition changes it, if known.
    """

    question: str
    answer: str
    tokens: list[int]
    reply: list[int]
    ends: dict[int, int]
    basic: tuple[int, int] | None

    @classmethod
    def encoded(cls, tokenizer: Any, question: str, answer: str, basic: str | None = None) -> _Asked:
        said = tokenizer(answer_prompt(question), add_special_tokens=False, return_offsets_mapping=True)
        ends = {end: place for place, (_, end) in enumerate(said["offset_mapping"])}
        reply = tokenizer.encode(f" {answer}", add_special_tokens=False)
        before = None
        if basic is not None:
            before = tokenizer.encode(f" {basic}", add_special_tokens=False)[0], int(basic != answer)
        return cls(question, answer, said["input_ids"], [*reply, tokenizer.eos_token_id], ends, before)


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


def _read_beside(examples: Sequence[Example | None], asked: Sequence[Sequence[_Asked]]) -> tuple[_Read, _Read, _Read]:
    """The references of words in scenes; numerical answers and basic answers, predicted where an answer begins."""
    named, numbers, basic = _Read(), _Read(), _Read()
    for row, (example, of_picture) in enumerate(zip(examples, asked, strict=True)):
        start = 0
        for one in of_picture:
            if isinstance(example, ScenePicture):
                for character, target in word_targets(one.question, example.scene):
                    named.add(row, start + one.ends[character], target)
            if one.answer.isdecimal():
                numbers.add(row, start + len(one.tokens) - 1, int(one.answer) / _LARGE)
            if one.basic is not None:
                basic.add(row, start + len(one.tokens) - 1, one.basic)
            start += len(one.tokens) + len(one.reply)
    return named, numbers, basic
