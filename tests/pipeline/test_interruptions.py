"""Dry runs, failures and kills: nothing is lost, nothing half-made is believed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.pipeline.conftest import ENTRY_POINTS, Checkout
from tests.pipeline.power_cuts import job_of, kill_session, log_of, started, wait_until

pytestmark = pytest.mark.pipeline

SNAKEMAKE = ENTRY_POINTS["snakemake"]


@pytest.mark.parametrize("mode", ["--dry-run", "--lint", "--list-rules", "--rulegraph", "--unlock"])
def test_modes_that_run_no_job_change_nothing(project: Checkout, mode: str) -> None:
    project.set({"seed": 7, "models.again": {"adapter": "random"}, "models.majority": None})
    before, record = project.results(), project.path / ".whatif/last-run.json"
    assert json.loads(record.read_text()) == ["dvc", "repro"]
    record.write_text("[]")
    done = project.run("snakemake", mode, check=False)
    assert project.results() == before
    assert record.read_text() == "[]"
    if mode == "--dry-run":
        assert "generate_cvqa-synthetic" in done.stdout
    # Jobs with the same reason share a line; what only follows from another job has none.
    assert "not fresh: generate cvqa-synthetic part-000-of-002 and 1 more: seed: 2024 -> 7" in done.stderr
    assert "not fresh: filter" not in done.stderr


def test_a_job_that_fails_is_a_failure_and_what_came_of_earlier_runs_stays(
    project: Checkout, entry_point: list[str]
) -> None:
    before = project.results()
    project.set({"aggregate.cvqa-synthetic.released_questions": "no/such/file.csv"})
    done = project.run(*entry_point, check=False)
    assert done.returncode != 0
    assert "whatif: no/such/file.csv: " in done.stdout + done.stderr
    assert "completed successfully" not in done.stdout + done.stderr
    assert project.results() == before
    assert project.run("git", "status", "--short", "metrics").stdout == ""


def test_a_stage_by_hand_does_not_build_on_an_edited_input(project: Checkout) -> None:
    part = project.path / "data/generate/cvqa-synthetic/questions/part-000-of-002.parquet"
    before = project.results()
    table = pq.read_table(part)
    metadata = {k: v for k, v in pq.read_metadata(part).metadata.items() if k != b"ARROW:schema"}
    words = ["POISON", *table.column("question").to_pylist()[1:]]
    edited = table.set_column(table.column_names.index("question"), table.schema.field("question"), [words])
    with pq.ParquetWriter(part, table.schema) as writer:
        writer.write_table(edited)
        writer.add_key_value_metadata(metadata)
    (project.path / "data/filter/cvqa-synthetic/questions.parquet").unlink()
    done = project.run("whatif", "filter", "cvqa-synthetic", check=False)
    assert done.returncode == 2
    assert "part-000-of-002.parquet: was edited" in done.stderr
    project.run(*SNAKEMAKE)
    assert project.results() == before


@pytest.fixture
def full_disk(project: Checkout) -> Iterator[Callable[[], None]]:
    """The folder of puzzles on a file system of 64 KB, which is less than they take; call it to make room again."""
    folder = project.path / "data/generate/cvqa-synthetic"
    shutil.rmtree(folder)
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"needs the right to mount a file system: {mounted.stderr.strip()}")

    def make_room() -> None:
        subprocess.run(["umount", str(folder)], check=True)

    yield make_room
    subprocess.run(["umount", "--quiet", str(folder)], check=False)


def test_a_full_disk_is_said_with_its_job_and_a_second_start_goes_on(
    finished: Checkout, project: Checkout, entry_point: list[str], full_disk: Callable[[], None]
) -> None:
    shutil.rmtree(project.path / ".whatif/stash", ignore_errors=True)
    done = project.run(*entry_point, check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    # Whichever of the two parts comes first: the other may not even be able to begin a file.
    assert re.search(
        r"whatif: data/generate/cvqa-synthetic/\S+: (cannot be written \()?No space left on device", said
    ), said
    assert re.search(r"logs/generate/cvqa-synthetic/part-00[01]-of-002\.log", said), said
    full_disk()
    project.run(*entry_point)
    assert project.results() == finished.results()


def test_a_run_that_was_killed_goes_on_when_its_orphan_has_ended(project: Checkout) -> None:
    project.set({"generate.cvqa-synthetic.puzzles_per_template": 60, "generate.cvqa-synthetic.shards": 1})
    images = project.path / "data/generate/cvqa-synthetic/images"
    killed = started(project, SNAKEMAKE)
    try:
        assert wait_until(lambda: list(images.glob(".part-000-of-001.*.tmp")), killed), log_of(project).read_text()
        orphan = job_of(killed)
        assert orphan is not None
        orphan.suspend()  # else it would see that Snakemake is gone, and end
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        project.run("snakemake", "--unlock")
        run = started(project, SNAKEMAKE)
        try:
            waits = "generate cvqa-synthetic part-000-of-001: waiting for another process that is making it"
            log = project.path / "logs/generate/cvqa-synthetic/part-000-of-001.log"
            assert wait_until(lambda: log.is_file() and waits in log.read_text(), run), log_of(project).read_text()
            orphan.resume()
            assert run.wait() == 0, log_of(project).read_text()
        finally:
            kill_session(run)
    finally:
        kill_session(killed)
    rows = pq.read_table(images / "part-000-of-001.parquet").to_pylist()
    assert len(rows) == 360
    assert all(hashlib.sha256(row["image"]["bytes"]).hexdigest() == row["image_id"] for row in rows)
    interrupted = project.results()
    project.run("snakemake", "--dry-run")  # whoever plans next removes what the orphan left
    assert not list((project.path / "data").rglob(".*.tmp"))
    for folder in ("data", "metrics", ".whatif", ".snakemake"):
        project.run("rm", "-rf", folder)
    project.run(*SNAKEMAKE)
    assert project.results() == interrupted


def test_two_runs_at_once_in_one_checkout(project: Checkout) -> None:
    from whatif.processes import locks

    here = Path.cwd()
    os.chdir(project.path)
    try:
        lock = locks.hold_checkout()
    finally:
        os.chdir(here)
    done = project.run(*SNAKEMAKE, check=False)
    assert done.returncode != 0
    assert f"this checkout is in use: process {os.getpid()} on " in done.stdout + done.stderr
    lock.close()
    project.run(*SNAKEMAKE)
