"""The tutorial about Slurm, on a real Slurm of one node."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.pipeline.checkouts import SMALL, Checkout, copy_of_sources
from tests.pipeline.slurm_cluster import slurm, why_not
from tests.tutorials.runner import TUTORIALS, run_page

# Snakemake asks about a job some seconds after it has ended.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(1800)]
REFUSED = why_not()


@pytest.mark.skipif(bool(REFUSED), reason=f"needs Slurm: {REFUSED}")
def test_on_slurm(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "project")
    checkout.path.mkdir()
    copy_of_sources(checkout.path)
    checkout.set(SMALL)
    checkout.run("git", "init", "--quiet", "--initial-branch", "main")
    checkout.commit("a small project")
    with slurm(tmp_path / "cluster"):
        assert run_page(TUTORIALS / "on-slurm.md", checkout.path, source=checkout.path) == 3
    shutil.rmtree(checkout.path)
