"""Scenes of the split `train` for learning CFMM's six categories: small images, and questions of all that suit them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from training.scene_pictures import ScenePicture, reduced_picture, scene_questions_of
from whatif.engine.progress import progress
from whatif.engine.random_streams import stream
from whatif.world.category_count import counted_scene
from whatif.world.category_items import TEXT_OF, answer_under
from whatif.world.category_knowledge import PROPERTIES
from whatif.world.category_looks import MIXTURES
from whatif.world.category_scenes import pair_with, some_names, with_colours
from whatif.world.category_texts import QUESTIONS, ItemText, Names
from whatif.world.scenes import Scene, one_of

_COUNTED = 0.3  # share of the images whose things are counted; in the others, two things are compared
_COUNTED_TEXTS = 3
_COMMON_TEXTS = 3  # what every noun is for must be learnt
_KNOWN = 0.6  # share of the images of two things one of which certainly has a property that the other has not
_MIXED = 0.3  # share of the images of two things whose colours give a mixture
_NOTHING = 0.35  # probability of a presupposition that changes nothing


@dataclass(frozen=True)
class CategoryPicture(ScenePicture):
    """A scene, its image, and the nouns and colours that questions speak of."""

    names: Names


def draw_category_pictures(number: int, seed: int, side: int) -> list[CategoryPicture]:
    """The first `number` images, at `side` pixels.

    Questions are worded for a scene here, and not before it: no options are needed, so the words may tell something
    about the scene, and one image serves for questions of five categories.
    """
    examples = []
    for place in progress(range(number), number, "scenes of CFMM's categories to train on", "scene"):
        scene, names = _scene(stream(seed, "training-category", place))
        examples.append(CategoryPicture(reduced_picture(scene, side), scene, names))
    return examples


def category_questions_of(
    example: CategoryPicture, generator: np.random.Generator, counterfactual: bool
) -> list[tuple[str, ...]]:
    """Questions about an image with answers, in random order: basic ones; on request mostly counterfactual ones.

    The third text of a counterfactual one is the answer to its basic question.
    """
    asked: dict[str, tuple[str, ...]] = {}
    for text in _texts(example, generator):
        basic = text.core.answer(example.scene)
        if basic is None:
            continue
        asked[text.core.basic] = (basic,)
        for presupposition in text.presuppositions if counterfactual else ():
            answer = answer_under(presupposition, text.core, example.scene)
            if answer is not None:
                asked[presupposition.question] = answer, basic
    if not counterfactual:
        asked |= {question: (answer,) for question, answer in scene_questions_of(example, generator)[:QUESTIONS]}
    found = sorted(asked)
    return [(found[int(place)], *asked[found[int(place)]]) for place in generator.permutation(len(found))]


def _texts(example: CategoryPicture, generator: np.random.Generator) -> Iterator[ItemText]:
    if example.scene.kind == "pair":
        divided = any(known.divides(example.names.nouns) for known in PROPERTIES.values())
        categories = [name for name in TEXT_OF if name not in ("count", "common")] + [
            "common"
        ] * _COMMON_TEXTS * divided
    else:
        categories = ["count"] * _COUNTED_TEXTS
    for category in categories:
        nouns, colours = example.names.nouns, example.names.colours
        names = Names(*(pair if generator.random() < 0.5 else pair[::-1] for pair in (nouns, colours)))
        places = frozenset(np.flatnonzero(generator.random(QUESTIONS) < _NOTHING).tolist())
        yield TEXT_OF[category](places, generator, names)


def _scene(generator: np.random.Generator) -> tuple[Scene, Names]:
    names = some_names(generator)
    if generator.random() < _COUNTED:
        return counted_scene("train", generator, names), names
    nouns, colours = names.nouns, names.colours
    if generator.random() < _KNOWN:
        nouns = one_of(tuple(PROPERTIES.values()), generator).some_nouns(generator)
    if generator.random() < _MIXED:
        colours = one_of(tuple(MIXTURES), generator)
    scene = pair_with("train", generator, "noun", nouns)
    return with_colours(scene, colours), Names(nouns, colours)
