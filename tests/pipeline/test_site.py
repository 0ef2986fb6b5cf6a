"""The site in whole runs: never a reason to compute, and written again where it is missing or edited."""

from __future__ import annotations

import shutil

import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, SITE_JOB, Checkout

pytestmark = pytest.mark.pipeline


@pytest.mark.soak
def test_a_run_makes_the_site_and_the_next_plan_restores_it_without_a_job_that_computes(
    finished_checkout: Checkout, checkout: Checkout
) -> None:
    wanted, before = finished_checkout.site(), checkout.logged()
    assert SITE_JOB in [entry["job"] for entry in before]
    assert "index.html" in wanted
    assert checkout.run("git", "status", "--porcelain").stdout == ""
    assert "up to date" in checkout.run("dvc", "status").stdout
    assert not (checkout.path / "metrics/site.json").exists()

    shutil.rmtree(checkout.path / "site")
    assert "Nothing to be done" in checkout.run("snakemake", "--dry-run").stdout
    assert not (checkout.path / "site").exists()
    checkout.run(*ENTRY_POINTS["snakemake"])
    assert checkout.site() == wanted
    shutil.rmtree(checkout.path / "site")
    checkout.run("whatif", "make", "aggregate")
    assert checkout.site() == wanted

    (checkout.path / "site/index.html").write_text("mine", encoding="utf-8")
    status = checkout.run("whatif", "status").stdout
    assert "stale     aggregate site" in status and "site/index.html was edited" in status
    checkout.run("whatif", "make", "aggregate")
    assert checkout.site() == wanted
    assert (checkout.path / ".whatif/set-aside/site/index.html").read_text(encoding="utf-8") == "mine"
    assert checkout.run("whatif", "status", "--check").returncode == 0
    assert {entry["outcome"] for entry in checkout.logged()[len(before) :]} <= {"taken from the stash"}
