"""What a killed run leaves behind is removed, and who lives is seen."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from whatif.commands import recovery
from whatif.engine.files.atomic import open_temporary
from whatif.engine.processes import locks, owners


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    for folder in (".dvc/tmp", "data", ".snakemake/locks", ".snakemake/incomplete"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


@contextmanager
def _at_work(folder: Path, program: str, *words: str) -> Iterator[int]:
    """A living process that is called like one of ours; its id."""
    script = folder / "bin" / program
    script.parent.mkdir(exist_ok=True)
    script.write_text("import time\nprint(flush=True)\ntime.sleep(600)\n")
    process = subprocess.Popen([sys.executable, script, *words], cwd=folder, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def test_locks_marks_and_temporary_files_of_the_dead_are_removed(checkout: Path) -> None:
    left = [".snakemake/locks/0.output.lock", ".snakemake/incomplete/abc", "data/.part.parquet.1-a.tmp"]
    left += ["data/part.parquet.x9.tmp", ".dvc/tmp/rwlock"]
    for name in left:
        (checkout / name).write_text('{"write": {"data": {"pid": 1, "cmd": "dvc repro"}}, "read": {}}')
    done = recovery.clear()
    assert not [name for name in left if (checkout / name).exists()]
    assert any("DVC's locks of process 1, which is gone" in line for line in done)
    assert any("data: removed 2 temporary files" in line for line in done)
    assert recovery.clear() == []


def test_a_temporary_file_whose_writer_lives_stays(checkout: Path) -> None:
    file, temporary = open_temporary(checkout / "data/part.parquet")
    with file:
        assert recovery.clear() == []
        assert temporary.exists()
    recovery.clear()
    assert not temporary.exists()


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "at_work"),
    [
        (("snakemake", "--cores", "2"), True),
        (("dvc", "repro"), True),
        (("whatif", "generate", "cvqa-synthetic"), True),
        (("whatif", "show", "cvqa-synthetic"), False),
        (("dvc", "daemon", "analytics"), False),
        (("other", "snakemake"), False),
    ],
)
def test_who_lives_is_seen_in_this_checkout_and_no_other(
    checkout: Path, command: tuple[str, ...], at_work: bool
) -> None:
    other = checkout / "elsewhere"
    (other / ".dvc").mkdir(parents=True)
    with _at_work(checkout, *command) as pid:
        assert owners.running(other) == []
        assert [one.pid for one in owners.running(checkout)] == ([pid] if at_work else [])
        if at_work:
            with pytest.raises(owners.InUseError, match=rf"in use: process {pid} \({' '.join(command)}\) since 20"):
                owners.check_free(checkout)
    owners.check_free(checkout)


@pytest.mark.process
def test_a_dvc_repro_between_two_stages_is_first(checkout: Path) -> None:
    with _at_work(checkout, "dvc", "repro") as pid:
        (checkout / ".dvc/tmp/lock").write_text(f" {pid}\n")
        with pytest.raises(owners.InUseError, match=f"process {pid} "):
            locks.hold_checkout()
    locks.hold_checkout().close()


def test_how_a_run_was_started_is_known_to_who_goes_on(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert locks.last_run() == []
    for command_line, recorded in (
        (["/usr/bin/python3.11", "-u", "/opt/bin/snakemake", "--cores", "8"], ["snakemake", "--cores", "8"]),
        (["python", "-m", "snakemake", "-c1"], ["snakemake", "-c1"]),
    ):
        monkeypatch.setattr(sys, "orig_argv", command_line)
        locks.record_run()
        assert locks.last_run() == recorded
    monkeypatch.setenv("DVC_STAGE", "extract")
    locks.record_run()
    assert locks.last_run() == ["dvc", "repro"]
    (checkout / ".whatif/last-run.json").write_text("{")
    assert locks.last_run() == []


@pytest.mark.process
def test_a_held_lock_counts_where_no_process_is_seen(checkout: Path) -> None:
    script = (
        "import sys, time; from whatif.engine.processes import locks\n"
        "with locks.hold_job('generate part-000', print): print(flush=True); time.sleep(600)"
    )
    holder = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(owners.InUseError, match=rf"held by process {holder.pid} on .*generate part-000"):
            owners.check_free(checkout)
    finally:
        holder.kill()
        holder.communicate()
    owners.check_free(checkout)
