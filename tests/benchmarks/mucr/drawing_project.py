"""A project whose pairs and descriptions are given, so that the steps `draw` and `filter` can be run alone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tests.benchmarks.mucr.rows import Row, candidate, causal_pair, description
from tests.projects import Project
from tests.served_model import encoded_picture
from whatif.benchmarks.mucr.schemas import CANDIDATES, CAUSAL_PAIRS, DESCRIPTIONS
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.artifacts.schemas import IMAGES, Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job

NAME = "mucr"
SPLIT, SEED = "test", 2024


def drawing_project(folder: Path, **generate: Any) -> Project:
    """Two candidates of each image, in two styles, unless `generate` says otherwise; one model that needs no image."""
    project = Project(folder, NAME)
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {"first": {"adapter": "first-option"}}
    project.generate.update({"candidates": 2, "parts": 1, "styles": ["photograph", "comic"], **generate})
    return project


def scene_pairs(groups: int = 1) -> tuple[list[Row], list[Row]]:
    from whatif.world.causal_pairs import draw_group

    pairs, descriptions = [], []
    for number in range(groups):
        for place, pair in enumerate(draw_group(SPLIT, number, SEED)):
            known = {"origin": "scenes", "split": SPLIT, "number": number, "seed": SEED, "place": place}
            captions = (pair.cause_caption, pair.effect_caption)
            pairs.append(causal_pair(pair.pair_id, pair.group_id, *captions, provenance=canonical_json(known)))
            descriptions.append(description(pair.pair_id, pair.cause_description, pair.effect_description))
    return pairs, descriptions


def caption_pairs(number: int = 4) -> tuple[list[Row], list[Row]]:
    texts = [(f"the cup {place} falls", f"the cup {place} is broken") for place in range(number)]
    origin = {"provenance": canonical_json({"origin": "captions"})}
    pairs = [causal_pair(f"cup-{place}", "cup", *both, **origin) for place, both in enumerate(texts)]
    return pairs, [description(f"cup-{place}", *both) for place, both in enumerate(texts)]


def given(project: Project, pairs: list[Row], descriptions: list[Row], released: tuple[str, ...] = ()) -> Project:
    """Writes the inputs of the steps; `released` are `<pair>/<style>` that have images already."""
    candidates, images = [], []
    for number, name in enumerate(released):
        pair_id, style = name.split("/")
        for place, side in enumerate(("cause", "effect")):
            image = image_row(encoded_picture(2 * number + place), 28, 28, "test", "CC0-1.0")
            images.append(image)
            candidates.append(released_row(pair_id, style, side, image["image_id"]))
    by_id = {row["image_id"]: row for row in images}
    _write(project, "extract", CANDIDATES, "provided", sorted(candidates, key=lambda row: str(row["candidate_id"])))
    _write(project, "extract", IMAGES, "images", [by_id[name] for name in sorted(by_id)])
    _write(project, "extract", CAUSAL_PAIRS, "pairs", pairs)
    _write(project, "generate", DESCRIPTIONS, "descriptions", descriptions)
    return project


def released_row(pair_id: str, style: str, side: str, image_id: str) -> Row:
    drawn = {"generator": "released", "prompt": side, "seed": None}
    return candidate(pair_id, style, side, 0, image_id, **drawn, provenance=canonical_json({"origin": "released"}))


def draw_jobs(project: Project) -> list[Job]:
    return [job for job in project.jobs("generate") if job.step.name == "draw"]


def drawn(project: Project) -> list[Row]:
    return project.rows("generate", "candidates")


def undrawn(project: Project) -> list[Row]:
    return project.rows("generate", "undrawn")


def digest(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def _write(project: Project, stage: str, table: Table, role: str, rows: list[Row]) -> None:
    (path,) = project.paths(stage, role)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_artifact(path, table, rows, role=role, made_from={})
