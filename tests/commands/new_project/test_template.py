"""The benchmark of a new project runs as it is, and says what is wrong where it is not installed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from tests.command_line import refused, whatif
from tests.defaults import ROOT
from tests.published import funnel
from whatif import benchmarks
from whatif.benchmarks import contradictions, discovery
from whatif.commands import notebook
from whatif.commands.new_project import Names, own_files
from whatif.commands.new_project.names import LONGEST
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import TABLES
from whatif.engine.graph import code_index, code_version, module_source
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.plain_modules import not_plain
from whatif.engine.graph.run import run
from whatif.engine.workflow.dvc_yaml import dvc_yaml
from whatif.engine.workflow.stage_files import stage_files

PAGE = ROOT / "docs" / "new-benchmark.md"


@pytest.fixture(params=["my-benchmark", "y" * LONGEST])
def names(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    """The names of a project in the working directory, whose benchmark is found without an installation."""
    found = Names(request.param)
    for path, data in own_files(found).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    monkeypatch.syspath_prepend(folder / "src")
    # Not `modules` itself, which other modules import by name, some of them for the first time during a test.
    monkeypatch.setattr(discovery, "_registered", lambda: ({found.benchmark: found.package}, {}))
    discovery.modules.cache_clear()
    contradictions.claims_files.cache_clear()
    yield found
    discovery.modules.cache_clear()
    contradictions.claims_files.cache_clear()
    forget(found)


def forget(names: Names) -> None:
    """Makes the process read the package of a project again, as another process would."""
    TABLES.pop(f"{names.benchmark}-shelves/1", None)
    for module in [name for name in sys.modules if name.partition(".")[0] == names.package]:
        del sys.modules[module]
    # Packages of one name are in one place for a process, and in another one for the next test.
    for known in [*vars(code_index).values(), *vars(code_version).values(), *vars(module_source).values()]:
        if hasattr(known, "cache_clear"):
            known.cache_clear()


def test_its_dvc_yaml_and_its_rules_are_what_the_command_would_write(names: Names) -> None:
    graph = benchmarks.graph(benchmarks.load_params())
    keys = yaml.safe_load(Path("params.yaml").read_text(encoding="utf-8"))
    for path, text in {Path("dvc.yaml"): dvc_yaml(graph, keys), **stage_files(graph)}.items():
        assert path.read_text(encoding="utf-8") == text


@pytest.mark.slow
@pytest.mark.parametrize("names", ["my-benchmark"], indirect=True)
def test_ten_pictures_go_through_every_stage(names: Names) -> None:
    said: list[str] = []
    graph = benchmarks.graph(benchmarks.load_params())
    assert {run(job, said.append) for job in graph.jobs} == {"computed"}
    stages = funnel(Path("metrics/my-benchmark/funnel.csv"))
    assert stages["generate"] == ("none", 20, 20, 0)
    assert stages["filter"][1:] == (20, 15, 5) and "presupposition does not hold" in stages["filter"][0]
    assert stages["verify"] == ("none", 15, 15, 0)
    assert {stages[f"evaluate {model}"][1:] for model in ("random", "first-option", "majority")} == {(30, 30, 0)}
    metrics = json.loads(Path("metrics/my-benchmark.json").read_text(encoding="utf-8"))
    assert set(metrics) == {"random", "first-option", "majority"}
    assert set(metrics["random"]) == {"original", "counterfactual", "drop", "pairs"}
    assert Path("site/my-benchmark/items.html").is_file()
    shown = re.findall(r"^\| (?:Model|First|Most|Random) .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    printed = Path("metrics/my-benchmark/accuracy.md").read_text(encoding="utf-8").splitlines()
    assert len(shown) == 3 and set(shown) <= set(printed)
    assert all(": computed in " in line for line in said)
    [(old, new)] = re.findall(r"^sed -i 's/(most_balls: .)/(most_balls: .)/'", PAGE.read_text(encoding="utf-8"), re.M)
    replace(Path("params.yaml"), old, new)
    again = {job.step.stage: run(job, said.append) for job in benchmarks.graph(benchmarks.load_params()).jobs}
    assert again == {stage: "up to date" if stage in ("extract", "generate") else "computed" for stage in again}


@pytest.mark.parametrize("names", ["my-benchmark"], indirect=True)
def test_the_code_for_pictures_of_your_own_works_as_the_page_says(names: Names, folder: Path) -> None:
    blocks = re.findall(
        r"```(\w*)\n(.*?)```", (ROOT / "docs" / "new-benchmark.md").read_text(encoding="utf-8"), re.DOTALL
    )
    *_, settings, extract = (code for language, code in blocks if language == "python")
    listed = next(code for _, code in blocks if code.startswith("image,balls,licence\n"))
    code = folder / "src" / "my_benchmark"
    replace(code / "settings.py", r"class ExtractSettings.*?(?=\n\n\nclass )", settings)
    replace(
        code / "settings.py", r"import BenchmarkSettings, Settings", "import BenchmarkSettings, Settings, SourcePath"
    )
    replace(code / "steps.py", r'@step\("extract".*?(?=\n\n\n@step)', extract)
    replace(folder / "params.yaml", r"    pictures: 10", "    items: items")
    items = folder / "items"
    items.mkdir()
    (items / "items.csv").write_text(f"{listed}broken.jpg,red,CC0-1.0\n", encoding="utf-8")
    for number, name in enumerate(("kitchen.jpg", "garden.jpg")):
        Image.new("RGB", (8, 8), (number, 0, 0)).save(items / name)
    (items / "broken.jpg").write_bytes(b"no picture")
    graph = benchmarks.graph(benchmarks.load_params())
    early = [job for job in graph.jobs if job.step.stage in ("extract", "generate", "filter")]
    assert [run(job, lambda line: None) for job in early] == ["computed"] * 3
    assert yaml.safe_load(dvc_yaml(graph, ()))["stages"]["extract"]["deps"] == ["src/my_benchmark", "items"]
    (rejected,) = read_rows(early[0], "rejections")
    assert (rejected["item_id"], rejected["reason"]) == ("broken.jpg", "unreadable")
    assert {row["licence"] for row in read_rows(early[0], "images")} == {"CC-BY-4.0"}
    assert [row["balls"] for row in read_rows(early[0], "shelves")] == [["green", "blue"], ["red", "red", "blue"]]
    assert len(list(read_rows(early[1], "questions"))) == 8


@pytest.mark.slow
@pytest.mark.parametrize("names", ["my-benchmark"], indirect=True)
def test_a_table_is_added_by_writing_one_file(names: Names, folder: Path) -> None:
    graph = benchmarks.graph(benchmarks.load_params())
    for job in graph.jobs:
        run(job, lambda line: None)
    before = {path: path.read_bytes() for path in sorted(Path("metrics/my-benchmark").rglob("*.*"))}
    (folder / "src/my_benchmark/tables/hard_changes.py").write_text(HARD_CHANGES, encoding="utf-8")
    forget(names)
    graph = benchmarks.graph(benchmarks.load_params())
    done = {job.name: run(job, lambda line: None) for job in graph.jobs}
    assert [job for job, what in done.items() if what == "computed"] == ["aggregate my-benchmark", "aggregate site"]
    assert not_plain("my_benchmark.tables.hard_changes") == not_plain("my_benchmark.steps") == ""
    lines = Path("metrics/my-benchmark/hard-changes.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "model,name,source,change,measure,value,low,high,n,p"
    assert [line.split(",")[3] for line in lines[1:]] == ["painted", "removed"] * 3
    after = {path: path.read_bytes() for path in sorted(Path("metrics/my-benchmark").rglob("*.*"))}
    report = Path("metrics/my-benchmark/report.md")
    assert {path for path, data in after.items() if before.get(path) != data} == {
        report,
        *(report.with_name(f"hard-changes.{suffix}") for suffix in ("csv", "md", "tex")),
    }
    headings = re.findall("^## (.*)$", after[report].decode(), re.MULTILINE)
    assert headings.index("Hard changes") == headings.index("Pairs") + 1
    assert "hard-changes" in notebook.tables("my-benchmark")


HARD_CHANGES = '''"""The drop of each change."""

from whatif.benchmarks.shared.results import PairedResults
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.table import View
from whatif.results.reporting.pair_measures import DROPPED, PAIRS, drop, of_models

TABLE: Declared[PairedResults] = Declared(
    position=25,
    title="Hard changes",
    identity=("model", "name", "source", "change", "measure"),
    rows=lambda found: of_models(found, drop, by="change"),
    views=lambda found: (View("The drop in points.", {"name": "Model", "change": "Change"}, (DROPPED, PAIRS)),),
)
'''


def replace(file: Path, pattern: str, text: str) -> None:
    """Replaces the one place of a file that matches."""
    made, number = re.subn(pattern, lambda _: text.rstrip("\n"), file.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert number == 1, pattern
    file.write_text(made, encoding="utf-8")


def read_rows(job: Job, role: str) -> list[dict[str, Any]]:
    """The rows of an output."""
    return list(artifacts.rows_of(job.outputs[role], job.step.outputs[role]))


def test_where_it_is_not_installed_one_line_says_how(folder: Path) -> None:
    for path, data in own_files(Names("counting-cats")).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    assert refused(whatif("status")) == (
        "benchmark counting-cats: is in this project but not installed; run `pip install -e .`"
    )
    (folder / "pyproject.toml").write_text("[project", encoding="utf-8")
    assert "must be one of the installed benchmarks" in whatif("status").stderr
