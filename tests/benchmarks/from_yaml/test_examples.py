"""The three examples: short, valid, and right about their pictures; on fewer rows than they are made for."""

from __future__ import annotations

import contextlib
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.benchmarks.from_yaml.files import project
from tests.defaults import ROOT
from tests.projects import Project
from whatif.engine.language.options import LETTERS

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples" / "benchmarks"
FILES = sorted(EXAMPLES.glob("*.yaml"))
MOST_LINES = 60
Question = dict[str, Any]


def made(folder: Path, name: str, scenes: int = 0) -> Project:
    values = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))
    if scenes:
        values["extract"]["scenes"] |= {"number": scenes, "side": 32}
    values["filter"] |= {"pairs": 40, "draws": 1}
    found = project(folder, values, name)
    found.make("extract", "generate", "filter", "verify")
    return found


def pairs(found: Project) -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Of each pair the right answers, what is known of it, and the attributes of its row."""
    attributes = {row["row_id"]: json.loads(row["attributes"]) for row in found.rows("extract", "rows")}
    by_pair: dict[str, dict[str, Question]] = {}
    for row in found.rows("verify", "questions"):
        by_pair.setdefault(row["pair_id"], {})[row["variant"]] = row
    known = []
    for both in by_pair.values():
        original, counterfactual = both["original"], both["counterfactual"]
        told = {**json.loads(original["provenance"]), "group": original["group"]}
        known.append((_right(original), _right(counterfactual), told, attributes[told["row"]]))
    assert len(known) == 40
    return known


def _right(question: Question) -> str:
    return str(question["choices"][LETTERS.index(question["answer"])])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_is_short_and_makes_a_thousand_pairs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    values = yaml.safe_load(text)
    assert values["filter"]["pairs"] == 1000
    assert values["about"] and values["licence"]


def test_there_are_three() -> None:
    assert [path.stem for path in FILES] == ["changes-iff-it-should", "false-presupposition", "prior-against-picture"]


def test_the_answer_changes_if_and_only_if_it_should(tmp_path: Path) -> None:
    groups = []
    for original, counterfactual, told, row in pairs(made(tmp_path, "changes-iff-it-should", 400)):
        tint = told["blanks"]["tint"]
        assert int(original) == sum(thing["colour"] == tint for thing in row["objects"])
        assert int(original) - int(counterfactual) == (told["group"] == "relevant")
        assert told["presupposition"].startswith("if one ")
        groups.append(told["group"])
    assert groups.count("relevant") == groups.count("irrelevant") == 20


def test_a_false_presupposition_is_said_to_be_false(tmp_path: Path) -> None:
    kinds = []
    for original, counterfactual, told, row in pairs(made(tmp_path, "false-presupposition", 400)):
        shape = told["blanks"]["shape"]
        shown = [thing["colour"] for thing in row["objects"] if thing["noun"] == shape]
        absent = f"there is no {shape}"
        assert original == (shown[0] if shown else absent)
        assert counterfactual == (row["background"] if shown else absent)
        kinds.append(told["kind"])
        assert told["kind"] == ("holds" if shown else "false")
    assert 2 <= kinds.count("false") <= 20


def test_the_picture_contradicts_what_is_usual(tmp_path: Path) -> None:
    draw = runpy.run_path(str(EXAMPLES / "draw_coloured_things.py"))["draw"]
    draw(tmp_path / "sources" / "coloured-things", pictures=240, seed=2024)
    with contextlib.chdir(tmp_path):
        found = made(tmp_path, "prior-against-picture")
    kinds = []
    for original, counterfactual, told, row in pairs(found):
        other = told["blanks"]["other"]
        swapped = {row["usual"]: other, other: row["usual"]}
        assert (original, counterfactual) == (row["colour"], swapped.get(row["colour"], row["colour"]))
        kinds.append(told["kind"])
    assert 2 <= kinds.count("usual") <= 20
