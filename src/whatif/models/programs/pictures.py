"""The image of a question as tools see it: decoded when a tool first needs its pixels, and then kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whatif.models import Question
from whatif.models.programs.interfaces import ToolError

if TYPE_CHECKING:
    from PIL.Image import Image


class QuestionPicture:
    """The only image of a question. `fault` says why it could not be decoded, once a tool has tried."""

    def __init__(self, question: Question) -> None:
        (self.image_id,) = question.image_ids
        self.fault: str | None = None
        self._question = question
        self._pixels: Image | None = None

    @property
    def pixels(self) -> Image:
        """The decoded image. Raises ToolError when it cannot be decoded."""
        if self._pixels is None:
            try:
                (self._pixels,) = self._question.images()
            except OSError as error:
                self.fault = str(error)
                raise ToolError(f"the image cannot be decoded: {error}") from error
        return self._pixels
