"""Finds missing, truncated or damaged files of a checkpoint, before a library fails on them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import open_regular, read_bytes
from whatif.models.local.faults import first_line

ADAPTER = "adapter_config.json"  # the settings of an adapter of peft
_LENGTH_BYTES = 8  # size of the initial number, which is the length of the header
_LONGEST_HEADER = 100_000_000  # bytes; the format allows no more
_PROCESSOR_FILES = ("processor_config.json", "preprocessor_config.json")
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "tokenizer_config.json")
_AGAIN = "copy or download it again"
_LAYERS = re.compile(r".*(layers?|blocks?|depths?)(_per_\w+)?")  # keys that count layers, in any architecture
_FEW_LAYERS = 1_000  # are built in seconds


def check_files(folder: Path, *, pictures: bool, texts: bool) -> None:
    """Checks the files of a checkpoint of transformers; `pictures` and `texts` tell what its processor has to read.

    Raises WhatifError, naming the file, when one is missing, truncated or damaged, and when there is an adapter, too.
    """
    if (folder / ADAPTER).is_file():
        raise holds_adapter(str(folder))
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


def holds_adapter(source: str) -> WhatifError:
    """The error to raise for a checkpoint with an adapter beside its weights.

    transformers would add it where peft is installed, from pickled weights too, or load the checkpoint that it names.
    """
    return WhatifError(
        f"checkpoint {source}: holds an adapter ({ADAPTER}); name the folder of a LoRA as `lora`, and as `checkpoint` "
        "what it was trained on, in another folder"
    )


def check_layers(configuration: Path, weights: int) -> None:
    """Raises WhatifError when a JSON file of a model gives more layers than its files have weights.

    The libraries would build all of them before they read a weight, which may take forever.
    """
    try:
        values = json.loads(read_bytes(configuration))
    except (OSError, ValueError, RecursionError):
        return  # the library says what is wrong with it
    for key, number in _integers(values):
        if number > max(weights, _FEW_LAYERS) and _LAYERS.fullmatch(key):
            raise WhatifError(
                f"checkpoint {configuration}: {key} is {number:,}, but its files hold {weights:,} weights; {_AGAIN}"
            )


def _integers(value: Any, key: str = "") -> Iterator[tuple[str, int]]:
    """The integers of a JSON value with their keys."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _integers(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _integers(inner, key)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield key, value


def check_weights(path: Path, what: str = "checkpoint") -> int:
    """The number of weights in a safetensors file; `what` it belongs to, for messages.

    Raises WhatifError, naming the file, when it does not have the size that its header implies. The header gives the
    position of each weight, so only a few kilobytes are read, and no weights.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            header = file.read(length) if length <= _LONGEST_HEADER else b""
    except OSError as error:
        raise WhatifError(f"{what} {path}: cannot be read ({error.strerror})") from error
    if size < _LENGTH_BYTES + length <= _LENGTH_BYTES + _LONGEST_HEADER:
        raise WhatifError(f"{what} {path}: is truncated: it ends after {size:,} bytes, within its header; {_AGAIN}")
    try:
        places = json.loads(header)
        ends = [int(place["data_offsets"][1]) for name, place in places.items() if name != "__metadata__"]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise WhatifError(f"{what} {path}: is not a safetensors file: unreadable header; {_AGAIN}") from error
    whole = _LENGTH_BYTES + length + max(ends, default=0)
    if size < whole:
        raise WhatifError(f"{what} {path}: is truncated: it has {size:,} of {whole:,} bytes; {_AGAIN}")
    if size > whole:
        raise WhatifError(f"{what} {path}: is damaged: it has {size:,} bytes, not {whole:,}; {_AGAIN}")
    return len(ends)
