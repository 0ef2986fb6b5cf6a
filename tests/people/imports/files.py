"""Label files for tests, as annotation tools write them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.people.pairs import pair
from whatif.people.imports.importer import ImportedLabels, import_labels
from whatif.people.imports.items import Item, Items
from whatif.people.imports.settings import LabelFile
from whatif.people.picture_tasks import PictureTask, picture_tasks

SEED = 7
PAIRS = [pair(number, pair_id=f"{1000 + number}_{number % 3}") for number in range(12)]
ITEMS = Items.of_pairs(PAIRS, seed=SEED)
TASKS: list[PictureTask] = picture_tasks(PAIRS, seed=SEED, labelled_three_times=0)
QUESTIONS = Items(
    {
        f"q{number}": Item(
            f"q{number}",
            fields={
                "question": f"How many dogs are in image {number}?",
                "answer": str(number),
                "image": f"id-{number}-a",
            },
            candidates={f"candidate_{letter}": f"id-{number}-{letter}" for letter in "abc"},
        )
        for number in range(6)
    }
)


def csv_file(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Path:
    """A CSV with a header; cells that a row does not have are empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns or list(dict.fromkeys(key for row in rows for key in row)))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    return path


def csv_rows(path: Path | str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def jsonl_file(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def json_file(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path


def read(path: Path, how: str, items: Items = ITEMS, **settings: Any) -> ImportedLabels:
    """The labels of one file; settings are those of `params.yaml`."""
    return import_labels([LabelFile.model_validate({"path": str(path), "format": how, **settings})], items)


def decisions(labels: ImportedLabels) -> dict[tuple[str, str], str]:
    return {(row["item_id"], row["annotator"]): row["decision"] for row in labels.judgements}


def reasons(labels: ImportedLabels) -> dict[str, int]:
    return {what: n for what, n in labels.counts.items() if what not in ("counted", "unlabelled")}
