"""The shortcut audit: how well a multiple-choice set can be answered without its images."""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whatif.scoring.shortcuts.audit import ALL_RULES, Shortcut, audit
from whatif.scoring.shortcuts.features import by_rank, features

pytestmark = pytest.mark.slow

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Synthetic_questions.csv"
VARIANTS = ("original", "counterfactual")


def by_rule(found: list[Shortcut]) -> dict[tuple[str, str], Shortcut]:
    return {(shortcut.rule, shortcut.variant): shortcut for shortcut in found}


def question(pair: int, variant: str, choices: list[str], right: int, text: str = "How many dots?") -> dict[str, Any]:
    return {
        "question_id": f"p{pair:04d}-{variant}",
        "pair_id": f"p{pair:04d}",
        "group": ("dots", "flowers")[pair % 2],
        "variant": variant,
        "question": text,
        "choices": choices,
        "answer": "ABCDEFGH"[right],
    }


def exchangeable(pairs: int, seed: int = 0) -> list[dict[str, Any]]:
    """Four different numbers from one distribution, any of which is equally likely to be correct."""
    random = np.random.default_rng(seed)
    return [
        question(
            pair,
            variant,
            [str(number) for number in random.choice(np.arange(low, low + 14), 4, replace=False)],
            int(random.integers(4)),
            f"How many if we removed {low} dots?",
        )
        for pair in range(pairs)
        for variant in VARIANTS
        for low in [int(random.integers(0, 20))]
    ]


def released() -> list[dict[str, Any]]:
    rows = []
    with RELEASED.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            columns = {"original": ("query", "answer"), "counterfactual": ("new query", "new answer")}
            for variant, (asked, answer) in columns.items():
                split = re.fullmatch(r"(.*) Select the correct answer:A:(\d+) +B:(\d+) +C:(\d+) +D:(\d+)", line[asked])
                assert split is not None, line[asked]
                pair = line["img_path"].removesuffix(".png")
                rows.append(
                    {
                        "question_id": f"{pair}-{variant}",
                        "pair_id": pair,
                        "group": line["type"],
                        "variant": variant,
                        "question": split[1],
                        "choices": [split[number] for number in range(2, 6)],
                        "answer": line[answer],
                    }
                )
    return rows


@pytest.mark.soak
@pytest.mark.skipif(not RELEASED.is_file(), reason="WHATIF_DATA does not name a folder with the released questions")
def test_the_released_set_can_be_answered_without_a_picture() -> None:
    found = by_rule(audit(released(), folds=5, seed=0))
    for variant, right in {"original": 1429, "counterfactual": 1431}.items():
        second_smallest = found["rank", variant]
        assert (second_smallest.choice, second_smallest.n) == ("2", 3000)
        assert second_smallest.accuracy(0.95).estimate == right / 3000
        assert found["forest", variant].accuracy(0.95).low > 0.55
        assert found["letter", variant].accuracy(0.95).estimate < 0.27


def test_exchangeable_options_give_nothing_away() -> None:
    found = audit(exchangeable(600), folds=5, seed=0)
    assert len(found) == 6
    for shortcut in found:
        assert shortcut.accuracy(0.95).estimate < 0.31, shortcut
        assert shortcut.n == 600


