"""Writes tasks as a CSV for a spreadsheet: one row for each item and annotator, to be filled in."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from whatif.engine.artifacts.images import EncodedPictures
from whatif.engine.files.cells import LONGEST_CELL
from whatif.engine.files.csv_writing import csv_for_people
from whatif.people.exports.folder import check_texts, headings_of, image_columns, shown_names, shown_texts
from whatif.people.exports.tasks import Interface, TaskSet
from whatif.people.imports.settings import CORRECTED
from whatif.people.picture_tasks import FILE, INSTRUCTIONS_FILE, PICTURES, picture_name

_WIDTH = 110  # characters of a line of the instructions


def csv_files(tasks: TaskSet, images: EncodedPictures) -> dict[str, bytes]:
    """The files by name: `tasks.csv` (UTF-8, LF), sorted by annotator, and `instructions.txt`.

    Raises WhatifError when a text has a control character, or more characters than a cell of a spreadsheet shows.
    """
    check_texts(tasks, LONGEST_CELL)
    names = shown_names(tasks)
    columns = image_columns(tasks)
    empty = ("label", *(f"{CORRECTED}{corrected}" for corrected in tasks.interface.corrections), "comment")
    written: list[Sequence[object]] = [("task_id", "annotator", *columns, *names, *empty)]
    rows = sorted((number, task.task_id, task) for task in tasks.tasks for number in task.annotators)
    for number, task_id, task in rows:
        files = [f"{PICTURES}/{picture_name(image_id, images.encoded(image_id))}" for image_id in task.image_ids]
        files += [""] * (len(columns) - len(files))
        texts = shown_texts(tasks.interface, task, names)
        written.append((task_id, number, *files, *texts, *("" for _ in empty)))
    told = instructions(tasks.interface, names, columns)
    return {FILE: csv_for_people(written).encode(), INSTRUCTIONS_FILE: told.encode()}


def instructions(interface: Interface, names: Sequence[str], columns: Sequence[str] = ("image",)) -> str:
    """How to fill in the CSV, as plain text; `columns` are those of the images."""
    width = max((len(answer.value) for answer in interface.answers), default=0)
    labels = "\n".join(f"{answer.value:<{width}}  {answer.text}" for answer in interface.answers)
    what = f"one of these labels into the column label:\n\n{labels}" if labels else "your answer into the column label."
    steps = "\n".join(
        textwrap.fill(f"{number}. {text}", _WIDTH, subsequent_indent="   ")
        for number, text in enumerate(interface.instructions, 1)
    )
    headings = headings_of(interface, columns)
    shown = "\n".join(
        f"{name}: {text}" for name, text in (*headings.items(), *((name, interface.shown[name]) for name in names))
    )
    files = "The columns to read are:"
    if headings:
        files = f"The columns {columns[0]} to {columns[-1]} name image files in this folder. {files}"
    elif columns:
        files = "The column image names the image file in this folder. The other columns to read are:"
    only = " or ".join(interface.corrected_with)
    prompts = "".join(f"{CORRECTED}{name}\n    {prompt}.\n" for name, prompt in interface.corrections.items())
    corrections = f"Fill in these columns only with the label {only}:\n\n{prompts}\n" if prompts else ""
    examples = "".join(f"\n- {text}" for text in interface.examples)
    examples = f"\nExamples:\n{examples}\n" if examples else ""
    return f"""\
{interface.question}

Each row of {FILE} is one task. {files}

{shown}

For each row:

{steps}

Write {what}

{corrections}You may write a comment into the column comment.
{examples}
Your number is in the column annotator. Label every row with your number, and no other rows. Do not change any other
column, except that you may replace your number with your name; use the same name in all your rows.
"""
