"""Tasks out, filled in as by people, and labels in again: the judgements are what the people said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.verification.exports import filling
from tests.verification.exports.filling import Work, pair_work, question_work
from tests.verification.imports.files import json_file, read
from tests.verification.imports.test_label_studio import annotation, as_csv, choice, minimal, task, text
from whatif.verification.exports.folder import Address
from whatif.verification.exports.label_studio import label_studio_files
from whatif.verification.exports.mturk import mturk_files
from whatif.verification.exports.table import csv_files
from whatif.verification.imports.importer import ImportedLabels

KINDS = pytest.mark.parametrize("make", [pair_work, question_work], ids=["pairs", "questions"])


def said(labels: ImportedLabels) -> dict[tuple[str, int], tuple[str, str, str]]:
    """(item, annotator) -> what came back; nothing was lost on the way."""
    assert labels.findings == [] and labels.items_without_label == 0 and labels.unlabelled == []
    return {
        (row["item_id"], int(row["annotator"])): (row["decision"], row["corrected"], row["comment"])
        for row in labels.judgements
    }


@KINDS
def test_csv(make: Callable[[], Work], tmp_path: Path) -> None:
    work = make()
    filled = filling.filled_csv(csv_files(work.tasks, work.images), work.says)
    path = filling.write(tmp_path, "tasks.csv", filled)
    assert said(read(path, "whatif", work.items)) == work.judgements()


@KINDS
@pytest.mark.parametrize("as_json", [False, True])
def test_mturk(make: Callable[[], Work], as_json: bool, tmp_path: Path) -> None:
    work = make()
    files = mturk_files(work.tasks, work.images, Address("https://lab.org/a?b=1&c="))
    path = filling.write(tmp_path, "batch.csv", filling.mturk_results(files, work, as_json=as_json))
    labels = read(path, "mturk", work.items)
    assert said(labels) == work.judgements()
    assert {row["seconds"] for row in labels.judgements} == {31.0}


@KINDS
@pytest.mark.parametrize("form", ["json", "json-min", "csv"])
def test_label_studio(make: Callable[[], Work], form: str, tmp_path: Path) -> None:
    work = make()
    files = label_studio_files(work.tasks, work.images, None)
    values = filling.label_studio_values(files["labelling-interface.xml"])
    people = {one.task_id: one.annotators for one in work.tasks.tasks}
    exported: list[dict[str, Any]] = []
    for name in files:
        for one in json.loads(files[name]) if name.endswith(".json") else []:
            data = one["data"]
            given = []
            for who in people[data["task_id"]]:
                what = work.says(data["task_id"], {"choices": "", **data}, who)
                assert what.label in values
                given.append(
                    annotation(len(given) + 1, who, *filling.label_studio_result(what, choice, lambda c, t: text(t, c)))
                )
            exported.append(task(len(exported) + 1, data, *given))
    if form == "csv":
        path = as_csv(tmp_path / "export.csv", minimal(exported))
    else:
        path = json_file(tmp_path / "export.json", exported if form == "json" else minimal(exported))
    assert said(read(path, "label-studio", work.items)) == work.judgements()


def test_what_people_say_covers_every_answer() -> None:
    """Otherwise the round trips would show less than they seem to."""
    pairs, questions = pair_work().judgements(), question_work().judgements()
    assert {decision for decision, _, _ in pairs.values()} == {"caption_0", "caption_1", "both", "neither"}
    assert {decision for decision, _, _ in questions.values()} == {"accept", "unrelated", "ambiguous"}
    assert {key for _, corrected, _ in questions.values() for key in json.loads(corrected)} == {"answer", "question"}
    assert len(set(pairs.values()) | set(questions.values())) > 12
