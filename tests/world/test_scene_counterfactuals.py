"""Counterfactual questions about scenes: answers derived again from the words, from the things and from the pixels."""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter, defaultdict
from typing import TypeAlias

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from tests.world.scene_oracle import DIAMETERS, SINGULAR, Seen, answer_again
from whatif.engine.random_streams import stream
from whatif.world.scene_answers import answer_in, count_asked
from whatif.world.scene_changes import changed
from whatif.world.scene_counterfactuals import SceneCounterfactual, scene_counterfactual
from whatif.world.scene_image import draw_scene_picture
from whatif.world.scene_presuppositions import KINDS
from whatif.world.scene_questions import SceneQuestion, scene_questions
from whatif.world.scene_recognition import outline_mass, recognise
from whatif.world.scene_words import COUNT_WORDS
from whatif.world.scenes import BACKGROUNDS, COLOURS, Scene, draw_scene

pytestmark = pytest.mark.slow


def counting_questions(scene: Scene, number: int) -> list[SceneQuestion]:
    asked = scene_questions(scene, stream(0, "questions", number))
    return [question for question in asked if question.answer_type == "number"]


SCENES = 1500
Made: TypeAlias = tuple[Scene, SceneQuestion, SceneCounterfactual]


@functools.cache
def written() -> tuple[list[Made], list[str]]:
    """The counterfactuals of the counting questions about many scenes, and the reasons where there is none."""
    found, refused = [], []
    for number in range(SCENES):
        scene = draw_scene("train", number, 5)
        for original in counting_questions(scene, number):
            made = scene_counterfactual(
                scene, original.question, stream(0, "counterfactual", original.question, number)
            )
            if isinstance(made, str):
                refused.append(made)
            else:
                found.append((scene, original, made))
    return found, refused


@pytest.fixture(name="made_of_scenes")
def _made_of_scenes() -> list[Made]:
    return written()[0]


def things_of(scene: Scene) -> list[Seen]:
    return [Seen(one.noun, one.colour, one.size, one.x, one.y, place) for place, one in enumerate(scene.things)]


def test_every_answer_follows_from_the_words(made_of_scenes: list[Made]) -> None:
    assert len(made_of_scenes) > 3000
    for scene, _, made in made_of_scenes:
        assert int(made.answer) == answer_again(made.question, things_of(scene)), (made, scene)


def nearest(middles: dict[int, tuple[float, ...]], whole: list[int], part: int) -> int:
    return min(whole, key=lambda label: math.dist(middles[label], middles[part]))


def seen_in(picture: Image.Image) -> list[Seen]:
    """Every thing in an image, each recognised alone: the others are painted over."""
    pixels = np.asarray(picture)
    ground = pixels[0, 0]
    labels, number = ndimage.label((pixels != ground).any(axis=2), np.ones((3, 3)))
    every = range(1, number + 1)
    middles = dict(zip(every, ndimage.center_of_mass(labels > 0, labels, every), strict=True))
    whole = [label for label in every if (labels == label).mean() > 0.013]  # the smallest thing covers 0.016
    found = []
    for label in whole:
        # The second sail of a boat does not touch it.
        parts = [one for one in every if one == label or (one not in whole and nearest(middles, whole, one) == label)]
        alone = np.where(np.isin(labels, parts)[..., None], pixels, ground).astype(np.uint8)
        seen = recognise(Image.fromarray(alone).reduce(3))
        assert seen.noun and seen.colour and seen.size and seen.x and seen.y
        across, down, _ = outline_mass(seen.noun)
        diameter = DIAMETERS[seen.size]
        found.append(
            Seen(seen.noun, seen.colour, seen.size, seen.x - across * diameter, seen.y - down * diameter, label)
        )
    return found


@pytest.mark.slow
def test_every_answer_follows_from_the_pixels(made_of_scenes: list[Made]) -> None:
    checked = Counter()
    pictures: dict[str, list[Seen]] = {}
    for scene, _, made in made_of_scenes[:900]:
        if scene.scene_id not in pictures:
            pictures[scene.scene_id] = seen_in(draw_scene_picture(scene, 192))
        seen = pictures[scene.scene_id]
        assert len(seen) == len(scene.things)
        assert int(made.answer) == answer_again(made.question, seen), (made, scene)
        checked[made.kind] += 1
    assert min(checked.values()) > 100


def test_the_changed_scene_has_the_answer_after_a_round_trip_through_json(made_of_scenes: list[Made]) -> None:
    for scene, original, made in made_of_scenes:
        asked = count_asked(original.question)
        after = changed(scene, json.loads(json.dumps(made.change, sort_keys=True)))
        assert asked and answer_in(after, asked) == made.answer
        assert answer_in(scene, asked) == original.answer


def test_the_steps_compute_the_answer(made_of_scenes: list[Made]) -> None:
    for _, original, made in made_of_scenes:
        steps = re.fullmatch(r"The answer would be (\d+)((?:[-+]\d+)+)=(\d+)", made.step2)
        assert steps, made
        assert (steps[1], steps[3]) == (original.answer, made.answer)
        assert int(steps[1]) + sum(int(term) for term in re.findall(r"[-+]\d+", steps[2])) == int(steps[3])
        assert re.fullmatch(r"[A-Z][a-z ,]+", made.step1)


