"""Which examples a prompt shows: where they come from, by which rule they are chosen, and steps that are computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.rows import people_row, source_row
from tests.defaults import shipped_values
from whatif.benchmarks.cvqa_real.example_choice import Pool, arithmetic_steps, chosen_examples, pool_of
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.seeds import read_seeds
from whatif.benchmarks.cvqa_real.settings import Examples
from whatif.benchmarks.cvqa_real.writer_requests import Source
from whatif.engine.errors import WhatifError

REQUESTS = [
    (Source("1", "How many dogs are there?", "2"), Source("2", "How many cats are there?", "3")),
    (Source("3", "How many people are in the boat?", "1"),),
    (Source("4", "How many ships are on the lake?", "1"),),
]
OWN = """
- id: s1
  group: direct
  question: How many boats are on the sea?
  answer: "2"
  step1: Add 1 boat
  step2: The answer would be 2+1=3
  new_question: How many boats would be on the sea if another boat came?
  new_answer: "3"
"""


def settings(**changes: Any) -> Examples:
    shipped = shipped_values()["generate"]["cvqa-real"]["prompting"]["examples"]
    return Examples.model_validate({**shipped, "number": 8, **changes})


def ids(chosen: list[tuple[Any, ...]]) -> list[list[str]]:
    return [[example.seed_id for example in examples] for examples in chosen]


@pytest.mark.parametrize("group", GROUPS)
def test_without_questions_by_people_the_examples_are_those_of_the_package(group: str) -> None:
    pool = pool_of(group, settings(), [], [])
    assert (pool.origin, pool.left_out) == ("package", 0)
    assert list(pool.examples) == [seed for seed in read_seeds(None) if seed.group == group]
    assert len(pool.examples) >= 24


def test_people_s_questions_of_the_group_come_before_those_of_the_package() -> None:
    questions = [source_row(str(n), "How many dogs are there?", "5") for n in range(1, 8)]
    questions.append(source_row("9", "Is it wet?", "no"))
    taken, without = "How many dogs would there be if 2 left?", "How many dogs would there be?"
    annotated = [
        people_row("1", "direct", taken, "3"),
        people_row("2", "direct", taken, "3", "Take two away", "The answer would be 5-2=3"),
        people_row("3", "direct", without, "4"),
        people_row("4", "indirect", "If the lamp fell, how many dogs would there be?", "5"),
        people_row("5", "direct", taken, "3", "Two go home", "Three stay"),
        people_row("6", "direct", taken, "4", "Take two away", "The answer would be 5-2=4"),
        people_row("9", "boolean", "Would it be wet if it rained?", "yes", "It rains", "It gets wet"),
        people_row("10", "direct", "How many would there be if 1 came?", "1"),
    ]
    pool = pool_of("direct", settings(), annotated, questions)
    assert (pool.origin, pool.left_out) == ("people", 3)
    first, second, third = pool.examples
    assert (first.seed_id, first.question, first.answer) == ("1-direct-people", "How many dogs are there?", "5")
    assert (first.step1, first.step2) == ("Suppose that 2 left.", "The answer would be 5-2=3")
    assert (first.new_question, first.new_answer) == (annotated[0]["question"], "3")
    assert (second.step1, second.step2) == ("Take two away", "The answer would be 5-2=3")
    assert (third.step1, third.step2) == (first.step1, first.step2)  # theirs have no calculation
    (indirect,) = pool_of("indirect", settings(), annotated, questions).examples
    assert (indirect.step1, indirect.step2) == ("Suppose that the lamp fell.", "The answer would be 5+0=5")
    boolean = pool_of("boolean", settings(), annotated, questions)
    assert (boolean.origin, boolean.left_out) == ("package", 1)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (("direct", "3", "How many would there be if 2 came?", "5"), ("Suppose that 2 came.", "3+2=5")),
        (("direct", "3", "If all left, how many would there be?", "0"), ("Suppose that all left.", "3-3=0")),
        (("direct", "3", "How many would there be?", "5"), None),
        (("direct", "three", "How many if 2 came?", "5"), None),
        (("direct", "3", "How many if 2 came?", "many"), None),
        (("direct", "3", "How many if 2 left?", "-1"), None),
        (("boolean", "yes", "Would it be if it fell?", "no"), None),
    ],
)
def test_steps_are_computed_for_numbers_with_an_if_clause(given: tuple[str, str, str, str], found: Any) -> None:
    assert arithmetic_steps(*given) == (found and (found[0], f"The answer would be {found[1]}"))


def test_a_file_of_examples_comes_first(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(OWN, encoding="utf-8")
    own = settings(file=str(tmp_path / "own.yaml"))
    people = [people_row("1", "direct", "How many would there be if 2 left?", "3")]
    pool = pool_of("direct", own, people, [source_row("1", "How many?", "5")])
    assert (pool.origin, [one.seed_id for one in pool.examples]) == ("file", ["s1"])
    with pytest.raises(WhatifError, match=r"own\.yaml: has no example of the group boolean; add some, or set examples"):
        pool_of("boolean", own, [], [])


def test_without_examples_no_file_is_read() -> None:
    none = settings(number=0, file="there/is/none.yaml")
    pool = pool_of("direct", none, [], [])
    assert chosen_examples(pool, REQUESTS, none, 1) == [(), (), ()]


def test_fixed_examples_are_the_first_ones_in_the_order_of_the_file() -> None:
    few = settings(number=3)
    pool = pool_of("direct", few, [], [])
    first = [one.seed_id for one in pool.examples[:3]]
    assert ids(chosen_examples(pool, REQUESTS, few, 1)) == [first] * 3
    assert [len(one) for one in chosen_examples(pool, REQUESTS, settings(number=64), 1)] == [len(pool.examples)] * 3


def test_random_examples_are_drawn_for_each_request_by_its_first_question() -> None:
    drawn = settings(number=5, rule="random")
    pool = pool_of("direct", drawn, [], [])
    found = ids(chosen_examples(pool, REQUESTS, drawn, 1))
    assert len({tuple(one) for one in found}) == 3
    assert all(len(set(one)) == 5 for one in found)
    assert ids(chosen_examples(pool, REQUESTS[::-1], drawn, 1)) == found[::-1], "whatever else is asked"
    assert ids(chosen_examples(pool, REQUESTS, drawn, 2)) != found


def test_no_request_shows_an_example_about_its_own_question() -> None:
    questions = [source_row(str(n), "How many dogs are there?", "5") for n in range(1, 4)]
    annotated = [people_row(str(n), "direct", "How many dogs would there be if 2 left?", "3") for n in range(1, 4)]
    pool = pool_of("direct", settings(), annotated, questions)
    one, two, three = (f"{n}-direct-people" for n in range(1, 4))
    assert ids(chosen_examples(pool, REQUESTS, settings(number=2), 1)) == [[three], [one, two], [one, two]]
    for rule in ("random", "nearest"):
        found = ids(chosen_examples(pool, REQUESTS, settings(number=3, rule=rule), 1))
        assert [sorted(examples) for examples in found] == [[three], [one, two], [one, two, three]]


def example(seed_id: str, question: str) -> Any:
    from whatif.benchmarks.cvqa_real.example_choice import SeedOfPeople

    return SeedOfPeople(seed_id, "x", question, "1", "a", "b", "c", "2")


def test_nearest_examples_have_the_most_similar_questions() -> None:
    texts = {
        "a": "How many sailing boats are on the water?",
        "b": "How many puppies are there?",
        "c": "How many kittens are there?",
        "d": "How many clocks hang on the wall?",
        "f": "How many puppies are there?",
        "e": "How many puppies are there?",
    }
    pool = Pool("direct", tuple(example(*one) for one in texts.items()), "people")
    near = settings(number=4, rule="nearest")
    found = ids(chosen_examples(pool, REQUESTS, near, 1))
    assert found[0] in (["b", "e", "f", "c"], ["c", "b", "e", "f"]), "ties by id"
    assert found[1][0] == found[2][0] == "a"
    # A request about cats alone has another order than one about dogs and cats.
    cats = [(Source("2", "How many cats are there?", "3"),)]
    assert ids(chosen_examples(pool, cats, near, 1)) == [["c", "b", "e", "f"]]
    assert ids(chosen_examples(pool, REQUESTS[::-1], near, 1)) == found[::-1]
