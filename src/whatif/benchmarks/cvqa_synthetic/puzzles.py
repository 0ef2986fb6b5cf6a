"""The rows of one puzzle: its image, its scene, and its original and counterfactual question."""

from __future__ import annotations

from typing import Any

from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
from whatif.benchmarks.cvqa_synthetic.options import puzzle_text
from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures, draw_puzzle
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.random_streams import stream


def generate_puzzle(
    number: int, seed: int, settings: GeneratePuzzles, flowers: FlowerPictures
) -> tuple[dict[str, Any], dict[str, Any], list[dict[str, Any]]]:
    """Rows of `images`, `puzzles` and `questions` for the puzzle with this number, counted over all templates."""
    group = GROUPS[number // settings.puzzles_per_template]
    place = number % settings.puzzles_per_template
    text = puzzle_text(group, place, seed, settings)
    generator = stream(seed, "layout", group, place)
    if text.words.colours is None:
        scene = lay_out_dots(text.counts, settings, generator)
    else:
        scene = lay_out_flowers(text.counts, text.words.colours, flowers.image_ids, settings, generator)
    puzzle = {
        "pair_id": f"abs_counting_{number + 1:06d}",
        "group": group,
        "image_size": settings.image_size,
        **scene,
        "removed": text.words.removed,
        "original_answer": text.original.number,
        "counterfactual_answer": text.counterfactual.number,
    }
    data = draw_puzzle(puzzle, flowers)
    image = image_row(data, settings.image_size, settings.image_size, f"drawn:{group}", "CC0-1.0")
    puzzle["image_id"] = image["image_id"]
    asked = {"counterfactual": text.counterfactual, "original": text.original}
    questions = [
        {
            "question_id": f"{puzzle['pair_id']}-{variant}",
            "pair_id": puzzle["pair_id"],
            "group": group,
            "variant": variant,
            "question": question.question,
            "choices": list(question.choices),
            "answer": question.letter,
            "answer_kind": "choice",
            "image_ids": [image["image_id"]],
            "provenance": canonical_json({"options": settings.options}),
        }
        for variant, question in asked.items()
    ]
    return image, puzzle, questions
