"""The altered subjects by the rule of the release, which of them are human, and the counts of the paper that follow."""

from __future__ import annotations

import pytest

from tests.released_captions import needs_released_captions, released_captions
from whatif.engine.language.human_words import HUMAN_WORDS, is_human
from whatif.engine.language.published_subjects import is_published_human, published_subjects, stem
from whatif.formats.caption_difference import difference


@pytest.mark.parametrize(
    ("captions", "subjects"),
    [
        (("A man on a horse.", "A woman on a horse."), ("man", "woman")),
        (("A man's hat!", "A dog's hat"), ("mans", "dogs")),
        (("Cats sit", "cats sit"), ("Cats", "cats")),  # case counts
        (("A dog and a cat", "A cat and a cat"), ("dog", "cat")),  # no new word: that of the other at the last place
        (("A cat by a dog", "A dog"), ("cat", "cat")),
        (("A dog", "A cat by a dog"), ("cat", "cat")),
        (("one two", "one two three 3"), ("two", "three")),
        (("7!", "a cat"), ("", "a")),
        (("", "x"), ("", "x")),
    ],
)
def test_a_subject_is_the_first_word_that_the_other_caption_lacks(
    captions: tuple[str, str], subjects: tuple[str, str]
) -> None:
    assert published_subjects(*captions) == subjects


def test_human_words_are_compared_by_stems_and_one_of_them_is_misspelt() -> None:
    assert stem("Kids") == stem("kid") == "kid"
    assert is_published_human(("dog", "Ladies")) and is_published_human(("mans", "dog"))
    assert not is_published_human(("children", "childish"))
    assert is_published_human(("childen", "")) and is_published_human(("", "child"))
    assert not is_published_human(("women", "student"))


@needs_released_captions
def test_the_released_captions_give_the_reported_number_of_human_pairs() -> None:
    rows = released_captions()
    subjects = [published_subjects(row["caption_0"], row["caption_1"]) for row in rows]
    assert sum(map(is_published_human, subjects)) == 4117
    kids = [both for both in subjects if (stem(both[0]), stem(both[1])) == (stem("people"), "kid")]
    assert len(kids) == 95 and not any(both[1].casefold() == "kid" for both in kids)
    differences = [difference(row["caption_0"], row["caption_1"]) for row in rows]
    ours = [found.subjects for found in differences if found is not None]
    assert len(ours) == len(rows)
    assert sum(bool(found.note) for found in differences if found is not None) == 3
    kids = [both for both in ours if (stem(both[0]), stem(both[1])) == (stem("people"), "kid")]
    assert len(kids) == 95
    assert sum(is_human(both[0]) or is_human(both[1]) for both in ours) == 4072
    assert sum(map(is_human, (word for both in ours for word in both))) == 6508


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
