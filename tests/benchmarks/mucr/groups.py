"""Groups of pairs with captions, cues, descriptions and small images, and a project in which questions are made."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from PIL import Image, ImageDraw

from tests.benchmarks.mucr.rows import Row, candidate, causal_pair, choice, description
from tests.projects import Project
from whatif.benchmarks.mucr.schemas import CANDIDATES, CAUSAL_PAIRS, CHOICES, DESCRIPTIONS, STYLES
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import IMAGES, Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.random_streams import stream

NAME = "mucr"
THINGS = ("vase", "lamp", "clock", "kettle")
_TABLES: dict[str, Table] = {
    "pairs": CAUSAL_PAIRS,
    "descriptions": DESCRIPTIONS,
    "provided": CANDIDATES,
    "candidates": CANDIDATES,
    "choices": CHOICES,
    "images": IMAGES,
    "drawn-images": IMAGES,
}


class World:
    """The rows of all tables that the questions are made of; a test removes or changes some of them.

    Each group has four pairs: a vase, a lamp, a clock and a kettle that fall. Each sentence has `candidates` images in
    each style, of `side` pixels, of which number 1 is chosen.
    """

    def __init__(self, groups: int, candidates: int = 5, side: int = 48, styles: Sequence[str] = STYLES) -> None:
        self.pairs: list[Row] = []
        self.descriptions: list[Row] = []
        self.candidates: list[Row] = []
        self.choices: list[Row] = []
        self.images: list[Row] = []
        for number in range(groups):
            for place, thing in enumerate(THINGS):
                self._add_pair(number, place, thing, candidates, side, styles)

    def _add_pair(  # noqa: PLR0917
        self, number: int, place: int, thing: str, candidates: int, side: int, styles: Sequence[str]
    ) -> None:
        pair_id = f"g{number:03d}-{place + 1}"
        room = ("kitchen", "hall", "cellar", "garden")[number % 4]
        self.pairs.append(
            causal_pair(
                pair_id,
                f"g{number:03d}",
                f"The {thing} number {number} leans over the edge of a shelf in the {room}.",
                f"The {thing} number {number} lies in pieces below.",
                cue="falls",
                false_cues=["shelf", room, thing],
                explanation=f"Cause: the {thing} leans over. Effect: it lies in pieces. The causal link between "
                f"them is that the {thing} falls.",
                provenance=json.dumps({"origin": "scenes"}),
            )
        )
        cause = f"A white {thing} with a blue rim leans over the edge in a bright {room}."
        effect = f"A white {thing} with a blue rim lies broken on the floor of a bright {room}."
        self.descriptions.append(description(pair_id, cause, effect, "scenes"))
        for style in styles:
            for side_of_pair in ("cause", "effect"):
                for one in range(candidates):
                    self._add_image(pair_id, style, side_of_pair, one, side)
            measures = {"caption_cause": 0.3, "caption_effect": 0.3, "likeness": 0.8}
            self.choices.append(choice(pair_id, style, 1, place=0, **measures))

    def _add_image(self, pair_id: str, style: str, side_of_pair: str, place: int, side: int) -> None:
        data = png_of(f"{pair_id}-{style}-{side_of_pair}-{place:02d}", side)
        row = image_row(data, side, side, "drawn:test", "CC0-1.0")
        self.images.append(row)
        self.candidates.append(candidate(pair_id, style, side_of_pair, place, row["image_id"]))

    def pair(self, pair_id: str) -> Row:
        return next(row for row in self.pairs if row["pair_id"] == pair_id)

    def candidate(self, candidate_id: str) -> Row:
        return next(row for row in self.candidates if row["candidate_id"] == candidate_id)

    def without_choice(self, pair_id: str, *styles: str) -> None:
        """Takes the chosen images of a pair away: in these styles, or in all."""
        self.choices = [
            row for row in self.choices if row["pair_id"] != pair_id or (styles and row["style"] not in styles)
        ]


def png_of(name: str, side: int) -> bytes:
    """A PNG of a disc of its own colour and place on a ground of its own."""
    draw = stream(0, name)
    ground, disc = (tuple(int(value) for value in draw.integers(40, 256, 3)) for _ in range(2))
    image = Image.new("RGB", (side, side), ground)
    left, top = (int(value) for value in draw.integers(0, side // 2, 2))
    ImageDraw.Draw(image).ellipse((left, top, left + side // 2 - 1, top + side // 2 - 1), fill=disc)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def prepare(project: Project, world: World, **questions: Any) -> Project:
    """Writes the inputs of the step `questions`; `questions` are changes of its settings."""
    project.select(NAME)
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {"random": {"adapter": "random", "name": "Random"}}
    project.section("verify")["questions"] |= questions
    images = {row["image_id"]: row for row in world.images}
    rows: dict[str, list[Row]] = {
        "pairs": sorted(world.pairs, key=lambda row: str(row["pair_id"])),
        "descriptions": world.descriptions,
        "provided": [],
        "candidates": sorted(world.candidates, key=lambda row: str(row["candidate_id"])),
        "choices": sorted(world.choices, key=lambda row: (str(row["pair_id"]), str(row["style"]))),
        "images": [],
        "drawn-images": [images[image_id] for image_id in sorted(images)],
    }
    (job,) = [job for job in project.jobs("verify") if job.step.name == "questions"]
    for role, given in job.inputs.items():
        (path,) = given.paths
        path = project.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_artifact(path, _TABLES[role], rows[role], role=role, made_from={})
    return project


def make(project: Project) -> list[str]:
    """Runs the step `questions` alone; returns what it said."""
    return project.make_jobs(job for job in project.jobs("verify") if job.step.name == "questions")


def asked(project: Project, role: str = "questions") -> list[Row]:
    """The questions of the test groups, or those of another output."""
    return project.rows("verify", role, step="questions")
