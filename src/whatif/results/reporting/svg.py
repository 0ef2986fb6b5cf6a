"""SVG drawings with the same bytes for the same numbers."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "whatif",  # ids in the file are derived from this salt and are not random
    "svg.fonttype": "path",  # the drawing looks the same if the font is not installed
    "font.family": "DejaVu Sans",  # included in matplotlib
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def svg(draw: Callable[[], Figure]) -> bytes:
    """The SVG of `draw` in our style, without a date. Its size fits the drawing, so nothing is cut off."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        out = io.BytesIO()
        metadata = {"Date": None, "Creator": "whatif"}
        draw().savefig(out, format="svg", metadata=metadata, bbox_inches="tight", pad_inches=0.08)
        return out.getvalue()


def new_figure(width: float, height: float) -> Figure:
    """An empty figure with this size in inches, and a canvas that can measure text."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=72, layout="constrained")  # an SVG has 72 pixels per inch
    FigureCanvasAgg(figure)
    return figure
