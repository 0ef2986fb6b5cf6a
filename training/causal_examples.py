"""Pairs of causes and effects for training: MuCR's questions about them, in text and on composites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from training.scene_facts import UNTOLD, Labels
from whatif.benchmarks.mucr.forms import CAUSE, EFFECT, LETTERS_OF_OPTIONS
from whatif.benchmarks.mucr.question_rows import wording
from whatif.benchmarks.mucr.schemas import TEXT, Form, Metric
from whatif.engine.random_streams import stream
from whatif.models.composite_picture import composite
from whatif.models.square import squared
from whatif.world.causal_events import EVENTS, KINDS
from whatif.world.causal_image import draw_causal_picture
from whatif.world.causal_pairs import PAIRS_PER_GROUP, CausalPair, draw_group
from whatif.world.causal_scenes import DARK_COLOURS, LIGHT_COLOURS, PATTERNS, CausalScene
from whatif.world.causal_styles import STYLES

if TYPE_CHECKING:
    from PIL.Image import Image

_DRAWN_SIDE = 128  # pixels of an image, and
_VARIATIONS = 4  # candidates of each image, as in the default run
_VALUES: dict[str, tuple[str, ...]] = {
    "noun": tuple(noun for nouns in KINDS.values() for noun in nouns),
    "colour": (*DARK_COLOURS, *LIGHT_COLOURS),
    "pattern": PATTERNS,
    "event": tuple(EVENTS),
}
FACTS: dict[str, int] = {fact: len(values) for fact, values in _VALUES.items()}  # of a panel, with their values


@dataclass(frozen=True)
class CausalExample:
    """A pair with its group in one style: an image of each cause and effect, and the order of the four effects."""

    pairs: tuple[CausalPair, ...]
    place: int  # of the pair in its group
    causes: Sequence[Image]
    effects: Sequence[Image]
    order: tuple[int, ...]  # the places in the group of the effects A to D

    @cached_property
    def pair(self) -> CausalPair:
        """The pair that is asked about."""
        return self.pairs[self.place]

    def question(self, metric: Metric, form: Form) -> str:
        """The words of a question."""
        if form != TEXT:
            return wording("en").with_images(metric, form, None)
        captions = {"cause": self.pair.cause_caption, "effect": self.pair.effect_caption}
        return wording("en").as_text(metric, captions)

    def options(self, metric: Metric, form: Form) -> list[str]:
        """The options of a question; the right one is at the place `right`."""
        if metric == "CP":
            return [self.pair.cue, *self.pair.false_cues]
        if metric == "C2E" and form != TEXT:
            return [wording("en").option.format(letter=letter) for letter in LETTERS_OF_OPTIONS]
        ordered = [self.pairs[place] for place in self.order]
        return [pair.effect_caption if metric == "C2E" else pair.explanation for pair in ordered]

    def right(self, metric: Metric) -> int:
        """The place of the right option."""
        return 0 if metric == "CP" else self.order.index(self.place)

    def answer(self, metric: Metric, form: Form) -> str:
        """The text of the right option."""
        return self.options(metric, form)[self.right(metric)]

    def canvas(self, metric: Metric) -> Image:
        """The composite of a question, as MuCR draws it."""
        labels = LETTERS_OF_OPTIONS if metric == "C2E" else (EFFECT,)
        images = [self.causes[self.place], *(self.effects[place] for place in self._shown(metric))]
        return squared(composite(images, [CAUSE, *labels]))

    def things(self, metric: Metric) -> list[str]:
        """The thing in each panel of the composite."""
        return [str(scene.thing) for scene in self._scenes(metric)]

    def facts(self, metric: Metric) -> Labels:
        """The values of the facts in each panel of the composite, (panels, facts); a cause shows no event."""
        return np.array([_facts(scene) for scene in self._scenes(metric)], np.int64)

    def _shown(self, metric: Metric) -> Sequence[int]:
        return self.order if metric == "C2E" else (self.place,)

    def _scenes(self, metric: Metric) -> list[CausalScene]:
        return [self.pair.cause_scene, *(self.pairs[place].effect_scene for place in self._shown(metric))]


def draw_causal_examples(split: str, number: int, seed: int) -> list[CausalExample]:
    """The four pairs of a group in a random style, with random candidates of the images and a random order."""
    pairs = draw_group(split, number, seed)
    generator = stream(seed, "causal examples", split, number)
    style = STYLES[int(generator.integers(len(STYLES)))]

    def drawn(scenes: Sequence[CausalScene]) -> list[Image]:
        variations = generator.integers(_VARIATIONS, size=len(scenes)).tolist()
        return [
            draw_causal_picture(scene, style, _DRAWN_SIDE, one) for scene, one in zip(scenes, variations, strict=True)
        ]

    causes, effects = drawn([pair.cause_scene for pair in pairs]), drawn([pair.effect_scene for pair in pairs])
    return [
        CausalExample(pairs, place, causes, effects, tuple(generator.permutation(PAIRS_PER_GROUP).tolist()))
        for place in range(PAIRS_PER_GROUP)
    ]


def reduced(image: Image, side: int) -> npt.NDArray[np.uint8]:
    """An image as (side, side, 3), reduced as a processor does."""
    from PIL import Image as Images

    return np.asarray(image.resize((side, side), Images.Resampling.BICUBIC))


def _facts(scene: CausalScene) -> list[int]:
    thing = scene.thing
    said = {"noun": thing.noun, "colour": thing.colour, "pattern": thing.pattern}
    found = [_VALUES[fact].index(value) for fact, value in said.items()]
    return [*found, UNTOLD if scene.change is None else _VALUES["event"].index(scene.change)]
