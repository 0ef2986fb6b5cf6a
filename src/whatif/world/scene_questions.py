"""Questions about scenes in the style of VQAv2, with short true answers: count, yes or no, colour, size, name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from whatif.world.scene_words import plural, relation_words, with_article
from whatif.world.scenes import BACKGROUNDS, COLOURS, NOUNS, OPPOSITES, RELATIONS, SIZES, Scene, one_of

NUMBER, YES_NO, OTHER = "number", "yes/no", "other"
_ABSENT = 0.15  # fraction of counting questions about absent things
_FEW_TO_COUNT = 0.3  # fraction of scenes of one or two things with counting questions; more would make most answers 1


@dataclass(frozen=True)
class SceneQuestion:
    """A question about a scene. `answer_type` is VQAv2's; `question_type` is the beginning of the question."""

    question: str
    answer: str
    answer_type: str
    question_type: str


def scene_questions(scene: Scene, generator: np.random.Generator) -> list[SceneQuestion]:
    """One question of each form that suits the scene, six to twelve, in a fixed order of forms.

    For a yes-or-no question the answer is drawn first, with equal probability, and then words that fit it, from the
    same vocabulary for both: the question alone does not reveal its answer.
    """
    asked = (form(scene, generator) for form in _FORMS)
    return [question for question in asked if question is not None]


