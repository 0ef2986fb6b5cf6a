"""Loads the checkpoint of a model from a folder or from the hub, and says what a folder lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from whatif.artifacts.verified import source_digest
from whatif.errors import WhatifError
from whatif.files.inputs import read_bytes
from whatif.files.named_folders import named_path
from whatif.models.local.faults import first_line
from whatif.models.local.image_sizes import check_picture_size
from whatif.models.local.placement import placement
from whatif.models.local.processors import load_processor, load_tokenizer
from whatif.models.local.weight_files import check_weights
from whatif.params.models import BlindTextModel, HuggingFaceBlip, HuggingFaceChat, LocalCheckpoint

_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")
_BLIP = ("blip-2", "instructblip")
# Not part of what answers are stored under: what changes no answer, what is named in another way, and what the stored
# prompt and options say already.
_WITHOUT_EFFECT = {"name", "checkpoint", "revision", "device", "batch_size", "benchmarks", "limit", "multiple_choice"}
# A null here would be a new key of every answer that was stored before there were such settings.
_ONLY_WHEN_SET = ("system", "device_map", "quantization")
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json")


def load_chat_model(settings: HuggingFaceChat) -> tuple[Any, Any]:
    """The vision-language chat model, in evaluation mode on its device, and its processor.

    A folder is read without a look at the network; any other name is taken as a hub id. Nothing in a checkpoint is
    run: weights come from safetensors files only, since pickled ones can run code, and custom code is refused.

    Raises WhatifError when the folder is missing or lacks a file or a revision of it is asked for, when the
    checkpoint is no vision-language model or has no chat template, when the hub has no such name, and when the device
    is not there or too small.
    """
    model, processor = load_checkpoint(settings, "AutoModelForImageTextToText", _check_chat, load_processor)
    if getattr(processor, "chat_template", None) is None:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: has no chat template (chat_template.jinja, or `chat_template` in "
            "processor_config.json); the adapter hf-chat needs one"
        )
    return model, processor


def load_blip_model(settings: HuggingFaceBlip) -> tuple[Any, Any]:
    """A BLIP-2 or InstructBLIP and its processor, as `load_chat_model` does. Raises as it does."""
    model, processor = load_checkpoint(settings, "AutoModelForImageTextToText", _check_blip, load_processor)
    if processor.num_query_tokens is None:  # in checkpoints saved before the processor placed the picture's tokens
        processor.num_query_tokens = model.config.num_query_tokens
    return model, processor


def load_text_model(settings: BlindTextModel) -> tuple[Any, Any]:
    """A language model that only decodes, and its tokeniser, as `load_chat_model` does. Raises as it does."""
    return load_checkpoint(settings, "AutoModelForCausalLM", _check_text, load_tokenizer)


def identity(settings: LocalCheckpoint, version: int, configuration: Any) -> dict[str, Any]:
    """What the answers of a checkpoint, loaded with this configuration, are stored under beside the question.

    A checkpoint of the hub is named with the commit that was loaded, a folder by the digest of its files, wherever it
    lies. Device and batch size are no part of it: they change the time, not the answer.
    """
    folder = folder_of(settings.checkpoint)
    unset = {name for name in _ONLY_WHEN_SET if getattr(settings, name, None) is None}
    asked = settings.model_dump(mode="json", exclude=_WITHOUT_EFFECT | unset)
    if folder is not None:
        return {**asked, "version": version, "files": source_digest(folder)}
    revision = getattr(configuration, "_commit_hash", None) or settings.revision
    return {**asked, "version": version, "checkpoint": settings.checkpoint, "revision": revision}


def load_checkpoint(
    settings: LocalCheckpoint,
    kind: str | Mapping[str, str],
    check: Callable[[str, Any], None],
    load_reader: Callable[[str, str, dict[str, Any]], Any],
) -> tuple[Any, Any]:
    """The model, and what reads its inputs.

    `kind` names the class of transformers that loads it, or one for each type of model; `check` is called with the
    source and the configuration, and refuses what it cannot be. Raises WhatifError as `load_chat_model` does.
    """
    import transformers

    source, folder = source_of(settings)
    if folder is not None:
        _check_files(folder, pictures=load_reader is load_processor)
    device = device_of(settings.device)
    placed = placement(settings, device)
    options: dict[str, Any] = {"local_files_only": folder is not None}
    if settings.revision is not None:
        options["revision"] = settings.revision
    try:
        # The library types these as returning one thing only; with the loading report it is a pair.
        configurations: Any = transformers.AutoConfig
        configuration = configurations.from_pretrained(source, trust_remote_code=False, **options)
        check(source, configuration)
        reader = load_reader(source, configuration.model_type, options)
        check_picture_size(source, configuration, reader)
        name = kind if isinstance(kind, str) else kind[configuration.model_type]
        model, report = getattr(transformers, name).from_pretrained(
            source,
            dtype=settings.dtype,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
            **placed,
            **options,
        )
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise errors of a dozen kinds, all of them about this checkpoint
        raise load_error(source, error) from error
    if missing := sorted(report["missing_keys"]):
        # The library would draw them at random and only warn: the answers would be noise.
        raise WhatifError(f"checkpoint {source}: its files lack {len(missing)} weights, first {missing[0]}")
    if placed:
        return model.eval(), reader
    try:
        return model.to(device).eval(), reader
    except (RuntimeError, MemoryError) as error:
        raise WhatifError(f"checkpoint {source}: cannot be put on {device}: {first_line(error)}") from error


def load_error(source: str, error: Exception) -> WhatifError:
    """What to raise for a checkpoint that the libraries cannot load."""
    if "trust_remote_code" in str(error):  # how they all say that it needs code of its own
        return WhatifError(
            f"checkpoint {source}: needs Python code of its own (`auto_map` or a module outside the libraries), which "
            "whatif never runs; use a checkpoint whose architecture transformers or diffusers has built in"
        )
    return WhatifError(f"checkpoint {source}: cannot be loaded: {first_line(error)}")


def source_of(settings: LocalCheckpoint) -> tuple[str, Path | None]:
    """What the libraries are to load, a hub id or the path of a folder, and that folder; None for a hub id.

    Raises WhatifError when the folder is not there, or when a revision of it is asked for.
    """
    folder = folder_of(settings.checkpoint)
    if folder is None:
        return settings.checkpoint, None
    if settings.revision is not None:
        raise WhatifError(
            f"checkpoint {folder}: is a folder, which has no revisions; leave out revision ({settings.revision})"
        )
    return str(folder), folder


def folder_of(checkpoint: str) -> Path | None:
    """The folder that `checkpoint` names, or None for a hub id.

    See `whatif.files.named_folders` for names that are no paths. Raises WhatifError when it is not there.
    """
    path = named_path(checkpoint)
    if path.is_dir():
        return path
    if path.exists():
        raise WhatifError(f"checkpoint {checkpoint}: is a file; give the folder that holds config.json")
    if checkpoint.startswith(("/", "~", ".")) or checkpoint.count("/") != 1:
        raise WhatifError(
            f"checkpoint {checkpoint}: there is no such folder; give a folder that holds config.json, "
            "or a hub id such as llava-hf/llava-1.5-7b-hf"
        )
    return None


def _check_files(folder: Path, pictures: bool) -> None:
    needed = [("config.json", ("config.json",)), ("a tokeniser", _TOKENIZER_FILES)]
    if pictures:
        needed.insert(1, ("a processor", _PROCESSOR_FILES))
    for what, names in needed:
        if not any((folder / name).is_file() for name in names):
            raise WhatifError(f"checkpoint {folder}: lacks {what} ({' or '.join(names)})")
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        if not (folder / "model.safetensors").is_file():
            raise WhatifError(f"checkpoint {folder}: lacks weights (model.safetensors, or its parts and their index)")
        check_weights(folder / "model.safetensors")
        return
    try:
        named = set(json.loads(read_bytes(index))["weight_map"].values())
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise WhatifError(f"checkpoint {index}: is no index of weights: {first_line(error)}") from error
    odd = [part for part in named if not isinstance(part, str) or not part or Path(part).name != part]
    if odd or not named:
        raise WhatifError(
            f"checkpoint {index}: names {f'{odd[0]!r:.60}' if odd else 'nothing'} as a file of weights; "
            "each is the name of a .safetensors file beside it"
        )
    parts = sorted(named)
    lost = [part for part in parts if not (folder / part).is_file()]
    if lost:
        raise WhatifError(f"checkpoint {folder}: lacks {len(lost)} of {len(parts)} weight files, first {lost[0]}")
    for part in parts:
        check_weights(folder / part)


def _check_blip(source: str, configuration: Any) -> None:
    if configuration.model_type not in _BLIP:
        raise WhatifError(
            f"checkpoint {source}: is a {configuration.model_type!r}; the adapter hf-blip takes {' and '.join(_BLIP)}"
        )


def _check_text(source: str, configuration: Any) -> None:
    from transformers import AutoModelForCausalLM

    # What sees pictures is refused, even where the library would load it: blind is blind.
    if type(configuration) not in AutoModelForCausalLM._model_mapping or hasattr(configuration, "vision_config"):
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is no plain language model; the adapter blind takes "
            "what AutoModelForCausalLM loads and has no eyes (llama, qwen2, gpt2, ...)"
        )


def _check_chat(source: str, configuration: Any) -> None:
    from transformers import AutoModelForImageTextToText

    if configuration.model_type in _BLIP:
        raise WhatifError(f"checkpoint {source}: a {configuration.model_type!r} is for the adapter hf-blip")
    kinds = AutoModelForImageTextToText._model_mapping
    if type(configuration) not in kinds:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is no vision-language model; "
            "the adapter hf-chat takes what AutoModelForImageTextToText loads (llava, qwen2_5_vl, idefics3, ...)"
        )
    if configuration.is_encoder_decoder:
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is an encoder-decoder; the adapter hf-chat ranks "
            "options as they continue a prompt, which needs a decoder-only model"
        )


def device_of(name: str) -> Any:
    """The device of PyTorch. Raises WhatifError when it is not usable here."""
    import torch

    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise WhatifError(f"device {name}: not usable here ({first_line(error)}); `cpu` always is") from error
    if device.type == "meta":
        raise WhatifError("device meta: holds no weights, so nothing can be asked; `cpu` is always there")
    if device.type == "cpu":
        # Sums come out differently for another number of threads, and whatever runs at once is for Snakemake to say.
        torch.set_num_threads(1)
    return device
