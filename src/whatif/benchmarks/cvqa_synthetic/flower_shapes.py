"""Shapes and colours of the drawn flowers: eight kinds, each in three colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

Colour: TypeAlias = tuple[int, int, int]
Outline: TypeAlias = npt.NDArray[np.float64]

_FINER = 4  # drawn this many times larger, then reduced
_REACH = 0.97  # fraction of the inscribed circle's radius; the rest is for soft edges

# Pastel and earth tones, because the polygons have the pure colours.
PETAL_COLOURS: dict[str, Colour] = {
    "lilac": (190, 160, 232),
    "peach": (255, 192, 152),
    "sky": (146, 204, 246),
    "burgundy": (140, 30, 74),
    "coral": (242, 128, 116),
    "cream": (250, 232, 184),
    "teal": (44, 150, 162),
    "ochre": (206, 150, 52),
    "rust": (178, 92, 62),
    "rose": (242, 164, 184),
    "slate": (100, 118, 168),
}
_BROWN: Colour = (104, 66, 40)
_TAN: Colour = (176, 126, 66)
_SAGE: Colour = (124, 152, 96)
_IVORY: Colour = (246, 238, 208)

DRAWN_FLOWERS: dict[str, tuple[str, ...]] = {
    "daisy": ("lilac", "peach", "sky"),
    "sunflower": ("ochre", "coral", "cream"),
    "tulip": ("coral", "burgundy", "lilac"),
    "blossom": ("rose", "sky", "cream"),
    "poppy": ("burgundy", "rust", "slate"),
    "rose": ("rose", "burgundy", "peach"),
    "lily": ("teal", "rose", "ochre"),
    "pansy": ("slate", "lilac", "peach"),
}


def draw_flower(kind: str, colour: str, size: int) -> Image.Image:
    """The flower as an RGBA image of `size` x `size` pixels; KeyError for an unknown kind or colour."""
    canvas = _Canvas(size * _FINER)
    _KINDS[kind](canvas, PETAL_COLOURS[colour])
    return canvas.picture.reduce(_FINER)


class _Canvas:
    """Draws shapes with edges, in units of the inscribed circle's radius, x to the right and y up."""

    def __init__(self, side: int) -> None:
        self.picture = Image.new("RGBA", (side, side), (0, 0, 0, 0))
        self._draw = ImageDraw.Draw(self.picture)
        self._side = side

    def shape(self, outline: Outline, fill: Colour, edge: Colour | None = None, width: float = 0.045) -> None:
        """A filled closed shape, by default with an edge in a darker tone of its colour."""
        places = [(float(x), float(y)) for x, y in self._pixels(outline)]
        self._draw.polygon(places, fill=fill)
        self._draw.line([*places, *places[:2]], fill=edge or _darker(fill), width=self._width(width), joint="curve")

    def line(self, points: Outline, fill: Colour, width: float) -> None:
        """A curve through the points with round ends."""
        places = [(float(x), float(y)) for x, y in self._pixels(points)]
        self._draw.line(places, fill=fill, width=self._width(width), joint="curve")
        for end in (points[0], points[-1]):
            self.disc(end, width / 2, fill, fill, 0)

    def disc(
        self,
        place: Sequence[float] | Outline,
        radius: float,
        fill: Colour,
        edge: Colour | None = None,
        width: float = 0.045,
    ) -> None:
        """A disc, by default with an edge in a darker tone of its colour."""
        x, y = place
        (left, top), (right, bottom) = self._pixels(np.array([(x - radius, y + radius), (x + radius, y - radius)]))
        self._draw.ellipse((left, top, right, bottom), fill, edge or _darker(fill), self._width(width) if width else 0)

    def _pixels(self, points: Outline) -> Outline:
        pixels: Outline = (points * (_REACH, -_REACH) + 1) * (self._side / 2) - 0.5
        return pixels

    def _width(self, width: float) -> int:
        return max(1, round(width * self._side / 2))


def _darker(colour: Colour) -> Colour:
    red, green, blue = (round(channel * 0.74) for channel in colour)
    return red, green, blue


def _lighter(colour: Colour) -> Colour:
    red, green, blue = (round(channel + (255 - channel) * 0.35) for channel in colour)
    return red, green, blue


def _turned(points: Outline, degrees: float) -> Outline:
    """The points turned counterclockwise around the centre of the flower."""
    angle = np.radians(degrees)
    cosine, sine = np.cos(angle), np.sin(angle)
    turned: Outline = points @ np.array([(cosine, sine), (-sine, cosine)])
    return turned


def _petal(start: float, end: float, width: float, bulge: float = 1.0, tip: float = 0.5) -> Outline:
    """A petal that points up from y = `start` to y = `end`; `bulge` > 1 is widest near its end, `tip` < 1 is blunt."""
    along = np.linspace(0, 1, 30)
    half = np.sin(np.pi * along**bulge).clip(0) ** tip * width / 2
    y = start + (end - start) * along
    return np.concatenate([np.stack([half, y], 1), np.stack([-half, y], 1)[::-1]])


def _ellipse(x: float, y: float, width: float, height: float) -> Outline:
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    return np.stack([x + width / 2 * np.cos(angle), y + height / 2 * np.sin(angle)], 1)


def _arc(radius: float, start: float, end: float) -> Outline:
    angle = np.radians(np.linspace(start, end, 24))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


