"""Table 7 of C-VQA."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.benchmarks.cvqa_synthetic.answered import cells, made, puzzles
from tests.frames import ends
from tests.results.reporting.test_pair_measures import a_set, prediction, question
from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.engine.errors import WhatifError
from whatif.results.reporting.plots import accuracy_points
from whatif.results.reporting.rendering import grid, to_latex, to_markdown
from whatif.results.reporting.table import to_csv
from whatif.scoring.statistics import paired_drop, wilson


@pytest.fixture
def found() -> Puzzles:
    questions, predictions = a_set({"dots": ("A", "B"), "flowers": ("A", "A")}, size=20)
    silent = [prediction(asked, None, "none", "silent") for asked in questions]
    return puzzles(predictions + silent, questions, {"m": "Tiny LLaVA", "silent": "Silent"})


def test_the_main_table_has_chance_then_the_reported_then_ours(found: Puzzles) -> None:
    rows = cells(made("table7", found))
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


def test_how_responses_were_read_is_in_a_table_of_its_own(found: Puzzles) -> None:
    rows = cells(made("table7", found), view=1)
    assert [(row["Model"], row["Variant"]) for row in rows] == [
        (name, variant) for name in ("Tiny LLaVA", "Silent") for variant in ("original", "counterfactual")
    ]
    assert [rows[0][rules] for rules in ("Legacy", "VLMEvalKit", "lmms-eval")] == ["100.0"] * 3
    assert (rows[0]["Extraction rate"], rows[0]["Error"]) == ("", "0")
    assert [row["None"] for row in rows] == ["0", "0", "40", "40"]


def test_the_csv_file_has_one_number_a_cell(found: Puzzles) -> None:
    lines = to_csv(made("table7", found).frame).splitlines()
    assert lines[0] == "model,name,source,variant,measure,published,value,low,high,n,p"
    assert lines[1] == ",Chance,,original,accuracy,,25.0,,,,"
    assert lines[3] == ",InstructBLIP (Vicuna-7B),reported,original,accuracy,26.9,26.9,,,,"
    ours = [line.removeprefix("m,Tiny LLaVA,ours,") for line in lines if line.startswith("m,")]
    low, high = ends(wilson(40, 40))
    assert ours[0] == f"original,accuracy,,100.0,{low},{high},40,"
    low, high = ends(wilson(20, 40))
    assert ours[1] == f"counterfactual,accuracy,,50.0,{low},{high},40,"
    drop = paired_drop([True] * 40, [False] * 20 + [True] * 20).interval
    low, high = ends(drop)
    assert ours[2] == f",drop,,50.0,{low},{high},40,1.907e-06"  # 2 / 2^20
    rest = [
        *("original,legacy,,100.0,,,,", "counterfactual,legacy,,50.0,,,,"),
        *("original,vlmevalkit,,100.0,,,,", "counterfactual,vlmevalkit,,50.0,,,,"),
        *("original,lmms-eval,,100.0,,,,", "counterfactual,lmms-eval,,50.0,,,,"),
        *("original,ok,,40.0,,,40,", "original,ambiguous,,0.0,,,40,"),
        *("original,none,,0.0,,,40,", "original,error,,0.0,,,40,"),
        *("counterfactual,ok,,40.0,,,40,", "counterfactual,ambiguous,,0.0,,,40,"),
        *("counterfactual,none,,0.0,,,40,", "counterfactual,error,,0.0,,,40,"),
        ",left out,,0.0,,,,",
    ]
    assert ours[3:] == rest


def test_ours_is_beside_the_reported_row_of_the_same_system() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    rows = predictions + [{**row, "model": "other"} for row in predictions]
    names = {"m": "Tiny LLaVA", "other": "InstructBLIP (FlanT5 XXL)"}
    printed = cells(made("table7", puzzles(rows, questions, names)))
    assert [(row["Model"], row["From"]) for row in printed[1:]] == [
        ("InstructBLIP (Vicuna-7B)", "reported"),
        ("InstructBLIP (FlanT5 XXL)", "reported"),
        ("InstructBLIP (FlanT5 XXL)", "ours"),
        ("BLIP2 (FlanT5 XXL)", "reported"),
        ("Tiny LLaVA", "ours"),
    ]


def test_groups_are_the_templates(found: Puzzles) -> None:
    rows = cells(made("templates", found))
    assert [(row["Model"], row["Template"], row["Pairs"]) for row in rows[:2]] == [
        ("Tiny LLaVA", "dots", "20"),
        ("Tiny LLaVA", "flowers", "20"),
    ]
    assert [row["Drop"].split(" ")[0] for row in rows] == ["100.0", "0.0", "0.0", "0.0"]


def test_letters_and_what_was_not_answered(found: Puzzles) -> None:
    table = made("letters", found)
    printed = grid(table.views[0], table.frame)
    assert printed.header == ("Model", "Variant", "A", "B", "C", "D", "Ambiguous", "None", "Error")
    assert printed.rows == (
        ("Tiny LLaVA", "original", "100.0", "0.0", "0.0", "0.0", "0", "0", "0"),
        ("Tiny LLaVA", "counterfactual", "50.0", "50.0", "0.0", "0.0", "0", "0", "0"),
        ("Silent", "original", "0.0", "0.0", "0.0", "0.0", "0", "40", "0"),
        ("Silent", "counterfactual", "0.0", "0.0", "0.0", "0.0", "0", "40", "0"),
    )


def test_points_to_plot(found: Puzzles) -> None:
    frame = made("table7", found).frame
    points = accuracy_points(frame)
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
    assert ours.counterfactual_low == ends(wilson(20, 40))[0]
    assert ours.original_high == 100.0


@pytest.mark.parametrize("answered", [("original",), ("original", "counterfactual")])
def test_people_are_a_point_if_they_answered_both_variants(found: Puzzles, answered: tuple[str, ...]) -> None:
    of_people = [
        {"question_id": row["question_id"], "attempt": "ann", "answer": row["answer"], "correct": True}
        for row in found.questions
        if row["variant"] in answered
    ]
    task: Any = SimpleNamespace(paths=lambda role: [], seed=0)
    asked = [{**row, "image_ids": [row["pair_id"]]} for row in found.questions]
    with_people = replace(found, questions=asked, human_attempts=of_people, task=task)
    points = accuracy_points(made("table7", with_people).frame)
    assert [point.original for point in points if point.name == "Humans"] == [100.0] * (len(answered) == 2)


def test_every_table_can_be_written_in_every_format(found: Puzzles) -> None:
    for name in ("table7", "templates", "letters"):  # no options were ranked, so `rules` is empty
        table = made(name, found)
        for text in (to_csv(table.frame), to_markdown(table), to_latex(table)):
            assert "Tiny LLaVA" in text


@pytest.mark.parametrize(("options", "chance"), [((4, 4), 25.0), ((2, 2), 50.0), ((2, 4), 37.5)])
def test_chance_is_the_mean_of_one_in_the_number_of_options(options: tuple[int, int], chance: float) -> None:
    questions: list[dict[str, Any]] = [
        {**question(0, variant), "choices": [str(n) for n in range(count)]}
        for variant, count in zip(("original", "counterfactual"), options, strict=True)
    ]
    predictions = [prediction(asked, "A") for asked in questions]
    assert puzzles(predictions, questions, {"m": "M"}).chance == chance


def test_the_level_of_confidence_is_in_the_caption() -> None:
    questions, predictions = a_set({"dots": ("A", "B")}, size=3)
    found = puzzles(predictions, questions, {"m": "M"}, confidence=0.9)
    assert "with 90% intervals" in made("table7", found).views[0].caption


def test_open_questions_and_no_questions_are_refused() -> None:
    with pytest.raises(WhatifError, match="questions: there are none"):
        made("table7", puzzles([], [], {}))
    with pytest.raises(WhatifError, match="question p000-original: has no choices"):
        made("table7", puzzles([], [{**question(0, "original"), "choices": None}], {}))
