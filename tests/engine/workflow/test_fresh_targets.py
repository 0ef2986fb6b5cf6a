"""A target that was found fresh stays so until anything that decides it is touched."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from whatif.engine.workflow import fresh_targets
from whatif.engine.workflow.fresh_targets import Basis

PARAMS, SOURCE, OUTPUT, CODE = Path("params.yaml"), Path("folder"), Path("data/output.parquet"), Path("package")


@pytest.fixture(autouse=True)
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project in which the target `extract` was found fresh and `generate` was not."""
    monkeypatch.chdir(tmp_path)
    for path in (PARAMS, SOURCE / "deep" / "picture.png", OUTPUT, CODE / "module.py", CODE / "inner" / "other.py"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("as it was")
    basis = Basis.taken([CODE], [PARAMS, SOURCE, Path("not-there")])
    fresh_targets.note("extract", basis, [OUTPUT])


def append(path: Path) -> Callable[[], None]:
    return lambda: path.write_text(path.read_text() + " no more")


def test_it_holds_while_nothing_is_touched() -> None:
    assert fresh_targets.holds("extract")
    assert not fresh_targets.holds("generate")


def test_it_holds_when_dvc_has_recorded_an_output() -> None:
    OUTPUT.chmod(0o644)
    assert fresh_targets.holds("extract")


@pytest.mark.parametrize(
    "touch",
    [
        append(PARAMS),
        append(OUTPUT),
        append(SOURCE / "deep" / "picture.png"),
        append(CODE / "module.py"),
        append(CODE / "inner" / "other.py"),
        OUTPUT.unlink,
        lambda: (SOURCE / "another.png").write_text("new"),
        lambda: (CODE / "new.py").write_text("new"),
        (CODE / "module.py").unlink,
        lambda: Path("not-there").write_text("now it is"),
        lambda: os.utime(OUTPUT, (1, 1)),
        lambda: OUTPUT.write_text("as it is!"),
        lambda: Path("copy").write_text("as it was") and Path("copy").replace(OUTPUT),
        lambda: Path(".whatif/fresh/extract.json").write_text("no JSON"),
        lambda: Path(".whatif/fresh/extract.json").write_text("[]"),
    ],
)
def test_it_holds_no_more_when_anything_that_decides_it_is_touched(touch: Callable[[], object]) -> None:
    touch()
    assert not fresh_targets.holds("extract")


def test_what_changes_while_the_graph_is_looked_at_is_noticed() -> None:
    basis = Basis.taken([CODE], [PARAMS])
    append(PARAMS)()
    fresh_targets.note("generate", basis, [OUTPUT])
    assert not fresh_targets.holds("generate")
