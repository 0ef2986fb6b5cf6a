"""A self-contained HTML page that shows images with their questions, the right answers and the models' answers."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from whatif.artifacts.images import format_of

if TYPE_CHECKING:
    from jinja2 import Template

_LONGEST_ANSWER = 160  # characters of a model's answer
_LONGEST_TURN = 2_000  # characters of what it wrote in a turn
# This is code rather than a separate file, so a change to it changes the code version and makes galleries stale.
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
section { margin-bottom: 3rem; }
article { border-top: 1px solid #ccc; padding: 1rem 0; }
figure { display: inline-block; margin: 0 1rem .5rem 0; vertical-align: top; max-width: 20rem; }
figure img { width: 14rem; image-rendering: auto; border: 1px solid #ccc; }
figcaption { max-width: 14rem; }
figure.wide { max-width: 100%; }
figure.wide img { width: auto; max-width: min(100%, 32rem); }
figure.wide figcaption { max-width: 32rem; }
details li { white-space: pre-wrap; max-width: 32rem; color: #222; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #eee; }
.right { color: #11692b; }
.wrong { color: #a3251b; }
.verdict { font-weight: 600; }
pre { white-space: pre-wrap; color: #222; background: #f6f6f6; padding: .5rem; margin: .25rem 0; max-width: 32rem; }
</style>
</head>
<body>
<h1>{{ title }}</h1>
{% if sections | map(attribute="name") | select | list %}
<nav><ul>
{% for section in sections if section.name %}
<li><a href="#{{ section.name }}">{{ section.heading }}</a></li>
{% endfor %}
</ul></nav>
{% endif %}
{% for section in sections %}
<section{% if section.name %} id="{{ section.name }}"{% endif %}>
<h2>{{ section.heading }}</h2>
<p>{{ section.text }}</p>
{% for panel in section.panels %}
<article{% if panel.name %} id="{{ panel.name }}"{% endif %}>
{% if panel.title %}
<h3>{{ panel.title }}</h3>
{% endif %}
{% if panel.elsewhere %}
<p>{{ "Image" if panel.elsewhere | length == 1 else "Images" }} above:
{%- for link in panel.elsewhere %} <a href="#{{ link.name }}">{{ link.text }}</a>
{{- "" if loop.last else "," }}
{%- endfor %}</p>
{% endif %}
{% for note in panel.notes %}
<p>{{ note }}</p>
{% endfor %}
{% for picture in panel.pictures %}
<figure{% if picture.wide %} class="wide"{% endif %}>
{#- #}<img src="{{ picture.source }}" alt="{{ picture.caption or "the image that is asked about" }}">
{%- if picture.caption %}<figcaption>{{ picture.caption }}</figcaption>{% endif %}</figure>
{% endfor %}
{% if panel.asked %}
<div class="scroll"><table>
<tr><th scope="col">Asked</th><th scope="col">Right answer</th>
{%- for model in panel.models %}<th scope="col">{{ model }}</th>{% endfor %}</tr>
{% for one in panel.asked %}
<tr><td>{{ one.question }}</td><td>{{ one.right }}</td>
{%- for model in panel.models %}
{%- if model in one.replies %}
{%- set reply = one.replies[model] %}
{%- set verdict = "right" if reply.correct else "wrong" %}
<td class="{{ verdict }}">{{ reply.shown }} <span class="verdict">({{ verdict }})</span>
{%- if reply.turns %}<details><summary>what it wrote</summary><ol>
{%- for turn in reply.turns %}<li>{{ turn }}</li>{% endfor %}</ol></details>{% endif %}
{%- if reply.program %}<div>{{ reply.program.category }}</div><pre>{{ reply.program.shown }}</pre>
{%- if reply.program.calls %}<details><summary>its tools</summary><ol>
{%- for call in reply.program.calls %}<li>{{ call }}</li>{% endfor %}</ol></details>{% endif %}{% endif %}</td>
{%- else %}
<td>not asked</td>
{%- endif %}
{%- endfor %}
</tr>
{% endfor %}
</table></div>
{% endif %}
</article>
{% else %}
<p>There is none to show.</p>
{% endfor %}
</section>
{% endfor %}
</body>
</html>
"""


@dataclass(frozen=True)
class Picture:
    """An encoded image (PNG, JPEG, WebP, GIF or BMP), and the text below it; `wide` ones have several panels."""

    image: bytes
    caption: str = ""
    wide: bool = False

    @property
    def source(self) -> str:
        """The whole image as a URL."""
        known = format_of(self.image)
        kind = f"image/{known}" if known else "application/octet-stream"
        return f"data:{kind};base64,{base64.b64encode(self.image).decode()}"


@dataclass(frozen=True)
class Program:
    """The program that gave an answer: its code, the category of the answer, and a line for each call of a tool."""

    code: str
    category: str
    calls: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The code, truncated if it is long."""
        return _truncated(self.code.strip("\n"), _LONGEST_TURN)


@dataclass(frozen=True)
class Reply:
    """A model's answer, None if there was no answer; and what it wrote, turn by turn, if that is shown too.

    `program` is the program that gave the answer, if it is shown.
    """

    answer: str | None
    correct: bool
    said: tuple[str, ...] = ()
    program: Program | None = None

    @property
    def turns(self) -> list[str]:
        """What it wrote in each turn, truncated if it is long."""
        return [_truncated(text.strip(), _LONGEST_TURN) for text in self.said]

    @property
    def shown(self) -> str:
        """The answer on one line, truncated if it is long."""
        if self.answer is None:
            return "no answer"
        return _truncated(" ".join(self.answer.split()), _LONGEST_ANSWER)


@dataclass(frozen=True)
class Asked:
    """A question with its right answer, and the reply of each model, by display name."""

    question: str
    right: str
    replies: Mapping[str, Reply] = field(default_factory=dict)


@dataclass(frozen=True)
class Link:
    """A link to the panel of a name, and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class Panel:
    """Images that are shown together, and the questions about them. `notes` are paragraphs above the images.

    `name` is that of the panel as the target of links, a word or words joined by hyphens; empty if nothing refers to
    it. `elsewhere` are the panels above that have further images of this one.
    """

    pictures: tuple[Picture, ...]
    asked: tuple[Asked, ...]
    title: str = ""
    name: str = ""
    elsewhere: tuple[Link, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> list[str]:
        """Names of all models that were asked, in the order of the questions and replies."""
        return list(dict.fromkeys(model for one in self.asked for model in one.replies))


@dataclass(frozen=True)
class Section:
    """Panels of one kind under a heading, after a paragraph that explains them.

    The page begins with links to the sections that have a `name` (a word or words joined by hyphens).
    """

    heading: str
    text: str
    panels: tuple[Panel, ...]
    name: str = ""


def gallery(title: str, sections: Sequence[Section]) -> str:
    """The page as HTML. It embeds the images, escapes all text, and marks right or wrong in words too."""
    return _template().render(title=title, sections=sections)


def _truncated(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    return environment.from_string(_PAGE)
