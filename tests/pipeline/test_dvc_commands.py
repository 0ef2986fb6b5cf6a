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


def printed(checkout: Checkout, *command: str) -> list[list[str]]:
    """The rows of the table that a command prints, which must fit a terminal; all files that it needs were there."""
    done = checkout.run("dvc", *command)
    assert "failed to load" not in done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= WIDTH
    return [re.split(r" {2,}", line.strip()) for line in lines]


def test_metrics_diff_prints_both_values_and_the_change_of_every_metric_that_differs(two_commits: Checkout) -> None:
    before, after = metrics_at(two_commits, "HEAD~1"), metrics_at(two_commits, "HEAD")
    differing = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    header, *rows = printed(two_commits, "metrics", "diff", "HEAD~1", "HEAD")
    assert header == ["Path", "Metric", "HEAD~1", "HEAD", "Change"]
    assert {path for path, *_ in rows} == {METRICS}
    assert {name: (float(old), float(new)) for _, name, old, new, _ in rows} == differing
    for _, _, old, new, change in rows:
        assert float(change) == pytest.approx(float(new) - float(old), abs=1e-4)
    # Only this model answers otherwise: its accuracy on original and counterfactual questions, and the drop.
    assert {name.split(".")[0] for name in differing} == {"random"}
    assert len(differing) >= 2


def test_metrics_show_is_a_table_of_a_few_numbers_for_each_model(two_commits: Checkout) -> None:
    found = metrics_at(two_commits, "HEAD")
    models = {"random", "first-option", "majority"}
    assert {name.split(".")[0] for name in found} == models
    assert all(isinstance(value, int | float) for value in found.values())
    assert len(found) <= MOST_METRICS * len(models)
    lines = two_commits.run("dvc", "metrics", "show", "--md").stdout.strip().splitlines()
    header, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    (shown,) = [row for row in (dict(zip(header, cells, strict=True)) for cells in rows) if row["Path"] == METRICS]
    assert {name: float(shown[name]) for name in found} == found


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
    old, new = metrics_at(two_commits, "HEAD~1"), metrics_at(two_commits, "HEAD")
    for name in old:
        if old[name] == new[name]:
            assert name not in rows[0]
        else:
            assert [float(row[name]) for row in commits] == [new[name], old[name]]
    assert "models.majority.adapter" not in rows[0]
