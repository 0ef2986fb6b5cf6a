"""Dry runs, failures and kills: nothing is lost, nothing half-made is believed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator

import pyarrow.parquet as pq
import pytest

from tests.pipeline.checkouts import ENTRY_POINTS, Checkout, by_snakemake
from tests.pipeline.power_cuts import job_of, kill_session, log_of, started, wait_until
from whatif.commands.job_server import VARIABLE

pytestmark = pytest.mark.pipeline

SNAKEMAKE = ENTRY_POINTS["snakemake"]
GENERATE = [*SNAKEMAKE, "--", "generate"]


@pytest.mark.soak
def test_modes_that_run_no_job_change_nothing(checkout: Checkout) -> None:
    checkout.set({"seed": 7, "models.again": {"adapter": "random"}, "models.majority": None})
    before, record = checkout.results(), checkout.path / ".whatif/last-run.json"
    assert json.loads(record.read_text()) == ["dvc", "repro"]
    record.write_text("[]")
    for mode in ("--dry-run", "--lint", "--list-rules", "--rulegraph", "--unlock"):
        done = checkout.run("snakemake", mode, check=False)
        assert checkout.results() == before
        assert record.read_text() == "[]"
        if mode == "--dry-run":
            assert "generate_cvqa_synthetic" in done.stdout
        # Jobs with the same reason share a line; what only follows from another job has none.
        assert "not fresh: generate cvqa-synthetic part-000-of-002 and 1 more: seed: 2024 -> 7" in done.stderr
        assert "not fresh: filter" not in done.stderr


@by_snakemake
def test_a_job_that_fails_is_a_failure_and_what_came_of_earlier_runs_stays(
    checkout: Checkout, entry_point: list[str]
) -> None:
    before = checkout.results()
    checkout.set({"aggregate.cvqa-synthetic.released_questions": "no/such/file.csv"})
    done = checkout.run(*entry_point, check=False)
    assert done.returncode != 0
    assert "whatif: no/such/file.csv: " in done.stdout + done.stderr
    assert "completed successfully" not in done.stdout + done.stderr
    assert checkout.results() == before
    assert checkout.run("git", "status", "--short", "metrics").stdout == ""


@pytest.mark.soak
def test_a_stage_by_hand_does_not_build_on_an_edited_input(checkout: Checkout) -> None:
    part = checkout.path / "data/generate/cvqa-synthetic/questions/part-000-of-002.parquet"
    before = checkout.results()
    table = pq.read_table(part)
    metadata = {k: v for k, v in pq.read_metadata(part).metadata.items() if k != b"ARROW:schema"}
    words = ["POISON", *table.column("question").to_pylist()[1:]]
    edited = table.set_column(table.column_names.index("question"), table.schema.field("question"), [words])
    with pq.ParquetWriter(part, table.schema) as writer:
        writer.write_table(edited)
        writer.add_key_value_metadata(metadata)
    (checkout.path / "data/filter/cvqa-synthetic/questions.parquet").unlink()
    done = checkout.run("whatif", "filter", "cvqa-synthetic", check=False)
    assert done.returncode == 2
    assert "part-000-of-002.parquet: was edited" in done.stderr
    checkout.run(*SNAKEMAKE)
    assert checkout.results() == before


@pytest.fixture
def full_disk(checkout: Checkout) -> Iterator[Callable[[], None]]:
    """The folder of puzzles on a file system of 64 KB, which is less than they take; call it to make room again."""
    folder = checkout.path / "data/generate/cvqa-synthetic"
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
    finished_checkout: Checkout, checkout: Checkout, entry_point: list[str], full_disk: Callable[[], None]
) -> None:
    shutil.rmtree(checkout.path / ".whatif/stash", ignore_errors=True)
    done = checkout.run(*entry_point, check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    # Whichever of the two parts comes first: the other may not even be able to begin a file.
    assert re.search(
        r"whatif: data/generate/cvqa-synthetic/\S+: (cannot be written \()?No space left on device", said
    ), said
    assert re.search(r"logs/generate/cvqa-synthetic/part-00[01]-of-002\.log", said), said
    full_disk()
    checkout.run(*entry_point)
    assert checkout.results() == finished_checkout.results()


def made(checkout: Checkout) -> dict[str, bytes]:
    """What the first two stages have made."""
    stages = ("data/extract/", "data/generate/")
    return {path: data for path, data in checkout.results().items() if path.startswith(stages)}


@pytest.mark.soak
def test_a_run_that_was_killed_goes_on_when_its_orphan_has_ended(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "no")  # no orphan outlives a job server
    checkout.set({"generate.cvqa-synthetic.puzzles_per_template": 60, "generate.cvqa-synthetic.shards": 1})
    images = checkout.path / "data/generate/cvqa-synthetic/images"
    killed = started(checkout, GENERATE)
    try:
        assert wait_until(lambda: list(images.glob(".part-000-of-001.*.tmp")), killed), log_of(checkout).read_text()
        orphan = job_of(killed)
        assert orphan is not None
        orphan.suspend()  # else it would see that Snakemake is gone, and end
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        checkout.run("snakemake", "--unlock")
        run = started(checkout, GENERATE)
        try:
            waits = "generate cvqa-synthetic part-000-of-001: waiting for another process that is making it"
            log = checkout.path / "logs/generate/cvqa-synthetic/part-000-of-001.log"
            assert wait_until(lambda: log.is_file() and waits in log.read_text(), run), log_of(checkout).read_text()
            orphan.resume()
            assert run.wait() == 0, log_of(checkout).read_text()
        finally:
            kill_session(run)
    finally:
        kill_session(killed)
    rows = pq.read_table(images / "part-000-of-001.parquet").to_pylist()
    assert len(rows) == 360
    assert all(hashlib.sha256(row["image"]["bytes"]).hexdigest() == row["image_id"] for row in rows)
    interrupted = made(checkout)
    checkout.run("snakemake", "--dry-run")  # whoever plans next removes what the orphan left
    assert not list((checkout.path / "data").rglob(".*.tmp"))
    checkout.forget()
    checkout.run(*GENERATE)
    assert made(checkout) == interrupted
