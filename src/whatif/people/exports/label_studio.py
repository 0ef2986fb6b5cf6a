"""Writes tasks for Label Studio 1.x: the labelling interface, the tasks to import, and the instructions.

The controls have the names that the importer of labels expects: `decision`, `comment` and `corrected_<field>`. An
image is in the task itself, as a data URL, or at an address that the settings give.
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from whatif.engine.artifacts.images import EncodedPictures, format_of
from whatif.engine.errors import WhatifError
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
from whatif.people.exports.tasks import OWN_WORDS, AnnotationTask, Interface, TaskSet, instructions_html
from whatif.people.imports.settings import CORRECTED

INTERFACE_FILE, INSTRUCTIONS_FILE = "labelling-interface.xml", "instructions.html"
LARGEST_FILE = 200 * 1000**2  # bytes of a file of tasks; Label Studio refuses uploads of 250 MiB


def label_studio_files(tasks: TaskSet, images: EncodedPictures, address: Address | None) -> dict[str, bytes]:
    """The files of a project, by name: `labelling-interface.xml`, `instructions.html`, and tasks as JSON.

    A project has one number of annotators for all of its tasks. Tasks that differ in this number are in files of their
    own, `tasks-by-<number>.json`, each for one project. Without `address`, images are data URLs.

    Raises WhatifError when a text has a control character, and when a file of tasks with its images would be too large
    to be uploaded.
    """
    check_texts(tasks)
    names = shown_names(tasks)
    columns = image_columns(tasks)
    files = {
        INTERFACE_FILE: interface_xml(tasks.interface, names, columns).encode(),
        INSTRUCTIONS_FILE: instructions_html(tasks.interface).encode(),
    }
    for number, some in tasks.by_annotators().items():
        data = [{"data": _data(tasks.interface, task, names, columns, images=images, address=address)} for task in some]
        text = json.dumps(data, ensure_ascii=False, indent=1).encode()
        if len(text) > LARGEST_FILE:
            raise WhatifError(
                f"label-studio: {len(some):,} tasks with their images are {len(text) / 1000**2:,.0f} MB, more than "
                f"Label Studio accepts ({LARGEST_FILE / 1000**2:,.0f} MB); serve the images and give --image-url"
            )
        files[f"tasks-by-{number}.json"] = text + b"\n"
    return files


def interface_xml(interface: Interface, names: Sequence[str], columns: Sequence[str]) -> str:
    """The labelling interface for images in `columns` and the texts `names`."""
    view = Element("View")
    SubElement(view, "Header", value=interface.question, size="3")
    headings = headings_of(interface, columns)
    for column in columns:
        if column in headings:
            SubElement(view, "Header", value=headings[column], size="5")
        SubElement(view, "Image", name=column, value=f"${column}", zoom="true")
    for name in names:
        SubElement(view, "Header", value=interface.shown[name], size="5")
        SubElement(view, "Text", name=name, value=f"${name}", selectionEnabled="false")
    target = (*columns, *names)[0]  # what an annotation is about: the first image, or the first text
    if interface.answers:
        choices = SubElement(
            view,
            "Choices",
            name="decision",
            toName=target,
            choice="single",
            required="true",
            requiredMessage="Choose one of these.",
            showInline="false",
        )
        for number, answer in enumerate(interface.answers, 1):
            SubElement(choices, "Choice", value=answer.text, alias=answer.value, hotkey=str(number))
    else:
        _text_field(view, "decision", OWN_WORDS, target, required="true", requiredMessage="Give an answer.")
    for corrected, prompt in interface.corrections.items():
        shown = SubElement(
            view,
            "View",
            visibleWhen="choice-selected",
            whenTagName="decision",
            whenChoiceValue=",".join(interface.corrected_with),
        )
        _text_field(shown, f"{CORRECTED}{corrected}", prompt, target)
    _text_field(view, "comment", "Comment (optional)", target)
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


def _text_field(view: Element, name: str, heading: str, target: str, **further: str) -> None:
    SubElement(view, "Header", value=heading, size="5")
    field = {"name": name, "toName": target, "rows": "1", "maxSubmissions": "1", "editable": "true"}
    SubElement(view, "TextArea", field, **further)


def _data(
    interface: Interface,
    task: AnnotationTask,
    names: Sequence[str],
    columns: Sequence[str],
    *,
    images: EncodedPictures,
    address: Address | None,
) -> Mapping[str, str]:
    texts = (text or NO_TEXT for text in shown_texts(interface, task, names))
    data = {"task_id": task.task_id, **dict(zip(names, texts, strict=True))}
    for column, image_id in itertools.zip_longest(columns, task.image_ids):
        picture = b"" if image_id is None else images.encoded(image_id)
        data[column] = NO_IMAGE if not picture else address.of(image_id, picture) if address else _data_url(picture)
    return data


def _data_url(picture: bytes) -> str:
    return f"data:image/{format_of(picture) or 'png'};base64,{base64.b64encode(picture).decode()}"
