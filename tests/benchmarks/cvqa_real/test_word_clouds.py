"""Figure 8 of C-VQA, and the text that it compares with our questions."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.benchmarks.cvqa_real.small import LINES
from tests.defaults import ROOT
from whatif.benchmarks.cvqa_real.figures.figure8_svg import word_clouds
from whatif.benchmarks.cvqa_real.reference_text import Words, read_reference
from whatif.engine.errors import WhatifError

QUESTIONS: list[dict[str, Any]] = [
    {"variant": "original", "question": "How many elephants are there?"},
    {"variant": "counterfactual", "question": "How many dogs would run if the dogs and the cat were happy?"},
]


def drawn(drawing: bytes) -> list[str]:
    return re.findall(r"<!-- (.*?) -->", drawing.decode(), re.DOTALL)


def test_the_words_of_counterfactual_questions_are_beside_those_of_the_reference() -> None:
    alone = word_clouds(QUESTIONS, None)
    assert ElementTree.fromstring(alone).tag.endswith("svg")
    assert {"dogs", "cat", "run", "were"} <= set(drawn(alone)) and "elephants" not in drawn(alone)
    assert any("Nouns of the counterfactual questions" in text for text in drawn(alone))
    assert any("3 words, 2 different, type-token ratio 0.667" in text for text in drawn(alone))
    both = word_clouds(QUESTIONS, Words("a $name$ & <more>", ("A horse runs.",)))
    assert {"dogs", "horse"} <= set(drawn(both)) and b"<more>" not in both
    assert any("Nouns of a $name$" in text for text in drawn(both))


def test_a_set_without_words_has_a_figure() -> None:
    assert [text for text in drawn(word_clouds([], None)) if "none" in text]


@pytest.mark.process
def test_another_process_draws_the_same_bytes() -> None:
    program = (
        "import hashlib; from tests.benchmarks.cvqa_real.test_word_clouds import QUESTIONS, word_clouds;"
        "print(hashlib.sha256(word_clouds(QUESTIONS, None)).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": f"{ROOT}/src:{ROOT}"}
    told = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == hashlib.sha256(word_clouds(QUESTIONS, None)).hexdigest()


def test_a_reference_is_text_a_released_file_or_vqa_questions(tmp_path: Path) -> None:
    text, released, asked = tmp_path / "novel.txt", tmp_path / "released.csv", tmp_path / "questions.json"
    text.write_text("\ufeffA cat sat.\n\n  A dog ran. \n", encoding="utf-8")
    released.write_text(LINES, encoding="utf-8")
    rows = [{"question_id": 1, "image_id": 1, "question": "Is it day?"}]
    asked.write_text(json.dumps({"questions": rows}), encoding="utf-8")
    assert read_reference(text) == Words("novel.txt", ("A cat sat.", "A dog ran."))
    assert read_reference(released).texts[0] == "How many cats would there be if 1 left?"
    assert len(read_reference(released).texts) == 4
    assert read_reference(asked) == Words("questions.json", ("Is it day?",))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.txt", b"\n \n", "has no text"),
        ("latin.txt", b"caf\xe9", "cannot be read as UTF-8"),
        ("other.csv", b"question\nIs it?\n", "column `img_path` is missing"),
        ("none.json", b'{"questions": []}', "has no text"),
        ("list.json", b"[]", "list.json"),
        ("gone.txt", None, r"gone\.txt: cannot be read .*; `reference_text` is a text file"),
    ],
)
def test_another_reference_is_refused(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(WhatifError, match=message):
        read_reference(tmp_path / name)
