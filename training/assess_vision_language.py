"""Measures an embedded vision-language model on unseen images, beside baselines without images.

It is asked through the adapter that asks every chat model, with puzzles at the benchmark's size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.accuracies import share
from training.assess_categories import assess_categories, question_about
from training.recipes import load_recipes
from whatif.engine.params.checkpoints import HuggingFaceChat
from whatif.engine.random_streams import stream
from whatif.models import Answer, Model, Question, load
from whatif.scoring.rank import best

_PUZZLES = 300  # of each template
_SCENES = 400
_CATEGORY_ITEMS = 200  # of each category
_SEEN_PUZZLES = 3000  # of each template; these
_SEEN_SCENES = 6000  # determine the frequent answers; their images are not drawn
_SCENE_SIDE = 224  # pixels
# For the benchmark's streams; the streams of training puzzles have another name, so no seed gives the same images.
_SEED = 404_404
_OTHER_SEED = 505_505


@dataclass(frozen=True)
class _Asked:
    """A question, the place of its accuracy in the table, and the words that a blind answer may use."""

    place: tuple[str, str, str]
    words: str
    question: Question
    answer: str


def assess_vision_language(
    folder: Path, puzzles: int = _PUZZLES, scenes: int = _SCENES, items: int = _CATEGORY_ITEMS
) -> dict[str, Any]:
    """Accuracies of the LLaVA in `folder` by way of asking, variant or subject, and template or answer type.

    `free answers` must equal the correct answer literally; `ranked options` are correct if the correct one of four
    has the highest mean log-likelihood. Each has n, the 95% Wilson interval and a baseline without images: `majority`
    is the most frequent correct answer, `blind` the most frequent one given the words of the question (in other
    puzzles and in training scenes); for four options, chance. `two options` are CFMM's categories
    (`assess_categories`).
    """
    model = loaded(folder)
    asked = (_puzzle_questions(puzzles, _SEED), _scene_questions(scenes, "test"))
    return {**_accuracies(model, asked), "two options": assess_categories(model, items)}


def assess_on_scenes(folder: Path, scenes: int = _SCENES, items: int = _CATEGORY_ITEMS) -> dict[str, Any]:
    """The same without puzzles, for a LLaVA that was last trained on scenes alone."""
    model = loaded(folder)
    return {
        **_accuracies(model, (_scene_questions(scenes, "test"),)),
        "two options": assess_categories(model, items),
    }


def loaded(folder: Path) -> Model:
    """The LLaVA in `folder`, as every chat model is asked."""
    import transformers

    logging: Any = transformers.utils.logging
    logging.set_verbosity_error()
    settings = HuggingFaceChat(adapter="hf-chat", checkpoint=str(folder), max_new_tokens=8, batch_size=64)
    return load("hf-chat", settings, 0)


def _accuracies(model: Model, sets: Iterable[Sequence[_Asked]]) -> dict[str, Any]:
    by_place, by_words = _frequent()
    table: dict[str, Any] = {}
    for asked in sets:
        answers = list(model.answer([one.question for one in asked]))
        right = [_said(one, answer) == one.answer for one, answer in zip(asked, answers, strict=True)]
        for place in dict.fromkeys(one.place for one in asked):
            rows = [row for row, one in enumerate(asked) if one.place == place]
            baselines = {"chance": 0.25}
            if place[0] == "free answers":
                most = _first(by_place[place])
                baselines = {
                    "majority": sum(asked[row].answer == most for row in rows) / len(rows),
                    "blind": sum(
                        asked[row].answer == _first(by_words.get(asked[row].words, by_place[place])) for row in rows
                    )
                    / len(rows),
                }
            way, subject, kind = place
            table.setdefault(way, {}).setdefault(subject, {})[kind] = share([right[row] for row in rows], **baselines)
    return table


def _said(asked: _Asked, answer: Answer) -> str | None:
    if answer.option_scores is None:
        return answer.response
    return asked.question.options[best(answer.option_scores)]


def _first(counts: Counter[str]) -> str:
    return min(counts, key=lambda answer: (-counts[answer], answer))


def _frequent() -> tuple[dict[tuple[str, str, str], Counter[str]], dict[str, Counter[str]]]:
    """How often each answer is correct, by place in the table and by words, in questions whose images are not drawn."""
    by_place: dict[tuple[str, str, str], Counter[str]] = {}
    by_words: dict[str, Counter[str]] = {}
    for one in [*_puzzle_questions(_SEEN_PUZZLES, _OTHER_SEED, drawn=False), *_scene_questions(_SEEN_SCENES, "train")]:
        by_place.setdefault(one.place, Counter())[one.answer] += 1
        by_words.setdefault(one.words, Counter())[one.answer] += 1
    return by_place, by_words


def _puzzle_questions(number: int, seed: int, drawn: bool = True) -> list[_Asked]:
    """Both questions of `number` puzzles of each template, each asked openly and with options to rank."""
    from whatif.benchmarks.cvqa_synthetic.dot_puzzle import lay_out_dots
    from whatif.benchmarks.cvqa_synthetic.flower_puzzle import lay_out_flowers
    from whatif.benchmarks.cvqa_synthetic.flowers import drawn_flowers
    from whatif.benchmarks.cvqa_synthetic.options import puzzle_text
    from whatif.benchmarks.cvqa_synthetic.puzzle_image import FlowerPictures, puzzle_picture
    from whatif.benchmarks.cvqa_synthetic.questions import GROUPS

    settings = load_recipes().puzzles.model_copy(update={"puzzles_per_template": number})
    flowers = FlowerPictures(drawn_flowers(96))
    asked = []
    for group in GROUPS:
        for place in range(number):
            text = puzzle_text(group, place, seed, settings)
            colours, name = text.words.colours, f"assessed-{group}-{place}"
            picture: Any = None
            if drawn:
                generator = stream(seed, "assessed-layout", group, place)
                if colours is None:
                    scene = lay_out_dots(text.counts, settings, generator)
                else:
                    scene = lay_out_flowers(text.counts, colours, flowers.image_ids, settings, generator)
                picture = puzzle_picture({"pair_id": name, "image_size": settings.image_size, **scene}, flowers)
            for variant, one in (("original", text.original), ("counterfactual", text.counterfactual)):
                words = f"{group} {variant} {text.words.removed if variant == 'counterfactual' else ''}"
                for way, options in (("free answers", ()), ("ranked options", one.choices)):
                    if drawn or way == "free answers":
                        question = question_about(picture, f"{name}-{variant}", one.question, options)
                        asked.append(_Asked((way, variant, group), words, question, str(one.number)))
    return asked


def _scene_questions(number: int, split: str) -> list[_Asked]:
    """The questions of `number` scenes of a split, by VQAv2's type of answer."""
    from whatif.world.scene_image import draw_scene_picture
    from whatif.world.scene_questions import scene_questions
    from whatif.world.scenes import draw_scene

    asked = []
    for place in range(number):
        scene = draw_scene(split, place, _SEED)
        picture = draw_scene_picture(scene, _SCENE_SIDE) if split == "test" else None
        for number_of, one in enumerate(scene_questions(scene, stream(_SEED, "assessed-scene", split, place))):
            question = question_about(picture, f"{scene.scene_id}-{number_of}", one.question)
            place_in_table = ("free answers", "scenes", one.answer_type)
            asked.append(_Asked(place_in_table, f"scene {one.question}", question, one.answer))
    return asked
