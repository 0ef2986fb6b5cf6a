"""A project whose pairs and descriptions are given, so that the steps `draw` and `filter` can be run alone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from tests.projects import Project
from tests.served_model import encoded_picture
from whatif.artifacts.images import image_row
from whatif.artifacts.reader import canonical_json
from whatif.artifacts.schemas import IMAGES, REJECTIONS, Table
from whatif.artifacts.writer import write_artifact
from whatif.benchmarks.mucr.schemas import CANDIDATES, CAUSAL_PAIRS, DESCRIPTIONS
from whatif.graph.jobs import Job

Row = dict[str, Any]
NAME = "mucr"
SPLIT, SEED = "test", 2024


def scene_pairs(groups: int = 1) -> tuple[list[Row], list[Row]]:
    """Pairs of the drawn world, and their descriptions."""
    from whatif.embedded.causal_pairs import draw_group

    pairs, descriptions = [], []
    for number in range(groups):
        for place, pair in enumerate(draw_group(SPLIT, number, SEED)):
            known = {"origin": "scenes", "split": SPLIT, "number": number, "seed": SEED, "place": place}
            pairs.append(_pair(pair.pair_id, pair.group_id, (pair.cause_caption, pair.effect_caption), known))
            descriptions.append(description(pair.pair_id, pair.cause_description, pair.effect_description))
    return pairs, descriptions


def caption_pairs(number: int = 4) -> tuple[list[Row], list[Row]]:
    """Pairs of captions from a file, and their descriptions."""
    texts = [(f"the cup {place} falls", f"the cup {place} is broken") for place in range(number)]
    pairs = [_pair(f"cup-{place}", "cup", both, {"origin": "captions"}) for place, both in enumerate(texts)]
    return pairs, [description(f"cup-{place}", *both) for place, both in enumerate(texts)]


def description(pair_id: str, cause: str, effect: str) -> Row:
    row = {"pair_id": pair_id, "cause_description": cause, "effect_description": effect}
    return {**row, "writer": "test", "provenance": canonical_json({})}


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
    return {
        "candidate_id": f"{pair_id}-{style}-{side}-00",
        "pair_id": pair_id,
        "style": style,
        "side": side,
        "place": 0,
        "generator": "released",
        "prompt": side,
        "seed": None,
        "image_id": image_id,
        "provenance": canonical_json({"origin": "released"}),
    }


def draw_jobs(project: Project) -> list[Job]:
    return [job for job in project.jobs("generate") if job.step.name == "draw"]


def drawn(project: Project) -> list[Row]:
    return project.rows("generate", "candidates", CANDIDATES)


def undrawn(project: Project) -> list[Row]:
    return project.rows("generate", "undrawn", REJECTIONS)


def digest(files: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}


def _pair(pair_id: str, group_id: str, captions: tuple[str, str], known: Row) -> Row:
    return {
        "pair_id": pair_id,
        "group_id": group_id,
        "category": "object",
        "cause_caption": captions[0],
        "effect_caption": captions[1],
        "cue": None,
        "false_cues": None,
        "explanation": None,
        "provenance": canonical_json(known),
    }


def _write(project: Project, stage: str, table: Table, role: str, rows: list[Row]) -> None:
    (path,) = project.paths(stage, role)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_artifact(path, table, rows, role=role, made_from={})
