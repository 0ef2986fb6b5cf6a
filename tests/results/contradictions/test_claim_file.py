"""A file of claims: rows, cells, formulas, texts and checks; and what a mistake in it is answered with."""

from __future__ import annotations

import csv
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.defaults import ROOT
from whatif.engine.errors import WhatifError
from whatif.results.contradictions import CANNOT_BE_CHECKED, DOES_NOT_HOLD, HOLDS, Claim
from whatif.results.contradictions.checks import CHECKS
from whatif.results.contradictions.claim_file import claims_in
from whatif.results.contradictions.values import FORMULAS
from whatif.results.reporting.published_numbers import published

TABLES = {
    "table1": """\
system,kind,side,n,value,std,printed_delta,unit
A,big,text,10,60.0,0.1,,percent
A,big,images,10,50.0,0.2,-10.0,percent
B,small,text,20,40.0,0.3,,percent
B,small,images,20,45.0,0.4,+6.0,percent
C,small,text,20,30.0,0.5,,percent
C,small,images,20,30.0,0.6,0.0,percent
""",
    "text": """\
location,system,metric,value,std,printed_delta,unit
sec1,none,items,200,,,count
sec1,none,groups,4,,,count
sec2,A,score,55.0,,,percent
sec2,all,share,60,,,percent
""",
    "table9": "system,value,std,printed_delta,unit\nA,61.0,,,percent\n",
}


def read(package: str, table: str) -> list[dict[str, str]]:
    if table not in TABLES or (table == "table9") != (package == "other"):
        raise WhatifError(f"{package}: {table} was not transcribed")
    return list(csv.DictReader(StringIO(TABLES[table])))


def claims(tmp_path: Path, *stated: dict[str, Any], **top: Any) -> list[Claim]:
    """The claims of a file, which have a place and a kind where they state none."""
    usual = {"place": "1", "kind": "sum"}
    file = tmp_path / "claims.yaml"
    file.write_text(
        yaml.safe_dump({"paper": "P", "claims": [{**usual, **one} for one in stated], **top}, sort_keys=False)
    )
    return list(claims_in(file, "own", read))


def value(tmp_path: Path, stated: Any, **top: Any) -> Fraction:
    """What a value is: it is compared with 0, and the interval of the outcome is that of the value."""
    [claim] = claims(tmp_path, {"limit": "x", "more than": 0, "value": stated, "what": "it"}, **top)
    assert claim.outcome.low is not None and claim.outcome.high is not None
    return (claim.outcome.low + claim.outcome.high) / 2


A, B = ({"table": "table1", "system": system, "side": "text"} for system in "AB")
TEXTS = {"over": {"table": "table1", "side": "text", "system": "*"}}
DROP = {"difference": [{"side": "text"}, {"side": "images"}]}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (12, 12),
        (A, 60),
        ({**A, "column": "std"}, Fraction("0.1")),
        ({"table": "table1", "system": "C", "column": "n"}, 20),
        ({"metric": "items"}, 200),
        ("number of items", 200),
        ({"sum": [A, B, 1]}, 101),
        ({"sum": TEXTS}, 130),
        ({"mean": TEXTS}, Fraction(130, 3)),
        ({"largest": TEXTS}, 60),
        ({"smallest": TEXTS}, 30),
        ({"difference": [B, A]}, -20),
        ({"absolute": {"difference": [B, A]}}, 20),
        ({"product": [2, 3, 4]}, 24),
        ({"ratio": [{"exactly": A}, {"exactly": B}]}, Fraction(3, 2)),
        ({"percentage": [5, 20]}, 25),
        ({"percent of": [5, 20]}, 1),
        ({"largest": {"of": DROP, "over": {"table": "table1", "system": "*"}}}, 10),
        ({"positive": {"of": DROP, "over": {"table": "table1", "system": "*"}}}, 1),
        ({"count": {"table": "table1", "kind": "*"}}, 2),
        ({"count": {"table": "table1", "kind": "small", "system": "*"}}, 2),
        ({"count": {"table": "table1", "system": {"all but": "A"}, "side": ["text", "images"]}}, 4),
        ({"count": {"table": "table1", "system": {"in": "two"}}}, 2),
        ({"count": {"table": "table1", "each row": "*"}}, 6),
        ({"count": {"in": "two"}}, 2),
        ({"fewest items": {"over": {"table": "table1", "each row": "*"}}, "between": [1, 90]}, 20),
        ({"likeliest items": [{"over": {"table": "table1", "each row": "*"}, "times": 2}], "between": [1, 90]}, 10),
        ({"sum": [{"table": "table9", "system": "A"}, 0]}, 61),  # of the other package
    ],
)
def test_values(tmp_path: Path, stated: Any, expected: Fraction) -> None:
    top = {"numbers": {"number of items": {"metric": "items"}}, "lists": {"two": ["A", "C"]}, "also": "other"}
    assert value(tmp_path, stated, **top) == expected


