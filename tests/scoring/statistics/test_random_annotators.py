"""Annotators who label at random are found, and nobody else; the tests are those that they claim to be."""

from __future__ import annotations

import warnings
from itertools import permutations

import numpy as np
import pytest

from tests.scoring.statistics.annotator_simulation import MAIN, NAME, PAGE, found, simulated, table
from tests.test_docs import block
from whatif.engine.random_streams import stream
from whatif.scoring.statistics.label_model import labelled, truth_without
from whatif.scoring.statistics.random_annotators import BETTER, RANDOM, UNCLEAR, Competence, competences

pytestmark = pytest.mark.slow

Labels = dict[str, dict[str, str]]


def some_labels(accuracy: dict[str, float], items: int, shares: tuple[float, ...], seed: int = 1) -> Labels:
    """Everybody labels all items; an accuracy of 0 stands for uniformly random labels."""
    generator = stream(seed, "labels")
    made: Labels = {}
    for item, truth in enumerate(generator.choice(len(shares), size=items, p=shares)):
        made[f"i{item:04d}"] = {
            name: "abcd"[truth if generator.random() < right else generator.integers(len(shares))]
            for name, right in accuracy.items()
        }
    return made


def test_exactly_the_random_ones_of_twenty_annotators_are_found() -> None:
    assert found(MAIN, repetitions=20).exactly >= 0.95


@pytest.mark.soak
def test_exactly_the_random_ones_are_found_in_95_of_100_sets() -> None:
    made = found(MAIN)
    assert made.exactly >= 0.95
    assert made.others <= 0.05
    assert made.better <= 0.01


@pytest.mark.soak
def test_the_simulation_is_as_on_the_page() -> None:
    """But for two sets of 200: a verdict near its limit may be another one on another processor."""
    on_page, made = block(PAGE.read_text(encoding="utf-8"), NAME), table().split("\n")
    assert on_page[:2] == made[:2] and len(on_page) == len(made)
    for line, made_line in zip(on_page[2:], made[2:], strict=True):
        cells, made_cells = line.split("|")[1:-1], made_line.split("|")[1:-1]
        assert cells[:3] == made_cells[:3]
        assert list(map(float, cells[3:])) == pytest.approx(list(map(float, made_cells[3:])), abs=1.01)


def test_nobody_knows_more_than_all_labels() -> None:
    """Who always gives the probable true label gained more than the mean of the truth allows: 101.5% before."""
    made = some_labels({"a": 0.75, "b": 0.75, "c": 0.75}, 200, (0.5, 0.5))
    for of_item in made.values():
        labels = list(of_item.values())
        of_item["majority"] = max(sorted(set(labels)), key=labels.count)
    known = [one.knows for one in competences(made, resamples=99).values()]
    assert all(share is not None and share <= 1 for share in known)
    assert known[-1] == 1.0


def test_always_the_same_label_and_the_labels_exchanged_are_no_work_either() -> None:
    made = some_labels({"a": 0.8, "b": 0.8, "c": 0.9, "d": 0.8}, 120, (0.5, 0.3, 0.2))
    for of_item in made.values():
        of_item["constant"] = "a"
        of_item["exchanged"] = {"a": "b", "b": "c", "c": "a"}[of_item["c"]]
    verdicts = {name: one.verdict for name, one in competences(made, resamples=999).items()}
    assert verdicts == {**dict.fromkeys("abcd", BETTER), "constant": RANDOM, "exchanged": RANDOM}


def test_nobody_is_accused_where_there_is_too_little_to_tell() -> None:
    # Careful annotators, but six items; or no item that differs from the others.
    few = some_labels({"a": 0.9, "b": 0.9, "c": 0.9}, 6, (0.5, 0.5))
    alike = {f"i{number}": dict.fromkeys("abc", "accept") for number in range(100)}
    # Of two annotators one labels at random, and nothing tells which.
    two = some_labels({"a": 0.95, "b": 0.0}, 300, (0.5, 0.5))
    for made in (few, alike, two):
        assert {one.verdict for one in competences(made, resamples=999).values()} == {UNCLEAR}
    assert competences(alike, resamples=999)["a"] == Competence(100, None, 1.0, None, UNCLEAR)


