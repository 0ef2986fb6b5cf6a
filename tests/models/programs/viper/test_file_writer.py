"""Programs, and responses with programs, that were made elsewhere."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.models import Replay
from whatif.engine.params.programs import FileWriter
from whatif.models import Question, load
from whatif.models.programs.interfaces import Written
from whatif.models.programs.writers.loading import load_writer

DOGS, CATS = "How many dogs are there?", "How many dogs would there be if one ran away?"
BODY = "    return len(ImagePatch(image).find('dog'))\n"
PROGRAM = f"def execute_command(image):\n{BODY}"
ROW = {
    "img_path": "COCO_val2014_000000000042.jpg",
    "query": DOGS,
    "answer": "2",
    "new query": CATS,
    "new answer": "1",
    "type": "direct",
    "code": PROGRAM,
    "new code": BODY,
}


def questions() -> list[Question]:
    image = "COCO_val2014_000000000042"
    return [
        Question(f"{image}-0001-original", "direct", "original", one_turn(f"{DOGS} Shortly.", ["i"]), text=DOGS),
        Question(f"{image}-0001-counterfactual", "direct", "counterfactual", one_turn(CATS, ["i"]), text=CATS),
    ]


def file_of(folder: Path, suffix: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"programs{suffix}"
    with path.open("w", encoding="utf-8", newline="") as file:
        if suffix == ".csv":
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            table.writerows(rows)
        elif suffix == ".json":
            json.dump(rows, file)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def written(path: Path, asked: list[Question], **more: Any) -> list[Written]:
    writer = load_writer(FileWriter(adapter="file", programs=str(path), **more), "python", None, 0)
    return list(writer.write(asked))


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl"])
def test_rows_are_matched_by_image_variant_and_question(tmp_path: Path, suffix: str) -> None:
    rows = written(file_of(tmp_path, suffix, [ROW]), questions())
    assert [row.code for row in rows] == [PROGRAM, PROGRAM]
    assert [row.response for row in rows] == [PROGRAM, BODY]


def test_the_columns_can_be_named(tmp_path: Path) -> None:
    row = {**ROW, "first": PROGRAM.replace("dog", "cat"), "second": PROGRAM}
    first, second = written(file_of(tmp_path, ".csv", [row]), questions(), columns=["first", "second"])
    assert first.code == PROGRAM.replace("dog", "cat")
    assert second.code == PROGRAM


def test_a_question_without_a_row_is_an_error_and_an_empty_program_is_none(tmp_path: Path) -> None:
    path = file_of(tmp_path, ".csv", [{**ROW, "code": ""}])
    other = Question("other-0002-original", "direct", "original", one_turn("What?"), text="What?")
    empty, _, missing = written(path, [*questions(), other])
    assert (empty.code, empty.failed) == (None, False)
    assert "no program" in (empty.reason or "")
    assert (missing.code, missing.failed, missing.transient) == (None, True, False)
    assert f"not in {path}" in (missing.reason or "")


def test_a_file_without_the_columns_is_refused(tmp_path: Path) -> None:
    path = file_of(tmp_path, ".csv", [{key: value for key, value in ROW.items() if key != "new code"}])
    with pytest.raises(WhatifError, match=r"programs.csv: column `new code` is missing; name those of the programs"):
        written(path, questions())
    path = file_of(tmp_path, ".csv", [{"question_id": "a", "code": "b", "new code": "c"}])
    with pytest.raises(WhatifError, match=r"column `img_path` is missing; found"):
        written(path, questions())


def test_a_field_that_is_no_text_is_refused_with_its_line(tmp_path: Path) -> None:
    path = file_of(tmp_path, ".jsonl", [ROW, {**ROW, "code": {"a": 1}}])
    with pytest.raises(WhatifError, match=r"line 2: code is .* must be text"):
        written(path, questions())


def test_another_content_of_the_file_is_another_identity(tmp_path: Path) -> None:
    def identity(row: dict[str, Any]) -> Any:
        settings = FileWriter(adapter="file", programs=str(file_of(tmp_path, ".csv", [row])))
        return load_writer(settings, "python", None, 0).identity

    assert identity(ROW) == identity(ROW)
    assert identity(ROW) != identity({**ROW, "code": "def execute_command(image):\n    return 1\n"})


def test_responses_made_elsewhere_keep_their_programs(tmp_path: Path) -> None:
    rows = [{**ROW, "new code": "", "response": "2", "new_response": "1"}]
    model = load("replay", Replay(adapter="replay", predictions=str(file_of(tmp_path, ".csv", rows))), 0)
    first, second = model.answer(questions())
    assert (first.response, second.response, second.program) == ("2", "1", None)
    assert first.program is not None
    assert (first.program.code, first.program.outcome, first.program.sandbox) == (PROGRAM, "ok", "elsewhere")
    assert (first.program.calls, first.program.fallback) == ((), False)


def test_a_plain_file_of_responses_may_have_programs(tmp_path: Path) -> None:
    asked = questions()[:1]
    path = file_of(tmp_path, ".jsonl", [{"question_id": asked[0].question_id, "response": "2", "code": PROGRAM}])
    (answer,) = load("replay", Replay(adapter="replay", predictions=str(path)), 0).answer(asked)
    assert answer.program is not None
    assert answer.program.code == PROGRAM
