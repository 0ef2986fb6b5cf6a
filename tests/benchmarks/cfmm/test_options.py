"""Which rule gives the wrong option of a counterfactual question."""

from __future__ import annotations

import pytest

from whatif.benchmarks.cfmm.options import second_option


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("5", ("3", "basic-answer")),
        ("three", ("4", "first-counterfactual")),
        ("Three.", ("4", "first-counterfactual")),
        ("4", ("3", "basic-answer")),
    ],
)
def test_the_first_rule_with_another_text_applies(answer: str, expected: tuple[str, str]) -> None:
    rules = ("basic-answer", "first-counterfactual", "basic-option")
    found = second_option(rules, answer, basic_answer=" 3 ", basic_option="7", first_counterfactual="4")
    assert found == expected


def test_there_may_be_none() -> None:
    given = {"basic_answer": "3", "basic_option": "three"}
    assert second_option(["basic-answer", "basic-option", "first-counterfactual", "model"], "3", **given) is None
    assert second_option(["basic-answer", "model"], "3", **given, by_model="  ") is None
    assert second_option(["basic-answer", "model"], "3", **given, by_model="12") == ("12", "model")
