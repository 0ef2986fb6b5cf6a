"""One graph, two entry points: what runs after which change, proved by real git, dvc and snakemake runs."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.pipeline.checkouts import OTHER_ANSWERS, SITE_JOB, Checkout, by_snakemake, computed, stale

pytestmark = pytest.mark.pipeline

SHARDS = ("part-000-of-002", "part-001-of-002")
PARTS = {f"generate {part}" for part in SHARDS}
AUDITS = {f"aggregate shortcuts {variant}" for variant in ("original", "counterfactual")}
EVALUATIONS = {f"evaluate {model} {part}" for model in ("first-option", "majority", "random") for part in SHARDS}
EVERYTHING = {"extract", *PARTS, "filter", "verify", *EVALUATIONS, *AUDITS, "aggregate"}
PUZZLES = "data/generate/cvqa-synthetic/puzzles/part-001-of-002.parquet"
QUESTIONS = "data/verify/cvqa-synthetic/questions.parquet"
METRICS, TABLE = "metrics/cvqa-synthetic.json", "metrics/cvqa-synthetic/table7.csv"


def test_both_entry_points_make_the_same_bytes(finished_checkout: Checkout, made_by_snakemake: Checkout) -> None:
    by_dvc = finished_checkout.results()
    assert len([path for path in by_dvc if path.endswith(".parquet")]) == 27
    assert made_by_snakemake.results() == by_dvc
    assert made_by_snakemake.site() == finished_checkout.site()
    for checkout in (finished_checkout, made_by_snakemake):
        ran = [(entry["job"].replace(" cvqa-synthetic", ""), entry["outcome"]) for entry in checkout.logged()]
        assert sorted(ran) == sorted((job, "computed") for job in (*EVERYTHING, SITE_JOB))


def test_after_a_clone_and_pull_nothing_runs_then_exactly_what_an_edit_asks_for(
    finished_checkout: Checkout, fresh_clone: Checkout, entry_points: tuple[list[str], list[str]]
) -> None:
    first, second = entry_points
    assert fresh_clone.run("whatif", "status", "--check").returncode == 0
    assert "Nothing to be done" in fresh_clone.run("snakemake", "--dry-run").stdout
    assert not (fresh_clone.path / "site").exists()
    for command in entry_points:
        fresh_clone.run(*command)
    assert fresh_clone.logged() == []
    assert "site/index.html: " in fresh_clone.run("whatif", "site").stdout
    assert fresh_clone.site() == finished_checkout.site()

    # The filter rejects as little as before: its rows are the same, and what comes after is taken as it was.
    fresh_clone.set({"filter.cvqa-synthetic.smallest_gap": 0.2})
    assert computed(fresh_clone.jobs(first)) == {"filter"}
    results = fresh_clone.results()
    assert fresh_clone.jobs(second) == {}
    assert fresh_clone.results() == results


@by_snakemake
def test_going_back_after_a_checkout_of_other_results(
    finished_checkout: Checkout, two_commits: Checkout, tmp_path: Path, entry_point: list[str]
) -> None:
    at_first, at_second = finished_checkout.results(), two_commits.results()
    assert at_second != at_first
    checkout = two_commits.copied_to(tmp_path / "project")
    checkout.run("git", "checkout", "--quiet", "HEAD~1")
    checkout.run("dvc", "checkout", "--force")
    checkout.set(OTHER_ANSWERS)
    checkout.jobs(entry_point)
    assert checkout.results() == at_second
    checkout.set({"models.random.adapter": "random"})
    assert "computed" not in checkout.jobs(entry_point).values()
    assert checkout.results() == at_first


@pytest.mark.soak
def test_an_experiment_gives_the_results_of_its_own_value(checkout: Checkout, two_commits: Checkout) -> None:
    ((setting, value),) = OTHER_ANSWERS.items()
    checkout.run("dvc", "exp", "run", "--temp", "--name", "other", "--set-param", f"{setting}={value}")
    checkout.run("dvc", "exp", "branch", "other", "branch-of-other")
    shown = checkout.run("git", "show", f"branch-of-other:{METRICS}").stdout
    assert json.loads(shown) == json.loads((two_commits.path / METRICS).read_text(encoding="utf-8"))


def test_code_of_a_stage_is_compared_without_its_comments_and_repeats_that_stage_alone(
    checkout: Checkout, entry_points: tuple[list[str], list[str]]
) -> None:
    first, second = entry_points
    source = checkout.path / "src/whatif/benchmarks/cvqa_synthetic/dot_puzzle.py"
    text = source.read_text(encoding="utf-8") + "\n# A remark.\n"
    source.write_text(text, encoding="utf-8")
    assert stale(checkout) == set()
    source.write_text(text.replace("_ATTEMPTS = ", "_ATTEMPTS = 1 + "), encoding="utf-8")
    assert computed(checkout.jobs(second)) == PARTS
    assert checkout.jobs(first) == {}


@pytest.mark.soak
def test_a_model_added_and_taken_away_again(checkout: Checkout, entry_points: tuple[list[str], list[str]]) -> None:
    before = checkout.results()
    checkout.set({"models.again": {"adapter": "random", "name": "Random again"}})
    wanted = {"aggregate", *(f"evaluate again {part}" for part in SHARDS)}
    assert checkout.jobs(entry_points[1]) == dict.fromkeys(wanted, "computed")
    assert "Random again" in (checkout.path / "metrics/cvqa-synthetic/table7.md").read_text()
    checkout.set({"models.again": None})
    assert "computed" not in checkout.jobs(entry_points[0]).values()
    assert checkout.results() == before


def do_damage(path: Path, how: str) -> None:
    if how == "deleted":
        path.unlink()
    elif path.suffix == ".parquet":
        pq.write_table(pq.read_table(path).slice(1), path)
    else:
        path.write_bytes(path.read_bytes() + b"\n1,2,3\n")


def is_made_again(checkout: Checkout, command: list[str], file: str, damage: str) -> None:
    before = checkout.results()
    do_damage(checkout.path / file, damage)
    assert checkout.results() != before
    checkout.jobs(command)
    assert checkout.results() == before


def test_a_deleted_or_edited_file_is_made_again(checkout: Checkout, entry_points: tuple[list[str], list[str]]) -> None:
    first, second = entry_points
    is_made_again(checkout, first, PUZZLES, "deleted")
    is_made_again(checkout, second, TABLE, "edited")


@pytest.mark.soak
@pytest.mark.parametrize("file", [PUZZLES, QUESTIONS, METRICS, TABLE])
@pytest.mark.parametrize("damage", ["deleted", "edited"])
def test_every_kind_of_file_is_made_again_by_each_entry_point_after_every_kind_of_damage(
    checkout: Checkout, entry_point: list[str], file: str, damage: str
) -> None:
    is_made_again(checkout, entry_point, file, damage)
