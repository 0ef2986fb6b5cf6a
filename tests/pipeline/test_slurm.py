"""`snakemake --cores 8 --profile slurm` on a real Slurm: the bytes of the other entry points, and what it refuses."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.defaults import ROOT, puzzles_and_baselines
from tests.pipeline.checkouts import ENTRY_POINTS, Checkout, new_project
from tests.pipeline.slurm_cluster import AT_ONCE, PROGRAMS, SNAKEMAKE, Cluster, slurm, why_not
from tests.tutorials.runner import TUTORIALS, run_page
from whatif import benchmarks
from whatif.engine.cluster import resources
from whatif.engine.cluster.faults import check_cluster
from whatif.engine.errors import WhatifError
from whatif.engine.processes.locks import record_run

# Each job of Slurm starts Snakemake twice, in turn.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(3600)]

REFUSED = why_not()
with_slurm = pytest.mark.skipif(bool(REFUSED), reason=f"needs Slurm: {REFUSED}")
RESOURCES = "slurm/resources.yaml"
ANSWERS = "data/evaluate/random/cvqa-synthetic/predictions/part-000-of-002.parquet"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A Slurm of one node, which stops jobs that use more memory than they asked for."""
    with slurm(tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture
def unmade(finished_checkout: Checkout, tmp_path: Path) -> Iterator[Checkout]:
    """The finished project as its sources alone, nothing made."""
    finished_checkout.run("git", "clone", "--quiet", str(finished_checkout.path), str(tmp_path / "unmade"))
    checkout = Checkout(tmp_path / "unmade")
    shutil.rmtree(checkout.path / "metrics")
    yield checkout
    shutil.rmtree(checkout.path)


@pytest.fixture
def resources_read_anew() -> Iterator[None]:
    """What a process has read of slurm/resources.yaml is forgotten before the test and after it."""
    kept = (resources.load_resources, resources._wanted)
    for one in kept:
        one.cache_clear()
    yield
    for one in kept:
        one.cache_clear()


def start(checkout: Checkout, *command: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs a command, with everything that it started, for at most 50 minutes."""
    process = subprocess.Popen(
        command,
        cwd=checkout.path,
        env=checkout.environment | ({"PATH": path} if path else {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=3000)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        pytest.fail(f"{' '.join(command)} did not end\n{said}")
    return subprocess.CompletedProcess(command, process.returncode, said, "")


def submitted(checkout: Checkout) -> int:
    """How many jobs Slurm was given by the runs of a checkout."""
    said = (checkout.path / "logs/snakemake.log").read_text(encoding="utf-8")
    return said.count("has been submitted with SLURM jobid")


def change(checkout: Checkout, old: str, new: str) -> None:
    """Changes the first place of a text in slurm/resources.yaml: the kind `cpu`."""
    file = checkout.path / RESOURCES
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@with_slurm
def test_a_job_on_slurm_makes_what_dvc_made_and_both_entry_points_find_it_fresh(
    finished_checkout: Checkout, checkout: Checkout, cluster: Cluster
) -> None:
    (checkout.path / ANSWERS).unlink()
    checkout.forget(".whatif/stash")
    done = start(checkout, *SNAKEMAKE, *AT_ONCE, "--", ANSWERS)
    assert done.returncode == 0, done.stdout
    assert submitted(checkout) == 1
    assert (checkout.path / "logs/evaluate/cvqa-synthetic/random/part-000-of-002.log").read_text().endswith(" s\n")
    assert checkout.results() == finished_checkout.results()
    assert cluster.queue() == []
    assert checkout.jobs(ENTRY_POINTS["dvc"]) == {}
    assert "Nothing to be done" in checkout.run("snakemake", "--dry-run").stdout


@with_slurm
@pytest.mark.soak
def test_as_the_tutorial_says_slurm_makes_what_dvc_made_and_both_entry_points_find_it_fresh(
    finished_checkout: Checkout, unmade: Checkout, cluster: Cluster
) -> None:
    assert run_page(TUTORIALS / "on-slurm.md", unmade.path, source=unmade.path) == 3
    made = unmade.results()
    wanted = finished_checkout.results()
    assert sorted(made) == sorted(wanted)
    assert [path for path in wanted if made[path] != wanted[path]] == []
    # Fifteen jobs: those of a step that has parts, or several of it, went together.
    assert submitted(unmade) == 8
    assert cluster.queue() == []
    # What whatif said stands where every entry point writes it; Slurm's own logs of jobs that ended well are gone.
    assert (unmade.path / "logs/evaluate/cvqa-synthetic/random/part-001-of-002.log").read_text().endswith(" s\n")
    assert list((unmade.path / "logs/slurm").rglob("*.log")) == []
    assert unmade.jobs(ENTRY_POINTS["snakemake"]) == {}


@pytest.mark.soak
@pytest.mark.parametrize(
    "command", [pytest.param([*SNAKEMAKE, *AT_ONCE], marks=with_slurm), ["snakemake", "--cores", "2"]]
)
def test_where_one_job_makes_several_parts_the_bytes_are_the_same(
    finished_checkout: Checkout, unmade: Checkout, command: list[str], request: pytest.FixtureRequest
) -> None:
    if "slurm" in command:
        request.getfixturevalue("cluster")
    change(unmade, "most_jobs: 2000", "most_jobs: 1")
    done = start(unmade, *command)
    assert done.returncode == 0, done.stdout
    assert "15 jobs: up to 2 parts are made as one" in done.stdout
    assert "11 of 11 jobs done" in done.stdout
    assert submitted(unmade) == (8 if "slurm" in command else 0)
    assert unmade.results() == finished_checkout.results()
    assert unmade.jobs(ENTRY_POINTS["dvc"]) == {}


@with_slurm
@pytest.mark.soak
def test_slurm_makes_all_of_the_embedded_default_as_dvc_does(cluster: Cluster, tmp_path: Path) -> None:
    commands = {"dvc": ENTRY_POINTS["dvc"], "slurm": [*SNAKEMAKE, *AT_ONCE]}
    made = {}
    for name, command in commands.items():
        checkout = new_project(Checkout(tmp_path / name), {})
        done = start(checkout, *command)
        assert done.returncode == 0, done.stdout
        made[name] = checkout.results()
    assert len(made["dvc"]) > 100
    assert sorted(made["slurm"]) == sorted(made["dvc"])
    assert [path for path, data in made["dvc"].items() if made["slurm"][path] != data] == []
    assert cluster.queue() == []


@with_slurm
@pytest.mark.soak
def test_a_job_over_its_memory_is_named_with_its_log_and_a_second_start_goes_on(
    finished_checkout: Checkout, checkout: Checkout, cluster: Cluster
) -> None:
    (checkout.path / ANSWERS).unlink()
    change(checkout, "mem_mb: 2000", "mem_mb: 20")
    done = start(checkout, *SNAKEMAKE, *AT_ONCE, "--", ANSWERS)
    assert done.returncode != 0
    lines = [line for line in done.stdout.splitlines() if line.startswith("Slurm job ")]
    assert len(lines) == 2, done.stdout  # the second try asked for 40 MB
    for line in lines:
        assert "was stopped at its memory limit; raise `mem_mb` of `cpu` in slurm/resources.yaml" in line
        log = line.partition("Logs: ")[2].split(", ")[0]
        assert (checkout.path / log).is_file()
    assert not (checkout.path / ANSWERS).exists()
    change(checkout, "mem_mb: 20", "mem_mb: 2000")
    again = start(checkout, *SNAKEMAKE, *AT_ONCE, "--", ANSWERS)
    assert again.returncode == 0, again.stdout
    assert (checkout.path / ANSWERS).read_bytes() == (finished_checkout.path / ANSWERS).read_bytes()
    assert cluster.queue() == []


@with_slurm
def test_what_the_cluster_would_never_take_is_refused_before_anything_is_handed_in(
    unmade: Checkout, cluster: Cluster
) -> None:
    change(unmade, "slurm_partition: null", "slurm_partition: nope")
    done = start(unmade, *SNAKEMAKE)
    assert done.returncode != 0
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("whatif: slurm/resources.yaml: ")]
    assert line.startswith("whatif: slurm/resources.yaml: cpu: sbatch rejects ")
    assert "Invalid partition name specified" in line
    assert line.endswith("partitions here: main")
    assert "Traceback" not in done.stdout
    assert cluster.queue() == []


@with_slurm
@pytest.mark.parametrize(
    ("memory", "message"),
    [
        ("mem_mb: 900000", "cpu: sbatch rejects .*: Requested node configuration is not available"),
        ("mem_mb: 2000\n  constraint: large", "cpu: sbatch rejects .*: Invalid feature specification"),
        (
            "mem_mb: 2000",
            r"model.with_gpu: sbatch rejects .*: Invalid generic resource \(gres\) specification; "
            "for example evaluate cvqa-synthetic large",
        ),
    ],
)
def test_memory_a_feature_and_a_gpu_that_no_node_has_are_refused_too(
    folder: Path, cluster: Cluster, resources_read_anew: None, memory: str, message: str
) -> None:
    values = puzzles_and_baselines()
    values["models"]["large"] = {"adapter": "hf-chat", "checkpoint": "some/checkpoint", "device": "cuda"}
    text = (ROOT / RESOURCES).read_text(encoding="utf-8").replace("mem_mb: 2000", memory, 1)
    (folder / "slurm").mkdir()
    (folder / RESOURCES).write_text(text, encoding="utf-8")
    with pytest.raises(WhatifError, match=rf"slurm/resources\.yaml: {message}"):
        check_cluster(benchmarks.graph(benchmarks.check_params(values)), print)


@pytest.mark.soak
@with_slurm
def test_while_jobs_of_a_killed_run_wait_in_the_queue_nothing_goes_on(
    unmade: Checkout, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(unmade.path)
    record_run(SNAKEMAKE)
    cluster.run("sbatch", "--hold", "--wrap=true", "--output=/dev/null", "--chdir=/")
    waiting = cluster.run("sbatch", "--hold", "--wrap=true", "--output=/dev/null", "--parsable").strip()
    done = unmade.run("whatif", "resume", "--entry-point", "dvc", "--", "extract", check=False)
    assert done.returncode == 1
    assert f"this checkout is in use: Slurm jobs {waiting} wait or run; " in done.stderr
    assert done.stderr.endswith(f", or cancel them: scancel {waiting}\n")
    cluster.run("scancel", "--user=root")
    done = unmade.run("whatif", "resume", "--entry-point", "dvc", "--", "extract")
    assert "continuing: dvc repro extract" in done.stderr


@pytest.mark.soak
def test_without_slurm_one_line_says_where_to_start_and_a_dry_run_works(checkout: Checkout, tmp_path: Path) -> None:
    shown = tmp_path / "bin"
    shown.mkdir()
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    names = {program.name for folder in folders if folder.is_dir() for program in folder.iterdir()}
    for name in names - {*PROGRAMS, "sacct", "sacctmgr", "srun", "sshare"}:
        if found := shutil.which(name):
            (shown / name).symlink_to(found)
    path = f"{Path(sys.executable).parent}{os.pathsep}{shown}"
    done = start(checkout, *SNAKEMAKE, path=path)
    assert done.returncode != 0
    assert "--profile slurm: no `sbatch` on the path; run this on a login node" in done.stdout
    assert "Traceback" not in done.stdout
    planned = start(checkout, *SNAKEMAKE, "--dry-run", path=path)
    assert planned.returncode == 0, planned.stdout
