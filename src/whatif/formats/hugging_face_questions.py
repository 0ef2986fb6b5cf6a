"""Exports questions and their images as a configuration of a Hugging Face data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.stored_rows import in_order
from whatif.engine.artifacts.variants import are_pairs, variant_order
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import printed_question
from whatif.engine.language.strategies import prompt
from whatif.formats.hugging_face_card import Configuration
from whatif.formats.hugging_face_folder import PICTURE, PICTURES, TEXT, TEXTS, Columns, Pictures, picture, write_split
from whatif.formats.markdown import code, table

Row = Mapping[str, Any]

_TEXTS = ("question_id", "pair_id", "group", "variant", "question", "answer", "answer_kind", "provenance")
_FIELDS = {
    "question_id": "id of the question: its pair's id and its variant",
    "pair_id": "id shared by an original question and its counterfactual",
    "group": "the kind of question; results are reported by group",
    "variant": "`original` or `counterfactual`",
    "question": "the question's text, without the options",
    "prompt": "the question with its options and the instruction, as whatif asks a chat model directly",
    "choices": "the options A, B, ...; null where the answer is open",
    "answer": "the correct answer; a letter if there are options",
    "answer_kind": "`choice`, `number`, `boolean` or `text`",
    "provenance": "JSON: everything else that is known about the question",
}
_IMAGE = {
    "image": "the image; null where its licence does not allow to publish it",
    "image_id": "SHA-256 of the encoded image, also of one that is left out",
    "source": "where the image is from",
    "licence": "the licence of the image",
}
_IMAGES = {
    "images": "the images, in order; null where the licence of one does not allow to publish it",
    "image_ids": "SHA-256 of each encoded image, also of those that are left out",
    "sources": "where each image is from",
    "licences": "the licence of each image",
}


def write_questions(questions: Sequence[Row], images: Pictures, folder: Path) -> Configuration:
    """Writes rows of `questions` with their images to `folder/questions`; returns the card's description of them.

    If every question has one image, the columns are `image`, `image_id`, `source` and `licence`; otherwise `images`,
    `image_ids`, `sources` and `licences`, lists of equal length. An image that may not be published is null. Rows are
    in order of question_id.

    Raises WhatifError when there are no questions, when an image is in none of the image files, and when the folder
    cannot be written.
    """
    rows = in_order(questions, "question_id")
    if not rows:
        raise WhatifError(f"{folder}: there are no questions to write")
    single = all(len(row["image_ids"]) == 1 for row in rows)
    fields = _IMAGE if single else _IMAGES
    shown, image_id, source, licence = fields
    columns: Columns = {
        **dict.fromkeys(_TEXTS, TEXT),
        "prompt": TEXT,
        "choices": TEXTS,
        shown: PICTURE if single else PICTURES,
        **dict.fromkeys((image_id, source, licence), TEXT if single else TEXTS),
    }

    def record(row: Row) -> Row:
        values = {
            shown: [picture(images.encoded(one)) for one in row["image_ids"]],
            image_id: row["image_ids"],
            source: [images.of[one].source for one in row["image_ids"]],
            licence: [images.of[one].licence for one in row["image_ids"]],
        }
        return {
            **{name: row[name] for name in _TEXTS},
            "prompt": prompt("direct", printed_question(row["question"], row["choices"] or None), row["answer_kind"]),
            "choices": row["choices"],
            **({name: value[0] for name, value in values.items()} if single else values),
        }

    write_split(folder / "questions", rows, record, columns)
    pictures = len({image_id for row in rows for image_id in row["image_ids"]})
    pairs = len({row["pair_id"] for row in rows})
    variants = {row["variant"] for row in rows}
    unit, meanings = ("pairs", _FIELDS) if are_pairs(variants) else ("items", _fields_of_items(variants))
    together = f" in {pairs:,} {unit}" if pairs < len(rows) else ""
    groups = Counter((row["group"], row["variant"], row["answer_kind"]) for row in rows)
    return Configuration(
        name="questions",
        rows=len(rows),
        tasks=("visual-question-answering",),
        tags=("counterfactual-reasoning",),
        description=f"{len(rows):,} questions{together} about {pictures:,} images.",
        columns=columns,
        fields={**meanings, **fields},
        numbers=table(
            ("group", "variant", "answer", "questions"),
            [(*key, number) for key, number in sorted(groups.items())],
            "   r",
        ),
    )


def _fields_of_items(variants: Iterable[str]) -> dict[str, str]:
    """The fields of a set whose items have other variants than an original question and its counterfactual."""
    named = sorted(variants, key=variant_order)
    return {
        **_FIELDS,
        "question_id": "id of the question: its item's id and its variant",
        "pair_id": "id shared by the questions of an item",
        "variant": f"which question of the item: {', '.join(map(code, named))}",
    }
