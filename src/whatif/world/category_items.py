"""CFMM items in the drawn world: a basic question about a scene, and four under presuppositions (CFMM 3.2, 3.3).

**Text first, scene second.** All five questions of an item are worded before a scene is drawn. Then two scenes are
drawn independently among those that satisfy the text, and both again until their answers differ in all five questions.
One is shown; the answers of the other are the wrong options (`exchangeable`). Either scene could have been the one
shown: given the text, the two lists of answers are exchangeable. So the expected accuracy of a rule that has not seen
the image is 50%, even of a rule that reads all five questions together. To redraw only the second scene would not do:
an answer that is more frequent than the others would then be right more often than the option beside it.

With `options="basic"`, the wrong option is the answer to the basic question where that differs from the right one, as
annotators may choose it. Then a rule that reads the basic question's options gains, which the shortcut audit measures.

Every answer and every rationale comes from the same path: the presupposition edits the scene, and the core question is
answered in the edited scene.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from whatif.engine.errors import WhatifError
from whatif.engine.random_streams import stream
from whatif.world.category_count import count_text
from whatif.world.category_knowledge import common_text
from whatif.world.category_looks import color_text, size_text
from whatif.world.category_places import direction_text, shape_text
from whatif.world.category_texts import Core, ItemText, Presupposition, leaks, unchanged_places
from whatif.world.scenes import Scene

_ATTEMPTS = 4000  # scenes drawn for a text; one that fits no two with different answers is then replaced
_TEXTS = 20

TEXT_OF: dict[str, Callable[..., ItemText]] = {
    "count": count_text,
    "color": color_text,
    "size": size_text,
    "shape": shape_text,
    "direction": direction_text,
    "common": common_text,
}
CATEGORIES: tuple[str, ...] = tuple(TEXT_OF)  # as the paper names them


@dataclass(frozen=True)
class CategoryQuestion:
    """A question with its right answer and the wrong option.

    `same_as_basic`: the right answer is that of the basic question. `changes_nothing`: the presupposition never changes
    the answer. `rationale`: one or two sentences from the image to the answer.
    """

    question: str
    answer: str
    other: str
    same_as_basic: bool
    changes_nothing: bool
    rationale: str


@dataclass(frozen=True)
class CategoryItem:
    """A scene with a basic question and four counterfactual ones that keep its core."""

    category: str
    scene: Scene
    basic: CategoryQuestion
    counterfactuals: tuple[CategoryQuestion, ...]


def draw_item(
    split: str,
    category: str,
    number: int,
    seed: int,
    *,
    options: Literal["exchangeable", "basic"] = "exchangeable",
    unchanged: float = 0.25,
) -> CategoryItem:
    """Item `number` of a category; depends only on the arguments.

    `unchanged` is the share of presuppositions that change nothing. It is exact over the items 0, 1, ...; every other
    presupposition changes the answer. `options` is the rule of the wrong option.

    Raises WhatifError for an unknown split, category or rule, and for a share outside 0 to 1.
    """
    if category not in TEXT_OF:
        raise WhatifError(f"category items: unknown category {category!r}; choose one of {', '.join(CATEGORIES)}")
    if options not in ("exchangeable", "basic"):
        raise WhatifError(f"category items: unknown options {options!r}; choose exchangeable or basic")
    places = unchanged_places(number, unchanged)
    for attempt in range(_TEXTS):
        name = ("category-item", split, category, number, attempt)
        text = TEXT_OF[category](places, stream(seed, *name, "text"))
        scenes = _two_scenes(text, split, stream(seed, *name, "scenes"))
        if scenes is not None:
            shown, other = scenes
            shown = replace(shown, scene_id=f"{category}-{split}-{seed}-{number:06d}")
            return _item(category, text, shown, other, from_basic=options == "basic")
    raise WhatifError(f"category items: no two scenes found for {category} {number} with seed {seed}; use another seed")


def _two_scenes(text: ItemText, split: str, generator: np.random.Generator) -> tuple[Scene, Scene] | None:
    """Two independent scenes that satisfy the text and differ in every answer."""
    first: tuple[Scene, list[str]] | None = None
    for _ in range(_ATTEMPTS):
        scene = text.scene(split, generator)
        answers = None if scene is None else answers_in(text, scene)
        if scene is None or answers is None:
            continue
        if first is None:
            first = scene, answers
            continue
        shown, right = first
        if all(one != two for one, two in zip(right, answers, strict=True)):
            return shown, scene
        first = None
    return None


def answers_in(text: ItemText, scene: Scene) -> list[str] | None:
    """The answers to all five questions; None where the scene does not satisfy the text.

    No clause contains the answer. Both scenes are checked: a clause with the wrong option alone would point to the
    right one.
    """
    basic = text.core.answer(scene)
    supposed = [answer_under(one, text.core, scene) for one in text.presuppositions]
    answers = [answer for answer in (basic, *supposed) if answer is not None]
    return answers if len(answers) == 1 + len(supposed) else None


def answer_under(presupposition: Presupposition, core: Core, scene: Scene) -> str | None:
    """The answer in the edited scene; None where the scene does not allow the presupposition.

    That is so if it changes the answer and should not, or should and does not, or if its clause contains the answer.
    """
    edited = presupposition.edit(scene)
    answer = None if edited is None else core.answer(edited)
    if answer is None or leaks(presupposition.clause, answer):
        return None
    return answer if (answer == core.answer(scene)) == presupposition.nothing else None


def _item(category: str, text: ItemText, shown: Scene, other: Scene, from_basic: bool) -> CategoryItem:
    core = text.core
    right, wrong = core.answer(shown), core.answer(other)
    assert right is not None and wrong is not None
    rationale = f"{core.seen(shown)}{core.known(shown)} So the answer is {right}."
    basic = CategoryQuestion(core.basic, right, wrong, True, False, rationale)
    asked = [
        _counterfactual(core, one, shown, other, basic.answer if from_basic else None) for one in text.presuppositions
    ]
    return CategoryItem(category, shown, basic, tuple(asked))


def _counterfactual(
    core: Core, supposed: Presupposition, shown: Scene, other: Scene, preferred: str | None
) -> CategoryQuestion:
    """`preferred` is the wrong option unless it is right."""
    edited, edited_other = supposed.edit(shown), supposed.edit(other)
    assert edited is not None and edited_other is not None
    right, wrong = core.answer(edited), core.answer(edited_other)
    assert right is not None and wrong is not None
    same = right == core.answer(shown)
    return CategoryQuestion(
        supposed.question,
        right,
        wrong if preferred in (None, right) else str(preferred),
        same_as_basic=same,
        changes_nothing=supposed.nothing,
        rationale=f"{core.seen(shown)} If {supposed.clause}, {core.would(edited, same)}. So the answer is {right}.",
    )
