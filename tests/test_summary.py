"""What `whatif summary` prints of a benchmark."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.command_line import whatif
from tests.defaults import ROOT
from whatif import benchmarks
from whatif.commands.summary import lines_of
from whatif.engine.errors import WhatifError
from whatif.results.reporting.headline_numbers import dvc_numbers, json_numbers, paired_numbers, summary_of

HEAD = "model,name,source,strategy,group,measure,value,low,high,n,p,p_holm\n"


def lines(folder: Path, *headline: str, first: str = "") -> list[str]:
    return lines_of("toy", headline, lambda model: model != first, folder)


def write(folder: Path, numbers: object, paired: str = "") -> None:
    (folder / "toy.json").write_text(json.dumps(numbers), encoding="utf-8")
    if paired:
        (folder / "toy").mkdir()
        (folder / "toy/paired.csv").write_text(HEAD + paired, encoding="utf-8")


def of_system(model: str, strategy: str, numbers: tuple[str, str, str]) -> str:
    measures = zip(("original", "counterfactual", "drop"), numbers, strict=True)
    rows = [f"{model},A name,ours,{strategy},,{measure},{number},1200,,\n" for measure, number in measures]
    return "".join([*rows, rows[0].replace(",,original", ",a-group,original"), rows[0].replace("ours", "reported")])


PAIRED = of_system("one", "plain", ("80.04,,", "60,,", "20.04,15.1,25.2")) + of_system(
    "two", "plain", ("9,,", "8,,", "1,,")
)


def test_a_row_for_each_model_with_its_drop_and_interval(tmp_path: Path) -> None:
    write(tmp_path, {"one": {"original": 80}, "two": {}}, PAIRED)
    assert lines(tmp_path, first="two") == [
        "toy                                   pairs  original  counterfactual         drop [95%]",
        "  two plain                           1,200       9.0             8.0                1.0",
        "  one plain                           1,200      80.0            60.0  20.0 [15.1, 25.2]",
    ]


def test_other_strategies_are_counted_and_other_models_have_the_measures_of_the_benchmark(tmp_path: Path) -> None:
    more = of_system("one", "cot", ("7,,", "6,,", "1,,"))
    write(tmp_path, {"one": {"original": 80}, "blind": {"accuracy": 50, "n": 9}, "files": {"kept": 3}}, PAIRED + more)
    found = lines(tmp_path, "accuracy")
    assert found[0] == "toy (1 more with other strategies: whatif show toy)"
    assert [line.split() for line in found[-2:]] == [["accuracy"], ["blind", "50.0"]]


def test_without_pairs_the_measures_of_the_benchmark_or_the_most_frequent_one(tmp_path: Path) -> None:
    write(tmp_path, {"a": {"direct": {"x": 1, "y_at_1": 2}}, "b": {"direct": {"y_at_1": 3.14, "z": 4, "name": "text"}}})
    assert [line.split() for line in lines(tmp_path)] == [
        ["toy", "y", "at", "1"],
        ["a", "direct", "2.0"],
        ["b", "direct", "3.1"],
    ]
    assert [line.split() for line in lines(tmp_path, "x", "z", "gone")] == [
        ["toy", "x", "z"],
        ["a", "direct", "1.0"],
        ["b", "direct", "4.0"],
    ]


def test_what_is_missing_or_broken_is_said(tmp_path: Path) -> None:
    assert lines(tmp_path) == ["toy: no results yet; `dvc repro` or `snakemake --cores 2` makes them"]
    write(tmp_path, {}, "one\n")
    with pytest.raises(WhatifError, match=r"toy/paired\.csv: is not a table `paired`"):
        (tmp_path / "toy/paired.csv").write_text("a,b\n1,2\n")
        lines(tmp_path)
    (tmp_path / "toy/paired.csv").unlink()
    assert lines(tmp_path) == ["toy: no numbers"]
    (tmp_path / "toy.json").write_text("{")
    with pytest.raises(WhatifError, match=r"toy\.json: is not JSON"):
        lines(tmp_path)


def test_the_recorded_results_fit_a_terminal_and_say_something_of_every_benchmark() -> None:
    for name in benchmarks.load_params(ROOT / "params.yaml").benchmarks:
        found = lines_of(name, benchmarks.benchmark(name).headline, len, ROOT / "metrics")
        assert len(found) > 1 and max(map(len, found)) <= 100, name


@pytest.mark.process
def test_dvc_metrics_show_of_the_recorded_results_fits_a_screen(tmp_path: Path) -> None:
    params = benchmarks.load_params(ROOT / "params.yaml")
    graph, folders = benchmarks.graph(params), []
    for step in (step for one in graph.benchmarks.values() for step in one.steps if step.summary):
        name = step.benchmark
        numbers = json_numbers(ROOT / f"metrics/{name}.json")
        summary = summary_of(
            paired_numbers(ROOT / f"metrics/{name}/paired.csv"), numbers or [], graph.benchmarks[name].headline
        )
        (tmp_path / step.summary).mkdir(parents=True)
        for model, few in dvc_numbers(summary, step.summarized(params)).items():
            assert few, f"{name}: no number of {model}"
            (tmp_path / step.summary / f"{model}.json").write_text(json.dumps(few), encoding="utf-8")
        folders.append(step.summary)
    assert [folder.split("/")[1] for folder in folders] == list(params.benchmarks)
    (tmp_path / "dvc.yaml").write_text(yaml.safe_dump({"metrics": folders}), encoding="utf-8")
    (tmp_path / ".dvc").mkdir()
    (tmp_path / ".dvc/config").write_text("[core]\n    no_scm = true\n", encoding="utf-8")
    command = [sys.executable, "-m", "dvc", "metrics", "show"]
    header, *rows = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert header.split() == ["Path", "counterfactual", "drop", "score"]
    assert 30 < len(rows) < 80 and max(map(len, (header, *rows))) <= 100


def test_the_measures_that_benchmarks_name_are_among_their_metrics() -> None:
    named = {name: benchmarks.benchmark(name).headline for name in benchmarks.installed()}
    for name, measures in named.items():
        path = ROOT / "metrics" / f"{name}.json"
        if measures and path.exists():
            found = path.read_text(encoding="utf-8")
            assert all(f'"{measure}": ' in found for measure in measures), name
    assert named["cvqa-synthetic"] == ("original", "counterfactual")


def test_show_begins_with_the_models_of_the_user(folder: Path) -> None:
    shutil.copy2(ROOT / "params.yaml", folder)
    shutil.copytree(ROOT / "metrics/cvqa-synthetic", folder / "metrics/cvqa-synthetic")
    shutil.copy2(ROOT / "metrics/cvqa-synthetic.json", folder / "metrics")
    with (folder / "metrics/cvqa-synthetic/paired.csv").open("a", encoding="utf-8") as file:
        file.write(of_system("mine", "", ("80,,", "60,,", "20,,")))
    shown = whatif("show", "cvqa-synthetic").stdout
    places = [shown.index(text) for text in ("  mine  ", "  llava-original  ", "  random  ", "InstructBLIP")]
    assert places == sorted(places)
