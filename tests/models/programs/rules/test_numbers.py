"""The number that a program computes after a presupposition is that of the changed scene."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from whatif.engine.random_streams import stream
from whatif.models.programs.writers.rules_changes import (
    Beyond,
    Nearest,
    Outermost,
    Part,
    Place,
    Region,
    SameColour,
    number_after,
)
from whatif.models.programs.writers.rules_kinds import Kind
from whatif.models.programs.writers.rules_questions import HowMany, read_question
from whatif.world.scene_changes import chosen
from whatif.world.scene_counterfactuals import scene_counterfactual
from whatif.world.scene_questions import scene_questions
from whatif.world.scenes import Scene, draw_scene

pytestmark = pytest.mark.slow

SIDES = {"left": "left of", "right": "right of", "top": "above", "bottom": "below"}


def which(kind: Kind) -> dict[str, Any]:
    named = {"noun": kind.noun, "colour": kind.colour, "size": kind.size}
    return {key: word for key, word in named.items() if word is not None}


def at(scene: Scene, place: Place | None) -> set[int]:
    """The numbers of the things at a place of a scene."""
    if isinstance(place, Region):
        return set(chosen(scene, {"within": place.name}))
    if isinstance(place, Beyond):
        return set(chosen(scene, {"further": SIDES[place.direction], "than": which(place.than)}))
    if isinstance(place, Outermost):
        return set(chosen(scene, {**which(place.of), "outermost": place.end, "number": place.number}))
    if isinstance(place, Nearest):
        return set(chosen(scene, {"nearest": which(place.to)}))
    if isinstance(place, SameColour):
        (colour,) = {scene.things[number].colour for number in chosen(scene, which(place.of))}
        return set(chosen(scene, {"colour": colour}))
    return set(range(len(scene.things)))


def value(scene: Scene, part: Part) -> float:
    if part.kind is None:
        return float(part.factor)
    if part.only_if is not None and not chosen(scene, which(part.only_if)):
        return 0
    return float(part.factor * len(set(chosen(scene, which(part.kind))) & at(scene, part.place)))


def test_every_counting_question_about_scenes_has_the_answer_of_the_changed_scene() -> None:
    kinds: Counter[str] = Counter()
    for number in range(400):
        scene = draw_scene("train", number, 12)
        for asked in scene_questions(scene, stream(12, "asked", number)):
            if asked.answer_type != "number":
                continue
            made = scene_counterfactual(scene, asked.question, stream(12, "changed", number))
            if isinstance(made, str):
                continue
            read = read_question(made.question, literal=False)
            assert isinstance(read.asked, HowMany)
            parts = number_after(read.asked.kind, read.changes)
            assert sum(value(scene, part) for part in parts) == int(made.answer), made.question
            literal = number_after(read.asked.kind, read_question(made.question, literal=True).changes)
            assert sum(value(scene, part) for part in literal) == int(asked.answer), made.question
            kinds[made.kind] += 1
    assert len(kinds) == 4 and min(kinds.values()) > 100
