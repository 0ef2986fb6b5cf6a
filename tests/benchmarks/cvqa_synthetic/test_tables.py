"""Table 7 of C-VQA."""

from __future__ import annotations

from typing import Any

import pytest

from tests.results.reporting.test_twins import SETTINGS, a_set, prediction, question
from whatif.benchmarks.cvqa_synthetic.tables import Table7, table7
from whatif.engine.errors import WhatifError
from whatif.results.reporting.plots import accuracy_points
from whatif.results.reporting.rendering import grid, to_latex, to_markdown
from whatif.results.reporting.table import to_csv


@pytest.fixture
def made() -> Table7:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=20)
    silent = [prediction(asked, None, "none", "silent") for asked in questions]
    return table7(predictions + silent, questions, SETTINGS, {"m": "Tiny LLaVA", "silent": "Silent"})


def cells(made: Table7, name: str, view: int = 0) -> list[dict[str, str]]:
    table = made.tables[name]
    printed = grid(table.views[view], table.frame)
    return [dict(zip(printed.header, row, strict=True)) for row in printed.rows]


def test_the_main_table_has_chance_then_the_reported_then_ours(made: Table7) -> None:
    rows = cells(made, "table7")
    assert [(row["Model"], row["From"]) for row in rows] == [
        ("Chance", ""),
        ("InstructBLIP (Vicuna-7B)", "reported"),
        ("InstructBLIP (FlanT5 XXL)", "reported"),
        ("BLIP2 (FlanT5 XXL)", "reported"),
        ("Tiny LLaVA", "ours"),
        ("Silent", "ours"),
    ]
    assert [(row["Original"].split(" ")[0], row["Counterfactual"].split(" ")[0]) for row in rows] == [
        ("25.0", "25.0"),
        ("26.9", "25.7"),
        ("16.7", "19.9"),
        ("17.5", "20.2"),
        ("100.0", "50.0"),
        ("0.0", "0.0"),
    ]
    for reported in rows[:4]:  # what the paper does not report is not made up
        assert {
            text for name, text in reported.items() if name not in ("Model", "From", "Original", "Counterfactual")
        } == {""}
        assert "to" not in reported["Original"]
    ours = rows[4]
    assert ours["Pairs"] == "40"
    assert ours["Original"] == "100.0 (91.2 to 100.0)"
    assert ours["Counterfactual"] == "50.0 (35.2 to 64.8)"  # Wilson: (0.5 + z^2/80 -+ ...) / (1 + z^2/40)
    assert ours["Drop"].startswith("50.0 (3")
    assert ours["McNemar p"] == "1.9e-06"  # 2 / 2^20


def test_how_responses_were_read_is_in_a_table_of_its_own(made: Table7) -> None:
    rows = cells(made, "table7", view=1)
    assert [(row["Model"], row["Variant"]) for row in rows] == [
        (name, variant) for name in ("Tiny LLaVA", "Silent") for variant in ("original", "counterfactual")
    ]
    assert [rows[0][rules] for rules in ("Legacy", "VLMEvalKit", "lmms-eval")] == ["100.0"] * 3
    assert (rows[0]["Extracted"], rows[0]["Error"]) == ("", "0")
    assert [row["None"] for row in rows] == ["0", "0", "40", "40"]


def test_the_frame_has_one_number_a_cell_and_every_number_of_the_metrics(made: Table7) -> None:
    frame = made.tables["table7"].frame
    assert [str(frame[name].dtype) for name in ("value", "low", "high", "n", "p")] == [
        *["Float64"] * 3,
        "Int64",
        "Float64",
    ]
    ours = frame[frame["model"] == "m"].set_index(["measure", "variant"])
    numbers = made.metrics["m"]["all"]
    for variant in ("original", "counterfactual"):
        accuracy = ours.loc[("accuracy", variant)]
        assert [accuracy[end] for end in ("value", "low", "high")] == list(numbers[variant].values())
        assert ours.loc[("legacy", variant), "value"] == numbers["legacy"][variant]
        for status, count in numbers["status"][variant].items():
            assert ours.loc[(status, variant), "value"] == count
    drop = ours.loc[("drop", "")]
    assert [drop[end] for end in ("value", "low", "high")] == list(numbers["drop"].values())
    assert (drop["n"], drop["p"]) == (numbers["pairs"], numbers["mcnemar_p"])


