"""Small figures within tables, as inline SVG: numbers with their intervals on an axis, and bars of counts.

The table that holds one also prints its numbers; the text alternative repeats them in one sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whatif.results.reporting.numerals import decimal, interval_text

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 190, 26  # pixels
_EDGE = 13  # pixels left and right of the axis
_TICKS = (0, 50, 100)
_LINES = (0, 25, 50, 75, 100)
_ONE = decimal(1)


@dataclass(frozen=True)
class Number:
    """A number of a table with the ends of its interval, the number of observations, and the p-value of its test."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    p: float | None = None

    @property
    def text(self) -> str:
        """With one decimal."""
        return _ONE(self.value)

    @property
    def range(self) -> str:
        """The ends of the interval; empty if there is none."""
        return "" if self.low is None or self.high is None else interval_text(self.low, self.high, _ONE)

    @property
    def whole(self) -> str:
        """The number, with its interval in parentheses."""
        return f"{self.text} ({self.range})" if self.range else self.text


def axis() -> Markup:
    """The axis of percentages above a column of `dots`; hidden from screen readers."""
    from markupsafe import Markup

    drawn = [f'<text class="ticks" x="{_x(one):g}" y="11" text-anchor="middle">{one}</text>' for one in _TICKS]
    return Markup(
        f'<svg class="marks" width="{WIDTH}" height="15" viewBox="0 0 {WIDTH} 15" aria-hidden="true">'
        f"{''.join(drawn)}</svg>"
    )


def dots(numbers: Sequence[tuple[str, str, Number]], chance: Number | None = None) -> Markup:
    """Percentages on one axis from 0 to 100: `(kind, name, number)`, drawn as dots with their intervals as whiskers.

    kind: the class of its colour and shape, `original` (a dot), `counterfactual` (a diamond) or `single`. Two numbers
    are joined by a line. A number outside the axis is drawn at its end. `chance` is a dashed line.
    """
    from markupsafe import Markup, escape

    middle = HEIGHT / 2
    drawn = [f'<line class="axis" x1="{_x(one):g}" x2="{_x(one):g}" y1="0" y2="{HEIGHT}"/>' for one in _LINES]
    if chance is not None:
        x = _x(chance.value)
        drawn.append(f'<line class="chance" x1="{x:g}" x2="{x:g}" y1="0" y2="{HEIGHT}"/>')
    places = [_x(number.value) for _, _, number in numbers]
    if len(places) > 1:
        drawn.append(
            f'<line class="between" x1="{min(places):g}" x2="{max(places):g}" y1="{middle:g}" y2="{middle:g}"/>'
        )
    for position, (kind, _, number) in enumerate(numbers):
        # Whiskers are apart from each other, since intervals often overlap.
        y = middle + (0 if len(numbers) == 1 else (-3.5 if position == 0 else 3.5))
        if number.low is not None and number.high is not None:
            low, high = _x(number.low), _x(number.high)
            path = f"M{low:g} {y - 2:g}v4M{low:g} {y:g}H{high:g}M{high:g} {y - 2:g}v4"
            drawn.append(f'<path class="whisker {kind}" d="{path}"/>')
        x = _x(number.value)
        drawn.append(
            f'<path class="{kind}" d="M{x - 4.5:g} {y:g}l4.5 -4.5 4.5 4.5 -4.5 4.5z"/>'
            if kind == "counterfactual"
            else f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="3.6"/>'
        )
    named = [*((name, number) for _, name, number in numbers), *([("chance", chance)] if chance else [])]
    words = "; ".join(f"{name} {number.whole}" for name, number in named)
    return Markup(
        f'<svg class="marks" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(words)}">{"".join(drawn)}</svg>'
    )


def share_bar(part: float, whole: float, words: str) -> Markup:
    """A bar of which `part` of `whole` is filled; `words` is its text alternative."""
    from markupsafe import Markup, escape

    filled = 0.0 if whole == 0 else (WIDTH - 1) * min(1.0, part / whole)
    return Markup(
        f'<svg class="marks" width="{WIDTH}" height="14" viewBox="0 0 {WIDTH} 14" role="img" '
        f'aria-label="{escape(words)}"><rect class="track" x="0.5" y="1.5" width="{WIDTH - 1}" height="11"/>'
        f'<rect class="kept" x="0.5" y="1.5" width="{filled:.4g}" height="11"/></svg>'
    )


def _x(percent: float) -> float:
    """Place of a percentage on the axis, in pixels."""
    return round(_EDGE + (WIDTH - 2 * _EDGE) * min(100.0, max(0.0, percent)) / 100, 2)
