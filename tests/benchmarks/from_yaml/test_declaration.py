"""What a YAML file declares, and how its mistakes are reported."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.benchmarks.from_yaml.files import SCENES, project, scenes, template, write, write_table
from tests.projects import Project
from whatif.benchmarks import benchmark, installed
from whatif.benchmarks.discovery import modules, released
from whatif.engine.errors import WhatifError
from whatif.engine.graph.code_version import code_version
from whatif.engine.workflow.dvc_yaml import dvc_yaml, undeclared, undeclared_parameters


def mistakes(folder: Path, values: Any) -> list[str]:
    write(folder, values)
    with contextlib.chdir(folder), pytest.raises(WhatifError) as raised:
        benchmark("small")
    return str(raised.value).splitlines()


def test_a_file_is_a_benchmark_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, SCENES)
    assert "small" in installed(tmp_path)
    assert set(modules()) < set(installed(tmp_path))
    found = benchmark("small", tmp_path)
    assert (found.name, found.citation, found.licence) == ("small", "Nobody et al., 2026.", "CC0-1.0")
    assert found.about == SCENES["about"]
    assert found.file.endswith("benchmarks/small.yaml")


def test_a_project_without_the_folder_has_the_installed_ones(tmp_path: Path) -> None:
    assert installed(tmp_path) == sorted([*modules(), *released()])


@pytest.mark.parametrize(
    ("name", "told"),
    [("scenes", "is a benchmark of this name"), ("Not_A_Name", "must be named after"), ("site", "named")],
)
def test_the_name_of_a_file_must_be_its_own(tmp_path: Path, name: str, told: str) -> None:
    write(tmp_path, SCENES, name)
    with pytest.raises(WhatifError, match=told):
        installed(tmp_path)


def test_a_file_with_the_other_suffix_is_not_overlooked(tmp_path: Path) -> None:
    write(tmp_path, SCENES).rename(tmp_path / "benchmarks" / "small.yml")
    with pytest.raises(WhatifError, match=r"small\.yml: .* rename it to small\.yaml"):
        installed(tmp_path)


def test_several_mistakes_come_at_once_with_their_lines(tmp_path: Path) -> None:
    text = """\
title: Bad
about: Something.
licens: CC0-1.0
extract:
  scenes: {number: 5, sides: 64}
generate:
  templates:
    one:
      blanks: {tint: [yes, no]}
      original: "How many {tint} things {if}?"
      if: "if x"
      counterfactual: "How many?"
      answer: {original: "objects.x", counterfactual: "1"}
      change: always
      options: 1
