"""Our division into sentences beside NLTK's punkt: the algorithm, untrained and trained on COCO's own captions.

NLTK's English model, which the authors' `word_tokenize` uses, is a download and is not compared.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from nltk.tokenize import TreebankWordTokenizer
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktTrainer

from tests.released_captions import needs_released_captions
from whatif.language.tagging import sentences


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


@pytest.mark.slow
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
