"""Loads a text-to-image diffusion pipeline from a folder or from the hub."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whatif.engine.artifacts.verified import source_digest
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import DiffusionCheckpoint
from whatif.models.local.checkpoints import device_of, folder_of, load_error, source_of
from whatif.models.local.faults import first_line
from whatif.models.local.libraries import DIFFUSERS, TRANSFORMERS, import_libraries
from whatif.models.local.pipeline_parts import INDEX, check_files, commit_of, load_part, no_index, quiet, read_index

_CLASS = "StableDiffusionPipeline"
_TEXT_ENCODER = "CLIPTextModel"
# Part of a pipeline -> its configuration, and whether it has weights.
_PARTS = {
    "unet": ("config.json", True),
    "vae": ("config.json", True),
    "text_encoder": ("config.json", True),
    "tokenizer": ("tokenizer_config.json", False),
    "scheduler": ("scheduler_config.json", False),
}
_SCHEDULER = re.compile(r"diffusers\.\w+Scheduler")  # the scheduler of the checkpoint
_SCHEDULERS = {
    "ddim": "DDIMScheduler",
    "dpm-solver++": "DPMSolverMultistepScheduler",
    "euler-ancestral": "EulerAncestralDiscreteScheduler",
}
# Part -> the library and the classes that may be loaded; an unchecked index could import any module.
_CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "unet": ("diffusers", ("UNet2DConditionModel",)),
    "vae": ("diffusers", ("AutoencoderKL", "AutoencoderTiny")),
    "text_encoder": ("transformers", (_TEXT_ENCODER,)),
    "tokenizer": (
        "transformers",
        ("CLIPTokenizer", "CLIPTokenizerFast", "PreTrainedTokenizerFast", "TokenizersBackend"),
    ),
}


def load_pipeline(settings: DiffusionCheckpoint) -> Any:
    """The StableDiffusionPipeline of a checkpoint, on its device, without its safety checker.

    A folder is read without network access, and weights come from safetensors files only.

    Raises WhatifError, naming the file, when the folder or one of its files is missing, when a file is truncated or
    lacks a weight, when the checkpoint is another kind of pipeline or cannot be loaded, and when the device is missing
    or too small. The same holds for the autoencoder that the setting `vae` names.
    """
    import_libraries(TRANSFORMERS, DIFFUSERS)
    import diffusers
    import torch

    quiet()
    source, folder = source_of(settings)
    if folder is not None:
        _check_index(str(folder / INDEX), read_index(folder))
        check_files(folder, _PARTS)
    device = device_of(settings.device)
    options = {
        "dtype": getattr(torch, settings.dtype),
        "revision": settings.revision,
        "use_safetensors": True,
        "local_files_only": folder is not None,
    }
    try:
        pipeline_class = getattr(diffusers, _CLASS)
        hub = {name: options[name] for name in ("revision", "local_files_only")}
        told = pipeline_class.load_config(source, **hub)
        _check_index(f"{source}/{INDEX}", told)
        pipeline = pipeline_class.from_pretrained(
            source,
            **{part: load_part(source, part, ".".join(told[part]), options) for part in ("unet", "text_encoder")},
            vae=_autoencoder(settings.vae, options)
            if settings.vae is not None
            else load_part(source, "vae", ".".join(told["vae"]), options),
            # The safety checker and parts for image prompts are left out.
            **dict.fromkeys(("safety_checker", "feature_extractor", "image_encoder")),
            requires_safety_checker=False,
            trust_remote_code=False,
            **options,
        )
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source, error) from error
    _check_sizes(source, pipeline)
    pipeline.set_progress_bar_config(disable=True)
    if settings.scheduler is not None:
        # Keeps the checkpoint's own noise schedule, which its denoiser was trained with.
        pipeline.scheduler = getattr(diffusers, _SCHEDULERS[settings.scheduler]).from_config(pipeline.scheduler.config)
    try:
        return pipeline.to(device)
    except (RuntimeError, MemoryError) as error:
        raise WhatifError(f"checkpoint {source}: cannot be put on {device}: {first_line(error)}") from error


def identity(settings: DiffusionCheckpoint, pipeline: Any) -> dict[str, Any]:
    """The identity of a checkpoint under which its images are stored, without the settings of a request.

    As in `whatif.models.local.checkpoints.identity`: a folder by the digest of its files, independent of its path; a
    hub checkpoint by the commit that `pipeline` was loaded from. Device and batch size are not part of it. The
    pipeline is not needed if `is_local`.
    """
    folder = folder_of(settings.checkpoint)
    how: dict[str, Any] = {
        "dtype": settings.dtype,
        "scheduler": settings.scheduler,
        "cross_attention": settings.cross_attention,
    }
    if settings.shared_start:  # only if set, so that earlier stored results stay valid
        how["shared_start"] = settings.shared_start
    if settings.vae is not None:
        place = folder_of(settings.vae)
        how["vae"] = source_digest(place) if place else [settings.vae, commit_of(pipeline.vae, None)]
    if folder is not None:
        return {"files": source_digest(folder), **how}
    commit = commit_of(pipeline.unet, settings.revision)
    return {"checkpoint": settings.checkpoint, "revision": commit, **how}


def is_local(settings: DiffusionCheckpoint) -> bool:
    """Whether all weights come from folders."""
    return all(folder_of(name) is not None for name in (settings.checkpoint, settings.vae) if name is not None)


def _autoencoder(name: str, options: Mapping[str, Any]) -> Any:
    """An autoencoder that is a checkpoint of its own, in place of that of the pipeline."""
    import diffusers

    folder = folder_of(name)
    source = name if folder is None else str(folder)
    if folder is not None:
        check_files(folder, {".": ("config.json", True)})
    own = {**options, "revision": None, "local_files_only": folder is not None}
    try:
        told = diffusers.AutoencoderKL.load_config(source, local_files_only=folder is not None)
        library, classes = _CLASSES["vae"]
        if told.get("_class_name") not in classes:
            raise WhatifError(
                f"checkpoint {source}: is a {told.get('_class_name')!r}; as vae it must be a {' or '.join(classes)}"
            )
        return load_part(source, "", f"{library}.{told['_class_name']}", own)
    except WhatifError:
        raise
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source, error) from error


def _check_index(index: str, told: Any) -> None:
    """Raises WhatifError when an index names unexpected classes, whose loading could run other code."""
    try:
        kind, parts = told["_class_name"], {part: tuple(told[part]) for part in (*_CLASSES, "scheduler")}
    except (KeyError, TypeError) as error:
        raise no_index(index, error) from error
    if kind != _CLASS:
        raise WhatifError(f"checkpoint {index.removesuffix(f'/{INDEX}')}: is a {kind!r}; it must be a {_CLASS}")
    for part, (library, classes) in _CLASSES.items():
        if parts[part] not in [(library, name) for name in classes]:
            found = ".".join(map(str, parts[part]))
            raise WhatifError(
                f"checkpoint {index}: its {part} is a {found!r}; it must be a {library}.{' or '.join(classes)}"
            )
    scheduler = ".".join(map(str, parts["scheduler"]))
    if not _SCHEDULER.fullmatch(scheduler):
        raise WhatifError(f"checkpoint {index}: its scheduler is a {scheduler!r}; it must be a scheduler of diffusers")


def _check_sizes(source: str, pipeline: Any) -> None:
    place = f"checkpoint {source}/unet/config.json"
    if pipeline.unet.config.sample_size is None:
        raise WhatifError(f"{place}: has no sample_size, so the size of its images is unknown")
    channels = {"in_channels": pipeline.unet.config.in_channels, "out_channels": pipeline.unet.config.out_channels}
    for name, number in channels.items():
        if number != pipeline.vae.config.latent_channels:
            raise WhatifError(
                f"{place}: has {name} {number}, its vae has latent_channels {pipeline.vae.config.latent_channels}; "
                "it must be a plain text-to-image checkpoint"
            )
    told, width = pipeline.unet.config.cross_attention_dim, pipeline.text_encoder.config.hidden_size
    if isinstance(told, int) and told != width:
        raise WhatifError(f"{place}: has cross_attention_dim {told}, its text_encoder gives {width}")
