"""`whatif contradictions`: counts, then what does not hold in at most two lines each; all of it as CSV and JSON."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.command_line import refused, whatif
from whatif.commands.contradictions import lines
from whatif.results.contradictions.rows import COLUMNS, Row


def test_it_prints_counts_and_what_does_not_hold_by_paper(folder: Path) -> None:
    result = whatif("contradictions", "--benchmark", "coco-counterfactuals")
    assert (result.exit_code, result.stderr) == (0, "")
    head, empty, paper, *claims = result.stdout.splitlines()
    assert head.endswith("cannot be checked") and " do not hold, " in head and empty == ""
    assert paper == f"COCO-Counterfactuals ({sum(not line.startswith('    ') for line in claims)}):"
    assert "  Appendix A.3.2: error rate. The share of 1864 in 4117 in percent is 45.28, not 44.3." in claims


def test_every_claim_of_every_paper_has_at_most_two_lines_and_says_all_in_them(folder: Path) -> None:
    text = whatif("contradictions").stdout
    assert all(len(line) <= 100 for line in text.splitlines())
    assert " ..." not in text


def test_all_of_a_benchmark_are_printed_on_demand(folder: Path) -> None:
    few, many = (whatif("contradictions", "--benchmark", "cvqa-synthetic", *more).stdout for more in ((), ("--all",)))
    assert "C-VQA (1):" in few and "C-VQA (7):" in many
    assert few.splitlines()[0] == many.splitlines()[0]


def test_csv_and_json_have_all_columns(folder: Path) -> None:
    result = whatif("contradictions", "--benchmark", "mucr", "--csv", "claims.csv")
    assert result.stdout.splitlines()[-1] == "written: claims.csv"
    with Path("claims.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert tuple(written[0]) == COLUMNS
    found = json.loads(whatif("contradictions", "--benchmark", "mucr", "--json", "--all").stdout)
    assert len(found["claims"]) == len(written) == sum(found["counts"].values())
    assert [claim["explanation"] for claim in found["claims"]] == [row["explanation"] for row in written]


def test_an_unknown_benchmark_is_answered_with_those_there_are(folder: Path) -> None:
    message = refused(whatif("contradictions", "--benchmark", "cvqa"))
    assert message.startswith("cvqa: states no reported numbers that can be checked; those that do: cfmm, ")


def test_a_long_claim_is_cut_after_two_lines() -> None:
    place, explanation = "Table 1: " + "x " * 60, "It is " + "long " * 60 + "."
    row = Row("b", "P", place, "sum", "", "1", 1.0, 1.0, "does not hold", explanation)
    _, _, _, *shown = lines([row], [row])
    assert len(shown) == 2 and shown[1].endswith(" ...") and all(len(line) <= 100 for line in shown)