def test_removed_and_added_things_are_counted_separately(made_of_scenes: list[Made]) -> None:
    """A ball that makes way for two balls is taken away, and two are added."""
    found = [made for _, _, made in made_of_scenes if "replace" in made.change and re.search(r"\d-\d+\+\d", made.step2)]
    assert len(found) > 20
    assert any("exchange" in made.change and re.search(r"-\d\+\d", made.step2) for _, _, made in made_of_scenes)


def test_the_question_names_what_was_counted_and_supposes_once(made_of_scenes: list[Made]) -> None:
    for _, original, made in made_of_scenes:
        counted = re.fullmatch(r"How many (.+) are there\?", original.question)
        assert counted and made.question.startswith(f"How many {counted[1]} ")
        assert made.question.endswith(f" {made.presupposition}?")
        assert made.presupposition.startswith("if ") and made.question.split().count("if") == 1
        assert made.unchanged == (made.answer == original.answer)


def test_the_question_does_not_say_its_answer(made_of_scenes: list[Made]) -> None:
    for _, _, made in made_of_scenes:
        words = re.findall(r"\w+", made.question.lower())
        assert made.answer not in words and COUNT_WORDS[int(made.answer)] not in words


def test_the_kinds_are_balanced_as_far_as_scenes_allow(made_of_scenes: list[Made]) -> None:
    """Nothing that is absent can be removed or hidden: such questions have only exchanges."""
    kinds = Counter(made.kind for _, original, made in made_of_scenes if original.answer != "0")
    assert tuple(sorted(kinds)) == tuple(sorted(KINDS))
    assert min(kinds.values()) > 0.18 * kinds.total() and max(kinds.values()) < 0.36 * kinds.total()
    assert {made.kind for _, original, made in made_of_scenes if original.answer == "0"} == {"exchange"}
    changes = Counter(
        name for _, _, made in made_of_scenes for name in made.change if name not in ("by", "of", "to", "number")
    )
    assert set(changes) == {"remove", "hide", "recolour", "rename", "replace", "exchange"}


def test_some_answers_stay_as_they_are(made_of_scenes: list[Made]) -> None:
    unchanged = sum(made.unchanged for _, _, made in made_of_scenes) / len(made_of_scenes)
    assert 0.1 < unchanged < 0.3
    assert not any(made.unchanged and made.answer == "0" for _, _, made in made_of_scenes)


def test_few_questions_have_none_and_say_why(made_of_scenes: list[Made]) -> None:
    refused = written()[1]
    assert 0 < len(refused) < 0.005 * len(made_of_scenes)
    for reason in refused:
        assert re.fullmatch(
            r"no presupposition suits the scene: How many .+\? The scene has \d .+ among \d things", reason
        )


def abstract(question: str) -> str:
    """A question without the identity of its nouns and colours, but with which of them are the same."""
    roles: dict[str, str] = {}
    words = []
    for word in re.findall(r"\w+", question.replace(" an ", " a ")):
        name = SINGULAR.get(word, word)
        is_a_role = name in COLOURS or word in SINGULAR
        words.append(roles.setdefault(name, f"{name in COLOURS}{len(roles)}") if is_a_role else word)
    return " ".join(words)


def test_the_words_and_the_original_answer_do_not_give_the_answer(made_of_scenes: list[Made]) -> None:
    answers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for _, original, made in made_of_scenes:
        answers[abstract(made.question), original.answer][made.answer] += 1
    often = [counts for counts in answers.values() if counts.total() >= 6]
    assert len(often) > 50
    assert sum(len(counts) == 1 for counts in often) < 0.12 * len(often)


def test_it_depends_on_the_scene_the_question_and_the_generator_only(made_of_scenes: list[Made]) -> None:
    scene, original, made = made_of_scenes[0]
    again = scene_counterfactual(scene, original.question, stream(0, "counterfactual", original.question, 0))
    assert again == made
    others = [scene_counterfactual(scene, original.question, stream(1, str(number))) for number in range(20)]
    assert len({other.question for other in others}) > 5


@pytest.mark.parametrize("question", ["Is there a red ball?", "What colour is the ball?", "How many people are there?"])
def test_other_questions_are_refused_with_a_reason(question: str) -> None:
    refused = scene_counterfactual(draw_scene("train", 0, 5), question, stream(0, "x"))
    assert refused == f"not a counting question about the things of a scene: {question}"


def test_an_ending_about_sight_keeps_its_verb() -> None:
    scene = draw_scene("train", 14, 18)
    for number in range(40):
        made = scene_counterfactual(scene, "How many flags can you see?", stream(0, "seen", number))
        assert re.match("How many flags could you see if ", made.question)


def test_all_backgrounds_differ_from_all_things() -> None:
    """So a thing in the colour of the background is an exception that a presupposition makes."""
    assert not set(BACKGROUNDS) & set(COLOURS)
