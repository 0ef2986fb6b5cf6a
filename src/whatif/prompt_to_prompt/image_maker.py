"""Draws runs of candidates by prompt-to-prompt, and measures them by CLIP right behind (COCO-Counterfactuals 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from whatif.artifacts.images import image_row
from whatif.drawing import png
from whatif.errors import WhatifError
from whatif.models.local.faults import model_faults
from whatif.params.models import DiffusionCheckpoint, LocalCheckpoint
from whatif.prompt_to_prompt.attention import PairRequest, generate_pairs
from whatif.prompt_to_prompt.candidate_runs import filled
from whatif.prompt_to_prompt.directional_similarity import Embeds, Floats, similarities

if TYPE_CHECKING:
    from PIL.Image import Image

Row: TypeAlias = Mapping[str, Any]

_ADAPTER = "prompt-to-prompt"
_VERSION = 1  # of how pictures are drawn, encoded and measured; raise it when that changes a byte
_PAIRS_REMEMBERED = 1024  # whose captions are embedded


class PictureDrawer:
    """A diffusion checkpoint, loaded when it is first needed.

    A run has as many places as the batch size of `diffusion` says, and pictures depend on it: another batch size
    makes other bytes.

    Raises WhatifError as `load_pipeline` does, when memory does not hold a run, and when the device fails.
    """

    def __init__(self, diffusion: DiffusionCheckpoint) -> None:
        self._settings = diffusion
        self.steps = diffusion.steps
        self.width = diffusion.batch_size

    @cached_property
    def pipeline(self) -> Any:
        """The StableDiffusionPipeline."""
        from whatif.prompt_to_prompt.pipeline import load_pipeline

        return load_pipeline(self._settings)

    def draw(self, run: Sequence[Row | None]) -> list[tuple[Image, Image]]:
        """The pictures of all places of a run, original and counterfactual; where it has None, a copy of another.

        A candidate has the columns of `pairs` that say how it is made: captions, seed, p and guidance.
        """
        requests = [
            PairRequest(
                row["caption_0"],
                row["caption_1"],
                row["seed"],
                shared=row["p"],
                guidance=row["guidance"],
                cross_attention=self._settings.cross_attention,
                shared_start=self._settings.shared_start,
            )
            for row in filled(run)
        ]
        with model_faults(f"{len(run)} pairs of pictures by {self._settings.checkpoint} at once"):
            return generate_pairs(self.pipeline, requests, self.steps)

    def images(self, row: Row, pictures: tuple[Image, Image], licence: str) -> list[dict[str, Any]]:
        """The rows of `images` of a candidate, whose ids are those of their bytes."""
        source = f"{_ADAPTER}:{row['pair_id']}"
        return [image_row(png.encode(one), one.width, one.height, source, licence) for one in pictures]


class PictureMaker(PictureDrawer):
    """Draws, and measures by a CLIP that is loaded when it is first needed.

    What is stored needs neither checkpoint where both are folders. One of the hub is loaded even then: `identity` names
    it by its commit, which is known only once it is loaded.

    Raises WhatifError as `PictureDrawer` does, and as `dual_encoder` does.
    """

    def __init__(self, diffusion: DiffusionCheckpoint, clip: LocalCheckpoint) -> None:
        super().__init__(diffusion)
        self._clip_settings = clip
        self._captions = lru_cache(_PAIRS_REMEMBERED)(self._embedded)

    @cached_property
    def clip(self) -> Embeds:
        """What embeds captions and pictures."""
        from whatif.models.local.encoders import dual_encoder

        return dual_encoder(self._clip_settings)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """All that decides which pictures are made and how they score, beside captions, seed, p, guidance and place."""
        from whatif.models.local import checkpoints
        from whatif.prompt_to_prompt import pipeline as diffusion

        drawing, reading = self._settings, self._clip_settings
        # The commit of a checkpoint of the hub is known once it is loaded, the digest of a folder before.
        drawn = diffusion.identity(
            drawing, self.pipeline if checkpoints.folder_of(drawing.checkpoint) is None else None
        )
        model = getattr(self.clip, "model", None) if checkpoints.folder_of(reading.checkpoint) is None else None
        read = checkpoints.identity(reading, _VERSION, getattr(model, "config", None))
        how = {"adapter": _ADAPTER, "version": _VERSION, "steps": self.steps, "width": self.width}
        return {**drawn, **how, "clip": {**read, "batch_size": reading.batch_size}}

    def measure(self, run: Sequence[Row | None], pictures: Sequence[tuple[Image, Image]]) -> list[dict[str, float]]:
        """The four similarities of each place of a run, by their columns in `pairs`.

        Raises WhatifError when CLIP gives one that is no number, as some do in half precision.
        """
        rows = filled(run)
        # Captions are padded to the longest beside them: those of a pair go alone, and all places of the run together.
        told = np.stack([self._captions(row["caption_0"], row["caption_1"]) for row in rows], axis=1)
        shown = self.clip.pictures([picture for pair in pictures for picture in pair])
        found = vars(similarities(told[0], told[1], shown[0::2], shown[1::2]))
        if not all(np.isfinite(values).all() for values in found.values()):
            place = self._clip_settings.checkpoint
            raise WhatifError(f"checkpoint {place}: gives similarities that are no numbers; load it with dtype float32")
        return [{name: float(values[place]) for name, values in found.items()} for place in range(len(rows))]

    def _embedded(self, original: str, counterfactual: str) -> Floats:
        return self.clip.captions([original, counterfactual])
