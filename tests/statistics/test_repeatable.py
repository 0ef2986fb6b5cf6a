"""Statistics depend on the answers and the seed alone: not on the process, the order or names of images."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from whatif.statistics import clustered_share, difference_of_drops, group_gap, paired_difference, relative_change

Columns = dict[str, Any]


def columns() -> Columns:
    """Outcomes of two models on 200 pairs about 80 images, and the group of each image."""
    generator = np.random.default_rng(11)
    image = generator.integers(0, 80, 200)
    outcome = generator.random((4, 200)) < np.array([[0.8], [0.5], [0.7], [0.6]])
    return {
        **dict(zip(("before", "after", "other_before", "other_after"), outcome, strict=True)),
        "image": np.array([f"{number}.jpg" for number in image]),
        "group": np.array(["male", "female"])[image % 2],
    }


STATISTICS: dict[str, Callable[[Columns, int], object]] = {
    "share": lambda c, seed: clustered_share(c["before"], c["image"]),
    "paired difference": lambda c, seed: paired_difference(c["before"], c["after"], c["image"]),
    "difference": lambda c, seed: difference_of_drops(
        (c["before"], c["after"]), (c["other_before"], c["other_after"]), c["image"]
    ),
    "relative change": lambda c, seed: relative_change(c["before"], c["image"], c["after"], c["image"]),
    "gap": lambda c, seed: group_gap(c["before"], c["after"], c["image"], c["group"], seed=seed),
}


def test_the_seed_decides() -> None:
    made = STATISTICS["gap"](columns(), 1)
    assert STATISTICS["gap"](columns(), 1) == made
    assert STATISTICS["gap"](columns(), 2) != made


@pytest.mark.parametrize("name", STATISTICS)
def test_order_of_questions_does_not_matter(name: str) -> None:
    order = np.random.default_rng(3).permutation(200)
    shuffled = {column: values[order] for column, values in columns().items()}
    assert STATISTICS[name](shuffled, 0) == STATISTICS[name](columns(), 0)


@pytest.mark.parametrize("name", STATISTICS)
def test_names_of_images_do_not_matter(name: str) -> None:
    known = columns()
    renamed = {**known, "image": [f"z{hash(image)}" for image in known["image"].tolist()]}
    assert STATISTICS[name](renamed, 0) == STATISTICS[name](known, 0)


@pytest.mark.process
def test_another_process_gives_the_same() -> None:
    code = "from tests.statistics.test_repeatable import *; print([make(columns(), 5) for make in STATISTICS.values()])"
    printed = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        printed.append(run.stdout.strip())
    assert printed == [str([make(columns(), 5) for make in STATISTICS.values()])] * 2
