"""Loads the checkpoint of a model from a folder, a GGUF file or the hub, and checks a folder for completeness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.verified import source_digest
from whatif.engine.errors import WhatifError
from whatif.engine.files.named_folders import named_path
from whatif.engine.language.prompts import wrapper
from whatif.engine.language.prompts.form import PLACE
from whatif.engine.params.checkpoints import HuggingFaceBlip, HuggingFaceChat, LocalCheckpoint
from whatif.models.local.faults import first_line
from whatif.models.local.gguf_files import alone, check_gguf, explained, gguf_file, set_ends
from whatif.models.local.image_sizes import check_picture_size
from whatif.models.local.libraries import TRANSFORMERS, import_libraries
from whatif.models.local.lora import add_lora, check_lora, lora_folder
from whatif.models.local.model_kinds import check_blip, check_chat, check_text, is_language_model
from whatif.models.local.pixel_limits import limit_pixels
from whatif.models.local.placement import placement
from whatif.models.local.processors import load_image_processor, load_processor, load_tokenizer
from whatif.models.local.weight_files import check_files, holds_adapter

# Excluded from the key of stored answers: settings that change no answer, that are named in another way, or that the
# stored prompt and options already contain.
_WITHOUT_EFFECT = {
    *("name", "checkpoint", "lora", "revision", "device", "batch_size", "benchmarks", "limit", "multiple_choice")
}
# A null here would change the key of every answer that was stored before these settings existed.
_ONLY_WHEN_SET = ("system", "device_map", "quantization", "min_pixels", "max_pixels", "prompt", "reasoning")


def load_chat_model(settings: HuggingFaceChat) -> tuple[Any, Any]:
    """The vision-language chat model, in evaluation mode on its device, and its processor.

    A folder is read without network access; any other name is a hub id. No code of a checkpoint is run: weights come
    from safetensors files only (or from a GGUF file, see `load_text_model`), because pickled weights can run code, and
    custom code is refused.

    Raises WhatifError when the folder is missing or incomplete, when a revision is given for a folder, when the
    checkpoint is not a vision-language model or has no chat template, when its processor cannot respect the limits of
    the settings, when the hub does not have the name, and when the device is missing or too small.
    """
    model, processor = load_checkpoint(settings, "AutoModelForImageTextToText", check_chat, load_processor)
    if getattr(processor, "chat_template", None) is None:
        raise WhatifError(
            f"checkpoint {settings.checkpoint}: has no chat template (chat_template.jinja, or `chat_template` in "
            "processor_config.json); the adapter hf-chat needs one"
        )
    limit_pixels(settings, processor)
    return model, processor


def load_blip_model(settings: HuggingFaceBlip) -> tuple[Any, Any]:
    """A BLIP-2 or InstructBLIP and its processor, as `load_chat_model` does. Raises as it does."""
    model, processor = load_checkpoint(settings, "AutoModelForImageTextToText", check_blip, load_processor)
    if processor.num_query_tokens is None:  # in older checkpoints, whose processor did not insert image tokens
        processor.num_query_tokens = model.config.num_query_tokens
    return model, processor


def load_text_model(settings: LocalCheckpoint) -> tuple[Any, Any]:
    """A decoder-only language model and its tokeniser, as `load_chat_model` does, also from a GGUF file.

    Raises WhatifError as `load_chat_model` does, and as `check_gguf`.
    """
    return load_checkpoint(settings, "AutoModelForCausalLM", check_text, load_tokenizer)


def identity(settings: LocalCheckpoint, version: int, configuration: Any) -> dict[str, Any]:
    """The key, beside the question, of the stored answers of a checkpoint that was loaded with this configuration.

    A hub checkpoint is identified by the commit that was loaded, a folder, a GGUF file or a LoRA by the digest of its
    bytes, independent of its path. Device and batch size are excluded: they change the time, not the answer.
    """
    files = gguf_file(settings.checkpoint) or folder_of(settings.checkpoint)
    unset = {name for name in _ONLY_WHEN_SET if getattr(settings, name, None) is None}
    asked = settings.model_dump(mode="json", exclude=_WITHOUT_EFFECT | unset | {"decoding"})
    if asked.get("several_images") == "in place":  # an addition, too: what was sent before is sent now
        del asked["several_images"]
    if "prompt" in asked:
        asked["prompt"] = wrapper(asked["prompt"])  # what a form stands for, not its name
        if asked["prompt"] == PLACE and isinstance(settings, HuggingFaceChat):  # nothing is around the question
            del asked["prompt"]
    if (reasoning := getattr(settings, "reasoning", None)) is not None:
        asked["reasoning"] = reasoning.identity
    decoding = getattr(settings, "decoding", None)
    if decoding is not None and decoding.identity is not None:
        asked["decoding"] = decoding.identity
    if (lora := getattr(settings, "lora", None)) is not None:
        asked["lora"] = source_digest(lora_folder(lora))
    if files is not None:
        return {**asked, "version": version, "files": source_digest(files)}
    revision = getattr(configuration, "_commit_hash", None) or settings.revision
    return {**asked, "version": version, "checkpoint": settings.checkpoint, "revision": revision}


@dataclass(frozen=True)
class _Source:
    """Where a checkpoint is loaded from.

    `name` names it in errors, `place` is what the libraries take: a folder or a hub id. `options` are the arguments of
    all their `from_pretrained`, and `of_model` further ones of a model, for a GGUF file.
    """

    name: str
    place: str
    options: dict[str, Any]
    of_model: dict[str, Any] = field(default_factory=dict)


def load_checkpoint(
    settings: LocalCheckpoint,
    kind: str | Mapping[str, str],
    check: Callable[[str, Any], None],
    load_reader: Callable[[str, str, dict[str, Any]], Any],
) -> tuple[Any, Any]:
    """The model, and the processor or tokeniser that reads its inputs.

    `kind` names the class of transformers that loads it, or one for each model type; `check` is called with the source
    and the configuration and rejects unsuitable checkpoints. A GGUF file is loaded with a tokeniser only.
    The adapter of the setting `lora` is added to the model.
    Raises WhatifError as `load_chat_model` and `load_text_model` do, and as `check_lora` and `add_lora`.
    """
    file = gguf_file(settings.checkpoint) if load_reader is load_tokenizer else None
    if file is None:
        source, folder = source_of(settings)
        if folder is not None:
            pictures, texts = load_reader is not load_tokenizer, load_reader is not load_image_processor
            check_files(folder, pictures=pictures, texts=texts)
        import_libraries(TRANSFORMERS)
        options: dict[str, Any] = {"local_files_only": folder is not None}
        if settings.revision is not None:
            options["revision"] = settings.revision
        return _loaded(settings, _Source(source, source, options), kind, check, load_reader)
    header = check_gguf(file, settings)
    import_libraries(TRANSFORMERS)
    with alone(file) as (place, named, of_model):
        options = {"local_files_only": True, **named}
        try:
            model, reader = _loaded(settings, _Source(str(file), place, options, of_model), kind, check, load_reader)
        except WhatifError as error:
            raise explained(error, file, place) from error
    set_ends(model, header)
    return model, reader


def _loaded(
    settings: LocalCheckpoint,
    source: _Source,
    kind: str | Mapping[str, str],
    check: Callable[[str, Any], None],
    load_reader: Callable[[str, str, dict[str, Any]], Any],
) -> tuple[Any, Any]:
    lora = getattr(settings, "lora", None)
    adapter = None if lora is None else check_lora(lora)
    import transformers

    device = device_of(settings.device)
    placed = placement(settings, device)
    try:
        # The library declares a single return value; with the loading report it is a pair.
        configurations: Any = transformers.AutoConfig
        configuration = configurations.from_pretrained(source.place, trust_remote_code=False, **source.options)
        check(source.name, configuration)
        utils: Any = transformers.utils
        if utils.find_adapter_config_file(
            source.place, revision=settings.revision, local_files_only=source.options["local_files_only"]
        ):
            raise holds_adapter(source.name)
        reader = load_reader(source.place, configuration.model_type, source.options)
        check_picture_size(source.name, configuration, reader)
        name = kind if isinstance(kind, str) else kind[configuration.model_type]
        known = {"config": configuration} if source.of_model else {}  # of a GGUF file, which takes seconds to read
        model, report = getattr(transformers, name).from_pretrained(
            source.place,
            dtype=settings.dtype,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
            **placed,
            **source.options,
            **source.of_model,
            **known,
        )
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source.name, error) from error
    if missing := sorted(report["missing_keys"]):
        # The library would initialise them at random with only a warning: the answers would be noise.
        raise WhatifError(f"checkpoint {source.name}: its files lack {len(missing)} weights, first {missing[0]}")
    if adapter is not None:
        add_lora(model, adapter)
    if placed:
        return model.eval(), reader
    try:
        return model.to(device).eval(), reader
    except (RuntimeError, MemoryError) as error:
        raise WhatifError(f"checkpoint {source.name}: cannot be put on {device}: {first_line(error)}") from error


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


def language_model_type(settings: LocalCheckpoint) -> str | None:
    """The type of the model if a checkpoint is a language model without images and can be read; otherwise None.

    Raises WhatifError when the folder or the GGUF file does not exist, and as `check_gguf`.
    """
    if (file := gguf_file(settings.checkpoint)) is not None:
        return check_gguf(file, settings).architecture  # such a file has the language model alone
    source, folder = source_of(settings)
    options: dict[str, Any] = {} if settings.revision is None else {"revision": settings.revision}
    import_libraries(TRANSFORMERS)
    import transformers

    try:
        configurations: Any = transformers.AutoConfig
        configuration = configurations.from_pretrained(
            source, trust_remote_code=False, local_files_only=folder is not None, **options
        )
    except Exception:  # whoever loads the checkpoint says what is wrong with it
        return None
    return str(configuration.model_type) if is_language_model(configuration) else None


def folder_of(checkpoint: str) -> Path | None:
    """The folder that `checkpoint` names, or None for a hub id.

    See `whatif.engine.files.named_folders` for names that are not paths. Raises WhatifError when the folder does not
    exist.
    """
    path = named_path(checkpoint)
    if path.is_dir():
        return path
    if path.exists():
        gguf = "; GGUF files are for language models (adapters blind and hf-chat)" if gguf_file(checkpoint) else ""
        raise WhatifError(f"checkpoint {checkpoint}: is a file; give the folder that holds config.json{gguf}")
    if checkpoint.startswith(("/", "~", ".")) or checkpoint.count("/") != 1:
        raise WhatifError(
            f"checkpoint {checkpoint}: no such folder; give a folder that holds config.json, "
            "or a hub id such as llava-hf/llava-1.5-7b-hf"
        )
    return None


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
