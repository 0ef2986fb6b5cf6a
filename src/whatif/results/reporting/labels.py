"""Names beside the points of a plot: in one column to the right of the axes, where no two can overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 8.0  # points
LINE = 1.45 * FONT_SIZE  # points from one label to the next
_COLUMN = 1.03  # where the column begins; the axes are 1 wide
_LINE_STYLE = {"arrowstyle": "-", "color": "#8a8a8a", "linewidth": 0.4, "shrinkA": 1, "shrinkB": 3}


@dataclass(frozen=True)
class Label:
    """A name, the position of its point in the data, and its colour."""

    text: str
    x: float
    y: float
    colour: str


def height_for(number: int) -> float:
    """The height of axes, in points, beside which a column of `number` labels fits."""
    return number * LINE


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Positions in the order of the `wanted` ones, which ascend, at least `distance` apart and as near as possible.

    They lie between `low` and `high` if there is room, otherwise around the middle of both. Blocks of neighbours that
    are too close are merged and centred on the mean of what they want, which is the least-squares solution.
    """
    blocks: list[tuple[float, int]] = []  # where the first one would be by its mean, number of positions
    for place, one in enumerate(wanted):
        start, number = one - place * distance, 1
        while blocks and blocks[-1][0] >= start:
            before, count = blocks.pop()
            start, number = (before * count + start * number) / (count + number), number + count
        blocks.append((start, number))
    last = (len(wanted) - 1) * distance
    room = high - low - last
    found: list[float] = []
    for start, number in blocks:
        inside = min(max(start, low), low + room) if room >= 0 else (low + high - last) / 2
        found += [inside + (len(found) + place) * distance for place in range(number)]
    return found


def place_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Writes the labels in a column to the right of the axes, each with a thin line to its point.

    The layout of the figure must be final, because the labels are placed by the size of the axes.
    """
    box = axes.get_window_extent()
    points = 72 / axes.figure.dpi
    height = box.height * points
    ordered = sorted(labels, key=lambda one: (one.y, one.x, one.text))
    to_axes = axes.transLimits
    wanted = [float(to_axes.transform((one.x, one.y))[1]) * height for one in ordered]
    for one, place in zip(ordered, spread(wanted, LINE, 0.0, height), strict=True):
        axes.annotate(
            one.text.replace("$", r"\$"),
            (one.x, one.y),
            (_COLUMN, place / height),
            textcoords="axes fraction",
            fontsize=FONT_SIZE,
            color=one.colour,
            va="center",
            ha="left",
            annotation_clip=False,
            arrowprops={**_LINE_STYLE, "relpos": (0.0, 0.5)},  # the line ends at the middle of the label's left side
        )
