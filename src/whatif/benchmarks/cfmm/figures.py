"""Figure 4 of CFMM, and a plot of the totals of each system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from whatif.benchmarks.cfmm.measures import ACCURACIES, ALL
from whatif.benchmarks.cfmm.set_tables import COUNTERFACTUAL_KIND, SetStatistics
from whatif.benchmarks.cfmm.tables import Results
from whatif.results.reporting.precision import percent
from whatif.results.reporting.svg import new_figure, svg
from whatif.scoring.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#1b6ca8", "#b5541c", "#4c7d5a", "#8a5a96", "#8f7a1f", "#555555")
_GREY = "#8a8a8a"
_WORDS = 60  # in the cloud at most
_SMALLEST, _LARGEST = 7.0, 34.0  # font sizes in points
_GAP = 2.0  # pixels on both sides of a word
_STEPS = 4000  # places on the spiral that are tried for a word
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def figure4(found: SetStatistics) -> bytes:
    """Figure 4 as an SVG: (a) items by category, (b) words of answers, (c, d) words in a basic and in a counterfactual
    question. The same set gives the same bytes.
    """

    def draw() -> Figure:
        figure = new_figure(9.0, 6.4)
        (bars, cloud), (basic, counterfactual) = figure.subplots(2, 2)
        places = range(len(found.items))
        drawn = bars.bar(places, list(found.items.values()), color=_COLOURS[0])
        bars.bar_label(drawn, [f"{number:,}" for number in found.items.values()], fontsize=8)
        bars.set_xticks(places, list(found.items))
        bars.set_ylabel("items")
        bars.yaxis.get_major_locator().set_params(integer=True)
        bars.margins(y=0.1)  # room for the numbers
        bars.set_title("(a) items by category")
        cloud.set_title("(b) words of the right answers")
        cloud.set_axis_off()
        longest = max((length for lengths in found.lengths.values() for length in lengths), default=1)
        for axes, kind, letter in ((basic, "basic", "c"), (counterfactual, COUNTERFACTUAL_KIND, "d")):
            lengths = found.lengths[kind]
            counts = np.bincount(lengths, minlength=longest + 1) if lengths else np.zeros(longest + 1)
            axes.bar(range(longest + 1), counts, width=0.9, color=_COLOURS[1 if letter == "d" else 0])
            axes.set_title(f"({letter}) words in a {kind} question")
            axes.set_xlabel("words")
            axes.set_ylabel("questions")
            axes.yaxis.get_major_locator().set_params(integer=True)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # the words are placed on the current layout
        _place_words(cloud, word_counts(found.answers))
        return figure

    return svg(draw)


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
        text = axes.text(0.5, 0.5, word, fontsize=size, color=_COLOURS[place % len(_COLOURS)], ha="center", va="center")
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


def totals_figure(results: Results) -> bytes:
    """An SVG of acc_b, acc_c and acc_plus of each of our systems, with intervals by image.

    Shown is the mean over the categories in percent, which is the total divided by their number; a system that was not
    asked questions of each category has the mean over its questions.
    """

    def draw() -> Figure:
        number = len(results.systems)
        figure = new_figure(7.2, 1.5 + 0.55 * number)
        axes = figure.subplots()
        labels = []
        for place, (system, found) in enumerate(results.systems.items()):
            of_system = results.place(system)
            labels.append(f"{of_system['name']}, {of_system['prompt']}")
            for side, name in enumerate(ACCURACIES):
                interval = _mean(results, found.totals.accuracies[name] if found.totals else None)
                shown = interval or found.scores[ALL].accuracies[name]
                value, low, high = (percent(end) for end in (shown.estimate, shown.low, shown.high))
                axes.errorbar(
                    value,
                    place + 0.22 * (side - 1),
                    xerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
                    fmt="o",
                    markersize=4,
                    elinewidth=1,
                    capsize=2,
                    color=_COLOURS[side],
                    label=name if place == 0 else None,
                )
        for chance in (25, 50):
            axes.axvline(chance, color=_GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        axes.set_yticks(range(number), labels)
        axes.set_ylim(number - 0.4, -0.6)
        axes.set_xlim(0, 100)
        axes.set_xlabel(_axis(results))
        if number:
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
        return figure

    return svg(draw)


def _axis(results: Results) -> str:
    """What the axis shows; only a system with a total has a mean over the categories."""
    all_have = all(found.totals is not None for found in results.systems.values())
    shown = "mean over categories" if all_have else "mean over categories, or over questions without a total"
    return f"{shown} (%); dashed: random answers, 50 and 25 for acc_plus"


def _mean(results: Results, total: Interval | None) -> Interval | None:
    number = len(results.questions.categories)
    return None if total is None else Interval(total.estimate / number, total.low / number, total.high / number)
