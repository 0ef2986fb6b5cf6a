"""The funnel as a picture: the share of what came into each stage that went on, and why the rest was rejected."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatif.results.reporting.numerals import count
from whatif.results.reporting.svg import new_figure, svg

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_KEPT, _REJECTED = "#1b6ca8", "#e0c3b0"
_BAR, _ROW, _AROUND = 3.2, 0.3, 0.9  # inches: width of a whole bar, height of a stage, above and below the stages
_LABELS = 5.6  # inches: of the names and counts beside the bars
_REASONS = 2  # that are named beside a bar, most frequent first
_LONGEST = 70  # characters of the text beside a bar


@dataclass(frozen=True)
class Stage:
    """A stage of the funnel: its name and unit, the counts in and out, and the rejected by reason."""

    name: str
    unit: str
    came_in: int
    went_on: int
    rejected: dict[str, int]


def stages_of(frame: pd.DataFrame) -> list[Stage]:
    """The stages of the tidy frame of the table `funnel`, in its order."""
    found: dict[tuple[str, str], Stage] = {}
    counts: dict[tuple[str, str], dict[str, int]] = {}
    why: dict[tuple[str, str], dict[str, int]] = {}
    for row in frame.to_dict("records"):
        key = (row["stage"], row["unit"])
        if row["measure"] == "rejected because":
            why.setdefault(key, {})[row["reason"]] = int(row["value"])
        else:
            counts.setdefault(key, {})[row["measure"]] = int(row["value"])
    for key, of_stage in counts.items():
        found[key] = Stage(*key, of_stage["in"], of_stage["out"], why.get(key, {}))
    return list(found.values())


def funnel_plot(stages: Sequence[Stage], title: str) -> bytes:
    """An SVG with one bar for each stage into which anything came; the same stages give the same bytes."""
    return svg(lambda: _draw([stage for stage in stages if stage.came_in], title))


def _draw(stages: Sequence[Stage], title: str) -> Figure:
    figure = new_figure(_BAR + _LABELS, _AROUND + _ROW * max(1, len(stages)))
    axes = figure.subplots()
    places = range(len(stages))
    kept = [100 * stage.went_on / stage.came_in for stage in stages]
    axes.barh(places, kept, color=_KEPT, height=0.62)
    axes.barh(places, [100 - share for share in kept], left=kept, color=_REJECTED, height=0.62)
    axes.set(xlim=(0, 100), ylim=(max(1, len(stages)) - 0.4, -0.6), title=title)
    axes.set_xlabel("went on (dark) and was rejected (light), % of what came in")
    axes.set_yticks(places, [_plain(stage.name) for stage in stages])
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(places, [_plain(_written(stage)) for stage in stages], fontsize=8)
    for one in (beside, axes):
        one.tick_params(axis="y", length=0)
    beside.spines["right"].set_visible(False)
    return figure


def _written(stage: Stage) -> str:
    """The counts of a stage, and its most frequent reasons."""
    text = f"{count(stage.went_on)} of {count(stage.came_in)} {stage.unit}"
    ordered = sorted(stage.rejected.items(), key=lambda one: (-one[1], one[0]))
    if not ordered:
        return text
    named = ", ".join(f"{reason} {count(number)}" for reason, number in ordered[:_REASONS])
    more = f", {len(ordered) - _REASONS} more reasons" if len(ordered) > _REASONS else ""
    return textwrap.shorten(f"{text}; {named}{more}", _LONGEST, placeholder=" ...")


def _plain(text: str) -> str:
    return text.replace("$", r"\$")
