"""The rows of one question: its wording, options and images, and what the tables need to know about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from whatif.benchmarks.mucr.askable import cues_of
from whatif.benchmarks.mucr.forms import LETTERS_OF_OPTIONS, Arranged, Canvases
from whatif.benchmarks.mucr.items import Asked, Item
from whatif.benchmarks.mucr.letters import ordered
from whatif.benchmarks.mucr.schemas import CONTEXT, MEMBERS, TEXT, Form, Language, Metric, Style
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.language.named_files import Entry, Text, read_named
from whatif.engine.random_streams import sample

Row = Mapping[str, Any]
RIGHT_CUE = "cue"
FALSE_CUES = tuple(f"false cue {number}" for number in range(1, MEMBERS))
FOUR_EFFECTS, ONE_EFFECT = "four_effects", "one_effect"  # what is shown with a cause


class Wording(Entry):
    """The contents of a file: see the comments in `questions/en.yaml`."""

    option: Text
    text: dict[Metric, Text]
    visual: dict[Metric, Text]
    four_effects: dict[Form, Text]
    one_effect: dict[Form, Text]
    hints: dict[str, Text]

    def as_text(self, metric: Metric, captions: Mapping[str, str]) -> str:
        """The question of a metric after captions (`cause`, `effect`)."""
        return self._of(self.text, "text", metric).format_map(captions)

    def with_images(self, metric: Metric, form: Form, hints: Mapping[str, str] | None) -> str:
        """The question of a metric after images in a form; with descriptions of the images if `hints` are given.

        `hints` are `cause` and `effect`, or `cause` and one for each letter.
        """
        shown = what_is_shown(metric)
        images = self._of(self.four_effects if shown == FOUR_EFFECTS else self.one_effect, shown, form)
        parts = [images, self._of(self.visual, "visual", metric)]
        if hints is not None:
            parts.insert(1, self._of(self.hints, "hints", shown).format_map(hints))
        return "\n".join(parts)

    @staticmethod
    def _of(texts: Mapping[Any, str], section: str, key: str) -> str:
        if key not in texts:
            raise WhatifError(f"questions: {section}.{key}: has no wording; add it to the file of the language")
        return texts[key]


def what_is_shown(metric: Metric) -> str:
    """Whether a cause is shown with four candidates for its effect, or with its effect."""
    return ONE_EFFECT if metric in ("CP", "EXP") else FOUR_EFFECTS


@cache
def wording(language: Language) -> Wording:
    """The wordings in a language. Raises WhatifError, naming the entry, when the file is wrong."""
    return read_named(Wording, resources.files(__package__) / "questions", "wordings of the language", language)


class ItemOptions:
    """The options of an item in the order of the letters, the same for all of its questions.

    An option is named by the id of its pair (C2E, EXP), of its candidate (context), or `cue`, `false cue 1`, ... as
    they are stored (CP).
    """

    def __init__(self, item: Item, style: Style, place: int, seed: int) -> None:
        self._item = item
        self._siblings = {str(row["candidate_id"]): row for row in item.member.images[style].siblings}
        right, others = self._named(style, seed)
        self.names = ordered(right, others, place, seed=seed, item=item.item_id)

    def _named(self, style: Style, seed: int) -> tuple[str, Sequence[str]]:
        item = self._item
        if item.metric == "CP":
            return RIGHT_CUE, FALSE_CUES
        if item.metric == CONTEXT:
            effect = item.member.images[style].effect
            rejected = sorted(sample(seed, f"siblings of {item.item_id}", self._siblings, MEMBERS - 1))
            self._siblings[str(effect["candidate_id"])] = effect
            return str(effect["candidate_id"]), rejected
        return item.member.pair_id, [one.pair_id for one in item.group if one is not item.member]

    def texts(self) -> list[str]:
        """The options of C2E as text, CP and EXP."""
        item = self._item
        if item.metric == "CP":
            cues = dict(zip((RIGHT_CUE, *FALSE_CUES), cues_of(item.member), strict=True))
            return [cues[name] for name in self.names]
        column = "effect_caption" if item.metric == "C2E" else "explanation"
        by_pair = {one.pair_id: str(one.pair[column]) for one in item.group}
        return [by_pair[name] for name in self.names]

    def effects(self, style: Style) -> list[Row]:
        """The candidates shown as effects: four options (C2E, context), or the effect of the pair (CP, EXP)."""
        if self._item.metric == CONTEXT:
            return [self._siblings[name] for name in self.names]
        if self._item.metric == "C2E":
            by_pair = {one.pair_id: one.images[style].effect for one in self._item.group}
            return [by_pair[name] for name in self.names]
        return [self._item.member.images[style].effect]

    def hints(self) -> dict[str, str]:
        """The descriptions of the images: of the cause, and of its effect or of the four candidates by letter."""
        own = self._item.member.description
        assert own is not None
        found = {"cause": str(own["cause_description"]), "effect": str(own["effect_description"])}
        if self._item.metric == "C2E":
            described = {one.pair_id: one.description for one in self._item.group}
            for letter, name in zip(LETTERS_OF_OPTIONS, self.names, strict=True):
                one = described[name]
                assert one is not None
                found[letter] = str(one["effect_description"])
        return found


def question_row(item: Item, asked: Asked, options: ItemOptions, place: int, canvases: Canvases) -> dict[str, Any]:
    """The row of `questions` of an item as it is asked once; canvases that it needs are drawn.

    `provenance` has `options` (the name of each option, see `ItemOptions`); for visual forms also `candidates`
    (`cause`, and `effects` in the order of the letters), `image_labels` (for models that need one composite; null for
    one image) and `label_height` (in pixels at the model's input side; null where no label is drawn).
    """
    words, pair = wording(asked.language), item.member.pair
    captions = {"cause": str(pair["cause_caption"]), "effect": str(pair["effect_caption"])}
    image_ids: tuple[str, ...] = ()
    provenance: dict[str, Any] = {"options": options.names}
    if asked.style is None:
        text = words.as_text(item.metric, captions)
    else:
        text = words.with_images(item.metric, asked.form, options.hints() if asked.hints else None)
        arranged, shown = _arranged(item, asked.form, asked.style, options, canvases)
        image_ids = arranged.image_ids
        provenance |= {
            "candidates": shown,
            "image_labels": None if arranged.labels is None else list(arranged.labels),
            "label_height": None if arranged.label_height is None else round(arranged.label_height, 2),
        }
    as_images = asked.form != TEXT and what_is_shown(item.metric) == FOUR_EFFECTS
    return {
        "question_id": item.question_id(asked),
        "pair_id": item.member.pair_id,
        "group": item.metric,
        "variant": asked.variant,
        "question": text,
        "choices": [words.option.format(letter=letter) for letter in LETTERS_OF_OPTIONS]
        if as_images
        else options.texts(),
        "answer": LETTERS_OF_OPTIONS[place],
        "answer_kind": "choice",
        "image_ids": list(image_ids),
        "provenance": canonical_json(provenance),
    }


def item_row(item: Item, asked: Asked, options: ItemOptions, split: str) -> dict[str, Any]:
    """The row of `causal-items` of the same question. Images of several generators have all of their names."""
    generators: set[str] = set()
    if asked.style is not None:
        shown = [item.member.images[asked.style].cause, *options.effects(asked.style)]
        generators = {str(row["generator"]) for row in shown}
    return {
        "question_id": item.question_id(asked),
        "pair_id": item.member.pair_id,
        "group_id": item.member.group_id,
        "category": item.member.pair["category"],
        "metric": item.metric,
        "form": asked.form,
        "style": asked.style,
        "mixture": asked.mixture,
        "hints": asked.hints,
        "language": asked.language,
        "generator": ", ".join(sorted(generators)) or None,
        "split": split,
    }


def _arranged(
    item: Item, form: Any, style: Style, options: ItemOptions, canvases: Canvases
) -> tuple[Arranged, dict[str, Any]]:
    cause, effects = item.member.images[style].cause, options.effects(style)
    arranged = canvases.arranged(form, str(cause["image_id"]), [str(row["image_id"]) for row in effects])
    shown = {"cause": str(cause["candidate_id"]), "effects": [str(row["candidate_id"]) for row in effects]}
    return arranged, shown
