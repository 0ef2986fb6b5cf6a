"""Benchmarks for the tests of the audit: with a planted shortcut, and without one."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Row = Mapping[str, Any]


def choices(number: int, *, share: float = 0.0, seed: int = 0, pictures: int | None = None) -> list[dict[str, Any]]:
    """Questions with four different numbers; a `share` of them has the largest as the right one, the others any."""
    random = np.random.default_rng(seed)
    rows = []
    for place in range(number):
        options = [str(one) for one in random.choice(np.arange(20), 4, replace=False)]
        right = int(random.integers(4))
        if random.random() < share:
            right = options.index(max(options, key=int))
        rows.append(
            {
                "question_id": f"q{place:04d}",
                "question": f"How many {random.choice(['dots', 'cats', 'cups'])} are there?",
                "choices": options,
                "answer": "ABCD"[right],
                "image_id": f"image-{place % (pictures or number):04d}",
                "category": ("one", "two")[place % 2],
            }
        )
    return rows


def pairs(number: int, *, share: float, seed: int = 0) -> list[dict[str, Any]]:
    """An original question about each picture without a shortcut, and a counterfactual one with it."""
    plain, planted = choices(number, seed=seed), choices(number, share=share, seed=seed + 1)
    rows = []
    for place in range(number):
        for variant, row in (("original", plain[place]), ("counterfactual", planted[place])):
            rows.append(
                {**row, "question_id": f"p{place:04d}-{variant}", "pair_id": f"p{place:04d}", "variant": variant}
            )
    return rows


def yes_no(number: int, *, told: float, seed: int = 0) -> list[dict[str, Any]]:
    """Questions whose words tell the answer to a share of them."""
    random = np.random.default_rng(seed)
    rows = []
    for place in range(number):
        answer = ("no", "yes")[int(random.integers(2))]
        word = (
            ("never", "always")[answer == "yes"] if random.random() < told else str(random.choice(["never", "always"]))
        )
        rows.append({"id": place, "question": f"Is it {word} so?", "answer": answer, "image": f"{place}.png"})
    return rows


def write_csv(path: Path, rows: Sequence[Row], delimiter: str = ",") -> Path:
    """Rows as CSV; lists as JSON."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({name: json.dumps(one) if isinstance(one, list) else one for name, one in row.items()})
    return path


def write_jsonl(path: Path, rows: Sequence[Row]) -> Path:
    """Rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
