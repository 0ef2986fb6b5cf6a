"""The note of a run of all stages: what the later stages of the same `dvc repro` learn from it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from whatif.engine.workflow import ahead

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("code", "failed"), [(0, False), (1, True)])
def test_later_stages_of_the_same_run_learn_how_it_ended(code: int, failed: bool) -> None:
    assert ahead.earlier("17 1.5") is None
    assert ahead.run("17 1.5", [sys.executable, "-c", f"raise SystemExit({code})"]) == code
    assert ahead.earlier("17 1.5") == ahead.Ahead(failed)
    assert ahead.earlier("17 2.5") is None  # another process with the same id
    assert ahead.earlier(None) is None  # no `dvc repro` of all stages


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_note_and_ends_as_the_signal_says(number: signal.Signals) -> None:
    kill = f"import os; os.kill(os.getpid(), {int(number)}); import time; time.sleep(60)"
    assert ahead.run("17 1.5", [sys.executable, "-c", kill]) == 128 + number
    assert ahead.earlier("17 1.5") is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_are_passed_on_to_snakemake(number: signal.Signals, checkout: Path) -> None:
    program = textwrap.dedent(
        """
        import sys
        from whatif.engine.workflow import ahead
        wait = "import time; print('runs', flush=True); time.sleep(60)"
        sys.exit(ahead.run("17 1.5", [sys.executable, "-c", wait]))
        """
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None and process.stdout.readline() == b"runs\n"
        process.send_signal(number)
        assert process.wait() == 128 + number
    assert ahead.earlier("17 1.5") is None


@pytest.mark.parametrize("text", ["", "[]", '{"repro": "17 1.5"}', '{"failed": true}'])
def test_a_damaged_note_counts_as_none(checkout: Path, text: str) -> None:
    (checkout / ".whatif").mkdir()
    (checkout / ".whatif/ahead.json").write_text(text)
    assert ahead.earlier("17 1.5") is None
