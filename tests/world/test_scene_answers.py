"""Questions are understood and answered as the questions about scenes are meant, and others are not."""

from __future__ import annotations

import pytest

from whatif.engine.random_streams import stream
from whatif.world.scene_answers import COUNT_ENDINGS, Asked, answer_in, asked_about, count_asked
from whatif.world.scene_changes import changed
from whatif.world.scene_questions import scene_questions
from whatif.world.scenes import Scene, Thing, draw_scene

THINGS = (
    Thing("ball", "red", "small", 0.2, 0.2),
    Thing("ball", "red", "large", 0.7, 0.25),
    Thing("fish", "blue", "small", 0.2, 0.8),
)
SCENE = Scene("scene", "white", THINGS)


def answered(question: str, scene: Scene = SCENE) -> str | None:
    asked = asked_about(question)
    assert asked is not None, question
    return answer_in(scene, asked)


def test_every_counting_and_yes_or_no_question_has_its_answer() -> None:
    kinds = set()
    for number in range(1500):
        scene = draw_scene("train", number, 4)
        for asked in scene_questions(scene, stream(0, "asked", number)):
            if asked.answer_type != "other":
                assert answered(asked.question, scene) == asked.answer, (asked, scene)
                assert (count_asked(asked.question) is not None) == (asked.answer_type == "number")
                kinds.add(asked.question_type)
            else:
                assert asked_about(asked.question) is None
    assert len(kinds) >= 6


@pytest.mark.parametrize("ending", COUNT_ENDINGS)
def test_counts_may_end_in_several_ways(ending: str) -> None:
    assert count_asked(f"How many red balls {ending}?") == Asked("count", ({"noun": "ball", "colour": "red"},), ending)
    assert answered(f"How many things {ending}?") == "3"
    assert answered(f"how many small red things {ending}") == "1"
    assert answered(f"How many fish {ending}?") == "1"
    assert answered(f"How many cups {ending}?") == "0"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there a small red ball in the image?", "yes"),
        ("Are there any large fish?", "no"),
        ("Are there more balls than fish?", "yes"),
        ("Are there more fish than red things?", "no"),
        ("Are there as many small things as balls?", "yes"),
        ("Are there as many balls as fish?", "no"),
        ("Are the balls red?", "yes"),
        ("Are the balls large?", None),
        ("Is the fish small?", "yes"),
        ("Is the cup small?", None),
        ("Are all balls red?", "yes"),
        ("Is every thing red?", "no"),
        ("Are all the cups red?", None),
        ("Do all balls have the same colour?", "yes"),
        ("Are all the balls the same size?", "no"),
        ("Do all things have the same colour?", "no"),
        ("Do all fish have the same colour?", None),
        ("Is the fish below the small ball?", "yes"),
        ("Is the large ball to the left of the fish?", "no"),
        ("Is the ball above the fish?", None),
        ("Is the background white?", "yes"),
        ("Is the background brown?", "no"),
    ],
)
def test_yes_or_no(question: str, answer: str | None) -> None:
    assert answered(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "How many people are there?",
        "How many balls are red?",
        "How many red red balls are there?",
        "How many balls would there be if all red things were removed?",
        "What colour is the ball?",
        "Is the ball happy?",
        "Is the ball behind the fish?",
        "",
    ],
)
def test_other_questions_are_not_understood(question: str) -> None:
    assert asked_about(question) is None and count_asked(question) is None


def test_an_added_thing_has_no_place() -> None:
    added = changed(SCENE, {"add": {"noun": "cup", "colour": "green"}})
    assert answered("Is the cup left of the fish?", added) is None
    assert answered("Is the cup green?", added) == "yes"
