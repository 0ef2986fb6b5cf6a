"""Makes rows of the table `puzzles` for tests, like the benchmark but without its pipeline."""

from __future__ import annotations

import functools
from typing import Any

from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers
from whatif.benchmarks.cvqa_synthetic.options import PuzzleText, puzzle_text
from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.params.base import Range
from whatif.engine.random_streams import stream


def puzzle_settings(**changes: Any) -> GeneratePuzzles:
    """The settings of the embedded default, with changes."""
    defaults = {
        "puzzles_per_template": 500,
        "shards": 4,
        "image_size": 448,
        "options": "exchangeable",
        "flowers_per_region": Range(low=1, high=8),
        "dots_per_circle": Range(low=1, high=9),
        "smallest_region": 0.03,
        "smallest_gap": 0.3,
    }
    return GeneratePuzzles(**{**defaults, **changes})


@functools.cache
def flower_pictures() -> FlowerPictures:
    return FlowerPictures(drawn_flowers(96))


def puzzle(
    group: str, number: int, settings: GeneratePuzzles | None = None, seed: int = 0
) -> tuple[PuzzleText, dict[str, Any]]:
    """A puzzle's text and its row, without `image_id`."""
    settings = settings or puzzle_settings()
    text = puzzle_text(group, number, seed, settings)
    generator = stream(seed, "layout", group, number)
    if text.words.colours:
        ids = flower_pictures().image_ids
        scene = lay_out_flowers(text.counts, text.words.colours, ids, settings, generator)
    else:
        scene = lay_out_dots(text.counts, settings, generator)
    row = {
        "pair_id": f"{group}-{number:06d}",
        "image_id": "0" * 64,
        "group": group,
        "image_size": settings.image_size,
        **scene,
        "removed": text.words.removed,
        "original_answer": text.original.number,
        "counterfactual_answer": text.counterfactual.number,
    }
    return text, row
