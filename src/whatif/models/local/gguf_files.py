"""Checkpoints that are one GGUF file, as llama.cpp's tools write them: which names mean one, and how it is loaded.

transformers reads settings, tokeniser, chat template and weights from such a file, for language models without images.
The weights are converted to the data type of the entry, so a model takes the memory of an ordinary checkpoint.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.extras import how_to_install
from whatif.engine.files.named_folders import named_path
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.local.gguf_header import GgufHeader, read_header

SUFFIX = ".gguf"
_INSTEAD = "give its checkpoint with safetensors, or run the file behind llama-server (adapter api)"
_TURN_END = "tokenizer.ggml.eot_token_id"  # where it is not the token that ends a text


def gguf_file(checkpoint: str) -> Path | None:
    """The GGUF file that `checkpoint` names, or None for a folder or a hub id.

    Raises WhatifError when it names a GGUF file that does not exist.
    """
    if not checkpoint.lower().endswith(SUFFIX):
        return None
    path = named_path(checkpoint)
    if path.is_dir():
        return None
    if not path.exists():
        raise WhatifError(
            f"checkpoint {checkpoint}: no such file; give the path of a GGUF file on this machine (files of the hub: "
            "`hf download`), or package:NAME/FILE.gguf"
        )
    return path


def check_gguf(path: Path, settings: LocalCheckpoint) -> GgufHeader:
    """The header of a GGUF file that transformers can be given.

    Raises WhatifError as `read_header`, when the package gguf is not installed, when a setting does not fit a GGUF
    file, and when transformers would ignore a part of the file that changes answers.
    """
    if settings.revision is not None:
        raise WhatifError(
            f"checkpoint {path}: is a file, which has no revisions; remove `revision` ({settings.revision})"
        )
    if getattr(settings, "quantization", None) is not None:
        raise WhatifError(f"checkpoint {path}: a GGUF file is quantised as it is; remove `quantization`")
    if getattr(settings, "lora", None) is not None:
        raise WhatifError(f"checkpoint {path}: a LoRA is added to a folder or a hub checkpoint; remove `lora`")
    if find_spec("gguf") is None:
        raise WhatifError(f"checkpoint {path}: {how_to_install('gguf')}")
    from gguf import GGML_QUANT_SIZES

    header = read_header(path, {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()})
    _check_positions(path, header)
    return header


@contextmanager
def alone(path: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """A folder that holds nothing but this GGUF file, and the arguments with which transformers loads it from there.

    They are those of all its `from_pretrained`, and those of a model. The library would also read a chat template or
    the settings of a tokeniser beside the file, which the key of stored answers does not cover.
    """
    import transformers

    # Otherwise newer versions may keep the blocks, and download code that computes with them.
    whole: Any = getattr(transformers, "GgufConfig", None)
    of_model = {} if whole is None else {"quantization_config": whole(dequantize=True)}
    logging: Any = transformers.utils.logging
    shown = logging.get_verbosity()
    logging.set_verbosity_error()  # what it warns of is an error here, in one line
    try:
        with tempfile.TemporaryDirectory(prefix="whatif-gguf-") as folder:
            link = Path(folder) / path.name
            link.symlink_to(path.resolve())
            yield folder, {"gguf_file": str(link)}, of_model
    finally:
        logging.set_verbosity(shown)


def explained(error: WhatifError, path: Path, place: str) -> WhatifError:
    """The error to raise where transformers cannot load a GGUF file from `place`: what is wrong, and what to do."""
    said = str(error).replace(place, str(path.parent))
    if "ignore_mismatched_sizes" in said:
        return WhatifError(
            f"checkpoint {path}: is damaged: the sizes in its header are not those of its tensors; copy or download it "
            "again"
        )
    return WhatifError(f"{said.rstrip('.')}; {_INSTEAD}" if "cannot be loaded" in said else said)


def set_ends(model: Any, header: GgufHeader) -> None:
    """Lets responses end at the end of a turn, which some files give apart from the end of a text."""
    turn, settings = header.values.get(_TURN_END), model.generation_config
    own = settings.eos_token_id
    ends = own if isinstance(own, list) else [] if own is None else [own]
    if isinstance(turn, int) and turn not in ends:
        settings.eos_token_id = [*ends, turn]


def _check_positions(path: Path, header: GgufHeader) -> None:
    """transformers ignores how positions are scaled: a longer text would be read wrongly, without a warning."""
    scaled = sorted(name for name in header.tensors if name.startswith(("rope_freqs", "rope_factors")))
    key = f"{header.architecture}.rope.scaling.type"
    if header.values.get(key, "none") != "none" and header.architecture != "gpt-oss":
        scaled.append(key)
    if scaled:
        raise WhatifError(
            f"checkpoint {path}: scales its positions ({scaled[0]}), which transformers does not read from a GGUF "
            f"file; {_INSTEAD}"
        )