def test_the_least_difference_that_is_noticeable_and_an_association(tmp_path: Path) -> None:
    shares = [A, {"table": "table1", "system": "A", "side": "images"}]
    found = value(tmp_path, {"noticeable difference": shares, "items": 400})
    assert float(found) == pytest.approx(196 * ((0.6 * 0.4 + 0.5 * 0.5) / 400) ** 0.5)
    three = {"of": [60, 50, 40], "over": {"table": "table1", "kind": "*"}}
    assert float(value(tmp_path, {"mean association": three})) == pytest.approx(0.1 / (0.24 * 0.25) ** 0.5)


def test_counts_are_exact_and_other_numbers_are_rounded(tmp_path: Path) -> None:
    for stated, width in (({"metric": "items"}, 0), (A, Fraction("0.1")), ({"exactly": A}, 0)):
        [claim] = claims(tmp_path, {"limit": "x", "more than": 0, "value": stated, "what": "it"})
        assert claim.outcome.high is not None and claim.outcome.low is not None
        assert claim.outcome.high - claim.outcome.low == width


def test_a_claim_is_repeated_for_rows_in_the_order_of_its_columns(tmp_path: Path) -> None:
    found = claims(
        tmp_path,
        {
            "for": {"table": "table1", "side": ["images", "text"], "system": "*"},
            "when": {"system": {"all but": "B"}},
            "place": "Table {table.number}",
            "cell": "{side}, {system}",
            "limit": "x",
            "more than": {"largest": {"over": {"system": "others"}}},
            "value": {},
            "what": "it",
            "note": "{at.system} has {other:.1f}, {above} of {number} are above",
        },
    )
    assert [claim.where for claim in found] == [
        f"Table 1: {cell}" for cell in ("images, A", "images, C", "text, A", "text, C")
    ]
    assert [claim.outcome.verdict for claim in found] == [HOLDS, DOES_NOT_HOLD, HOLDS, DOES_NOT_HOLD]
    assert found[0].outcome.explanation.endswith("; B has 45.0, 0 of 2 are above.")
    assert found[3].outcome.explanation.endswith("; A has 60.0, 2 of 2 are above.")


