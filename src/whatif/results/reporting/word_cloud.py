"""Word clouds with the same layout on every machine.

The layout is computed here from the outlines of the font that comes with matplotlib. The library `wordcloud` measures
words with Pillow, which shapes text differently where the system has the library FriBidi, so its layout depends on the
machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

_COLOURS = ("#1b6ca8", "#b5541c", "#4c7d5a", "#8a5a96")
_LARGEST, _SMALLEST = 44.0, 6.5  # font sizes in points
_SHRINK = 0.92  # factor by which all fonts are reduced until the words fit
_STEP = 2.5  # points between the positions that are tried
_GAP = (4.0, 1.5)  # points that remain free beside a word, so that two words do not read as one, and above it
_UNITS = 100.0  # the font size at which matplotlib gives outlines


@dataclass(frozen=True)
class Placed:
    """A word of a cloud: its font size, and its box, all in points, from the lower left corner of the cloud."""

    word: str
    size: float
    left: float
    bottom: float
    right: float
    top: float


def word_cloud(words: Iterable[tuple[str, int]], width: float, height: float) -> list[Placed]:
    """The places of words in a cloud of `width` x `height` points, the most frequent word first.

    words: (word, count). Words of equal count are in alphabetical order. The font size of a word grows with the square
    root of its count, and is never below a minimum. Each word is as near to the centre as the words before it allow,
    and the fonts are as large as they can be if all words are to fit. No two boxes overlap. Words that do not fit even
    in the smallest font are left out, and so are words with a character that the font lacks.
    """
    ordered = sorted(words, key=lambda item: (-item[1], item[0]))
    shown = [(word, count) for word, count in ordered if word.strip() and _can_draw(word) and _extent(word)[0] < width]
    largest = _LARGEST
    while True:
        placed = _placed(shown, largest, width, height)
        if len(placed) == len(shown) or largest <= _SMALLEST:
            return placed
        largest = max(_SMALLEST, _SHRINK * largest)


def _placed(words: Sequence[tuple[str, int]], largest: float, width: float, height: float) -> list[Placed]:
    """The places if the first word has the font size `largest`; it ends early if a word does not fit."""
    centres = _centres(width, height)
    boxes = np.empty((0, 4))
    found: list[Placed] = []
    for word, count in words:
        size = max(_SMALLEST, largest * (count / words[0][1]) ** 0.5)
        half = _extent(word) * size / _SMALLEST / 2
        place = _first_free(centres, half, boxes, (width, height))
        if place is not None:
            left, bottom, right, top = (float(edge) for edge in (*(place - half), *(place + half)))
            found.append(Placed(word, size, left, bottom, right, top))
            boxes = np.vstack([boxes, [left, bottom, right, top]])
        elif largest > _SMALLEST:
            break
    return found


def draw_cloud(figure: Figure, placed: Sequence[Placed], corner: tuple[float, float]) -> None:
    """Draws a cloud on a figure; `corner` is its lower left corner, in points from that of the figure."""
    width, height = (72 * side for side in figure.get_size_inches())
    for place, one in enumerate(placed):
        x, y, *_ = (edge * one.size / _UNITS for edge in _box(one.word))
        figure.text(
            (corner[0] + one.left - x) / width,
            (corner[1] + one.bottom - y) / height,
            one.word,
            color=_COLOURS[place % len(_COLOURS)],
            fontproperties=_font(),
            fontsize=one.size,
            va="baseline",
            parse_math=False,
        )


def _centres(width: float, height: float) -> npt.NDArray[np.float64]:
    """The positions that are tried, from the centre outwards in ellipses of the shape of the cloud."""
    across, up = np.arange(0.0, width + _STEP, _STEP), np.arange(0.0, height + _STEP, _STEP)
    x, y = (axis.ravel() for axis in np.meshgrid(across, up))
    distance = ((x - width / 2) / width) ** 2 + ((y - height / 2) / height) ** 2
    order = np.lexsort((x, y, np.round(distance, 9)))
    return np.column_stack([x, y])[order]


def _first_free(
    centres: npt.NDArray[np.float64],
    half: npt.NDArray[np.float64],
    boxes: npt.NDArray[np.float64],
    limits: tuple[float, float],
) -> npt.NDArray[np.float64] | None:
    """The first centre at which a word of twice `half` is inside the cloud and free of `boxes`; None if there is none.

    centres: (n, 2). boxes: (m, 4), each with its left, bottom, right and top.
    """
    gap = np.array(_GAP)
    low, high = centres - half, centres + half
    free = np.flatnonzero((low >= 0).all(axis=1) & (high <= np.array(limits)).all(axis=1))
    for box in boxes:
        apart = (low[free] >= box[2:] + gap) | (high[free] <= box[:2] - gap)
        free = free[apart.any(axis=1)]
    return centres[free[0]] if len(free) else None


@cache
def _font() -> FontProperties:
    import matplotlib as mpl
    from matplotlib.font_manager import FontProperties

    # The file itself: a font of this name may also be installed in another version.
    return FontProperties(fname=FilePath(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")


@cache
def _known() -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(str(_font().get_file())).get_charmap())


def _can_draw(word: str) -> bool:
    return all(ord(character) in _known() for character in word)


def _extent(word: str) -> npt.NDArray[np.float64]:
    """The width and height of a word in the smallest font, in points."""
    return np.array(_box(word)[2:]) * _SMALLEST / _UNITS


@lru_cache(4_096)
def _box(word: str) -> tuple[float, float, float, float]:
    """The left and lower edge of a word's outline from where its text begins, its width and its height, at `_UNITS`."""
    from matplotlib.path import Path
    from matplotlib.textpath import text_to_path

    points, codes = text_to_path.get_text_path(_font(), word)
    box = Path(points, codes).get_extents()
    return float(box.x0), float(box.y0), float(box.width), float(box.height)
