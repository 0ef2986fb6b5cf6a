"""Annotations in the formats of MS-COCO and VQAv2, and of the gender of people."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bad_inputs.outcome import nothing_written, refusal
from whatif.benchmarks.cvqa_real.gender_annotations import perceived_genders
from whatif.formats.coco_annotations import read_captions
from whatif.formats.vqa_v2 import read_vqa

IMAGE = {"id": 7, "file_name": "000000000007.jpg", "width": 640, "height": 427, "license": 4}
CAPTIONS = {
    "licenses": [{"id": 4, "name": "CC BY", "url": ""}],
    "images": [IMAGE],
    "annotations": [{"id": 1, "image_id": 7, "caption": "A dog."}, {"id": 2, "image_id": 7, "caption": "A cat."}],
}
QUESTIONS = {"questions": [{"question_id": 70, "image_id": 7, "question": "What?"}]}
ANSWERS = {
    "annotations": [
        {
            "question_id": 70,
            "image_id": 7,
            "question_type": "what",
            "answer_type": "other",
            "multiple_choice_answer": "dog",
            "answers": [{"answer": "dog"}],
        }
    ]
}


def changed(whole: dict[str, Any], *place: Any, to: Any) -> bytes:
    values = inner = copy.deepcopy(whole)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = to
    return json.dumps(values).encode()


def without(whole: dict[str, Any], *place: Any) -> bytes:
    values = inner = copy.deepcopy(whole)
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    return json.dumps(values).encode()


NO_FILE: list[tuple[str, bytes, str]] = [
    ("empty", b"", ": is not JSON"),
    ("cut off", b'{"images": [', "; give an unpacked, complete file of captions in the format of MS-COCO"),
    ("a list", b"[]", ": is not a file of captions in the format of MS-COCO: it needs a list `images`; found: a l"),
    ("a number", b"3", "found: 3, not an object"),
    ("null", b"null", ": is not a file of"),
    ("another file", b'{"questions": []}', "it needs a list `images`; found: questions"),
    ("images alone", b'{"images": []}', "it needs a list `annotations`; found: images"),
    ("annotations of an object", b'{"images": [], "annotations": {}}', "it needs a list `annotations`"),
    ("100,000 deep", b"[" * 100_000, ": is not JSON"),
    ("number of 5,000 digits", b'{"images": ' + b"9" * 5000 + b"}", ": is not JSON"),
    ("Latin-1", b'{"images": "caf\xe9"}', ": is not JSON"),
    ("a zip", b"PK\3\4\xff\xfe", ": is not JSON"),
]
COCO: list[tuple[str, bytes, str]] = [
    ("images of an object", changed(CAPTIONS, "images", to={}), "it needs a list `images`"),
    ("image of a number", changed(CAPTIONS, "images", 0, to=7), ": images[0]: is 7; it is an object"),
    ("image without id", without(CAPTIONS, "images", 0, "id"), ": images[0]: has no `id`"),
    ("image without name", without(CAPTIONS, "images", 0, "file_name"), "images[0] (id 7): has no `file_name`; it"),
    ("image twice", changed(CAPTIONS, "images", to=[IMAGE, IMAGE]), ": images[1] (id 7): duplicate id"),
    ("name of a number", changed(CAPTIONS, "images", 0, "file_name", to=7), "`file_name` is 7; it needs a text"),
    ("width of text", changed(CAPTIONS, "images", 0, "width", to="640"), '`width` is "640"; it needs a whole number'),
    ("id of text", changed(CAPTIONS, "annotations", 0, "id", to="1"), ': annotations[0] (id 1): `id` is "1"'),
    ("id of a bool", changed(CAPTIONS, "annotations", 0, "id", to=True), "`id` is true; it needs a whole number"),
    ("image of a bool", changed(CAPTIONS, "annotations", 0, "image_id", to=True), "(id 1): `image_id` is true; it"),
    ("id twice", changed(CAPTIONS, "annotations", 0, "id", to=2), ": annotations[1] (id 2): duplicate id"),
    ("caption of null", changed(CAPTIONS, "annotations", 0, "caption", to=None), "`caption` is null; it needs a text"),
    ("caption of a list", changed(CAPTIONS, "annotations", 0, "caption", to=[]), "`caption` is a list"),
    ("caption missing", without(CAPTIONS, "annotations", 0, "caption"), "(id 1): has no `caption`"),
    ("image not there", changed(CAPTIONS, "annotations", 0, "image_id", to=8), "image 8 is not among the `images`"),
    ("licences of text", changed(CAPTIONS, "licenses", to="CC"), "`licenses` is "),
    ("licences of an object", changed(CAPTIONS, "licenses", to={}), "`licenses` is an object; it is a list of objects"),
    ("licence without name", without(CAPTIONS, "licenses", 0, "name"), "licenses[0] (id 4): has no `name`; it needs a"),
]
# The file that is changed, the change, and what is said of its first record.
VQA: list[tuple[str, str, Callable[[dict[str, Any]], object], str]] = [
    ("question of null", "questions", lambda one: one.update(question=None), "`question` is null; it needs a text"),
    ("question without id", "questions", lambda one: one.pop("question_id"), "has no `question_id`; it needs a whole"),
    ("unknown kind", "annotations", lambda one: one.update(answer_type="x"), "is 'x'; it is number or yes/no or other"),
    ("answer missing", "annotations", lambda one: one.pop("multiple_choice_answer"), "has no `multiple_choice_answer`"),
    ("answers missing", "annotations", lambda one: one.pop("answers"), "has no `answers`"),
    ("answers of a text", "annotations", lambda one: one.update(answers="yes"), '`answers` is "yes"; it needs a list'),
    ("answer of a text", "annotations", lambda one: one.update(answers=["x"]), "an entry of `answers` has no text"),
    ("image of null", "annotations", lambda one: one.update(image_id=None), "`image_id` is null; it needs a whole"),
]
GENDER: list[tuple[str, bytes, str]] = [
    ("empty", b"", ": is empty; it needs one row for each person or image, with id, bb_gender"),
    ("column missing", b"id\n7\n", ": has no column bb_gender"),
    ("id of words", b"id,bb_gender\nseven,male\n", ": line 2: id is 'seven'"),
    ("id negative", b"id,bb_gender\n-7,male\n", ": line 2: id is '-7'"),
    ("id of other digits", "id,bb_gender\n²,male\n".encode(), ": line 2: id is '²'"),
    ("id of 30 digits", b"id,bb_gender\n" + b"7" * 30 + b",male\n", ": line 2: id is '777"),
    ("another word", b"id,bb_gender\n7,M\n", ": line 2: bb_gender is 'M'"),
    ("field missing", b"id,bb_gender\n\n7\n,male\n", ": line 3: has 1 fields; it needs 2: id, bb_gender"),
    ("Latin-1", b"id,bb_gender\n7,m\xe4nnlich\n", ": line 2: byte 0xe4 is not UTF-8"),
    ("field of 200,000 characters", b'id,bb_gender\n7,"' + b"x" * 200_000 + b'"\n', ": line 2: bb_gender is 'xxx"),
]


def check(read: Callable[[Path], object], data: bytes, words: str, folder: Path) -> None:
    path = folder / "annotations"
    path.write_bytes(data)
    with nothing_written(folder):
        line = refusal(lambda: read(path))
    assert line.startswith(str(path)) and words in line, line


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in [*NO_FILE, *COCO]])
def test_captions_that_are_none(data: bytes, words: str, tmp_path: Path) -> None:
    check(read_captions, data, words, tmp_path)


@pytest.mark.parametrize(("name", "spoil", "words"), [pytest.param(*rest, id=name) for name, *rest in VQA])
def test_questions_that_are_none(
    name: str, spoil: Callable[[dict[str, Any]], object], words: str, tmp_path: Path
) -> None:
    files = copy.deepcopy({"questions": QUESTIONS, "annotations": ANSWERS})
    spoil(files[name][name][0])
    for file, value in files.items():
        (tmp_path / file).write_text(json.dumps(value))
    line = refusal(lambda: read_vqa(tmp_path / "questions", tmp_path / "annotations"))
    assert line.startswith(f"{tmp_path / name}: {name}[0]") and words in line, line


def test_files_of_questions_that_are_exchanged(tmp_path: Path) -> None:
    for name, value in (("questions", ANSWERS), ("annotations", QUESTIONS)):
        (tmp_path / name).write_text(json.dumps(value))
    line = refusal(lambda: read_vqa(tmp_path / "questions", tmp_path / "annotations"))
    assert "questions: is not a file of questions in the format of VQAv2: it needs a list `questions`" in line


@pytest.mark.parametrize(("data", "words"), [pytest.param(*rest, id=name) for name, *rest in GENDER])
def test_genders_that_are_none(data: bytes, words: str, tmp_path: Path) -> None:
    check(perceived_genders, data, words, tmp_path)


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_bytes(changed(CAPTIONS, "images", 0, "file_name", to="\ud83d.jpg"))
    assert read_captions(path).images[7].file_name == "\N{REPLACEMENT CHARACTER}.jpg"
