"""The site as a step of the graph: what it reads, when it is there, and what it hands to its builder."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.benchmarks.cvqa_synthetic.small import NAME, small
from tests.defaults import puzzles_and_baselines, shipped_values
from tests.projects import Project
from whatif import benchmarks
from whatif.benchmarks import discovery
from whatif.benchmarks.site import SITE, site_benchmark
from whatif.commands import site as commands
from whatif.commands.cli import main
from whatif.commands.snakemake import targets
from whatif.engine.artifacts.made_from import differences
from whatif.engine.artifacts.schemas import IMAGES
from whatif.engine.cluster.resources import Kind, kind_of
from whatif.engine.errors import WhatifError
from whatif.engine.graph.code_version import code_version
from whatif.engine.graph.freshness import provenance
from whatif.engine.graph.graph import Graph
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.steps import TEXT_FILES
from whatif.engine.workflow.stage_files import job_of
from whatif.results.site import build as built
from whatif.results.site.server import SiteServer
from whatif.results.site.sources import BenchmarkSource, Publish, PublishPicture


def site_of(graph: Graph) -> Job:
    (job,) = [job for job in graph.jobs if job.step.benchmark == SITE]
    return job


@pytest.fixture(scope="module")
def everything() -> Graph:
    values = shipped_values()
    return benchmarks.graph(benchmarks.check_params({**values, "benchmarks": benchmarks.installed()}))


def test_the_site_reads_what_every_benchmark_publishes_and_the_images_behind_it(everything: Graph) -> None:
    job = site_of(everything)
    assert job is everything.jobs[-1]
    publishing = [
        (benchmark.name, step)
        for benchmark in everything.benchmarks.values()
        for step in benchmark.steps
        if step.publishes is not None
    ]
    assert len(publishing) >= 9
    for name, step in publishing:
        (reporting,) = everything.jobs_of(step)
        for role in (TEXT_FILES, "items", "views", "printed"):
            assert job.inputs[f"{name} {role}"].paths == (reporting.outputs[role],)
        images = {path for given in reporting.inputs.values() if given.table == IMAGES for path in given.paths}
        read = [given.paths for role, given in job.inputs.items() if role.startswith(f"{name} images ")]
        assert {path for paths in read for path in paths} == images
    assert job.plain_parameters == {f"models.{key}.kind": one.kind for key, one in everything.params.models.items()}
    assert job.named_sources == {}
    own_files = {"templates/page.html", "templates/macros.html", "assets/items.js", "assets/site.css"}
    assert {f"whatif.results.site:{name}" for name in own_files} <= set(job.package_files)


def test_every_benchmark_says_what_it_is_and_a_change_makes_the_site_stale(
    everything: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "input_paths", ())  # nothing is made
    own = [benchmark for benchmark in everything.benchmarks.values() if benchmark.name != SITE]
    assert [benchmark.name for benchmark in own if not benchmark.about.endswith(".")] == []
    job = site_of(everything)
    made_from = provenance(job).made_from
    assert made_from["declared"] == {benchmark.name: benchmark.about for benchmark in own}
    assert job.task(None, print).declared == made_from["declared"]  # type: ignore[arg-type]
    others = [replace(one, about="Other.") if one.name == NAME else one for one in own]
    changed = Graph(everything.params, [*others, site_benchmark(others)])
    assert [*differences(made_from, provenance(site_of(changed)).made_from)] == [
        f'declared {NAME}: "{benchmarks.benchmark(NAME).about}" -> "Other."'
    ]
    assert all("declared" not in provenance(job).made_from for job in everything.jobs[:3])


def test_the_site_is_a_rule_of_one_job_without_a_model_and_its_folder_is_no_output(everything: Graph) -> None:
    job = site_of(everything)
    assert [*job.step.paths.values(), *job.step.text_files] == [
        f"data/aggregate/{SITE}/{role}.parquet" for role in ("files", "pictures")
    ]
    assert job_of(everything, job.step) == "aggregate site"
    assert kind_of(job) is Kind.CPU
    assert not [path for paths in targets(everything).values() for path in paths if path.startswith("site/")]
    assert "whatif.results.site.build" in code_version(job.code_roots)


def test_without_published_results_there_is_no_site() -> None:
    params = benchmarks.check_params(puzzles_and_baselines())
    assert SITE in benchmarks.graph(params).benchmarks
    assert site_benchmark([]).steps == ()


def test_nobody_selects_the_site() -> None:
    with pytest.raises(WhatifError, match=r"benchmarks\.0.*must be one of the installed benchmarks"):
        benchmarks.check_params({**puzzles_and_baselines(), "benchmarks": [SITE]})


def test_no_package_may_name_its_benchmark_like_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    information = tmp_path / "other_site-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: other-site\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[whatif.benchmarks]\nsite = other_site\n")
    monkeypatch.syspath_prepend(tmp_path)
    discovery.modules.cache_clear()
    discovery._registered.cache_clear()
    try:
        with pytest.raises(WhatifError, match="benchmark site: is in other_site; this is the name of the site of all"):
            benchmarks.benchmark("site")
    finally:
        discovery.modules.cache_clear()
        discovery._registered.cache_clear()


# A small project


pytestmark_of_runs = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Puzzles answered by baselines, without the site."""
    project = small(Project(tmp_path_factory.mktemp("project")))
    project.make()
    project.write_params()
    return project


