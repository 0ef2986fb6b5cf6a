"""The wordings of the questions in a language, from the package's files `questions/<language>.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from whatif.benchmarks.mucr.schemas import Form, Language, Metric
from whatif.engine.errors import WhatifError
from whatif.engine.language.named_files import Entry, Text, read_named

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
