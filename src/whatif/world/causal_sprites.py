"""Things and agents as small images with masks, in a style; the pieces from which scenes of causes are composed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from PIL import Image, ImageDraw

from whatif.world.causal_scenes import Figure
from whatif.world.causal_shapes import AGENT_SHAPES, CAUSAL_OUTLINES, Colour
from whatif.world.causal_styles import INK, has_outlines, in_style, marks_on, shaded
from whatif.world.scenes import COLOURS

_SHADE: Colour = (96, 98, 108)  # of the shadows in photographs
_AROUND = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1))


@dataclass(frozen=True)
class Sprite:
    """An image in RGB and its mask: 255 inside, 0 outside; both of the same size. `colour` is its main colour."""

    image: Image.Image
    mask: Image.Image
    colour: Colour

    @property
    def width(self) -> int:
        """In pixels."""
        return self.image.width

    @property
    def height(self) -> int:
        """In pixels."""
        return self.image.height

    def cropped(self, box: tuple[int, int, int, int]) -> Sprite:
        """The part inside left, top, right and bottom."""
        return replace(self, image=self.image.crop(box), mask=self.mask.crop(box))

    def resized(self, width: int, height: int) -> Sprite:
        """Stretched, without intermediate colours."""
        size, nearest = (width, height), Image.Resampling.NEAREST
        return replace(self, image=self.image.resize(size, nearest), mask=self.mask.resize(size, nearest))

    def lying(self) -> Sprite:
        """Turned to the left by a quarter."""
        quarter = Image.Transpose.ROTATE_90
        return replace(self, image=self.image.transpose(quarter), mask=self.mask.transpose(quarter))


class Canvas:
    """A square image that sprites and polygons are put on.

    Where a style has outlines, each is surrounded by `line` pixels of ink; otherwise it casts a narrow shadow.
    """

    def __init__(self, side: int, style: str, line: int, wall: Colour) -> None:
        self.image = Image.new("RGB", (side, side), wall)
        self.style = style
        self.line = line
        self._draw = ImageDraw.Draw(self.image)

    @property
    def side(self) -> int:
        """In pixels."""
        return self.image.width

    def put(self, sprite: Sprite, left: int, top: int) -> None:
        """Puts a sprite at a place, with its outline below it."""
        if has_outlines(self.style):
            for across, down in _AROUND:
                self.image.paste(INK, (left + across * self.line, top + down * self.line), sprite.mask)
        else:
            self.image.paste(_SHADE, (left + self.line, top + self.line), sprite.mask)
        self.image.paste(sprite.image, (left, top), sprite.mask)

    def fill(self, points: Sequence[tuple[int, int]], colour: Colour, outline: bool = True) -> None:
        """Fills a polygon, given in pixels, with a colour of the world."""
        if outline and has_outlines(self.style):
            self._draw.line([*points, points[0], points[1]], fill=INK, width=2 * self.line, joint="curve")
        self._draw.polygon(list(points), fill=in_style(colour, self.style))

    def rectangle(self, box: tuple[int, int, int, int], colour: Colour, outline: bool = True) -> None:
        """Fills a rectangle: left, top, right and bottom in pixels."""
        left, top, right, bottom = box
        self.fill([(left, top), (right, top), (right, bottom), (left, bottom)], colour, outline)

    def ellipse(self, box: tuple[int, int, int, int], colour: Colour, outline: bool = True) -> None:
        """Fills the ellipse inside left, top, right and bottom in pixels."""
        left, top, right, bottom = box
        if outline and has_outlines(self.style):
            grown = (left - self.line, top - self.line, right + self.line, bottom + self.line)
            self._draw.ellipse(grown, fill=INK)
        elif outline:
            self._draw.ellipse((left, top, right + self.line, bottom + self.line), fill=_SHADE)
        self._draw.ellipse((left, top, right, bottom), fill=in_style(colour, self.style))


@lru_cache(maxsize=64)
def figure_sprite(figure: Figure, longer_side: int, style: str) -> Sprite:
    """A thing with its pattern, cut to its outline; `longer_side` in pixels. KeyError for an unknown noun or colour."""
    mask = Image.new("L", (longer_side, longer_side))
    draw = ImageDraw.Draw(mask)
    for polygon in CAUSAL_OUTLINES[figure.noun]:
        draw.polygon(_pixels(polygon, longer_side), fill=255)
    colour = COLOURS[figure.colour]
    image = Image.new("RGB", mask.size, in_style(colour, style))
    _MARKS[figure.pattern](ImageDraw.Draw(image), longer_side, marks_on(colour))
    if style == "photograph":
        image = shaded(image)
    box = mask.getbbox()
    assert box is not None
    return Sprite(image, mask, colour).cropped(box)


@lru_cache(maxsize=48)
def agent_sprite(agent: str, side: int, style: str, turned: bool) -> Sprite:
    """An agent, `side` pixels wide and high; `turned` as it hangs at the right of a thing. KeyError if unknown."""
    mask = Image.new("L", (side, side))
    image = Image.new("RGB", (side, side))
    on_mask, on_image = ImageDraw.Draw(mask), ImageDraw.Draw(image)
    for polygon, colour in AGENT_SHAPES[agent]:
        points = _pixels(polygon, side)
        on_mask.polygon(points, fill=255)
        on_image.polygon(points, fill=in_style(colour, style))
        if has_outlines(style):
            on_image.line([*points, points[0]], fill=INK, width=max(1, side // 36))
    if style == "photograph":
        image = shaded(image)
    if turned and agent not in ("sun", "cloud"):
        flip = Image.Transpose.FLIP_LEFT_RIGHT
        image, mask = image.transpose(flip), mask.transpose(flip)
    return Sprite(image, mask, AGENT_SHAPES[agent][0][1])


def _pixels(polygon: Iterable[tuple[float, float]], side: int) -> list[tuple[int, int]]:
    return [(round((x + 1) / 2 * (side - 1)), round((y + 1) / 2 * (side - 1))) for x, y in polygon]


def _stripes(draw: ImageDraw.ImageDraw, side: int, colour: Colour) -> None:
    for number in range(5):
        top = side * (4 * number + 2) // 20
        draw.rectangle((0, top, side, top + side // 12), fill=colour)


def _dots(draw: ImageDraw.ImageDraw, side: int, colour: Colour) -> None:
    radius, step = max(1, side // 15), side // 5
    for row in range(6):
        for column in range(6):
            x, y = column * step + step // 2 * (row % 2), row * step + step // 2
            draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _no_marks(draw: ImageDraw.ImageDraw, side: int, colour: Colour) -> None:
    """A plain thing."""


_MARKS = {"striped": _stripes, "dotted": _dots, "plain": _no_marks}
