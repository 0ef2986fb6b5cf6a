"""The nouns and verbs that questions use, and their variety (C-VQA supplement E)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from whatif.engine.language.tagging import Tagger

CLASSES = {"nouns": "NN", "verbs": "VB"}  # name -> first letters of the class's Penn tags


@dataclass(frozen=True)
class WordClass:
    """The words of one class in a set of texts, in lower case."""

    tokens: int
    types: int
    top: tuple[tuple[str, int], ...]  # (word, count), most frequent first, ties in alphabetical order

    @property
    def type_token_ratio(self) -> float:
        """The number of distinct words divided by the number of words; 0 without words."""
        return self.types / self.tokens if self.tokens else 0.0


def word_classes(texts: Iterable[str], tag: Tagger, top: int = 20) -> dict[str, WordClass]:
    """The nouns and verbs of texts, as tagged by `tag`. Words are not lemmatised: `dog` and `dogs` are two types."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in CLASSES}
    for text in texts:
        for word, part in tag(text):
            for name, begins in CLASSES.items():
                if part.startswith(begins):
                    counts[name][word.lower()] += 1
    return {
        name: WordClass(
            tokens=count.total(),
            types=len(count),
            top=tuple(sorted(count.items(), key=lambda item: (-item[1], item[0]))[:top]),
        )
        for name, count in counts.items()
    }
