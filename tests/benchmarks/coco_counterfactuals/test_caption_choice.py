"""The counterfactual of a caption is the most fluent candidate that is alike enough and not too alike."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from whatif.benchmarks.coco_counterfactuals.caption_choice import (
    CHOSEN,
    REASONS,
    CaptionChoice,
    ChoiceSettings,
    chosen_captions,
)
from whatif.engine.language.wordnet import Relation

SETTINGS = ChoiceSettings(0.8, 0.91)


def caption(caption_id: str, nouns: int = 1, image_id: str | None = None) -> dict[str, Any]:
    return {
        "caption_id": caption_id,
        "caption": "a man",
        "image_id": image_id,
        "tagger": "pattern",
        "nouns": [{"start": 2, "end": 5, "noun": "man"}] * nouns,
    }


def candidate(caption_id: str, place: int, rank: int, **more: Any) -> dict[str, Any]:
    return {
        "caption_id": caption_id,
        "place": place,
        "rank": rank,
        "caption_0": "a man",
        "caption_1": "a dog",
        "subject_0": "man",
        "subject_1": "dog",
        "status": "ok",
        "similarity": 0.85,
        "perplexity": 10.0,
        **more,
    }


class Kinds:
    def relation(self, original: str, counterfactual: str) -> Relation | None:
        assert original == "man"
        return {"boy": "hyponym", "person": "hypernym"}.get(counterfactual)  # type: ignore[return-value]


def one(rows: list[dict[str, Any]], settings: ChoiceSettings = SETTINGS, taxonomy: Any = None) -> CaptionChoice:
    (choice,) = chosen_captions([caption("a")], rows, settings, taxonomy)
    assert (choice.pair is None) != (choice.rejection is None)
    assert sum(choice.candidates.values()) == len(rows)
    return choice


def test_the_lowest_perplexity_inside_the_bounds_wins() -> None:
    choice = one(
        [
            candidate("a", 0, 0, perplexity=1.0, similarity=0.8),
            candidate("a", 0, 1, perplexity=1.0, similarity=0.91),
            candidate("a", 0, 2, perplexity=9.0, subject_1="owl"),
            candidate("a", 0, 3, perplexity=9.5, similarity=0.8000001),
            candidate("a", 1, 0, perplexity=1.0, status="not a noun", similarity=None),
        ]
    )
    assert choice.pair is not None and choice.pair["subject_1"] == "owl"
    assert choice.candidates == Counter(
        {
            "too unlike the original": 1,
            "too like the original": 1,
            CHOSEN: 1,
            "another candidate was better": 1,
            "not a noun": 1,
        }
    )


def test_in_the_manner_of_the_release_the_upper_bound_is_included() -> None:
    rows = [candidate("a", 0, place, similarity=value) for place, value in enumerate((0.8, 0.91, 0.9100001))]
    assert one(rows).pair is None
    choice = one(rows, ChoiceSettings(0.8, 0.91, includes_high=True))
    assert choice.pair is not None and json.loads(choice.pair["provenance"])["similarity"] == 0.91


def test_ties_go_to_the_first_place_then_the_first_rank() -> None:
    rows = [candidate("a", place, rank, subject_1=f"{place}{rank}") for place in (0, 1) for rank in (0, 1)]
    assert (one(rows).pair or {})["subject_1"] == "00"
    rows[0]["perplexity"] = 11.0
    assert (one(rows).pair or {})["subject_1"] == "01"
    rows[1]["status"], rows[1]["similarity"] = "repeated", None
    assert (one(rows).pair or {})["subject_1"] == "10"


def test_a_pair_has_the_shared_columns_and_its_scores() -> None:
    rows = [candidate("a", 2, 3, similarity=0.875, perplexity=12.5)]
    (choice,) = chosen_captions([caption("a", image_id="f00")], rows, SETTINGS, Kinds())
    assert choice.pair is not None and choice.rejection is None
    assert {name: choice.pair[name] for name in choice.pair if name != "provenance"} == {
        "pair_id": "a",
        "caption_0": "a man",
        "caption_1": "a dog",
        "subject_0": "man",
        "subject_1": "dog",
    }
    assert json.loads(choice.pair["provenance"]) == {
        "similarity": 0.875,
        "perplexity": 12.5,
        "human": True,  # one of both is enough
        "relation": None,
        "image_id": "f00",
        "place": 2,
        "rank": 3,
    }


@pytest.mark.parametrize(("word", "relation"), [("boy", "hyponym"), ("person", "hypernym"), ("dog", None)])
def test_relations_are_flagged_and_dropped_when_asked(word: str, relation: Relation | None) -> None:
    rows = [candidate("a", 0, 0, subject_1=word, perplexity=1.0), candidate("a", 0, 1, subject_1="owl")]
    flagged = one(rows, SETTINGS, Kinds()).pair or {}
    assert flagged["subject_1"] == word and json.loads(flagged["provenance"])["relation"] == relation
    dropped = one(rows, ChoiceSettings(0.8, 0.91, ("hyponym", "hypernym")), Kinds())
    assert (dropped.pair or {})["subject_1"] == ("owl" if relation else word)
    assert dropped.candidates[relation or "no reason"] == (1 if relation else 0)
    unknown = one(rows, ChoiceSettings(0.8, 0.91, ("hyponym", "hypernym")), None).pair or {}
    assert unknown["subject_1"] == word and json.loads(unknown["provenance"])["relation"] is None


def test_every_caption_without_a_counterfactual_has_a_reason() -> None:
    captions = [caption("a", nouns=0), caption("b"), caption("c"), caption("d"), caption("e")]
    rows = [
        candidate("b", 0, 0, status="not a word", similarity=None),
        candidate("b", 0, 1, similarity=0.5),
        candidate("b", 0, 2, status="not a noun", similarity=None),
        candidate("d", 0, 0),
        candidate("e", 0, 0, perplexity=None),
    ]
    choices = list(chosen_captions(captions, rows, SETTINGS, None))
    assert [choice.rejection for choice in choices] == [
        {"item_id": "a", "reason": "no noun", "detail": "the tagger pattern finds none"},
        {
            "item_id": "b",
            "reason": "no candidate left: too unlike the original",
            "detail": "1 not a word, 1 not a noun, 1 too unlike the original",
        },
        {"item_id": "c", "reason": "no candidate", "detail": "no replacement was proposed"},
        None,
        {"item_id": "e", "reason": "no candidate left: no perplexity", "detail": "1 no perplexity"},
    ]
    total = sum((choice.candidates for choice in choices), Counter[str]())
    assert sum(total.values()) == len(rows) and total[CHOSEN] == 1
    assert set(total) <= {*REASONS, CHOSEN}


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="z: candidates of a caption that is missing"):
        list(chosen_captions([caption("a")], [candidate("z", 0, 0)], SETTINGS, None))
    with pytest.raises(ValueError, match="was not measured"):
        one([candidate("a", 0, 0, similarity=None)])
