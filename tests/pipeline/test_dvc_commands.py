"""DVC's own commands on two commits of a small project: what they print for a user who compares two runs."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.checkouts import OTHER_ANSWERS, Checkout

pytestmark = pytest.mark.pipeline

CHANGED = "models.random.adapter"
VALUES = ("random", OTHER_ANSWERS[CHANGED])
METRICS = "metrics/cvqa-synthetic.json"
FOLDER = "metrics/cvqa-synthetic/summary"
PLOT = "metrics/cvqa-synthetic/accuracy.csv"
WIDTH = 120  # of a terminal in which a table can be read without wrapped lines
MOST_METRICS = 12  # a model; more than these cannot be read in one table


def leaves(tree: Any, place: str = "") -> dict[str, Any]:
    """The values of nested JSON by dotted path."""
    if not isinstance(tree, dict):
        return {place: tree}
    return {
        name: value
        for key, below in tree.items()
        for name, value in leaves(below, f"{place}.{key}" if place else key).items()
    }


def at(checkout: Checkout, revision: str, path: str) -> str:
    return checkout.run("git", "show", f"{revision}:{path}").stdout


def metrics_at(checkout: Checkout, revision: str) -> dict[str, Any]:
    return leaves(json.loads(at(checkout, revision, METRICS)))


def few_at(checkout: Checkout, revision: str) -> dict[tuple[str, str], float]:
    """The numbers of the file of each model: path and key -> number."""
    paths = checkout.run("git", "ls-tree", "--name-only", revision, f"{FOLDER}/").stdout.splitlines()
    return {(path, key): value for path in paths for key, value in json.loads(at(checkout, revision, path)).items()}


def printed(checkout: Checkout, *command: str) -> list[list[str]]:
    """The rows of the table that a command prints, which must fit a terminal; all files that it needs were there."""
    done = checkout.run("dvc", *command)
    assert "failed to load" not in done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= WIDTH
    return [re.split(r" {2,}", line.strip()) for line in lines]


def test_metrics_diff_prints_both_values_and_the_change_of_every_metric_that_differs(two_commits: Checkout) -> None:
    before, after = few_at(two_commits, "HEAD~1"), few_at(two_commits, "HEAD")
    differing = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    header, *rows = printed(two_commits, "metrics", "diff", "HEAD~1", "HEAD")
    assert header == ["Path", "Metric", "HEAD~1", "HEAD", "Change"]
    assert {(path, name): (float(old), float(new)) for path, name, old, new, _ in rows} == differing
    for _, _, old, new, change in rows:
        assert float(change) == pytest.approx(float(new) - float(old), abs=1e-4)
    # Only this model answers otherwise.
    assert {path for path, _ in differing} == {f"{FOLDER}/random.json"}


def test_metrics_diff_of_one_benchmark_has_all_its_numbers(two_commits: Checkout) -> None:
    before, after = metrics_at(two_commits, "HEAD~1"), metrics_at(two_commits, "HEAD")
    models = {"random", "first-option", "majority"}
    assert {name.split(".")[0] for name in after} == models
    assert len(after) <= MOST_METRICS * len(models)
    options = ("--all", "--no-path", "--targets", METRICS)
    header, *rows = printed(two_commits, "metrics", "diff", *options, "--", "HEAD~1", "HEAD")
    assert header == ["Metric", "HEAD~1", "HEAD", "Change"]
    assert {name: (float(old), float(new)) for name, old, new, _ in rows} == {
        name: (pytest.approx(before[name]), pytest.approx(after[name])) for name in before
    }


def test_metrics_show_is_a_row_of_a_few_numbers_for_each_model(two_commits: Checkout) -> None:
    found = few_at(two_commits, "HEAD")
    header, *rows = printed(two_commits, "metrics", "show")
    assert header == ["Path", "counterfactual", "drop"]
    shown = {(path, key): float(cell) for path, *cells in rows for key, cell in zip(header[1:], cells, strict=True)}
    assert shown == found
    assert {path for path, _ in found} == {f"{FOLDER}/{name}.json" for name in ("random", "first-option", "majority")}


def test_params_diff_prints_the_changed_setting_alone(two_commits: Checkout) -> None:
    assert printed(two_commits, "params", "diff", "HEAD~1", "HEAD") == [
        ["Path", "Param", "HEAD~1", "HEAD"],
        ["params.yaml", CHANGED, *VALUES],
    ]


def test_plots_diff_draws_every_model_of_both_commits(two_commits: Checkout) -> None:
    page = Path(two_commits.run("dvc", "plots", "diff", "HEAD~1", "HEAD").stdout.strip().removeprefix("file://"))
    html = page.read_text(encoding="utf-8")
    assert "<DVC_" not in html, "an anchor of the template was not filled"
    starts = [match.end() for match in re.finditer(r"var spec = ", html)]
    specs = [json.JSONDecoder().raw_decode(html[start:])[0] for start in starts]
    (spec,) = [one for one in specs if one["title"]["text"] == "C-VQA-Synthetic"]
    drawn = {(row["rev"], row["name"], float(row["original"])) for row in spec["data"]["values"]}
    wanted = {
        (revision, row["name"], float(row["original"]))
        for revision in ("HEAD~1", "HEAD")
        for row in csv.DictReader(io.StringIO(at(two_commits, revision, PLOT)))
    }
    assert drawn == wanted
    assert {name for _, name, _ in drawn} >= {"Random", "InstructBLIP (Vicuna-7B)"}
    axes = {layer["encoding"][axis].get("title") for layer in spec["layer"] for axis in "xy" if "encoding" in layer}
    assert {"Accuracy on original questions (%)", "Accuracy on counterfactual questions (%)"} <= axes
    # One label a model, not one a model and revision.
    (labelled,) = [layer for layer in spec["layer"] if "layer" in layer]
    assert labelled["transform"][0]["groupby"] == ["name"]
    scripts = re.findall(r'<script src="(?!https:)([^"]*)"', html)
    assert len(scripts) == 3 and all((page.parent / script).is_file() for script in scripts), "drawn without a network"
    assert not two_commits.run("git", "status", "--porcelain").stdout, "what DVC draws is no part of the project"


def test_exp_show_prints_both_commits_with_the_changed_setting_and_metrics(two_commits: Checkout) -> None:
    command = ("exp", "show", "--num", "2", "--only-changed", "--csv")
    rows = list(csv.DictReader(io.StringIO(two_commits.run("dvc", *command).stdout)))
    by_revision = {row["rev"]: row for row in rows}
    before = two_commits.run("git", "rev-parse", "--short=7", "HEAD~1").stdout.strip()
    commits = [by_revision["main"], by_revision[before]]
    assert [row[CHANGED] for row in commits] == [VALUES[1], VALUES[0]]
    old, new = few_at(two_commits, "HEAD~1"), few_at(two_commits, "HEAD")
    for path, key in old:
        numbers = [found[path, key] for found in (new, old)]
        shown = [float(row[f"{path}:{key}"]) for row in commits if f"{path}:{key}" in row]
        assert shown == ([] if numbers[0] == numbers[1] else numbers)
    assert "models.majority.adapter" not in rows[0]
