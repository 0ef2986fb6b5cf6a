"""Table 6: ViperGPT with several code models."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.cvqa_real.made_tables import accuracy_table
from tests.frames import check, has, value
from whatif.benchmarks.cvqa_real.tables.table6 import code_model
from whatif.results.reporting.published_numbers import published


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("ViperGPT", "GPT-3.5-turbo"),
        ("ViperGPT (CodeLlama-7B-Instruct)", "CodeLlama-7B-Instruct"),
        ("ViperGPT, rules, oracle tools", "rules, oracle tools"),
        ("ViperGPT (rules, models) (pilot sample of 200 pairs)", "rules, models (pilot sample of 200 pairs)"),
        ("ViperGPT (Llama (7B))", "Llama (7B)"),
        ("WizardCoder-15B", "WizardCoder-15B"),
        ("ViperGPT2", "ViperGPT2"),
    ],
)
def test_a_row_has_the_name_of_the_code_model(name: str, shown: str) -> None:
    assert code_model(name) == shown


def test_the_drops_as_printed_are_those_that_we_recompute_with_the_other_sign() -> None:
    table = accuracy_table(6, [], [], {})
    groups = {"numerical-direct": "direct", "numerical-indirect": "indirect", "boolean": "boolean"}
    printed = [row for row in published("whatif.benchmarks.cvqa_real", "table6") if row["printed_delta"]]
    assert len(printed) == 21  # seven code models, three groups
    for row in printed:
        group = groups[row["group"]]
        found = value(table, name=row["system"], source="reported", group=group, measure="drop")
        assert found == pytest.approx(-float(row["printed_delta"]), abs=0.051)
    check(table)


def test_our_row_follows_the_reported_one_of_the_same_code_model() -> None:
    questions = [
        {
            "question_id": f"{pair}-{variant}",
            "pair_id": pair,
            "group": "direct",
            "variant": variant,
            "question": "How many cats are there?",
            "choices": None,
            "answer": "2",
            "answer_kind": "number",
            "image_ids": [pair],
        }
        for pair in ("p1", "p2")
        for variant in ("original", "counterfactual")
    ]
    predictions: list[dict[str, Any]] = [
        {
            "question_id": row["question_id"],
            "model": "own",
            "strategy": "plain",
            "response": row["answer"],
            "choice_scores": None,
            "answer": row["answer"],
            "status": "ok",
            "correct": True,
        }
        for row in questions
    ]
    table = accuracy_table(6, predictions, questions, {"own": "CodeLlama-7B-Instruct"})
    drops = table.frame[table.frame["measure"] == "drop"]
    names = list(zip(drops["name"], drops["source"], strict=True))
    place = names.index(("CodeLlama-7B-Instruct", "ours"))
    assert names[place - 1] == ("CodeLlama-7B-Instruct", "reported")
    assert has(table, name="CodeLlama-7B-Instruct", source="ours", group="direct", measure="drop")
