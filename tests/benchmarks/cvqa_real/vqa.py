"""Questions in the format of VQAv2 about photographs, for tests, and a project whose source they are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.pictures import icon
from tests.projects import Project
from whatif.formats.c_vqa import picture_name, read_released
from whatif.formats.coco_photographs import coco_image_id

NAME = "cvqa-real"
Row = dict[str, Any]


def answers(*given: tuple[int, str]) -> list[Row]:
    """Answers of VQAv2: so many people say this, and so many that."""
    texts = [text for number, text in given for _ in range(number)]
    return [{"answer": text, "answer_confidence": "yes", "answer_id": place} for place, text in enumerate(texts, 1)]


def asked(question_id: int, text: str, kind: str, *given: tuple[int, str], image: int | None = None) -> tuple[Row, Row]:
    """A question and its annotation; the image's id is that of the question without its last three digits."""
    identity = {"question_id": question_id, "image_id": question_id // 1000 if image is None else image}
    annotation = {
        "question_type": " ".join(text.lower().split()[:2]),
        "multiple_choice_answer": max(given)[1] if given else "",
        "answers": answers(*given),
        "answer_type": kind,
        **identity,
    }
    return {**identity, "question": text}, annotation


QUESTIONS = [
    asked(1000, "How many cats are there?", "number", (6, "2"), (2, "Two."), (2, "3")),
    asked(1001, "Is the cat asleep?", "yes/no", (9, "yes"), (1, "no")),
    asked(1002, "What color is the cat?", "other", (10, "black")),
    asked(2000, "How many birds are there?", "number", (10, "many")),
    asked(2001, "What time is it?", "number", (10, "10")),
    asked(2002, "Is it raining?", "yes/no", (5, "yes"), (5, "no")),
    asked(2003, "How many dogs are there?", "number", (4, "1"), (3, "2"), (3, "4")),
    asked(2004, "Are the dogs wet?", "yes/no", (10, "no")),
    asked(3000, "How many boats are there?", "number", (10, "none")),
    asked(3001, "Is this a cat or a dog?", "yes/no", (10, "cat")),
]
USABLE = ["1000", "1001", "2004", "3000"]  # 3000 has no photograph


def write_vqa(folder: Path, questions: list[tuple[Row, Row]] = QUESTIONS, **stated: Any) -> dict[str, str]:
    """Writes both files; returns what `extract.cvqa-real.vqa` says about them. `stated` is added to both."""
    more = {"data_type": "mscoco", "data_subtype": "val2014", **stated}
    paths = {name: folder / f"{name}.json" for name in ("questions", "annotations")}
    for place, (name, path) in enumerate(paths.items()):
        path.write_text(json.dumps({**more, name: [pair[place] for pair in questions]}), encoding="utf-8")
    return {name: str(path) for name, path in paths.items()}


def released_as_vqa(data: Path, folder: Path) -> dict[str, str]:
    """The original questions of the released file, in the format of VQAv2, as if ten people agreed on each answer.

    `data` is the folder of published data. A question id is that of the image, followed by three digits.
    """
    rows = read_released(data / "c-vqa" / "C-VQA-Real_questions.csv")
    records, numbers = [], Counter[int]()
    for row in rows:
        if row["variant"] == "original":
            image = coco_image_id(picture_name(row))
            kind = "yes/no" if row["group"] == "boolean" else "number"
            question_id = 1000 * image + numbers[image]
            records.append(asked(question_id, row["question"], kind, (10, row["answer"])))
            numbers[image] += 1
    return write_vqa(folder, records)


def vqa_project(project: Project) -> Project:
    """A project with questions of VQAv2 about three photographs, of which one is missing."""
    project.select(NAME)
    folder = project.folder / "val2014"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"COCO_val2014_{number:012d}.jpg").write_bytes(icon((200, 60 * number, 60)))
    project.section("extract").update(vqa=write_vqa(project.folder), image_folders=[str(folder)])
    return project