def _daisy(canvas: _Canvas, petal: Colour) -> None:
    for number in range(12):
        canvas.shape(_turned(_petal(0.12, 0.97, 0.36, 1.5, 0.6), number * 30), petal)
    canvas.disc((0, 0), 0.29, _TAN)


def _sunflower(canvas: _Canvas, petal: Colour) -> None:
    for number in range(16):
        canvas.shape(_turned(_petal(0.3, 0.97, 0.34, 0.8, 1.0), number * 22.5), _darker(petal))
    for number in range(16):
        canvas.shape(_turned(_petal(0.3, 0.86, 0.32, 0.8, 1.0), number * 22.5 + 11.25), petal)
    canvas.disc((0, 0), 0.48, _BROWN)
    for ring, count in ((0.34, 12), (0.18, 6)):
        for number in range(count):
            canvas.disc(_turned(np.array([(0, ring)]), number * 360 / count)[0], 0.045, _TAN, _TAN, 0)


def _tulip(canvas: _Canvas, petal: Colour) -> None:
    canvas.line(np.array([(0, -0.9), (0, -0.1)]), _darker(_SAGE), 0.13)
    for side in (-1, 1):
        leaf = _turned(_petal(0, 1.0, 0.3, 0.9, 1.0), -side * 33) + np.array((0, -0.88))
        canvas.shape(leaf, _SAGE)
    cup = _petal(0, 1.0, 0.62, 0.8, 0.8)
    for side in (-1, 1):
        canvas.shape(_turned(cup, -side * 17) + np.array((side * 0.13, -0.16)), petal)
    canvas.shape(_petal(-0.16, 0.86, 0.56, 0.75, 0.8), _lighter(petal), _darker(petal))


def _blossom(canvas: _Canvas, petal: Colour) -> None:
    for number in range(5):
        shape = _petal(0.0, 0.95, 0.98, 1.5, 0.7)
        shape[:, 1] -= 0.16 * np.exp(-((shape[:, 0] / 0.1) ** 2)) * (shape[:, 1] > 0.7)
        canvas.shape(_turned(shape, number * 72), petal)
    for number in range(10):
        tip = _turned(np.array([(0, 0), (0, 0.4)]), number * 36 + 18)
        canvas.line(tip, _darker(petal), 0.035)
        canvas.disc(tip[1], 0.05, _BROWN, _BROWN, 0)
    canvas.disc((0, 0), 0.15, _TAN)


def _poppy(canvas: _Canvas, petal: Colour) -> None:
    for number in (0, 2, 1, 3):
        canvas.shape(_turned(_ellipse(0, 0.4, 1.34, 1.06), number * 90), petal)
    for number in range(14):
        canvas.disc(_turned(np.array([(0, 0.36)]), number * 360 / 14)[0], 0.06, _IVORY, _IVORY, 0)
    canvas.disc((0, 0), 0.25, _SAGE, _BROWN, 0.07)


def _rose(canvas: _Canvas, petal: Colour) -> None:
    edge = _darker(petal)
    for radius, count, turn, size in ((0.58, 6, 0, 0.76), (0.36, 5, 20, 0.64), (0.17, 3, 50, 0.48)):
        for number in range(count):
            canvas.shape(_turned(_ellipse(0, radius, size, size), turn + number * 360 / count), petal, edge, 0.06)
    canvas.disc((0, 0), 0.21, _lighter(petal), edge, 0.06)
    canvas.line(_arc(0.1, 20, 250), edge, 0.06)


def _lily(canvas: _Canvas, petal: Colour) -> None:
    for turn, tone in ((30, _darker(petal)), (-30, petal)):
        for number in range(3):
            canvas.shape(_turned(_petal(0.0, 0.97, 0.54, 0.95, 0.9), turn + number * 120), tone, _darker(tone))
            canvas.line(_turned(np.array([(0, 0.15), (0, 0.68)]), turn + number * 120), _lighter(tone), 0.05)
    for number in range(6):
        tip = _turned(np.array([(0, 0), (0, 0.36)]), number * 60)
        canvas.line(tip, _IVORY, 0.05)
        canvas.disc(tip[1], 0.075, _BROWN, _BROWN, 0)


def _pansy(canvas: _Canvas, petal: Colour) -> None:
    for side in (-1, 1):
        canvas.shape(_turned(_ellipse(0, 0.44, 0.94, 0.98), side * 34), _darker(petal))
    for side in (-1, 1):
        canvas.shape(_turned(_ellipse(0, 0.45, 0.86, 0.9), side * 98), petal)
        canvas.shape(_turned(_ellipse(0, 0.3, 0.34, 0.4), side * 98), _BROWN)
    canvas.shape(_ellipse(0, -0.45, 1.1, 0.96), petal)
    canvas.shape(_ellipse(0, -0.3, 0.5, 0.46), _BROWN)
    canvas.disc((0, 0), 0.15, _IVORY, _TAN, 0.06)


_KINDS: dict[str, Callable[[_Canvas, Colour], None]] = {
    "daisy": _daisy,
    "sunflower": _sunflower,
    "tulip": _tulip,
    "blossom": _blossom,
    "poppy": _poppy,
    "rose": _rose,
    "lily": _lily,
    "pansy": _pansy,
}