filter: {pairs: 0}
"""
    lines = {line.split(": ")[0].split(":")[1]: line for line in mistakes(tmp_path, text)}
    assert set(lines) == {"3", "5", "9", "10", "12", "13", "15", "16"}
    assert "licens: unknown key; did you mean `licence`?" in lines["3"]
    assert "sides: unknown key; did you mean `side`?" in lines["5"]
    assert "put quotes around words such as yes and no" in lines["9"]
    assert "has no {if}; write {if}" in lines["12"]
    assert "answer.original" in lines["13"] and "uses Attribute" in lines["13"]
    assert "a question needs 2 to 8 different options" in lines["15"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"where": "count(objekts) > 1"},
            "where: objekts: there is no such name; did you mean `objects`? There are tint, objects, background",
        ),
        (
            {"where": "count(objects, color == tint) > 1"},
            "color: is no field of objects; did you mean `colour`? There are noun, colour, size",
        ),
        ({"blanks": {"colour": "values(objects, colour)"}}, "is also the name of a field of an object"),
        ({"blanks": {"background": ["x"]}}, "is also the name of an attribute"),
        ({"blanks": {"a": "[1]", "b": "[c]", "tint": ["red"]}}, "blanks.b: c: there is no such name"),
        (
            {"original": "How many {tints}?"},
            "{tints}: is neither a blank nor a plain attribute; did you mean `tint`? There are tint, background",
        ),
        ({"original": "How many {objects}?"}, "{objects}: is neither a blank nor a plain attribute"),
        ({"original": "How many {tint things?"}, "has a { that belongs to no name"),
        ({"counterfactual": "{If}, how many {{tint}} things?"}, "has a { that belongs to no name"),
        ({"if": "if one {tint} thing were taken away {if}"}, "only the counterfactual question has a presupposition"),
        ({"blanks": {"tint": ["red"], "in": ["a", "b"]}}, "in: is a word of expressions"),
        ({"options": ["2", "2"]}, "2 to 8 different options"),
        ({"blanks": {"tint": "values(objects"}}, "tint: is no expression"),
        ({"change": "sometimes"}, "'always', 'never' or 'either'"),
        ({"where": "1 +" * 300 + " 1"}, "characters; the most are 500"),
    ],
)
def test_a_mistake_in_a_template_names_what_would_be_right(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    found = mistakes(tmp_path, template(**changes))
    assert any(told in line and "benchmarks/small.yaml:" in line for line in found), found


def test_sources_must_be_one(tmp_path: Path) -> None:
    assert "either `scenes` or `table`" in mistakes(tmp_path, scenes(extract={"scenes": None}))[0]


def test_attributes_of_a_table_are_those_of_its_file(tmp_path: Path) -> None:
    write_table(tmp_path)
    values = template(where="colours == 'red'", blanks={}, original="How many?", counterfactual="How many {if}?")
    values["generate"]["templates"]["removed"] |= {
        "if": "if so",
        "answer": {"original": "number", "counterfactual": "name"},
    }
    values["generate"]["templates"]["removed"]["kind"] = "colour"
    values["extract"] = {"table": {"file": "table.csv", "folder": "pictures", "licence": "CC0-1.0"}}
    found = mistakes(tmp_path, values)
    assert len(found) == 1
    assert "colours: there is no such name; did you mean `colour`? There are name, picture, colour, number" in found[0]


def test_only_columns_that_expressions_can_name_are_attributes(tmp_path: Path) -> None:
    write_table(tmp_path)
    columns = {"size of it": 1, "größe": 2, "class": 3, "made": {"year": 2026}, "often": 4}
    rows = [{"picture": f"{number}.png", **columns, **({"late": 5} if number > 55 else {})} for number in range(60)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    values = template(where="late == 5 and größe == 2", blanks={}, original="{size of it} {class} {größe} {made}?")
    answers = {"original": "often", "counterfactual": "late"}
    values["generate"]["templates"]["removed"] |= {"counterfactual": "{If}?", "if": "if", "answer": answers}
    values["generate"]["templates"]["removed"]["kind"] = '"one"'
    values["extract"] = {"table": {"file": "rows.jsonl", "folder": "pictures", "licence": "CC0-1.0"}}
    found = mistakes(tmp_path, values)
    attributes = "picture, größe, often, late"
    unknown = [f"{{{name}}}: is neither a blank nor a plain attribute" for name in ("size of it", "class", "made")]
    assert [line.split(": ", 2)[2] for line in found] == [f"{wrong}; there are {attributes}" for wrong in unknown]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("declared"), SCENES)


def test_params_may_override_single_keys(small: Project) -> None:
    small.values["filter"]["small"] = {"pairs": 7}
    small.values["extract"]["small"] = {"limit": 3}
    try:
        job = small.jobs("filter")[0]
        assert job.reading.settings.filter.pairs == 7
        assert job.reading.settings.filter.draws == 1
        assert small.jobs("extract")[0].reading.settings.scenes.number == 120
        small.values["filter"]["small"] = {"pair": 7}
        with pytest.raises(WhatifError, match=r"filter\.small\.pair: unknown key; did you mean `pairs`"):
            small.jobs("filter")
    finally:
        del small.values["filter"]["small"], small.values["extract"]["small"]


def test_what_a_step_is_made_from_are_the_keys_that_it_reads(small: Project) -> None:
    by_name = {job.name: job.plain_parameters for job in small.jobs()}
    assert by_name["extract small"]["extract.small.scenes.number"] == 120
    generate = by_name["generate small part-000-of-002"]
    assert generate["generate.small.templates.removed.change"] == "always"
    assert not any(key.startswith(("filter.", "extract.", "aggregate.")) for key in generate)
    assert by_name["filter small"]["filter.small.pairs"] == 40
    report = next(job for job in small.jobs("aggregate") if not job.step.name)
    assert report.step.declared == {"title": "Small scenes", "headline": "original\ncounterfactual"}


def test_the_code_of_every_step_can_be_followed(small: Project) -> None:
    for job in small.jobs():
        assert any("from_yaml" in module for module in code_version(job.code_roots)), job.name


def test_dvc_watches_the_file(small: Project) -> None:
    with contextlib.chdir(small.folder):
        text = dvc_yaml(small.graph, small.values)
        assert text.count("benchmarks/small.yaml") == 6
        assert undeclared(small.graph, text) == []
        assert "benchmarks/small.yaml" in undeclared(small.graph, text.replace("benchmarks/small.yaml", "x"))


def test_dvc_names_the_stages_of_params_yaml_that_override_the_file(small: Project) -> None:
    def entries() -> dict[str, list[str]]:
        stages = yaml.safe_load(text)["stages"]
        return {stage: of.get("do", of)["params"] for stage, of in stages.items() if stage != "extract"}

    keys = ("seed", "benchmarks", "models")
    with contextlib.chdir(small.folder):
        text = dvc_yaml(small.graph, keys)
        before = entries()
        assert before["filter"] == ["seed", "benchmarks"]
        assert before["verify"] == ["seed", "benchmarks"]
        assert before["evaluate"] == ["seed", "benchmarks", "models.${key}"]
        small.values["filter"] = {"small": {"pairs": SCENES["filter"]["pairs"]}}
        assert undeclared_parameters(small.graph, text, {*keys, "filter"}) == ["filter"]
        text = dvc_yaml(small.graph, {*keys, "filter"})
        assert entries() == {
            **before,
            "filter": ["seed", "benchmarks", "filter"],
            "aggregate": ["seed", "benchmarks", "filter", "models"],  # its report reads them, too
        }
        assert undeclared_parameters(small.graph, text, {*keys, "filter"}) == []
