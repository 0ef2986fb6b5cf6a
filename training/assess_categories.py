"""Measures a vision-language model on CFMM's six categories in drawn scenes: two options, ranked (CFMM 3.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from training.accuracies import share
from whatif.engine.language.messages import one_turn
from whatif.models import Model, Question
from whatif.scoring.rank import best
from whatif.world.category_items import CATEGORIES, CategoryItem, CategoryQuestion, draw_item

_SEEN_ITEMS = 800  # of each category; they determine the frequent answers, and their images are not drawn
_SIDE = 224  # pixels
_SEED = 404_404


@dataclass(frozen=True)
class _Asked:
    """A question of a category; `kinds` are the rows of the table that it counts for."""

    category: str
    kinds: tuple[str, ...]
    question: CategoryQuestion


def assess_categories(model: Model, items: int, seen: int = _SEEN_ITEMS) -> dict[str, Any]:
    """Accuracies by category and by `basic`, `counterfactual` and `changes nothing` (some of the counterfactual ones).

    A question is answered correctly if the right option of the two has the higher mean log-likelihood. Each accuracy
    has n, the 95% Wilson interval over questions, and two baselines without images: `majority` prefers the option that
    is more often right in the category, `blind` the one that is more often right given the words of the question, both
    in `seen` training items of each category. Between equally frequent options, they are right half of the time.
    """
    from whatif.world.scene_image import draw_scene_picture

    asked: list[_Asked] = []
    questions = []
    for category in CATEGORIES:
        for number in range(items):
            item = draw_item("test", category, number, _SEED)
            picture = draw_scene_picture(item.scene, _SIDE)
            for place, one in enumerate(_questions(item)):
                asked.append(one)
                options = (one.question.answer, one.question.other)
                name = f"{item.scene.scene_id}-{place}"
                questions.append(question_about(picture, name, one.question.question, options))
    right = []
    for answer in model.answer(questions):
        assert answer.option_scores is not None
        right.append(best(answer.option_scores) == 0)
    by_category, by_words = _frequent(seen)
    table: dict[str, Any] = {}
    for category in CATEGORIES:
        for kind in ("basic", "counterfactual", "changes nothing"):
            rows = [row for row, one in enumerate(asked) if one.category == category and kind in one.kinds]
            compared = [asked[row].question for row in rows]
            table.setdefault(category, {})[kind] = share(
                [right[row] for row in rows],
                majority=fmean(_preferred(one, by_category[category]) for one in compared),
                blind=fmean(_preferred(one, by_words.get(one.question, Counter())) for one in compared),
            )
    return table


def question_about(picture: Any, name: str, words: str, options: Iterable[str] = ()) -> Question:
    """A question of an assessment about one image; with options, they are ranked."""
    return Question(
        question_id=name,
        group="assessed",
        variant="assessed",
        messages=one_turn(words, [name]),
        options=tuple(options),
        images=lambda: [picture],
    )


def _questions(item: CategoryItem) -> list[_Asked]:
    """The basic question and the counterfactual ones."""
    changing, unchanging = ("counterfactual",), ("counterfactual", "changes nothing")
    return [
        _Asked(item.category, ("basic",), item.basic),
        *(_Asked(item.category, unchanging if one.changes_nothing else changing, one) for one in item.counterfactuals),
    ]


def _frequent(items: int) -> tuple[dict[str, Counter[str]], dict[str, Counter[str]]]:
    """How often each answer is right, by category and by words, in training scenes."""
    by_category: dict[str, Counter[str]] = {}
    by_words: dict[str, Counter[str]] = {}
    for category in CATEGORIES:
        for number in range(items):
            for one in _questions(draw_item("train", category, number, _SEED)):
                by_category.setdefault(category, Counter())[one.question.answer] += 1
                by_words.setdefault(one.question.question, Counter())[one.question.answer] += 1
    return by_category, by_words


def _preferred(question: CategoryQuestion, counts: Counter[str]) -> float:
    """1 if the right option is the more frequent one, 0 if the wrong one is, and 0.5 if they are equally frequent."""
    right, wrong = counts[question.answer], counts[question.other]
    return 0.5 if right == wrong else float(right > wrong)
