"""LoRA adapters in a loaded checkpoint: those that peft saved, which of them are taken, and new ones to be trained.

The weights stay beside those of the checkpoint, as in training: merged into weights of half precision or of a few bits,
they would be rounded. `base_model_name_or_path` of an adapter's settings is not read.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.files.inputs import read_bytes
from whatif.engine.files.named_folders import named_path
from whatif.engine.params.fine_tuning import LowRank
from whatif.models.local.faults import first_line
from whatif.models.local.weight_files import ADAPTER as SETTINGS
from whatif.models.local.weight_files import check_weights

WEIGHTS = "adapter_model.safetensors"
_PICKLED = "adapter_model.bin"
# Settings that may differ from peft's defaults: they name an adapter, or say which weights it has and how they count.
# Others (of mixtures of adapters, random weights, other layouts of the layers) need more than the weights in the file.
_TAKEN = {
    *("auto_mapping", "base_model_name_or_path", "inference_mode", "peft_type", "peft_version", "revision"),
    *("target_modules", "exclude_modules", "layers_to_transform", "layers_pattern", "modules_to_save", "task_type"),
    *("r", "lora_alpha", "rank_pattern", "alpha_pattern", "use_rslora", "use_dora", "fan_in_fan_out"),
    *("bias", "lora_bias", "trainable_token_indices"),
    # Of training alone.
    *("init_lora_weights", "lora_dropout", "loftq_config", "eva_config", "corda_config", "lora_ga_config"),
}
# Ways to begin a training that change the weights of the base, too.
_CHANGE_THE_BASE = ("pissa", "corda", "olora", "loftq", "lora_ga")
_MERGE = "merge it into a checkpoint (`merge_and_unload`), and give that as `checkpoint`"
_MISMATCH = re.compile(r"size mismatch for (\S+): .*?torch\.Size\((.*?)\).*?torch\.Size\((.*?)\)")


def lora_folder(name: str) -> Path:
    """The folder that the setting `lora` names. Raises WhatifError when it is none."""
    path = named_path(name)
    if not path.is_dir():
        raise WhatifError(
            f"lora {name}: no such folder; give the folder on this machine that holds {SETTINGS} (of the hub: "
            "`hf download`)"
        )
    return path


def check_lora(name: str) -> Path:
    """The folder of an adapter that can be added to a checkpoint, by what its files say. Its weights are not read.

    Raises WhatifError when peft is not installed, when a file is missing or damaged, and when it is not a LoRA that is
    the same whatever it was trained with.
    """
    folder = lora_folder(name)
    _told(folder)
    if not (folder / WEIGHTS).is_file():
        pickled = (
            f"; {_PICKLED} is not read, because it can run code: save it again with peft"
            * (folder / _PICKLED).is_file()
        )
        raise WhatifError(f"lora {folder}: lacks {WEIGHTS}{pickled}")
    check_weights(folder / WEIGHTS, "lora")
    if find_spec("peft") is None:
        raise WhatifError(f"lora {folder}: {how_to_install('peft')}")
    return folder


def add_lora(network: Any, folder: Path) -> None:
    """Adds the weights of an adapter to the layers of a loaded network, in place.

    Raises WhatifError when a setting of the adapter is not supported, when it is for another checkpoint, when a weight
    is missing or left over, and when parts of the network are not on the GPUs that the others are on.
    """
    places = {str(place) for place in getattr(network, "hf_device_map", {}).values()}
    if "disk" in places or ("cpu" in places and len(places) > 1):
        raise WhatifError(
            f"lora {folder}: a part of the checkpoint does not fit on the GPUs (device_map), and no LoRA can be added "
            "there; use a smaller dtype, or quantization"
        )
    try:
        with _quiet():
            from peft import LoraConfig, PeftModel

            told = _told(folder)
            kind: Any = LoraConfig
            settings = kind.from_peft_type(**told)
            _check_settings(folder, told, settings)
            settings.inference_mode = True
            settings.init_lora_weights = True  # to be replaced by those of the file
            adapted = PeftModel(network, settings)
            report = adapted.load_adapter(str(folder), "default", torch_device="cpu")
    except WhatifError:
        raise
    except Exception as error:  # the library raises many types of errors, all about this adapter
        raise _explained(folder, error) from error
    if report.unexpected_keys:
        raise WhatifError(
            f"lora {folder}: is for another checkpoint: this one has no place for {len(report.unexpected_keys)} of its "
            f"weights, first {_place(report.unexpected_keys[0])}"
        )
    if report.missing_keys:
        raise WhatifError(
            f"lora {folder}: is damaged or for another checkpoint: it lacks {len(report.missing_keys)} weights, first "
            f"{_place(report.missing_keys[0])}"
        )


def new_lora(network: Any, layers: Sequence[str], lora: LowRank) -> list[Any]:
    """Adds an untrained LoRA to the layers of these names, in place, and returns the modules that hold its weights.

    They are float32. The network computes what it did before, because one of each two matrices is zero.
    """
    with _quiet():
        from peft import LoraConfig, inject_adapter_in_model

        settings = LoraConfig(
            r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=list(layers)
        )
        inject_adapter_in_model(settings, network)
    return [module.float() for name, module in network.named_modules() if name.rpartition(".")[2].startswith("lora_")]


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is printed by peft, whose warnings are errors here, and by bitsandbytes, which it imports."""
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    with warnings.catch_warnings(action="ignore"):
        yield


