"""Counterfactual pairs as items: what a matcher scores higher is what it is shown to choose, and why."""

from __future__ import annotations

from typing import Any

from whatif.benchmarks.shared.caption_items import KnownOfPairs, pair_items, ranks_shown
from whatif.results.reporting.items import Item, ItemAnswer, ItemPicture

PAIR = {
    **{f"{column}_{side}": f"{column} {side}" for column in ("caption", "subject", "image_id") for side in (0, 1)},
    "pair_id": "p",
    **{"p": 0.625, "guidance": 7.5, "seed": 12, "directional": 0.25},
    **{"caption_image_0": 0.3, "caption_image_1": 0.31, "image_image": 0.9},
}
ELSEWHERE = {**PAIR, **dict.fromkeys(("directional", "caption_image_0", "caption_image_1", "image_image"))}
IMAGES = ["the original image", "the counterfactual image"]
CAPTIONS = ["caption 0", "caption 1"]


def match(**changes: Any) -> dict[str, Any]:
    scores = {f"caption_{caption}_image_{image}": float(caption == image) for caption in (0, 1) for image in (0, 1)}
    return {"pair_id": "p", "model": "m", "status": "ok", "reason": None, **scores, **changes}


def item(*rows: dict[str, Any], pair: dict[str, Any] = PAIR, **known: Any) -> Item:
    [made] = pair_items([pair], rows, {"m": "M", "n": "N"}, KnownOfPairs(**known))
    return made


def chosen(row: dict[str, Any]) -> list[tuple[str | None, bool]]:
    return [(answer.answer, answer.correct) for one in item(row).questions for answer in one.answers]


def test_a_pair_has_both_images_with_captions_and_four_questions() -> None:
    made = item(match(model="n"), match())
    assert (made.item_id, made.title) == ("p", "subject 0, and subject 1 instead")
    assert made.pictures == (
        ItemPicture("image_id 0", "caption 0", "original"),
        ItemPicture("image_id 1", "caption 1", "counterfactual"),
    )
    asked = [(one.question_id, one.side, one.text, list(one.choices), one.right) for one in made.questions]
    assert asked == [
        ("p-0-image-retrieval", "original", "Which image fits? caption 0", IMAGES, IMAGES[0]),
        ("p-0-text-retrieval", "original", "Which caption describes the original image better?", CAPTIONS, CAPTIONS[0]),
        ("p-1-image-retrieval", "counterfactual", "Which image fits? caption 1", IMAGES, IMAGES[1]),
        (
            "p-1-text-retrieval",
            "counterfactual",
            "Which caption describes the counterfactual image better?",
            CAPTIONS,
            CAPTIONS[1],
        ),
    ]
    assert [[answer.system for answer in one.answers] for one in made.questions] == [["M", "N"]] * 4


def test_a_tie_is_wrong_and_shown_as_the_other_one() -> None:
    right = [(choices[side], True) for side in (0, 1) for choices in (IMAGES, CAPTIONS)]
    assert chosen(match()) == right
    # Both images are equally like caption 0, and so both captions equally like the second image.
    tied = match(caption_0_image_1=1.0)
    assert chosen(tied) == [(IMAGES[1], False), right[1], right[2], (CAPTIONS[0], False)]
    first, second, *_ = item(tied).questions
    assert first.answers[0].why == "score 1 for the right one, 1 for the other; a tie, which counts as wrong"
    assert second.answers[0].why == "score 1 for the right one, 0 for the other"


def test_each_choice_is_decided_by_its_own_two_scores() -> None:
    # Caption 1 is more like the first image than its own, and all else is right.
    row = match(caption_0_image_0=0.9, caption_0_image_1=0.2, caption_1_image_0=0.8, caption_1_image_1=0.5)
    assert chosen(row) == [(IMAGES[0], True), (CAPTIONS[0], True), (IMAGES[0], False), (CAPTIONS[1], True)]
    whys = [one.answers[0].why for one in item(row).questions]
    assert whys == [f"score {own} for the right one, {other} for the other" for own, other in (
        (0.9, 0.2), (0.9, 0.8), (0.5, 0.8), (0.5, 0.2)
    )]  # fmt: skip


def test_a_pair_that_was_not_scored_has_no_choice_but_the_reason() -> None:
    made = item(match(status="error", reason="picture cannot be decoded"))
    expected = ItemAnswer("M", None, False, "error", "picture cannot be decoded")
    assert [one.answers for one in made.questions] == [(expected,)] * 4
    assert [one.answers for one in item().questions] == [()] * 4


def test_ranks_among_all_pairs_stand_beside_the_scores() -> None:
    about = {"model": "m", "candidates": 1200, "direction": "text-retrieval"}
    ranks = ranks_shown(
        [
            {**about, "subset": "counterfactuals", "query_id": "p-1", "rank": 1003},
            {**about, "subset": "human-evaluated", "query_id": "p-0", "rank": 2},
            {**about, "subset": "counterfactuals", "query_id": "p-0", "rank": None},
        ]
    )
    whys = [one.answers[0].why for one in item(match(), ranks=ranks).questions]
    assert [why.partition("; ")[2] for why in whys] == ["", "", "", "rank 1,003 of 1,200 in retrieval"]


def test_notes_say_how_images_were_made_as_far_as_it_is_known() -> None:
    made = item(notes={"p": ["Further."]}, drawn_by="diffusion", measured_by="clip", group="all", views={"p": ["one"]})
    assert made.notes == (
        "Drawn by diffusion with p 0.62, guidance 7.5 and seed 12. Directional similarity by clip: 0.250.",
        "Similarity by clip: original image and caption 0.300, counterfactual image and caption 0.310, both images "
        "0.900.",
        "Further.",
    )
    assert (made.group, made.views) == ("all", ("one",))
    assert item(groups={"p": "own"}, group="all").group == "own"
    assert item().notes[0].startswith("Drawn with p 0.62")
    assert item(pair=ELSEWHERE, measured_by="clip").notes == ()
