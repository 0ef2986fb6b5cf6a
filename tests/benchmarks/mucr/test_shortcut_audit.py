"""The shortcut audit of the questions: planted shortcuts are found, and a set without them has none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.benchmarks.mucr.groups import NAME, World, make, prepare
from tests.benchmarks.mucr.rows import Row
from tests.projects import Project
from whatif.benchmarks.mucr.shortcut_audit import as_stored, shortcuts
from whatif.engine.random_streams import stream

pytestmark = pytest.mark.slow

WORDS = [
    f"{first}{second}" for first in ("ba", "ke", "lo", "mu", "ri", "so") for second in ("do", "fe", "ga", "ni", "pu")
]


def pair(number: int, **changes: Any) -> Row:
    words = stream(0, "pair", number).permutation(WORDS)
    return {
        "pair_id": f"p{number:03d}",
        "group_id": f"g{number // 4:03d}",
        "cause_caption": " ".join(words[:4]),
        "effect_caption": " ".join(words[4:8]),
        "cue": str(words[8]),
        "false_cues": [str(word) for word in words[9:12]],
        "provenance": json.dumps({"origin": "released"}),
        **changes,
    }


def question(one: Row, metric: str, variant: str, choices: list[str], place: int) -> Row:
    return {
        "question_id": f"{one['pair_id']}-{metric.lower()}-{variant}",
        "pair_id": one["pair_id"],
        "group": metric,
        "variant": variant,
        "question": "Which one?",
        "choices": choices,
        "answer": "ABCD"[place],
    }


def found(pairs: list[Row], questions: list[Row]) -> dict[tuple[str, str], tuple[str, int, int]]:
    """(variant, rule) -> choice, right, n."""
    items = [{"question_id": row["question_id"], "form": row["variant"].split("-")[0]} for row in questions]
    by_id = {row["pair_id"]: row for row in pairs}
    rows = shortcuts(questions, items, by_id, folds=5, seed=0)
    return {(row.variant, row.rule): (row.choice, row.right, row.n) for row in rows}


def cues(pairs: list[Row], variant: str = "text") -> list[Row]:
    made = []
    for number, one in enumerate(pairs):
        place = number % 4
        choices = [*one["false_cues"][:place], one["cue"], *one["false_cues"][place:]]
        made.append(question(one, "CP", variant, choices, place))
    return made


def test_random_cues_cannot_be_guessed() -> None:
    pairs = [pair(number) for number in range(200)]
    rules = found(pairs, cues(pairs))
    assert rules["CP text", "letter"] == ("A", 50, 200)
    assert rules["CP text", "options"][1] < 80
    assert ("CP text", "length") not in rules, "all words have four letters"


def test_a_word_that_is_always_right_is_found_without_the_question() -> None:
    pairs = [pair(number, cue="falls") for number in range(40)]
    assert found(pairs, cues(pairs))["CP text", "options"] == ("", 40, 40)


def test_groups_are_whole_in_a_fold() -> None:
    """Each group has a cue of its own, and no word of one group is in another: none reveals another one's."""
    pairs = [pair(number, cue=f"word{number // 4}") for number in range(160)]
    for number, one in enumerate(pairs):
        one["false_cues"] = [f"pair{number}false{place}" for place in range(3)]
    assert found(pairs, cues(pairs))["CP text", "options"][1] < 60


def test_an_option_that_repeats_the_caption_is_found() -> None:
    pairs = [pair(number) for number in range(40)]
    questions = []
    for number, one in enumerate(pairs):
        others = [pairs[(number + step) % 40]["effect_caption"] for step in (5, 9, 13)]
        right = f"{one['cause_caption']} and more"
        place = number % 4
        questions.append(question(one, "C2E", "text", [*others[:place], right, *others[place:]], place))
    assert found(pairs, questions)["C2E text", "overlap"] == ("most words in common", 40, 40)
    assert found(pairs, questions)["C2E text", "length"] == ("longest", 40, 40)


