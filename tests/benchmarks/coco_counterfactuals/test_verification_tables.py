"""Tables 1, 7 and 10 and the human taxonomy, from judgements whose numbers are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest

from tests.frames import check, has, printed, row, value
from tests.people.pairs import judgement, pair
from tests.released_captions import needs_released_captions, released_captions
from whatif.benchmarks.coco_counterfactuals.errors_table import ALL, error_subjects_tables, table7
from whatif.benchmarks.coco_counterfactuals.human_table import (
    HUMAN,
    HUMAN_PAIRS,
    OTHER,
    PUBLISHED_PAIRS,
    PUBLISHED_REST,
    WHOLE_PAIRS,
)
from whatif.benchmarks.coco_counterfactuals.verification_tables import AS_OUTCOMES, CHOSEN, agreement_table, table1
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.people.error_categories import ATTRIBUTE, CATEGORIES, OBJECT
from whatif.people.items import OUTCOMES
from whatif.results.reporting.table import RECOMPUTED, Table

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Precision:
    confidence: float = 0.95
    resamples: int = 999


HOW = Precision()


def judged(number: int, original: str, counterfactual: str, annotator: str = "ann") -> list[dict[str, Any]]:
    return [
        judgement(f"pair-{number:03d}-{side}", decision, annotator)
        for side, decision in enumerate((original, counterfactual))
    ]


# Of ten pairs: originals 8 right, 1 wrong, 1 both; counterfactuals 5 right, 3 wrong, 2 neither.
ORIGINALS = ["caption_0"] * 8 + ["caption_1", "both"]
COUNTERFACTUALS = ["caption_1"] * 5 + ["caption_0"] * 3 + ["neither"] * 2
JUDGED = [row for n, both in enumerate(zip(ORIGINALS, COUNTERFACTUALS, strict=True)) for row in judged(n, *both)]


def line(table: Table, view: int = 0, **of: str) -> list[str]:
    """The printed row of a view that has these cells."""
    (found,) = [one for one in printed(table, view) if of.items() <= one.items()]
    return list(found.values())


def test_table_1_has_the_shares_by_origin_and_over_all() -> None:
    made = table1(JUDGED, HOW)
    names = ("correct", "incorrect", "neither", "both", "undecided")

    def shares(variant: str) -> list[float | None]:
        return [value(made, measure="share", source="ours", variant=variant, label=name) for name in names]

    judged_images = [value(made, measure="judged", variant=name) for name in ("original", "counterfactual", "all")]
    assert judged_images == [10, 10, 20]
    assert shares("original") == [80, 10, 0, 10, 0]
    assert shares("counterfactual") == [50, 30, 20, 0, 0]
    assert shares("all") == [65, 20, 10, 5, 0]
    for name in names:
        of_all = row(made, measure="share", source="ours", variant="all", label=name)
        assert of_all["low"] <= of_all["value"] <= of_all["high"] and of_all["n"] == 20
    assert value(made, measure="count", variant="all", label="neither") == 2
    drop = row(made, measure="drop", source="ours")
    assert (drop["n"], drop["value"]) == (10, 30)
    assert drop["low"] < 30 < drop["high"]
    # Four pairs or three changed: 3 lost (5, 6, 7), none gained, 2 wrong in both.
    assert drop["p"] == 0.25
    assert set(made.frame["made_by"]) == {"people", ""}
    assert "labelled by people" in made.views[0].note
    check(made)


def test_table_1_prints_the_reported_shares_above_ours() -> None:
    made = table1(JUDGED, HOW)
    at = {"Image made from": "original"}
    assert line(made, **at, From="reported") == ["original", "reported", "79.10", "8.16", "10.18", "2.56", "", ""]
    assert line(made, **at, From="ours") == ["original", "ours", "80.00", "10.00", "0.00", "10.00", "0.00", "10"]
    assert [one["From"] for one in printed(made)] == ["reported", "ours"] * 3
    count, share = line(made, 1, **{"Image made from": "all", "Label": "correct"})[2:]
    assert count == "13" and share.startswith("65.00 (")
    assert line(made, 2, From="reported")[1:] == ["11.8", "", ""]  # 79.10 - 67.27
    assert line(made, 2, From="ours")[1].startswith("30.0 (") and line(made, 2, From="ours")[2:] == ["10", "0.25"]


def test_order_of_judgements_leaves_no_trace() -> None:
    for make in (lambda rows: table1(rows, HOW), lambda rows: agreement_table(rows, HOW, 0)):
        pd.testing.assert_frame_equal(make(JUDGED).frame, make(JUDGED[::-1]).frame)


def test_an_image_counts_once_however_many_labelled_it() -> None:
    rows = [
        *judged(0, "caption_0", "caption_1", "a"),
        *judged(0, "caption_0", "both", "b"),
        *judged(0, "neither", "neither", "c"),
    ]
    made = table1(rows, HOW)
    assert value(made, measure="judged", variant="all") == 2
    assert [value(made, measure="count", variant="all", label=name) for name in ("correct", "undecided")] == [1, 1]


def test_agreement_is_of_images_with_three_labels() -> None:
    rows = []
    for annotator, decision in (("a", "caption_0"), ("b", "caption_0"), ("c", "caption_1")):
        rows += judged(0, "caption_0", "caption_1", annotator)  # all the same
        rows += judged(1, decision, decision, annotator)  # original: right, right, wrong; counterfactual the reverse
    rows += judged(2, "caption_0", "caption_1", "a") + judged(2, "caption_1", "caption_1", "b")
    rows += judged(3, "neither", "neither")
    made = agreement_table(rows, HOW, 0)
    numbers = [value(made, measure=measure, source="ours") for measure in ("images", "left out", "disputed")]
    assert numbers == [4, 2, 2]
    # Agreeing pairs 1, 1, 1/3, 1/3: 2/3. Captions 7 and 5 of 12: 74/144 by chance.
    chosen = row(made, measure="kappa", source="ours", of=CHOSEN)
    assert chosen["value"] == pytest.approx((2 / 3 - 74 / 144) / (1 - 74 / 144), abs=1e-4) and chosen["n"] == 4
    assert chosen["low"] <= chosen["value"] <= chosen["high"]
    # Right 9, wrong 3 of 12: 90/144 by chance.
    outcomes = value(made, measure="kappa", source="ours", of=AS_OUTCOMES)
    assert outcomes == pytest.approx((2 / 3 - 90 / 144) / (1 - 90 / 144), abs=1e-4)
    assert value(made, measure="unanimous") == 50
    shares = {name: row(made, measure="share", source="ours", of=name) for name in OUTCOMES}
    assert {name: (of["value"], of["n"]) for name, of in shares.items()} == {
        "correct": (50, 6),
        "incorrect": (50, 6),
        "neither": (0, 6),
        "both": (0, 6),
    }
    check(made)


def test_agreement_that_is_not_defined_is_missing_beside_the_reported_numbers() -> None:
    made = agreement_table(JUDGED, HOW, 0)
    missing = ({"measure": "kappa", "of": CHOSEN}, {"measure": "unanimous"}, {"measure": "share", "of": "correct"})
    assert [value(made, source="ours", **of) for of in missing] == [None] * 3
    assert line(made, **{"Kappa of": CHOSEN}) == [CHOSEN, "0.74", "", "0"]
    assert line(made, 1, From="reported")[1] == "10% of 34,820"
    assert line(made, 2, Label="correct") == ["correct", "47.4", "", "0"]
    constant = [judgement("p-0", "caption_0", name) for name in "abc"]
    assert value(agreement_table(constant, HOW, 0), source="ours", measure="kappa", of=CHOSEN) is None
    check(made)


def test_nothing_judged_is_still_a_table() -> None:
    made = table1([], HOW)
    assert set(made.frame["made_by"]) == {""} and not has(made, measure="drop", source="ours")
    assert value(made, measure="judged", variant="all") == 0
    assert value(made, measure="share", source="ours", variant="all", label="correct") is None
    assert "None of our images were labelled." in made.views[0].note
    check(made)
    check(agreement_table([], HOW, 0))


def test_automatic_labels_are_called_so_wherever_they_are_shown() -> None:
    rows = [{**one, "annotator": "automatic:recogniser-0.80"} for one in JUDGED]
    made = (
        table1(rows, HOW),
        agreement_table(rows, HOW, 0),
        *error_subjects_tables(rows, [pair(number) for number in range(10)], HOW),
        table7({"pair-000-0": OBJECT}, HOW, made_by="automatic"),
    )
    for table in made:
        assert set(table.frame.loc[table.frame["source"] == "ours", "made_by"]) == {"automatic"}
        assert "automatically" in table.views[0].note and "not by people" in table.views[0].note
    with pytest.raises(WhatifError, match="use either kind alone"):
        table1([*rows, judgement("p-0", "both")], HOW)


def test_table_7_shares_errors_out() -> None:
    made = table7({"a-0": OBJECT, "b-0": OBJECT, "c-1": ATTRIBUTE}, HOW, made_by="people", sampled=5)
    assert [value(made, measure="count", category=name) for name in CATEGORIES] == [2, 0, 0, 0, 0, 0, 0, 1]
    share = row(made, measure="share", source="ours", category=OBJECT)
    assert share["value"] == pytest.approx(66.6667) and share["low"] < share["value"] < share["high"]
    assert share["n"] == 3
    _, reported, ours, errors = line(made, Category=OBJECT)
    assert reported == "27" and ours.startswith("66.67 (") and errors == "2"
    assert line(made, 1) == ["ours", "5", "3"]
    check(made)
    empty = table7({}, HOW, made_by="people", sampled=5)
    assert line(empty, Category=ATTRIBUTE) == [ATTRIBUTE, "3", "", "0"]
    assert empty.views[0].note == "None of our errors were sorted."
    check(empty)
    with pytest.raises(WhatifError, match="error category 'Odd'"):
        table7({"a-0": "Odd"}, HOW, made_by="people")


def test_table_10_has_counts_and_the_denominators() -> None:
    rows, pairs = [], []
    for number in range(30):
        subjects = ("Man", "boy") if number < 15 else ("cat", "dog")
        human = canonical_json({"human": number < 15})
        pairs.append(pair(number, subjects, provenance=human))
        wrong = "caption_0" if number % 3 == 0 else "caption_1"
        rows += judged(number, "caption_0", wrong)
    table10, human_table = error_subjects_tables(rows, pairs, HOW, least_errors=5)

    def numbers(table: Table, subjects: str) -> list[float | None]:
        return [value(table, measure=measure, source="ours", subjects=subjects) for measure in ("errors", "judged")]

    assert numbers(table10, "man → boy") == numbers(table10, "cat → dog") == [5, 30]
    assert value(table10, measure="rate", source="ours", subjects="man → boy") == pytest.approx(16.6667)
    assert numbers(table10, ALL) == [10, 60]
    assert numbers(human_table, HUMAN) == [5, 30]
    shown = printed(table10)
    assert len(shown) == 22  # those of the paper, cat -> dog, and all
    at = "Altered subjects"
    assert line(table10, **{at: "man → boy"})[1:4] == ["125", "5", "30"]
    assert line(table10, **{at: "cat → dog"})[1:4] == ["", "5", "30"]
    assert line(table10, **{at: "woman → girl"}) == ["woman → girl", "126", "0", "0", ""]
    assert "no denominators" in " ".join(table10.views[0].note.split())
    check(table10)
    few, _ = error_subjects_tables(rows, pairs, HOW)
    assert not has(few, subjects="cat → dog")  # no pair of subjects has 20


def test_the_reported_human_counts_are_of_images_and_of_pairs() -> None:
    _, table = error_subjects_tables(JUDGED, [pair(number) for number in range(10)], HOW)
    assert line(table, Subjects=PUBLISHED_PAIRS, From="reported")[2:] == ["4117", "1864", "", "44.3"]
    assert line(table, Subjects=PUBLISHED_PAIRS, From=RECOMPUTED)[2:] == ["4117", "1864", "8234", "22.6"]
    assert line(table, Subjects=PUBLISHED_REST, From=RECOMPUTED)[2:] == ["13293", "7474", "26586", "28.1"]
    assert line(table, Subjects=ALL, From=RECOMPUTED)[2:] == ["17410", "9338", "34820", "26.8"]
    note = " ".join(table.views[0].note.split())
    assert "not 1864 / 4117, which is 45.3%" in note and "22.6% are wrong" in note and "easier, not harder" in note
    assert line(table, Subjects=PUBLISHED_PAIRS, From="ours")[2:5] == ["10", "7", "20"]
    assert line(table, Subjects=HUMAN, From="ours")[2:5] == ["10", "7", "20"]
    assert line(table, Subjects=OTHER, From="ours")[2:] == ["0", "0", "0", ""]
    check(table)


def test_an_image_counts_as_human_by_the_subject_of_its_own_caption() -> None:
    _, table = error_subjects_tables(judged(0, "caption_0", "caption_0"), [pair(0, ("Man", "robot"))], HOW)
    numbers = {
        kind: [value(table, measure=measure, source="ours", subjects=kind) for measure in ("errors", "judged")]
        for kind in (HUMAN, OTHER, HUMAN_PAIRS, WHOLE_PAIRS)
    }
    assert numbers == {HUMAN: [0, 1], OTHER: [1, 1], HUMAN_PAIRS: [1, 2], WHOLE_PAIRS: [1, 1]}


def test_a_pair_with_one_wrong_image_is_one_wrong_pair() -> None:
    rows = [*judged(0, "caption_1", "caption_0"), *judged(1, "caption_0", "caption_1"), *judged(2, "caption_1", "both")]
    pairs = [pair(number, ("robot", "man")) for number in range(3)]
    _, table = error_subjects_tables(rows[:-1], pairs, HOW)
    numbers = [value(table, measure=measure, source="ours", subjects=WHOLE_PAIRS) for measure in ("errors", "judged")]
    assert numbers == [2, 3]


def test_subjects_with_the_same_stems_are_the_same() -> None:
    subjects = [("People", "kids"), ("people", "kid"), ("women", "girls"), ("woman", "girls"), ("bus", "cars")]
    subjects += [("bus", "Cars"), ("Bus", "car"), ("pony", "cat"), ("ponies", "cats")]
    rows = [row for number in range(9) for row in judged(number, "both", "caption_1")]
    table, _ = error_subjects_tables(rows, [pair(n, names) for n, names in enumerate(subjects)], HOW, least_errors=1)
    found = table.frame[(table.frame["source"] == "ours") & (table.frame["measure"] == "judged")]
    counts = dict(zip(found["subjects"], found["value"], strict=True))
    assert {name: number for name, number in counts.items() if number} == {
        **{"people → kid": 4, "women → girl": 2, "woman → girl": 2},
        **{"bus → cars": 6, "ponies → cats": 4, ALL: 18},
    }


def test_subjects_of_table_10_are_those_of_the_published_rule() -> None:
    """The first word that the other caption lacks; else the other's at the last place; never the column `subject`."""
    captions = ("A man and woman are in a kitchen.", "A woman and woman are in a kitchen.")
    one = pair(0, ("man", "woman")) | {"caption_0": captions[0], "caption_1": captions[1]}
    table, _ = error_subjects_tables(judged(0, "caption_0", "caption_0"), [one], HOW, least_errors=1)
    assert line(table, **{"Altered subjects": "man → kitchen"})[1:4] == ["", "1", "2"]
    assert line(table, **{"Altered subjects": "man → woman"})[1:4] == ["30", "0", "0"]


@needs_released_captions
def test_the_reported_rows_of_table_10_count_the_released_pairs_by_the_published_rule() -> None:
    pairs = [
        {**row, "pair_id": row["id"], "provenance": '{"human":false}', "subject_0": "", "subject_1": ""}
        for row in released_captions()
    ]
    rows = [judgement(f"{one['id']}-{side}", "neither", "ann") for one in pairs for side in (0, 1)]
    table, _ = error_subjects_tables(rows, pairs, HOW, least_errors=10**6)
    found = table.frame[(table.frame["source"] == "ours") & (table.frame["measure"] == "judged")]
    counts = [int(number) // 2 for number in found["value"]]
    assert counts[:-1] == [250, 467, 260, 129, 107, 87, 66, 66, 95, 69, 53, 78, 57, 32, 83, 35, 34, 56, 56, 67]
    assert counts[-1] == 17_410


def test_judgements_of_other_pairs_are_refused() -> None:
    with pytest.raises(WhatifError, match="there is no pair pair-009"):
        error_subjects_tables(JUDGED, [pair(number) for number in range(9)], HOW)
    with pytest.raises(WhatifError, match="provenance has no `human`"):
        error_subjects_tables(JUDGED, [pair(number, provenance="{}") for number in range(10)], HOW)
