"""Differing words of two texts, and difference maps of two pictures."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from tests.results.site.example_items import drawn
from whatif.results.site.differences import difference_map, marked, parts, size_of, word_differences


def words(first: str, second: str) -> tuple[list[str], list[str]]:
    spans = word_differences(first, second)
    return [first[a:b] for a, b in spans[0]], [second[a:b] for a, b in spans[1]]


def test_the_word_that_was_exchanged_is_found() -> None:
    assert words("A dog on a red sofa.", "A cat on a red sofa.") == (["dog"], ["cat"])


def test_inserted_words_are_marked_on_one_side_only() -> None:
    found = words("How many balls are there?", "If one were added, how many balls are there?")
    assert found == ([], ["If one were added,"])


def test_words_are_compared_without_case_and_as_wholes() -> None:
    assert words("The cat's bed", "the cats' bed") == (["cat's"], ["cats'"])
    assert words("What is it?", "what is it?") == ([], [])


def test_texts_with_nothing_in_common_are_not_marked() -> None:
    assert words("A dog sleeps", "Rain all day long") == ([], [])
    assert words("", "") == ([], [])


def test_parts_alternate_between_equal_and_changed() -> None:
    assert parts("A cat sits", [(2, 5)]) == ["A ", "cat", " sits"]
    assert parts("cat", [(0, 3)]) == ["", "cat"]
    assert parts("no change", []) == ["no change"]
    assert parts("", []) == [""]


def test_texts_are_paired_by_place_or_with_the_only_original() -> None:
    assert [*marked(["a dog"], ["a cat"])] == [(["a ", "dog"], ["a ", "cat"])]
    assert [*marked(["a dog runs"], ["a cat runs", "a dog sleeps"])] == [
        (["a dog runs"], ["a ", "cat", " runs"]),
        ([], ["a dog ", "sleeps"]),
    ]
    assert [*marked(["one", "two"], ["one more"])] == [(["one"], ["one more"]), (["two"], [])]
    assert [*marked([], [])] == []


def test_the_map_is_bright_exactly_where_the_pictures_differ() -> None:
    first = Image.new("RGB", (40, 30), "white")
    second = first.copy()
    second.paste((0, 0, 255), (10, 5, 20, 15))
    data = difference_map(*(_png(picture) for picture in (first, second)))
    assert data is not None
    levels = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
    expected = np.zeros((30, 40), dtype=bool)
    expected[5:15, 10:20] = True
    assert ((levels > 0) == expected).all()
    assert levels[10, 15] == 255


def test_equal_pictures_other_sizes_noise_and_broken_files_have_no_map() -> None:
    first = Image.new("RGB", (40, 30), (100, 100, 100))
    assert difference_map(_png(first), _png(first)) is None
    assert difference_map(_png(first), _png(Image.new("RGB", (30, 40)))) is None
    assert difference_map(_png(first), _png(Image.new("RGB", (40, 30), (105, 97, 100)))) is None
    assert difference_map(_png(first), b"no picture") is None


def test_large_maps_are_reduced() -> None:
    data = difference_map(_png(Image.new("RGB", (1200, 600))), _png(Image.new("RGB", (1200, 600), "red")))
    assert data is not None
    assert size_of(data) == (320, 160)


def test_the_size_is_that_of_the_header() -> None:
    assert size_of(drawn("red", "ball", (50, 20))[1]) == (50, 20)
    assert size_of(b"none") == (0, 0)


def _png(picture: Image.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()