def test_cues_that_are_not_in_the_captions_are_found_in_every_form() -> None:
    pairs = [pair(number) for number in range(20)]
    for one in pairs:
        one["false_cues"] = one["effect_caption"].split()[:3]
    assert found(pairs, cues(pairs))["CP text", "overlap"] == ("fewest words in common", 20, 20)
    assert found(pairs, cues(pairs, "strip"))["CP strip", "overlap"] == ("fewest words in common", 20, 20)


def test_forms_with_the_same_options_in_the_same_order_are_counted_once() -> None:
    pairs = [pair(number) for number in range(20)]
    moved = cues(pairs, "separate")[:-1]  # a form that lacks a question is not the same
    rules = found(pairs, [*cues(pairs, "composite"), *cues(pairs), *cues(pairs, "strip"), *moved])
    assert {variant for variant, _ in rules} == {"CP text", "CP separate"}


def test_of_c2e_only_the_causes_caption_counts() -> None:
    pairs = [pair(number) for number in range(20)]
    questions = [
        question(one, "C2E", "text", [one["effect_caption"], one["cause_caption"], "x", "y"], 0) for one in pairs
    ]
    assert found(pairs, questions)["C2E text", "overlap"] == ("most words in common", 0, 20)


def test_of_options_that_are_images_only_the_letter_is_a_rule() -> None:
    pairs = [pair(number) for number in range(20)]
    named = [f"Image {letter}" for letter in "ABCD"]
    questions = [
        question(one, metric, "composite", named, number % 4)
        for number, one in enumerate(pairs)
        for metric in ("C2E", "context")
    ]
    assert found(pairs, questions) == {
        ("C2E composite", "letter"): ("A", 5, 20),
        ("context composite", "letter"): ("A", 5, 20),
    }


def test_one_group_has_no_model_and_few_groups_have_one_fold_each() -> None:
    one_group = [pair(number) for number in range(4)]
    assert ("CP text", "options") not in found(one_group, cues(one_group))
    two_groups = [pair(number, cue="falls") for number in range(8)]
    assert found(two_groups, cues(two_groups))["CP text", "options"] == ("", 8, 8)


def test_the_released_order_gives_every_cue_away() -> None:
    pairs = [pair(number) for number in range(10)]
    pairs[3]["cue"] = None
    pairs[4]["provenance"] = json.dumps({"origin": "captions"})
    (stored,) = as_stored(pairs, seed=0)
    assert (stored.variant, stored.rule, stored.choice, stored.right, stored.n) == ("CP text", "letter", "A", 8, 8)
    assert as_stored(pairs[4:5], seed=0) == []


@pytest.mark.parametrize("released", [True, False])
def test_the_step_writes_the_audit_of_both_sets(project: Project, released: bool) -> None:
    world = World(6)
    for row in world.pairs:
        row["provenance"] = json.dumps({"origin": "released" if released else "scenes"})
    make(prepare(project, world, train_share=0.0))
    project.make_jobs(job for job in project.jobs("aggregate") if job.step.name == "shortcuts")
    rows = project.rows("aggregate", "shortcuts")
    by_key = {(row["set"], row["variant"], row["rule"]): row for row in rows}
    assert {row["set"] for row in rows} == ({"ours", "released"} if released else {"ours"})
    ours = by_key["ours", "CP text", "letter"]
    assert (ours["right"], ours["n"]) == (6, 24)
    assert by_key["ours", "CP text", "options"]["right"] == 24, "`falls` is always right"
    assert by_key["ours", "C2E text", "overlap"]["choice"] == "most words in common"
    assert by_key["ours", "C2E text", "options"]["right"] == 6, "each effect is right once in its group"
    assert by_key["ours", "C2E composite", "letter"]["n"] == 72 and NAME == "mucr"
    if released:
        stored = by_key["released", "CP text", "letter"]
        assert (stored["choice"], stored["right"], stored["n"]) == ("A", 24, 24)