def _how_many_things(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    if not _worth_counting(scene, generator):
        return None
    return _question("How many things are there?", str(len(scene.things)), NUMBER, "how many")


def _how_many_of_a_noun(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    if not _worth_counting(scene, generator):
        return None
    there = [thing.noun for thing in scene.things]
    noun = _there_or_not(sorted(set(there)), NOUNS, generator)
    return _question(f"How many {plural(noun)} are there?", str(there.count(noun)), NUMBER, "how many")


def _how_many_of_a_colour(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    if not _worth_counting(scene, generator):
        return None
    there = [thing.colour for thing in scene.things]
    colour = _there_or_not(sorted(set(there)), tuple(COLOURS), generator)
    return _question(f"How many {colour} things are there?", str(there.count(colour)), NUMBER, "how many")


def _how_many_of_noun_and_colour(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    if not _worth_counting(scene, generator):
        return None
    group = one_of(scene.groups, generator)
    colour = _there_or_not([group.colour], tuple(COLOURS), generator)
    count = sum((thing.noun, thing.colour) == (group.noun, colour) for thing in scene.things)
    return _question(f"How many {colour} {plural(group.noun)} are there?", str(count), NUMBER, "how many")


def _is_there(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    """Half of the absent things have the noun of a present one, and another colour."""
    group = one_of(scene.groups, generator)
    noun, colour, yes = group.noun, group.colour, _even(generator)
    if not yes and _even(generator):
        colour = _absent([other.colour for other in scene.groups if other.noun == noun], tuple(COLOURS), generator)
    elif not yes:
        noun = _absent([other.noun for other in scene.groups], NOUNS, generator)
    if _even(generator):
        return _question(f"Are there any {colour} {plural(noun)}?", _yes_or_no(yes), YES_NO, "are there any")
    else:
        return _question(f"Is there {with_article(f'{colour} {noun}')}?", _yes_or_no(yes), YES_NO, "is there a")


def _is_the_colour(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    noun, verb, colour = _some_noun(scene, "colour", generator)
    if colour is None:
        return None
    yes = _even(generator)
    named = colour if yes else _absent([colour], tuple(COLOURS), generator)
    return _question(f"{verb.capitalize()} the {noun} {named}?", _yes_or_no(yes), YES_NO, f"{verb} the")


def _is_the_background(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    yes = _even(generator)
    background = scene.background if yes else _absent([scene.background], tuple(BACKGROUNDS), generator)
    return _question(f"Is the background {background}?", _yes_or_no(yes), YES_NO, "is the")


def _is_where(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    """Half of the wrong relations are the opposite of the correct one, as if the two things were swapped."""
    if scene.relation is None:
        return None
    yes, turned = _even(generator), _even(generator)
    first, second = reversed(scene.things) if turned else scene.things
    relation = OPPOSITES[scene.relation] if turned else scene.relation
    if not yes and _even(generator):
        relation = OPPOSITES[relation]
    elif not yes:
        relation = _absent([relation, OPPOSITES[relation]], RELATIONS, generator)
    where = relation_words(relation, longer=_even(generator))
    return _question(f"Is the {first.noun} {where} the {second.noun}?", _yes_or_no(yes), YES_NO, "is the")


def _are_there_more(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    there = [thing.noun for thing in scene.things]
    nouns = sorted(set(there), key=there.count)
    if len(nouns) < 2 or there.count(nouns[0]) == there.count(nouns[-1]):
        return None
    yes = _even(generator)
    more, fewer = (nouns[-1], nouns[0]) if yes else (nouns[0], nouns[-1])
    return _question(f"Are there more {plural(more)} than {plural(fewer)}?", _yes_or_no(yes), YES_NO, "are there more")


def _what_colour(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    noun, verb, colour = _some_noun(scene, "colour", generator)
    if colour is None:
        return None
    return _question(f"What colour {verb} the {noun}?", colour, OTHER, f"what colour {verb} the")


def _what_background(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    return _question("What colour is the background?", scene.background, OTHER, "what colour is the")


def _what_size(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    noun, verb, size = _some_noun(scene, "size", generator)
    if size is None:
        return None
    options = " or ".join(SIZES if _even(generator) else reversed(SIZES))
    return _question(f"{verb.capitalize()} the {noun} {options}?", size, OTHER, f"{verb} the")


def _what_is_where(scene: Scene, generator: np.random.Generator) -> SceneQuestion | None:
    if scene.relation is None:
        return None
    turned = _even(generator)
    first, second = reversed(scene.things) if turned else scene.things
    where = relation_words(scene.relation, seen_from_first=turned, longer=_even(generator))
    return _question(f"What is {where} the {second.noun}?", first.noun, OTHER, "what is")


_FORMS: tuple[Callable[[Scene, np.random.Generator], SceneQuestion | None], ...] = (
    _how_many_things,
    _how_many_of_a_noun,
    _how_many_of_a_colour,
    _how_many_of_noun_and_colour,
    _is_there,
    _is_the_colour,
    _is_the_background,
    _is_where,
    _are_there_more,
    _what_colour,
    _what_background,
    _what_size,
    _what_is_where,
)


def _some_noun(scene: Scene, field: str, generator: np.random.Generator) -> tuple[str, str, str | None]:
    """A noun of the scene in singular or plural, `is` or `are`, and the value of `field` for its things.

    The value is None if they differ in it, because there is then no single answer.
    """
    noun = one_of(sorted({thing.noun for thing in scene.things}), generator)
    values = [getattr(thing, field) for thing in scene.things if thing.noun == noun]
    value = values[0] if len(set(values)) == 1 else None
    return (noun, "is", value) if len(values) == 1 else (plural(noun), "are", value)


def _there_or_not(there: Sequence[str], words: Sequence[str], generator: np.random.Generator) -> str:
    """Usually a word for something that is present."""
    return _absent(there, words, generator) if generator.random() < _ABSENT else one_of(there, generator)


def _absent(there: Sequence[str], words: Sequence[str], generator: np.random.Generator) -> str:
    return one_of([word for word in words if word not in there], generator)


def _worth_counting(scene: Scene, generator: np.random.Generator) -> bool:
    return scene.kind == "counted" or bool(generator.random() < _FEW_TO_COUNT)


def _even(generator: np.random.Generator) -> bool:
    return bool(generator.random() < 0.5)


def _yes_or_no(yes: bool) -> str:
    return "yes" if yes else "no"


def _question(question: str, answer: str, answer_type: str, question_type: str) -> SceneQuestion:
    return SceneQuestion(question, answer, answer_type, question_type)
