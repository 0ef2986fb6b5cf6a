"""Writes tasks for Amazon Mechanical Turk: the layout of a task, and the input of batches as CSV.

The names of the answers are those that the importer of labels expects: `decision`, `comment` and `corrected_<field>`.
MTurk puts the values of the CSV into the layout as they are, so the values are HTML. The layout is a part of a page of
MTurk, which adds scripts of its own: a Content-Security-Policy here would have no effect, or stop these.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.files.csv_writing import delimited
from whatif.people.exports.folder import (
    NO_IMAGE,
    NO_TEXT,
    Address,
    check_texts,
    headings_of,
    image_columns,
    shown_names,
    shown_texts,
)
from whatif.people.exports.tasks import OWN_WORDS, Interface, TaskSet, instructions_html
from whatif.people.imports.settings import CORRECTED

LAYOUT_FILE = "layout.html"
_TEXT = '<strong style="white-space: pre-wrap">${{{}}}</strong>'  # with its spaces and line breaks
_TAKEN = r"\A[^a-zA-Z]|\A.(?=[\w/]*\Z)|(?<= ) | \Z|[^\w .,?!:/-]"
_PAGE = """\
<script src="https://assets.crowd.aws/crowd-html-elements.js"></script>
<crowd-form answer-format="flatten-objects">
  <crowd-instructions link-text="Instructions" link-type="button">
    <short-summary>{instructions}</short-summary>
  </crowd-instructions>
{images}
{texts}
  <p><strong>{question}</strong></p>
{answers}
{fields}
</crowd-form>
"""


def mturk_files(tasks: TaskSet, images: EncodedPictures, address: Address) -> dict[str, bytes]:
    """The files of a project, by name: `layout.html`, and batches as CSV (UTF-8, LF).

    A batch has one number of assignments for all of its tasks. Tasks that differ in their number of annotators are in
    batches of their own, `batch-by-<number>.csv`. Raises WhatifError when a text has a control character.
    """
    check_texts(tasks)
    names, columns = shown_names(tasks), image_columns(tasks)
    files = {LAYOUT_FILE: layout_html(tasks.interface, names, columns).encode()}
    for number, some in tasks.by_annotators().items():
        rows: list[Sequence[object]] = [("task_id", *columns, *names)]
        for task in some:
            addresses = [address.of(image_id, images.encoded(image_id)) for image_id in task.image_ids]
            addresses += [NO_IMAGE] * (len(columns) - len(addresses))
            texts = [text or NO_TEXT for text in shown_texts(tasks.interface, task, names)]
            rows.append((task.task_id, *map(_as_html, addresses), *map(_as_html, texts)))
        files[f"batch-by-{number}.csv"] = delimited(rows).encode()
    return files


def layout_html(interface: Interface, names: Sequence[str], columns: Sequence[str]) -> str:
    """The layout of a task with images in `columns` and the texts `names`.

    The answers are radio buttons, because with them an assignment has exactly one answer, or a text in own words.
    """
    headings = headings_of(interface, columns)
    return _PAGE.format(
        instructions=instructions_html(interface).replace("\n", ""),
        images="\n".join(
            (f"  <p>{html.escape(headings[column])}</p>\n" if column in headings else "")
            + f'  <img src="${{{column}}}" alt="" style="max-width: 100%">'
            for column in columns
        ),
        texts="\n".join(f"  <p>{html.escape(interface.shown[name])}: {_TEXT.format(name)}</p>" for name in names),
        question=html.escape(interface.question),
        answers="\n".join(
            f'  <p><label><input type="radio" name="decision" value="{html.escape(answer.value)}" required> '
            f"{html.escape(answer.text)}</label></p>"
            for answer in interface.answers
        )
        or _text_field("decision", OWN_WORDS, " required"),
        fields="\n".join([*_corrections(interface), _text_field("comment", "Comment (optional)")]),
    )


def _corrections(interface: Interface) -> list[str]:
    """The fields of corrections, and before them the answers with which they may be filled in."""
    fields = [_text_field(f"{CORRECTED}{name}", prompt) for name, prompt in interface.corrections.items()]
    if not fields:
        return []
    named = [answer.text for answer in interface.answers if answer.value in interface.corrected_with]
    chosen = " or ".join(f"“{html.escape(text)}”" for text in named)
    return [f"  <p>Only if you chose {chosen}</p>", *fields]


def _text_field(name: str, prompt: str, needed: str = "") -> str:
    return f'  <p><label>{html.escape(prompt)}<br><input type="text" name="{name}"{needed}></label></p>'


def _as_html(text: str) -> str:
    """A text as HTML in ASCII on one line, which MTurk, a spreadsheet and pandas leave as it is.

    Every sign or space that might mean something is a character reference, and the first character of what might be a
    number, a formula, or a single word such as `None`.
    """
    return re.sub(_TAKEN, lambda found: f"&#{ord(found[0])};", text, flags=re.ASCII | re.DOTALL)
