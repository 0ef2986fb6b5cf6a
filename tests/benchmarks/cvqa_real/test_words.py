"""Nouns and verbs of questions, their type-token ratio and the most frequent ones."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whatif.benchmarks.cvqa_real.words import word_classes
from whatif.engine.errors import WhatifError
from whatif.engine.language.tagging import installed_tagger, tagger
from whatif.formats.c_vqa import read_released


def by_hand(text: str) -> list[tuple[str, str]]:
    tags = {"Dog": "NN", "dog": "NN", "cat": "NNP", "dogs": "NNS", "runs": "VBZ", "ran": "VBD", "red": "JJ"}
    return [(word, tags.get(word, ".")) for word in text.split()]


def test_types_and_tokens_are_counted_by_class_in_lower_case() -> None:
    found = word_classes(["Dog runs .", "dog cat dogs red ran runs"], by_hand)
    assert (found["nouns"].tokens, found["nouns"].types) == (4, 3)
    assert found["nouns"].type_token_ratio == 0.75
    assert found["nouns"].top == (("dog", 2), ("cat", 1), ("dogs", 1))
    assert (found["verbs"].tokens, found["verbs"].types) == (3, 2)
    assert word_classes([], by_hand)["verbs"].type_token_ratio == 0.0
    assert len(word_classes(["dog cat dogs"], by_hand, top=2)["nouns"].top) == 2


def test_the_offline_tagger_knows_common_words() -> None:
    tags = dict(tagger("pattern")("How many dogs would be running if the man was asleep?"))
    assert tags["dogs"].startswith("NN")
    assert tags["man"].startswith("NN")
    assert tags["running"].startswith("VB")
    assert tags["?"] == "."


def test_a_tagger_that_is_not_there_is_named() -> None:
    with pytest.raises(WhatifError, match="tagger brill: is unknown; choose one of nltk, pattern"):
        tagger("brill")
    if installed_tagger() == "pattern":
        with pytest.raises(WhatifError, match="its data are not installed"):
            tagger("nltk")


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_counterfactual_questions_repeat_their_words_more_than_their_originals() -> None:
    rows = read_released(Path(os.environ["WHATIF_DATA"]) / "c-vqa" / "C-VQA-Real_questions.csv")
    tag = tagger("pattern")
    found = {
        variant: word_classes([row["question"] for row in rows if row["variant"] == variant], tag)
        for variant in ("original", "counterfactual")
    }
    # The supplement gives the ratio only in an image; a presupposition names again what the main clause names.
    assert found["counterfactual"]["nouns"].tokens > 1.5 * found["original"]["nouns"].tokens
    assert found["counterfactual"]["nouns"].type_token_ratio < found["original"]["nouns"].type_token_ratio
    assert found["counterfactual"]["nouns"].top[0][0] in {"people", "picture"}
