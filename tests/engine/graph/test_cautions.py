"""One line for each benchmark that puts embedded checkpoints to work on what comes from outside the drawn scenes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.command_line import whatif
from tests.defaults import shipped_values
from whatif import benchmarks
from whatif.commands.cli import main
from whatif.commands.snakemake import open_graph
from whatif.engine.graph.cautions import cautions
from whatif.engine.graph.graph import Graph
from whatif.engine.processes import locks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
ALL = [
    "cvqa-synthetic",
    "cvqa-synthetic-released",
    "cvqa-real",
    "scenes",
    "coco-counterfactuals",
    "coco-counterfactuals-released",
]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose params.yaml finds the embedded checkpoints where it names them."""
    (tmp_path / "src").symlink_to(ROOT / "src")
    monkeypatch.chdir(tmp_path)


def values(**changes: Any) -> dict[str, Any]:
    found: dict[str, Any] = shipped_values()
    found["extract"]["coco-counterfactuals"]["captions"] = "captions.jsonl"
    found["extract"]["cvqa-real"]["questions"] = "released.csv"
    return {**found, "benchmarks": ALL, **changes}


def graph(found: dict[str, Any]) -> Graph:
    return benchmarks.graph(benchmarks.check_params(found))


def test_each_benchmark_that_takes_something_from_outside_has_one_line() -> None:
    made = graph(values())
    lines = {line.split(": ")[1]: line for line in cautions(made, made.jobs)}
    assert set(lines) == {"cvqa-real", *ALL[1:2], *ALL[-2:]}
    assert all("\n" not in line and line.startswith("warning: ") for line in lines.values())
    assert "(clip, llava-counterfactual, llava-original, owlv2)" in lines["cvqa-real"]  # those of tools too
    assert "(llava-counterfactual, llava-original)" in lines["cvqa-synthetic-released"]
    assert "(causal-language, clip, diffusion, masked-language, vilt)" in lines["coco-counterfactuals"]
    assert "(clip, vilt)" in lines["coco-counterfactuals-released"]


def test_questions_of_vqa_are_from_outside() -> None:
    found = values(benchmarks=["cvqa-real"])
    found["extract"]["cvqa-real"].update(questions=None, vqa={"questions": "q.json", "annotations": "a.json"})
    made = graph(found)
    assert len(cautions(made, made.jobs)) == 1


def test_drawn_scenes_and_checkpoints_from_elsewhere_have_none() -> None:
    drawn = values(benchmarks=["cvqa-synthetic", "cvqa-real", "scenes", "coco-counterfactuals"])
    drawn["extract"]["coco-counterfactuals"]["captions"] = drawn["extract"]["cvqa-real"]["questions"] = None
    made = graph(drawn)
    assert cautions(made, made.jobs) == []
    elsewhere = values(benchmarks=["coco-counterfactuals-released"])
    elsewhere["models"] = {"clip": {"adapter": "dual-encoder", "checkpoint": "openai/clip-vit-base-patch32"}}
    made = graph(elsewhere)
    assert cautions(made, made.jobs) == []


@pytest.mark.parametrize(("asked_for", "lines"), [((), 1), (("extract",), 0), (("evaluate-clip",), 1)])
def test_whoever_plans_says_it_once(monkeypatch: pytest.MonkeyPatch, asked_for: tuple[str, ...], lines: int) -> None:
    found = values(benchmarks=["coco-counterfactuals"])
    Path("params.yaml").write_text(yaml.safe_dump(found), encoding="utf-8")
    whatif("dvc-yaml")
    ends: list[Callable[[], None]] = []
    monkeypatch.setattr("atexit.register", ends.append)
    said: list[str] = []
    try:
        open_graph(found, schedules=True, say=said.append, asked_for=asked_for)
        open_graph(found, schedules=False, say=said.append, asked_for=asked_for)
    finally:
        for end in ends:
            end()
    assert len([line for line in said if line.startswith("warning: ")]) == lines


@pytest.mark.parametrize("planned", [False, True])
def test_a_stage_that_is_run_by_hand_says_it_unless_whoever_planned_has(planned: bool) -> None:
    Path("params.yaml").write_text(yaml.safe_dump(values(benchmarks=["coco-counterfactuals"])), encoding="utf-8")
    arguments = ["generate", "coco-counterfactuals", "--step", "candidates"]
    if planned:
        with locks.hold_checkout():
            done = CliRunner().invoke(main, arguments)
    else:
        done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2, "there are no captions"
    assert done.output.count("(masked-language) were trained on drawings alone") == (0 if planned else 1)
