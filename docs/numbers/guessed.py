"""The picture of README.md: how many puzzles of C-VQA-Synthetic are answered without their images.

Its numbers come from the tables of docs/cvqa-synthetic.md (the released set) and from `metrics/` (ours, and the
reported ones). `python -m docs.tables` writes `docs/images/guessed.svg`, and a test compares it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from docs.numbers.markdown import ROOT
from whatif.results.reporting.table import from_csv

FILE = ROOT / "docs" / "images" / "guessed.svg"
_CHANCE = 25.0
_LEFT, _PER_POINT, _ROW, _TOP = 300, 6.2, 27, 62
_STYLE = """
  .card { fill: #ffffff; stroke: #d0d7de }
  text { fill: #1f2328; font: 14px system-ui, sans-serif }
  .heading { font-weight: 600 }
  .title { font-size: 16px; font-weight: 600 }
  .note, .chance { fill: #59636e; font-size: 12px }
  .with { fill: #8c959f } .released { fill: #bc4c00 } .ours { fill: #0969da }
  .axis { stroke: #59636e; stroke-dasharray: 4 3 } .ends { stroke: #1f2328 }
  @media (prefers-color-scheme: dark) {
    .card { fill: #151b23; stroke: #3d444d }
    text { fill: #f0f6fc }
    .note, .chance { fill: #9198a1 }
    .with { fill: #656c76 } .released { fill: #db6d28 } .ours { fill: #4493f8 }
    .axis { stroke: #9198a1 } .ends { stroke: #f0f6fc }
  }
"""


@dataclass(frozen=True)
class Bar:
    """A row of the picture: a percentage, and the ends of its interval where it has one."""

    name: str
    kind: str
    value: float
    ends: tuple[float, float] | None = None


def groups() -> list[tuple[str, list[Bar]]]:
    """The rows by heading: models that see the images, then rules that do not."""
    ours = from_csv((ROOT / "metrics/cvqa-synthetic/shortcuts.csv").read_text(encoding="utf-8"))
    ours = ours[(ours["variant"] == "original") & (ours["set"] == "ours")].set_index("rule")
    value, low, high = (ours[column].to_dict() for column in ("value", "low", "high"))
    own = {rule: (value[rule], (low[rule], high[rule])) for rule in ("rank", "forest")}
    rank, forest = _released()
    return [
        ("With the image: models, as the paper reports", _reported()),
        (
            "Without the image: the released puzzles",
            [Bar("always the second smallest option", "released", *rank), Bar("random forest", "released", *forest)],
        ),
        (
            "Without the image: the puzzles of whatif",
            [Bar("the best rank", "ours", *own["rank"]), Bar("random forest", "ours", *own["forest"])],
        ),
    ]


def svg() -> str:
    """The picture as text."""
    lines: list[str] = []
    y = _TOP
    for heading, bars in groups():
        y += 14
        lines.append(f'<text class="heading" x="24" y="{y}">{escape(heading)}</text>')
        y += 8
        for bar in bars:
            lines += _drawn(bar, y)
            y += _ROW
        y += 8
    height = y + 34
    chance = _x(_CHANCE)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" role="img" aria-labelledby="title">',
        '<title id="title">Right answers to the questions of C-VQA-Synthetic, with and without the images</title>',
        f"<style>{_STYLE}</style>",
        f'<rect class="card" x="0.5" y="0.5" width="759" height="{height - 1}" rx="8"/>',
        '<text class="title" x="24" y="32">Puzzles that are answered without their images</text>',
        '<text class="note" x="24" y="51">Right answers to the original questions of C-VQA-Synthetic, in percent, with'
        " 95% intervals</text>",
    ]
    tail = [
        f'<line class="axis" x1="{chance}" x2="{chance}" y1="{_TOP + 18}" y2="{y - 4}"/>',
        f'<text class="chance" x="{chance}" y="{y + 12}" text-anchor="middle">chance</text>',
        "</svg>",
    ]
    return "\n".join([*head, *lines, *tail]) + "\n"


def write() -> bool:
    """Writes the picture if it is not as it should be; whether it was not."""
    made = svg()
    if FILE.is_file() and FILE.read_text(encoding="utf-8") == made:
        return False
    FILE.write_text(made, encoding="utf-8")
    return True


def _drawn(bar: Bar, y: int) -> list[str]:
    lines = [
        f'<text x="{_LEFT - 10}" y="{y + 15}" text-anchor="end">{escape(bar.name)}</text>',
        f'<rect class="{bar.kind}" x="{_LEFT}" y="{y + 1}" width="{bar.value * _PER_POINT:.1f}" height="19" rx="2"/>',
    ]
    end = bar.value
    if bar.ends:
        low, end = bar.ends
        lines.append(
            f'<path class="ends" d="M{_x(low)} {y + 10.5}H{_x(end)}M{_x(low)} {y + 6}v9M{_x(end)} {y + 6}v9"/>'
        )
    return [*lines, f'<text class="heading" x="{_x(end) + 8:.1f}" y="{y + 15}">{bar.value:.1f}</text>']


def _x(value: float) -> float:
    return round(_LEFT + value * _PER_POINT, 1)


def _reported() -> list[Bar]:
    frame = from_csv((ROOT / "metrics/cvqa-synthetic/table7.csv").read_text(encoding="utf-8"))
    rows = frame[(frame["source"] == "reported") & (frame["variant"] == "original") & (frame["measure"] == "accuracy")]
    return [Bar(str(name), "with", float(value)) for name, value in zip(rows["name"], rows["value"], strict=True)]


def _released() -> list[tuple[float, tuple[float, float]]]:
    """Best rank and forest of the released set's original questions, from their table in docs/cvqa-synthetic.md."""
    text = (ROOT / "docs/cvqa-synthetic.md").read_text(encoding="utf-8")
    row = next(
        line for line in text.split("<!-- released shortcuts -->")[1].splitlines() if line.startswith("| original")
    )
    found = [tuple(map(float, re.findall(r"[\d.]+", cell))) for cell in row.split("|")[3:5]]
    return [(value, (low, high)) for value, low, high in found]
