"""Writes indirect counterfactual questions about scenes, with answers computed from the content (C-VQA 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.world.scene_answers import COUNT_ENDINGS, Asked, count_asked
from whatif.world.scene_changes import Which, changed, chosen, is_placed
from whatif.world.scene_descriptions import named
from whatif.world.scene_presuppositions import KINDS, Presupposition, presuppositions
from whatif.world.scene_words import COUNT_WORDS
from whatif.world.scenes import MOST_THINGS, Scene, Thing, one_of

_SEEN = ("could be seen", "would be visible")
_OF_SIGHT = ("are shown", "are visible", "can be seen", "can you see", "do you see", "does the image show")
_UNCHANGED = 0.25  # probability of an unchanged answer where a kind has presuppositions of both sorts


@dataclass(frozen=True)
class SceneCounterfactual:
    """A counterfactual question about a scene, and how its answer follows.

    `presupposition` is the words from `if` on, as they are in the question. `step1` is the presupposition as an order,
    `step2` has the arithmetic. `change` gives the scene that is presupposed (`scene_changes.changed`). `unchanged`
    marks an answer equal to that of the original question, as 49 of the 864 released ones are.
    """

    kind: str
    question: str
    answer: str
    presupposition: str
    step1: str
    step2: str
    change: dict[str, Any]
    unchanged: bool


def scene_counterfactual(scene: Scene, question: str, generator: np.random.Generator) -> SceneCounterfactual | str:
    """A counterfactual of a counting question, of one of the kinds removal, visibility, position and exchange.

    The kind is drawn from those that the scene allows, and then the answer from those of this kind. The words do not
    give the answer: it does not occur in the question, and it depends on which of the counted things the presupposition
    affects. Where there is no counterfactual, the result is the reason, with a detail after the colon: the question
    does not count things of a scene, or no presupposition suits the scene.
    """
    asked = count_asked(question)
    if asked is None:
        return f"not a counting question about the things of a scene: {question}"
    counted = asked.kinds[0]
    there = len(chosen(scene, counted))
    by_kind: dict[str, dict[int, list[Presupposition]]] = {}
    for supposed in presuppositions(scene, counted):
        number = len(chosen(changed(scene, supposed.change), counted))
        if number <= MOST_THINGS and not (number == there == 0) and not _says(supposed, number):
            by_kind.setdefault(supposed.kind, {}).setdefault(number, []).append(supposed)
    if not by_kind:
        things = f"{there} {named(counted, there)} among {len(scene.things)} things"
        return f"no presupposition suits the scene: {question} The scene has {things}"
    by_answer = by_kind[one_of(sorted(by_kind, key=KINDS.index), generator)]
    others = [number for number in sorted(by_answer) if number != there]
    keep = there in by_answer and (not others or bool(generator.random() < _UNCHANGED))
    return _written(scene, asked, one_of(by_answer[there if keep else one_of(others, generator)], generator), generator)


def _says(supposed: Presupposition, number: int) -> bool:
    """Whether a wording contains the answer as a word, such as `two stars` where it is 2."""
    return any(COUNT_WORDS[number] in wording.split() for wording in supposed.wordings)


def _written(
    scene: Scene, asked: Asked, supposed: Presupposition, generator: np.random.Generator
) -> SceneCounterfactual:
    counted = asked.kinds[0]
    end = COUNT_ENDINGS[asked.value]
    if supposed.kind == "visibility" and asked.value not in _OF_SIGHT:
        end = one_of(_SEEN, generator)
    presupposition = f"if {one_of(supposed.wordings, generator)}"
    after = changed(scene, supposed.change)
    before, now = ({(one.x, one.y): one for one in _placed(world, counted)} for world in (scene, after))
    there, answer = len(chosen(scene, counted)), len(chosen(after, counted))
    lost = len(before.keys() - now.keys())
    gained = answer - (there - lost)
    less, more = f"-{lost}" if lost or not gained else "", f"+{gained}" if gained else ""
    return SceneCounterfactual(
        kind=supposed.kind,
        question=f"How many {named(counted, 2)} {end} {presupposition}?",
        answer=str(answer),
        presupposition=presupposition,
        step1=supposed.order,
        step2=f"The answer would be {there}{less}{more}={answer}",
        change=supposed.change,
        unchanged=answer == there,
    )


def _placed(scene: Scene, counted: Which) -> list[Thing]:
    """The counted things whose places are known: those that were in the scene before."""
    return [thing for number in chosen(scene, counted) if is_placed(thing := scene.things[number])]
