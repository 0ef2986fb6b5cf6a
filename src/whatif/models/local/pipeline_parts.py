"""Reads and loads the parts of a diffusion pipeline: its index, its files, and models without missing weights."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.models.local.faults import first_line
from whatif.models.local.weight_files import check_layers, check_weights

INDEX = "model_index.json"
_LIBRARIES = ("diffusers", "transformers")


def quiet() -> None:
    """Hides the progress bars of diffusers, unless standard error is a terminal: log files stay short."""
    import diffusers

    if not sys.stderr.isatty():
        diffusers.utils.logging.disable_progress_bar()


def read_index(folder: Path) -> Any:
    """The index of the pipeline in a folder. Raises WhatifError when it is missing or is not JSON."""
    index = folder / INDEX
    if not index.is_file():
        raise WhatifError(f"checkpoint {folder}: lacks {INDEX}, which names the parts of a diffusion pipeline")
    try:
        return json.loads(index.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise no_index(str(index), error) from error


def no_index(index: str, error: Exception) -> WhatifError:
    """The error to raise for a file that is not the index of a pipeline."""
    return WhatifError(f"checkpoint {index}: is not a pipeline index: {first_line(error)}")


def check_files(folder: Path, parts: Mapping[str, tuple[str, bool]]) -> None:
    """Checks the files of each part: name -> its configuration file, and whether it has weights.

    Raises WhatifError, naming the file, when one is missing or truncated. Weights must be safetensors files.
    """
    for part, (configuration, has_weights) in parts.items():
        if not (folder / part / configuration).is_file():
            raise WhatifError(f"checkpoint {folder / part}: lacks {configuration}")
        if has_weights:
            weights = [path for path in (folder / part).glob("*.safetensors*") if path.is_file()]
            if not weights:
                raise WhatifError(f"checkpoint {folder / part}: lacks weights (a .safetensors file)")
            files = [path for path in sorted(weights) if path.suffix == ".safetensors"]
            check_layers(folder / part / configuration, sum(check_weights(path) for path in files))


def load_part(source: str, part: str, kind: str, options: Mapping[str, Any], low_memory: bool = False) -> Any:
    """Loads a model separately, because a pipeline would silently initialise missing weights at random.

    `kind` is a class that the caller has checked, as `diffusers.NAME` or `transformers.NAME`. With `low_memory` a model
    of diffusers is not initialised before its weights are read, if `accelerate` is installed.

    Raises WhatifError when a weight is missing, ValueError for another library, and what the library raises.
    """
    library, _, name = kind.partition(".")
    if library not in _LIBRARIES:
        raise ValueError(f"{kind}: parts are loaded by {' or '.join(_LIBRARIES)}")
    from importlib.util import find_spec

    # diffusers warns about its own default where `accelerate` is not installed.
    low = low_memory and find_spec("accelerate") is not None
    own = {"low_cpu_mem_usage": low} if library == "diffusers" else {}
    model, report = getattr(importlib.import_module(library), name).from_pretrained(
        source, subfolder=part, output_loading_info=True, trust_remote_code=False, **own, **options
    )
    if missing := sorted(report["missing_keys"]):
        raise WhatifError(f"checkpoint {source}/{part}: its files lack {len(missing)} weights, first {missing[0]}")
    return model


def commit_of(part: Any, revision: str | None) -> str | None:
    """The commit of the hub that a model of diffusers was loaded from; `revision` if it is unknown."""
    # The hub's cache has a folder for each commit: .../snapshots/<commit>/unet
    places = Path(str(part.config._name_or_path)).parts
    return places[places.index("snapshots") + 1] if "snapshots" in places[:-1] else revision
