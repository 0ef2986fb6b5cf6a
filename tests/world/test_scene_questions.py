"""Questions about scenes: every answer is derived again from the scene, and none is revealed by the words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable

from tests.world.test_scenes import BY_KIND
from whatif.engine.random_streams import stream
from whatif.world.scene_questions import SceneQuestion, scene_questions
from whatif.world.scene_words import plural
from whatif.world.scenes import KINDS, NOUNS, Scene, Thing, draw_scene

SINGULAR = {plural(noun): noun for noun in NOUNS} | {noun: noun for noun in NOUNS} | {"things": ""}
ASKED = [
    (scene, question)
    for number, scene in enumerate(draw_scene("train", number, 2) for number in range(1500))
    for question in scene_questions(scene, stream(0, "questions", number))
]


def answer(question: str, scene: Scene) -> str:
    """Parses the question with separate patterns and answers it from the things."""
    text = question.lower().rstrip("?").replace("to the ", "")
    for pattern, answered in ANSWERS.items():
        words = re.fullmatch(pattern, text)
        if words:
            return answered(scene, *words.groups())
    raise AssertionError(f"not understood: {question}")


def test_every_answer_is_true() -> None:
    for scene, asked in ASKED:
        assert asked.answer == answer(asked.question, scene), (asked, scene)


def test_types_are_those_of_vqa_v2() -> None:
    kinds = Counter(asked.answer_type for _, asked in ASKED)
    assert set(kinds) == {"number", "yes/no", "other"} and min(kinds.values()) > 0.15 * len(ASKED)
    for _, asked in ASKED:
        assert asked.answer.isdecimal() == (asked.answer_type == "number")
        assert (asked.answer in ("yes", "no")) == (asked.answer_type == "yes/no")
        assert asked.question.lower().startswith(asked.question_type)
        assert re.fullmatch(r"[A-Z][a-z ]+\?", asked.question)


def test_yes_and_no_are_even_for_whatever_the_words_are() -> None:
    by_word: dict[str, list[bool]] = defaultdict(list)
    for _, asked in ASKED:
        if asked.answer_type == "yes/no":
            for word in ["", *asked.question.lower().rstrip("?").split()]:
                by_word[word].append(asked.answer == "yes")
    for word, answers in by_word.items():
        assert abs(sum(answers) / len(answers) - 0.5) < 2.6 / len(answers) ** 0.5, word


def test_counts_vary() -> None:
    counts = Counter(asked.answer for _, asked in ASKED if asked.answer_type == "number")
    assert set(counts) == set("0123456789")
    assert max(counts.values()) < 0.4 * counts.total()


def test_each_kind_of_scene_is_asked_what_suits_it() -> None:
    for kind in KINDS:
        for number, scene in enumerate(BY_KIND[kind]):
            asked = scene_questions(scene, stream(1, "questions", number))
            assert 6 <= len(asked) <= 12
            assert len({question.question for question in asked}) == len(asked)
            assert asked == scene_questions(scene, stream(1, "questions", number))
            assert any(re.search("left|right|above|below", one.question) for one in asked) == (kind == "pair")


def test_no_question_has_two_answers() -> None:
    """Red balls and blue balls have no single colour, so the question is not asked."""
    balls = tuple(Thing("ball", colour, "small", x, 0.5) for colour, x in (("red", 0.2), ("red", 0.5), ("blue", 0.8)))
    asked: list[SceneQuestion] = []
    for number in range(50):
        asked += scene_questions(Scene("x", "white", balls), stream(0, "mixed", number))
    assert not any(re.search(r"colour are the|^Are the balls (?!small|large)", one.question) for one in asked)
    assert {one.answer for one in asked if one.question == "How many red balls are there?"} == {"2"}


def yes(true: bool) -> str:
    return "yes" if true else "no"


def count(scene: Scene, noun: str, colour: str | None = None) -> int:
    named = SINGULAR[noun]
    return sum(named in ("", one.noun) and colour in (None, one.colour) for one in scene.things)


def only(scene: Scene, noun: str, field: str) -> str:
    (value,) = {getattr(one, field) for one in scene.things if one.noun == SINGULAR[noun]}
    return str(value)


def thing(scene: Scene, noun: str) -> Thing:
    (found,) = (one for one in scene.things if one.noun == noun)
    return found


def said_where(first: Thing, second: Thing, relation: str) -> bool:
    """With a clear margin."""
    margins = {"left of": second.x - first.x, "right of": first.x - second.x}
    margins |= {"above": second.y - first.y, "below": first.y - second.y}
    return margins[relation] == max(margins.values()) >= 0.28


def whose(scene: Scene, noun: str, relation: str) -> str:
    (found,) = (one for one in scene.things if said_where(one, thing(scene, noun), relation))
    return found.noun


WHERE = "left of|right of|above|below"
ANSWERS: dict[str, Callable[..., str]] = {
    rf"is the (\w+) ({WHERE}) the (\w+)": lambda scene, first, relation, second: yes(
        said_where(thing(scene, first), thing(scene, second), relation)
    ),
    rf"what is ({WHERE}) the (\w+)": lambda scene, relation, noun: whose(scene, noun, relation),
    r"are there more (\w+) than (\w+)": lambda scene, more, fewer: yes(count(scene, more) > count(scene, fewer)),
    r"(?:is there an?|are there any) (\w+) (\w+)": lambda scene, colour, noun: yes(count(scene, noun, colour) > 0),
    r"how many (?:(\w+) )?(\w+) are there": lambda scene, colour, noun: str(count(scene, noun, colour)),
    r"what colour is the background": lambda scene: scene.background,
    r"what colour (?:is|are) the (\w+)": lambda scene, noun: only(scene, noun, "colour"),
    r"(?:is|are) the (\w+) (?:small or large|large or small)": lambda scene, noun: only(scene, noun, "size"),
    r"is the background (\w+)": lambda scene, background: yes(scene.background == background),
    r"(?:is|are) the (\w+) (\w+)": lambda scene, noun, colour: yes(only(scene, noun, "colour") == colour),
}
