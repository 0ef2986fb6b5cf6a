"""MuCR's tasks for training: no image of a test group, the right answers; a small model that learns them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from training.assess_causal import FORMS, assess_causal
from training.causal import panels, text_questions, train_causal
from training.causal_examples import draw_causal_examples, reduced
from training.recipes import CausalRecipe, Schedule
from training.vision_language_parts import PATCH, SIDE
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.models.composite_picture import composite
from whatif.models.square import squared
from whatif.world.causal_pairs import split_of_looks

LOG_EVERY = 2


def test_examples_are_of_the_split_train_and_their_answers_are_of_the_pair() -> None:
    for number in range(8):
        group = draw_causal_examples("train", number, 3)
        things = [one.pair.cause_scene.thing for one in group]
        looks = [sorted({getattr(thing, field) for thing in things}) for field in ("noun", "colour", "pattern")]
        assert split_of_looks(*looks) == "train"
        for one in group:
            [(_, effect), (_, cue), (_, explanation)] = text_questions(one)
            assert (effect, cue, explanation) == (one.pair.effect_caption, one.pair.cue, one.pair.explanation)
            letter = one.answer("C2E", "composite").removeprefix("Image ")
            assert one.options("C2E", "text")["ABCD".index(letter)] == effect
            shown = one.things("C2E")
            assert shown[1 + "ABCD".index(letter)] == shown[0] and len(set(shown)) == 4


def test_panels_are_cut_from_composites_where_they_are_drawn() -> None:
    """Of the colours of plain images, each panel has its own most often."""
    for number, rows, columns in ((2, 1, 2), (5, 2, 3)):
        colours = [40 * place for place in range(number)]
        images = [Image.new("RGB", (128, 128), (colour,) * 3) for colour in colours]
        pixels = reduced(squared(composite(images, ["Cause", "A", "B", "C", "D"][:number])), SIDE)[..., 0]
        patches = pixels.reshape(SIDE // PATCH, PATCH, SIDE // PATCH, PATCH).transpose(0, 2, 1, 3)
        tokens = torch.from_numpy(patches.reshape(1, -1, PATCH * PATCH).astype(np.float32))
        found = [[(abs(panel - colour) < 3).sum() for colour in colours] for panel in panels(tokens, rows, columns)[0]]
        assert np.argmax(found[:number], axis=1).tolist() == list(range(number))


@pytest.mark.training
def test_it_learns_repeats_itself_and_answers_through_the_adapter(short_logs: None, tmp_path: Path) -> None:
    schedule = Schedule(steps=6, batch=4, learning_rate=3e-3, warmup=1)
    recipe = CausalRecipe(groups=4, texts=2, tower=schedule, answers=schedule)
    for name in ("first", "again"):
        train_causal(recipe, 3, 1, tmp_path / name, tmp_path / name / "log.jsonl")
    for file in (tmp_path / "first").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes(), file.name
    lines = [json.loads(line) for line in (tmp_path / "first" / "log.jsonl").read_text().splitlines()]
    tower, answers = lines[:3], lines[3:]
    assert tower[-1]["two panels"] < tower[0]["two panels"]
    assert all(answers[-1][kind] < answers[0][kind] for kind in ("text", "two panels", "five panels"))
    table = assess_causal(tmp_path / "first", groups=1)
    assert {form: list(of_form) for form, of_form in table.items()} == {form: list(SCORES) for form in FORMS}
    assert all(leaf["n"] == 4 for of_form in table.values() for leaf in of_form.values())