def test_claims_in_a_group_have_its_keys_and_alternate(tmp_path: Path) -> None:
    one = {
        "reported": {"side": "images", "column": "printed_delta"},
        "equals": {"difference": [{"side": "images"}, "before"]},
    }
    found = claims(
        tmp_path,
        {
            "for": {"table": "table1", "kind": "small", "system": {"in": "named"}},
            "cell": "{name} ({system})",
            "finding": "all",
            "claims": [
                {**one, "what": "the change"},
                {"kind": "order", "reported": "{kind}", "cannot be checked": "it is {before}"},
            ],
        },
        numbers={"before": {"side": "text"}},
        lists={"named": {"C": {"name": "third"}, "A": {"name": "of another kind"}, "B": {"name": "second"}}},
    )
    assert [(claim.cell, claim.kind, claim.finding) for claim in found] == [
        ("third (C)", "sum", "all"),
        ("third (C)", "order", "all"),
        ("second (B)", "sum", "all"),
        ("second (B)", "order", "all"),
    ]
    assert [claim.outcome.explanation for claim in found[1:3]] == [
        "It is 30.0.",
        "The change is 5.0 (4.9 to 5.1 with rounding), not +6.0.",
    ]
    assert found[1].outcome.verdict == CANNOT_BE_CHECKED and found[1].outcome.reported == "small"


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        ("{listed}", "; A 60, B 40, C 30."),
        ("{terms}", "; 60 + 40 + 30."),
        ("{number of items:,} of {limit of it:.2f}", "; 200 of 55.00."),
        ({"if positive": {"difference": [1, 2]}, "text": "no"}, "."),
        ({"if positive": "above", "text": "{above} above"}, "; 1 above."),
        ({"if positive": "below", "text": "{below} below"}, "; 1 below."),
        ("{negative} negative", "; 0 negative."),
    ],
)
def test_texts_name_rows_and_numbers(tmp_path: Path, note: Any, shown: str) -> None:
    numbers = {"number of items": {"metric": "items"}, "limit of it": {"location": "sec2", "metric": "score"}}
    stated = {"limit": "x", "less than": {"sum": TEXTS}, "value": 40, "what": "it", "note": note}
    [claim] = claims(tmp_path, stated, numbers=numbers)
    assert claim.outcome.explanation.endswith(f": x{shown}")


@pytest.mark.parametrize("name", [*CHECKS, *FORMULAS])
def test_the_documentation_has_every_check_and_formula(name: str) -> None:
    assert f"`{name}`" in (ROOT / "docs" / "contradictions.md").read_text(encoding="utf-8")


def test_the_example_in_the_documentation_holds_for_the_published_numbers(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "contradictions.md").read_text(encoding="utf-8")
    file = tmp_path / "claims.yaml"
    file.write_text(text.partition("```yaml\n")[2].partition("```")[0])
    found = list(claims_in(file, "whatif.benchmarks.cvqa_real", published))
    assert [claim.where for claim in found[:2]] == [
        "Section 3.4: numerical questions",
        "Table 3: VisProg, numerical direct",
    ]
    assert len(found) == 29 and {claim.outcome.verdict for claim in found} == {HOLDS}


