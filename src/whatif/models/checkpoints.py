"""Loads a vision-language chat checkpoint from a folder or from the hub, and says what a folder lacks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.params import HuggingFaceChat

_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json")


def load_chat_model(settings: HuggingFaceChat) -> tuple[Any, Any]:
    """The model, in evaluation mode on its device, and its processor.

    A folder is read without a look at the network; any other name is taken as a hub id. Weights come from
    safetensors files only: other formats can run code when they are read.

    Raises WhatifError when the folder is missing or lacks a file, when the checkpoint is no vision-language model
    or has no chat template, when the hub has no such name, and when the device is not there.
    """
    folder = _folder(settings.checkpoint)
    if folder is not None:
        _check_files(folder)
    device = _device(settings.device)
    source = settings.checkpoint if folder is None else str(folder)
    options: dict[str, Any] = {"local_files_only": folder is not None}
    if folder is None and settings.revision is not None:
        options["revision"] = settings.revision
    try:
        model, processor, missing = _load(source, settings.dtype, options)
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise errors of a dozen kinds, all of them about this checkpoint
        raise WhatifError(f"checkpoint {source}: cannot be loaded: {_one_line(error)}") from error
    if missing:
        # The library would draw them at random and only warn: the answers would be noise.
        raise WhatifError(f"checkpoint {source}: its files lack {len(missing)} weights, first {missing[0]}")
    if getattr(processor, "chat_template", None) is None:
        raise WhatifError(
            f"checkpoint {source}: has no chat template (chat_template.jinja, or `chat_template` in "
            "processor_config.json); the adapter hf-chat needs one"
        )
    return model.to(device).eval(), processor


def _load(source: str, dtype: str, options: dict[str, Any]) -> tuple[Any, Any, list[str]]:
    """The model, its processor, and the names of weights that its files lack."""
    import torch
    import transformers

    # The library types these as returning one thing only; with the loading report it is a pair.
    configurations: Any = transformers.AutoConfig
    processors: Any = transformers.AutoProcessor
    models: Any = transformers.AutoModelForImageTextToText
    _check_kind(source, configurations.from_pretrained(source, **options))
    processor = processors.from_pretrained(source, **options)
    model, report = models.from_pretrained(
        source, dtype=getattr(torch, dtype), use_safetensors=True, output_loading_info=True, **options
    )
    return model, processor, sorted(report["missing_keys"])


def _folder(checkpoint: str) -> Path | None:
    """The folder that `checkpoint` names, or None for a hub id."""
    path = Path(checkpoint).expanduser()
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


def _check_files(folder: Path) -> None:
    needed = [("config.json", ("config.json",)), ("a processor", _PROCESSOR_FILES), ("a tokeniser", _TOKENIZER_FILES)]
    for what, names in needed:
        if not any((folder / name).is_file() for name in names):
            raise WhatifError(f"checkpoint {folder}: lacks {what} ({' or '.join(names)})")
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        if not (folder / "model.safetensors").is_file():
            raise WhatifError(f"checkpoint {folder}: lacks weights (model.safetensors, or its parts and their index)")
        return
    try:
        parts = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, KeyError, AttributeError) as error:
        raise WhatifError(f"checkpoint {index}: is no index of weights: {_one_line(error)}") from error
    lost = [part for part in parts if not (folder / part).is_file()]
    if lost:
        raise WhatifError(f"checkpoint {folder}: lacks {len(lost)} of {len(parts)} weight files, first {lost[0]}")


def _check_kind(source: str, configuration: Any) -> None:
    from transformers import AutoModelForImageTextToText

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


def _device(name: str) -> Any:
    import torch

    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise WhatifError(f"device {name}: not usable here ({_one_line(error)}); `cpu` always is") from error
    if device.type == "cpu":
        # Sums come out differently for another number of threads, and whatever runs at once is for Snakemake to say.
        torch.set_num_threads(1)
    return device


def _one_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
