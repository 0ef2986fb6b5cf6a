"""Loads a text-to-image pipeline of diffusers by its own class, from a folder or from the hub."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from whatif.engine.artifacts.verified import source_digest
from whatif.engine.errors import WhatifError
from whatif.engine.params.generators import DiffusersGenerator
from whatif.models.local.checkpoints import device_of, folder_of, load_error, source_of
from whatif.models.local.faults import first_line
from whatif.models.local.libraries import DIFFUSERS, TRANSFORMERS, import_libraries
from whatif.models.local.pipeline_parts import INDEX, check_files, commit_of, load_part, no_index, quiet, read_index

_DENOISERS = ("unet", "transformer")
_MODELS = (*_DENOISERS, "vae", "movq", "text_encoder", "text_encoder_2", "text_encoder_3")
TOKENIZERS = ("tokenizer", "tokenizer_2", "tokenizer_3")
# For image prompts, and for the check of finished images: never loaded.
_LEFT_OUT = ("safety_checker", "feature_extractor", "image_encoder")
_PARTS = (*_MODELS, *TOKENIZERS, "scheduler")
# Arguments of a pipeline that are no parts.
_OPTIONS = ("requires_safety_checker", "force_zeros_for_empty_prompt", "add_watermarker", "is_distilled")
_MAY_LACK = ("text_encoder_3", "tokenizer_3")  # of Stable Diffusion 3: its third text encoder is optional
_NEEDED = ("prompt", "generator", "num_inference_steps", "guidance_scale", "height", "width", "output_type")
_CONDITIONS = ("image", "images", "control_image", "mask_image")  # arguments of pipelines that start from an image


def load_text_to_image(settings: DiffusersGenerator) -> Any:
    """The pipeline of a checkpoint, of the class that its model_index.json names, on its device.

    A folder is read without network access, weights come from safetensors files only, and no code of a checkpoint is
    run: the class must be one of the text-to-image pipelines of diffusers, and each part a model, a tokeniser or a
    scheduler of diffusers or transformers, which is checked before anything is loaded. Safety checker and watermark
    are left out.

    Raises WhatifError, naming the file, when one is missing, truncated or lacks a weight, when the checkpoint is
    another kind of pipeline or cannot be loaded, when the settings have something that its class does not take, and
    when the device is missing or too small.
    """
    import_libraries(TRANSFORMERS, DIFFUSERS)
    import diffusers
    import torch

    quiet()
    source, folder = source_of(settings)
    index = f"{source}/{INDEX}"
    if folder is not None:
        told = read_index(folder)
        check_files(folder, {part: _files(part) for part in parts_of(index, told)})
    device = device_of(settings.device)
    hub = {"revision": settings.revision, "local_files_only": folder is not None}
    options = {"dtype": getattr(torch, settings.dtype), "use_safetensors": True, **hub}
    try:
        told = diffusers.DiffusionPipeline.load_config(source, **hub)
        parts = parts_of(index, told)
        kind = getattr(diffusers, told["_class_name"])
        _check_settings(index, kind, settings)
        models = {
            part: load_part(source, part, name, options, low_memory=True)
            for part, name in parts.items()
            if part in _MODELS
        }
        accepted = inspect.signature(kind.__init__).parameters
        without = {part: None for part in (*_LEFT_OUT, *_MAY_LACK) if part in accepted and part not in parts}
        switched_off = {name: False for name in ("requires_safety_checker", "add_watermarker") if name in accepted}
        pipeline = kind.from_pretrained(source, **models, **without, **switched_off, trust_remote_code=False, **options)
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source, error) from error
    pipeline.set_progress_bar_config(disable=True)
    try:
        return pipeline.to(device)
    except (RuntimeError, MemoryError) as error:
        raise WhatifError(f"checkpoint {source}: cannot be put on {device}: {first_line(error)}") from error


def parts_of(index: str, told: Any) -> dict[str, str]:
    """The parts that an index names, as part -> `library.Class`, without those that are never loaded.

    Raises WhatifError when the pipeline is no text-to-image pipeline of diffusers, and when a part is none of the
    classes that may be loaded: an unchecked index could import any module.
    """
    try:
        kind = _pipeline_class(index, str(told["_class_name"]))
        named = {part: value for part, value in told.items() if isinstance(value, list | tuple)}
    except (KeyError, TypeError, AttributeError) as error:
        raise no_index(index, error) from error
    expected = [part for part in inspect.signature(kind.__init__).parameters if part in _PARTS]
    found = {}
    for part in expected:
        library, name = (*named.pop(part, ()), None, None)[:2]
        if library is None and part in _MAY_LACK:
            continue
        found[part] = f"{library}.{name}"
        if not _is_allowed(part, library, name, kind):
            base = " or ".join(_annotated(part, kind)) if part in _DENOISERS else f"kind of {_base(part)[1]}"
            wanted = f"it must be a {base} of {_base(part)[0]}"
            raise WhatifError(f"checkpoint {index}: its {part} is a {found[part]!r}; {wanted}")
    if others := sorted(set(named) - set(_LEFT_OUT)):
        raise WhatifError(f"checkpoint {index}: names a part {others[0]!r}, which a {kind.__name__} does not have")
    return found


def text_to_image_classes() -> dict[str, Any]:
    """The pipelines of diffusers that draw an image from a text alone and have only known kinds of parts, by name."""
    from diffusers.pipelines.auto_pipeline import AUTO_TEXT2IMAGE_PIPELINES_MAPPING

    found = {}
    for kind in AUTO_TEXT2IMAGE_PIPELINES_MAPPING.values():
        call = inspect.signature(kind.__call__).parameters
        made_of = set(inspect.signature(kind.__init__).parameters) - {"self"}
        is_plain = made_of <= {*_PARTS, *_LEFT_OUT, *_OPTIONS} and made_of & set(_DENOISERS)
        if is_plain and all(name in call for name in _NEEDED) and not any(name in call for name in _CONDITIONS):
            found[kind.__name__] = kind
    return found


def identity(settings: DiffusersGenerator, pipeline: Any) -> dict[str, Any]:
    """The identity of a checkpoint under which its images are stored: a folder by its files, a hub id by its commit."""
    folder = folder_of(settings.checkpoint)
    if folder is not None:
        return {"files": source_digest(folder)}
    denoiser = next(part for name in _DENOISERS if (part := getattr(pipeline, name, None)) is not None)
    return {"checkpoint": settings.checkpoint, "revision": commit_of(denoiser, settings.revision)}


def _pipeline_class(index: str, name: str) -> Any:
    known = text_to_image_classes()
    if name not in known:
        raise WhatifError(
            f"checkpoint {index.removesuffix(f'/{INDEX}')}: is a {name!r}; it must be a text-to-image pipeline that "
            f"needs no image: {', '.join(sorted(known))}"
        )
    return known[name]


def _is_allowed(part: str, library: Any, name: Any, kind: Any) -> bool:
    its_library, base = _base(part)
    if library != its_library or not isinstance(name, str):
        return False
    module = importlib.import_module(its_library)
    found = getattr(module, name, None)
    is_kind = isinstance(found, type) and issubclass(found, getattr(module, base))
    return is_kind and (part not in _DENOISERS or name in _annotated(part, kind))


def _base(part: str) -> tuple[str, str]:
    """The library and the class that a part must inherit from."""
    if part in TOKENIZERS:
        return "transformers", "PreTrainedTokenizerBase"
    if part.startswith("text_encoder"):
        return "transformers", "PreTrainedModel"
    return "diffusers", "SchedulerMixin" if part == "scheduler" else "ModelMixin"


def _annotated(part: str, kind: Any) -> list[str]:
    """The names of the classes that a pipeline declares for a part."""
    declared = inspect.signature(kind.__init__, eval_str=True).parameters[part].annotation
    return [one.__name__ for one in getattr(declared, "__args__", (declared,)) if isinstance(one, type)]


def _files(part: str) -> tuple[str, bool]:
    if part in _MODELS:
        return "config.json", True
    return ("scheduler_config.json" if part == "scheduler" else "tokenizer_config.json"), False


def _check_settings(index: str, kind: Any, settings: DiffusersGenerator) -> None:
    accepted = inspect.signature(kind.__call__).parameters
    # A distilled model such as Flux ignores it unless a second scale of guidance is raised, which takes twice the time.
    second = accepted.get("true_cfg_scale")
    takes_none = "negative_prompt" not in accepted or (second is not None and second.default <= 1)
    if settings.negative_prompt is not None and takes_none:
        raise WhatifError(
            f"negative_prompt: a {kind.__name__} takes none; remove it from the settings of {settings.checkpoint}"
        )
