"""The loss of correct answers: the negative log-likelihood of their tokens after the prompt that the adapter sends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from whatif.models.fine_tuning.examples import Example
from whatif.models.local.answer_place import answer_end
from whatif.models.local.chat import Chat
from whatif.models.local.option_scores import SHARED_PREFIX, forget_positions, on_device, with_continuations

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Encoded:
    """Examples as the network reads them.

    inputs: what the processor makes of the prompts, with the tokens of the answers behind them.
    answers: the tokens that count, for each row: those of the answer, and the one that ends it.
    """

    inputs: dict[str, Any]
    answers: tuple[tuple[int, ...], ...]


class AnswerLoss:
    """Encodes examples and computes the loss of their answers, `at_once` examples in a pass.

    Padding changes nothing in the families of `SHARED_PREFIX`, where positions are relative. Examples of other families
    are passed one by one.
    """

    def __init__(self, chat: Chat, at_once: int) -> None:
        self._chat = chat
        self._shared = chat.network.config.model_type in SHARED_PREFIX
        self._at_once = at_once if self._shared else 1
        self._end = answer_end(chat.processor, chat.model.checkpoint.ends)

    def answer(self, example: Example) -> tuple[int, ...]:
        """The tokens of an answer that count: the text, and the token that ends it."""
        return (*self._chat.model.checkpoint.option_tokens(example.answer), *self._end)

    def passes(self, examples: Sequence[Example]) -> Iterator[Encoded]:
        """The examples in as many passes as are needed; those of a pass have the same number of images."""
        ordered = sorted(examples, key=_images)
        for _, group in groupby(ordered, key=_images):
            same = list(group)
            for start in range(0, len(same), self._at_once):
                yield self._encoded(same[start : start + self._at_once])

    def _encoded(self, examples: Sequence[Example]) -> Encoded:
        model = self._chat.model
        answers = tuple(map(self.answer, examples))
        prompts = [model.prompt(example.question) for example in examples]
        return Encoded(with_continuations(model.checkpoint.encode(prompts), answers), answers)

    def __call__(self, encoded: Encoded) -> torch.Tensor:
        """The sum over the tokens of all answers, in nats."""
        import torch
        from torch.nn.functional import cross_entropy

        network = self._chat.network
        forget_positions(network)
        longest = max(map(len, encoded.answers))
        more = {"logits_to_keep": longest + 1} if self._shared else {}
        logits = network(**on_device(network, encoded.inputs), use_cache=False, **more).logits
        # Position i predicts token i + 1; the last position predicts none that counts.
        predicted = logits[:, -longest - 1 : -1].float()  # rows x longest x words
        labels = torch.full(predicted.shape[:2], -100, device=predicted.device)
        for row, tokens in enumerate(encoded.answers):
            labels[row, : len(tokens)] = torch.tensor(tokens)
        return cross_entropy(predicted.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")


def _images(example: Example) -> int:
    return len(example.question.image_ids)