def test_ours_is_beside_the_reported_row_of_the_same_system() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    rows = predictions + [{**row, "model": "other"} for row in predictions]
    names = {"m": "Tiny LLaVA", "other": "InstructBLIP (FlanT5 XXL)"}
    found = cells(table7(rows, questions, SETTINGS, names), "table7")
    assert [(row["Model"], row["From"]) for row in found[1:]] == [
        ("InstructBLIP (Vicuna-7B)", "reported"),
        ("InstructBLIP (FlanT5 XXL)", "reported"),
        ("InstructBLIP (FlanT5 XXL)", "ours"),
        ("BLIP2 (FlanT5 XXL)", "reported"),
        ("Tiny LLaVA", "ours"),
    ]


def test_groups_are_the_templates(made: Table7) -> None:
    rows = cells(made, "templates")
    assert [(row["Model"], row["Template"], row["Pairs"]) for row in rows[:2]] == [
        ("Tiny LLaVA", "dots", "20"),
        ("Tiny LLaVA", "flowers", "20"),
    ]
    assert [row["Drop"].split(" ")[0] for row in rows] == ["100.0", "0.0", "0.0", "0.0"]


def test_letters_and_what_was_not_answered(made: Table7) -> None:
    table = made.tables["letters"]
    printed = grid(table.views[0], table.frame)
    assert printed.header == ("Model", "Variant", "A", "B", "C", "D", "Ambiguous", "None", "Error")
    assert printed.rows == (
        ("Tiny LLaVA", "original", "100.0", "0.0", "0.0", "0.0", "0", "0", "0"),
        ("Tiny LLaVA", "counterfactual", "50.0", "50.0", "0.0", "0.0", "0", "0", "0"),
        ("Silent", "original", "0.0", "0.0", "0.0", "0.0", "0", "40", "0"),
        ("Silent", "counterfactual", "0.0", "0.0", "0.0", "0.0", "0", "40", "0"),
    )


def test_points_to_plot(made: Table7) -> None:
    points = accuracy_points(made.tables["table7"].frame)
    assert [(point.model, point.source) for point in points] == [
        ("InstructBLIP (Vicuna-7B)", "reported"),
        ("InstructBLIP (FlanT5 XXL)", "reported"),
        ("BLIP2 (FlanT5 XXL)", "reported"),
        ("m", "ours"),
        ("silent", "ours"),
    ]
    reported, ours = points[0], points[3]
    assert (reported.original, reported.counterfactual, reported.original_low) == (26.9, 25.7, None)
    assert (ours.name, ours.original, ours.counterfactual) == ("Tiny LLaVA", 100.0, 50.0)
    assert ours.counterfactual_low == made.metrics["m"]["all"]["counterfactual"]["low"]
    assert ours.original_high == made.metrics["m"]["all"]["original"]["high"] == 100.0


def test_every_table_can_be_written_in_every_format(made: Table7) -> None:
    for name in ("table7", "templates", "letters"):  # no options were ranked, so `rules` is empty
        table = made.tables[name]
        for text in (to_csv(table.frame), to_markdown(table), to_latex(table)):
            assert "Tiny LLaVA" in text


@pytest.mark.parametrize(("options", "chance"), [((4, 4), 25.0), ((2, 2), 50.0), ((2, 4), 37.5)])
def test_chance_is_the_mean_of_one_in_the_number_of_options(options: tuple[int, int], chance: float) -> None:
    questions: list[dict[str, Any]] = [
        {**question(0, variant), "choices": [str(n) for n in range(count)]}
        for variant, count in zip(("original", "counterfactual"), options, strict=True)
    ]
    predictions = [prediction(asked, "A") for asked in questions]
    assert table7(predictions, questions, SETTINGS, {"m": "M"}).chance == chance


def test_the_level_of_confidence_is_in_the_caption() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    settings = SETTINGS.model_copy(update={"confidence": 0.9})
    assert (
        "with 90% intervals" in table7(predictions, questions, settings, {"m": "M"}).tables["table7"].views[0].caption
    )


def test_open_questions_and_no_questions_are_refused() -> None:
    with pytest.raises(WhatifError, match="questions: there are none"):
        table7([], [], SETTINGS, {})
    with pytest.raises(WhatifError, match="question p000-original: has no choices"):
        table7([], [{**question(0, "original"), "choices": None}], SETTINGS, {})
