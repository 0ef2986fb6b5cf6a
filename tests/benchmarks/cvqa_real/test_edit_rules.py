"""Which edits of a question only correct its grammar, and why the others are refused."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.cvqa_real.small import cases
from whatif.benchmarks.cvqa_real.edit_rules import edit_fault
from whatif.benchmarks.cvqa_real.edited_words import corrected

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Real_questions.csv"


EDITS = [tuple(row.values()) for row in cases("edits.csv")]


@pytest.mark.parametrize(("reason", "before", "after"), EDITS)
def test_corrections_pass_and_other_edits_are_refused(reason: str, before: str, after: str) -> None:
    found = edit_fault(before, after)
    assert (found is None) if not reason else (found is not None and found[0] == reason and bool(found[1]))


def test_there_are_enough_edits_of_every_kind() -> None:
    kinds = Counter(reason for reason, *_ in set(EDITS))
    assert kinds.pop("") >= 40 and kinds.total() >= 60 and len(kinds) == 11


def test_a_garbled_word_is_restored_only_from_the_original_question() -> None:
    before = "How many pieces of silverwwould be would be on the table if another set was put here?"
    after = "How many pieces of silverware would be on the table if another set was put here?"
    original = "How many pieces of silverware are on the table?"
    assert edit_fault(before, after, original=original) is None
    assert edit_fault(before, after) is not None


def test_words_may_be_joined_divided_and_inflected() -> None:
    assert corrected(["lady", "bug"], ["ladybug"]) and corrected(["ladybug"], ["lady", "bug"])
    assert corrected(["dog", "left"], ["dogs", "leave"])
    assert not corrected(["dog", "left"], ["left", "dog"])
    assert not corrected(["dog"], []) and not corrected([], ["dog"])
    assert not corrected(["cat"], ["bat"])  # both are words


@pytest.mark.skipif(not RELEASED.is_file(), reason="WHATIF_DATA does not name a folder with the released questions")
def test_released_questions_and_their_typos() -> None:
    from whatif.formats.c_vqa import read_released

    rows = [row for row in read_released(RELEASED) if row["variant"] == "counterfactual"]
    assert len(rows) == 3144
    texts = sorted({row["question"] for row in rows})
    assert not any(edit_fault(text, text) for text in texts)
    passed = [(one, other) for one, other in itertools.pairwise(texts) if edit_fault(one, other) is None]
    assert len(passed) == 7  # of questions that differ only in grammar
    assert all(len(set(one.lower().split()) ^ set(other.lower().split())) <= 6 for one, other in passed), passed
    typos = {"iting onto": "biting onto", "icture": "picture", "bedfroom": "bedroom", "thiings": "things"}
    for typo, word in typos.items():
        (wrong,) = [row["question"] for row in rows if f" {typo}" in row["question"]]
        assert edit_fault(wrong, wrong.replace(f" {typo}", f" {word}")) is None
