"""Captions in the manner of the release: joined words, masked and accepted kinds of nouns, and the decoded text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from nltk.tokenize import TreebankWordTokenizer

from tests.released_captions import needs_released_captions, released_captions
from whatif.benchmarks.coco_counterfactuals.schemas import CAPTION_CANDIDATES
from whatif.engine.language.noun_swap import Filled, Replacement
from whatif.engine.language.released_swap import decoded, released_candidates
from whatif.engine.language.tagging import Noun, Tagged
from whatif.engine.params.checkpoints import LocalCheckpoint
from whatif.formats.caption_difference import difference

KINDS = {
    "man": "NN",
    "horse": "NN",
    "dog": "NN",
    "cats": "NNS",
    "Rex": "NNP",
    "Alps": "NNPS",
    "runs": "VBZ",
    "cow": "NN",
    "Max": "NNP",
}


def tag(text: str) -> Tagged:
    return [(word, KINDS.get(word, "XX")) for word in re.findall(r"\w+|[^\w\s]+", text)]


class Fills:
    """Proposes the same words for every noun, and remembers what it was asked."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.asked: list[tuple[str, list[str]]] = []

    def replacements(self, captions: Iterable[tuple[str, Sequence[Noun]]], top: int) -> Iterator[Filled]:
        for text, nouns in captions:
            assert all(text[noun.start : noun.end] == noun.noun for noun in nouns)
            self.asked.append((text, [noun.noun for noun in nouns]))
            found = [Replacement(word.strip("#"), not word.startswith("#"), 0.5) for word in self.words][:top]
            yield Filled([], "70 tokens") if text.startswith("long") else Filled([found for _ in nouns])


def candidates(caption: str, model: Fills) -> list[dict[str, Any]]:
    ((rows, rejection),) = released_candidates([{"caption_id": "x", "caption": caption}], model, tag)
    assert rejection is None
    return rows


def test_common_nouns_are_masked_in_the_joined_words_and_the_text_is_decoded() -> None:
    model = Fills("cow")
    rows = candidates("The dog,Rex  and  cats (of the Alps) .", model)
    assert model.asked == [("The dog , Rex and cats ( of the Alps ) .", ["dog", "cats"])]
    assert [(row["place"], row["subject_0"], row["caption_1"]) for row in rows] == [
        (0, "dog", "The cow, Rex and cats ( of the Alps )."),
        (1, "cats", "The dog, Rex and cow ( of the Alps )."),
    ]
    assert {row["caption_0"] for row in rows} == {"The dog,Rex  and  cats (of the Alps) ."}
    assert pa.Table.from_pylist(rows, schema=CAPTION_CANDIDATES.schema).num_rows == 2


def test_proper_nouns_are_accepted_and_other_kinds_are_not() -> None:
    found = candidates("a dog .", Fills("cow", "cats", "Max", "Alps", "runs", "dog", "#cow", "cow", "7"))
    assert [row["status"] for row in found] == [
        *("ok", "ok", "ok", "not a noun", "not a noun", "same word", "not a word", "repeated", "not a word")
    ]


def test_a_caption_that_is_too_long_is_rejected() -> None:
    captions = [{"caption_id": name, "caption": text} for name, text in (("a", "long dog"), ("b", "a dog"))]
    (none, rejection), (rows, other) = released_candidates(captions, Fills("cow"), tag)
    assert none == [] and rejection == {"item_id": "a", "reason": "caption too long", "detail": "70 tokens"}
    assert len(rows) == 1 and other is None


def test_a_real_masked_language_model_fills_the_joined_words(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from tests.tiny_checkpoints.language import tiny_roberta
    from whatif.models.language.masked import masked_language_model

    model = masked_language_model(LocalCheckpoint(checkpoint=str(tiny_roberta(tmp_path))))
    captions = [{"caption_id": "x", "caption": "A man , on the horse!"}]
    ((rows, _),) = released_candidates(captions, model, tag, 5)
    assert len(rows) == 10 and {row["caption_0"] for row in rows} == {"A man , on the horse!"}
    text = f"A {rows[0]['subject_1']}, on the horse!"
    assert rows[0]["caption_1"] == text


@needs_released_captions
@pytest.mark.parametrize(
    ("step", "counts"),
    [(20, (136, 0, 0)), pytest.param(1, (2_638, 7, 14), marks=pytest.mark.soak)],
    ids=["some", "all"],
)
def test_the_released_captions_are_the_decoded_text(step: int, counts: tuple[int, int, int]) -> None:
    """2,638 are no swap within the original caption; joined and decoded words give all but seven."""
    tokenizer = TreebankWordTokenizer()
    end = re.compile(r"(?<=[.!?])\s+(?=\S)")  # that of `whatif.engine.language.tagging`
    verbatim = made = several = 0
    rows = released_captions()[::step]
    for row in rows:
        before, after = row["caption_0"], row["caption_1"]
        found = difference(before, after)
        assert found is not None
        first, second = found.subjects
        places = re.finditer(re.escape(first), before)
        verbatim += any(f"{before[: at.start()]}{second}{before[at.end() :]}" == after for at in places)
        sentences = end.split(before)
        several += len([sentence for sentence in sentences if sentence.strip()]) > 1
        words = [word for sentence in sentences for word in tokenizer.tokenize(sentence)]
        made += any(
            re.fullmatch(re.escape(text).replace("\0", r"\S+"), after) is not None
            for place in range(len(words))
            if (text := decoded([*words[:place], "\0", *words[place + 1 :]]))[:1] == "\0" or text[0] == after[:1]
        )
    # Only in the several does it matter how captions are split into sentences.
    assert (len(rows) - verbatim, len(rows) - made, several) == counts
