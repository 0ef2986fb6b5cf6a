"""Items: discrimination and the choice of a subset, on answers whose discriminations and abilities are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whatif.scoring.items import accuracies, chosen, discrimination, kept, places


def simulated(seed: int, models: int, items: int) -> tuple[Any, Any]:
    """Right answers to two questions of each item (two-parameter logistic with 10% guessed), and discriminations."""
    draw = np.random.default_rng(seed)
    steep, hard, able = np.exp(draw.normal(0, 0.5, items)), draw.normal(0, 1.3, items), draw.normal(0, 1, models)
    return draw.binomial(2, 0.1 + 0.9 / (1 + np.exp(-steep * (able[:, None] - hard)))), steep


def test_discrimination_is_the_correlation_with_all_other_questions() -> None:
    right = simulated(1, 6, 40)[0] > 0
    right[:, 3] = True
    found = discrimination(right)
    assert np.isnan(found[3]), "all models are right"
    for place in (0, 20, 39):
        rest = np.delete(right, place, axis=1).sum(axis=1)
        assert found[place] == pytest.approx(np.corrcoef(right[:, place], rest)[0, 1])


def test_discrimination_is_found_with_many_models_and_hardly_with_few() -> None:
    agreement = {}
    for models in (5, 100):
        right, steep = simulated(2, models, 300)
        found = discrimination(right > 0)
        known = ~np.isnan(found)
        agreement[models] = np.corrcoef(found[known], steep[known])[0, 1]
    assert agreement[100] > 0.5
    assert agreement[5] < 0.35


def test_the_chosen_items_give_each_model_its_accuracy() -> None:
    right, _ = simulated(3, 8, 400)
    questions = np.full(400, 2)
    best = chosen(right, questions, 50)
    assert len(set(best.tolist())) == 50 and best.tolist() == sorted(best.tolist())
    whole = accuracies(right, questions)
    assert np.abs(accuracies(right, questions, best) - whole).max() < 0.012
    drawn = np.random.default_rng(4).choice(400, 50, replace=False)
    assert np.abs(accuracies(right, questions, drawn) - whole).max() > 0.03
    assert chosen(right, questions, 50).tolist() == best.tolist()


def test_questions_of_items_count_alike() -> None:
    right, questions = np.array([[4, 0, 0], [0, 1, 1]]), np.array([4, 1, 1])
    assert accuracies(right, questions).tolist() == [4 / 6, 2 / 6]
    assert places(np.array([0.2, 0.9, 0.2])).tolist() == [2.5, 1, 2.5]


def test_no_model_is_placed_by_items_that_its_own_answers_chose() -> None:
    right, _ = simulated(5, 6, 200)
    questions = np.full(200, 2)
    models = ["a", "a", "b", "c", "d", "e"]
    found = kept(right, questions, models, 30)
    by_others = accuracies(right, questions, chosen(right[2:], questions, 30))  # both strategies of `a` are left out
    assert found.accuracy[:2].tolist() == by_others[:2].tolist()
    assert found.place[:2].tolist() == places(by_others)[:2].tolist()
    assert found.random.shape == (200, 2) and np.all(np.abs(found.random) <= 1 + 1e-12)


def test_a_subset_of_nearly_all_items_keeps_the_ranking() -> None:
    right, _ = simulated(6, 6, 300)
    assert kept(right, np.full(300, 2), range(6), 299).agreement.tolist() == pytest.approx([1, 1])


# Models, items, chosen items: Kendall's tau with the ranking by all items, of the chosen and of random ones, as in
# docs/statistics.md.
DESIGNS = {(5, 300, 60): (0.90, 0.86), (8, 900, 200): (0.95, 0.92), (20, 900, 100): (0.92, 0.89)}


@pytest.mark.soak
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_chosen_items_rank_a_left_out_model_better_than_random_ones(design: tuple[int, int, int]) -> None:
    models, items, number = design
    found = []
    for seed in range(40):
        one = kept(simulated(seed, models, items)[0], np.full(items, 2), range(models), number)
        found.append((one.agreement[0], one.random[:, 0].mean()))
    more = [by_choice - by_chance for by_choice, by_chance in found]
    assert np.mean(more) > 2 * np.std(more) / 40**0.5
    assert np.mean(found, axis=0) == pytest.approx(DESIGNS[design], abs=0.006)
