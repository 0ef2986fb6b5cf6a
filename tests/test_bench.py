"""Every measurement of `make bench` runs, at a small size."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from bench import NotInstalledError
from bench import __main__ as bench

pytestmark = [pytest.mark.process, pytest.mark.slow]
# These run whole projects, or a server with a model, which tests/pipeline and tests/models do in `make test`.
SOAK = {"noop-repro", "repro", "restore-repro", "served", "same-evaluation"}
# These take longest at a small size.
SOAK |= {"perplexity", "caption-candidates", "aggregate-10m", "generate-batch", "site-50k-items"}
# These measure with other inputs what `perplexity` and `rank-options` measure, or train as tests/fine_tuning does.
SOAK |= {"perplexity-apart", "rank-unconditional", "contrastive-epoch"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in SOAK)) for name in bench.MEASUREMENTS]
)
def test_measures_at_a_small_size(name: str) -> None:
    try:
        result = bench.measured(name, small=True)
    except NotInstalledError as missing:
        pytest.skip(f"{missing} is not installed")
    assert result["name"] == name
    assert result["unit"]
    assert result["peer_name"]
    assert min(result["ours"], result["peer"], result["ratio"]) > 0


def test_a_failure_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"sandbox": "puzzle_images", "diff": "recall_at_k", "served": "scene_pictures"}
    modules = {name: importlib.import_module(f"bench.{module}") for name, module in names.items()}
    for name, module in modules.items():
        for constant, value in module.SMALL.items():
            monkeypatch.setattr(module, constant, value)
        monkeypatch.setitem(bench.MEASUREMENTS, name, module.__name__)

    def broken() -> None:
        raise AssertionError("made up")

    def without() -> None:
        raise ModuleNotFoundError("no module", name="made_up_library")

    monkeypatch.setattr(modules["sandbox"], "measure", broken)
    monkeypatch.setattr(modules["served"], "measure", without)
    monkeypatch.setattr(bench, "FILE", tmp_path / "bench.json")
    with pytest.raises(SystemExit) as ended:
        bench.main(["sandbox", "served", "diff"])
    assert ended.value.code == "bench: failed: sandbox"
    said = capsys.readouterr()
    assert "AssertionError: made up" in said.err
    assert "served                  left out: made_up_library is not installed" in said.out
    assert "diff" in said.out
    assert "diff" in (tmp_path / "bench.json").read_text(encoding="utf-8")
