"""A page that shows pictures with their questions, the right answers and those of models; it needs no other file."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from whatif.artifacts.images import format_of

_LONGEST_ANSWER = 160  # characters of a model's answer
_STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #222; }
section { margin-bottom: 3rem; }
article { border-top: 1px solid #ccc; padding: 1rem 0; }
figure { display: inline-block; margin: 0 1rem .5rem 0; vertical-align: top; max-width: 20rem; }
figure img { width: 14rem; image-rendering: auto; border: 1px solid #ccc; }
figcaption { max-width: 14rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #eee; }
.right { color: #11692b; }
.wrong { color: #a3251b; }
.verdict { font-weight: 600; }"""


@dataclass(frozen=True)
class Picture:
    """An encoded picture (PNG, JPEG, WebP, GIF or BMP), and what stands below it."""

    image: bytes
    caption: str = ""


@dataclass(frozen=True)
class Reply:
    """What a model answered; None when there was no answer."""

    answer: str | None
    correct: bool


@dataclass(frozen=True)
class Asked:
    """A question with its right answer, and the reply of each model, by the name that is printed."""

    question: str
    right: str
    replies: Mapping[str, Reply] = field(default_factory=dict)


@dataclass(frozen=True)
class Panel:
    """Pictures that are shown together, and what was asked about them."""

    pictures: tuple[Picture, ...]
    asked: tuple[Asked, ...]
    title: str = ""


@dataclass(frozen=True)
class Section:
    """Panels of one kind under a heading, after a paragraph that says what they are."""

    heading: str
    text: str
    panels: tuple[Panel, ...]


def gallery(title: str, sections: Sequence[Section]) -> str:
    """The page as HTML: pictures are part of it, all text is escaped, and right or wrong is said in words too."""
    body = "\n".join(_section(section) for section in sections)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""


def _section(section: Section) -> str:
    panels = "\n".join(_panel(panel) for panel in section.panels) or "<p>There is none to show.</p>"
    return f"<section>\n<h2>{escape(section.heading)}</h2>\n<p>{escape(section.text)}</p>\n{panels}\n</section>"


def _panel(panel: Panel) -> str:
    title = f"<h3>{escape(panel.title)}</h3>\n" if panel.title else ""
    pictures = "\n".join(_picture(picture) for picture in panel.pictures)
    return f"<article>\n{title}{pictures}\n{_table(panel.asked)}\n</article>"


def _picture(picture: Picture) -> str:
    caption = f"<figcaption>{escape(picture.caption)}</figcaption>" if picture.caption else ""
    known = format_of(picture.image)
    kind = f"image/{known}" if known else "application/octet-stream"
    data = base64.b64encode(picture.image).decode()
    # What is below the picture says what is in it; without that, a reader who cannot see it learns that it is there.
    described = escape(picture.caption or "the picture that is asked about")
    return f'<figure><img src="data:{kind};base64,{data}" alt="{described}">{caption}</figure>'


def _table(asked: Sequence[Asked]) -> str:
    if not asked:
        return ""
    models = list(dict.fromkeys(model for one in asked for model in one.replies))
    header = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("Asked", "Right answer", *models))
    rows = "\n".join(
        f"<tr><td>{escape(one.question)}</td><td>{escape(one.right)}</td>"
        + "".join(_reply(one.replies.get(model)) for model in models)
        + "</tr>"
        for one in asked
    )
    return f'<div class="scroll"><table>\n<tr>{header}</tr>\n{rows}\n</table></div>'


def _reply(reply: Reply | None) -> str:
    if reply is None:
        return "<td>not asked</td>"
    verdict = "right" if reply.correct else "wrong"
    answer = "no answer" if reply.answer is None else _short(reply.answer)
    return f'<td class="{verdict}">{escape(answer)} <span class="verdict">({verdict})</span></td>'


def _short(answer: str) -> str:
    text = " ".join(answer.split())
    return text if len(text) <= _LONGEST_ANSWER else f"{text[:_LONGEST_ANSWER]}..."
