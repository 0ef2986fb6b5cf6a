"""The words in which two captions differ."""

from __future__ import annotations

import pytest

from whatif.formats.caption_difference import difference


@pytest.mark.parametrize(
    ("captions", "subjects", "note"),
    [
        (("A man on a horse.", "A woman on a horse"), ("man", "woman"), False),
        (("A cat sits.", "An owl sits."), ("cat", "owl"), False),
        (("Man, with dog", "Woman with dog"), ("Man", "Woman"), False),
        (("A T-shirt hangs", "A coat hangs"), ("T-shirt", "coat"), False),
        (("in front of a schoolbus/boat/house.", "in front of a house."), ("schoolbus/boat/house", "house"), False),
        (("on a brown sidewalk.outside.", "on a brown box."), ("sidewalk.outside", "box"), False),
        (("a fire hydrant", "a parking meter"), ("fire hydrant", "parking meter"), True),
        (("a man and a man", "a boy and a boy"), ("man and a man", "boy and a boy"), True),
        (("man surfing", "man"), ("man surfing", "man"), True),
        (("red ball", "ball"), ("red ball", "ball"), True),
        (("a a b", "a b"), ("a a", "a"), True),
        (("x y", "x y x y"), ("y", "y x y"), True),
        (("один кот", "один пёс"), ("кот", "пёс"), False),
        (("", "cat"), ("", "cat"), True),
    ],
)
def test_subjects_are_the_words_that_differ(captions: tuple[str, str], subjects: tuple[str, str], note: bool) -> None:
    for turned in (1, -1):
        found = difference(*captions[::turned])
        assert found is not None
        assert found.subjects == subjects[::turned] and bool(found.note) == note


def test_captions_with_the_same_words_do_not_differ() -> None:
    assert difference("A cat.", "a  cat") is None
