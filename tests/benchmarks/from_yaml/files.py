"""Small benchmarks in YAML files, and the tables that they are about, for tests."""

from __future__ import annotations

import copy
import csv
import io
from pathlib import Path
from typing import Any

import yaml
from PIL import Image

from tests.projects import Project

SCENES: dict[str, Any] = {
    "title": "Small scenes",
    "about": "Questions about drawn scenes, of which one thing is taken away.",
    "citation": "Nobody et al., 2026.",
    "licence": "CC0-1.0",
    "extract": {"scenes": {"number": 120, "side": 64, "kind": "counted"}},
    "generate": {
        "shards": 2,
        "templates": {
            "removed": {
                "blanks": {"tint": "values(objects, colour)"},
                "original": "How many {tint} things are there?",
                "if": "if one {tint} thing were taken away",
                "counterfactual": "{If}, how many {tint} things would there be?",
                "answer": {
                    "original": "count(objects, colour == tint)",
                    "counterfactual": "count(objects, colour == tint) - 1",
                },
                "change": "always",
                "options": 3,
                "kind": '"many" if count(objects) > 4 else "few"',
            }
        },
    },
    "filter": {"pairs": 40, "draws": 1},
    "aggregate": {"audit_folds": 2},
}
COLOURS = {"red": (220, 30, 30), "green": (30, 160, 60), "blue": (30, 60, 220)}


def scenes(**changes: Any) -> dict[str, Any]:
    """The values of SCENES, with other values of some sections."""
    made = copy.deepcopy(SCENES)
    for stage, values in changes.items():
        made[stage] = {**made[stage], **values} if isinstance(values, dict) else values
    return made


def template(**changes: Any) -> dict[str, Any]:
    made = copy.deepcopy(SCENES)
    made["generate"]["templates"]["removed"] |= changes
    return made


def write(folder: Path, values: Any, name: str = "small") -> Path:
    """Writes a file of the folder `benchmarks`; returns its path."""
    path = folder / "benchmarks" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(values if isinstance(values, str) else yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return path


def project(folder: Path, values: Any, name: str = "small") -> Project:
    """A project that has selected this benchmark, with two models that need no checkpoint."""
    made = Project(folder)
    write(folder, values, name)
    made.select(name)
    models = made.values["models"]
    made.values["models"] = {key: models[key] for key in ("random", "majority")}
    return made


def write_table(folder: Path, rows: int = 60) -> Path:
    """Pictures of one colour, and a CSV file with the colour and a list of tags of each; returns its path."""
    (folder / "pictures").mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["name", "picture", "colour", "number", "tags"])
    for number in range(rows):
        colour = list(COLOURS)[number % len(COLOURS)]
        Image.new("RGB", (16 + number, 16), COLOURS[colour]).save(folder / "pictures" / f"{number}.png")
        table.writerow([f"p{number:03d}", f"{number}.png", colour, number % 5, '["new"]' if number % 2 else "[]"])
    path = folder / "table.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    return path
