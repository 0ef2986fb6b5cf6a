"""How alike two captions are by their sentence embeddings (COCO-Counterfactuals 3.1; there all-MiniLM-L6-v2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whatif.errors import WhatifError
from whatif.models.checkpoints import device_of, source_of
from whatif.models.local_faults import first_line, model_faults
from whatif.params_models import LocalCheckpoint

Floats: TypeAlias = NDArray[np.float64]
_MODULES = "modules.json"


@dataclass(frozen=True)
class SentenceEmbedder:
    """Embeds sentences, `batch_size` at once; embeddings have length 1."""

    model: Any
    batch_size: int

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embeddings (texts, width). Raises WhatifError when memory does not hold a batch, or the device fails."""
        if not texts:
            return np.zeros((0, 1))
        with model_faults(f"{self.batch_size} captions at once"):
            # The library sorts them by length and gives them back in their order.
            found = self.model.encode(list(texts), batch_size=self.batch_size, show_progress_bar=False)
        wide = np.asarray(found, dtype=np.float64)
        lengths = np.linalg.norm(wide, axis=-1, keepdims=True)
        unit: Floats = np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0)
        return unit

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        """Cosines (pairs); every different text is embedded once."""
        places = {text: place for place, text in enumerate(dict.fromkeys(text for pair in pairs for text in pair))}
        embedded = self.embed(list(places))
        first, second = (embedded[[places[pair[side]] for pair in pairs]] for side in (0, 1))
        cosines: Floats = (first * second).sum(axis=-1)
        return cosines


def sentence_embedder(settings: LocalCheckpoint) -> SentenceEmbedder:
    """Loads a checkpoint of sentence-transformers from a folder or from the hub, weights from safetensors only.

    Raises WhatifError when the library is not installed, the folder is none of its checkpoints, what is loaded cannot
    be, or the device is not there.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise WhatifError(
            "sentence similarity: sentence-transformers is not installed; pip install sentence-transformers"
        ) from error
    source, folder = source_of(settings)
    if folder is not None and not (folder / _MODULES).is_file():
        raise WhatifError(f"checkpoint {folder}: lacks {_MODULES}; give a checkpoint of sentence-transformers")
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
    except Exception as error:  # the libraries raise errors of a dozen kinds, all of them about this checkpoint
        raise WhatifError(f"checkpoint {source}: cannot be loaded: {first_line(error)}") from error
    return SentenceEmbedder(model.eval(), settings.batch_size)
