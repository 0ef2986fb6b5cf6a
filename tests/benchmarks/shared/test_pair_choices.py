"""What a matcher finds in a pair."""

from __future__ import annotations

from whatif.benchmarks.shared.pair_choices import found

SCORES = {
    "caption_0_image_0": 3.0,
    "caption_0_image_1": 1.0,
    "caption_1_image_0": 2.5,
    "caption_1_image_1": 2.0,
}


def test_what_is_scored_higher_is_found() -> None:
    assert found({**SCORES, "status": "ok"}) == {
        "image_retrieval": True,
        "image_retrieval_counterfactual": False,
        "text_retrieval": True,
        "text_retrieval_counterfactual": True,
        "pair": False,
    }


def test_a_tie_and_an_error_find_nothing() -> None:
    assert not any(found({**dict.fromkeys(SCORES, 1.0), "status": "ok"}).values())
    assert not any(found({**dict.fromkeys(SCORES), "status": "error"}).values())
