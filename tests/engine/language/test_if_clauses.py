"""Which part of a question is its if clause, in many wordings, and which questions have none."""

from __future__ import annotations

import pytest

from whatif.engine.language.if_clauses import if_clause

CLAUSES = [
    ("If two birds flew away, how many birds would remain?", "if two birds flew away"),
    ("if I painted this bus blue, what color would it be?", "if i painted this bus blue"),
    ("How many birds would remain if two of them flew away?", "if two of them flew away"),
    ("How many birds, if two flew away, would remain?", "if two flew away"),
    ("In the image, if the bus were red, what color would the door be?", "if the bus were red"),
    ("If a cat, a dog and a bird came, how many animals would there be?", "if a cat, a dog and a bird came"),
    ("If the bus were red what color would the taxi be?", "if the bus were red"),
    ("How many birds would you see if two flew away?", "if two flew away"),
    ("How many birds can you see if two flew away?", "if two flew away"),
    ("If the man turned around, in which direction would he look?", "if the man turned around"),
    ("If the dog left, then who would be on the sofa?", "if the dog left"),
    ("If the dog left then who would be on the sofa?", "if the dog left"),
    (
        "If the bus, which is red, were painted blue, what color would it be?",
        "if the bus, which is red, were painted blue",
    ),
    ("If the lamp were off, the room would be which color?", "if the lamp were off"),
    ("If the lamp were off, is the room dark?", "if the lamp were off"),
    ("Even if it rained, would the man wear the hat?", "even if it rained"),
    ("What if the man stood up? How tall would he be?", "what if the man stood up"),
    ("What would the man hold if he dropped the ball and the bat?", "if he dropped the ball and the bat"),
    ("What would the color be if, at night, the lamp were green?", "if, at night, the lamp were green"),
    ("Suppose the bus were blue. What color would its door be?", "suppose the bus were blue"),
    ("Suppose that two cats left, how many cats would there be?", "suppose that two cats left"),
    ("Supposing two cats left, how many cats are there?", "supposing two cats left"),
    ("Imagine the table was round; how many corners would it have?", "imagine the table was round"),
    ("Imagine that the table was round: what would touch the wall?", "imagine that the table was round"),
    ("Imagine a world without gravity. Where would the ball go?", "imagine a world without gravity"),
    ("Assume the tide came in. What would be wet?", "assume the tide came in"),
    ("Assuming that the tide came in, what would be wet?", "assuming that the tide came in"),
    ("What would be wet, assuming the tide came in?", "assuming the tide came in"),
    ("Pretend the dog is a cat. What sound would it make?", "pretend the dog is a cat"),
    ("Let's say the train left. How many trains are there?", "let's say the train left"),
    ("Let us suppose the train left, how many trains are there?", "let us suppose the train left"),
    ("Say the train left. How many trains are there?", "say the train left"),
    ("Now imagine three more boats arrived. How many boats are there?", "imagine three more boats arrived"),
    ("Visualize the chair upside down. Where would its legs point?", "visualize the chair upside down"),
    ("Consider a world where dogs meow. What sound would this animal make?", "consider a world where dogs meow"),
    ("In a world where dogs meow, what sound would this animal make?", "in a world where dogs meow"),
    (
        "Given that the bus had been repainted green, what color is its roof?",
        "given that the bus had been repainted green",
    ),
    ("In case of a flood, what would float?", "in case of a flood"),
    ("Provided that the cat sleeps, how many animals are awake?", "provided that the cat sleeps"),
    ("Unless the dog were tied, where would it run?", "unless the dog were tied"),
    ("Without the umbrella, would the woman get wet?", "without the umbrella"),
    ("What would the woman hold without the umbrella?", "without the umbrella"),
    ("But for the fence, where would the cows walk?", "but for the fence"),
    ("Were the bus blue, what color would its door be?", "were the bus blue"),
    ("Were there two more dogs, how many dogs would there be?", "were there two more dogs"),
    ("Were it not for the wall, what would the man see?", "were it not for the wall"),
    ("Had it rained, would the street be wet?", "had it rained"),
    ("Had the man dropped the bat, what would he hold?", "had the man dropped the bat"),
    ("Should the man sit down, which person would be taller?", "should the man sit down"),
    ("Were the bus red what color would the taxi be?", "were the bus red"),
    ("How many dogs would there be were two of them removed?", "were two of them removed"),
    ("What color would the bus be had it been painted?", "had it been painted"),
    ("Who would be left should the woman leave?", "should the woman leave"),
    ("Look at the clock. If it were an hour later, what time would it be?", "if it were an hour later"),
    ("If the cat slept and if the dog left, who would be awake?", "if the cat slept and if the dog left"),
    ("\u201cIf it\u2019s noon,\u201d where would the sun be?", "if it's noon"),
]
NONE = [
    *("How many birds are there?", "What color is the bus?", "Were there two dogs?"),
    *("Were the dogs black, or were they brown?", "Had the man a hat?", "Should the man wear a hat?"),
    *("How many dogs should there be?", "What would the man who had a hat wear?"),
    *("Where would the dogs that were there be?", "Does it look as if it will rain?"),
    *("How many dogs, if any, are there?", "Can you tell if the dog is asleep?"),
    *("Do you know if the man is smiling?", "Which person is without a hat?"),
    *("When the dogs leave, how many animals are left?", "After two dogs left, how many dogs are there?"),
    *("With two more dogs, how many dogs are there?", "What does the picture of the bus show?"),
    *("Which gift would the man like?", "Is the sheriff in the image?"),
    *("Look at the image. What is to the left of the bus?", ""),
]


@pytest.mark.parametrize(("question", "clause"), CLAUSES)
def test_the_if_clause_of_a_question(question: str, clause: str) -> None:
    assert if_clause(question) == clause


@pytest.mark.parametrize("question", NONE)
def test_a_question_without_a_presupposition_has_none(question: str) -> None:
    assert if_clause(question) is None


def test_the_clauses_of_several_sentences_are_joined() -> None:
    assert if_clause("Suppose it is dark. If the lamp broke, could the man read?") == (
        "suppose it is dark if the lamp broke"
    )
