"""Counterfactual yes-or-no questions: answers derived again from the words, and both answers after each kind."""

from __future__ import annotations

import functools
from collections import Counter, defaultdict

import pytest

from tests.world.scene_oracle import Seen, answer_again
from whatif.engine.random_streams import stream
from whatif.world.scene_answers import asked_about
from whatif.world.scene_counterfactuals import SceneCounterfactual
from whatif.world.scene_questions import SceneQuestion, scene_questions
from whatif.world.scene_words import plural
from whatif.world.scene_yes_no import yes_no_counterfactuals
from whatif.world.scenes import Scene, draw_scene

pytestmark = pytest.mark.slow
Made = tuple[Scene, SceneQuestion, list[SceneCounterfactual]]


@functools.cache
def written() -> tuple[list[Made], list[str]]:
    """The counterfactuals of the yes-or-no questions about many scenes, and the reasons where there is none."""
    found, refused = [], []
    for number in range(300):
        scene = draw_scene("train", number, 5)
        for original in scene_questions(scene, stream(0, "questions", number)):
            if original.answer_type == "yes/no":
                made = yes_no_counterfactuals(scene, original.question, stream(0, original.question, number))
                if isinstance(made, str):
                    refused.append(made)
                else:
                    found.append((scene, original, made))
    return found, refused


def test_there_is_one_exactly_where_the_oracle_counts_one() -> None:
    compared = 0
    for scene, original, made in written()[0]:
        asked = asked_about(original.question)
        assert asked is not None
        if asked.form != "there":
            continue
        things = [Seen(one.noun, one.colour, one.size, one.x, one.y, place) for place, one in enumerate(scene.things)]
        kind = asked.kinds[0]
        for one in made:
            counted = f"{kind['colour']} {plural(kind['noun'])}"
            number = answer_again(f"How many {counted} would there be {one.presupposition}?", things)
            assert one.answer == ("yes" if number else "no"), (one, scene)
            compared += 1
    assert compared > 1000


def test_relations_are_turned_by_mirrors_and_exchanges() -> None:
    opposites = {"left of": "right of", "right of": "left of", "above": "below", "below": "above"}
    compared = 0
    for scene, original, made in written()[0]:
        asked = asked_about(original.question)
        if asked is None or asked.form != "relation":
            continue
        first, second = scene.things
        if first.noun != asked.kinds[0]["noun"]:
            first, second = second, first
        across = abs(first.x - second.x) > abs(first.y - second.y)
        before = (
            ("left of" if first.x < second.x else "right of") if across else "above" if first.y < second.y else "below"
        )
        for one in made:
            turned = "mirrored" not in one.question or across
            now = opposites[before] if turned else before
            assert one.answer == ("yes" if now == asked.value else "no"), (one, scene)
            compared += 1
    assert compared > 100


def test_no_kind_of_presupposition_gives_the_answer() -> None:
    answers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for _, original, made in written()[0]:
        asked = asked_about(original.question)
        assert asked is not None
        for one in made:
            answers[asked.form, next(iter(one.change))][one.answer] += 1
    assert len(answers) > 8
    for kind, counts in answers.items():
        assert min(counts["yes"], counts["no"]) >= 0.08 * counts.total(), (kind, counts)


def test_reasons_where_there_is_none() -> None:
    assert {reason.partition(":")[0] for reason in written()[1]} == {
        "not a yes-or-no question about the things of a scene",
        "no presupposition suits the scene",
    }
    scene = draw_scene("train", 0, 5)
    for other in ("How many balls are there?", "Is the background red?", "Who is it?", ""):
        assert isinstance(yes_no_counterfactuals(scene, other, stream(0, "other")), str)
