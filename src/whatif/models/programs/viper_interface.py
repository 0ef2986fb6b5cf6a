"""The interface of programs in Python: patches of an image, and functions for their results (C-VQA 4.1, ViperGPT).

This source runs in the sandbox, before any program, and is never imported there: it uses the standard library and
`call_tool`, which the sandbox provides. Its names are those that programs use. Positions are pixels of the whole image;
x grows to the right and y grows upwards from the bottom edge, as in ViperGPT. The tools count y downwards.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def call_tool(tool: str, /, **arguments: Any) -> Any: ...


class Image:
    """The whole image of the question, with which a program is called. A program makes a patch of it."""

    def __init__(self, handle: int, width: float, height: float) -> None:
        self.handle = handle
        self.width = width
        self.height = height


class ImagePatch:
    """A rectangle of the image, with its edges, and the tools that look at it."""

    def __init__(
        self,
        image: Image | ImagePatch,
        left: float | None = None,
        lower: float | None = None,
        right: float | None = None,
        upper: float | None = None,
    ) -> None:
        """The patch of an image, or of another patch; with edges, what `crop` returns."""
        whole: Image = image.image if isinstance(image, ImagePatch) else image
        self.image: Image = whole
        if isinstance(image, ImagePatch):
            self._take(image.handle, image.left, image.lower, image.right, image.upper)
        else:
            self._take(whole.handle, 0, 0, whole.width, whole.height)
        if (left, lower, right, upper) != (None, None, None, None):
            part = self.crop(
                0 if left is None else left,
                0 if lower is None else lower,
                self.width if right is None else right,
                self.height if upper is None else upper,
            )
            self._take(part.handle, part.left, part.lower, part.right, part.upper)

    def _take(self, handle: int, left: float, lower: float, right: float, upper: float) -> None:
        self.handle = handle
        self.left = left
        self.lower = lower
        self.right = right
        self.upper = upper

    def _part(self, found: dict[str, Any]) -> ImagePatch:
        """The patch that a tool returned, whose box counts y downwards."""
        left, top, right, bottom = found["box"]
        part = ImagePatch(self.image)
        part._take(found["patch"], left, self.image.height - bottom, right, self.image.height - top)
        return part

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.upper - self.lower

    @property
    def horizontal_center(self) -> float:
        return (self.left + self.right) / 2

    @property
    def vertical_center(self) -> float:
        return (self.lower + self.upper) / 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImagePatch) and self._edges() == other._edges()

    def __hash__(self) -> int:
        return hash(self._edges())

    def __repr__(self) -> str:
        return f"ImagePatch(left={self.left}, lower={self.lower}, right={self.right}, upper={self.upper})"

    def _edges(self) -> tuple[float, float, float, float]:
        return (self.left, self.lower, self.right, self.upper)

    def find(self, object_name: str) -> list[ImagePatch]:
        """The patches of all things of a name, in the order of their left edges."""
        return [self._part(found) for found in call_tool("find", patch=self.handle, name=object_name)]

    def exists(self, object_name: str) -> bool:
        """Whether there is a thing of a name."""
        return bool(call_tool("exists", patch=self.handle, name=object_name))

    def verify_property(self, object_name: str, attribute: str) -> bool:
        """Whether the thing of a name has an attribute."""
        return bool(call_tool("verify_property", patch=self.handle, name=object_name, attribute=attribute))

    def best_text_match(self, option_list: list[str], prefix: str | None = None) -> str:
        """The text of a list that describes the patch best; `prefix` precedes each of them when they are compared."""
        options = [option if prefix is None else f"{prefix} {option}" for option in option_list]
        best = call_tool("best_text_match", patch=self.handle, options=options)
        return option_list[options.index(best)]

    def simple_query(self, question: str = "What is this?") -> str:
        """The answer to a question about the patch, in few words."""
        return str(call_tool("simple_query", patch=self.handle, question=question))

    def compute_depth(self) -> float:
        """The median depth of the patch; larger is further away."""
        return float(call_tool("compute_depth", patch=self.handle))

    def crop(self, left: float, lower: float, right: float, upper: float) -> ImagePatch:
        """A part of this patch. The edges are distances from this patch's own left and lower edge."""
        top_of_image = self.image.height
        return self._part(
            call_tool(
                "crop",
                patch=self.handle,
                left=self.left + left,
                top=top_of_image - (self.lower + upper),
                right=self.left + right,
                bottom=top_of_image - (self.lower + lower),
            )
        )

    def overlaps_with(self, left: float, lower: float, right: float, upper: float) -> bool:
        """Whether a rectangle with these edges, in pixels of the whole image, overlaps the patch."""
        return self.left <= right and self.right >= left and self.lower <= upper and self.upper >= lower


def distance(patch_a: ImagePatch, patch_b: ImagePatch) -> float:
    """The distance in pixels between the nearest edges of two patches; 0 where they overlap."""
    across = max(patch_a.left - patch_b.right, patch_b.left - patch_a.right, 0)
    up = max(patch_a.lower - patch_b.upper, patch_b.lower - patch_a.upper, 0)
    return math.hypot(across, up)


def bool_to_yesno(bool_answer: bool) -> str:
    """`yes` or `no`."""
    return "yes" if bool_answer else "no"


def coerce_to_numeric(string: Any, no_string: bool = False) -> float:
    """The number that a text begins with or contains, such as 3 in `3 dogs` or 2.5 in `about 2.5`.

    Of a range, such as `2-4`, the first. Raises ValueError when there is none.
    """
    if isinstance(string, bool | int | float):
        return float(string)
    words = str(string).lower().replace(",", "").replace("-", " ").split()
    for word in words:
        if word in _NUMBERS:
            return float(_NUMBERS.index(word))
        figures = "".join(character for character in word if character in "0123456789.").strip(".")
        if figures.count(".") <= 1 and figures:
            return float(figures)
    raise ValueError(f"there is no number in {str(string)[:80]!r}")


_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def start() -> Image:
    """The image with which the function of a program is called."""
    found = call_tool("image")
    _, _, width, height = found["box"]
    return Image(found["patch"], width, height)
