"""Type-token ratios and the most frequent nouns and verbs of each set (C-VQA supplement E)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whatif.benchmarks.cvqa_real.report import RealResults
from whatif.benchmarks.cvqa_real.schemas import VARIANTS
from whatif.engine.language.tagging import tagger
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.table import Column, View

_MOST_FREQUENT = 10  # number of words of a class that are shown
_CLASS = {"set": "Set", "variant": "Variant", "class": "Class"}


def _rows(found: RealResults) -> Iterator[dict[str, Any]]:
    from whatif.benchmarks.cvqa_real.words import word_classes

    tag = tagger("pattern")  # the same tagger on every machine, regardless of the installed packages
    for of_set, questions in found.sets.items():
        for variant in VARIANTS:
            texts = [str(row["question"]) for row in questions if row["variant"] == variant]
            for name, words in word_classes(texts, tag).items():
                of_class = {"set": of_set, "variant": variant, "class": name}
                values = {"words": words.tokens, "different": words.types, "type-token ratio": words.type_token_ratio}
                yield from ({**of_class, "measure": measure, "value": value} for measure, value in values.items())
                for word, number in words.top[:_MOST_FREQUENT]:
                    yield {**of_class, "measure": "frequency", "word": word, "value": number}


TABLE: Declared[RealResults] = Declared(
    position=75,
    title="Words",
    identity=("set", "variant", "class", "measure", "word"),
    numbers=("value",),
    rows=_rows,
    views=lambda found: (
        View(
            "Nouns and verbs as TextBlob's pattern tagger finds them (C-VQA supplement E, which names no tagger).",
            _CLASS,
            (
                Column("Words", "words", write=count),
                Column("Different", "different", write=count),
                Column("Type-token ratio", "type-token ratio", write=decimal(4)),
            ),
            "The ratio falls with the number of words, so only sets of similar size can be compared.",
        ),
        View(
            "The most frequent nouns and verbs.",
            {**_CLASS, "word": "Word"},
            (Column("Number", "frequency", write=count),),
        ),
    ),
)
