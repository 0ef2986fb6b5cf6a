"""`stages/`: what a clone shows of Snakemake's rules, and that they are those of the graph."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.defaults import ROOT
from tests.engine.workflow.test_dvc_yaml import default_graph
from whatif import benchmarks
from whatif.commands.snakemake import inputs_from_others, paths_of
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import STAGES
from whatif.engine.workflow.project_files import project_files
from whatif.engine.workflow.stage_files import check_stage_files, stage_files

_CALL = re.compile(r'(\w+)\("([^"]*)"(?:, keep="([^"]*)")?\)')


def test_each_stage_has_a_file_of_its_rules() -> None:
    for stage in STAGES:
        rules = re.findall(
            r"^rule (\w+):$", (ROOT / "stages" / f"{stage}.smk").read_text(encoding="utf-8"), re.MULTILINE
        )
        assert rules == [step.rule for step in default_graph().steps(stage)]


def test_the_inputs_that_rules_name_are_those_that_the_jobs_read() -> None:
    graph = default_graph(benchmarks=benchmarks.installed())
    steps = {step.rule: step for stage in STAGES for step in graph.steps(stage)}
    rules = [rule for text in stage_files(graph).values() for rule in text.split("\n\n\nrule ")[1:]]
    assert len(rules) == len(steps)
    for rule in rules:
        step = steps[rule.partition(":")[0]]
        lines = rule.partition("    input:\n")[2].partition("    output:\n")[0].splitlines()
        patterns: list[str] = []
        for line in lines:
            if call := _CALL.search(line):
                name, given, kept = call.groups()
                made = paths_of(graph, given, (kept or "").split()) if name == "all_of" else None
                patterns += inputs_from_others(graph, step) if made is None else made
            else:
                patterns.append(line.strip(' ",'))
        for job in graph.jobs_of(step):
            read = {pattern.format(**job.wildcards) for pattern in patterns}
            assert read == set(map(str, job.input_paths)), job.name


def test_a_rule_that_is_not_its_steps_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    graph = default_graph()
    with pytest.raises(WhatifError, match=r"^stages/extract.smk: is missing; run `whatif dvc-yaml`$"):
        check_stage_files(graph)
    for path, text in stage_files(graph).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    check_stage_files(graph)
    # Another value, and benchmarks that are no longer selected, need no other rules; a new benchmark does.
    check_stage_files(default_graph(benchmarks=["cvqa-real"], seed=7))
    with pytest.raises(WhatifError, match=r"has no rule extract_cvqa_synthetic_released as its step declares it; run "):
        check_stage_files(default_graph(benchmarks=["cvqa-synthetic", "cvqa-synthetic-released"]))
    edited = Path("stages/filter.smk")
    edited.write_text(edited.read_text(encoding="utf-8").replace("generate/scenes", "generate/other"), encoding="utf-8")
    with pytest.raises(
        WhatifError, match=r"^stages/filter.smk: has no rule filter_scenes as its step declares it; run "
    ):
        check_stage_files(graph)


def test_every_project_says_what_belongs_into_its_data_and_names_no_remote() -> None:
    found = project_files()
    shown = (ROOT / "data" / "README.md").read_bytes()
    assert found["data/README.md"] == shown
    assert all(f"`{stage}/" in shown.decode() for stage in STAGES)
    for config in (found[".dvc/config"], (ROOT / ".dvc" / "config").read_bytes()):
        assert b"remote" not in config
