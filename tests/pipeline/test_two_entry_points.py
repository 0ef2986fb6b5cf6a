"""One graph, two entry points: what runs after which change, proved by real git, dvc and snakemake runs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, Checkout

pytestmark = pytest.mark.pipeline

SHARDS = ("part-000-of-002", "part-001-of-002")
PARTS = {f"generate {part}" for part in SHARDS}
AUDITS = {f"aggregate shortcuts {variant}" for variant in ("original", "counterfactual")}
EVALUATIONS = {f"evaluate {model} {part}" for model in ("first-option", "majority", "random") for part in SHARDS}
IMAGE_SIZE = "generate.cvqa-synthetic.image_size"
SEED = "seed"


def computed(jobs: dict[str, str]) -> set[str]:
    """The jobs whose outputs were really made, not found or taken back."""
    return {job for job, outcome in jobs.items() if outcome == "computed"}


def test_both_entry_points_make_the_same_bytes(checkout: Checkout) -> None:
    by_dvc = checkout.results()
    assert len([path for path in by_dvc if path.endswith(".parquet")]) == 27
    for folder in ("data", "metrics", ".whatif", ".snakemake"):
        checkout.run("rm", "-rf", folder)
    jobs = checkout.jobs(["snakemake", "--cores", "2", "--quiet", "host", "rules"])
    assert set(jobs) == {"extract", *PARTS, "filter", "verify", *EVALUATIONS, *AUDITS, "aggregate"}
    assert set(jobs.values()) == {"computed"}
    assert checkout.results() == by_dvc


def test_after_a_clone_and_pull_nothing_runs_then_exactly_what_an_edit_asks_for(
    fresh_clone: Checkout, entry_point: list[str]
) -> None:
    assert fresh_clone.jobs(entry_point) == {}
    fresh_clone.set({"aggregate.cvqa-synthetic.confidence": 0.9})
    assert fresh_clone.jobs(entry_point) == {"aggregate": "computed"}
    # The filter rejects as little as before: its rows are the same, and what comes after is taken as it was.
    fresh_clone.set({"filter.cvqa-synthetic.smallest_gap": 0.2})
    assert computed(fresh_clone.jobs(entry_point)) == {"filter"}
    assert fresh_clone.jobs(entry_point) == {}


@pytest.fixture(scope="module")
def two_commits(finished_checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """The finished checkout with a second commit of `dvc repro`, with the seed 7; no test changes it."""
    checkout = finished_checkout.copied_to(tmp_path_factory.mktemp("two-commits") / "project")
    checkout.set({SEED: 7})
    checkout.jobs(["dvc", "repro"])
    checkout.commit("another seed")
    yield checkout
    shutil.rmtree(checkout.path)


def test_going_back_after_a_checkout_of_other_results(
    finished_checkout: Checkout, two_commits: Checkout, tmp_path: Path, entry_point: list[str]
) -> None:
    at_first, at_seven = finished_checkout.results(), two_commits.results()
    assert at_seven != at_first
    checkout = two_commits.copied_to(tmp_path / "project")
    checkout.run("git", "checkout", "--quiet", "HEAD~1")
    checkout.run("dvc", "checkout", "--force")
    checkout.set({SEED: 7})
    checkout.jobs(entry_point)
    assert checkout.results() == at_seven
    checkout.set({SEED: 2024})
    assert "computed" not in checkout.jobs(entry_point).values()
    assert checkout.results() == at_first


def test_an_experiment_gives_the_results_of_its_own_value(
    checkout: Checkout, finished_with_another_seed: Checkout
) -> None:
    wanted = json.loads((finished_with_another_seed.path / "metrics/cvqa-synthetic.json").read_text())
    checkout.run("dvc", "exp", "run", "--temp", "--name", "seven", "--set-param", "seed=7")
    checkout.run("dvc", "exp", "branch", "seven", "branch-of-seven")
    shown = checkout.run("git", "show", "branch-of-seven:metrics/cvqa-synthetic.json").stdout
    assert json.loads(shown) == wanted


@pytest.mark.parametrize("order", [("snakemake", "dvc"), ("dvc", "snakemake")])
def test_what_one_entry_point_has_made_the_other_does_not_repeat(checkout: Checkout, order: tuple[str, str]) -> None:
    checkout.set({IMAGE_SIZE: 208})
    assert set(checkout.jobs(ENTRY_POINTS[order[0]])) >= PARTS
    results = checkout.results()
    assert checkout.jobs(ENTRY_POINTS[order[1]]) == {}
    assert checkout.results() == results


def test_a_comment_in_the_source_of_a_stage_repeats_nothing(checkout: Checkout, entry_point: list[str]) -> None:
    source = checkout.path / "src/whatif/benchmarks/cvqa_synthetic/dot_puzzle.py"
    source.write_text(source.read_text(encoding="utf-8") + "\n# A remark.\n", encoding="utf-8")
    assert checkout.jobs(entry_point) == {}


def test_changed_code_of_a_stage_repeats_that_stage_alone(checkout: Checkout, entry_point: list[str]) -> None:
    source = checkout.path / "src/whatif/benchmarks/cvqa_synthetic/dot_puzzle.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("_ATTEMPTS = ", "_ATTEMPTS = 1 + "), encoding="utf-8")
    assert computed(checkout.jobs(entry_point)) == PARTS
    assert checkout.jobs(entry_point) == {}


def test_a_model_added_and_taken_away_again(checkout: Checkout, entry_point: list[str]) -> None:
    before = checkout.results()
    checkout.set({"models.again": {"adapter": "random", "name": "Random again"}})
    wanted = {"aggregate", *(f"evaluate again {part}" for part in SHARDS)}
    assert checkout.jobs(entry_point) == dict.fromkeys(wanted, "computed")
    assert "Random again" in (checkout.path / "metrics/cvqa-synthetic/table7.md").read_text()
    checkout.set({"models.again": None})
    assert "computed" not in checkout.jobs(entry_point).values()
    assert checkout.results() == before


@pytest.mark.parametrize(
    "file",
    [
        "data/generate/cvqa-synthetic/puzzles/part-001-of-002.parquet",
        "data/verify/cvqa-synthetic/questions.parquet",
        "metrics/cvqa-synthetic.json",
        "metrics/cvqa-synthetic/table7.csv",
    ],
)
@pytest.mark.parametrize("damage", ["deleted", "edited"])
def test_a_deleted_or_edited_file_is_made_again(
    checkout: Checkout, entry_point: list[str], file: str, damage: str
) -> None:
    before = checkout.results()
    path = checkout.path / file
    if damage == "deleted":
        path.unlink()
    elif path.suffix == ".parquet":
        _edit_rows(path)
    else:
        path.write_bytes(path.read_bytes() + b"\n1,2,3\n")
    assert checkout.results() != before
    checkout.jobs(entry_point)
    assert checkout.results() == before


def _edit_rows(path: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
