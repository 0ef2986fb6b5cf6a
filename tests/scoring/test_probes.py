"""The changed questions of probes, from rows that are written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.engine.params.probes import NONE_OF_THESE, OTHER_IMAGE, PARAPHRASED, PROBES, SHUFFLED, WITHOUT_IMAGE
from whatif.scoring.probes import NONE, probed

Row = dict[str, Any]


def question(name: str = "p1-original", **more: Any) -> Row:
    row: Row = {
        "question_id": name,
        "pair_id": name.partition("-")[0],
        "group": "g",
        "variant": name.partition("-")[2],
        "question": "How many dots are there?",
        "choices": ["16", "17", "12", "13"],
        "answer": "B",
        "answer_kind": "choice",
        "image_ids": [f"image of {name.partition('-')[0]}"],
        "provenance": '{"drawn":1}',
    }
    return row | more


def changed(probe: str, *rows: Row, seed: int = 7) -> list[Row]:
    return probed(probe, rows, seed)


def test_every_option_moves_and_the_right_letter_with_its_text() -> None:
    rows = [question(f"p{number}-original", answer="ABCD"[number % 4]) for number in range(40)]
    for before, after in zip(rows, changed(SHUFFLED, *rows), strict=True):
        assert sorted(after["choices"]) == sorted(before["choices"])
        assert all(old != new for old, new in zip(before["choices"], after["choices"], strict=True))
        texts = [row["choices"]["ABCD".index(row["answer"])] for row in (before, after)]
        assert texts[0] == texts[1]
        assert {name: after[name] for name in after if name not in ("choices", "answer")} == {
            name: before[name] for name in before if name not in ("choices", "answer")
        }
    assert len({tuple(row["choices"]) for row in changed(SHUFFLED, *rows)}) == 9  # all derangements of four


def test_two_options_change_places() -> None:
    (row,) = changed(SHUFFLED, question(choices=["yes", "no"], answer="A"))
    assert (row["choices"], row["answer"]) == (["no", "yes"], "B")


@pytest.mark.parametrize("probe", [SHUFFLED, NONE_OF_THESE])
def test_open_questions_and_options_that_name_what_is_shown_are_left_out(probe: str) -> None:
    shown = [f"Image {letter}" for letter in "ABCD"]
    assert changed(probe, question(choices=None, answer="2", answer_kind="number"), question(choices=shown)) == []
    assert len(changed(probe, question(choices=["A dog", "A cat"]))) == 1  # an article, no letter


def test_none_of_these_is_right_where_the_right_option_was() -> None:
    (row,) = changed(NONE_OF_THESE, question())
    assert (row["choices"], row["answer"]) == (["16", NONE, "12", "13"], "B")
    assert changed(NONE_OF_THESE, question(choices=["16", "17", "None of the above"])) == []


def test_without_its_image_a_question_has_no_trace_of_it() -> None:
    (row,) = changed(WITHOUT_IMAGE, question(), question("p2-original", image_ids=[]))
    assert (row["question_id"], row["image_ids"], row["provenance"]) == ("p1-original", [], "{}")


def test_another_image_is_that_of_another_pair_of_the_same_kind_and_the_same_for_a_pair() -> None:
    names = [f"p{number}-{variant}" for number in range(6) for variant in ("counterfactual", "original")]
    rows = [question(name, group="g" if name[1] in "012" else "h") for name in names]
    found = changed(OTHER_IMAGE, *rows)
    of_pair: dict[str, set[str]] = {}
    for before, after in zip(rows, found, strict=True):
        assert before["image_ids"] != after["image_ids"] and before["answer"] == after["answer"]
        of_pair.setdefault(after["pair_id"], set()).update(after["image_ids"])
        other = after["image_ids"][0].removeprefix("image of ")
        assert next(row["group"] for row in rows if row["pair_id"] == other) == after["group"]
    assert all(len(images) == 1 for images in of_pair.values())
    assert len(set.union(*of_pair.values())) == 6  # each image takes the place of one other


def test_another_image_brings_what_is_known_of_it_and_needs_another_pair() -> None:
    rows = [question("p1-original", provenance="of 1"), question("p2-original", provenance="of 2")]
    assert [row["provenance"] for row in changed(OTHER_IMAGE, *rows)] == ["of 2", "of 1"]
    several = [question(f"p1-{number}", image_ids=[str(number)], variant="original") for number in range(3)]
    assert changed(OTHER_IMAGE, *several) == []
    assert changed(OTHER_IMAGE, question(), question("p2-original", image_ids=["a", "b"])) == []


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("How many dogs would there be if 2 left?", "Suppose that 2 left. How many dogs would there be?"),
        ("If the bus were Blue, would it be big?", "Suppose that the bus were Blue. Would it be big?"),
        ("If 2 left, then how many are there?", "Suppose that 2 left. How many are there?"),
        ("How many dogs are there?", None),
        ("What if 2 dogs left, how many would there be?", None),
        ("Would the bus be full if it were empty?", None),  # `it` would come before its noun
        ("How many dogs, if 2 left, would remain?", None),
        ("There are 3 dogs. How many would there be if 2 left?", None),
        ("Can you tell if the bus is blue?", None),
        ("Would it rain if it was wet or if the sun shone?", None),
    ],
)
def test_a_presupposition_is_cut_only_where_that_is_certain(asked: str, expected: str | None) -> None:
    assert [row["question"] for row in changed(PARAPHRASED, question(question=asked))] == [
        text for text in (expected,) if text
    ]


@pytest.mark.parametrize("probe", PROBES)
def test_what_is_changed_depends_on_the_question_and_the_seed_but_not_on_the_order(probe: str) -> None:
    rows = [question(f"p{number}-original", question="Would there be 2 if 1 left?") for number in range(9)]
    found = changed(probe, *rows)
    assert len(found) == 9 and found == changed(probe, *rows)
    assert sorted(changed(probe, *reversed(rows)), key=lambda row: str(row["question_id"])) == found
    depends = probe in (SHUFFLED, OTHER_IMAGE)
    assert (changed(probe, *rows, seed=8) != found) == depends
