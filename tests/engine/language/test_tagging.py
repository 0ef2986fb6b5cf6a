"""Nouns are located correctly even if a tagger rewrites quotation marks and contractions."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path

import pytest
from nltk.tokenize import TreebankWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktTrainer

from tests.released_captions import needs_released_captions
from whatif.engine.errors import WhatifError
from whatif.engine.language.tagging import Noun, Tagged, installed_tagger, located, nouns, sentences, tagger


def test_the_offline_tagger_finds_nouns_and_their_places() -> None:
    caption = 'A man\'s dog sees the "cat" (on a t-shirt).'
    found = nouns(caption, tagger("pattern"))
    assert [noun.noun for noun in found][:3] == ["man", "dog", "cat"]
    assert all(caption[noun.start : noun.end] == noun.noun for noun in found)


def test_words_that_a_tokeniser_rewrote_are_found_again() -> None:
    caption = 'The "dog" isn\'t a cat, a  bird'
    treebank: Tagged = [
        ("The", "DT"),
        ("``", "``"),
        ("dog", "NN"),
        ("''", "''"),
        ("is", "VBZ"),
        ("n't", "RB"),
        ("a", "DT"),
        ("cat", "NN"),
        (",", ","),
        ("a", "DT"),
        ("bird", "NNS"),
    ]
    found = nouns(caption, lambda _: treebank)
    assert found == [Noun(5, 8, "dog"), Noun(18, 21, "cat"), Noun(26, 30, "bird")]
    assert len(list(located(caption, treebank))) == len(treebank)


def test_a_word_that_is_nowhere_moves_nothing() -> None:
    tagged = [("catalogue", "NN"), ("dog", "NN"), ("cat", "NN"), ("", "NN")]
    assert nouns("a dog & cats cat", lambda _: tagged) == [Noun(2, 5, "dog"), Noun(13, 16, "cat")]


def test_the_second_of_two_equal_words_is_another_one() -> None:
    found = nouns("a dog, a dog", lambda _: [("dog", "NN"), ("dog", "NN")])
    assert [noun.start for noun in found] == [2, 9]


@pytest.mark.parametrize("word", ["and/or", "N.Y.", "’", "5pm", "猫", "-", "%"])
def test_what_is_not_written_with_letters_is_no_noun(word: str) -> None:
    assert nouns(word, lambda text: [(text, "NN")]) == []
    assert nouns("t-shirt café", lambda text: [(one, "NN") for one in text.split()]) == [
        Noun(0, 7, "t-shirt"),
        Noun(8, 12, "café"),
    ]


@pytest.mark.skipif(installed_tagger() != "nltk", reason="needs the data of NLTK's tagger")
def test_the_papers_tagger_finds_nouns_of_several_sentences() -> None:
    assert [noun.noun for noun in nouns("A man sees a dog. A cat sleeps.", tagger("nltk"))] == ["man", "dog", "cat"]


def test_spacy_is_asked_for_by_the_name_of_its_model(tmp_path: Path) -> None:
    if importlib.util.find_spec("spacy") is None:
        with pytest.raises(WhatifError, match="tagger spacy:en_core_web_sm: spaCy is not installed"):
            tagger("spacy:en_core_web_sm")
        return
    import spacy  # type: ignore[import-not-found, unused-ignore]

    with pytest.raises(WhatifError, match="tagger spacy:nowhere: cannot be loaded"):
        tagger("spacy:nowhere")
    built = spacy.blank("en")
    rules = built.add_pipe("attribute_ruler")
    rules.add(patterns=[[{"LOWER": {"IN": ["dog", "cat"]}}]], attrs={"TAG": "NN"})
    built.to_disk(tmp_path)
    assert nouns('A "dog"  and a cat.', tagger(f"spacy:{tmp_path}")) == [Noun(3, 6, "dog"), Noun(15, 18, "cat")]


def test_a_name_without_a_model_is_refused() -> None:
    with pytest.raises(WhatifError, match="is unknown; choose one of nltk, pattern, and spacy:MODEL"):
        tagger("spacy:")


def test_a_sentence_ends_at_a_mark_before_white_space() -> None:
    assert sentences("A cat. A dog! Why?  Because ... it is.") == ["A cat.", "A dog!", "Why?", "Because ...", "it is."]
    assert sentences("A sign for St. James, 3.5 m (U.S.).") == ["A sign for St.", "James, 3.5 m (U.S.)."]
    assert sentences(" A cat. ") == [" A cat. "]


@pytest.fixture(scope="module")
def captions() -> list[str]:
    """All captions of MS-COCO's validation split of 2017, in the order of their ids."""
    file = Path(os.environ["WHATIF_DATA"]) / "coco" / "captions_val2017.json"
    annotations = json.loads(file.read_text(encoding="utf-8"))["annotations"]
    return [one["caption"] for one in sorted(annotations, key=lambda one: one["id"])]


def differing(captions: list[str], punkt: PunktSentenceTokenizer) -> list[str]:
    """The captions that punkt divides in another way, each of which also has other words."""
    words = TreebankWordTokenizer().tokenize
    found = []
    for caption in captions:
        ours = [one.strip() for one in sentences(caption)]
        theirs = [one.strip() for one in punkt.tokenize(caption)]
        if ours != theirs:
            assert [word for one in ours for word in words(one)] != [word for one in theirs for word in words(one)]
            found.append(caption.strip())
    return found


@pytest.mark.soak
@needs_released_captions
def test_punkt_trained_on_the_captions_divides_ten_of_25014_in_another_way(captions: list[str]) -> None:
    assert len(captions) == 25_014
    assert sum(len(sentences(caption.strip())) > 1 for caption in captions) == 30
    trainer = PunktTrainer()
    for caption in captions:
        trainer.train(f"{caption}\n", finalize=False)
    trainer.finalize_training()
    learned: PunktParameters = trainer.get_params()
    assert sorted(learned.abbrev_types) == ["fox", "ft", "k", "ky", "rd", "t.v", "u.s"]
    found = differing(captions, PunktSentenceTokenizer(learned))
    assert len(found) == 10
    assert sum(name in caption.casefold() for caption in found for name in ("t.v. ", "u.s. ", "ft. ")) == 7
    assert "A piece of pizza sitting on a plate while a t.v. is on." in found
    assert "Three men from in a Ft. Spokane baseball team uniform." in found
    assert "A dog sitting on top of stairs.] with a red bow tie." in found, "a mark before a bracket ends it in punkt"


@needs_released_captions
def test_untrained_punkt_divides_five_in_another_way(captions: list[str]) -> None:
    found = differing(captions, PunktSentenceTokenizer())
    assert len(found) == 5
    assert "this is a street sign for W. Centre st." in found, "a single letter is an initial in punkt"
