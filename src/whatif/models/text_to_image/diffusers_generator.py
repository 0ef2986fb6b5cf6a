"""Draws images from texts by any text-to-image pipeline of diffusers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.engine.params.generators import DiffusersGenerator
from whatif.models.local import checkpoints
from whatif.models.local.faults import first_line, model_faults
from whatif.models.prompt_to_prompt.candidate_runs import filled, place_of, runs_of
from whatif.models.text_to_image import Drawing, ImageRequest
from whatif.models.text_to_image.cut_off import CutOffPrompts

_VERSION = 1  # of drawing and encoding; increase it if a change alters any byte
# Pipelines that pad every prompt to the same length. Others pad to the longest prompt of a batch, so that an image
# would depend on the prompts beside it.
PAD_ALIKE = (
    "StableDiffusionPipeline",
    "StableDiffusionXLPipeline",
    "StableDiffusion3Pipeline",
    "FluxPipeline",
)


class DiffusersImages:
    """A checkpoint that draws one image for each prompt; it is loaded on first use.

    Each image has a random generator of its own, on the CPU, so it does not depend on the device's generator or on the
    other images of a batch. A batch always has `batch_size` places, because a batch of another size differs in the last
    digits: unused places hold a copy of another request.
    """

    prompts = 1

    def __init__(self, settings: DiffusersGenerator) -> None:
        self._settings = settings
        self._cut_off = CutOffPrompts()

    @property
    def note(self) -> str:
        """How many prompts of this run none of the checkpoint's text encoders reads to the end."""
        return self._cut_off.note

    @cached_property
    def pipeline(self) -> Any:
        """The pipeline of diffusers.

        Raises WhatifError as `load_text_to_image` does, and for batches of a pipeline that cannot have them.
        """
        from whatif.models.text_to_image.pipeline import load_text_to_image

        loaded = load_text_to_image(self._settings)
        name = type(loaded).__name__
        if self._settings.batch_size > 1 and name not in PAD_ALIKE:
            raise WhatifError(
                f"checkpoint {self._settings.checkpoint}: images of a {name} would depend on the batch; set "
                f"`batch_size: 1`, not {self._settings.batch_size}"
            )
        return loaded

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """Everything that determines an image beside its request; a checkpoint of the hub is loaded to know it."""
        from whatif.models.text_to_image.pipeline import identity

        settings = self._settings
        is_folder = checkpoints.folder_of(settings.checkpoint) is not None
        drawn_by = identity(settings, None if is_folder else self.pipeline)
        how = settings.model_dump(include={"dtype", "steps", "guidance", "width", "height", "negative_prompt"})
        return {"adapter": "diffusers", "version": _VERSION, **drawn_by, **how, "batch": settings.batch_size}

    def place(self, request: ImageRequest) -> int:
        """The place of a request in its batch."""
        return place_of(request.name, request.number, self._settings.batch_size)

    def count_stored(self, number: int) -> None:
        """Nothing: there is no budget."""

    def draw_as_they_come(self, requests: Sequence[ImageRequest]) -> Iterator[tuple[int, Drawing]]:
        """The place of each request and its image as PNG.

        An image with pixels that are not numbers, as some checkpoints make in half precision, is `none`.

        Raises WhatifError as `pipeline` does, when a batch does not fit into memory, when the device fails, and when
        the pipeline rejects the settings, such as a width.
        """
        placed = ((self.place(request), (number, request)) for number, request in enumerate(requests))
        for run in runs_of(placed, self._settings.batch_size):
            drawings = self._drawn([request for _, request in filled(run)])
            for asked, drawing in zip(run, drawings, strict=True):
                if asked is not None:
                    yield asked[0], drawing

    def _drawn(self, requests: Sequence[ImageRequest]) -> list[Drawing]:
        import torch

        settings = self._settings
        given = {
            "guidance_scale": settings.guidance,
            "width": settings.width,
            "height": settings.height,
            "negative_prompt": None if settings.negative_prompt is None else [settings.negative_prompt] * len(requests),
        }
        pipeline = self.pipeline
        prompts = [request.prompts[0] for request in requests]
        with (
            self._cut_off.counted(pipeline, prompts),
            model_faults(f"{len(requests)} images by {settings.checkpoint} at once"),
            torch.inference_mode(),
        ):
            try:
                found = pipeline(
                    prompt=prompts,
                    generator=[torch.Generator().manual_seed(request.seed) for request in requests],
                    num_inference_steps=settings.steps,
                    output_type="np",
                    **{name: value for name, value in given.items() if value is not None},
                ).images
            except (ValueError, TypeError) as error:
                raise WhatifError(f"checkpoint {settings.checkpoint}: cannot draw: {first_line(error)}") from error
        return [_as_drawing(pixels) for pixels in found]


def diffusers_generator(settings: DiffusersGenerator, seed: int) -> DiffusersImages:
    """The generator of a checkpoint; `seed` is not used, because each request has its own."""
    return DiffusersImages(settings)


def _as_drawing(pixels: Any) -> Drawing:
    """The PNG of an image whose `pixels` (height, width, 3) are numbers from 0 to 1."""
    import numpy as np
    from PIL import Image

    if not np.isfinite(pixels).all():
        return Drawing(status="none", reason="damaged image: its pixels are not numbers; use another dtype")
    return Drawing((png.encode(Image.fromarray((pixels * 255).round().astype("uint8"), "RGB")),))
