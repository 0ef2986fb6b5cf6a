"""Which replacements make a counterfactual caption: one noun in the same place, the rest unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from whatif.benchmarks.coco_counterfactuals.schemas import CAPTION_CANDIDATES
from whatif.engine.language.noun_swap import Filled, Replacement, caption_candidates, swapped
from whatif.engine.language.tagging import Noun, Tagged, tagger
from whatif.formats.caption_sets import SourceCaption, caption_rows


def tag(text: str) -> Tagged:
    """Every word of three letters is a noun, also with a hyphenated suffix."""
    return [(word, "NN" if len(word) == 3 else "VB") for word in text.replace("-", " - ").split()]


class Fills:
    """Proposes the same words for every noun; a caption that begins with `long` is too long."""

    def __init__(self, *words: str | tuple[str, bool]) -> None:
        told = [(word, True) if isinstance(word, str) else word for word in words]
        self.found = [Replacement(word, whole, 0.5 / (rank + 1)) for rank, (word, whole) in enumerate(told)]

    def replacements(self, captions: Iterable[tuple[str, Sequence[Noun]]], top: int) -> Iterator[Filled]:
        for caption, found in captions:
            if caption.startswith("long"):
                yield Filled([], "70 tokens; it takes 64")
            else:
                yield Filled([self.found[:top] for _ in found])


def candidates(caption: str, *words: str | tuple[str, bool], top: int = 10) -> list[dict[str, Any]]:
    rows = caption_rows([SourceCaption("x", caption, None)], tag, "by hand", {})
    ((found, rejection),) = caption_candidates(rows, Fills(*words), tag, top)
    assert rejection is None
    return found


def statuses(caption: str, *words: str | tuple[str, bool]) -> list[str]:
    return [row["status"] for row in candidates(caption, *words)]


def test_every_replacement_of_every_noun_is_a_row() -> None:
    rows = candidates("fast dog chased by slow cat", "cow", "pig")
    assert [(row["place"], row["rank"], row["subject_0"], row["caption_1"]) for row in rows] == [
        (0, 0, "dog", "fast cow chased by slow cat"),
        (0, 1, "dog", "fast pig chased by slow cat"),
        (1, 0, "cat", "fast dog chased by slow cow"),
        (1, 1, "cat", "fast dog chased by slow pig"),
    ]
    assert {row["caption_0"] for row in rows} == {"fast dog chased by slow cat"}
    assert [row["probability"] for row in rows] == [0.5, 0.25, 0.5, 0.25]
    assert pa.Table.from_pylist(rows, schema=CAPTION_CANDIDATES.schema).num_rows == 4
    assert len(candidates("a dog", "cow", "pig", "hen", top=2)) == 2


def test_what_is_no_counterfactual_says_why() -> None:
    told = ("Dog", ("ish", False), "runs", "c4t", "", "猫", "cow", "COW", "co-w", "<s>")
    assert statuses("a dog", *told) == [
        *("same word", "not a word", "not a noun", "not a word", "not a word", "not a word", "ok", "repeated"),
        *("not a word", "not a word"),
    ]


def test_a_replacement_that_changes_the_number_of_words_is_no_noun() -> None:
    def splits(text: str) -> Tagged:
        return [(word, "NN") for word in text.replace("cannot", "can not").split()]

    rows = caption_rows([SourceCaption("x", "a dog", None)], splits, "by hand", {})
    ((found, _),) = caption_candidates(rows, Fills("cannot", "tin"), splits)
    assert [row["status"] for row in found if row["place"] == 1] == ["not a noun", "ok"]


def test_articles_stay_and_the_first_word_keeps_its_capital() -> None:
    assert swapped("a dog and an owl", Noun(13, 16, "owl"), "hen") == "a dog and an hen"
    assert [row["caption_1"] for row in candidates("Dog eats", "cat", "Cow")] == ["Cat eats", "Cow eats"]
    assert [row["subject_1"] for row in candidates("Dog eats", "cat")] == ["Cat"]
    assert [row["subject_1"] for row in candidates("dog eats", "cat")] == ["cat"]
    assert [row["status"] for row in candidates("Dog eats", "Cow", "cow")] == ["ok", "repeated"]


def test_a_caption_without_nouns_has_no_candidates_and_a_long_one_is_a_rejection() -> None:
    captions = [SourceCaption("a", "running fast", None), SourceCaption("b", "long dog", None)]
    rows = caption_rows(captions, tag, "by hand", {})
    assert list(caption_candidates(rows, Fills("cat"), tag)) == [
        ([], None),
        ([], {"item_id": "b", "reason": "caption too long", "detail": "70 tokens; it takes 64"}),
    ]


def test_with_the_offline_tagger_verbs_are_refused() -> None:
    real = tagger("pattern")
    rows = caption_rows([SourceCaption("x", "A dog sits on a bed.", None)], real, "pattern", {})
    ((found, _),) = caption_candidates(rows, Fills("cat", "is", "very"), real)
    assert [(row["subject_0"], row["subject_1"], row["status"]) for row in found if row["place"] == 0] == [
        ("dog", "cat", "ok"),
        ("dog", "is", "not a noun"),
        ("dog", "very", "not a noun"),
    ]
