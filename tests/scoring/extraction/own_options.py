"""Questions of every benchmark with their options as they really are, for tests of how answers to them are read.

They come from the code and the data of the benchmarks. Released questions are added where `WHATIF_DATA` names them.
COCO-Counterfactuals asks no questions: models match and retrieve.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.defaults import PARAMS, ROOT
from whatif import benchmarks
from whatif.benchmarks.cvqa_synthetic.options import puzzle_text
from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES
from whatif.benchmarks.cvqa_synthetic.settings import CvqaSyntheticSettings
from whatif.benchmarks.from_yaml.choice import choose, questions_of
from whatif.benchmarks.from_yaml.settings import DrawnScenes, Template
from whatif.benchmarks.from_yaml.words import candidates
from whatif.benchmarks.mucr.question_rows import wording
from whatif.engine.random_streams import stream
from whatif.formats.c_vqa import read_released
from whatif.scoring.extraction.extracted import Kind
from whatif.world.category_items import CATEGORIES, draw_item
from whatif.world.causal_pairs import draw_group
from whatif.world.scene_questions import NUMBER, YES_NO, scene_questions
from whatif.world.scenes import draw_scene

SPLIT, SEED = "test", 35
KINDS: tuple[Kind, ...] = ("choice", "option text")  # the options are shown, or not
PER_SOURCE = 6  # questions of each source


@dataclass(frozen=True)
class Asked:
    """A question as it is put to a model. `images`: its options only name images (`Image A`)."""

    source: str
    kind: Kind
    question: str
    choices: tuple[str, ...] = ()
    images: bool = False

    @property
    def is_choice(self) -> bool:
        return self.kind in KINDS


def sources() -> dict[str, list[Asked]]:
    """The questions of each source, at most `PER_SOURCE`, always the same."""
    found: dict[str, list[Asked]] = {}
    for make in (_real, _scenes, _puzzles, _categories, _causal, _of_yaml, _released):
        for asked in make():
            found.setdefault(asked.source, []).append(asked)
    return {source: _spread(of_source) for source, of_source in found.items()}


def _spread(asked: Sequence[Asked]) -> list[Asked]:
    """Questions from the whole of a sequence, without repetitions."""
    different = list(dict.fromkeys(asked))
    number = min(PER_SOURCE, len(different))
    return [different[place * len(different) // number] for place in range(number)]


def _real() -> Iterator[Asked]:
    path = ROOT / "src/whatif/benchmarks/cvqa_real/seeds.yaml"
    for seed in yaml.safe_load(path.read_text(encoding="utf-8")):
        kind: Kind = "boolean" if seed["group"] == "boolean" else "number"
        yield Asked(f"cvqa-real {kind}", kind, seed["new_question"])


def _scenes() -> Iterator[Asked]:
    kinds: Mapping[str, Kind] = {NUMBER: "number", YES_NO: "boolean"}
    for number in range(20):
        for one in scene_questions(draw_scene(SPLIT, number, SEED), stream(SEED, "own options", number)):
            kind = kinds.get(one.answer_type, "text")
            yield Asked(f"scenes {kind}", kind, one.question)


def _puzzles() -> Iterator[Asked]:
    settings = benchmarks.load_params(PARAMS).section("cvqa-synthetic", CvqaSyntheticSettings).generate
    for group in TEMPLATES:
        for number in range(2):
            text = puzzle_text(group, number, SEED, settings)
            for one in (text.original, text.counterfactual):
                yield Asked("cvqa-synthetic numbers", "choice", one.question, one.choices)


def _categories() -> Iterator[Asked]:
    for number in range(2):
        for category in CATEGORIES:
            item = draw_item(SPLIT, category, number, SEED)
            one = item.counterfactuals[number]
            for kind in KINDS:
                yield Asked(f"cfmm {kind}", kind, one.question, (one.answer, one.other))


def _causal() -> Iterator[Asked]:
    english, chinese = wording("en"), wording("zh")
    for number in range(2):
        group = draw_group(SPLIT, number, SEED)
        for pair in group[::2]:
            captions = {"cause": pair.cause_caption, "effect": pair.effect_caption}
            options = {
                "C2E": [one.effect_caption for one in group],
                "CP": [pair.cue, *pair.false_cues],
                "EXP": [one.explanation for one in group],
            }
            for metric, choices in options.items():
                for kind in KINDS if metric == "C2E" else KINDS[:1]:
                    yield Asked(f"mucr {metric}", kind, english.as_text(metric, captions), tuple(choices))
    for form in ("composite", "cause-and-composite", "separate", "strip"):
        names = tuple(english.option.format(letter=letter) for letter in "ABCD")
        for metric in ("C2E", "context"):
            yield Asked("mucr images", "choice", english.with_images(metric, form, None), names, images=True)
    names = tuple(chinese.option.format(letter=letter) for letter in "ABCD")
    yield Asked("mucr images zh", "choice", chinese.with_images("C2E", "composite", None), names, images=True)


def _of_yaml() -> Iterator[Asked]:
    for path in sorted((ROOT / "examples/benchmarks").glob("*.yaml")):
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        rows = list(_rows(values["extract"]))
        for name, template in values["generate"]["templates"].items():
            checked = Template.model_validate(template)
            known = [
                one
                for row_id, attributes in rows
                for one in candidates(name, checked, {"row_id": row_id, "image_ids": []}, attributes, most=8, seed=SEED)
            ]
            for chosen in choose(name, checked, known, Counter(), pairs=6, per_row=None, seed=SEED):
                for question in questions_of(chosen):
                    for kind in KINDS:
                        yield Asked(f"yaml {path.stem}", kind, question["question"], tuple(question["choices"]))


def _rows(extract: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ids and attributes of the rows of a YAML benchmark, without their pictures."""
    if "scenes" not in extract:
        for thing, usual in (("heart", "red"), ("tree", "green"), ("moon", "yellow"), ("star", "yellow")):
            for colour in ("red", "yellow", "green", "blue"):
                yield f"{thing}-{colour}", {"thing": thing, "usual": usual, "colour": colour}
        return
    kind = DrawnScenes.model_validate(extract["scenes"]).kind
    for number in range(150):
        scene = draw_scene(SPLIT, number, SEED, kind)
        objects = [{"noun": one.noun, "colour": one.colour, "size": one.size} for one in scene.things]
        yield scene.scene_id, {"objects": objects, "background": scene.background}


def _released() -> Iterator[Asked]:
    folder = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa"
    for name in ("C-VQA-Real", "C-VQA-Synthetic"):
        path = folder / f"{name}_questions.csv"
        for row in read_released(path)[::97] if path.is_file() else ():
            kind = row["answer_kind"]
            yield Asked(f"released {name} {kind}", kind, row["question"], tuple(row["choices"] or ()))
