"""Draws runs of candidates by prompt-to-prompt and measures them by CLIP (COCO-Counterfactuals 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from whatif.engine.artifacts.images import image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.params.checkpoints import DiffusionCheckpoint, EarlyStop, LocalCheckpoint
from whatif.models.local.faults import model_faults
from whatif.models.prompt_to_prompt.attention import (
    RESUMABLE,
    Begun,
    PairRequest,
    begin_pairs,
    finish_pairs,
    generate_pairs,
)
from whatif.models.prompt_to_prompt.candidate_runs import filled
from whatif.models.prompt_to_prompt.directional_similarity import Embeds, Floats, similarities

if TYPE_CHECKING:
    from PIL.Image import Image

Row: TypeAlias = Mapping[str, Any]

_ADAPTER = "prompt-to-prompt"
_VERSION = 1  # of drawing, encoding and measuring; increase it if a change alters any byte
_PAIRS_REMEMBERED = 1024  # cache size for embedded captions


class PictureDrawer:
    """A diffusion checkpoint, loaded on first use.

    A run has as many places as the batch size of `diffusion`, and the images depend on it: another batch size gives
    other bytes.

    Raises WhatifError as `load_pipeline` does, when a run does not fit into memory, and when the device fails.
    """

    def __init__(self, diffusion: DiffusionCheckpoint) -> None:
        self._settings = diffusion
        self.steps = diffusion.steps
        self.width = diffusion.batch_size

    @cached_property
    def pipeline(self) -> Any:
        """The StableDiffusionPipeline."""
        from whatif.models.prompt_to_prompt.pipeline import load_pipeline

        return load_pipeline(self._settings)

    def draw(self, run: Sequence[Row | None]) -> list[tuple[Image, Image]]:
        """The images of all places of a run, original and counterfactual; a place with None gets a copy of another.

        A candidate has the columns of `pairs` that define it: captions, seed, p and guidance.
        """
        requests = self._requests(run)
        with model_faults(f"{len(run)} pairs of images by {self._settings.checkpoint} at once"):
            return generate_pairs(self.pipeline, requests, self.steps)

    def _requests(self, run: Sequence[Row | None]) -> list[PairRequest]:
        return [
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

    def images(self, row: Row, pictures: tuple[Image, Image], licence: str) -> list[dict[str, Any]]:
        """The rows of `images` of a candidate; the ids are hashes of the encoded images."""
        source = f"{_ADAPTER}:{row['pair_id']}"
        return [image_row(png.encode(one), one.width, one.height, source, licence) for one in pictures]


class PictureMaker(PictureDrawer):
    """Draws candidates, and measures them with a CLIP that is loaded on first use.

    If all results are stored and both checkpoints are folders, neither is loaded. A checkpoint of the hub is always
    loaded, because `identity` names its commit, which is known only then.

    Raises WhatifError as `PictureDrawer` does, and as `dual_encoder` does.
    """

    def __init__(self, diffusion: DiffusionCheckpoint, clip: LocalCheckpoint, stop: EarlyStop | None = None) -> None:
        super().__init__(diffusion)
        self._clip_settings = clip
        self.stop = stop
        self._captions = lru_cache(_PAIRS_REMEMBERED)(self._embedded)

    @cached_property
    def clip(self) -> Embeds:
        """The model that embeds captions and images."""
        from whatif.models.local.encoders import dual_encoder

        return dual_encoder(self._clip_settings)

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that determines the images and their scores, except captions, seed, p, guidance and place."""
        from whatif.models.local import checkpoints
        from whatif.models.prompt_to_prompt import pipeline as diffusion

        drawing, reading = self._settings, self._clip_settings
        # The commit of a hub checkpoint is known after loading, the digest of a folder before.
        drawn = diffusion.identity(drawing, None if diffusion.is_local(drawing) else self.pipeline)
        model = getattr(self.clip, "model", None) if checkpoints.folder_of(reading.checkpoint) is None else None
        read = checkpoints.identity(reading, _VERSION, getattr(model, "config", None))
        how: dict[str, Any] = {"adapter": _ADAPTER, "version": _VERSION, "steps": self.steps, "width": self.width}
        if self.stop is not None:  # only if set, so that earlier stored results stay valid
            how["stop"] = self.stop.model_dump()
        return {**drawn, **how, "clip": {**read, "batch_size": reading.batch_size}}

    def begin(self, run: Sequence[Row | None], done: int) -> tuple[list[Begun], list[tuple[Image, Image]]]:
        """The first `done` steps of all places of a run, and the images that are predicted after them.

        Raises WhatifError when the scheduler cannot be stopped.
        """
        scheduler = type(self.pipeline.scheduler).__name__
        if scheduler not in RESUMABLE:
            raise WhatifError(
                f"checkpoint {self._settings.checkpoint}: `stop` cannot stop its {scheduler}; set scheduler to ddim or "
                "euler-ancestral, or stop to null"
            )
        with model_faults(f"{len(run)} pairs of images by {self._settings.checkpoint} at once"):
            return begin_pairs(self.pipeline, self._requests(run), self.steps, done)

    def finish(self, run: Sequence[Begun | None]) -> list[tuple[Image, Image]]:
        """The images of all places of a run that `begin` began, each at the place that it had."""
        with model_faults(f"{len(run)} pairs of images by {self._settings.checkpoint} at once"):
            return finish_pairs(self.pipeline, filled(run), self.steps)

    def measure(self, run: Sequence[Row | None], pictures: Sequence[tuple[Image, Image]]) -> list[dict[str, float]]:
        """The four similarities of each place of a run, by their columns in `pairs`.

        Raises WhatifError when CLIP gives a similarity that is not a number, as some checkpoints do in half precision.
        """
        rows = filled(run)
        # Captions are padded to the longest in their batch, so each pair's are embedded alone; images a run at a time.
        told = np.stack([self._captions(row["caption_0"], row["caption_1"]) for row in rows], axis=1)
        shown = self.clip.pictures([picture for pair in pictures for picture in pair])
        found = vars(similarities(told[0], told[1], shown[0::2], shown[1::2]))
        if not all(np.isfinite(values).all() for values in found.values()):
            place = self._clip_settings.checkpoint
            raise WhatifError(f"checkpoint {place}: gives similarities that are not numbers; use dtype float32")
        return [{name: float(values[place]) for name, values in found.items()} for place in range(len(rows))]

    def _embedded(self, original: str, counterfactual: str) -> Floats:
        return self.clip.captions([original, counterfactual])
