"""Figures 3 and 5 of C-VQA: the distribution of answers, and the gap between images of men and of women."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from whatif.reporting.numerals import p_value
from whatif.reporting.precision import percent
from whatif.reporting.svg import new_figure, svg
from whatif.statistics import GroupGap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"original": "#1b6ca8", "counterfactual": "#b5541c"}
_GENDER_COLOURS = ("#4c7d5a", "#8a5a96")
_LARGEST = 10  # larger answers share a bar


def answer_distribution(counts: Mapping[str, Mapping[str, Mapping[int, int]]]) -> bytes:
    """Figure 3 as an SVG: group -> variant -> answer -> number of questions; bars are percent of a group's questions.

    The paper has one panel per group and does not state which variant it shows. Here both variants are side by side.
    """

    def draw() -> Figure:
        figure = new_figure(7.2, 3.2)
        panels = figure.subplots(1, len(counts), sharey=True, squeeze=False)[0]
        for axes, (group, variants) in zip(panels, counts.items(), strict=True):
            for place, (variant, answers) in enumerate(variants.items()):
                total = sum(answers.values()) or 1
                shares = [0.0] * (_LARGEST + 2)
                for answer, number in answers.items():
                    shares[min(answer, _LARGEST + 1)] += 100 * number / total
                at = [answer + 0.4 * (place - 0.5) for answer in range(_LARGEST + 2)]
                axes.bar(at, shares, width=0.4, color=_COLOURS[variant], label=variant)
            axes.set_title(f"numerical {group}")
            axes.set_xticks(range(_LARGEST + 2), [*map(str, range(_LARGEST + 1)), f">{_LARGEST}"])
            axes.set_xlabel("answer")
        panels[0].set_ylabel("percent of questions")
        panels[-1].legend(frameon=False)
        return figure

    return svg(draw)


def gap_bars(gaps: Mapping[str, GroupGap], names: Mapping[str, str]) -> bytes:
    """Figure 5 as an SVG: diff(male) and diff(female) of each model, in points, with their intervals."""

    def draw() -> Figure:
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
        axes.set_yticks(range(len(gaps)), [names[model] for model in gaps])
        axes.invert_yaxis()
        axes.axvline(0, color="#8a8a8a", linewidth=0.8)
        axes.set_xlabel("accuracy on original minus counterfactual questions (points)")
        if gaps:
            axes.legend(frameon=False)
        else:
            axes.set_title("no answers on images of annotated gender")
        return figure

    return svg(draw)
