"""Checks of counterfactual questions by their text: our examples, and the released questions."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from whatif.benchmarks.cvqa_real.question_parts import counted_words, main_clause, missing
from whatif.benchmarks.cvqa_real.text_rules import Texts, doubts, text_fault

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Real_questions.csv"
DOGS = ("How many dogs are on the beach?", "3")
NONE = ("How many dogs are on the beach?", "0")
ASLEEP = ("Is the brown dog asleep?", "yes")

KEPT = [
    Texts("direct", *DOGS, "How many dogs would there be if 2 more dogs came?", "5"),
    Texts("direct", *DOGS, "If two dogs ran away, how many dogs would be on the beach?", "1"),
    Texts("direct", *DOGS, "How many dogs would there be if another dog came?", "4"),
    Texts("direct", *DOGS, "How many dogs would there be if the number of dogs doubled?", "6"),
    Texts("direct", *DOGS, "How many dogs would there be if there were four times as many dogs?", "12"),
    Texts("direct", *DOGS, "How many dogs would there be if each dog had two puppies with it?", "9"),
    Texts("direct", *DOGS, "How many dogs would there be if all of them were called home?", "0"),
    Texts("direct", *DOGS, "How many dogs would there be if 1 dog left and 3 dogs came?", "5"),
    Texts("direct", "How many dogs are there?", "6", "How many dogs would there be if half of the dogs left?", "3"),
    Texts("direct", "How many dogs are there?", "2", "How many dogs would you see if 1 dog disappeared?", "1"),
    Texts("direct", "How many people are here?", "2", "How many persons would be here if one person left?", "1"),
    Texts("direct", "How many buses can you see?", "2", "How many busses would there be if 2 more buses came?", "4"),
    Texts(
        "direct", "How many slices of pizza are left?", "3", "How many pizza slices would be left if she ate one?", "2"
    ),
    Texts("direct", *DOGS, "How many dogs would there be if the brown dog left and 3 others came?", "5"),
    Texts("direct", *DOGS, "How many dogs would there be if the number of dogs was multiplied by 3?", "9"),
    Texts("direct", *DOGS, "How many dogs would there be if all of them were replaced with new ones?", "3"),
    Texts("indirect", *DOGS, "How many dogs would be on the beach if the lifeguard called the black ones?", "2"),
    Texts("indirect", *NONE, "How many dogs would be on the beach if two dogs climbed out of the boat?", "2"),
    Texts("indirect", *DOGS, "How many dogs would be on the beach if there was no water?", "0"),
    Texts("indirect", *DOGS, "How many dogs would be there if no dogs with a collar were allowed?", "2"),
    Texts("boolean", *ASLEEP, "Would the brown dog be asleep if the postman rang the bell?", "no"),
    Texts("boolean", *ASLEEP, "Would the dog be asleep if it were awake?", "no"),
    Texts("boolean", "Is it cloudy?", "no", "Would it be cloudy if the sky was covered with clouds?", "yes"),
    Texts("boolean", "Is there a cup?", "yes", "Would there be a cup if the cup was taken away?", "no"),
    Texts("boolean", "Is this a horse?", "no", "Would this be a horse if the cow was replaced by a horse?", "yes"),
]
BALLOONS = ("How many balloons does the child hold?", "10")
MORE_KEPT = [
    Texts("direct", *DOGS, f"How many dogs would be on the beach if {clause}?", answer)
    for clause, answer in (
        ("each dog brought a friend", "6"),
        ("the three dogs were joined by two others", "5"),
        ("all of them left and two others came", "2"),
        ("one dog left and four others came", "6"),
        ("one dog left, two came and one came back", "5"),
        ("every dog was called home", "0"),
        ("the owner of two of the dogs took them home", "1"),
        ("a new dog came and then two dogs left", "2"),
        ("two pairs of dogs came", "7"),
        ("6 more dogs went up the hill before two came down", "7"),
        ("one dog got stuck in a fence", "2"),
        ("another dozen came", "15"),
    )
] + [
    Texts("direct", "How many one way signs?", "4", "How many one way signs if one more one way sign appeared?", "5"),
    Texts("direct", *BALLOONS, "How many balloons would the child hold if half burst and it got 4 new ones?", "9"),
    Texts("direct", *BALLOONS, "How many balloons would the child hold if it let 3 go and got 2 new ones?", "9"),
    Texts("direct", "How many cars are here?", "6", "How many cars would be here if one third of the cars left?", "4"),
    Texts("direct", "How many slices are left?", "4", "How many slices would be left if each was cut in half?", "8"),
    Texts("direct", "How many men are here?", "1", "How many men would be here if he was replaced by 5 others?", "5"),
    Texts(
        "boolean", "Is there a cup there?", "no", "Would there be a cup there if somebody brought a cup there?", "yes"
    ),
]
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
REJECTED = [
    (Texts("direct", *DOGS, "How many dogs are on the beach?", "5"), "same as the original"),
    (Texts("direct", *DOGS, "how many dogs are on a beach", "5"), "same as the original"),
    (Texts("direct", *DOGS, "How many dogs would there be on the beach?", "5"), "no presupposition"),
    (Texts("direct", *DOGS, "How many dogs would there be when 2 more dogs come?", "5"), "no presupposition"),
    (
        Texts("direct", *DOGS, "If 2 dogs came, how many dogs would there be if 2 dogs came?", "5"),
        "presupposition given twice",
    ),
    (Texts("direct", *DOGS, "How many cats would there be if 2 more cats came?", "5"), "asks about something else"),
    (Texts("direct", *DOGS, "How many owners would there be if 2 more dogs came?", "5"), "asks about something else"),
    (Texts("direct", *DOGS, "Would there be more dogs if 2 more dogs came?", "5"), "asks about something else"),
    (Texts("direct", *DOGS, "How many dogs would there be if there were 5 dogs?", "5"), "contains its answer"),
    (Texts("direct", *DOGS, "How many dogs would there be if there were only five?", "5"), "contains its answer"),
    (Texts("direct", *DOGS, "How many dogs would there be if only one dog remained?", "1"), "contains its answer"),
    (
        Texts("direct", *DOGS, "How many dogs would there be if the number of dogs was reduced to 2?", "2"),
        "contains its answer",
    ),
    (Texts("direct", *DOGS, "How many dogs would there be if there were no dogs?", "0"), "contains its answer"),
    (Texts("direct", *NONE, "How many dogs would there be if 2 more dogs came?", "2"), "contains its answer"),
    (Texts("direct", *NONE, "How many dogs would there be if two dogs came?", "2"), "contains its answer"),
    (
        Texts("direct", *DOGS, "How many dogs, 5, would be on the beach if 2 more dogs came?", "5"),
        "contains its answer",
    ),
    (Texts("direct", *DOGS, "How many of the five dogs would stay if 2 more dogs came?", "5"), "contains its answer"),
    (Texts("direct", *DOGS, "How many dogs would there be if 2 more came? Five?", "5"), "contains its answer"),
    (Texts("direct", *DOGS, "How many dogs would be there if none were there?", "0"), "contains its answer"),
    (
        Texts("direct", *DOGS, "How many dog owners would there be if 2 more dogs came?", "5"),
        "asks about something else",
    ),
    (Texts("boolean", *ASLEEP, "Would the brown dog be asleep if the dog wasn't asleep?", "no"), "contains its answer"),
    (Texts("boolean", *ASLEEP, "Would the brown dog be asleep if the answer was no?", "no"), "contains its answer"),
    (
        Texts(
            "boolean", "Is a cup on the table?", "no", "Would a cup be on the table if there was a cup there?", "yes"
        ),
        "contains its answer",
    ),
    (
        Texts("indirect", *DOGS, "How many dogs would be on the beach if there were 7 dogs there?", "7"),
        "contains its answer",
    ),
    (
        Texts("direct", *DOGS, "How many dogs would there be if 3 more dogs came?", "5"),
        "amount does not give the answer",
    ),
    (
        Texts("direct", *DOGS, "How many dogs would there be if 2 more dogs came?", "1"),
        "amount does not give the answer",
    ),
    (
        Texts("direct", *DOGS, "How many dogs would there be if 1 dog left and 3 dogs came?", "6"),
        "amount does not give the answer",
    ),
    (
        Texts("direct", *DOGS, "How many dogs would there be if half of the dogs left?", "2"),
        "amount does not give the answer",
    ),
    (
        Texts("direct", *DOGS, "How many dogs would there be if the number of dogs doubled?", "5"),
        "amount does not give the answer",
    ),
    (Texts("boolean", *ASLEEP, "Would the cat be hungry if it saw a fish?", "no"), "asks about something else"),
    (Texts("boolean", *ASLEEP, "Would the brown dog be asleep?", "yes"), "no presupposition"),
    (Texts("boolean", *ASLEEP, "Would the brown dog be asleep if it was asleep?", "yes"), "contains its answer"),
    (
        Texts("boolean", *ASLEEP, "Would the brown dog be asleep if the brown dog was not asleep?", "no"),
        "contains its answer",
    ),
    (
        Texts("boolean", *ASLEEP, "If the brown dog never was asleep, would it still be asleep?", "no"),
        "contains its answer",
    ),
]


@pytest.mark.parametrize("texts", [*KEPT, *MORE_KEPT])
def test_good_questions(texts: Texts) -> None:
    assert text_fault(texts) is None


@pytest.mark.parametrize(("texts", "reason"), REJECTED)
def test_bad_questions(texts: Texts, reason: str) -> None:
    found = text_fault(texts)
    assert found is not None and found[0] == reason and found[1]


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
