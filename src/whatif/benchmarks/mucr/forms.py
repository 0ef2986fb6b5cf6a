"""The visual forms: which images a question has, and the canvases that are drawn for it (MuCR 5.1, Figure 9).

| form | a cause and four candidates (C2E, context) | a cause and its effect (CP, EXP) |
|---|---|---|
| `composite` (Form-1) | one composite: Cause, A, B, C, D | one composite: Cause, Effect |
| `cause-and-composite` (Form-2) | the cause, and a composite: A, B, C, D | the cause, and a canvas: Effect |
| `separate` (Form-3) | five images | two images |
| `strip` | one strip: Cause, A, B, C, D | one strip: Cause, Effect |

The paper shows Form-2 for C2E only. With a single effect there is nothing to compose; what is left of the form is that
the effect is on a canvas with its label, and the cause is apart.

Every canvas is a square (`whatif.models.square`), is drawn and encoded once, and is stored by its content.
"""

from __future__ import annotations

import io
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from whatif.benchmarks.mucr.schemas import Form
from whatif.engine.artifacts.gathered_images import GatheredImages
from whatif.engine.artifacts.images import SortedImages, format_of, image_row
from whatif.engine.errors import WhatifError
from whatif.engine.files import png
from whatif.models.composite_picture import composite, layout_of
from whatif.models.label_height import label_height
from whatif.models.square import squared
from whatif.world.drawing.strip import strip, strip_layout

if TYPE_CHECKING:
    from PIL.Image import Image

Drawing: TypeAlias = Literal["composite", "strip"]
CAUSE, EFFECT, EFFECTS = "Cause", "Effect", "Effects"
LETTERS_OF_OPTIONS = "ABCD"
_DECODED = 64  # images held at once; a group has 24 chosen ones and a few siblings
# Bytes per pixel of a PNG. Flat drawings have less, and their canvases stay exact. Of five photographs of 512 x 512
# pixels, a PNG takes four times the space and eight times the time of a JPEG.
_PHOTOGRAPH = 0.5
_JPEG_QUALITY = 90


@dataclass(frozen=True)
class Arranged:
    """The images of a question in order, their labels for models that need one composite, and the label's height.

    `labels` is None for a single image, `label_height` (pixels at the model's input side) where nothing was drawn.
    """

    image_ids: tuple[str, ...]
    labels: tuple[str, ...] | None
    label_height: float | None


class Canvases:
    """Arranges the images of questions, and adds the canvases that this needs to the table `composites`.

    `input_side` and `least_label_height` are those of the settings, in pixels.
    """

    def __init__(
        self,
        images: GatheredImages,
        composites: SortedImages,
        input_side: int,
        least_label_height: int,
    ) -> None:
        self._images = images
        self._composites = composites
        self._input_side = input_side
        self._least = least_label_height
        self._decoded: OrderedDict[str, tuple[Image, bool]] = OrderedDict()
        self._drawn: dict[tuple[Drawing, tuple[str, ...], tuple[str, ...]], tuple[str, float]] = {}
        self.small: Counter[float] = Counter()  # composites with smaller labels than they should have, by height

    def arranged(self, form: Form, cause: str, effects: Sequence[str]) -> Arranged:
        """The images of a question in a visual form; `cause` and `effects` are ids, the effects in order of letters.

        Raises WhatifError when the labels of a strip cannot be high enough, and OSError for an image that cannot be
        decoded.
        """
        labels = (EFFECT,) if len(effects) == 1 else tuple(LETTERS_OF_OPTIONS[: len(effects)])
        every, names = (cause, *effects), (CAUSE, *labels)
        if form == "separate":
            return Arranged(every, names, None)
        if form == "cause-and-composite":
            drawing: Drawing = "strip" if len(effects) == 1 else "composite"
            canvas, height = self._canvas(drawing, tuple(effects), labels)
            return Arranged((cause, canvas), (CAUSE, EFFECT if len(effects) == 1 else EFFECTS), height)
        canvas, height = self._canvas("strip" if form == "strip" else "composite", every, names)
        return Arranged((canvas,), None, height)

    def _canvas(self, drawing: Drawing, image_ids: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, float]:
        """The id of a canvas, and the height of its labels."""
        key = drawing, image_ids, labels
        if key not in self._drawn:
            found = [self._image(image_id) for image_id in image_ids]
            shown = [image for image, _ in found]
            canvas, height = self._strip(shown, labels) if drawing == "strip" else self._composite(shown, labels)
            data = encoded(squared(canvas), exact=not any(photograph for _, photograph in found))
            side = max(canvas.size)
            licence = "; ".join(sorted({self._images.licences[image_id] for image_id in image_ids}))
            row = image_row(data, side, side, f"composite:{drawing}", licence)
            self._composites.add(row)
            self._drawn[key] = row["image_id"], height
        return self._drawn[key]

    def _composite(self, images: Sequence[Image], labels: Sequence[str]) -> tuple[Image, float]:
        layout = layout_of([image.size for image in images], labels)
        height = label_height(layout.font_size, layout.size, self._input_side)
        if height < self._least:
            self.small[round(height, 2)] += 1
        return composite(images, labels), height

    def _strip(self, images: Sequence[Image], labels: Sequence[str]) -> tuple[Image, float]:
        try:
            layout = strip_layout(
                [image.size for image in images],
                labels,
                input_side=self._input_side,
                least_label_height=self._least,
            )
            made = strip(images, labels, input_side=self._input_side, least_label_height=self._least)
        except ValueError as error:
            raise WhatifError(
                f"verify.mucr.questions: {error} (least_label_height, input_side), or leave out the forms strip and "
                "cause-and-composite"
            ) from error
        return made, label_height(layout.font_size, layout.size, self._input_side)

    def _image(self, image_id: str) -> tuple[Image, bool]:
        """A decoded image, and whether it is a photograph by the size of its encoded form."""
        if image_id in self._decoded:
            self._decoded.move_to_end(image_id)
        else:
            image = self._images.get(image_id)
            data = self._images.encoded(image_id)
            flat = format_of(data) == "png" and len(data) < _PHOTOGRAPH * image.width * image.height
            self._decoded[image_id] = image, not flat
            while len(self._decoded) > _DECODED:
                self._decoded.popitem(last=False)
        return self._decoded[image_id]


def encoded(canvas: Image, *, exact: bool) -> bytes:
    """A canvas as PNG, or as JPEG of high quality without reduced colours."""
    if exact:
        return png.encode(canvas)
    out = io.BytesIO()
    canvas.save(out, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return out.getvalue()
