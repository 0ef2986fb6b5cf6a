"""Figures 3 and 5 of C-VQA: the distribution of answers, and the gap between images of men and of women."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from whatif.results.reporting.numerals import p_value
from whatif.results.reporting.precision import percent
from whatif.results.reporting.svg import new_figure, svg
from whatif.scoring.statistics import GroupGap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"original": "#1b6ca8", "counterfactual": "#b5541c"}
_GENDER_COLOURS = ("#4c7d5a", "#8a5a96")
_LARGEST = 10  # larger answers share a bar if they are few
_FEW = 0.05  # share of the answers that may be in the last bar
_BARS = 12  # maximum number of bars of a variant


def answer_distribution(counts: Mapping[str, Mapping[str, Mapping[int, int]]]) -> bytes:
    """Figure 3 as an SVG: group -> variant -> answer -> number of questions; bars are percent of a group's questions.

    The paper has one panel per group and does not state which variant it shows. Here both variants are side by side.
    Answers above 10 share a bar. If they are more than 5% of all answers, every bar stands for a range of answers, such
    as 0-4, and all ranges have the same width. A group without questions has an empty panel that says so.
    """

    def draw() -> Figure:
        figure = new_figure(7.2, 3.2)
        panels = figure.subplots(1, max(1, len(counts)), sharey=True, squeeze=False)[0]
        width, bars = _bars(counts)
        for axes, (group, variants) in zip(panels, counts.items(), strict=False):
            for place, (variant, answers) in enumerate(variants.items()):
                total = sum(answers.values()) or 1
                shares = [0.0] * bars
                for answer, number in answers.items():
                    shares[min(answer // width, bars - 1)] += 100 * number / total
                at = [bar + 0.4 * (place - 0.5) for bar in range(bars)]
                axes.bar(at, shares, width=0.4, color=_COLOURS[variant], label=variant)
            axes.set_title(f"numerical {group}")
            labels = [_range(bar, width) for bar in range(bars - 1)]
            axes.set_xticks(range(bars), [*labels, f">{(bars - 1) * width - 1}"], rotation=0 if width == 1 else 45)
            axes.set_xlabel("answer")
            if not any(any(answers.values()) for answers in variants.values()):
                axes.text(0.5, 0.5, "no questions", transform=axes.transAxes, ha="center")
        panels[0].set_ylabel("percent of questions")
        if any(counts.values()):
            panels[-1].legend(frameon=False)
        return figure

    return svg(draw)


def _bars(counts: Mapping[str, Mapping[str, Mapping[int, int]]]) -> tuple[int, int]:
    """The number of answers that share a bar, and the number of bars, of which the last one has all larger answers."""
    every: Counter[int] = Counter()
    for variants in counts.values():
        for answers in variants.values():
            every.update(answers)

    def above(limit: int) -> int:
        return sum(number for answer, number in every.items() if answer > limit)

    few = _FEW * every.total()
    if above(_LARGEST) <= few:
        return 1, _LARGEST + 2
    widths = (step * 10**power for power in range(10) for step in (1, 2, 5))
    width = next(width for width in widths if above((_BARS - 1) * width - 1) <= few)
    return width, _BARS


def _range(bar: int, width: int) -> str:
    return str(bar) if width == 1 else f"{bar * width}-{(bar + 1) * width - 1}"


def gap_bars(
    gaps: Mapping[str, GroupGap],
    names: Mapping[str, str],
    why_empty: str = "no answers on images of annotated gender",
) -> bytes:
    """Figure 5 as an SVG: diff(male) and diff(female) of each model, in points, with their intervals.

    Without a model it is a line of text, `why_empty`, and has no axes (`gender_funnel.why_no_gap`).
    """

    def draw() -> Figure:
        if not gaps:
            figure = new_figure(6.4, 0.6)
            figure.text(0.5, 0.5, why_empty, ha="center", va="center", parse_math=False)
            return figure
        figure = new_figure(6.4, 1.6 + 0.45 * len(gaps))
        axes = figure.subplots()
        for place, gap in enumerate(gaps.values()):
            for side, (label, interval) in enumerate((("male", gap.first), ("female", gap.second))):
                value, low, high = (percent(end) for end in (interval.estimate, interval.low, interval.high))
                axes.barh(
                    place + 0.36 * (side - 0.5),
                    value,
                    height=0.34,
                    color=_GENDER_COLOURS[side],
                    xerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
                    error_kw={"elinewidth": 0.8, "capsize": 2},
                    label=label if place == 0 else None,
                )
            axes.text(1.01, place, f"p {p_value(gap.p)}", transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.set_yticks(range(len(gaps)), [names[model] for model in gaps], parse_math=False)
        axes.set_ylim(len(gaps) - 0.45, -0.55)  # the first model on top, with room for both bars of each
        axes.axvline(0, color="#8a8a8a", linewidth=0.8)
        axes.set_xlabel("accuracy on original minus counterfactual questions (points)")
        figure.legend(loc="outside upper center", ncols=2, frameon=False)  # inside, it would hide intervals
        return figure

    return svg(draw)
