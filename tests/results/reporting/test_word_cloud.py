"""The layout of word clouds."""

from __future__ import annotations

import pytest

from whatif.results.reporting.svg import new_figure, svg
from whatif.results.reporting.word_cloud import Placed, draw_cloud, word_cloud

WORDS = [(f"word{number}", 50 - number) for number in range(40)]


def apart(one: Placed, other: Placed) -> bool:
    return one.right < other.left or other.right < one.left or one.top < other.bottom or other.top < one.bottom


def test_words_are_inside_the_cloud_and_do_not_overlap() -> None:
    placed = word_cloud(WORDS, 260, 160)
    assert [one.word for one in placed] == [word for word, _ in WORDS]
    for place, one in enumerate(placed):
        assert 0 <= one.left < one.right <= 260 and 0 <= one.bottom < one.top <= 160
        assert all(apart(one, other) for other in placed[:place])


def test_words_side_by_side_are_a_space_apart() -> None:
    placed = word_cloud(WORDS, 260, 160)
    beside = [
        max(one.left, other.left) - min(one.right, other.right)
        for place, one in enumerate(placed)
        for other in placed[:place]
        if max(one.bottom, other.bottom) < min(one.top, other.top)
    ]
    assert 4 <= min(beside) < 8  # points; the width of a space in a font of 13 points


def test_frequent_words_are_large_and_central() -> None:
    placed = word_cloud([("cat", 1), ("dog", 9), ("bird", 4)], 260, 160)
    assert [one.word for one in placed] == ["dog", "bird", "cat"]
    assert placed[0].size == pytest.approx(3 * placed[2].size) and placed[1].size == pytest.approx(2 * placed[2].size)
    assert (placed[0].left + placed[0].right) / 2 == pytest.approx(130, abs=2)
    assert [one.word for one in word_cloud([("b", 2), ("a", 2)], 260, 160)] == ["a", "b"]


def test_words_without_room_or_glyphs_are_left_out() -> None:
    assert word_cloud([("x" * 200, 5), ("cat", 1), ("猫", 9), (" ", 3)], 60, 40) == word_cloud(
        [("cat", 1), ("猫", 9)], 60, 40
    )
    assert word_cloud([], 60, 40) == []
    placed = word_cloud([("elephants", 9)], 60, 40)
    assert placed[0].size < 20 and placed[0].right <= 60  # smaller than its count asks for


def test_a_word_is_no_formula_and_no_markup() -> None:
    words = [("$x^2$", 3), ("</svg>", 2), ("$\\no", 1)]

    def draw() -> object:
        figure = new_figure(4, 3)
        draw_cloud(figure, word_cloud(words, 260, 160), (0, 0))
        return figure

    drawing = svg(draw).decode()  # type: ignore[arg-type]
    assert drawing.count("</svg>") == 1 and "<!-- $x^2$ -->" in drawing
