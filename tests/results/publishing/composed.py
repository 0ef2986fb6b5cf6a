"""A benchmark to publish whose rows, pictures, labels and measures are made up, and cover what real ones may have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.formats.test_hugging_face_pairs import question
from tests.people.pairs import judgement, pair, picture
from tests.pictures import png
from whatif import benchmarks
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.artifacts.schemas import IMAGES, PAIRS, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.lineage import lineage
from whatif.results.publishing.contents import Contents
from whatif.results.publishing.facts import Facts, Kept, Publisher, shown_by
from whatif.results.publishing.measured import Agreement, Measured, Passage, Shortcut
from whatif.results.publishing.pictures import PublishedPictures
from whatif.results.publishing.private_text import pseudonyms, without_private

Row = dict[str, Any]
FREE, BOUND = "CC-BY-4.0", "Flickr terms of the photograph, as named in the MS-COCO annotations"
PHOTOGRAPHS = [
    image_row(png((200, 0, number)), 8, 8, f"coco:COCO_val2014_00000000000{number}.jpg", BOUND) for number in (1, 2)
]
DRAWN = [image_row(png((0, 200, number)), 8, 8, f"drawn:scene-{number}", FREE) for number in (1, 2)]
AUTHORS = [{"family-names": "Lovelace", "given-names": "Ada"}]
PEOPLE = ("Ada Lovelace", "Grace Hopper")


def questions() -> list[Row]:
    """Eight questions with several pictures: some show a photograph without a licence, two none."""
    shown = [(DRAWN[0], DRAWN[1]), (DRAWN[1], PHOTOGRAPHS[0]), (), (DRAWN[0],)]
    return [
        question(
            number,
            *(row["image_id"] for row in shown[number // 2]),
            question="Wie viele Äpfel | <b>“四”</b> sind da?",
            choices=["四", "zwei"] if number % 2 else None,
            answer="A" if number % 2 else "four",
            answer_kind="choice" if number % 2 else "text",
            provenance=canonical_json({"by": PEOPLE[number % 2], "file": "/home/ada/photos/cat.png"}),
        )
        for number in range(8)
    ]


def facts(folder: Path, *, private: frozenset[str] = frozenset()) -> Facts:
    """The facts of a benchmark whose artifacts are written to `folder`."""
    asked, paired = questions(), [pair(number, caption_0="Ein Äffchen, 猿") for number in range(3)]
    images = [*PHOTOGRAPHS, *DRAWN, *(picture(number, side) for number in range(3) for side in (0, 1))]
    paths = {name: folder / f"{name}.parquet" for name in ("questions", "pairs", "images")}
    made_from = {
        "step": "extract ours",
        "inputs": {},
        "parameters": {
            "seed": 7,
            "extract.ours.captions": "/home/ada/captions.json",
            "extract.ours.clip.checkpoint": "lab/clip",
            "extract.ours.clip.revision": "abc123",
        },
        "sources": {"/home/ada/captions.json": "f00d"},
    }
    write_artifact(paths["questions"], QUESTIONS, asked, role="questions", made_from=made_from)
    write_artifact(paths["pairs"], PAIRS, paired, role="pairs", made_from=made_from)
    write_artifact(paths["images"], IMAGES, images)
    rows = {
        table: [
            {**row, "provenance": without_private(row["provenance"], pseudonyms(PEOPLE))}
            for row in found
            if row["pair_id"] not in private
        ]
        for table, found in (("questions", asked), ("pairs", paired))
    }
    shown = {image_id for found in rows.values() for row in found for image_id in shown_by(row)}
    pictures = PublishedPictures(shown, [paths["images"]])
    judgements = [
        *(judgement("a", "accept", name) for name in PEOPLE),
        judgement("b", "reject", PEOPLE[0]),
        judgement("b", "accept", "automatic:answer"),
    ]
    return Facts(
        benchmark=benchmarks.benchmark("mucr"),
        publisher=Publisher(AUTHORS, owner="lab", date="2026-11-23"),
        contents=Contents(asked, paired, (paths["questions"], paths["pairs"]), (), judgements, frozenset(PEOPLE)),
        kept={
            table: Kept(
                found,
                private=len({"questions": asked, "pairs": paired}[table]) - len(found),
                bare=sum(not all(map(pictures.is_published, shown_by(row))) for row in found),
            )
            for table, found in rows.items()
        },
        pictures=pictures,
        made=lineage([paths["questions"], paths["pairs"]]),
        measured=Measured(
            [Passage("filter", "pairs", {"in": 9, "out": 8, "rejected": 1}, {"too like the original": 1})],
            [Shortcut("original", "always the letter A", 62.5, 30.0, 86.0, 8)],
            [Agreement("fleiss", "2", 0.5, 0.1, 0.9, 1)],
        ),
        text_licence="CC-BY-4.0",
    )
