"""Statistics and random streams depend on answers, names and seeds alone: not on the process, order or processor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from whatif.engine.random_streams import sample, stream
from whatif.models.cosines import DIGITS, cosines
from whatif.scoring.statistics import (
    clustered_share,
    difference_of_drops,
    group_gap,
    paired_difference,
    relative_change,
)

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
    code = f"from {__name__} import *; print([make(columns(), 5) for make in STATISTICS.values()])"
    printed = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        printed.append(run.stdout.strip())
    assert printed == [str([make(columns(), 5) for make in STATISTICS.values()])] * 2


_PROGRAM = """
import hashlib, sys
import numpy as np
from whatif.benchmarks.mucr.preselection import _measured

generator = np.random.default_rng(0)
vectors = generator.standard_normal((400, 512)).astype(np.float32)
vectors /= np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True).astype(np.float32)
rows = [dict(candidate_id=str(n), image_id=str(n), pair_id="p", side=("cause", "effect")[n % 2]) for n in range(40)]
images = {str(n): vectors[n] for n in range(40)}
texts = {("p", side): vectors[100 + n] for n, side in enumerate(("cause", "effect"))}
found = _measured(rows, images, texts)
print(hashlib.sha256(repr((found.fit, found.likeness)).encode()).hexdigest())
"""


def test_values() -> None:
    assert cosines([[0.6, 0.8], [1.0, 0.0]], [[0.6, 0.8], [-1e-9, 1.0]]).tolist() == [1.0, 0.0]
    assert cosines([1.0, 0.0], [1 / 3, 0.5]) == round(1 / 3, DIGITS)
    assert cosines(np.ones(3, np.float32), np.ones(3, np.float32)).dtype == np.float64


@pytest.mark.process
def test_no_kernel_of_the_processor_changes_them() -> None:
    found = set()
    for kernel in ("NEHALEM", "HASWELL", "SKYLAKEX"):
        environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        found.add(ended.stdout)
    assert len(found) == 1


def test_same_names_give_the_same_numbers() -> None:
    first = stream(7, "layout", "dot-removal", 12).random(5)
    stream(7, "something else").random(100)
    assert np.array_equal(first, stream(7, "layout", "dot-removal", 12).random(5))


def test_numbers_are_those_of_every_machine() -> None:
    assert stream(0, "puzzle", 1).integers(0, 1000, 6).tolist() == [737, 820, 300, 518, 328, 599]


def test_different_names_and_seeds_are_independent() -> None:
    streams = [stream(0, "a", "bc"), stream(0, "ab", "c"), stream(1, "a", "bc"), stream(0, "a"), stream(0, "a", 1)]
    streams.append(stream(0, "a", "1"))
    drawn = np.array([generator.random(2000) for generator in streams])
    correlations = np.corrcoef(drawn)[~np.eye(len(drawn), dtype=bool)]
    assert np.abs(correlations).max() < 0.1


def test_a_sample_depends_on_seed_name_and_ids_alone() -> None:
    ids = [f"id-{number}" for number in range(1000)]
    drawn = sample(3, "captions", ids, 100)
    assert len(drawn) == 100 and drawn < set(ids)
    assert sample(3, "captions", [*ids[::-1], *ids], 100) == drawn
    assert drawn < sample(3, "captions", ids, 101)
    assert len(drawn & sample(4, "captions", ids, 100)) < 40
    assert len(drawn & sample(3, "pairs", ids, 100)) < 40
    assert sample(3, "captions", ids, None) == sample(3, "captions", ids, 5000) == set(ids)
    without = sample(3, "captions", [one for one in ids if one != min(drawn)], 100)
    assert len(without & drawn) == 99


def test_a_sample_is_that_of_every_machine() -> None:
    assert sorted(sample(0, "captions", map(str, range(100)), 4)) == ["39", "43", "8", "87"]
