"""One decision for each item: every rule on every pattern of judgements, and the corrections of fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.people.pairs import judgement
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import REJECTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import UNDECIDED, consensus, errors, human_evaluated, made_by
from whatif.people.items import outcome
from whatif.people.resolution import resolve

ADJUDICATED = Resolution(rule="adjudicated", adjudicator="x")


def judged(
    annotator: str, decision: str, time: str | None = None, item: str = "q-0", **corrected: Any
) -> dict[str, Any]:
    return {
        "item_id": item,
        "annotator": annotator,
        "decision": decision,
        "corrected": json.dumps(corrected),
        "comment": "",
        "time": time,
    }


def in_order(decisions: str) -> list[dict[str, Any]]:
    """Judgements by a, b, c, ... without a time; a letter is a decision."""
    return [judged(name, decision) for name, decision in zip("abcdefg", decisions, strict=False)]


@pytest.mark.parametrize(
    ("rule", "decisions", "decided"),
    [
        ("majority", "A", "A"),
        ("majority", "AAB", "A"),
        ("majority", "AB", None),
        ("majority", "AABC", None),
        ("majority", "ABC", None),
        ("majority", "ABBBA", "B"),
        ("unanimous", "A", "A"),
        ("unanimous", "AAA", "A"),
        ("unanimous", "AAB", None),
        ("tie-break", "A", "A"),
        ("tie-break", "AA", "A"),
        ("tie-break", "AB", None),
        ("tie-break", "AAB", "A"),
        ("tie-break", "ABA", "A"),
        ("tie-break", "ABB", "B"),
        ("tie-break", "ABC", None),
        ("tie-break", "AABBB", "A"),  # the third and later ones do not count where the first two agree
        ("tie-break", "ABCAA", None),  # the fourth breaks no tie
        ("first", "A", "A"),
        ("first", "AA", "A"),
        ("first", "AB", None),  # without times it is not known who was the first
        ("single", "A", "A"),
    ],
)
def test_decisions_without_times(rule: Any, decisions: str, decided: str | None) -> None:
    rows = in_order(decisions)
    found = resolve(rows, Resolution(rule=rule))
    assert found.decisions == {"q-0": decided or UNDECIDED}
    assert resolve(rows[::-1], Resolution(rule=rule)) == found
    assert consensus(rows, Resolution(rule=rule)) == found.decisions
    assert [row["reason"] for row in found.undecided] == ([] if decided else ["annotators disagree"])


def test_the_earliest_time_counts_in_any_zone() -> None:
    first = Resolution(rule="first")
    early, late = "2024-05-31T14:00:00+02:00", "2024-05-31T12:30:00"  # 12:00 and 12:30 UTC
    assert resolve([judged("a", "B", late), judged("b", "A", early)], first).decisions == {"q-0": "A"}
    same = [judged("a", "B", early), judged("b", "A", "2024-05-31T12:00:00Z"), judged("c", "A", late)]
    assert resolve(same, first).decisions == {"q-0": UNDECIDED}
    assert resolve([*same[1:], judged("d", "A", early)], first).decisions == {"q-0": "A"}
    # The one without a time may have been the first.
    assert resolve([judged("a", "A", early), judged("b", "B")], first).decisions == {"q-0": UNDECIDED}
    assert resolve([judged("a", "A", early), judged("b", "A"), judged("c", "B", late)], first).decisions == {"q-0": "A"}


def test_without_times_the_first_is_the_lowest_numbered_column() -> None:
    first = Resolution(rule="first")
    rows = [judged(f"label_{number}", decision) for number, decision in ((10, "B"), (2, "A"), (3, "C"))]
    assert resolve(rows, first).decisions == {"q-0": "A"}
    assert resolve([*rows, judged("ann", "A")], first).decisions == {"q-0": UNDECIDED}  # not all are numbered
    timed = [judged("label_1", "A", "2024-05-31T12:30:00"), judged("label_2", "B", "2024-05-31T12:00:00")]
    assert resolve(timed, first).decisions == {"q-0": "B"}
    assert resolve([timed[0], judged("label_2", "B")], first).decisions == {"q-0": UNDECIDED}


def test_the_third_is_the_third_by_time_where_all_have_one() -> None:
    rule = Resolution(rule="tie-break")
    times = [f"2024-05-31T12:0{minute}:00" for minute in (4, 1, 2, 3)]
    rows = [judged(name, one, time) for name, one, time in zip("abcd", "AABB", times, strict=True)]
    assert resolve(rows, rule).decisions == {"q-0": "B"}  # b, c and d were the first three
    without = [*rows[:3], {**rows[3], "time": None}]
    assert resolve(without, rule).decisions == {"q-0": "A"}  # by name: a and b agree
    same = [{**row, "time": times[0]} for row in rows]
    assert resolve(same, rule).decisions == {"q-0": "A"}  # equal times: by name


def test_the_adjudicator_wins_and_elsewhere_all_must_agree() -> None:
    rows = [
        *(judged(name, one, item="p") for name, one in (("a", "A"), ("b", "A"), ("x", "B"))),
        *(judged(name, one, item="q") for name, one in (("a", "A"), ("b", "A"), ("c", "B"))),
        *(judged(name, "A", item="r") for name in "ab"),
    ]
    found = resolve(rows, ADJUDICATED)
    assert found.decisions == {"p": "B", "q": UNDECIDED, "r": "A"}
    assert found.undecided == [{"item_id": "q", "reason": "annotators disagree", "detail": "a: A; b: A; c: B"}]
    with pytest.raises(WhatifError, match=r"adjudicator 'x': judged none of the 1 items; name one of .*: a, b$"):
        resolve(rows[-2:], ADJUDICATED)
    assert resolve([], ADJUDICATED).decisions == {}


def test_several_judgements_where_one_is_expected_are_one_line() -> None:
    rows = [*in_order("AAAA"), judged("a", "A", item="q-1"), judged("a", "A", item="q-2"), judged("b", "B", item="q-2")]
    with pytest.raises(WhatifError) as error:
        resolve(rows, Resolution(rule="single"))
    assert str(error.value).startswith(
        "item q-0: has 4 judgements, by a, b, c and 1 more, as one of 2 items with several"
    )
    assert "\n" not in str(error.value)


def test_settings_name_an_adjudicator_exactly_where_one_is_needed() -> None:
    assert Resolution().rule == "majority"
    for values, message in (
        ({"rule": "adjudicated"}, "needs an `adjudicator`"),
        ({"rule": "first", "adjudicator": "x"}, "has no adjudicator"),
        ({"rule": "most"}, "'tie-break'"),
    ):
        with pytest.raises(ValidationError, match=message):
            Resolution.model_validate(values)


# Each judgement: annotator, decision (accept unless it says reject) and corrections; an hour is its time.
CORRECTED: list[tuple[str, str, dict[str, tuple[str, tuple[str, ...]]] | None]] = [
    ("a answer=B", "majority", {"answer": ('"B"', ("a",))}),
    ("a answer=B; b answer=B; c", "majority", {"answer": ('"B"', ("a", "b"))}),
    # Most leave the answer as it is; the question is corrected.
    ("a answer=B question=Why?; b question=Why?; c", "majority", {"question": ('"Why?"', ("a", "b"))}),
    # Votes of those who reject the item do not count.
    ("a answer=B; b answer=B; c reject answer=C", "majority", {"answer": ('"B"', ("a", "b"))}),
    ("a answer=B; b answer=C", "majority", None),
    ("a answer=B; b", "majority", None),
    ("a answer=B; b answer=B; c", "unanimous", None),
    ("a answer=B; b answer=C; c answer=C", "tie-break", {"answer": ('"C"', ("b", "c"))}),
    # The first two accept, the third does not: only the two decide about the answer.
    ("a answer=B; b; c reject answer=B", "tie-break", None),
    ("a 13:00 answer=B; b 12:00 answer=C", "first", {"answer": ('"C"', ("b",))}),
    ("a answer=B; x answer=C", "adjudicated", {"answer": ('"C"', ("x",))}),
    ("a answer=B; x", "adjudicated", {}),
    ("a reject answer=B; b reject answer=C", "majority", {}),
]


def judgements(text: str) -> list[dict[str, Any]]:
    rows = []
    for annotator, *words in map(str.split, text.split(";")):
        time = next((f"2024-05-31T{word}" for word in words if ":" in word), None)
        corrected = dict(word.split("=") for word in words if "=" in word)
        rows.append(judged(annotator, "reject" if "reject" in words else "accept", time, **corrected))
    return rows


@pytest.mark.parametrize(("text", "rule", "corrected"), CORRECTED)
def test_fields_are_resolved_by_the_same_rule(
    text: str, rule: Any, corrected: dict[str, tuple[str, tuple[str, ...]]] | None
) -> None:
    rows = judgements(text)
    resolution = ADJUDICATED if rule == "adjudicated" else Resolution(rule=rule)
    found = resolve(rows, resolution)
    assert resolve(rows[::-1], resolution) == found
    if corrected is None:
        assert found.decisions == {"q-0": UNDECIDED} and found.corrections == {}
        assert [row["reason"] for row in found.undecided] == ["corrections differ"]
    else:
        assert found.undecided == [] and UNDECIDED not in found.decisions.values()
        of_item = found.corrections.get("q-0", {})
        assert {name: (one.value, one.annotators) for name, one in of_item.items()} == corrected


def test_a_value_that_is_there_already_is_no_correction() -> None:
    rows = [judged("a", "accept", answer="B"), judged("b", "accept")]
    assert resolve(rows).decisions == {"q-0": UNDECIDED}
    assert resolve(rows).undecided[0]["detail"] == 'answer: a: "B"; b: unchanged'
    found = resolve(rows, current={"q-0": {"answer": "B"}})
    assert found.decisions == {"q-0": "accept"} and found.corrections == {}


@pytest.mark.parametrize("text", ["[]", "{", '"B"', '{"answer": NaN}'])
def test_corrections_that_cannot_be_read_are_named(text: str) -> None:
    with pytest.raises(WhatifError, match=r"item q-0: a: corrected is .*, not a JSON object of fields"):
        resolve([{**judged("a", "accept"), "corrected": text}])


def test_a_time_that_cannot_be_read_is_named() -> None:
    with pytest.raises(WhatifError, match="item q-0: a: the time 'noon' is not in ISO 8601"):
        resolve([judged("a", "accept", "noon")])


def test_undecided_items_are_rows_of_rejections(tmp_path: Path) -> None:
    rows = [judged(name, name, item=f"q-{number}") for number in range(3) for name in "ab"]
    found = resolve(rows)
    write_artifact(tmp_path / "rejections.parquet", REJECTIONS, found.undecided)
    assert list(artifacts.rows_of(tmp_path / "rejections.parquet", REJECTIONS)) == found.undecided
    assert len(found.undecided) == 3


@pytest.mark.parametrize(
    ("decisions", "decided"),
    [
        (["caption_0"], "caption_0"),
        (["caption_0", "caption_1", "caption_0"], "caption_0"),
        (["both", "caption_1", "caption_0"], UNDECIDED),
        (["both", "neither"], UNDECIDED),
        (["both", "both"], "both"),
        (["caption_0", "caption_0", "caption_1", "caption_1"], UNDECIDED),
        (["caption_0", "caption_0", "caption_1", "neither"], UNDECIDED),
    ],
)
def test_what_more_than_half_say_counts(decisions: list[str], decided: str) -> None:
    rows = [judgement("p-0", decision, f"a{number}") for number, decision in enumerate(decisions)]
    assert consensus(rows) == consensus(rows[::-1]) == {"p-0": decided}


def test_right_ones_and_errors_are_all_that_were_judged() -> None:
    rows = [
        judgement("p-0", "caption_0"),
        judgement("p-1", "caption_0"),
        judgement("q-0", "both"),
        judgement("q-1", "caption_1"),
        judgement("r-x-1", "neither"),
        *(judgement("s-0", decision, decision) for decision in ("caption_0", "caption_1", "both")),
    ]
    assert human_evaluated(rows) == ["p-0", "q-1"]
    assert errors(rows) == ["p-1", "q-0", "r-x-1", "s-0"]


def test_an_outcome_is_by_the_side() -> None:
    assert [outcome(item, "caption_1") for item in ("p-0", "p-1")] == ["incorrect", "correct"]
    assert outcome("p-0", "neither") == "neither"
    with pytest.raises(WhatifError, match="decision 'accept' is unknown"):
        outcome("p-0", "accept")


def test_people_and_checks_are_not_mixed() -> None:
    assert made_by([]) is None
    assert made_by([judgement("p-0", "both")]) == "people"
    assert made_by([judgement("p-0", "both", "automatic:recogniser-0.80")]) == "automatic"
    with pytest.raises(WhatifError, match="use either kind alone"):
        made_by([judgement("p-0", "both"), judgement("p-0", "both", "automatic:x")])


def test_one_label_an_annotator() -> None:
    with pytest.raises(WhatifError, match="item p-0: ann judged it twice"):
        consensus([judgement("p-0", "both"), judgement("p-0", "both")])
