"""Figure 4 of CFMM: items by category, words of the answers, and the number of words in both kinds of questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from whatif.benchmarks.cfmm.options import right_option
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.benchmarks.cfmm.tables.set import KINDS, kind_of
from whatif.results.reporting.declared import Figure as Drawn
from whatif.results.reporting.dot_plot import COLOURS
from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WORDS = 60  # in the cloud at most
_SMALLEST, _LARGEST = 7.0, 34.0  # font sizes in points
_GAP = 2.0  # pixels on both sides of a word
_STEPS = 4000  # places on the spiral that are tried for a word
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def _draw(found: Cfmm) -> Figure:
    questions = found.questions
    of_category = Counter(row["group"] for row in questions if row["variant"] == BASIC)
    items = {name: of_category[name] for name in found.asked.categories}
    lengths = {kind: [len(row["question"].split()) for row in questions if kind_of(row) == kind] for kind in KINDS}
    figure = new_figure(9.0, 6.4)
    (bars, cloud), below = figure.subplots(2, 2)
    places = range(len(items))
    drawn = bars.bar(places, list(items.values()), color=COLOURS[0])
    bars.bar_label(drawn, [f"{number:,}" for number in items.values()], fontsize=8)
    bars.set_xticks(places, list(items))
    bars.set_ylabel("items")
    bars.yaxis.get_major_locator().set_params(integer=True)
    bars.margins(y=0.1)  # room for the numbers
    bars.set_title("(a) items by category")
    cloud.set_title("(b) words of the right answers")
    cloud.set_axis_off()
    longest = max((length for of_kind in lengths.values() for length in of_kind), default=1)
    for place, (axes, (kind, of_kind)) in enumerate(zip(below, lengths.items(), strict=True)):
        counts = np.bincount(of_kind, minlength=longest + 1) if of_kind else np.zeros(longest + 1)
        axes.bar(range(longest + 1), counts, width=0.9, color=COLOURS[place])
        axes.set_title(f"({'cd'[place]}) words in a {kind} question")
        axes.set_xlabel("words")
        axes.set_ylabel("questions")
        axes.yaxis.get_major_locator().set_params(integer=True)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the words are placed on the current layout
    _place_words(cloud, word_counts([right_option(row) for row in questions]))
    return figure


def word_counts(texts: Sequence[str]) -> list[tuple[str, int]]:
    """The words of texts in lower case with their numbers, the most frequent first, then by the alphabet."""
    counts = Counter(word for text in texts for word in _WORD.findall(text.casefold()))
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def _place_words(axes: Axes, words: Sequence[tuple[str, int]]) -> None:
    """Writes the most frequent words without overlap, from the middle outwards; what does not fit is left out.

    The area of a word grows with its number.
    """
    figure = axes.get_figure(root=True)
    if figure is None or not words:
        return
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    frame = axes.get_window_extent(renderer)
    moves = _spiral() * (frame.width, frame.height)  # in pixels, from the middle
    limits = np.array([frame.x0, frame.y0, frame.x1, frame.y1])
    taken = np.empty((0, 4))
    for place, (word, number) in enumerate(words[:_WORDS]):
        size = max(_SMALLEST, _LARGEST * (number / words[0][1]) ** 0.5)
        text = axes.text(0.5, 0.5, word, fontsize=size, color=COLOURS[place % len(COLOURS)], ha="center", va="center")
        text.set_transform(axes.transAxes)
        extent = text.get_window_extent(renderer)
        corners = np.array([extent.x0 - _GAP, extent.y0, extent.x1 + _GAP, extent.y1])
        boxes = corners + np.tile(moves, 2)
        free = (boxes[:, :2] >= limits[:2]).all(axis=1) & (boxes[:, 2:] <= limits[2:]).all(axis=1)
        one, others = boxes[:, np.newaxis], taken[np.newaxis]
        both = np.concatenate([one[..., :2] < others[..., 2:], one[..., 2:] > others[..., :2]], axis=-1)
        free &= np.count_nonzero(both.all(axis=2), axis=1) == 0
        if not free.any():
            text.remove()
            continue
        first = int(np.argmax(free))
        text.set_position((0.5 + moves[first, 0] / frame.width, 0.5 + moves[first, 1] / frame.height))
        taken = np.vstack([taken, boxes[first]])


def _spiral() -> npt.NDArray[np.float64]:
    """Distances from the middle of the unit square, outwards (steps x 2)."""
    step = np.arange(_STEPS)
    angle, radius = 1.4 * step**0.5, 0.72 * (step / _STEPS) ** 0.5
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _figure(found: Cfmm, tables: Mapping[str, Table]) -> bytes:
    return svg(lambda: _draw(found))


FIGURE = Drawn(_figure, above="set")
