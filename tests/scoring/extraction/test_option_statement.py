"""Options that a response states without their letter: in other words, as an amount, after an explanation."""

from __future__ import annotations

import pytest

from whatif.scoring.extraction.answer import extract
from whatif.scoring.extraction.quantities import amount_in, amounts_of
from whatif.scoring.extraction.word_forms import content_of, known_as, stem

VEHICLES = ("Which vehicle would be first if the bus turned left?", ["The red car", "The blue truck", "The bicycle"])
DOG = ("What would the dog do if the door were open?", ["run outside", "sleep on the sofa", "bark at the cat"])
CUP = ("What would happen if the table were tilted?", ["The cup falls", "The cup stays on the table", "The cup breaks"])
FLOOR = ("Which floor would it stop at if the button for 5 were not pressed?", ["3", "5", "7", "15"])


@pytest.mark.parametrize(
    ("asked", "response", "answer"),
    [
        (VEHICLES, "It's the lorry.", "B"),
        (VEHICLES, "The bike would be first.", "C"),
        (VEHICLES, "The red car is behind the bus. The truck would be first.", "B"),
        (VEHICLES, "The blue trcuk", "B"),
        (VEHICLES, "the 2nd option", "B"),
        (VEHICLES, "The motorcycle would be first.", "none"),
        (VEHICLES, "The red car\n\nThe bus turns first, so the way of the car is free.", "A"),
        (VEHICLES, "Q: Which vehicle?\nA: the truck\nQ: And then?\nA: the bicycle", "B"),
        (VEHICLES, "B\n\nUSER: And if it turned right?\nASSISTANT: A", "B"),
        (VEHICLES, "| red car | third | no |\n| blue truck | first | yes |\n| bicycle | last | no |", "B"),
        (VEHICLES, "**Answer:** C\n\n*So the blue truck would be first.*", "ambiguous"),
        (DOG, "The dog would not bark at the cat, it would run outside.", "A"),
        (DOG, "The dog would chew the sofa.", "none"),
        (DOG, "The dog is lying on the sofa.", "none"),
        (CUP, "If the table were tilted, the cup would slide down and fall to the floor.", "A"),
        (CUP, "The cup would stay.", "B"),
        (FLOOR, "It would stop at the seventh floor.", "C"),
        (FLOOR, "It is at 3 and goes up. Without the button for 5, the next stop would be 7.", "C"),
        (FLOOR, "It would stop at 9.", "none"),
    ],
)
def test_statement_of_an_option(asked: tuple[str, list[str]], response: str, answer: str) -> None:
    found = extract(response, "choice", *asked)
    assert (found.answer or found.status) == answer, found


@pytest.mark.parametrize(
    ("choices", "response", "place"),
    [
        (["45 minutes", "1 hour 30 minutes", "2 hours"], "1.5 hours", 1),
        (["45 minutes", "1 hour 30 minutes", "2 hours"], "It would be three quarters of an hour.", 0),
        (["90 cm", "1.2 m", "1.5 m"], "4 · 30 cm = 120 cm", 1),
        (["90 cm", "1.2 m", "1.5 m"], "One and a half meters.", 2),
        (["9:05", "9:30", "9:55"], "It leaves at 9:05. Add 25 minutes and you get half past nine.", 1),
        (["1/2", "1/3", "2/3"], "0.5", 0),
        (["1/2", "1/3", "2/3"], "50%", 0),
        (["45 minutes", "2 hours"], "3 hours", -1),
    ],
)
def test_amounts_in_other_units(choices: list[str], response: str, place: int) -> None:
    assert amount_in(response, choices, "How much would it be?") == {place}


def test_options_that_are_not_all_amounts_of_one_dimension_have_none() -> None:
    assert amounts_of(["2 hours", "2 m"]) is None
    assert amounts_of(["60 minutes", "1 hour"]) is None
    assert amounts_of(["two boats", "a red car"]) is None


def test_words_are_compared_without_inflection() -> None:
    assert stem("sledding") == stem("sleds") == "sled"
    assert stem("flatter") == stem("flat")
    assert content_of("The lorry's wheels aren't the same") == content_of("truck wheel xsame")


def test_a_typing_error_is_corrected_if_one_word_is_meant() -> None:
    assert known_as("chruch", {"church", "desk"}) == "church"
    assert known_as("horse", {"house", "horde"}) is None
    assert known_as("house", {"horse"}, {"house"}) is None
