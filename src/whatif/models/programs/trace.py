"""A page that shows how one program ran: its steps or calls of tools, their values, and parts of the image."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

from whatif.engine.files.page_policy import policy_of
from whatif.models.programs.interfaces import Box, Finished, Picture, Toolset
from whatif.models.programs.tool_calls import ToolCalls

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_ROWS = 200
_LARGEST_SIDE = 320  # pixels of a picture on the page
_LONGEST_VALUE = 400  # characters
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: .5rem; border: 1px solid #8888; }
ol { padding-left: 2rem; }
li { border-top: 1px solid #8888; padding: .75rem 0; }
code { overflow-wrap: anywhere; }
img { display: block; max-width: 100%; margin-top: .5rem; border: 1px solid #8888; }
"""
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{ question }}</title>
<link rel="icon" href="data:,">
<style>{{ style }}</style>
</head>
<body>
<h1>{{ question }}</h1>
<p>{{ ending }}</p>
<img src="{{ whole }}" alt="The image of the question">
<pre>{{ code }}</pre>
<ol>
{% for row in rows %}
<li><code>{{ row.text }}</code><br>{{ row.value }}
{% if row.picture %}<img src="{{ row.picture }}" alt="{{ row.caption }}">{% endif %}
</li>
{% endfor %}
</ol>
{% if left_out %}<p>{{ left_out }} further calls are not shown.</p>{% endif %}
</body>
</html>
"""


@dataclass(frozen=True)
class Row:
    """What a step or a call looked at: a part of the image, with the boxes that it gave."""

    text: str
    value: str
    part: Box | None
    boxes: tuple[Box, ...]


class TracedCalls(ToolCalls):
    """Calls of tools of which each is kept, with its boxes; `steps` are those of a program in steps."""

    def __init__(self, toolset: Toolset, picture: Picture) -> None:
        super().__init__(toolset, picture)
        self.rows: list[Row] = []
        self.steps: list[Row] = []

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """See `ToolCalls`."""
        value = super().__call__(tool, arguments)
        part = self.box(arguments["patch"]) if "patch" in arguments else None
        told = ", ".join(f"{name}={one!r}" for name, one in arguments.items())
        self.rows.append(Row(f"{tool}({told})", _told(value), part, _boxes(value)))
        return value

    def note(self, step: str, value: Any, part: Box | None, boxes: Sequence[Box]) -> None:
        """Keeps the value of a step."""
        told = f"boxes: {len(boxes)}" if boxes and part is None else _told(value)
        self.steps.append(Row(step, told, part, tuple(boxes)))


def trace_page(question: str, code: str, finished: Finished, calls: TracedCalls, picture: Image) -> str:
    """The page in HTML, complete in itself. Text is escaped; every picture has at most 320 pixels a side.

    A program in steps is shown by its steps, another one by its calls of tools.
    """
    from jinja2 import Environment
    from markupsafe import Markup

    rows = calls.steps or calls.rows
    ending = (
        f"The result is {finished.value!r}." if finished.outcome == "ok" else f"{finished.outcome}: {finished.reason}"
    )
    shown = [
        {
            "text": row.text,
            "value": row.value,
            "picture": _drawn(picture, row) if row.part is not None or row.boxes else "",
            "caption": f"The part of the image; boxes: {len(row.boxes)}" if row.boxes else "The part of the image",
        }
        for row in rows[:MOST_ROWS]
    ]
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_PAGE)
    return template.render(
        policy=policy_of(_STYLE),
        style=Markup(_STYLE),
        question=question,
        code=code,
        ending=ending,
        whole=_data_url(picture),
        rows=shown,
        left_out=max(0, len(rows) - MOST_ROWS),
    )


def _told(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."


def _boxes(value: Any) -> tuple[Box, ...]:
    """The boxes in what a tool returned."""
    found = value if isinstance(value, list) else [value]
    return tuple(tuple(one["box"]) for one in found if isinstance(one, dict) and "box" in one)


def _drawn(picture: Image, row: Row) -> str:
    """The part of the image with the boxes."""
    from PIL import ImageDraw

    marked = picture.convert("RGB")
    pen = ImageDraw.Draw(marked)
    width = max(1, round(max(marked.size) / 160))
    for left, top, right, bottom in row.boxes:
        pen.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), outline=(230, 0, 120), width=width)
    if row.part is None:
        return _data_url(marked)
    left, top, right, bottom = (round(edge) for edge in row.part)
    return _data_url(marked.crop((left, top, max(right, left + 1), max(bottom, top + 1))))


def _data_url(picture: Image) -> str:
    small = picture.convert("RGB")
    small.thumbnail((_LARGEST_SIDE, _LARGEST_SIDE))
    data = BytesIO()
    small.save(data, format="PNG")
    return f"data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}"
