"""Exports questions and their images as a configuration of a Hugging Face data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.artifacts.images import EncodedPictures
from whatif.artifacts.variants import are_twins, variant_order
from whatif.errors import WhatifError
from whatif.formats.hugging_face_card import Configuration
from whatif.formats.hugging_face_folder import PICTURE, PICTURES, TEXT, TEXTS, Columns, picture, write_split

Row = Mapping[str, Any]

_TEXTS = ("question_id", "pair_id", "group", "variant", "question", "answer", "answer_kind", "provenance")
_FIELDS = {
    "question_id": "id of the question: its pair's id and its variant",
    "pair_id": "id shared by an original question and its counterfactual",
    "group": "the kind of question; results are reported by group",
    "variant": "`original` or `counterfactual`",
    "question": "the question's text, without the options",
    "choices": "the options A, B, ...; null where the answer is open",
    "answer": "the correct answer; a letter if there are options",
    "answer_kind": "`choice`, `number`, `boolean` or `text`",
    "provenance": "JSON: everything else that is known about the question",
}


def write_questions(questions: Sequence[Row], images: EncodedPictures, folder: Path) -> Configuration:
    """Writes rows of `questions` with their images to `folder/questions`; returns the card's description of them.

    The column is `image` if every question has one image, otherwise `images`, a list. Rows are in order of
    question_id.

    Raises WhatifError when there are no questions, when an image is in none of the image files, and when the folder
    cannot be written.
    """
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    if not rows:
        raise WhatifError(f"{folder}: there are no questions to write")
    single = all(len(row["image_ids"]) == 1 for row in rows)
    shown = "image" if single else "images"
    columns: Columns = {
        **dict.fromkeys(_TEXTS, TEXT),
        "choices": TEXTS,
        shown: PICTURE if single else PICTURES,
    }

    def record(row: Row) -> Row:
        pictures = [picture(images.encoded(image_id)) for image_id in row["image_ids"]]
        return {
            **{name: row[name] for name in _TEXTS},
            "choices": row["choices"],
            shown: pictures[0] if single else pictures,
        }

    write_split(folder / "questions", rows, record, columns)
    pictures = len({image_id for row in rows for image_id in row["image_ids"]})
    pairs = len({row["pair_id"] for row in rows})
    variants = {row["variant"] for row in rows}
    unit, fields = ("pairs", _FIELDS) if are_twins(variants) else ("items", _fields_of_items(variants))
    together = f" in {pairs:,} {unit}" if pairs < len(rows) else ""
    groups = Counter((row["group"], row["variant"], row["answer_kind"]) for row in rows)
    return Configuration(
        name="questions",
        rows=len(rows),
        tasks=("visual-question-answering",),
        tags=("counterfactual-reasoning",),
        description=f"{len(rows):,} questions{together} about {pictures:,} images.",
        fields={**fields, shown: "the image" if single else "the images, in order"},
        numbers="\n".join(
            [
                "| group | variant | answer | questions |",
                "|---|---|---|--:|",
                *(f"| {group} | {variant} | {kind} | {n:,} |" for (group, variant, kind), n in sorted(groups.items())),
            ]
        ),
    )


def _fields_of_items(variants: Iterable[str]) -> dict[str, str]:
    """The fields of a set whose items have other variants than an original question and its counterfactual."""
    named = sorted(variants, key=variant_order)
    return {
        **_FIELDS,
        "question_id": "id of the question: its item's id and its variant",
        "pair_id": "id shared by the questions of an item",
        "variant": f"which question of the item: {', '.join(f'`{name}`' for name in named)}",
    }
