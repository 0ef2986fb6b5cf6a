"""Models' drops compared."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frames import ends
from tests.results.reporting.test_pair_measures import SETTINGS, a_set, prediction
from whatif.results.reporting.model_drops import Comparison, compare_drops, drops
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.results.reporting.rendering import grid, to_markdown
from whatif.scoring.statistics import difference_of_drops, holm

NAMES = {"a": "Model A", "b": "Model B"}
QUESTIONS, OF_A = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=20)
OF_A = [{**row, "model": "a"} for row in OF_A]
# B is right everywhere, but for the counterfactuals of four pairs of flowers.
WRONG = {f"p{pair:03d}-counterfactual" for pair in range(20, 24)}
OF_B = [prediction(asked, "B" if asked["question_id"] in WRONG else "A", model="b") for asked in QUESTIONS]


def compared(predictions: list[dict[str, Any]], **more: Any) -> list[Comparison]:
    return compare_drops(QuestionPairAnswers(predictions, QUESTIONS, NAMES), settings=SETTINGS, **more)


def test_each_two_models_are_compared_by_group_and_corrected_over_the_table() -> None:
    made = compared(OF_A + OF_B, groups=("dots", "flowers"))
    assert [(each.models, each.group, each.pairs, each.drops) for each in made] == [
        (("a", "b"), "dots", 20, (1.0, 0.0)),
        (("a", "b"), "flowers", 20, (0.0, 0.2)),
    ]
    right = [True] * 20
    flowers = difference_of_drops((right, right), (right, [False] * 4 + [True] * 16))
    assert (made[1].difference, made[1].p) == (flowers.interval, flowers.p)
    assert tuple(each.p_holm for each in made) == holm([each.p for each in made]).p_values
    frame = drops(made, NAMES, "95%").frame.set_index(["group", "measure"])
    dots = frame.loc[("dots", "difference"), ["value", "low", "high", "n"]].tolist()
    assert dots == [100.0, *ends(made[0].difference), 20]
    assert frame.loc[("dots", "difference"), "p_holm"] == pytest.approx(made[0].p_holm, rel=1e-3)
    assert frame.loc[("flowers", "drop b"), "value"] == 20.0


def test_all_questions_at_once_and_by_image() -> None:
    [made] = compared(OF_A + OF_B)
    assert (made.group, made.pairs, made.drops) == ("all", 40, (0.5, 0.1))
    one_image = {row["pair_id"]: "image" for row in QUESTIONS}
    [clustered] = compared(OF_A + OF_B, images=one_image)
    assert (clustered.difference.low, clustered.difference.high, clustered.p) == (-2.0, 2.0, 1.0)


def test_models_that_were_asked_other_questions_are_not_compared() -> None:
    assert compared(OF_A + OF_B[:-2]) == []
    assert [each.group for each in compared(OF_A + OF_B[:-2], groups=("dots", "flowers"))] == ["dots"]
    assert compared(OF_A + OF_B, groups=("no such group",)) == []
    assert "No two models were asked the same questions." in to_markdown(drops([], NAMES, "95%"))


def test_with_fewer_than_two_models_the_table_says_so() -> None:
    table = drops([], {"a": "Model A"}, "95%", "Asked was only plain.")
    assert len(table.frame) == 0
    assert "the number of models is 1. Asked was only plain." in to_markdown(table)


def test_a_comparison_is_one_printed_row() -> None:
    table = drops(compared(OF_A + OF_B), NAMES, "95%")
    made = grid(table.views[0], table.frame)
    assert made.header == ("A", "B", "Group", "Difference", "Pairs", "Drop A", "Drop B", "Holm p")
    [row] = made.rows
    assert row[:3] == ("Model A", "Model B", "all") and row[4:7] == ("40", "50.0", "10.0")
    assert row[3].startswith("+40.0 (+")
