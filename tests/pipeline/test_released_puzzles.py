"""The released puzzles beside our own, by real git, dvc and snakemake runs."""

from __future__ import annotations

import pytest

from tests.benchmarks.cvqa_synthetic_released.small import NAME, OURS, pictures, puzzles, write
from tests.pipeline.checkouts import Checkout

pytestmark = pytest.mark.soak

# `Checkout.jobs` leaves the name of our set out: `aggregate cvqa-synthetic-released` is `aggregate-released`.
OWN_REPORT, THEIR_REPORT = "aggregate", "aggregate-released"


def with_released_puzzles(checkout: Checkout) -> None:
    """Adds the released set, written from puzzles of our own, to a project with our set."""
    folder = checkout.path / "C-VQA-Synthetic"
    folder.mkdir()
    for pair_id, data in pictures().items():
        (folder / f"{pair_id}.png").write_bytes(data)
    write(checkout.path, puzzles())
    checkout.set(
        {
            "benchmarks": [NAME, OURS],
            f"extract.{NAME}": {"questions": "C-VQA-Synthetic_questions.csv", "image_folder": folder.name},
            f"evaluate.{NAME}.shards": 2,
            f"aggregate.{NAME}.audit_folds": 2,
        }
    )
    checkout.run("whatif", "dvc-yaml")


def test_both_entry_points_run_both_sets_and_follow_an_edit_of_ours(
    checkout: Checkout, entry_points: tuple[list[str], list[str]]
) -> None:
    first, second = entry_points
    with_released_puzzles(checkout)
    done = checkout.jobs(second)
    assert all("-released" in job for job in done), "our set was finished before"
    assert set(done.values()) == {"computed"}
    assert b"ours, own puzzles" in checkout.results()[f"metrics/{NAME}/table7.csv"]
    assert checkout.jobs(first) == {}
    checkout.set({f"aggregate.{OURS}.confidence": 0.9})
    status = checkout.run("whatif", "status", check=False).stdout
    assert f"aggregate {OURS}" in status and f"aggregate {NAME}" in status
    assert checkout.jobs(first) == {OWN_REPORT: "computed", THEIR_REPORT: "computed"}
    checkout.set({f"aggregate.{NAME}.confidence": 0.9})
    assert checkout.jobs(second) == {THEIR_REPORT: "computed"}
    assert checkout.jobs(first) == {}
