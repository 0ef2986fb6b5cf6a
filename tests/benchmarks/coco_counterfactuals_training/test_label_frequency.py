"""The label frequency of Table 6: the published rule gives the printed numbers, ours counts each pair once."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest

from tests.released_captions import needs_released_captions, released_captions
from whatif.benchmarks.coco_counterfactuals_training.label_frequency import Rule, label_frequency
from whatif.formats.caption_difference import difference

pytestmark = pytest.mark.slow

PRINTED = {"cifar100": 3446, "caltech101": 354, "caltech256": 744, "cifar10": 398, "imagenet": 887, "food101": 28}
# By our rule, with the subjects that the importer of the released pairs finds.
OURS = {"cifar100": 5797, "caltech101": 976, "caltech256": 2504, "cifar10": 933, "imagenet": 2717, "food101": 221}


def pair(caption_0: str, caption_1: str, *subjects: str) -> dict[str, str]:
    """The columns of a pair; without subjects, those by which its captions differ."""
    if not subjects:
        found = difference(caption_0, caption_1)
        assert found is not None
        subjects = found.subjects
    return {"caption_0": caption_0, "caption_1": caption_1, "subject_0": subjects[0], "subject_1": subjects[1]}


DOG = pair("A cat on a sofa", "A dog on a sofa")
TRUCK = pair("A pickup car in snow", "A pickup truck in snow")


@pytest.mark.parametrize(
    ("row", "names", "published", "ours"),
    [
        (DOG, ["dog"], 1, 1),
        (DOG, ["Dogs"], 1, 1),  # stems are compared, in lower case
        (DOG, ["cat"], 0, 1),  # only the counterfactual's word is looked up by the published rule
        (DOG, ["dog", "dogs"], 2, 1),  # the published numbers are summed over the names
        (DOG, ["cat", "dog"], 1, 1),
        (DOG, ["sofa", "on", ""], 0, 0),
        (TRUCK, ["pickup_truck"], 0, 1),
        (TRUCK, ["Pickup Trucks"], 0, 1),
        (TRUCK, ["001.truck-101"], 0, 1),
        (TRUCK, ["tow truck, trucks, lorry"], 0, 1),
        (TRUCK, ["tow_truck", "snow_truck", "pickup", "in snow"], 0, 0),
        (pair("A dog", "A dog bed", "dog", "dog bed"), ["dog bed", "bed"], 1, 1),  # `bed` by the published rule
        # A published subject is also a word that only differs by its case, or the original's at the last place.
        (pair("dog by A cup", "dog by a cup cup", "A", "a"), ["a"], 1, 1),
        (pair("bus dog cat", "cat bus", "bus", "dog"), ["dog"], 1, 1),
        (pair("bus", "bus bus", "bus", "bus"), ["dog", ""], 0, 0),  # no subject, and no name
        # The word is stemmed twice and the name once: `houses`, `hous`, `hou`, and `house`, `hous`.
        (pair("A cat", "A houses", "cat", "houses"), ["house"], 0, 1),
        (pair("A cat", "A houses", "cat", "houses"), ["hou"], 1, 0),
        # Only the altered words of a subject of several words count.
        (pair("They'll pay for gas", "They will pay for food"), ["pay"], 0, 0),
        (pair("They'll pay for gas", "They will pay for food"), ["food"], 0, 1),
    ],
)
def test_a_label_counts_by_either_rule(row: dict[str, str], names: list[str], published: int, ours: int) -> None:
    assert label_frequency([row], names, "published") == published
    assert label_frequency([row], names, "ours") == ours


def test_another_rule_is_an_error() -> None:
    with pytest.raises(ValueError, match="'other': is unknown; use one of published, ours"):
        label_frequency([DOG], ["dog"], cast(Rule, "other"))


def names_of(data_set: str) -> list[str]:
    """The class names of a data set of Table 4."""
    file = Path(os.environ["WHATIF_DATA"]) / "coco-counterfactuals" / "classes" / f"{data_set}.txt"
    return file.read_text(encoding="utf-8").splitlines()


@needs_released_captions
def test_the_printed_frequencies_follow_from_the_published_rule() -> None:
    rows: list[dict[str, Any]] = [dict(row) for row in released_captions()]
    assert {name: label_frequency(rows, names_of(name), "published") for name in PRINTED} == PRINTED


@needs_released_captions
def test_by_our_rule_each_released_pair_counts_once() -> None:
    rows = [pair(row["caption_0"], row["caption_1"]) for row in released_captions()]
    assert {name: label_frequency(rows, names_of(name), "ours") for name in PRINTED} == OURS
