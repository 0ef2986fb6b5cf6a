"""Gates: which changes they stop, by hand-computed numbers, and what they write for people and machines."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command_line import whatif
from tests.results.comparison.made_up import BENCHMARK, Asked, asked, between, compared, write_run
from whatif.engine.errors import WhatifError
from whatif.engine.params.gates import gate
from whatif.results.comparison.gate_checks import Check, checks_of, junit_of, line_of, summary_of

PAIRS = 40
# Of 40 pairs (original, counterfactual): A has 30 and 20 right, B has 30 and 10; both of a pair: 20, then 10.
BEFORE = [right for pair in range(PAIRS) for right in (pair < 30, pair < 20)]
AFTER = [right for pair in range(PAIRS) for right in (pair < 30, pair < 10)]


def checked(folder: Path, *rules: str, before: list[bool] = BEFORE, after: list[bool] = AFTER) -> list[Check]:
    between(folder, asked(PAIRS), {"one": before}, {"one": after})
    return checks_of(compared(folder / "a", folder / "b", of_pairs=True), [gate(rule) for rule in rules])


@pytest.mark.parametrize(
    ("rule", "failed"),
    [
        ("drop > 2 points", ["drop"]),  # 25 -> 50
        ("drop > 25", []),
        ("drop > 24.9", ["drop"]),
        ("drop < -1", []),
        ("pair accuracy < -2 points", ["pair accuracy"]),  # 50 -> 25
        ("accuracy < -2 points", ["counterfactual accuracy"]),  # 50 -> 25; that of originals stays
        ("original accuracy < -2 points", []),
        ("counterfactual accuracy<-24 points,significant", ["counterfactual accuracy"]),
        (f"{BENCHMARK}: drop > 2 significant", ["drop"]),
    ],
)
def test_a_gate_stops_the_changes_that_it_names(tmp_path: Path, rule: str, failed: list[str]) -> None:
    assert [one.change.measure for one in checked(tmp_path, rule) if one.failed] == failed


def test_numbers_are_percentages_and_points(tmp_path: Path) -> None:
    drop, pair = (one.change for one in checked(tmp_path, "drop > 2", "pair accuracy < -2"))
    assert (drop.a, drop.b, drop.difference) == (25, 50, 25)
    assert (pair.a, pair.b, pair.difference) == (50, 25, -25)
    assert drop.low is not None and drop.high is not None and 0 < drop.low < 25 < drop.high
    assert drop.p_holm is not None and pair.p_holm is not None
    assert pair.p_holm == pytest.approx(2 / 2**10)  # McNemar's exact test of 0 and 10


def test_a_change_by_chance_passes_a_gate_that_asks_for_significance(tmp_path: Path) -> None:
    after = [right and place != 1 for place, right in enumerate(BEFORE)]  # one counterfactual answer is wrong now
    plain, significant = checked(tmp_path, "drop > 1", "drop > 1, significant", after=after)
    assert plain.failed and not significant.failed
    assert plain.change.difference == pytest.approx(2.5)


def test_an_original_question_with_several_counterfactuals_is_in_several_pairs(tmp_path: Path) -> None:
    variants = ("basic", "counterfactual", "counterfactual1")
    questions = [Asked(pair, variant) for pair in range(4) for variant in variants]
    before = {"one": [True] * 12}
    after = {"one": [True, False, True] * 4}
    between(tmp_path, questions, before, after)
    (drop,) = checks_of(compared(tmp_path / "a", tmp_path / "b", of_pairs=True), [gate("drop > 0")])
    assert (drop.change.a, drop.change.b) == (0, 50)


def test_the_same_rows_pass_and_nothing_to_check_does_not(tmp_path: Path) -> None:
    assert checked(tmp_path / "same", "drop > 0", after=BEFORE) == []
    with pytest.raises(WhatifError, match=r"^drop > 0: both sides have no drop, so nothing was checked"):
        between(tmp_path, [Asked(0, "left"), Asked(1, "right")], {"one": [True, True]}, {"one": [True, False]})
        checks_of(compared(tmp_path / "a", tmp_path / "b", of_pairs=True), [gate("drop > 0")])
    with pytest.raises(WhatifError, match=r"no accuracy of cfmm, so nothing was checked"):
        checked(tmp_path / "other", "cfmm: accuracy < 0")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("drop", "is no rule; one is"),
        ("drop >= 2", "is no rule; one is"),
        ("drop > two points", "is no rule; one is"),
        ("acc_plus < -1, significant", "there is a test for accuracy, drop and pair accuracy, not for acc_plus"),
    ],
)
def test_what_is_no_rule_is_one_line(rule: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        gate(rule)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders with results, `a` and `b`, with a headline that fell from 62.5 to 37.5."""
    for name, right, headline in (("a", BEFORE, 62.5), ("b", AFTER, 37.5)):
        write_run(tmp_path / name, asked(PAIRS), {"one|two": right})
        (tmp_path / name / "metrics").mkdir()
        (tmp_path / name / f"metrics/{BENCHMARK}.json").write_text(json.dumps({"one|two": {"acc_plus": headline}}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_ends_with_one_and_a_line_for_each_breach(runs: Path) -> None:
    done = whatif("diff", "./a", "./b", "--fail-on", "drop > 2 points", "--fail-on", "acc_plus < -1 points")
    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "whatif: drop > 2 points: toys one|two plain: drop 25.0 -> 50.0, +25.0 [+11.0, +39.0], Holm p <0.001",
        "whatif: acc_plus < -1 points: toys one|two: acc_plus 62.5 -> 37.5, -25.0",
    ]
    assert "Answers: " in done.stdout
    assert whatif("diff", "./a", "./b", "--fail-on", "drop > 30").exit_code == 0
    refused = whatif("diff", "./a", "./b", "--fail-on", "acc_minus < 0")
    assert refused.exit_code == 2 and "the numbers of metrics/*.json are acc_plus" in refused.stderr


def test_files_for_machines_and_pull_requests(runs: Path) -> None:
    options = ("--fail-on", "drop > 2", "--fail-on", "accuracy < -30", "--junit", "j.xml", "--markdown", "m.md")
    done = whatif("diff", "./a", "./b", *options, "--json")
    assert done.exit_code == 1
    checks = json.loads(done.stdout)["checks"]
    assert [(one["measure"], one["failed"]) for one in checks] == [
        ("drop", True),
        ("counterfactual accuracy", False),
        ("original accuracy", False),
    ]
    suites = ElementTree.parse(runs / "j.xml").getroot()
    assert [(one.get("tests"), one.get("failures")) for one in suites] == [("1", "1"), ("2", "0")]
    assert [case.get("classname") for case in suites.iter("testcase")] == [BENCHMARK] * 3
    text = (runs / "m.md").read_text(encoding="utf-8")
    assert text.startswith("### whatif: 1 of 3 checks failed\n")
    assert "| drop > 2 | toys | one\\|two plain | drop | 25.0 | 50.0 | +25.0 [+11.0, +39.0] | <0.001 |" in text


def test_gates_of_the_project(runs: Path) -> None:
    params = "seed: 1\nbenchmarks: [scenes]\nmodels: {random: {adapter: random}}\n"
    (runs / "params.yaml").write_text(params)
    without = whatif("diff", "./a", "./b", "--gates")
    assert without.exit_code == 2 and without.stderr.startswith("whatif: params.yaml: gates: has no rule; one is")
    (runs / "params.yaml").write_text(params + 'gates: ["drop > 2 points", "accuracy < -30"]\n')
    assert whatif("diff", "./a", "./b", "--gates").exit_code == 1
    (runs / "params.yaml").write_text(params + "gates: [drop]\n")
    mistaken = whatif("diff", "./a", "./b", "--gates")
    assert mistaken.exit_code == 2 and "params.yaml:4: gates" in mistaken.stderr and "is no rule" in mistaken.stderr
    alone = whatif("diff", "./a", "./b", "--junit", "j.xml")
    assert alone.exit_code == 2 and "there is nothing to check; give --fail-on or --gates" in alone.stderr


def test_lines_fit_one_line_whatever_a_name_has(tmp_path: Path) -> None:
    found = checked(tmp_path, "drop > 2")
    assert all("\n" not in line_of(one) for one in found)
    report = compared(tmp_path / "a", tmp_path / "b", of_pairs=True)
    assert "0 of 1 checks failed" in summary_of(checks_of(report, [gate("drop > 90")]), report)
    assert junit_of(found).startswith(b"<?xml")
