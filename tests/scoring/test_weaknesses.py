"""The kind of questions in which a model does worse: found where it was planted, and not where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from whatif.scoring.weaknesses import LEAST, weakness


def questions(generator: np.random.Generator, images: int) -> tuple[dict[str, Any], Any]:
    """Two questions about each image: their properties, and the image of each."""
    n = 2 * images
    columns = {
        "group": generator.choice(["count", "colour", "size"], n),
        "variant": np.tile(["original", "counterfactual"], images),
        "words": generator.integers(4, 20, n),
        "options": np.full(n, 4),
    }
    return columns, np.repeat(np.arange(images), 2)


def test_a_planted_kind_is_found_with_its_conditions_and_shares() -> None:
    generator = np.random.default_rng(1)
    columns, images = questions(generator, 400)
    planted = (columns["group"] == "size") & (columns["words"] > 11)
    wrong = generator.random(800) < np.where(planted, 0.8, 0.2)
    found = weakness(columns, wrong, images, 0.95)
    assert found is not None
    assert set(found.conditions) == {"group is size", "words > 11.5"}
    assert (found.members == planted).all()
    assert found.wrong.estimate == pytest.approx(0.8, abs=0.1) and found.elsewhere.estimate == pytest.approx(
        0.2, abs=0.05
    )
    assert 0 < found.more.low < found.more.estimate < found.more.high


def test_a_property_with_a_value_says_only_that() -> None:
    columns, images = questions(np.random.default_rng(2), 200)
    wrong = columns["variant"] == "counterfactual"
    found = weakness(columns, wrong, images, 0.95)
    assert found is not None and found.conditions == ("variant is counterfactual",)
    assert (found.n, found.others) == (200 - found.others, found.n)
    assert (found.wrong.estimate, found.elsewhere.estimate) == (1, 0)


def test_errors_by_chance_have_no_kind_more_often_than_the_level_says() -> None:
    """The interval is two-sided, and only its lower end counts: 2.5% of samples, and three standard errors."""
    generator = np.random.default_rng(3)
    found = 0
    for _ in range(200):
        columns, images = questions(generator, 120)
        by_image = generator.beta(2, 4, 120)[images]  # questions about one image are alike
        found += weakness(columns, generator.random(240) < by_image, images, 0.95) is not None
    assert found / 200 < 0.025 + 3 * (0.025 * 0.975 / 200) ** 0.5


@pytest.mark.parametrize("wrong", [np.zeros(60, bool), np.ones(60, bool)])
def test_without_differences_there_is_none(wrong: Any) -> None:
    columns, images = questions(np.random.default_rng(4), 30)
    assert weakness(columns, wrong, images, 0.95) is None
    few = {name: values[:LEAST] for name, values in columns.items()}
    assert weakness(few, np.arange(LEAST) % 2 == 0, images[:LEAST], 0.95) is None
