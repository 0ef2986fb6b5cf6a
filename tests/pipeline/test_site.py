"""The site in whole runs: made by both entry points, never a reason to compute, and written again where it is not."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, SITE_JOB, Checkout

pytestmark = pytest.mark.pipeline


def pages(checkout: Checkout) -> dict[str, bytes]:
    folder = checkout.path / "site"
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def logged(checkout: Checkout) -> list[str]:
    lines = (checkout.path / ".whatif/log.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["job"] for line in lines]


def test_a_run_makes_the_site_which_neither_git_nor_dvc_tracks(checkout: Checkout) -> None:
    assert SITE_JOB in logged(checkout)
    assert "index.html" in pages(checkout)
    assert checkout.run("git", "status", "--porcelain").stdout == ""
    assert "up to date" in checkout.run("dvc", "status").stdout
    assert not (checkout.path / "metrics/site.json").exists()


def test_in_a_clone_nothing_is_due_and_whatif_site_writes_it(
    finished_checkout: Checkout, fresh_clone: Checkout, entry_point: list[str]
) -> None:
    assert fresh_clone.run("whatif", "status", "--check").returncode == 0
    assert "Nothing to be done" in fresh_clone.run("snakemake", "--dry-run").stdout
    assert not (fresh_clone.path / "site").exists()
    fresh_clone.jobs(entry_point)
    assert not (fresh_clone.path / ".whatif/log.jsonl").exists(), "no job ran"
    assert "site/index.html: " in fresh_clone.run("whatif", "site").stdout
    assert pages(fresh_clone) == pages(finished_checkout)


def test_a_missing_site_is_written_by_the_next_plan(finished_checkout: Checkout, checkout: Checkout) -> None:
    before = logged(checkout)
    shutil.rmtree(checkout.path / "site")
    assert "Nothing to be done" in checkout.run("snakemake", "--dry-run").stdout
    assert not (checkout.path / "site").exists()
    checkout.run(*ENTRY_POINTS["snakemake"])
    assert pages(checkout) == pages(finished_checkout)
    shutil.rmtree(checkout.path / "site")
    checkout.run("whatif", "make", "aggregate")
    assert pages(checkout) == pages(finished_checkout)
    assert logged(checkout) == before


def test_an_edited_page_is_restored_without_a_job_that_computes(
    finished_checkout: Checkout, checkout: Checkout
) -> None:
    (checkout.path / "site/index.html").write_text("mine", encoding="utf-8")
    status = checkout.run("whatif", "status").stdout
    assert "stale     aggregate site" in status and "site/index.html was edited" in status
    checkout.run("whatif", "make", "aggregate")
    assert pages(checkout) == pages(finished_checkout)
    assert (checkout.path / ".whatif/set-aside/site/index.html").read_text(encoding="utf-8") == "mine"
    assert checkout.run("whatif", "status", "--check").returncode == 0


def test_both_entry_points_make_the_same_site(finished_checkout: Checkout, checkout: Checkout) -> None:
    for folder in ("data", "metrics", "site", ".whatif", ".snakemake"):
        shutil.rmtree(checkout.path / folder)
    checkout.run(*ENTRY_POINTS["snakemake"])
    assert pages(checkout) == pages(finished_checkout)
    made = "data/aggregate/site/files.parquet"
    assert (checkout.path / made).read_bytes() == (finished_checkout.path / made).read_bytes()
