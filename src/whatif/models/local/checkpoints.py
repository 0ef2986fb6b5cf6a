"""Loads the checkpoint of a model from a folder or from the hub, and checks a folder for completeness."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.verified import source_digest
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.named_folders import named_path
from whatif.engine.language.prompts import wrapper
from whatif.engine.language.prompts.form import PLACE
from whatif.engine.params.checkpoints import BlindTextModel, HuggingFaceBlip, HuggingFaceChat, LocalCheckpoint
from whatif.models.local.faults import first_line
from whatif.models.local.image_sizes import check_picture_size
from whatif.models.local.libraries import TRANSFORMERS, import_libraries
from whatif.models.local.pixel_limits import limit_pixels
from whatif.models.local.placement import placement
from whatif.models.local.processors import load_image_processor, load_processor, load_tokenizer
from whatif.models.local.weight_files import check_layers, check_weights

_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")
_BLIP = ("blip-2", "instructblip")
# Excluded from the key of stored answers: settings that change no answer, that are named in another way, or that the
# stored prompt and options already contain.
_WITHOUT_EFFECT = {"name", "checkpoint", "revision", "device", "batch_size", "benchmarks", "limit", "multiple_choice"}
# A null here would change the key of every answer that was stored before these settings existed.
_ONLY_WHEN_SET = ("system", "device_map", "quantization", "min_pixels", "max_pixels", "prompt")
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json")


def load_chat_model(settings: HuggingFaceChat) -> tuple[Any, Any]:
    """The vision-language chat model, in evaluation mode on its device, and its processor.

    A folder is read without network access; any other name is a hub id. No code of a checkpoint is run: weights come
    from safetensors files only, because pickled weights can run code, and custom code is refused.

    Raises WhatifError when the folder is missing or incomplete, when a revision is given for a folder, when the
    checkpoint is not a vision-language model or has no chat template, when its processor cannot respect the limits of
    the settings, when the hub does not have the name, and when the device is missing or too small.
    """
    model, processor = load_checkpoint(settings, "AutoModelForImageTextToText", _check_chat, load_processor)
    if getattr(processor, "chat_template", None) is None:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: has no chat template (chat_template.jinja, or `chat_template` in "
            "processor_config.json); the adapter hf-chat needs one"
        )
    limit_pixels(settings, processor)
    return model, processor


def load_blip_model(settings: HuggingFaceBlip) -> tuple[Any, Any]:
    """A BLIP-2 or InstructBLIP and its processor, as `load_chat_model` does. Raises as it does."""
    model, processor = load_checkpoint(settings, "AutoModelForImageTextToText", _check_blip, load_processor)
    if processor.num_query_tokens is None:  # in older checkpoints, whose processor did not insert image tokens
        processor.num_query_tokens = model.config.num_query_tokens
    return model, processor


def load_text_model(settings: BlindTextModel) -> tuple[Any, Any]:
    """A decoder-only language model and its tokeniser, as `load_chat_model` does. Raises as it does."""
    return load_checkpoint(settings, "AutoModelForCausalLM", _check_text, load_tokenizer)


def identity(settings: LocalCheckpoint, version: int, configuration: Any) -> dict[str, Any]:
    """The key, beside the question, of the stored answers of a checkpoint that was loaded with this configuration.

    A hub checkpoint is identified by the commit that was loaded, a folder by the digest of its files, independent of
    its path. Device and batch size are excluded: they change the time, not the answer.
    """
    folder = folder_of(settings.checkpoint)
    unset = {name for name in _ONLY_WHEN_SET if getattr(settings, name, None) is None}
    asked = settings.model_dump(mode="json", exclude=_WITHOUT_EFFECT | unset | {"decoding"})
    if asked.get("several_images") == "in place":  # an addition, too: what was sent before is sent now
        del asked["several_images"]
    if "prompt" in asked:
        asked["prompt"] = wrapper(asked["prompt"])  # what a form stands for, not its name
        if asked["prompt"] == PLACE and isinstance(settings, HuggingFaceChat):  # nothing is around the question
            del asked["prompt"]
    decoding = getattr(settings, "decoding", None)
    if decoding is not None and decoding.identity is not None:
        asked["decoding"] = decoding.identity
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
    """The model, and the processor or tokeniser that reads its inputs.

    `kind` names the class of transformers that loads it, or one for each model type; `check` is called with the source
    and the configuration and rejects unsuitable checkpoints. Raises WhatifError as `load_chat_model` does.
    """
    source, folder = source_of(settings)
    if folder is not None:
        _check_files(folder, pictures=load_reader is not load_tokenizer, texts=load_reader is not load_image_processor)
    import_libraries(TRANSFORMERS)
    import transformers

    device = device_of(settings.device)
    placed = placement(settings, device)
    options: dict[str, Any] = {"local_files_only": folder is not None}
    if settings.revision is not None:
        options["revision"] = settings.revision
    try:
        # The library declares a single return value; with the loading report it is a pair.
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
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source, error) from error
    if missing := sorted(report["missing_keys"]):
        # The library would initialise them at random with only a warning: the answers would be noise.
        raise WhatifError(f"checkpoint {source}: its files lack {len(missing)} weights, first {missing[0]}")
    if placed:
        return model.eval(), reader
    try:
        return model.to(device).eval(), reader
    except (RuntimeError, MemoryError) as error:
        raise WhatifError(f"checkpoint {source}: cannot be put on {device}: {first_line(error)}") from error


def load_error(source: str, error: Exception) -> WhatifError:
    """The error to raise for a checkpoint that the libraries cannot load."""
    if "trust_remote_code" in str(error):  # all libraries name this option if a checkpoint has custom code
        return WhatifError(
            f"checkpoint {source}: needs its own Python code (`auto_map` or a module outside the libraries), which "
            "whatif never runs; use a checkpoint whose architecture is built into transformers or diffusers"
        )
    return WhatifError(f"checkpoint {source}: cannot be loaded: {first_line(error)}")


def source_of(settings: LocalCheckpoint) -> tuple[str, Path | None]:
    """The source for the libraries, a hub id or the path of a folder, and the folder, or None for a hub id.

    Raises WhatifError when the folder does not exist, or when a revision is given for a folder.
    """
    folder = folder_of(settings.checkpoint)
    if folder is None:
        return settings.checkpoint, None
    if settings.revision is not None:
        raise WhatifError(
            f"checkpoint {folder}: is a folder, which has no revisions; remove `revision` ({settings.revision})"
        )
    return str(folder), folder


def folder_of(checkpoint: str) -> Path | None:
    """The folder that `checkpoint` names, or None for a hub id.

    See `whatif.engine.files.named_folders` for names that are not paths. Raises WhatifError when the folder does not
    exist.
    """
    path = named_path(checkpoint)
    if path.is_dir():
        return path
    if path.exists():
        raise WhatifError(f"checkpoint {checkpoint}: is a file; give the folder that holds config.json")
    if checkpoint.startswith(("/", "~", ".")) or checkpoint.count("/") != 1:
        raise WhatifError(
            f"checkpoint {checkpoint}: no such folder; give a folder that holds config.json, "
            "or a hub id such as llava-hf/llava-1.5-7b-hf"
        )
    return None


def _check_files(folder: Path, *, pictures: bool, texts: bool) -> None:
    needed: list[tuple[str, tuple[str, ...]]] = [("config.json", ("config.json",))]
    if pictures:
        needed.append(("a processor", _PROCESSOR_FILES))
    if texts:
        needed.append(("a tokeniser", _TOKENIZER_FILES))
    for what, names in needed:
        if not any((folder / name).is_file() for name in names):
            raise WhatifError(f"checkpoint {folder}: lacks {what} ({' or '.join(names)})")
    index = folder / "model.safetensors.index.json"
    if not index.is_file():
        if not (folder / "model.safetensors").is_file():
            raise WhatifError(f"checkpoint {folder}: lacks weights (model.safetensors, or its parts and their index)")
        check_layers(folder / "config.json", check_weights(folder / "model.safetensors"))
        return
    try:
        content = json.loads(read_bytes(index))
        named = set(content["weight_map"].values())
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise WhatifError(f"checkpoint {index}: is not an index of weights: {first_line(error)}") from error
    odd = [part for part in named if not isinstance(part, str) or not part or Path(part).name != part]
    if odd or not named:
        raise WhatifError(
            f"checkpoint {index}: names {f'{odd[0]!r:.60}' if odd else 'nothing'} as a file of weights; "
            "each must be the name of a .safetensors file beside it"
        )
    parts = sorted(named)
    lost = [part for part in parts if not (folder / part).is_file()]
    if lost:
        raise WhatifError(f"checkpoint {folder}: lacks {len(lost)} of {len(parts)} weight files, first {lost[0]}")
    if not isinstance(content.get("metadata"), dict):  # the library reads it
        raise WhatifError(f'checkpoint {index}: lacks `metadata`; add `"metadata": {{}}` beside `weight_map`')
    check_layers(folder / "config.json", sum(check_weights(folder / part) for part in parts))


def _check_blip(source: str, configuration: Any) -> None:
    if configuration.model_type not in _BLIP:
        raise WhatifError(
            f"checkpoint {source}: is a {configuration.model_type!r}; the adapter hf-blip takes {' and '.join(_BLIP)}"
        )


def _check_text(source: str, configuration: Any) -> None:
    from transformers import AutoModelForCausalLM

    # Models that see images are rejected, even where the library would load them: the baseline must be blind.
    if type(configuration) not in AutoModelForCausalLM._model_mapping or hasattr(configuration, "vision_config"):
        raise WhatifError(
            f"checkpoint {source}: a {configuration.model_type!r} is not a text-only language model; the adapter blind "
            "takes what AutoModelForCausalLM loads and has no image input (llama, qwen2, gpt2, ...)"
        )


def _check_chat(source: str, configuration: Any) -> None:
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


def device_of(name: str) -> Any:
    """The PyTorch device. Raises WhatifError when it cannot be used here."""
    import torch

    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise WhatifError(f"device {name}: not usable here ({first_line(error)}); `cpu` always is") from error
    if device.type == "meta":
        raise WhatifError("device meta: has no weights; use `cpu`")
    if device.type == "cpu":
        # Sums differ for another number of threads, and Snakemake decides what runs at the same time.
        torch.set_num_threads(1)
    return device
