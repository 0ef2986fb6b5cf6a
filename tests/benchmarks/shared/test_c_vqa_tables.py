"""Table 7 of C-VQA."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reporting.test_twins import SETTINGS, a_set, prediction, question
from whatif.benchmarks.shared.c_vqa_tables import Table7, table7
from whatif.errors import WhatifError
from whatif.reporting.formats import to_csv, to_latex, to_markdown


@pytest.fixture
def made() -> Table7:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=20)
    silent = [prediction(asked, None, "none", "silent") for asked in questions]
    return table7(predictions + silent, questions, SETTINGS, {"m": "Tiny LLaVA", "silent": "Silent"})


def test_the_main_table_has_chance_then_the_printed_then_ours(made: Table7) -> None:
    table = made.tables["main"]
    assert [row[:2] for row in table.rows] == [
        ("Chance", ""),
        ("InstructBLIP (Vicuna-7B)", "printed"),
        ("InstructBLIP (FlanT5 XXL)", "printed"),
        ("BLIP2 (FlanT5 XXL)", "printed"),
        ("Tiny LLaVA", "ours"),
        ("Silent", "ours"),
    ]
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert [(row["Original"], row["Counterfactual"]) for row in rows] == [
        ("25.0", "25.0"),
        ("26.9", "25.7"),
        ("16.7", "19.9"),
        ("17.5", "20.2"),
        ("100.0", "50.0"),
        ("0.0", "0.0"),
    ]
    for printed in rows[:4]:  # what the paper does not print is not made up
        assert {printed[c] for c in table.header[2:] if c not in ("Original", "Counterfactual")} == {""}
    ours = rows[4]
    assert ours["Pairs"] == "40"
    assert ours["Original 95%"] == "91.2 to 100.0"
    assert ours["Counterfactual 95%"] == "35.2 to 64.8"  # Wilson: (0.5 + z^2/80 -+ ...) / (1 + z^2/40)
    assert ours["Difference"] == "-50.0"
    assert ours["McNemar p"] == "1.9e-06"  # 2 / 2^20
    assert (ours["Legacy original"], ours["Extracted original"], ours["Errors original"]) == ("100.0", "", "0")


def test_ours_stands_beside_the_printed_row_of_the_same_system() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    rows = predictions + [{**row, "model": "other"} for row in predictions]
    names = {"m": "Tiny LLaVA", "other": "InstructBLIP (FlanT5 XXL)"}
    table = table7(rows, questions, SETTINGS, names).tables["main"]
    assert [row[:2] for row in table.rows[1:]] == [
        ("InstructBLIP (Vicuna-7B)", "printed"),
        ("InstructBLIP (FlanT5 XXL)", "printed"),
        ("InstructBLIP (FlanT5 XXL)", "ours"),
        ("BLIP2 (FlanT5 XXL)", "printed"),
        ("Tiny LLaVA", "ours"),
    ]


def test_groups_are_the_templates(made: Table7) -> None:
    rows = [row[:4] for row in made.tables["groups"].rows]
    assert rows[:2] == [("Tiny LLaVA", "dots", "20", "100.0"), ("Tiny LLaVA", "flowers", "20", "100.0")]
    differences = [row[made.tables["groups"].header.index("Difference")] for row in made.tables["groups"].rows]
    assert differences == ["-100.0", "+0.0", "+0.0", "+0.0"]


def test_letters_and_what_was_not_answered(made: Table7) -> None:
    table = made.tables["letters"]
    assert table.header == ("Model", "Variant", "A", "B", "C", "D", "ambiguous", "none", "error")
    assert table.rows == (
        ("Tiny LLaVA", "original", "100.0", "0.0", "0.0", "0.0", "0", "0", "0"),
        ("Tiny LLaVA", "counterfactual", "50.0", "50.0", "0.0", "0.0", "0", "0", "0"),
        ("Silent", "original", "0.0", "0.0", "0.0", "0.0", "0", "40", "0"),
        ("Silent", "counterfactual", "0.0", "0.0", "0.0", "0.0", "0", "40", "0"),
    )


def test_points_to_plot(made: Table7) -> None:
    assert [(row.model, row.source) for row in made.plot_rows] == [
        ("InstructBLIP (Vicuna-7B)", "printed"),
        ("InstructBLIP (FlanT5 XXL)", "printed"),
        ("BLIP2 (FlanT5 XXL)", "printed"),
        ("m", "ours"),
        ("silent", "ours"),
    ]
    printed, ours = made.plot_rows[0], made.plot_rows[3]
    assert (printed.original, printed.counterfactual, printed.original_low) == (26.9, 25.7, None)
    assert (ours.name, ours.original, ours.counterfactual) == ("Tiny LLaVA", 100.0, 50.0)
    assert ours.counterfactual_low == made.metrics["m"]["all"]["counterfactual"]["low"]
    assert ours.original_high == made.metrics["m"]["all"]["original"]["high"] == 100.0


def test_every_table_can_be_written_in_every_format(made: Table7) -> None:
    for table in made.tables.values():
        for write in (to_csv, to_markdown, to_latex):
            assert write(table).count("Tiny LLaVA") >= 1


@pytest.mark.parametrize(("options", "chance"), [((4, 4), 25.0), ((2, 2), 50.0), ((2, 4), 37.5)])
def test_chance_is_the_mean_of_one_in_the_number_of_options(options: tuple[int, int], chance: float) -> None:
    questions: list[dict[str, Any]] = [
        {**question(0, variant), "choices": [str(n) for n in range(count)]}
        for variant, count in zip(("original", "counterfactual"), options, strict=True)
    ]
    predictions = [prediction(asked, "A") for asked in questions]
    assert table7(predictions, questions, SETTINGS, {"m": "M"}).chance == chance


def test_the_level_of_confidence_is_in_the_header() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    settings = SETTINGS.model_copy(update={"confidence": 0.9})
    assert "Original 90%" in table7(predictions, questions, settings, {"m": "M"}).tables["main"].header


def test_open_questions_and_no_questions_are_refused() -> None:
    with pytest.raises(WhatifError, match="questions: there are none"):
        table7([], [], SETTINGS, {})
    with pytest.raises(WhatifError, match="question p000-original: has no choices"):
        table7([], [{**question(0, "original"), "choices": None}], SETTINGS, {})
