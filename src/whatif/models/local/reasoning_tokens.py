"""Where the reasoning in generated tokens begins and ends, and which of the responses are to be stopped in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.reasoning import NEVER_LEFT, split_reasoning
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.params.decoding import Decoding
from whatif.models import Answer
from whatif.models.local.answer_place import decoded

if TYPE_CHECKING:
    import torch

_LONGEST_OPENING = 200  # characters


@dataclass(frozen=True)
class ReasoningTokens:
    """Reads the reasoning in the tokens of responses.

    `text` is the text of a response with its marks, also the one with which the chat template began its reasoning. A
    response that is still in its reasoning after `budget` tokens is stopped there; None: never.
    """

    text: Callable[[list[int]], str]
    budget: int | None = None

    @property
    def room(self) -> int:
        """The tokens by which the limit of new tokens exceeds that of the answer."""
        return self.budget or 0

    def is_inside(self, tokens: list[int]) -> bool:
        """Whether the reasoning in these tokens has no end."""
        return split_reasoning(self.text(tokens)).cut_off

    def answer(self, generated: list[int], ends: Collection[int]) -> Answer:
        """The answer in generated tokens, which end with one of `ends` if the model was done.

        It is `none` if the budget is used up and the reasoning has no end. The tokens after that do not count.
        """
        used_up = self.budget is not None and len(generated) >= self.budget and self.is_inside(generated[: self.budget])
        tokens = generated[: self.budget] if used_up else generated
        text = self.text(tokens)
        answer = Answer(
            response=text,
            response_tokens=len(tokens),
            reasoning_tokens=self._count(tokens, text),
            cut_off=not tokens or tokens[-1] not in ends,
        )
        if not used_up:
            return answer
        return replace(answer, status="none", reason=f"{NEVER_LEFT}: budget_tokens of {self.room:,} used up")

    def _count(self, tokens: list[int], text: str) -> int | None:
        """How many of the tokens, whose text this is, are reasoning, with its last mark; None if there is none."""
        whole = split_reasoning(text)
        if whole.cut_off:
            return len(tokens)
        if whole.reasoning is None:
            return None
        shortest, longest = 0, len(tokens)  # the first number of tokens with all of the reasoning is between them
        while shortest < longest:
            middle = (shortest + longest) // 2
            part = split_reasoning(self.text(tokens[:middle]))
            if part.reasoning == whole.reasoning and not part.cut_off:
                longest = middle
            else:
                shortest = middle + 1
        return longest


@dataclass(frozen=True)
class BudgetStop:
    """Ends rows of a batch that are still in their reasoning after `budget` tokens, at the step that makes so many."""

    budget: int
    reasoning: ReasoningTokens

    def ended(self, rows: torch.Tensor) -> torch.Tensor:
        """Whether each row ends now: a truth value for each row of new tokens (rows x tokens so far)."""
        import torch

        if rows.shape[1] != self.budget:
            return torch.zeros(len(rows), dtype=torch.bool, device=rows.device)
        found = [self.reasoning.is_inside(row) for row in rows.tolist()]
        return torch.tensor(found, dtype=torch.bool, device=rows.device)


def reasoning_of(
    settings: HuggingFaceChat,
    processor: Any,
    tokenizer: Any,
    content: Callable[[str], Any],
    variables: Mapping[str, Any],
) -> ReasoningTokens:
    """How the reasoning of a checkpoint is read. `processor` has the chat template, which gets `variables`.

    Without settings of reasoning, a response is its generated tokens alone, as it is under the keys of earlier answers.
    """
    if settings.reasoning is None:
        return ReasoningTokens(partial(decoded, tokenizer))
    opening = _opening(processor, content, variables)
    return ReasoningTokens(partial(decoded, tokenizer, opening=opening), settings.reasoning.budget_tokens)


def budget_stop(reasoning: ReasoningTokens, decoding: Decoding) -> BudgetStop | None:
    """What stops responses at the budget; None without one, and for beam search, whose beams are cut off afterwards."""
    if reasoning.budget is None or decoding.beams > 1:
        return None
    return BudgetStop(reasoning.budget, reasoning)


def _opening(processor: Any, content: Callable[[str], Any], variables: Mapping[str, Any]) -> str:
    """The mark of reasoning at the end of the prompt that a chat template writes; empty if it does not begin one.

    `content` turns text into the content of a turn. The template must render (see `answer_place`).
    """
    probe = "question"
    turns = [{"role": "user", "content": content(probe)}]
    prompt = str(processor.apply_chat_template(turns, add_generation_prompt=True, tokenize=False, **variables))
    end = prompt.rpartition(probe)[2]
    if not split_reasoning(end).cut_off:
        return ""
    shorter = (end[place:] for place in range(len(end) - 1, max(len(end) - _LONGEST_OPENING, 0) - 1, -1))
    return next((part for part in shorter if split_reasoning(part).cut_off), end)


def check_positions(settings: HuggingFaceChat, configuration: Any) -> None:
    """Raises WhatifError when the reasoning and the answer together exceed the positions of the model."""
    text: Any = configuration.get_text_config()
    positions = getattr(text, "max_position_embeddings", None)
    if settings.reasoning is None or settings.reasoning.budget_tokens is None or not isinstance(positions, int):
        return
    budget, answer = settings.reasoning.budget_tokens, settings.max_new_tokens
    if budget + answer >= positions:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: reasoning.budget_tokens ({budget:,}) and max_new_tokens ({answer:,}) "
            f"leave no room for a question in its {positions:,} positions (max_position_embeddings); lower them"
        )
