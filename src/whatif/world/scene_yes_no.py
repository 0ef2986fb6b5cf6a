"""Counterfactual yes-or-no questions about scenes, whose words leave the answer open."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from whatif.world.scene_answers import Asked, answer_in, asked_about
from whatif.world.scene_changes import changed
from whatif.world.scene_counterfactuals import SceneCounterfactual
from whatif.world.scene_descriptions import is_implied, named
from whatif.world.scene_presuppositions import Presupposition, presuppositions
from whatif.world.scenes import MOST_THINGS, Scene, one_of

_UNCHANGED = 0.25  # probability that counterfactuals with an unchanged answer come first

_FRAMES = (
    (r"(?:is|are) there (.+)", r"Would there be \1"),
    (r"(?:is|are) (the \w+) (\w+)", r"Would \1 be \2"),
    (r"(?:is|are) (the \w+) ((?:to the )?(?:left|right) of .+|above .+|below .+)", r"Would \1 be \2"),
)


def yes_no_counterfactuals(
    scene: Scene, question: str, generator: np.random.Generator
) -> list[SceneCounterfactual] | str:
    """Every counterfactual of a yes-or-no question that the scene allows, in random order, each in one wording.

    Both answers are possible after the same words, in one scene or another: nothing is presupposed that makes what is
    asked true or false whatever the image shows. Those that change the answer come first, or those that do not, which
    is drawn. Where there is none, the result is the reason, with a detail after the colon.
    """
    words = question.strip().rstrip("?")
    asked = asked_about(question)
    frame = next((re.sub(old, new, words, flags=re.I) for old, new in _FRAMES if re.fullmatch(old, words, re.I)), None)
    if asked is None or frame is None or not asked.kinds:
        return f"not a yes-or-no question about the things of a scene: {question}"
    before = answer_in(scene, asked)
    found = []
    for supposed in _open(scene, asked):
        answer = _answer_after(scene, asked, supposed)
        if answer is not None:
            presupposition = f"if {one_of(supposed.wordings, generator)}"
            found.append(
                SceneCounterfactual(
                    kind=supposed.kind,
                    question=f"{frame} {presupposition}?",
                    answer=answer,
                    presupposition=presupposition,
                    step1=f"The new answer should be {answer}.",
                    step2=f"How to make this true: {supposed.order}.",
                    change=supposed.change,
                    unchanged=answer == before,
                )
            )
    unchanged = bool(generator.random() < _UNCHANGED)
    found = [found[place] for place in generator.permutation(len(found)).tolist()]
    return sorted(found, key=lambda one: one.unchanged != unchanged) or f"no presupposition suits the scene: {question}"


def _answer_after(scene: Scene, asked: Asked, supposed: Presupposition) -> str | None:
    """The answer once it is so; None if there is none, or more things than are ever drawn."""
    after = changed(scene, supposed.change)
    return answer_in(after, asked) if len(after.things) <= MOST_THINGS else None


def _open(scene: Scene, asked: Asked) -> Iterator[Presupposition]:
    """Presuppositions whose words do not decide the answer."""
    kind = asked.kinds[0]
    if asked.form == "relation":
        yield from _of_places(asked)
        return
    value = {asked.form: asked.value} if asked.form in ("colour", "size") else {}
    counted = kind | value
    for supposed in presuppositions(scene, counted):
        change = supposed.change
        if asked.form == "there" and "replace" in change:
            continue  # what is replaced is there, and so its substitutes would be
        turned = change.get("recolour", change.get("rename"))
        if turned is not None and change["to"] in counted.values():
            # What is named is there, and would be what is asked for.
            attribute = "colour" if "recolour" in change else "noun"
            rest = {key: word for key, word in counted.items() if key != attribute}
            if is_implied(rest, turned) or is_implied(turned, rest):
                continue
        if value and (supposed.kind != "exchange" or "replace" in change):
            continue  # the thing in question would be gone, or its words say that it is not
        yield supposed


def _of_places(asked: Asked) -> Iterator[Presupposition]:
    """Of two things that lie beside each other; whether they do so is for the image to tell."""
    first, second = (named(kind, 1) for kind in asked.kinds)
    for words, order, change in (
        (
            ("each was put in the place of the other", "the two swapped places"),
            f"Let the {first} and the {second} exchange places",
            {"exchange": "place", "of": list(asked.kinds)},
        ),
        (
            ("the image was mirrored from left to right",),
            "Mirror the image from left to right",
            {"mirror": "left-right"},
        ),
    ):
        yield Presupposition("exchange", words, order, change)