def test_a_new_annotator_with_few_items_is_not_taken_for_a_random_one() -> None:
    made = some_labels({"a": 0.85, "b": 0.85, "c": 0.85}, 200, (0.6, 0.4))
    for item, of_item in list(made.items())[:4]:
        of_item["new"] = of_item["a"]
        assert item < "i0004"
    verdicts = {name: one.verdict for name, one in competences(made, resamples=999).items()}
    assert verdicts == {**dict.fromkeys("abc", BETTER), "new": UNCLEAR}


@pytest.mark.parametrize("items", [32, 60, 64])
def test_a_random_annotator_among_perfect_ones_is_found_without_a_warning(items: int) -> None:
    """Everybody who knows all labels gives the same ones, so the simulated distribution may have no spread at all."""
    made = some_labels({**dict.fromkeys("abcdefghij", 1.0), "r": 0.0}, items, (0.5, 0.5))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdicts = {name: one.verdict for name, one in competences(made, resamples=999).items()}
    assert verdicts == {**dict.fromkeys("abcdefghij", BETTER), "r": RANDOM}


def test_what_somebody_knows_is_estimated() -> None:
    """Labels are the truth with this probability, and otherwise uniform: the model itself."""
    known = {"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.3, "e": 0.8, "f": 0.0}
    made = competences(some_labels(known, 4000, (0.4, 0.3, 0.2, 0.1)), resamples=999)
    assert {name: one.knows for name, one in made.items()} == pytest.approx(known, abs=0.04)


def test_the_p_value_is_that_of_all_permutations() -> None:
    """Of seven items all 5,040 permutations are counted, with the probabilities of the model."""
    made = some_labels({"a": 0.4, "b": 0.9, "c": 0.9}, 7, (0.5, 0.3, 0.2), seed=6)
    data = labelled(made)
    own = data.label[data.annotator == 0]
    truth = truth_without(data, 0)
    agreed = [truth[np.arange(7), list(order)].sum() for order in permutations(own.tolist())]
    exact = float(np.mean(np.array(agreed) >= truth[np.arange(7), own].sum() - 1e-9))
    assert 0.02 < exact < 0.33  # so that three times it is still below 1
    assert competences(made, resamples=99_999)["a"].p_chance == pytest.approx(3 * exact, rel=0.05)


def test_a_random_annotator_is_rarely_taken_for_a_good_one() -> None:
    """The adjusted p-value of random labels is below 0.05 in at most 5% of all sets, here of one random annotator."""
    below = [
        competences(some_labels({"a": 0.8, "b": 0.8, "r": 0.0}, 40, (0.6, 0.4), seed), resamples=999)["r"].p_chance
        for seed in range(300)
    ]
    # Adjusted for three annotators: a third of 5%. Three standard errors of 300 sets are 2.2 points.
    assert np.mean(np.array(below) <= 0.05) <= 0.05 / 3 + 0.022
    # And it is not merely cautious: before adjustment, half of all p-values are below 0.5.
    assert np.mean(np.array(below) <= 0.99) > 0.25


def test_own_labels_do_not_change_what_they_are_compared_with() -> None:
    made = simulated(MAIN, 0)
    other = {
        item: {name: "a" if name == "annotator-05" else label for name, label in of_item.items()}
        for item, of_item in made.items()
    }
    place = labelled(made).annotators.index("annotator-05")
    assert np.array_equal(truth_without(labelled(made), place), truth_without(labelled(other), place))
    assert not np.array_equal(truth_without(labelled(made), 0), truth_without(labelled(other), 0))


def test_order_of_items_and_annotators_does_not_matter_but_the_seed_does() -> None:
    made = simulated(MAIN, 0)
    turned = {item: dict(reversed(of_item.items())) for item, of_item in reversed(made.items())}
    first = competences(made, resamples=999)
    assert competences(turned, resamples=999) == first
    assert competences(made, resamples=999, seed=1) != first
    assert list(first) == sorted(first)


def test_items_with_one_label_do_not_count() -> None:
    made = simulated(MAIN, 0)
    alone = {f"z{number}": {"annotator-00": "a", "alone": "b"}.items() for number in range(3)}
    single = {f"{item}-{name}": {name: label} for item, of_item in alone.items() for name, label in of_item}
    assert competences({**made, **single}, resamples=999) == competences(made, resamples=999)
    assert competences(single) == {} == competences({})
    with pytest.raises(ValueError, match="confidence 1: must lie between"):
        competences({}, confidence=1)
