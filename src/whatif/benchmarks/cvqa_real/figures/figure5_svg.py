"""Figure 5 of C-VQA: the drop on counterfactual questions for images of men and of women."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.cvqa_real.gender_annotations import GENDERS, coco_image_of
from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.results.reporting import declared
from whatif.results.reporting.numerals import p_value
from whatif.results.reporting.precision import percent
from whatif.results.reporting.svg import new_figure, svg
from whatif.scoring.statistics import GroupGap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = ("#4c7d5a", "#8a5a96")


def gap_bars(
    gaps: Mapping[str, GroupGap],
    names: Mapping[str, str],
    why_empty: str = "no answers on images of annotated gender",
) -> bytes:
    """Figure 5 as an SVG: diff(male) and diff(female) of each model, in points, with their intervals.

    Without a model it is a line of text, `why_empty`, and has no axes (`why_no_gap`).
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
                    color=_COLOURS[side],
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


def why_no_gap(questions: Iterable[Mapping[str, Any]], genders: Mapping[int, str] | None) -> str:
    """Why Figure 5 shows no model, in words; to be used only if it shows none."""
    images = [coco_image_of(question) for question in questions]
    if images and not any(image is not None for image in images):
        return "The images are drawn scenes, which show no people."
    if genders is None:
        return "No annotations of perceived gender were given."
    if not any(genders.get(image) in GENDERS for image in images if image is not None):
        return "No image of the set has people of one annotated gender."
    return "No model answered questions about images of one annotated gender."


FIGURE: declared.Figure[RealResults] = declared.Figure(
    lambda found, tables: gap_bars(found.gaps, found.names, why_no_gap(found.questions, found.perceived)),
    above="gender",
)
