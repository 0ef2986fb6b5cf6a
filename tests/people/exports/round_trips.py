"""Tasks out to a tool, filled in as by people, and labels in again: the judgements are what the people said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.people.exports import filling
from tests.people.exports.filling import Work
from tests.people.imports.files import json_file, read
from tests.people.imports.test_label_studio import annotation, as_csv, choice, minimal, task, text
from whatif.people.exports.folder import Address
from whatif.people.exports.label_studio import label_studio_files
from whatif.people.exports.mturk import mturk_files
from whatif.people.exports.table import csv_files
from whatif.people.imports.importer import ImportedLabels


def said(labels: ImportedLabels) -> dict[tuple[str, int], tuple[str, str, str]]:
    """(item, annotator) -> what came back; nothing was lost on the way."""
    assert labels.findings == [] and labels.items_without_label == 0 and labels.unlabelled == []
    return {
        (row["item_id"], int(row["annotator"])): (row["decision"], row["corrected"], row["comment"])
        for row in labels.judgements
    }


def check_csv(work: Work, folder: Path) -> str:
    """By a CSV that is filled in; returns its header."""
    files = csv_files(work.tasks, work.images)
    path = filling.write(folder, "tasks.csv", filling.filled_csv(files, work.says))
    assert said(read(path, "whatif", work.items)) == work.judgements()
    return files["tasks.csv"].decode().partition("\n")[0]


def check_mturk(work: Work, folder: Path, *, as_json: bool) -> None:
    """By a batch of MTurk."""
    files = mturk_files(work.tasks, work.images, Address("https://lab.org/a?b=1&c="))
    path = filling.write(folder, "batch.csv", filling.mturk_results(files, work, as_json=as_json))
    labels = read(path, "mturk", work.items)
    assert said(labels) == work.judgements()
    assert {row["seconds"] for row in labels.judgements} == {31.0}


def check_label_studio(work: Work, folder: Path, form: str) -> list[str]:
    """By an export of Label Studio: `json`, `json-min` or `csv`; returns the values of the labels."""
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
        path = as_csv(folder / "export.csv", minimal(exported))
    else:
        path = json_file(folder / "export.json", exported if form == "json" else minimal(exported))
    assert said(read(path, "label-studio", work.items)) == work.judgements()
    return values
