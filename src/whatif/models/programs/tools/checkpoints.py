"""Tools that look at the pixels of an image, each with a checkpoint of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from whatif import models
from whatif.engine.files.png import encode
from whatif.engine.language.messages import one_turn
from whatif.engine.language.reasoning import ended_in_reasoning
from whatif.engine.params.programs import ModelTools
from whatif.models import Answer, Model, Question
from whatif.models.local.checkpoints import identity
from whatif.models.local.encoders import dual_encoder
from whatif.models.programs.interfaces import Box, Picture, ToolError
from whatif.models.programs.tools.depth import DepthEstimator
from whatif.models.programs.tools.detection import Detector

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = 1  # increase it when a change alters what the tools return
_CAPTION = "a picture of {}"
# Attributes that exclude each other: one of them is compared with the others of its family.
_FAMILIES = (
    ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey"),
    ("small", "large"),
    ("open", "closed"),
    ("on", "off"),
    ("empty", "full"),
    ("wet", "dry"),
    ("clean", "dirty"),
    ("wooden", "metal", "plastic", "glass", "stone"),
    ("young", "old"),
)


class _Embeds(Protocol):
    """What the CLIP is used for: unit vectors of captions and of images."""

    def captions(self, captions: Sequence[str]) -> Any: ...
    def pictures(self, pictures: Sequence[Image]) -> Any: ...


class CheckpointTools:
    """See the module. Detections, embeddings and answers to questions are computed once for each part of an image.

    Raises WhatifError when a checkpoint cannot be loaded.
    """

    def __init__(self, settings: ModelTools, seed: int = 0) -> None:
        self._detector = Detector(settings.detector)
        self._query: Model = models.load(settings.query.adapter, settings.query, seed)
        clip = dual_encoder(settings.matcher)
        self._matcher: _Embeds = clip
        self._depth = None if settings.depth is None else DepthEstimator(settings.depth)
        self._identity = {
            "kind": "models",
            "version": VERSION,
            "detector": dict(self._detector.identity),
            "query": dict(self._query.identity or {}),
            "matcher": identity(settings.matcher, VERSION, clip.model.config),
            "depth": None if self._depth is None else dict(self._depth.identity),
        }
        self._close: Callable[[], None] = getattr(self._query, "close", lambda: None)
        self._found: dict[tuple[str, Box, str], list[Box]] = {}
        self._answers: dict[tuple[str, Box, str], str] = {}
        self._pictures: dict[tuple[str, Box], Any] = {}
        self._captions: dict[str, Any] = {}

    @property
    def identity(self) -> Mapping[str, Any]:
        """What determines the answers: the checkpoints, and how boxes are chosen."""
        return self._identity

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """Puts a store before the model that answers questions."""
        self._query = keep(self._query)

    def close(self) -> None:
        """Ends what the model that answers questions has started."""
        self._close()

    def size(self, picture: Picture) -> tuple[int, int]:
        """See `Toolset`, for this and all that follow."""
        return picture.pixels.size

    def find(self, picture: Picture, box: Box, name: str) -> list[Box]:
        """The boxes of all things of a name that the detector finds in the box alone."""
        key = (picture.image_id, box, name)
        if key not in self._found:
            part, left, top = _cut(picture, box)
            found = self._detector.find(part, name)
            self._found[key] = [(one[0] + left, one[1] + top, one[2] + left, one[3] + top) for one in found]
        return self._found[key]

    def exists(self, picture: Picture, box: Box, name: str) -> bool:
        """Whether the detector finds anything of a name."""
        return bool(self.find(picture, box, name))

    def verify_property(self, picture: Picture, box: Box, name: str, attribute: str) -> bool:
        """Whether `<attribute> <name>` fits the box best.

        It is compared with the same name and the other attributes of its family (colours, materials, ...). An attribute
        of no family follows the name, and is compared with the name alone.
        """
        family = next((one for one in _FAMILIES if attribute.strip().lower() in one), None)
        if family is None:
            return self._best(picture, box, [f"{name} {attribute}", name]) == 0
        mine = attribute.strip().lower()
        return self._best(picture, box, [f"{one} {name}" for one in family]) == family.index(mine)

    def best_text_match(self, picture: Picture, box: Box, options: Sequence[str]) -> str:
        """The option whose caption has the highest cosine with the box; the first one in case of a tie."""
        return options[self._best(picture, box, options)]

    def simple_query(self, picture: Picture, box: Box, question: str) -> str:
        """The model's response. Raises ToolError when it gives none."""
        key = (picture.image_id, box, question)
        if key not in self._answers:
            self._answers[key] = self._asked(picture, box, question)
        return self._answers[key]

    def compute_depth(self, picture: Picture, box: Box) -> float:
        """See `Toolset`. Raises ToolError without a checkpoint for it."""
        if self._depth is None:
            raise ToolError("compute_depth: the settings of the tools name no checkpoint for `depth`")
        return self._depth.median(_cut(picture, box)[0])

    def _asked(self, picture: Picture, box: Box, question: str) -> str:
        part, left, top = _cut(picture, box)
        place = f"{picture.image_id}@{left},{top},{left + part.width},{top + part.height}"
        asked = Question(
            place,
            group="",
            variant="",
            messages=one_turn(question, [place]),
            text=question,
            images=lambda: [part],
            encoded_images=lambda: [encode(part)],
        )
        (answer,) = self._query.answer([asked])
        return _response(answer)

    def _best(self, picture: Picture, box: Box, phrases: Sequence[str]) -> int:
        """The place of the phrase whose caption has the highest cosine with the box."""
        key = (picture.image_id, box)
        if key not in self._pictures:
            self._pictures[key] = self._matcher.pictures([_cut(picture, box)[0]])[0]
        captions = [_CAPTION.format(phrase) for phrase in phrases]
        new = [caption for caption in dict.fromkeys(captions) if caption not in self._captions]
        if new:
            self._captions.update(zip(new, self._matcher.captions(new), strict=True))
        cosines = [float(self._captions[caption] @ self._pictures[key]) for caption in captions]
        return cosines.index(max(cosines))


def _cut(picture: Picture, box: Box) -> tuple[Image, int, int]:
    """The pixels of a box, which is widened to whole pixels, and its left and top edge."""
    pixels = picture.pixels.convert("RGB")
    left, top = max(0, math.floor(box[0])), max(0, math.floor(box[1]))
    right, bottom = min(pixels.width, math.ceil(box[2])), min(pixels.height, math.ceil(box[3]))
    return pixels.crop((left, top, max(right, left + 1), max(bottom, top + 1))), left, top


def _response(answer: Answer) -> str:
    answer = answer.without_reasoning()
    if answer.response is None or ended_in_reasoning(answer.reason):
        raise ToolError(f"simple_query: the model gave no answer: {answer.reason or answer.status}")
    return answer.response.strip()
