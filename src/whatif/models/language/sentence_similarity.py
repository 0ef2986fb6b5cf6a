"""Similarity of captions by sentence embeddings (COCO-Counterfactuals 3.1, which uses all-MiniLM-L6-v2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.models.cosines import cosines
from whatif.models.local.checkpoints import device_of, load_error, source_of
from whatif.models.local.faults import first_line, model_faults

Floats: TypeAlias = NDArray[np.float64]
_MODULES = "modules.json"
# Accepted modules of a checkpoint, by the last part of their names; the rest differs between versions.
_KNOWN = ("Transformer", "Pooling", "Normalize", "Dense")


@dataclass(frozen=True)
class SentenceEmbedder:
    """Embeds sentences in batches of `batch_size`; embeddings have length 1."""

    model: Any
    batch_size: int

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embeddings (texts, width). Raises WhatifError when a batch does not fit into memory, or the device fails."""
        if not texts:
            return np.zeros((0, 1))
        with model_faults(f"{self.batch_size} captions at once"):
            # The library sorts the texts by length and returns them in the original order.
            found = self.model.encode(list(texts), batch_size=self.batch_size, show_progress_bar=False)
        wide = np.asarray(found, dtype=np.float64)
        lengths = np.linalg.norm(wide, axis=-1, keepdims=True)
        unit: Floats = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0)
        return unit

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Cosines (pairs); each distinct text is embedded once."""
        places = {text: place for place, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
        embedded = self.embed(list(places))
        first, second = (embedded[[places[pair[side]] for pair in pairs]] for side in (0, 1))
        return cosines(first, second)


def sentence_embedder(settings: LocalCheckpoint) -> SentenceEmbedder:
    """Loads a checkpoint of sentence-transformers from a folder or from the hub, weights from safetensors only.

    Raises WhatifError when the library is not installed, the folder is not such a checkpoint, loading fails, or the
    device is missing.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise WhatifError(
            "sentence similarity: sentence-transformers is not installed; pip install sentence-transformers"
        ) from error
    source, folder = source_of(settings)
    if folder is not None:
        _check_modules(folder)
    device = device_of(settings.device)
    try:
        model = SentenceTransformer(
            source,
            device=str(device),
            revision=settings.revision,
            local_files_only=folder is not None,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, "dtype": settings.dtype},
        )
    except Exception as error:  # the libraries raise many types of errors, all about this checkpoint
        raise load_error(source, error) from error
    return SentenceEmbedder(model.eval(), settings.batch_size)


def _check_modules(folder: Path) -> None:
    """Raises WhatifError when the module list is missing, or names a module that could run other code or a pickle."""
    listed = folder / _MODULES
    if not listed.is_file():
        raise WhatifError(f"checkpoint {folder}: lacks {_MODULES}; give a checkpoint of sentence-transformers")
    try:
        modules = [(str(module["type"]), str(module["path"])) for module in json.loads(listed.read_text("utf-8"))]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise WhatifError(f"checkpoint {listed}: is not a list of modules: {first_line(error)}") from error
    for kind, place in modules:
        package, _, name = kind.rpartition(".")
        if package.partition(".")[0] != "sentence_transformers" or name not in _KNOWN:
            raise WhatifError(
                f"checkpoint {listed}: names the module {kind!r}; whatif loads {', '.join(_KNOWN)} of "
                "sentence_transformers, and no other code"
            )
        if name == "Dense" and not (folder / place / "model.safetensors").is_file():
            raise WhatifError(f"checkpoint {folder / place}: lacks model.safetensors; pickled weights are not read")
