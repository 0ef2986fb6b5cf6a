"""Tables 1, 7 and 10 and the human taxonomy, from judgements whose numbers are known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.verification.pairs import judgement, pair
from whatif.artifacts.reader import canonical_json
from whatif.benchmarks.coco_counterfactuals.errors_table import error_categories_table, error_subjects_tables
from whatif.benchmarks.coco_counterfactuals.verification_tables import verification
from whatif.errors import WhatifError
from whatif.reporting.formats import DisplayTable, to_csv, to_latex, to_markdown
from whatif.verification.error_categories import ATTRIBUTE, CATEGORIES, OBJECT


@dataclass(frozen=True)
class Precision:
    confidence: float = 0.95
    resamples: int = 999


HOW = Precision()
HUMAN = "human word in the picture's own caption"


def judged(number: int, original: str, counterfactual: str, annotator: str = "ann") -> list[dict[str, Any]]:
    return [
        judgement(f"pair-{number:03d}-{side}", decision, annotator)
        for side, decision in enumerate((original, counterfactual))
    ]


# Of ten pairs: originals 8 right, 1 wrong, 1 both; counterfactuals 5 right, 3 wrong, 2 neither.
ORIGINALS = ["caption_0"] * 8 + ["caption_1", "both"]
COUNTERFACTUALS = ["caption_1"] * 5 + ["caption_0"] * 3 + ["neither"] * 2
JUDGED = [row for n, both in enumerate(zip(ORIGINALS, COUNTERFACTUALS, strict=True)) for row in judged(n, *both)]


def cells(table: DisplayTable, *beginning: str) -> tuple[str, ...]:
    (row,) = (row for row in table.rows if row[: len(beginning)] == beginning)
    return row


def strict(metrics: Any) -> None:
    assert json.loads(json.dumps(metrics, allow_nan=False)) == metrics


def test_table_1_has_the_shares_by_origin_and_over_all() -> None:
    made = verification(JUDGED, HOW, 0)
    of = made.metrics["pictures"]
    assert [of[name]["number"] for name in ("original", "counterfactual", "all")] == [10, 10, 20]
    names = ("correct", "incorrect", "neither", "both", "undecided")
    assert [of["original"][name]["share"] for name in names] == [80, 10, 0, 10, 0]
    assert [of["counterfactual"][name]["share"] for name in names] == [50, 30, 20, 0, 0]
    assert [of["all"][name]["share"] for name in names] == [65, 20, 10, 5, 0]
    assert all(of["all"][name]["low"] <= of["all"][name]["share"] <= of["all"][name]["high"] for name in names)
    assert of["all"]["neither"]["count"] == 2
    difference = made.metrics["difference"]
    assert (difference["pairs"], difference["points"]) == (10, -30)
    assert difference["low"] < -30 < difference["high"]
    # Four pairs or three changed: 3 lost (5, 6, 7), none gained, 2 wrong in both.
    assert difference["mcnemar_p"] == 0.25
    strict(made.metrics)
    table = made.tables["table1"]
    assert cells(table, "made from the original", "printed")[3:7] == ("79.10", "8.16", "10.18", "2.56")
    ours = cells(table, "all", "ours")
    assert ours[2] == "20" and ours[3].startswith("65.00 (") and ours[3].endswith("), 13")
    assert "labelled by people" in table.caption and "-30.0 points" in table.caption
    for shown in made.tables.values():
        assert to_csv(shown) and to_markdown(shown) and to_latex(shown)


def test_order_of_judgements_leaves_no_trace() -> None:
    assert verification(JUDGED, HOW, 0) == verification(JUDGED[::-1], HOW, 0)


def test_a_picture_counts_once_however_many_labelled_it() -> None:
    rows = [
        *judged(0, "caption_0", "caption_1", "a"),
        *judged(0, "caption_0", "both", "b"),
        *judged(0, "neither", "neither", "c"),
    ]
    of = verification(rows, HOW, 0).metrics["pictures"]["all"]
    assert (of["number"], of["correct"]["count"], of["undecided"]["count"]) == (2, 1, 1)


def test_agreement_is_of_pictures_with_three_labels() -> None:
    rows = []
    for annotator, decision in (("a", "caption_0"), ("b", "caption_0"), ("c", "caption_1")):
        rows += judged(0, "caption_0", "caption_1", annotator)  # all the same
        rows += judged(1, decision, decision, annotator)  # original: right, right, wrong; counterfactual the reverse
    rows += judged(2, "caption_0", "caption_1", "a") + judged(2, "caption_1", "caption_1", "b")
    rows += judged(3, "neither", "neither")
    found = verification(rows, HOW, 0).metrics["agreement"]
    assert (found["pictures"], found["left_out"]) == (4, 2)
    # Agreeing pairs 1, 1, 1/3, 1/3: 2/3. Captions 7 and 5 of 12: 74/144 by chance.
    assert found["kappa"]["value"] == pytest.approx((2 / 3 - 74 / 144) / (1 - 74 / 144), abs=1e-4)
    # Right 9, wrong 3 of 12: 90/144 by chance.
    assert found["kappa_of_outcomes"]["value"] == pytest.approx((2 / 3 - 90 / 144) / (1 - 90 / 144), abs=1e-4)
    assert found["unanimous"]["value"] == 50
    assert found["disputed"] == {
        "pictures": 2,
        "labels": 6,
        "correct": 50,
        "incorrect": 50,
        "neither": 0,
        "both": 0,
    }


def test_without_agreement_numbers_are_null_and_shown_as_dashes() -> None:
    made = verification(JUDGED, HOW, 0)
    found = made.metrics["agreement"]
    assert (found["kappa"], found["unanimous"], found["disputed"]["correct"]) == (None, None, None)
    assert cells(made.tables["agreement"], "Fleiss' kappa of what was chosen") == (
        "Fleiss' kappa of what was chosen",
        "0.74",
        "–",
    )
    assert cells(made.tables["agreement"], "Where they differ, correct (%)")[1] == "47.4"
    constant = [judgement("p-0", "caption_0", name) for name in "abc"]
    assert verification(constant, HOW, 0).metrics["agreement"]["kappa"] is None


def test_nothing_judged_is_still_a_table() -> None:
    made = verification([], HOW, 0)
    strict(made.metrics)
    assert made.metrics["made_by"] is None and made.metrics["difference"] is None
    assert cells(made.tables["table1"], "all", "ours")[2:4] == ("0", "–")
    assert "None of our pictures were labelled." in made.tables["table1"].caption


def test_automatic_labels_are_called_so_wherever_they_are_shown() -> None:
    rows = [{**row, "annotator": "automatic:recogniser-0.80"} for row in JUDGED]
    made = verification(rows, HOW, 0)
    of_errors = error_subjects_tables(rows, [pair(number) for number in range(10)], HOW)
    categories = error_categories_table({"pair-000-0": OBJECT}, HOW, made_by="automatic")
    assert made.metrics["made_by"] == of_errors.metrics["made_by"] == categories.metrics["made_by"] == "automatic"
    for table in (*made.tables.values(), *of_errors.tables.values(), *categories.tables.values()):
        assert "automatically" in table.caption and "no people" in table.caption
    with pytest.raises(WhatifError, match="take the ones or the others"):
        verification([*rows, judgement("p-0", "both")], HOW, 0)


def test_table_7_shares_errors_out() -> None:
    made = error_categories_table({"a-0": OBJECT, "b-0": OBJECT, "c-1": ATTRIBUTE}, HOW, made_by="people", sampled=5)
    of = made.metrics["categories"]
    assert [of[name]["count"] for name in CATEGORIES] == [2, 0, 0, 0, 0, 0, 0, 1]
    assert of[OBJECT]["share"] == pytest.approx(66.6667)
    strict(made.metrics)
    row = cells(made.tables["table7"], OBJECT)
    assert row[1] == "27" and row[2].startswith("66.67 (")
    assert "3 of 5 drawn" in made.tables["table7"].caption
    empty = error_categories_table({}, HOW, made_by=None)
    assert cells(empty.tables["table7"], ATTRIBUTE) == (ATTRIBUTE, "3", "–")
    with pytest.raises(WhatifError, match="error category 'Odd'"):
        error_categories_table({"a-0": "Odd"}, HOW, made_by="people")


def test_table_10_has_counts_and_the_denominators() -> None:
    rows, pairs = [], []
    for number in range(30):
        subjects = ("Man", "boy") if number < 15 else ("cat", "dog")
        human = canonical_json({"human": number < 15})
        pairs.append(pair(number, subjects, provenance=human))
        wrong = "caption_0" if number % 3 == 0 else "caption_1"
        rows += judged(number, "caption_0", wrong)
    made = error_subjects_tables(rows, pairs, HOW, least_errors=5)
    of = made.metrics["subjects"]
    assert list(of) == ["cat → dog", "man → boy"]
    assert {name: (of[name]["errors"], of[name]["judged"]) for name in of} == {
        "man → boy": (5, 30),
        "cat → dog": (5, 30),
    }
    assert of["man → boy"]["rate"] == pytest.approx(16.6667)
    assert (made.metrics["errors"], made.metrics["judged"]) == (10, 60)
    assert (made.metrics["human"]["errors"], made.metrics["human"]["judged"]) == (5, 30)
    strict(made.metrics)
    table = made.tables["table10"]
    assert len(table.rows) == 21  # those of the paper, and cat -> dog
    assert cells(table, "man → boy")[1:4] == ("125", "5", "30")
    assert cells(table, "cat → dog")[1:4] == ("", "5", "30")
    assert cells(table, "woman → girl") == ("woman → girl", "126", "0", "0", "–")
    assert "no denominators" in table.caption
    assert error_subjects_tables(rows, pairs, HOW).metrics["subjects"] == {}  # none has 20


def test_the_printed_human_rate_stands_beside_what_its_counts_give() -> None:
    table = error_subjects_tables(JUDGED, [pair(number) for number in range(10)], HOW).tables["human"]
    assert cells(table, HUMAN, "printed")[2:] == ("1864", "4117", "44.3")
    assert "1864 / 4117 = 45.3%" in table.caption
    assert cells(table, HUMAN, "ours")[2:4] == ("7", "20")
    assert cells(table, "another word there", "ours")[2:] == ("0", "0", "–")


def test_a_picture_counts_as_human_by_the_subject_of_its_own_caption() -> None:
    made = error_subjects_tables(judged(0, "caption_0", "caption_0"), [pair(0, ("Man", "robot"))], HOW)
    numbers = {kind: (made.metrics[kind]["errors"], made.metrics[kind]["judged"]) for kind in ("human", "other")}
    assert numbers == {"human": (0, 1), "other": (1, 1)}
    assert (made.metrics["human_pairs"]["errors"], made.metrics["human_pairs"]["judged"]) == (1, 2)


def test_judgements_of_other_pairs_are_refused() -> None:
    with pytest.raises(WhatifError, match="there is no pair pair-009"):
        error_subjects_tables(JUDGED, [pair(number) for number in range(9)], HOW)
    with pytest.raises(WhatifError, match="provenance has no `human`"):
        error_subjects_tables(JUDGED, [pair(number, provenance="{}") for number in range(10)], HOW)