def test_a_right_letter_that_is_often_d() -> None:
    rows = exchangeable(300)
    for row in rows[: len(rows) // 2]:
        row["answer"] = "D"
    found = by_rule(audit(rows, folds=5, seed=0))
    for variant in VARIANTS:
        assert found["letter", variant].choice == "D"
        assert 0.55 < found["letter", variant].accuracy(0.95).estimate < 0.7
        assert found["forest", variant].accuracy(0.95).low > 0.45


def test_a_planted_rule_that_no_fixed_letter_or_rank_follows_is_found_by_the_forest() -> None:
    rows = exchangeable(400)
    for row in rows:  # largest for questions about dots, smallest for flowers
        numbers = [int(choice) for choice in row["choices"]]
        place = numbers.index(max(numbers) if row["group"] == "dots" else min(numbers))
        row["answer"] = "ABCD"[place]
    found = by_rule(audit(rows, folds=5, seed=0))
    for variant in VARIANTS:
        assert found["rank", variant].accuracy(0.95).estimate == 0.5
        assert found["forest", variant].accuracy(0.95).estimate > 0.97


def test_a_rule_on_the_number_in_the_question_is_found() -> None:
    random = np.random.default_rng(0)
    rows = []
    for pair in range(300):
        removed = int(random.integers(5, 25))
        wrong = random.choice([n for n in range(30) if n != removed], 3, replace=False)
        choices = [str(removed), *map(str, wrong)]
        order = random.permutation(4)
        shown = [choices[place] for place in order]
        rows.append(
            question(pair, "counterfactual", shown, int(np.argmin(order)), f"How many if we removed {removed} dots?")
        )
    found = by_rule(audit(rows, folds=5, seed=0))
    assert found["forest", "counterfactual"].accuracy(0.95).estimate > 0.95
    assert found["letter", "counterfactual"].accuracy(0.95).estimate < 0.33


def test_whole_pairs_are_kept_in_one_fold() -> None:
    # The same question 8 times under one pair: one copy reveals the others. No other pair reveals the answer.
    random = np.random.default_rng(0)
    rows = []
    for pair in range(60):
        base, right = int(random.integers(0, 1000)), int(random.integers(4))
        for copy in range(8):
            row = question(pair, "original", [str(base + step) for step in (0, 3, 6, 9)], right)
            rows.append({**row, "question_id": f"{row['question_id']}-{copy}"})
    together = by_rule(audit(rows, folds=5, seed=0))["forest", "original"].accuracy(0.95).estimate
    torn = [{**row, "pair_id": row["question_id"]} for row in rows]
    apart = by_rule(audit(torn, folds=5, seed=0))["forest", "original"].accuracy(0.95).estimate
    assert together < 0.42
    assert apart > together + 0.2


def test_the_same_seed_gives_the_same_audit_in_any_order() -> None:
    rows = exchangeable(80)
    first = audit(rows, folds=3, seed=5)
    assert audit(rows[::-1], folds=3, seed=5) == first
    seeds = {audit(rows, folds=3, seed=seed)[2].accuracy(0.95).estimate for seed in range(3)}
    assert len(seeds) > 1


def test_options_that_are_no_numbers_rank_by_their_text() -> None:
    random = np.random.default_rng(1)
    words = ["red", "blue", "green", "yellow", "black", "12", "7"]
    rows = []
    for pair in range(200):
        choices = [words[place] for place in random.permutation(7)[:4]]
        rows.append(question(pair, "original", choices, choices.index(min(choices))))
    found = by_rule(audit(rows, folds=4, seed=0))
    # The four options are never all numbers here, so the first in order of the text is always correct.
    assert found["rank", "original"].choice == "1"
    assert found["rank", "original"].accuracy(0.95).estimate == 1.0
    assert found["forest", "original"].accuracy(0.95).estimate > 0.95


def test_ranks_are_by_value_when_all_options_are_numbers() -> None:
    assert by_rank(["16", "7", "100", "-2"]) == [3, 1, 0, 2]
    assert by_rank(["16", "7", "many"]) == [0, 1, 2]
    assert by_rank(["7", "7.0", "3"]) == [2, 0, 1]


def test_features_of_questions_with_different_numbers_of_options() -> None:
    made = features([question(0, "original", ["1", "5"], 1), question(1, "original", ["4", "2", "9"], 0)])
    assert made.values.shape[0] == 5
    assert made.right.tolist() == [False, True, True, False, False]
    assert made.question.tolist() == [0, 0, 1, 1, 1]
    assert np.isnan(made.values[0, -1]) and not np.isnan(made.values[2, -1])


def test_open_questions_are_passed_over() -> None:
    rows = exchangeable(30)
    open_ones: list[dict[str, Any]] = [
        {**row, "question_id": f"o-{row['question_id']}", "choices": None} for row in rows
    ]
    assert audit(rows + open_ones, folds=3, seed=0) == audit(rows, folds=3, seed=0)
    assert audit(open_ones, folds=3, seed=0) == []


def test_with_fewer_pairs_than_folds_each_is_a_fold_and_one_has_no_models() -> None:
    found = audit(exchangeable(4), folds=5, seed=0, rules=ALL_RULES)
    assert {one.rule for one in found} >= {"letter", "rank", "forest", "words"}
    assert found == audit(exchangeable(4), folds=4, seed=0, rules=ALL_RULES)
    rules = {one.rule for one in audit(exchangeable(1), folds=5, seed=0, rules=ALL_RULES)}
    assert "letter" in rules and not rules & {"forest", "words"}