GOOD = {"place": "1", "kind": "sum", "reported": 100, "equals": {"sum": [A, B]}, "what": "the sum"}
OVER = {"table": "table1", "system": "*"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"equals": {"summ": [A, B]}}, "unknown formula 'summ'; did you mean 'sum'?"),
        ({"equals": {**A, "sistem": "A"}}, "unknown column of table1 'sistem'; did you mean 'system'?"),
        ({"equals": {**A, "column": "valu"}}, "unknown column of table1 'valu'; did you mean 'value'?"),
        ({"equals": {**A, "table": "table7"}}, "own: table7 was not transcribed"),
        ({"equals": {"table": "table1", "system": "A"}}, "table1 has 2 rows with system A, not one; say which side"),
        ({"equals": {"table": "table1", "system": "D"}}, "table1 has no rows with system D, not one"),
        ({"equals": {"table": "table1", "system": "A", "side": "text", "column": "printed_delta"}}, "is not a number"),
        ({"equals": "twoo"}, "unknown number 'twoo'; did you mean 'two'?"),
        ({"equals": "own"}, "needs a number that is defined by itself; see `numbers`"),
        ({"equals": {"system": {"all but": "A"}}}, "text has 3 rows with system {'all but': 'A'}, not one; "),
        ({"equals": ["a"]}, "a value: must have keys and values, not ['a']"),
        ({"equals": {"difference": [A]}}, "is 1 values, and the formula needs 2"),
        ({"equals": {"ratio": [1, 0]}}, "cannot be computed (the divisor may be 0)"),
        ({"equals": {"sum": [A], "betwen": 1}}, "unknown key beside `sum` 'betwen'; it must be one of sum"),
        ({"equals": {"sum": {"over": OVER, "off": 1}}}, "unknown key beside `over` 'off'; did you mean 'of'?"),
        ({"equals": {"sum": {"over": {**OVER, "sid": "*"}}}}, "unknown column of table1 'sid'; did you mean 'side'?"),
        ({"equals": {"sum": {"over": {**OVER, "side": "sound"}}}}, "table1 has no rows with system *, side sound"),
        (
            {"equals": {"count": {"table": "table1", "system": {"in": "bot"}}}},
            "unknown list 'bot'; did you mean 'both'?",
        ),
        (
            {"equals": {"count": {"table": "table1", "system": {"not": "A"}}}},
            "must be a value, a list, `in` or `all but`",
        ),
        ({"equals": {"fewest items": [A], "between": [1, 2]}}, "no number of items in [1, 2] gives all of these"),
        ({"reported": {"sum": [A, B]}}, "is computed; a number is needed that the paper prints"),
        ({"whatt": "x"}, "unknown key of the claim 'whatt'; did you mean 'what'?"),
        ({"what": None}, "`equals` also needs the key 'what'"),
        ({"place": None}, "needs the key 'place'"),
        ({"kind": "summ"}, "unknown kind 'summ'; did you mean 'sum'?"),
        ({"equals": None, "equal": 3}, "unknown key of the claim 'equal'; did you mean 'equals'?"),
        ({"equals": None}, "needs one check, such as `equals`, not none"),
        ({"rising": [1, 2]}, "needs one check, such as `equals`, not equals and rising"),
        ({"what": "of {systm}"}, "unknown name in braces 'systm'"),
        ({"what": "of {table.name"}, "expected '}' before end of string"),
        ({"note": {"if": 1}}, "note: must be a text, or have the keys 'if positive' and 'text', not if"),
        ({"note": {"if positive": "above", "text": "x"}}, "'above' counts rows against `value`"),
        ({"for": {"table": "table1", "systm": "*"}}, "unknown column of table1 'systm'; did you mean 'system'?"),
        ({"for": "table1"}, "rows: must have keys and values, not 'table1'"),
        ({"when": {"system": "A"}}, "unknown bound column 'system'"),
        ({"claims": []}, "unknown key of a group of claims 'reported'; it must be one of place, cell, "),
    ],
)
def test_a_mistake_is_one_line_with_its_place_and_what_would_be_right(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    stated = {key: one for key, one in {**GOOD, **changed}.items() if one is not None}
    file = tmp_path / "claims.yaml"
    file.write_text(
        yaml.safe_dump(
            {
                "claims": [GOOD, stated],
                "paper": "P",
                "numbers": {"two": 2, "own": {"sum": ["own"]}},
                "lists": {"both": ["A"]},
            },
            sort_keys=False,
        )
    )
    with pytest.raises(WhatifError) as raised:
        list(claims_in(file, "own", read))
    told = str(raised.value)
    second = [place for place, line in enumerate(file.read_text().splitlines(), 1) if line.startswith("- ")][1]
    assert told.startswith(f"{file}:{second}: ") and "\n" not in told
    assert message in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- 1", ": a file of claims: must have keys and values, not [1]"),
        ("claims: []", ": needs the key 'paper'"),
        ("paper: P", ": needs the key 'claims'"),
        ("paper: P\nclaim: []", ": unknown key 'claim'; did you mean 'claims'?"),
        ("paper: P\nclaims: {}", ":1: `claims` must be a list of claims"),
        ("paper: P\nclaims: []\nnumbers: [1]", ": numbers: must have keys and values, not [1]"),
        ("paper: P\nclaims:\n- 1", ":3: a claim: must have keys and values, not 1"),
        ("paper: P\nclaims: [", ":2: not valid YAML: "),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "claims.yaml"
    file.write_text(text)
    with pytest.raises(WhatifError) as raised:
        list(claims_in(file, "own", read))
    assert str(raised.value).startswith(f"{file}{message}")
