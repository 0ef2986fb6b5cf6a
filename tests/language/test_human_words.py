"""Which subjects are human (A.3.2): the words of the paper, in any case, also as possessives."""

from __future__ import annotations

import pytest

from tests.released_captions import needs_released_captions, released_captions
from whatif.formats.caption_difference import difference
from whatif.language.human_words import HUMAN_WORDS, is_human


@pytest.mark.parametrize("subject", ["man", "Children", "man's", "woman\u2019s", "PEOPLE'S"])
def test_a_possessive_counts_as_its_noun(subject: str) -> None:
    assert is_human(subject)


@pytest.mark.parametrize("subject", ["mans", "women", "student", "dog's", "'s", "man and a man", ""])
def test_other_words_are_not_human(subject: str) -> None:
    assert not is_human(subject)


@needs_released_captions
def test_26_of_the_released_human_subjects_are_possessives() -> None:
    differences = [difference(row["caption_0"], row["caption_1"]) for row in released_captions()]
    human = [word for found in differences if found for word in found.subjects if is_human(word)]
    assert len(human) == 6508
    assert sum(word.casefold() not in HUMAN_WORDS for word in human) == 26
