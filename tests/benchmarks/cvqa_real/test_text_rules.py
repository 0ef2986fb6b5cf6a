"""Checks of counterfactual questions by their text: our examples, and the released questions."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmarks.cvqa_real.small import cases
from whatif.benchmarks.cvqa_real.question_parts import counted_words, main_clause, missing
from whatif.benchmarks.cvqa_real.text_rules import Texts, doubts, text_fault

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Real_questions.csv"
DOGS = ("How many dogs are on the beach?", "3")
NONE = ("How many dogs are on the beach?", "0")
ASLEEP = ("Is the brown dog asleep?", "yes")

WRONG_AMOUNTS = [
    (clause, before, after)
    for clause, before, afters in (
        ("2 of the dogs left", 3, (0, 2, 3, 5)),
        ("one of them left", 3, (0, 4)),
        ("2 more dogs came and 1 dog left", 3, (0, 2, 6)),
        ("a dog left and three more came", 3, (1, 3, 6, 7)),
        ("half of the dogs left and 2 others came", 6, (1, 3, 4, 7, 8)),
        ("all of the dogs left and 2 others came", 6, (0, 4, 6, 8)),
        ("all dogs were taken away", 6, (1, 5, 6)),
        ("all but 2 dogs left", 6, (0, 4, 8)),
        ("there was 1 less dog", 3, (3, 4)),
        ("there were three times as many dogs", 3, (5, 6, 12)),
        ("the dog was taken away", 1, (1, 2)),
        ("another dog came", 3, (2, 3, 5)),
        ("all 3 dogs were taken away", 3, (3, 6)),
        ("the dogs were called home", 3, (2, 4)),
        ("6 more dogs came and 3 dogs came off their leads and left", 4, (1, 13)),
        ("someone put 2 of the dogs in a kennel", 3, (2, 3)),
        ("3 dogs were caught and a new dog were bought", 4, (0, 3, 4, 6)),
    )
    for after in afters
]


@pytest.mark.parametrize("row", cases("counterfactuals.csv"), ids=lambda row: row["new_question"])
def test_good_questions_pass_and_bad_ones_have_a_reason(row: dict[str, str]) -> None:
    reason, *texts = row.values()
    found = text_fault(Texts(*texts))
    assert (found is None) if not reason else (found is not None and found[0] == reason and bool(found[1]))


@pytest.mark.parametrize(("clause", "before", "after"), WRONG_AMOUNTS)
def test_amounts_that_give_another_answer(clause: str, before: int, after: int) -> None:
    """Each part of the clause has its own amount and its own direction."""
    texts = Texts(
        "direct", "How many dogs are there?", str(before), f"How many dogs would there be if {clause}?", str(after)
    )
    found = text_fault(texts)
    assert found is not None and found[0] == "amount does not give the answer"


def test_doubts_are_not_faults() -> None:
    left = Texts("direct", *DOGS, "How many dogs would there be if all dogs left?", "0")
    assert doubts(left) == ["all are removed"] and text_fault(left) is None
    assert doubts(Texts("direct", *NONE, "How many dogs would there be if a cat left?", "0")) == []
    other = Texts("boolean", "Is the gate open?", "yes", "Would the gate be closed if someone closed it?", "yes")
    assert doubts(other) == ["asked in other words"]
    assert doubts(Texts("boolean", *ASLEEP, "Would the brown dog be asleep if a bell rang?", "no")) == []


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many black cows can you see?", ["black", "cows"]),
        ("How many pieces of pizza are on the plate?", ["pieces", "pizza"]),
        ("How many different types of animals are there?", ["animals"]),
        ("How many of the dog's ears are visible?", ["dog", "ears"]),
        ("How many visible red huts are there?", ["red", "huts"]),
        ("How many paintings hang here?", ["paintings"]),
        ("How many kids?", ["kids"]),
        ("How many are wearing hats?", []),
        ("How many sitting on the bench?", []),
        ("If 2 cows left, how many cows would be there?", ["cows"]),
        ("Is it raining?", None),
    ],
)
def test_what_a_question_counts(question: str, words: list[str] | None) -> None:
    assert counted_words(question) == words


def test_plurals_and_stems_are_the_same_word() -> None:
    pairs = "dog dogs/buses bus/vases vase/people person/women woman/children child/leaves leaf/boxes box/glasses glass"
    for pair in pairs.split("/"):
        first, second = pair.split()
        assert missing([first], [second]) == []
    assert missing(["glass", "dog", "man"], ["grass", "dot", "woman"]) == ["glass", "dog", "man"]


def test_the_main_clause_is_what_the_presupposition_leaves() -> None:
    assert main_clause("How many cats, if two left, would remain?") == "how many cats,  , would remain?"
    assert main_clause("If two left, how many cats would remain?") == "how many cats would remain?"
    assert main_clause("How many cats are there?") == "how many cats are there?"


@pytest.mark.skipif(not RELEASED.is_file(), reason="WHATIF_DATA does not name a folder with the released questions")
def test_the_released_questions() -> None:
    from whatif.formats.c_vqa import read_released

    rows = read_released(RELEASED)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    texts = [
        Texts(new["group"], old["question"], old["answer"], new["question"], new["answer"])
        for old, new in ((a, b) if a["variant"] == "original" else (b, a) for a, b in pairs)
    ]
    assert len(texts) == 3144
    faults = Counter((fault[0], one.group) for one in texts if (fault := text_fault(one)) is not None)
    assert faults == {
        ("no presupposition", "indirect"): 1,
        ("no presupposition", "boolean"): 1,
        ("asks about something else", "indirect"): 1,
        ("asks about something else", "boolean"): 1,
        ("contains its answer", "direct"): 93,
        ("contains its answer", "indirect"): 1,
        ("contains its answer", "boolean"): 17,
        ("amount does not give the answer", "direct"): 5,
    }
    assert Counter((name, one.group) for one in texts for name in doubts(one)) == {
        ("all are removed", "direct"): 91,
        ("all are removed", "indirect"): 220,
        ("asked in other words", "boolean"): 18,
        ("asked in other words", "indirect"): 2,
    }
    direct = [one for one in texts if one.group == "direct" and text_fault(one) is None]
    for step in (1, 2, 3, -1, -2):
        wrong = [replace(one, new_answer=str(after)) for one in direct if (after := int(one.new_answer) + step) >= 0]
        assert sum(text_fault(one) is not None for one in wrong) >= 0.997 * len(wrong)
