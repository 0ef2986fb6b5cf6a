"""What items of COCO-Counterfactuals show beside scores: labels, errors by category, pairs drawn twice; and views."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from whatif.benchmarks.coco_counterfactuals.pair_views import NOT_LABELLED, Labelled, Shown, known_of_pairs
from whatif.benchmarks.shared.caption_items import KnownOfPairs
from whatif.engine.params.resolution import Resolution
from whatif.people.error_categories import ANNOTATION, CATEGORIES, HYPONYMY, OBJECT
from whatif.people.resolution import MAJORITY
from whatif.results.reporting.items import ItemPicture, ItemView

TWO = Shown(2, 2)
DECISIONS = ("caption_1", "caption_0", "both", "neither", "undecided")
WORDS = ("the counterfactual caption", "the original caption", "both captions", "neither caption", "no decision")


def pair(number: int, **other: Any) -> dict[str, Any]:
    return {
        "pair_id": f"p{number}",
        "caption_0": f"A man {number}.",
        "caption_1": f"A boy {number}.",
        "subject_0": "man",
        "subject_1": "boy",
        "image_id_0": f"i{number}-0",
        "image_id_1": f"i{number}-1",
        **other,
    }


def error(item: str, category: str, decision: str = "neither") -> dict[str, str]:
    return {"item_id": item, "reason": category, "detail": decision}


def judged(item: str, annotator: str, decision: str) -> dict[str, Any]:
    named = {"item_id": item, "annotator": annotator, "decision": decision}
    return {**named, "corrected": "{}", "comment": "", "time": None, "seconds": None}


def known(
    pairs: Sequence[dict[str, Any]],
    *,
    errors: Sequence[dict[str, str]] = (),
    judgements: Sequence[dict[str, Any]] = (),
    by: tuple[str | None, str | None] = ("people", "people"),
    shown: Shown = TWO,
    drawn_alone: Sequence[dict[str, Any]] = (),
    rule: Resolution = MAJORITY,
) -> tuple[KnownOfPairs, dict[str, ItemView]]:
    labels = Labelled(judgements, rule, errors, *by)
    made, views = known_of_pairs(
        pairs, labels, shown, photographs={"p1": "photograph"}, drawn_alone=drawn_alone, ranks={}
    )
    return made, {view.name: view for view in views}


def members(made: KnownOfPairs, view: str) -> list[str]:
    return [pair_id for pair_id in sorted(made.views) if view in made.views[pair_id]]


def test_a_view_for_each_category_most_frequent_first_and_the_unsorted_last() -> None:
    pairs = [pair(number) for number in range(4)]
    errors = [
        error("p0-0", ""),
        error("p1-0", HYPONYMY),
        error("p2-0", OBJECT),
        error("p3-1", ANNOTATION),
        error("p2-1", ANNOTATION),
        error("p3-0", ANNOTATION),
    ]
    made, views = known(pairs, errors=errors)
    assert [view.heading for view in views.values()] == [
        "Counterfactual pairs (Figure 1)",
        *(ANNOTATION, OBJECT, HYPONYMY, "Errors without a category"),
    ]
    of_people, of_objects, of_kinds, rest = list(views)[1:]
    found = [members(made, name) for name in (of_people, of_objects, of_kinds, rest)]
    assert found == [["p2", "p3"], ["p2"], ["p1"], ["p0"]]
    assert "2 of the 3 errors of this category in the sample of 6" in views[of_people].text
    assert "Tables 8 and 9" in views[of_people].text
    assert "so both captions are valid" in views[of_kinds].text
    assert views[rest].text == "1 of the 1 errors without a category in the sample of 6."
    assert list(known(pairs, errors=errors, shown=Shown(2, 0))[1]) == ["figure-1"]
    assert list(known(pairs)[1]) == ["figure-1"]


def test_every_category_has_a_name_of_its_own_for_links() -> None:
    errors = [error(f"p{place}-0", category) for place, category in enumerate(CATEGORIES)]
    _, views = known([pair(number) for number in range(len(CATEGORIES))], errors=errors)
    assert [view.heading for view in views.values()][1:] == list(CATEGORIES)
    assert len(views) == 1 + len(CATEGORIES)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name) for name in views)


def test_an_error_has_its_subject_the_decision_of_the_labels_and_its_category() -> None:
    for decision, words in zip(DECISIONS, WORDS, strict=True):
        made, _ = known([pair(0)], errors=[error("p0-1", OBJECT, decision)])
        assert made.notes["p0"] == [
            f"The counterfactual image is an error. Its subject: boy. Decision of the labels: {words}. Category: "
            f"{OBJECT}."
        ]
    made, _ = known([pair(0)], errors=[error("p0-0", "")])
    (note,) = made.notes["p0"]
    assert note.startswith("The original image is an error. Its subject: man.") and note.endswith("Category: none.")


def test_an_image_shows_what_each_annotator_said_and_the_decision() -> None:
    judgements = [
        judged("p0-0", "7", "caption_0"),
        *(judged("p0-1", who, one) for who, one in (("7", "caption_1"), ("8", "neither"), ("9", "caption_1"))),
        judged("p1-0", "7", "both"),
        judged("p1-1", "7", "caption_1"),
        judged("p2-0", "7", "caption_0"),
    ]
    made, views = known([pair(number) for number in range(4)], judgements=judgements)
    assert made.notes["p0"] == [
        "Labels of the original image: 7: the original caption. Decision: the original caption.",
        "Labels of the counterfactual image: 7: the counterfactual caption, 8: neither caption, 9: the counterfactual "
        "caption. Decision: the counterfactual caption.",
    ]
    assert [made.groups[f"p{number}"] for number in range(4)] == [
        "both images labelled as correct",
        "one image labelled as correct",
        NOT_LABELLED,
        NOT_LABELLED,
    ]
    assert members(made, "figure-4") == ["p0", "p1"]
    assert "automatic" not in views["figure-4"].text
    # Of an image with only a final decision, the rule `first` makes none.
    final = [judged("p0-0", "adjudicated", "caption_0")]
    made, _ = known([pair(0)], judgements=final, rule=Resolution(rule="first"))
    assert made.notes["p0"] == [
        "Labels of the original image: adjudicated: the original caption. Decision: none by this rule."
    ]


def test_what_no_person_made_is_said() -> None:
    errors = [error("p0-0", OBJECT), error("p0-1", "")]
    judgements = [judged("p0-0", "automatic:recogniser", "neither")]
    for by, said in (
        (("automatic", "automatic"), ("Labels and categories are automatic, not by people.", "Labels are automatic, ")),
        (("automatic", "people"), ("Labels are automatic, not by people.", "Labels are automatic, not by people.")),
        (("people", "automatic"), ("Categories are automatic, not by people.", "sample of 2.")),
    ):
        made, views = known([pair(0)], errors=errors, judgements=judgements, by=by)
        texts = [view.text for view in list(views.values())[1:]]
        assert [words in text for words, text in zip(said, texts, strict=True)] == [True, True]
        assert ("Labels are automatic, not by people." in made.notes["p0"]) == (by[0] == "automatic")
    assert not any("automatic" in view.text for view in known([pair(0)], errors=errors)[1].values())


def test_pairs_drawn_without_sharing_have_these_images_too() -> None:
    how = {"guidance": 7.5, "seed": 12, "candidate": 3}
    shared = pair(0, image_image=0.91, p=0.62, **how)
    alone = {**shared, "image_id_0": "a0", "image_id_1": "a1", "image_image": 0.4321, "p": 0.0}
    made, views = known([shared, pair(1)], drawn_alone=[alone])
    assert list(views) == ["figure-1", "figure-2"] and members(made, "figure-2") == ["p0"]
    assert made.pictures["p0"] == [
        ItemPicture("a0", "Without Prompt-to-Prompt: A man 0."),
        ItemPicture("a1", "Without Prompt-to-Prompt: A boy 0."),
    ]
    assert made.notes["p0"] == [
        "CLIP similarity of the two images: 0.910 with Prompt-to-Prompt (p 0.62), 0.432 without. Guidance 7.5, seed 12."
    ]
    assert made.pictures["p1"] == [ItemPicture("photograph", "Photograph that the original caption was written for")]


def test_examples_are_evenly_spaced_over_all_pairs() -> None:
    made, _ = known([pair(number) for number in range(9)], shown=Shown(3, 0))
    assert members(made, "figure-1") == ["p1", "p4", "p7"]
