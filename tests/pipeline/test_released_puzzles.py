"""The released puzzles beside our own, by real git, dvc and snakemake runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.cvqa_synthetic_released.small import NAME, OURS, pictures, puzzles, write
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout

pytestmark = pytest.mark.pipeline

# `Checkout.jobs` leaves the name of our own set out: `aggregate cvqa-synthetic-released` is `aggregate-released`.
OWN_REPORT, THEIR_REPORT = "aggregate", "aggregate-released"


def with_released_puzzles(checkout: Checkout) -> None:
    """Adds the released set, written from puzzles of our own, to a project with our own set."""
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


def test_both_entry_points_run_both_sets_and_follow_an_edit_of_ours(checkout: Checkout, tmp_path: Path) -> None:
    with_released_puzzles(checkout)
    by_dvc, by_snakemake = checkout, checkout.copied_to(tmp_path / "another")
    done = [one.jobs(ENTRY_POINTS[name]) for one, name in ((by_dvc, "dvc"), (by_snakemake, "snakemake"))]
    assert done[0] == done[1]
    assert all("-released" in job for job in done[0]), "our own set was finished before"
    assert set(done[0].values()) == {"computed"}
    assert by_dvc.results() == by_snakemake.results()
    assert b"ours, own puzzles" in by_dvc.results()[f"metrics/{NAME}/table7.csv"]
    for one, name in ((by_dvc, "dvc"), (by_snakemake, "snakemake")):
        assert one.jobs(ENTRY_POINTS[name]) == {}
        one.set({f"aggregate.{OURS}.confidence": 0.9})
        status = one.run("whatif", "status", check=False).stdout
        assert f"aggregate {OURS}" in status and f"aggregate {NAME}" in status
        assert one.jobs(ENTRY_POINTS[name]) == {OWN_REPORT: "computed", THEIR_REPORT: "computed"}
        one.set({f"aggregate.{NAME}.confidence": 0.9})
        assert one.jobs(ENTRY_POINTS[name]) == {THEIR_REPORT: "computed"}
    assert by_dvc.results() == by_snakemake.results()
