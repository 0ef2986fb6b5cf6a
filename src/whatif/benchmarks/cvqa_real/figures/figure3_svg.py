"""Figure 3 of C-VQA: the distribution of answers in the numerical groups of the main set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.tables.answers import answer_counts
from whatif.results.reporting import declared
from whatif.results.reporting.svg import new_figure, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"original": "#1b6ca8", "counterfactual": "#b5541c"}
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


FIGURE: declared.Figure[RealResults] = declared.Figure(
    lambda found, tables: answer_distribution(answer_counts(found.main_set)), above="answers"
)
