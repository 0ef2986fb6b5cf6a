"""BLIP-2 and InstructBLIP of the Hugging Face library, which take one image and have no chat template.

With a decoder-only language model (OPT, Vicuna), image and question are its prompt, and options follow as in the chat
models. With an encoder-decoder (T5), they are encoded once and the decoder scores all options in one batch. In both
cases no end-of-text token is appended to an option.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from whatif.engine.language.prompts import wrapper
from whatif.engine.language.prompts.form import PLACE
from whatif.engine.params.checkpoints import HuggingFaceBlip
from whatif.models import Model, OptionScore
from whatif.models.local.answer_place import AnswerPlace, decoded, remembered_option_tokens
from whatif.models.local.answerer import Checkpoint, LocalModel, Prompt
from whatif.models.local.checkpoints import identity, load_blip_model
from whatif.models.local.conversations import UnfitQuestionError, only_question
from whatif.models.local.generation import Batches, generate, prepare_generation
from whatif.models.local.option_scores import decoder_scores, following_scores, on_device
from whatif.models.local.reasoning_tokens import ReasoningTokens
from whatif.models.local.sampling import Noise
from whatif.models.local.sent_images import sent

VERSION = 2  # increase it when a change alters answers
_IMAGE = "pixel_values"  # the input that is absent if a question has no image


def hugging_face_blip(settings: HuggingFaceBlip, seed: int) -> Model:
    """Ranks options by log-likelihood and answers open questions, `batch_size` at once.

    The prompt is the setting `prompt`, or the wrapper of the form that it names, with the question inserted. Several
    images become a composite. Without an image, options are ranked by the language model alone, and an open question is
    an `error`, as is any question in a conversation of more than one message. `seed` has no effect: `decoding` has its
    own.

    Raises WhatifError when the checkpoint cannot be loaded (see `load_blip_model`).
    """
    model, processor = load_blip_model(settings)
    tokenizer = processor.tokenizer
    ends = prepare_generation(model.language_model, tokenizer, settings.decoding)
    encodes = model.language_model.config.is_encoder_decoder
    # Image tokens come before the padding. T5 counts distances between all positions, so there must be no padding in
    # between; a decoder counts only unmasked positions, and has to continue directly after the prompt.
    tokenizer.padding_side = "right" if encodes else "left"
    around = wrapper(settings.prompt)
    place = AnswerPlace("", "") if encodes else AnswerPlace(around.partition(PLACE)[2], " ")
    checkpoint = Checkpoint(
        encode=partial(_encode, processor, around, _limits(model.config)),
        option_tokens=remembered_option_tokens(tokenizer, place),
        score=partial(encoder_decoder_scores if encodes else decoder_only_scores, model),
        generate=partial(_generate, model, ends),
        reasoning=ReasoningTokens(partial(decoded, tokenizer)),
        ends=ends,
        max_new_tokens=settings.max_new_tokens,
        takes_one_image=True,
        sent=partial(sent, model.config, processor),
        decoding=settings.decoding,
    )
    return LocalModel(checkpoint, partial(identity, settings, VERSION, model.config), Batches(settings.batch_size))


def decoder_only_scores(model: Any, prompt: Mapping[str, Any], options: Sequence[list[int]]) -> tuple[OptionScore, ...]:
    """Scores of options (token ids) after a prompt (1 x tokens) that is encoded once."""
    import torch

    inputs = on_device(model, prompt)
    with torch.inference_mode():
        encoded = (model if _IMAGE in inputs else model.language_model)(**inputs, use_cache=True)
    cache = getattr(encoded, "language_model_outputs", encoded).past_key_values
    return following_scores(encoded.logits[0, -1], cache, inputs["attention_mask"], options, model.language_model)


def encoder_decoder_scores(
    model: Any, prompt: Mapping[str, Any], options: Sequence[list[int]]
) -> tuple[OptionScore, ...]:
    """Scores of options (token ids) as the answers to a prompt (1 x tokens) that is encoded once."""
    import torch
    from transformers.modeling_outputs import BaseModelOutput

    inputs = on_device(model, prompt)
    start = model.language_model.config.decoder_start_token_id
    ids = torch.full((len(options), max(map(len, options))), start, device=model.device)
    for row, tokens in enumerate(options):
        ids[row, 1 : len(tokens)] = torch.tensor(tokens[:-1], dtype=torch.long)
    with torch.inference_mode():
        looks = model if _IMAGE in inputs else model.language_model
        output = looks(**inputs, decoder_input_ids=ids[:1, :1])
        encoded = getattr(output, "language_model_outputs", output).encoder_last_hidden_state
        logits = model.language_model(
            encoder_outputs=BaseModelOutput(last_hidden_state=encoded.expand(len(options), -1, -1)),
            attention_mask=inputs["attention_mask"].expand(len(options), -1),
            decoder_input_ids=ids,
        ).logits
    return decoder_scores(logits, options)


def _limits(configuration: Any) -> dict[str, int]:
    """The maximum number of tokens of inputs with learned positions; longer inputs make a GPU unusable."""
    limits = {"qformer_input_ids": configuration.qformer_config.max_position_embeddings}
    if configuration.text_config.model_type == "opt":
        limits["input_ids"] = configuration.text_config.max_position_embeddings
    return limits


def _encode(processor: Any, words: str, limits: Mapping[str, int], prompts: Sequence[Prompt]) -> Mapping[str, Any]:
    texts = [only_question(prompt.messages, "this model", " with one image") for prompt in prompts]
    if any(str(processor.image_token) in text for text in texts):
        raise UnfitQuestionError(f"{processor.image_token} in the question's words stands for a picture")
    asked = [words.replace(PLACE, text) for text in texts]
    images = [image for prompt in prompts for image in prompt.images]  # prompts have one each, or none of them has
    encoded: Mapping[str, Any] = (
        processor(images=images, text=asked, padding=True, return_tensors="pt")
        if images
        else processor.tokenizer(asked, padding=True, return_tensors="pt", return_token_type_ids=False)
    )
    for name, most in limits.items():
        if name in encoded and encoded[name].shape[1] > most:
            raise UnfitQuestionError(f"the question takes {encoded[name].shape[1]} tokens; this model takes {most}")
    return encoded


def _generate(
    model: Any, ends: Collection[int], inputs: Mapping[str, Any], limit: int, noise: Noise | None = None
) -> list[list[int]]:
    if _IMAGE not in inputs:
        raise UnfitQuestionError("the question has no image; this model takes one")
    # An encoder-decoder returns its start token first, a decoder its prompt.
    encodes = model.language_model.config.is_encoder_decoder
    skipped = 1 if encodes else inputs["input_ids"].shape[1]
    return generate(model, on_device(model, inputs), skipped, ends, limit, noise)