def copied(made: Project, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    shutil.copytree(made.folder, folder)
    project = small(Project(folder))
    monkeypatch.chdir(folder)
    return project


@pytest.fixture
def project(made: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The small project with its site."""
    project = copied(made, tmp_path / "project", monkeypatch)
    project.make_jobs([site_of(project.graph)])
    return project


def whatif(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


@pytestmark_of_runs
def test_the_builder_gets_the_results_of_each_benchmark(
    made: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = copied(made, tmp_path / "project", monkeypatch)
    got: list[BenchmarkSource] = []

    further: list[str] = []

    def build(
        sources: Sequence[BenchmarkSource],
        publish: Publish,
        publish_picture: PublishPicture,
        extra: Sequence[built.ExtraPage],
    ) -> None:
        got.extend(sources)
        further.extend(one.path for one in extra)
        (source,) = sources
        publish("index.html", b"")
        images = project.rows("generate", "images")
        assert [len(row["image"]["bytes"]) < 65_536 for row in images] == [True] * len(images)
        shown = {picture["image_id"] for row in source.items for picture in row["pictures"]}
        for image_id in sorted(shown):
            publish_picture(f"{source.name}/{image_id}.png", source.picture(image_id))
        assert len(list(source.items)) == len(source.items) == len(list(source.items))

    monkeypatch.setattr(built, "build", build)
    project.make_jobs([site_of(project.graph)])
    assert further == ["contradictions.html"]
    (source,) = got
    assert (source.name, source.title) == (NAME, project.published("report.md").partition("\n")[0].removeprefix("# "))
    assert source.about == benchmarks.benchmark(NAME).about
    assert "table7" in source.frames and source.frames["table7"]["value"].notna().any()
    assert "table7" in {row["table"] for row in source.printed}
    assert source.files["report.md"].decode() == project.published("report.md")
    assert source.files[f"{NAME}.json"].decode() == project.text(f"metrics/{NAME}.json")
    assert all(name.endswith((".svg", ".png")) for name in source.figures)


@pytestmark_of_runs
def test_whatif_site_writes_what_is_missing_and_says_where_it_is(project: Project) -> None:
    before = {path: path.read_bytes() for path in Path(SITE).rglob("*") if path.is_file()}
    assert whatif(SITE).stdout.startswith(f"site/index.html: {len(before):,} files, ")
    shutil.rmtree(SITE)
    result = whatif(SITE)
    assert result.exit_code == 0 and f" ({len(before):,} written now)\n" in result.stdout
    assert {path: path.read_bytes() for path in before} == before


@pytestmark_of_runs
def test_whatif_site_says_why_it_is_not_fresh(project: Project) -> None:
    project.section("aggregate")["confidence"] = 0.9
    project.write_params()
    result = whatif(SITE)
    assert result.exit_code == 0
    assert result.stdout.startswith("STALE: ")
    assert f"aggregate.{NAME}.confidence: 0.95 -> 0.9 (aggregate {NAME})" in result.stdout
    assert "site/index.html: " in result.stdout.splitlines()[-1]


@pytestmark_of_runs
def test_whatif_site_sets_edited_pages_aside(project: Project) -> None:
    index = Path(SITE, "index.html")
    before = index.read_bytes()
    index.write_bytes(b"mine")
    result = whatif(SITE)
    assert result.stderr.startswith("set aside: .whatif/set-aside/site/index.html: site/index.html was edited")
    assert index.read_bytes() == before and Path(".whatif/set-aside/site/index.html").read_bytes() == b"mine"


@pytestmark_of_runs
def test_whatif_site_opens_the_browser(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(click, "launch", lambda address: opened.append(address) or 0)
    assert whatif(SITE, "--open").exit_code == 0
    assert opened == [Path(SITE, "index.html").resolve().as_uri()]
    monkeypatch.setattr(click, "launch", lambda address: 1)
    result = whatif(SITE, "--open")
    assert (result.exit_code, result.stderr) == (
        2,
        f"whatif: no browser could be started; open {Path(SITE, 'index.html').resolve()}\n",
    )


@pytestmark_of_runs
@pytest.mark.process
def test_whatif_site_serves_pictures_from_the_artifacts_until_ctrl_c(project: Project) -> None:
    before = {path: path.read_bytes() for path in Path(SITE).rglob("*") if path.is_file()}
    pictures = {path for path in before if path.parent.name in ("pictures", "differences")}
    assert len(pictures) > 10
    command = [sys.executable, "-m", "whatif", SITE, "--serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout and server.stderr
        assert server.stdout.readline().startswith(f"site/index.html: {len(before) - len(pictures):,} files, ")
        address = server.stdout.readline().partition(" ")[0]
        found = {}
        for path in before:
            with urllib.request.urlopen(address + path.relative_to(SITE).as_posix(), timeout=60) as answer:
                found[path] = answer.read()
        server.send_signal(signal.SIGINT)
        assert (server.wait(60), server.stdout.read(), server.stderr.read()) == (0, "\n", "")
    assert found == before
    assert {path for path in Path(SITE).rglob("*") if path.is_file()} == set(before) - pictures
    assert f" ({len(pictures):,} written now)\n" in whatif(SITE).stdout
    assert {path: path.read_bytes() for path in before} == before


@pytestmark_of_runs
def test_a_served_site_is_opened_and_nothing_is_removed_where_it_cannot_be_served(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    asked: list[int] = []

    def launch(address: str) -> int:
        opened.append(address)
        return 0

    def interrupted(server: SiteServer) -> None:
        asked.append(server.server_address[1])
        raise KeyboardInterrupt

    monkeypatch.setattr(click, "launch", launch)
    monkeypatch.setattr(SiteServer, "serve_forever", interrupted)
    before = sorted(Path(SITE).rglob("*"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = whatif(SITE, "--serve", "--port", str(taken.getsockname()[1]))
    assert result.exit_code == 2 and ": Address already in use; give another one, or 0 for any" in result.stderr
    path = project.paths("generate", "images")[0].relative_to(project.folder)
    path.rename("away")
    result = whatif(SITE, "--serve", "--port", "0")
    told = f"whatif: {path}: not there, and --serve reads pictures out of it; a run makes it\n"
    assert (result.exit_code, result.stderr) == (2, told)
    assert sorted(Path(SITE).rglob("*")) == before
    Path("away").rename(path)
    assert whatif(SITE, "--serve", "--open", "--port", "0").exit_code == 0
    assert opened == [f"http://127.0.0.1:{asked[0]}/"] and len(list(Path(SITE).rglob("*"))) < len(before)


@pytestmark_of_runs
def test_many_pictures_need_no_copies(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "--serve" not in whatif(SITE).stdout
    monkeypatch.setattr(commands, "_MANY_BYTES", 1_000)
    assert whatif(SITE).stdout.endswith("`whatif site --serve` shows the same without copies of the pictures.\n")


@pytestmark_of_runs
def test_a_choice_before_the_first_run_holds_for_it(
    made: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = copied(made, tmp_path / "project", monkeypatch)
    result = whatif(SITE, "--serve")
    assert result.exit_code == 2 and ": not there yet; " in result.stderr
    project.make_jobs([site_of(project.graph)])
    assert Path(SITE, "index.html").is_file() and not list(Path(SITE).rglob("pictures"))


@pytestmark_of_runs
def test_before_the_site_is_made_one_line_says_how(
    made: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied(made, tmp_path / "project", monkeypatch)
    result = whatif(SITE)
    assert result.exit_code == 2
    assert result.stderr.startswith("whatif: data/aggregate/site/files.parquet: not there yet; `dvc repro` or ")
    assert not Path(SITE).exists()


@pytestmark_of_runs
def test_other_commands_know_the_site_is_no_benchmark(project: Project) -> None:
    assert not any(line.startswith(SITE) for line in whatif("summary").stdout.splitlines())
    assert "whatif: site: is the site of all benchmarks; `whatif site` writes it" in whatif("show", SITE).stderr
    status = whatif("status", "--all").stdout
    assert "fresh     data/aggregate/site/files.parquet" in status
    page = [row for row in project.rows("aggregate", "files") if row["path"].startswith("site/")]
    assert page == []


def test_an_input_that_a_step_does_not_read_is_named_with_those_that_it_reads(everything: Graph) -> None:
    task = everything.jobs[-1].task(None, print)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match=r"reads no input 'shelfs'; its inputs are .*scenes files"):
        task.paths("shelfs")
