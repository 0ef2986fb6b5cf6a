"""The training examples of the embedded vision-language models: images, positions and answers are correct."""

from __future__ import annotations

import numpy as np
import pytest

from tests.world.scenes import puzzle_settings
from training.dense_targets import (
    BACKGROUND,
    CHANNELS,
    DOTS,
    FLOWERS,
    GRID,
    INSIDE,
    THING,
    dense_losses,
    dense_targets,
)
from training.puzzle_examples import PuzzleExample, draw_puzzles, puzzle_questions, turned
from training.scene_pictures import draw_scenes, scene_questions_of
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS, TEMPLATES
from whatif.world.drawing.palette import POLYGON_COLOURS
from whatif.world.scenes import BACKGROUNDS, NOUNS, split_of

COLOURS = list(POLYGON_COLOURS)


@pytest.fixture(scope="module")
def flowers() -> list[PuzzleExample]:
    return draw_puzzles("flowers", 6, 3, puzzle_settings(), 96)


@pytest.fixture(scope="module")
def dots() -> list[PuzzleExample]:
    return draw_puzzles("dots", 6, 3, puzzle_settings(), 96)


def test_more_puzzles_begin_with_the_same_puzzles(flowers: list[PuzzleExample]) -> None:
    fewer = draw_puzzles("flowers", 3, 3, puzzle_settings(), 96)
    assert [example.counts for example in fewer] == [example.counts for example in flowers[:3]]
    assert all(np.array_equal(a.picture, b.picture) for a, b in zip(fewer, flowers, strict=False))


def test_another_seed_gives_other_puzzles(flowers: list[PuzzleExample]) -> None:
    other = draw_puzzles("flowers", 6, 4, puzzle_settings(), 96)
    assert not any(np.array_equal(a.picture, b.picture) for a, b in zip(other, flowers, strict=True))


@pytest.mark.parametrize("turn", range(8))
def test_turned_flowers_stay_in_their_polygons(flowers: list[PuzzleExample], turn: int) -> None:
    for example in flowers:
        now = turned(example, turn)
        assert now.masks is not None
        columns, rows = (now.places * 24).astype(int).T
        for polygon in (0, 1):
            shares = now.masks[polygon][rows, columns]
            assert shares[now.owners[:, polygon] == 1].mean() > 0.9
            assert shares[now.owners[:, polygon] == 0].mean() < 0.1


@pytest.mark.parametrize("turn", range(4))
def test_turned_circles_are_counted_row_by_row(dots: list[PuzzleExample], turn: int) -> None:
    for example in dots:
        now = turned(example, turn)
        assert [int((now.owners == circle).sum()) for circle in range(6)] == list(now.counts)
        centres = np.stack([now.places[now.owners == circle].mean(axis=0) for circle in range(6)])
        assert (centres[:3, 1].max() < centres[3:, 1].min()) and (centres[[0, 3], 0].max() < centres[[1, 4], 0].min())


def test_a_turned_picture_shows_the_turned_places(dots: list[PuzzleExample]) -> None:
    example = dots[0]
    ink = example.picture.astype(int).sum(axis=2) < 600
    now = turned(example, 1)
    columns, rows = (now.places * 96).astype(int).T
    assert np.array_equal(now.picture[:, ::-1].astype(int).sum(axis=2) < 600, ink)
    assert (now.picture.astype(int).sum(axis=2)[rows, np.minimum(columns, 95)] < 700).mean() > 0.9


def test_answers_are_those_of_the_templates(flowers: list[PuzzleExample], dots: list[PuzzleExample]) -> None:
    generator = np.random.default_rng(0)
    example = flowers[0]
    assert example.colours is not None
    both, first, second, outside = example.counts
    answers = dict(puzzle_questions(example, generator, counterfactual=True))
    one, other = example.colours
    assert answers[f"How many flowers are inside the {one} polygons?"] == str(both + first)
    assert answers[f"How many flowers are inside the {other} polygons?"] == str(both + second)
    assert answers[f"How many flowers are outside the {other} polygons?"] == str(first + outside)
    recoloured = f"How many flowers would be outside the {one} polygons if all polygons were {one}?"
    assert answers[recoloured] == str(outside)
    circles = dict(puzzle_questions(dots[0], generator, counterfactual=False))
    assert sorted(circles.values()) == sorted(
        str(count) for count in (sum(dots[0].counts), sum(dots[0].counts[:3]), max(dots[0].counts))
    )


def test_original_questions_have_no_if(flowers: list[PuzzleExample], dots: list[PuzzleExample]) -> None:
    generator = np.random.default_rng(0)
    for example in [*flowers, *dots]:
        assert not any(" if " in question for question, _ in puzzle_questions(example, generator, False))
        assert any(" if " in question for question, _ in puzzle_questions(example, generator, True))


def test_every_template_is_trained_on(flowers: list[PuzzleExample], dots: list[PuzzleExample]) -> None:
    generator = np.random.default_rng(0)
    asked = [question for one in [*flowers, *dots] for question, _ in puzzle_questions(one, generator, True)]
    for group in GROUPS:
        beginning = TEMPLATES[group].counterfactual.split("{")[0]
        assert any(question.startswith(beginning) for question in asked), group


def test_targets_of_flowers_add_up(flowers: list[PuzzleExample]) -> None:
    for example in flowers:
        targets = dense_targets(example)
        assert targets.shape == (GRID * GRID, CHANNELS)
        both, first, second, outside = example.counts
        sums = targets[:, FLOWERS].sum(axis=0)
        assert example.colours is not None
        assert sums[-1] == both + first + second + outside
        assert sums[COLOURS.index(example.colours[0])] == both + first
        assert sums[COLOURS.index(example.colours[1])] == both + second
        assert np.isnan(targets[:, DOTS]).all() and np.isnan(targets[:, THING]).all()


def test_targets_of_dots_add_up(dots: list[PuzzleExample]) -> None:
    for example in dots:
        targets = dense_targets(example)
        assert targets[:, DOTS].sum(axis=0)[:6].tolist() == list(example.counts)
        nearest = targets[:, DOTS][:, 6] * 9
        assert nearest[0] == pytest.approx(example.counts[0]) and nearest[-1] == pytest.approx(example.counts[5])
        assert np.isnan(targets[:, INSIDE]).all()


def test_targets_of_scenes_name_each_thing_once() -> None:
    for example in draw_scenes(20, 3, 96):
        assert split_of(example.scene.things) == "train"
        targets = dense_targets(example)
        assert targets[:, THING][:, : len(NOUNS)].sum() == len(example.scene.things)
        background = list(BACKGROUNDS).index(example.scene.background)
        assert (targets[:, BACKGROUND].argmax(axis=1) == background).all()
        assert scene_questions_of(example, np.random.default_rng(0))


def test_losses_are_of_what_a_picture_says_and_nothing_else(
    flowers: list[PuzzleExample], dots: list[PuzzleExample]
) -> None:
    import torch

    targets = torch.from_numpy(np.stack([dense_targets(example) for example in (flowers[0], dots[0])]))
    losses = dense_losses(torch.nan_to_num(targets), targets)
    assert set(losses) == {"inside", "flowers", "dots"}
    assert float(losses["flowers"]) == 0 and float(losses["dots"]) == 0
    worse = torch.nan_to_num(targets) + 1
    assert float(dense_losses(worse, targets)["flowers"]) > 0
