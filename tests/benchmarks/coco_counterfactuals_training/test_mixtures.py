"""Training sets are made of pairs, originals and labels, and what no mixture uses is counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.coco_counterfactuals_training.mixing_task import Mixed, Row, judged, original, pair
from tests.released_captions import needs_released_captions, released_captions
from whatif.benchmarks.coco_counterfactuals_training.schemas import MIXTURES, TEST, TRAIN, VALIDATION
from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import Resolution

pytestmark = pytest.mark.slow

# Ten photographs of two captions each; the first caption of each has a pair.
PAIRS = [pair(f"p{number}") for number in range(10)]
ORIGINALS = [
    original(f"{kind}{number}", f"photograph {number}", f"{kind} {number}") for number in range(10) for kind in "pq"
]
JUDGEMENTS = [judged(f"p{number}-{side}", "caption_0") for number in range(10) for side in (0, 1)]
GIVEN: dict[str, list[Row]] = {"pairs": PAIRS, "originals": ORIGINALS, "judgements": JUDGEMENTS}


def test_every_mixture_has_its_samples_with_their_captions_and_images(folder: Path) -> None:
    made = Mixed(folder, GIVEN, mixtures=list(MIXTURES), leak_free=list(MIXTURES))
    counts = Counter((row["mixture"], row["source"]) for row in made.samples if row["division"] == "published")
    assert counts == {
        ("ms-coco", "original"): 10,
        ("base", "original"): 5,
        ("base", "counterfactual"): 6,
        ("medium", "original"): 10,
        ("medium", "counterfactual"): 15,
        ("all", "original"): 10,
        ("all", "counterfactual"): 20,
        ("correct", "original"): 10,
        ("correct", "counterfactual"): 10,  # images 0, whose own caption was chosen
        ("withheld-ms-coco", "original"): 14,
        ("withheld-ms-coco", "counterfactual"): 6,
        ("withheld-counterfactuals", "counterfactual"): 20,
    }
    assert {one for one in made.parts("correct") if one.endswith(("-0", "-1"))} == {f"p{n}-0" for n in range(10)}
    by_id = {row["sample_id"]: row for row in made.samples}
    assert by_id["p3-1"] == {
        **{column: by_id["p3-1"][column] for column in ("mixture", "division", "part")},
        "sample_id": "p3-1",
        "source": "counterfactual",
        "caption": "A dog",
        "image_id": "image of p3-1",
        "photograph": "photograph 3",
    }
    assert (by_id["q3"]["source"], by_id["q3"]["caption"]) == ("original", "q 3")
    assert by_id["q3"]["image_id"] == by_id["q3"]["photograph"] == "photograph 3"
    assert made.unused == []
    for mixture in MIXTURES:
        of = [row for row in made.samples if (row["mixture"], row["division"]) == (mixture, "leak-free")]
        assert len({(row["photograph"], row["part"]) for row in of}) == len({row["photograph"] for row in of}), mixture
    assert made.messages == []


def test_fewer_originals_than_counterfactual_samples_are_reported(folder: Path) -> None:
    given = {"pairs": PAIRS, "originals": ORIGINALS[::2]}
    made = Mixed(folder, given, mixtures=["withheld-ms-coco"], leak_free=["withheld-ms-coco"])
    assert [len(made.parts("withheld-ms-coco", division)) for division in ("published", "leak-free")] == [16, 13]
    assert made.messages == [
        f"verify mix: mixture withheld-ms-coco ({division}): has {number} originals, because there are no more; there "
        "are 14 counterfactual samples for training and validation"
        for division, number in (("published", 10), ("leak-free", 7))
    ]


def test_the_same_seed_gives_the_same_samples(folder: Path) -> None:
    settings: dict[str, Any] = {"mixtures": list(MIXTURES), "leak_free": ["all", "withheld-counterfactuals"]}
    made = [Mixed(folder / str(n), GIVEN, seed=seed, **settings) for n, seed in enumerate((7, 7, 8))]
    assert made[0].samples == made[1].samples != made[2].samples


def test_pairs_of_another_benchmark_are_judged_by_its_rule(folder: Path) -> None:
    judgements = [*(judged(f"p{n}-0", "neither") for n in range(10)), *(judged(f"p{n}-1", "caption_1") for n in (1, 2))]
    judgements += [{**row, "annotator": "bob", "decision": "caption_0"} for row in judgements[:10]]
    given = {"our-pairs": PAIRS, "originals": ORIGINALS, "our-judgements": judgements}
    chosen = {}
    for rule in ("majority", "adjudicated"):
        resolution = Resolution(rule=rule, adjudicator="bob" if rule == "adjudicated" else None)
        made = Mixed(folder, given, pairs="coco-counterfactuals", resolution=resolution, mixtures=["correct"])
        chosen[rule] = {row["sample_id"] for row in made.samples if row["source"] == "counterfactual"}
    assert chosen["majority"] == {"p1-1", "p2-1"}
    assert chosen["adjudicated"] == {f"p{n}-0" for n in range(10)} | {"p1-1", "p2-1"}


def test_what_is_not_used_is_counted_with_its_reason(folder: Path) -> None:
    given = {
        "pairs": [*PAIRS, pair("no original"), pair("no image", images=("", "there")), pair("no photograph")],
        "originals": [*ORIGINALS, original("no photograph", "")],
    }
    made = Mixed(folder, given, mixtures=["all"])
    unpaired = {f"q{number}": "no pair" for number in range(10)}
    assert made.reasons == unpaired | {
        "no original": "no original photograph",
        "no image": "image missing",
        "no photograph": "image missing",
    }
    assert {"no original-0", "no photograph-1"} <= made.parts("all").keys()
    assert not {"no image-0", "no image-1", "no original", "no photograph", "q1"} & made.parts("all").keys()
    assert {row["photograph"] for row in made.samples if row["sample_id"].startswith("no original")} == {"no original"}


def test_pairs_and_photographs_with_the_same_image_stay_together(folder: Path) -> None:
    pairs = [*PAIRS, pair("twin a", images=("same", "a")), pair("twin b", images=("b", "same"))]
    pairs += [pair("shown", images=("photograph 4", "c"))]
    made = Mixed(folder, {"pairs": pairs, "originals": ORIGINALS}, mixtures=["all"])
    photographs = {row["sample_id"]: row["photograph"] for row in made.samples}
    assert photographs["twin a-1"] == photographs["twin b-0"] == "twin a"
    assert photographs["shown-1"] == photographs["p4-0"] == photographs["p4"] == "photograph 4"


@pytest.mark.parametrize(("pairs", "together"), [("coco-counterfactuals-released", True), ("scenes", False)])
def test_ids_of_released_pairs_name_their_photograph(folder: Path, pairs: Any, together: bool) -> None:
    role = "released-pairs" if together else "pairs"
    given = {role: [pair("12_0"), pair("12_3"), *PAIRS], "originals": [*ORIGINALS, original("12_9", "found")]}
    made = Mixed(folder, given, pairs=pairs, mixtures=["withheld-counterfactuals"])
    photographs = {row["sample_id"]: row["photograph"] for row in made.samples}
    assert (photographs["12_0-0"], photographs["12_3-1"]) == (("found", "found") if together else ("12_0", "12_3"))


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        ({**GIVEN, "judgements": []}, {"mixtures": ["correct"]}, "mixture correct: no image of a pair was judged as"),
        (
            {"originals": ORIGINALS},
            {"mixtures": ["all"]},
            "verify mix: there are no pairs; extract.coco-counterfactuals-training.pairs is scenes",
        ),
        (
            {"originals": ORIGINALS},
            {"pairs": "coco-counterfactuals-released", "mixtures": ["all"]},
            "pairs is coco-counterfactuals-released, so add coco-counterfactuals-released to benchmarks, and give it",
        ),
        ({"pairs": PAIRS}, {"mixtures": ["ms-coco"]}, r"mixture ms-coco \(published\): has no train samples; give"),
        (
            {"pairs": PAIRS[:3], "originals": ORIGINALS[:6]},
            {"mixtures": ["withheld-counterfactuals"], "withheld_share": 0.1},
            r"mixture withheld-counterfactuals \(published\): has no test samples; give more pairs, or change",
        ),
        (
            {"pairs": PAIRS, "originals": [*ORIGINALS, original("p3-1", "photograph 3")]},
            {"mixtures": ["all"]},
            "verify mix: original p3-1: has the id of an image of a pair; give it another id",
        ),
    ],
)
def test_sources_that_give_no_mixture_are_an_error(
    folder: Path, given: dict[str, list[Row]], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(WhatifError, match=message):
        Mixed(folder, given, **settings)


@needs_released_captions
def test_the_released_pairs_give_the_printed_sizes_and_no_photograph_of_a_test_pair_is_in_training(
    folder: Path,
) -> None:
    rows = released_captions()
    pairs = [pair(row["id"], (row["caption_0"], row["caption_1"])) for row in rows]
    # Photographs have five captions; captions that have no pair are those of the other numbers.
    numbers = sorted({row["id"].partition("_")[0] for row in rows})
    originals = [original(f"{number}_{k}", f"photograph {number}") for number in numbers for k in range(5)]
    known = {one["caption_id"] for one in originals}
    originals += [
        original(row["id"], f"photograph {row['id'].partition('_')[0]}") for row in rows if row["id"] not in known
    ]
    given = {"released-pairs": pairs, "originals": originals}
    mixtures = ["ms-coco", "base", "medium", "all", "withheld-ms-coco", "withheld-counterfactuals"]
    made = Mixed(folder, given, pairs="coco-counterfactuals-released", mixtures=mixtures, leak_free=mixtures[-1:])
    assert made.unused == []
    train = {mixture: Counter(made.parts(mixture).values())[TRAIN] for mixture in mixtures}
    assert train == dict(zip(mixtures, (13_928, 13_928, 34_820, 41_784, 19_499, 19_499), strict=True))
    parts = made.parts("withheld-counterfactuals", "leak-free")
    assert Counter(parts.values()) == {TRAIN: 19_498, VALIDATION: 4_876, TEST: 10_446}
    places: dict[str, set[str]] = {}
    for sample_id, part in parts.items():
        places.setdefault(part, set()).add(sample_id.partition("_")[0])
    assert not (places[TRAIN] | places[VALIDATION]) & places[TEST]
    assert not places[TRAIN] & places[VALIDATION]
