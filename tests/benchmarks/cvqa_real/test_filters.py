"""The filter: released pairs only lose those without image; written ones must agree with themselves and differ."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.written_pairs import Row, pair, run_step
from tests.projects import Project
from whatif.benchmarks.cvqa_real.filters import filtered
from whatif.benchmarks.cvqa_real.settings import FilterCvqaReal
from whatif.engine.errors import WhatifError

Pair = tuple[list[Row], Row]
HOW_MANY = "How many dogs are there?"
CAME = "How many dogs would there be if 2 more dogs came?"
ADDED = {"step1": "Add 2 dogs", "step2": "The answer would be 3+2=5"}
ASLEEP = "Is the cat asleep?"
WOKEN = "Would the cat be asleep if the bell had rung?"
FLIPPED = {"step1": "The new answer should be no, so the cat is not asleep.", "step2": "How to wake the cat: ring."}


def good(written_id: str = "1-direct-rules", **changes: Any) -> Pair:
    return pair(written_id, HOW_MANY, "3", CAME, "5", **ADDED | changes)


def boolean(written_id: str, new_answer: str = "no", question: str = WOKEN, **changes: Any) -> Pair:
    steps = {"step1": f"The new answer should be {new_answer}, so it is.", "step2": "How: ring."} | changes
    return pair(written_id, ASLEEP, "yes", question, new_answer, group="boolean", **steps)


def kept_and_rejected(
    *pairs: Pair, near: float = 0.9, balance: bool = False, remove: bool = False, seed: int = 0
) -> tuple[dict[str, list[Row]], dict[str, tuple[str, str]]]:
    settings = FilterCvqaReal(near_duplicate=near, balance=balance, given_away="remove" if remove else "keep")
    kept, rejected = filtered(
        {row["written_id"]: rows for rows, row in pairs},
        {row["written_id"]: row for _, row in pairs},
        settings,
        seed=seed,
    )
    assert len(kept) + len(rejected) == len(pairs)
    assert list(kept) == sorted(kept)
    return kept, {row["item_id"]: (row["reason"], row["detail"]) for row in rejected}


def reason(one: Pair) -> tuple[str, str]:
    kept, rejected = kept_and_rejected(one)
    assert not kept, "it was kept"
    return next(iter(rejected.values()))


def test_good_pairs_are_kept_with_a_note_whether_the_answer_changes() -> None:
    same = pair(
        "2-indirect-people", HOW_MANY, "3", "How many dogs would there be if a cat came?", "3", group="indirect"
    )
    kept, rejected = kept_and_rejected(good(), same, boolean("3-boolean-rules", **FLIPPED))
    assert rejected == {}
    notes = {
        pair_id: next(json.loads(row["provenance"]) for row in rows if row["variant"] == "counterfactual")
        for pair_id, rows in kept.items()
    }
    assert {pair_id: note["changes"] for pair_id, note in notes.items()} == {
        "1-direct-rules": True,
        "2-indirect-people": False,
        "3-boolean-rules": True,
    }
    assert notes["1-direct-rules"]["source_id"] == "7" and notes["1-direct-rules"]["doubts"] == []
    (original,) = [row for row in kept["1-direct-rules"] if row["variant"] == "original"]
    assert original == next(row for row in good()[0] if row["variant"] == "original")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"step2": "The answer would be 3+2=6"}, ("wrong arithmetic", "step 2: '3+2=6' is wrong: 3+2 is 5, not 6")),
        ({"step2": "There would be five."}, ("wrong arithmetic", "has no calculation such as 3+2=5")),
        ({"step2": "4+1=5"}, ("arithmetic begins with another number", "begins with 4; the original answer is 3")),
        ({"step2": "3+3=6"}, ("steps give another answer", "gives 6; the new answer is 5")),
        ({"image": ""}, ("no picture", "one.jpg is in none of the folders, or cannot be decoded")),
    ],
)
def test_direct_pairs_that_contradict_themselves(changes: dict[str, str], told: tuple[str, str]) -> None:
    found = reason(good(**changes))
    assert found[0] == told[0] and told[1] in found[1]


@pytest.mark.parametrize("answer", ["", "five", "5.0", "-1", "05", "5 dogs", "many", "3 or 4", "1234567890", "no"])
def test_an_answer_to_how_many_is_a_whole_number_in_figures(answer: str) -> None:
    found = reason(pair("1-direct-rules", HOW_MANY, "3", CAME, answer, **ADDED))
    assert found == (
        "answer is no number",
        f"the new answer is {answer!r}; it must be a whole number from 0, in figures",
    )


@pytest.mark.parametrize("answer", ["", "No", "no.", "maybe", "1", "yes, it would"])
def test_an_answer_to_a_boolean_question_is_yes_or_no(answer: str) -> None:
    found = reason(boolean("1-boolean-rules", answer))
    assert found == ("answer is not yes or no", f"the new answer is {answer!r}; it must be `yes` or `no`")


def test_the_first_step_of_a_boolean_question_names_its_answer() -> None:
    flipped = boolean("1-boolean-rules", "no", step1="The new answer should be yes, so no bell rings.")
    assert reason(flipped) == ("steps give another answer", "step 1 says yes, the new answer is no")
    ending = boolean("1-boolean-rules", "no", step1="No bell rings now. The new answer should be yes, so one rings.")
    assert reason(ending) == ("steps give another answer", "step 1 says yes, the new answer is no")
    noun = boolean("1-boolean-rules", "yes", step1="There is no bell. The new answer should be yes, so there is one.")
    assert kept_and_rejected(noun)[1] == {}
    for step in (
        "Change the answer from yes to no",
        "The original answer is yes, so the new answer should be no",
        "The new answer: **no**",
        "No: the cat is awake",
    ):
        assert kept_and_rejected(boolean("1-boolean-rules", "no", step1=step))[1] == {}, step
    silent = boolean("1-boolean-rules", "no", step1="The cat wakes up.")
    assert reason(silent)[0] == "steps give another answer" and "names no answer" in reason(silent)[1]
    kept, _ = kept_and_rejected(boolean("1-boolean-rules", "no", step1=None, step2=None))
    assert len(kept) == 1


def test_an_indirect_question_may_have_steps_without_arithmetic() -> None:
    words = ("How many dogs would there be if the leftmost kennel were taken away?", "2")
    for step, found in (
        ("One dog is in it.", None),
        ("3-1=2", None),
        (None, None),
        ("3-2=1", "steps give another answer"),
        ("4-2=2", "arithmetic begins with another number"),
    ):
        one = pair("1-indirect-scenes", HOW_MANY, "3", *words, group="indirect", step1="Look.", step2=step)
        _, rejected = kept_and_rejected(one)
        assert [why for why, _ in rejected.values()] == ([] if found is None else [found]), step


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (good(step1="Dogs come", step2="There are five then"), None),
        (good(step2="3+2=6"), "wrong arithmetic"),
        (good(step2="3+3=6"), "steps give another answer"),
        (boolean("1-boolean-people", step1="There is a bell that rings", step2=None), None),
        (boolean("1-boolean-people", "yes", step1="There is no noise", step2="It sleeps on"), None),
        (boolean("1-boolean-people", "yes", step1="The new answer should be no"), "steps give another answer"),
    ],
)
def test_people_write_steps_in_their_own_words(one: Pair, why: str | None) -> None:
    rows, row = one
    _, rejected = kept_and_rejected((rows, {**row, "writer": "people"}))
    assert [reason for reason, _ in rejected.values()] == ([] if why is None else [why])


def test_near_duplicates_keep_the_first_by_id_in_each_group_and_image() -> None:
    again = CAME.replace("if 2 more", "if, say, 2 more")
    pairs = [
        good("1-direct-b"),
        pair("1-direct-a", HOW_MANY, "3", again, "5", **ADDED),
        good("1-direct-c", image="image-2"),
        pair("1-indirect-b", HOW_MANY, "3", again, "5", group="indirect"),
        pair("1-direct-d", HOW_MANY, "3", "How many dogs would there be if 1 dog left?", "2"),
    ]
    kept, rejected = kept_and_rejected(*pairs)
    assert set(kept) == {"1-direct-a", "1-direct-c", "1-indirect-b", "1-direct-d"}
    assert rejected == {"1-direct-b": ("near-duplicate", "91% of its words are those of 1-direct-a")}
    kept, rejected = kept_and_rejected(*pairs, near=0.95)
    assert rejected == {}


def test_of_near_duplicates_that_by_people_is_kept() -> None:
    rows, row = good("1-direct-people")
    kept, rejected = kept_and_rejected(good("1-direct-a"), (rows, {**row, "writer": "people"}))
    assert list(kept) == ["1-direct-people"]
    assert rejected == {"1-direct-a": ("near-duplicate", "100% of its words are those of 1-direct-people")}


def test_a_rejected_question_makes_no_other_one_a_duplicate() -> None:
    wrong = good("1-direct-a", step2="3+2=6")
    kept, rejected = kept_and_rejected(wrong, good("1-direct-b"))
    assert set(kept) == {"1-direct-b"} and rejected["1-direct-a"][0] == "wrong arithmetic"


def test_balance_drops_boolean_pairs_at_random_until_the_answers_are_equal() -> None:
    conditions = ["the bell had rung", "a dog barked", "it were hungry", "rain fell", "music played", "a cup broke"]
    many = [
        boolean(f"{number}-boolean-rules", "no", f"Would the cat be asleep if {condition}?")
        for number, condition in enumerate(conditions)
    ]
    few = [boolean("8-boolean-rules", "yes", "Would the cat be asleep if the moon shone?"), good("9-direct-rules")]
    kept, rejected = kept_and_rejected(*many, *few, balance=True)
    assert {"8-boolean-rules", "9-direct-rules"} < set(kept) and len(kept) == 3
    assert set(rejected.values()) == {("balance", "6 answers are no, 1 are yes")}
    assert kept_and_rejected(*reversed(many), *few, balance=True)[0] == kept
    others = [set(kept_and_rejected(*many, *few, balance=True, seed=seed)[0]) for seed in range(8)]
    assert any(other != set(kept) for other in others)
    assert len(kept_and_rejected(*many, *few)[0]) == 8


def test_pairs_whose_words_give_the_answer_are_removed_but_those_by_people_stay() -> None:
    def by(writer: str, number: int) -> Pair:
        answer, condition = ("no", "the bell had rung") if number % 2 else ("yes", "the moon shone")
        rows, row = boolean(f"{number}-boolean-{writer}", answer, f"Would the cat be asleep if {condition}?")
        return [{**one, "image_ids": [f"{writer}-{number}"]} for one in rows], {**row, "writer": writer}

    pairs = [by(writer, number) for number in range(60) for writer in ("rules", "people")]
    kept, rejected = kept_and_rejected(*pairs, remove=True)
    assert {pair_id.rpartition("-")[2] for pair_id in rejected} == {"rules"} and len(rejected) > 40
    reason, detail = rejected["1-boolean-rules"]
    assert reason == "text gives the answer"
    assert re.fullmatch(r"models of boolean by rules answer it with no, in round \d+", detail)
    assert sum(pair_id.endswith("people") for pair_id in kept) == 60
    assert kept_and_rejected(*pairs)[1] == {}
    assert kept_and_rejected(*reversed(pairs), remove=True)[1] == rejected


def test_a_pair_without_its_counterfactual_is_one_line() -> None:
    rows, written = good()
    with pytest.raises(WhatifError, match=r"^pair 1-direct-rules: must have one original and one counterfactual"):
        kept_and_rejected((rows[:1], written))


def released(pair_id: str, image: str) -> list[Row]:
    rows, _ = pair(pair_id, "Is it?", "yes", "Is it?", "yes", group="boolean", image=image)
    return [{**row, "provenance": json.dumps({"img_path": f"{pair_id}.jpg", "type": "boolean"})} for row in rows]


def test_released_pairs_are_left_out_only_without_image(project: Project) -> None:
    project.select("cvqa-real")
    rows = [*released("a-0001", "image-1"), *released("b-0002", "")]
    said = run_step(project, "filter", "", questions=rows, written=[])
    assert project.rows("filter", "questions") == rows[:2]
    assert project.rows("filter", "rejections") == [
        {
            "item_id": "b-0002",
            "reason": "no picture",
            "detail": "b-0002.jpg is in none of the folders, or cannot be decoded",
        }
    ]
    assert not any("answer does not change" in line for line in said)
    run_step(project, "filter", "", questions=rows[2:], written=[])
    assert project.rows("filter", "questions") == rows[2:]  # no photographs were given at all


def test_written_pairs_whose_ids_begin_alike_and_what_the_step_says(project: Project) -> None:
    project.select("cvqa-real")
    gone = "How many dogs would there be if all of them left?"
    pairs = [
        good("1-direct-gpt"),
        pair("1-direct-gpt-mini", HOW_MANY, "3", gone, "0", step2="3-3=0"),
        boolean("1-boolean-gpt", "yes", "Would the cat be asleep if the moon shone?"),
        good("2-direct-gpt", step2="3+2=6"),
    ]
    rows = [row for rows, _ in pairs for row in rows]
    said = run_step(project, "filter", "", questions=rows, written=[row for _, row in pairs])
    kept = project.rows("filter", "questions")
    assert {row["pair_id"] for row in kept} == {"1-direct-gpt", "1-direct-gpt-mini", "1-boolean-gpt"}
    assert len(kept) == 6
    told = (
        "filter cvqa-real: kept questions whose answer does not change: boolean 1 of 1, direct 0 of 2; "
        "doubts: all are removed 1"
    )
    assert told in said
    with pytest.raises(WhatifError, match=r"name other writers as generate.cvqa-real.writers in params.yaml"):
        run_step(project, "filter", "", questions=rows[-2:], written=[pairs[-1][1]])