def _told(folder: Path) -> dict[str, Any]:
    """What the settings of an adapter say. Raises WhatifError when they cannot be read or are not those of a LoRA."""
    try:
        told = json.loads(read_bytes(folder / SETTINGS))
    except FileNotFoundError:
        raise WhatifError(f"lora {folder}: lacks {SETTINGS}; give the folder that peft saved") from None
    except (OSError, ValueError, RecursionError) as error:
        raise WhatifError(f"lora {folder / SETTINGS}: is not JSON: {first_line(error)}") from error
    if not isinstance(told, dict) or told.get("peft_type") != "LORA":
        kind = told.get("peft_type") if isinstance(told, dict) else told
        raise WhatifError(f"lora {folder / SETTINGS}: peft_type is {kind!r:.40}; only 'LORA' is taken")
    return told


def _check_settings(folder: Path, told: Mapping[str, Any], settings: Any) -> None:
    """Raises WhatifError when the weights of the file do not say everything, or ranks are not those of the file."""
    from peft import LoraConfig
    from safetensors import safe_open

    usual = vars(LoraConfig())
    if odd := sorted(key for key, value in told.items() if value and value != usual.get(key) and key not in _TAKEN):
        raise WhatifError(f"lora {folder / SETTINGS}: {odd[0]} is not supported; {_MERGE}")
    begun = str(settings.init_lora_weights)
    if begun.startswith(_CHANGE_THE_BASE):
        raise WhatifError(
            f"lora {folder / SETTINGS}: init_lora_weights is {begun!r}, which changed the checkpoint, too; "
            "convert it (`save_pretrained` with path_initial_model_for_weight_conversion)"
        )
    with safe_open(folder / WEIGHTS, "pt") as file:
        names = file.keys()
        longest = max((size for name in names for size in file.get_slice(name).get_shape()), default=0)
    rank = max((settings.r, *settings.rank_pattern.values()))
    if rank > longest:  # the library would fill the memory before it reads a weight
        raise WhatifError(
            f"lora {folder / SETTINGS}: has rank {rank:,}, but the longest side of a weight in {WEIGHTS} is {longest:,}"
        )


def _explained(folder: Path, error: Exception) -> WhatifError:
    if (found := _MISMATCH.search(str(error))) is not None:
        name, of_file, of_model = found.groups()
        return WhatifError(
            f"lora {folder}: does not fit the checkpoint: {_place(name)} has the shape {of_file}, where {of_model} is "
            "needed"
        )
    return WhatifError(f"lora {folder}: cannot be loaded: {first_line(error)}")


def _place(name: str) -> str:
    """A weight's name without what peft puts around it."""
    return name.removeprefix("base_model.model.").replace(".default", "")
