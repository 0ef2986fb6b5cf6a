"""One decision a picture: the majority, or none."""

from __future__ import annotations

import pytest

from tests.verification.pairs import judgement
from whatif.errors import WhatifError
from whatif.verification.consensus import UNDECIDED, consensus, errors, human_evaluated, made_by
from whatif.verification.items import outcome


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
