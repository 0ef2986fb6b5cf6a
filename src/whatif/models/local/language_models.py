"""Language models, which read text alone: for the adapter `blind`, and for `hf-chat` where it is given such a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.prompts import wrapped, wrapper
from whatif.engine.params.checkpoints import CheckpointSettings, HuggingFaceChat
from whatif.models import Question
from whatif.models.local.answer_place import AnswerPlace, answer_place, decoded, remembered_option_tokens
from whatif.models.local.answerer import Checkpoint, LocalModel, Prompt
from whatif.models.local.checkpoints import identity, load_text_model
from whatif.models.local.conversations import Template, check_system_message, text_turns
from whatif.models.local.generation import Batches, continued, prepare_generation
from whatif.models.local.option_scores import keeps_keys_and_values, shared_prefix_scores, whole_pass_scores
from whatif.models.local.ranking_memory import RankingMemory
from whatif.models.local.reasoning_tokens import ReasoningTokens, budget_stop, check_positions, reasoning_of
from whatif.models.local.template_variables import checked_variables

Encode = Callable[[Sequence[Prompt]], Mapping[str, Any]]
VERSION = 1  # of the answers of `text_chat`: increase it when a change alters them


@dataclass
class TextChat(LocalModel):
    """A language model that `hf-chat` loaded: it answers where only text is sent, and refuses images.

    `kind` is its model type, and `source` the name of its checkpoint.
    """

    kind: str = ""
    source: str = ""

    def prompt(self, question: Question) -> Prompt:
        """What the checkpoint encodes for a question. Raises WhatifError when the question has an image."""
        if question.image_ids:
            raise WhatifError(
                f"checkpoint {self.source}: a {self.kind!r} is a language model, which takes no images, and question "
                f"{question.question_id} has {len(question.image_ids)}; set `adapter: blind`, which asks it without "
                "them, or give a vision-language checkpoint"
            )
        return super().prompt(question)


def text_chat(settings: HuggingFaceChat, kind: str) -> TextChat:
    """A language model with a chat template, prompted as `hf-chat` prompts any checkpoint, but with text alone.

    `kind` is its model type.

    Raises WhatifError as `load_text_model` does, when the checkpoint has no chat template, and when a setting is for
    images, is a system message that the template has no place for, or is one of `reasoning` that `load_chat` rejects.
    """
    for name in ("min_pixels", "max_pixels"):
        if getattr(settings, name) is not None:
            raise WhatifError(
                f"checkpoint {settings.checkpoint}: a {kind!r} is a language model, which takes no images; remove "
                f"`{name}`"
            )
    model, tokenizer = load_text_model(settings)
    if tokenizer.chat_template is None:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: has no chat template, which the adapter hf-chat needs; set "
            "`adapter: blind`"
        )
    check_positions(settings, model.config)
    variables = checked_variables(settings.checkpoint, tokenizer.chat_template, settings.reasoning)
    template = Template(tokenizer, text_turns, settings.system, variables)
    check_system_message(settings.checkpoint, template)
    encode = partial(_encode, template, wrapper(settings.prompt))
    place = answer_place(settings.checkpoint, tokenizer, str, variables)
    reasoning = reasoning_of(settings, tokenizer, tokenizer, str, variables)
    checkpoint, batches = text_checkpoint(settings, model, tokenizer, encode, place, reasoning=reasoning)
    identify = partial(identity, settings, VERSION, model.config)
    return TextChat(checkpoint, identify, batches, kind=kind, source=settings.checkpoint)


def text_checkpoint(  # noqa: PLR0917
    settings: CheckpointSettings,
    model: Any,
    tokenizer: Any,
    encode: Encode,
    place: AnswerPlace,
    looks: bool = True,
    reasoning: ReasoningTokens | None = None,
) -> tuple[Checkpoint, Batches]:
    """How a language model ranks options and generates, and how many questions it takes at once.

    `encode` tokenises prompts with `tokenizer`, whose padding this sets; `looks` and `reasoning` are as in
    `Checkpoint`.
    """
    tokenizer.padding_side = "left"
    ends = prepare_generation(model, tokenizer, settings.decoding)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    plain = keeps_keys_and_values(model)
    memory = RankingMemory(model)
    reasoning = reasoning or ReasoningTokens(partial(decoded, tokenizer))
    checkpoint = Checkpoint(
        encode=encode,
        option_tokens=remembered_option_tokens(tokenizer, place),
        score=partial(shared_prefix_scores, model, memory=memory) if plain else partial(whole_pass_scores, model),
        forget=memory.forget,
        generate=partial(continued, model, ends, stop=budget_stop(reasoning, settings.decoding)),
        reasoning=reasoning,
        ends=ends,
        max_new_tokens=settings.max_new_tokens,
        looks=looks,
        decoding=settings.decoding,
    )
    # A recurrent state would also run through the padding of a batch.
    return checkpoint, Batches(settings.batch_size if plain else 1)


def encoded_chats(template: Template, conversations: Sequence[Any]) -> Mapping[str, Any]:
    """The conversations as the chat template of a tokeniser writes them (rows x tokens, padded)."""
    encoded: Mapping[str, Any] = template.processor.apply_chat_template(
        [template.conversation(messages) for messages in conversations],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
        padding=True,
        **template.variables,
    )
    return encoded


def _encode(template: Template, around: str, prompts: Sequence[Prompt]) -> Mapping[str, Any]:
    return encoded_chats(template, [wrapped(prompt.messages, around) for prompt in prompts])
