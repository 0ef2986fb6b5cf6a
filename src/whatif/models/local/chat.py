"""Vision-language chat models of the Hugging Face library, prompted with their own chat templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from whatif.engine.language.prompts import wrapped, wrapper
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.models import Model
from whatif.models.local.answer_place import answer_place, parts, remembered_option_tokens
from whatif.models.local.answerer import Checkpoint, LocalModel, Prompt
from whatif.models.local.checkpoints import identity, language_model_type, load_chat_model
from whatif.models.local.conversations import Template, check_system_message
from whatif.models.local.generation import Batches, continued, prepare_generation
from whatif.models.local.language_models import text_chat
from whatif.models.local.option_scores import option_scores
from whatif.models.local.ranking_memory import RankingMemory
from whatif.models.local.reasoning_tokens import budget_stop, check_positions, reasoning_of
from whatif.models.local.sent_images import sent
from whatif.models.local.shared_generation import generate_together, shares_pictures
from whatif.models.local.template_variables import checked_variables

VERSION = 2  # increase it when a change alters answers


def hugging_face_chat(settings: HuggingFaceChat, seed: int) -> Model:
    """Ranks options by log-likelihood and answers open questions, `batch_size` at once.

    In the families of `option_scores.SHARED_PREFIX`, images and question are encoded once for all options, and open
    questions about the same images are encoded once as far as their prompts agree (see `shared_generation`). Other
    families need one forward pass for each option. Ranked questions share what was computed for the same images
    or the same prompt (see `ranking_memory`). Images are not shared with beam search. `seed` has no effect:
    `decoding` has its own.

    A language model without images is taken too, and answers where only text is sent (see `text_chat`).

    Raises WhatifError as `load_chat` or `text_chat` does.
    """
    if (kind := language_model_type(settings)) is not None:
        return text_chat(settings, kind)
    return load_chat(settings).model


@dataclass(frozen=True)
class Chat:
    """A checkpoint: the network with its weights, its processor, and the model that answers with them."""

    network: Any
    processor: Any
    model: LocalModel


def load_chat(settings: HuggingFaceChat) -> Chat:
    """Loads a checkpoint, ready to answer.

    Raises WhatifError when the checkpoint cannot be loaded (see `load_chat_model`), when a system message is set that
    its chat template has no place for, when the template does not use a variable of `reasoning`, and when the budget of
    reasoning exceeds its positions.
    """
    model, processor = load_chat_model(settings)
    check_positions(settings, model.config)
    variables = checked_variables(settings.checkpoint, processor.chat_template, settings.reasoning)
    template = Template(processor, system=settings.system, variables=variables)
    check_system_message(settings.checkpoint, template)
    tokenizer = processor.tokenizer
    tokenizer.padding_side = "left"
    ends = prepare_generation(model, tokenizer, settings.decoding)
    memory = RankingMemory(model)
    memory.remember_pictures(processor.image_processor)
    place = answer_place(settings.checkpoint, processor, variables=variables)
    reasoning = reasoning_of(settings, processor, tokenizer, parts, variables)
    stop = budget_stop(reasoning, settings.decoding)
    shares = shares_pictures(model) and settings.decoding.beams == 1
    checkpoint = Checkpoint(
        encode=partial(_encode, template, wrapper(settings.prompt)),
        option_tokens=remembered_option_tokens(tokenizer, place),
        score=partial(option_scores, model, memory=memory),
        forget=memory.forget,
        generate=partial(continued, model, ends, stop=stop),
        reasoning=reasoning,
        ends=ends,
        max_new_tokens=settings.max_new_tokens,
        generate_together=partial(generate_together, model, ends, stop=stop) if shares else None,
        image_form=template.image_form,
        sent=partial(sent, model.config, processor),
        takes_one_image=settings.several_images == "composite",
        decoding=settings.decoding,
    )
    identify = partial(identity, settings, VERSION, model.config)
    return Chat(model, processor, LocalModel(checkpoint, identify, Batches(settings.batch_size)))


def _encode(template: Template, around: str, prompts: Sequence[Prompt]) -> Mapping[str, Any]:
    encoded: Mapping[str, Any] = template.processor.apply_chat_template(
        [template.conversation(wrapped(prompt.messages, around), prompt.images) for prompt in prompts],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        processor_kwargs={"padding": True},
        **template.variables,
    )
    return encoded
