"""Draws the rules of the graph: a band for each benchmark, a column for each stage, a box for each rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from whatif.engine.errors import WhatifError
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.steps import Step
from whatif.engine.params.base import STAGES

_BOX_WIDTH, _BOX_HEIGHT = 118, 24
_COLUMN, _ROW = 168, 34  # from one column or box to the next
_LEFT, _TOP, _GAP = 16, 40, 34  # margin, height of the headings, height of a band's name
_BEND = 22  # how far a line in one column reaches to the right
_STYLE = """
:root { --line: #6b7280; --box: #eef4fa; --edge: #1b6ca8; --text: #1f2430; --band: #d5d9e0; --page: #ffffff; }
@media (prefers-color-scheme: dark) {
  :root { --line: #9aa3b2; --box: #23303d; --edge: #7db8e8; --text: #e8eaee; --band: #3a404a; --page: #14171c; }
}
text { font: 12px system-ui, sans-serif; fill: var(--text); }
.stage, .benchmark { font-weight: 600; }
.jobs { font-size: 10px; fill: var(--line); }
.page { fill: var(--page); }
.box { fill: var(--box); stroke: var(--edge); }
.band { stroke: var(--band); }
.input { fill: none; stroke: var(--line); stroke-width: 1; opacity: 0.75; }
.other { stroke-dasharray: 4 3; }
"""


@dataclass(frozen=True)
class _Box:
    step: Step
    x: float
    y: float
    jobs: int


def rule_graph(graph: Graph, benchmarks: Sequence[str] = ()) -> str:
    """The rules of some benchmarks, or of all that `params.yaml` selects, as an SVG.

    The number of a rule's jobs is in its box. Lines lead from each rule to those that read its outputs, dashed where
    they are of another benchmark; a line is left out where others lead the same way. The same graph gives the same
    text.

    Raises WhatifError when a benchmark is not selected.
    """
    if unknown := sorted(set(benchmarks) - set(graph.benchmarks)):
        raise WhatifError(f"{unknown[0]}: is not among the benchmarks of params.yaml ({', '.join(graph.benchmarks)})")
    shown = list(benchmarks) or list(graph.benchmarks)
    shown = [name for name in graph.benchmarks if name in shown]
    boxes, bands, height = _placed(graph, shown)
    stages = [stage for stage in STAGES if any(box.step.stage == stage for box in boxes.values())]
    width = 2 * _LEFT + _COLUMN * (len(stages) - 1) + _BOX_WIDTH + _BEND
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(_described(graph, shown))}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{width}" height="{height}"/>',
    ]
    for place, stage in enumerate(stages):
        middle = _LEFT + place * _COLUMN + _BOX_WIDTH / 2
        parts.append(f'<text class="stage" x="{middle:g}" y="22" text-anchor="middle">{stage}</text>')
    for name, top in bands.items():
        parts.append(f'<line class="band" x1="0" x2="{width}" y1="{top}" y2="{top}"/>')
        parts.append(f'<text class="benchmark" x="{_LEFT}" y="{top + 18}">{escape(name)}</text>')
    parts += _lines(graph, boxes)
    parts += [part for box in boxes.values() for part in _drawn(box)]
    return "\n".join([*parts, "</svg>", ""])


def _placed(graph: Graph, shown: Sequence[str]) -> tuple[dict[Step, _Box], dict[str, int], int]:
    """The box of each step, the top of each benchmark's band, and the height of the drawing."""
    stages = [stage for stage in STAGES if any(graph.benchmarks[name].steps_of(stage) for name in shown)]
    boxes: dict[Step, _Box] = {}
    bands: dict[str, int] = {}
    top = _TOP
    for name in shown:
        bands[name] = top
        rows = 0
        for column, stage in enumerate(stages):
            steps = graph.benchmarks[name].steps_of(stage)
            rows = max(rows, len(steps))
            for row, step in enumerate(steps):
                place = _LEFT + column * _COLUMN, top + _GAP + row * _ROW
                boxes[step] = _Box(step, *place, len(graph.jobs_of(step)))
        top += _GAP + rows * _ROW
    return boxes, bands, top


def _lines(graph: Graph, boxes: Mapping[Step, _Box]) -> Iterator[str]:
    """A line for each pair of a rule and one that reads its outputs, unless other lines lead there."""
    makers = {step: _makers(graph, step, boxes) for step in boxes}
    behind: dict[Step, set[Step]] = {}

    def before(step: Step) -> set[Step]:
        """All shown rules that lead to this one."""
        if step not in behind:
            behind[step] = set(makers[step]).union(*map(before, makers[step]))
        return behind[step]

    for step, box in boxes.items():
        implied = set[Step]().union(*map(before, makers[step]))
        for maker in makers[step]:
            if maker not in implied:
                other = " other" if maker.benchmark != step.benchmark else ""
                yield f'<path class="input{other}" d="{_curve(boxes[maker], box)}"/>'


def _makers(graph: Graph, step: Step, boxes: Mapping[Step, _Box]) -> list[Step]:
    """The shown rules whose outputs a rule reads."""
    found = dict.fromkeys(graph.maker(step, given) for given in step.inputs.values())
    return [maker for maker in found if maker is not None and maker in boxes]


def _curve(start: _Box, end: _Box) -> str:
    x, y = start.x + _BOX_WIDTH, start.y + _BOX_HEIGHT / 2
    to_x, to_y = end.x, end.y + _BOX_HEIGHT / 2
    if start.x < end.x:
        bend = (to_x - x) / 2 if to_x - x < _COLUMN else _COLUMN / 4
        return f"M{x:g} {y:g}C{x + bend:g} {y:g} {to_x - bend:g} {to_y:g} {to_x:g} {to_y:g}"
    # In the same column, the line leaves and enters on the right.
    bend = x + _BEND
    return f"M{x:g} {y:g}C{bend:g} {y:g} {bend:g} {to_y:g} {x:g} {to_y:g}"


def _drawn(box: _Box) -> Iterator[str]:
    step = box.step
    label = escape(step.name or step.stage)
    jobs = f"{box.jobs:,} job{'' if box.jobs == 1 else 's'}"
    yield f"<g><title>{escape(step.rule)}: {jobs}</title>"
    yield f'<rect class="box" x="{box.x:g}" y="{box.y:g}" width="{_BOX_WIDTH}" height="{_BOX_HEIGHT}" rx="4"/>'
    yield f'<text x="{box.x + 8:g}" y="{box.y + 16:g}">{label}</text>'
    end = box.x + _BOX_WIDTH - 6
    yield f'<text class="jobs" x="{end:g}" y="{box.y + 16:g}" text-anchor="end">{box.jobs}</text></g>'


def _described(graph: Graph, shown: Sequence[str]) -> str:
    steps = [step for name in shown for step in graph.benchmarks[name].steps]
    jobs = sum(len(graph.jobs_of(step)) for step in steps)
    return f"The rules of {', '.join(shown)}: {len(steps)} rules, {jobs:,} jobs"
