"""Which adapter a checkpoint is for, by its configuration (`config` as transformers loads it)."""

from __future__ import annotations

from typing import Any

from whatif.engine.errors import WhatifError

_BLIP = ("blip-2", "instructblip")


def check_blip(source: str, configuration: Any) -> None:
    """Raises WhatifError for anything but a BLIP-2 or an InstructBLIP."""
    if configuration.model_type not in _BLIP:
        raise WhatifError(
            f"checkpoint {source}: is a {configuration.model_type!r}; the adapter hf-blip takes {' and '.join(_BLIP)}"
        )


def is_language_model(configuration: Any) -> bool:
    """Whether AutoModelForCausalLM loads it, and it has no image input.

    Models that see images are none, even where the library would load them: the blind baseline must be blind.
    """
    from transformers import AutoModelForCausalLM

    return type(configuration) in AutoModelForCausalLM._model_mapping and not hasattr(configuration, "vision_config")


def check_text(source: str, configuration: Any) -> None:
    """Raises WhatifError for anything but a language model without images."""
    if not is_language_model(configuration):
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is not a text-only language model; the adapter blind "
            "takes what AutoModelForCausalLM loads and has no image input (llama, qwen2, gpt2, ...)"
        )


def check_chat(source: str, configuration: Any) -> None:
    """Raises WhatifError for anything but a decoder-only vision-language model of other families than BLIP."""
    from transformers import AutoModelForImageTextToText

    if configuration.model_type in _BLIP:
        raise WhatifError(f"checkpoint {source}: a {configuration.model_type!r} is for the adapter hf-blip")
    kinds = AutoModelForImageTextToText._model_mapping
    if type(configuration) not in kinds:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is not a vision-language model; "
            "the adapter hf-chat takes what AutoModelForImageTextToText loads (llava, qwen2_5_vl, idefics3, ...)"
        )
    if configuration.is_encoder_decoder:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is an encoder-decoder; the adapter hf-chat ranks "
            "options as continuations of a prompt, which needs a decoder-only model"
        )
