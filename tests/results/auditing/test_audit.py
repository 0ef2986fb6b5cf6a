"""The audit: planted shortcuts are found, nothing is found where nothing is, and clusters are respected."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import whatif
from tests.results.auditing.benchmarks import choices, yes_no
from whatif.engine.errors import WhatifError
from whatif.results.auditing.audit import Audit, Finding, How, audit, score_rows
from whatif.results.auditing.benchmark import read_benchmark, read_rows
from whatif.results.auditing.fixed_rules import LENGTH, fixed_rules
from whatif.results.auditing.guesses import Folds
from whatif.results.auditing.report import luck, verdict

pytestmark = pytest.mark.slow

RELEASED = Path(os.environ.get("WHATIF_DATA", "")) / "c-vqa" / "C-VQA-Synthetic_questions.csv"


def audited(rows: list[dict[str, Any]], **how: Any) -> Audit:
    return audit(read_rows("rows", rows).items, How(**how))


def by_rule(found: Audit) -> dict[str, Finding]:
    return {one.rule: one for one in found.findings}


@pytest.fixture(scope="module")
def planted() -> Audit:
    return audited(choices(400, share=0.6))


def test_a_planted_rank_is_found_by_rank_and_forest(planted: Audit) -> None:
    found = by_rule(planted)
    assert found["rank"].choice == "4" and 0.6 < found["rank"].accuracy.estimate < 0.8
    assert found["rank"].above_chance and found["forest"].above_chance
    assert not found["letter"].above_chance and found["letter"].chance == 0.25
    assert "rules are above chance. The best: " in verdict(planted)
    assert luck(planted, 0.95) == "By luck alone, up to 0.2 of 6 rules would be above chance at 95%."


def test_items_that_follow_the_rule_are_more_guessable(planted: Audit) -> None:
    rows = list(score_rows(planted))
    assert [row["row"] for row in rows] == list(range(1, 401))
    follows = np.array(["rank" in row["right_by"].split(",") for row in rows])
    guessable = np.array([row["guessable"] for row in rows])
    assert guessable[follows].mean() > guessable[~follows].mean() + 0.2
    assert all(0 <= row["forest"] <= 1 and 0 <= row["text"] <= 1 and row["language_model"] is None for row in rows)


def test_the_same_audit_twice_is_the_same(planted: Audit) -> None:
    assert audited(choices(400, share=0.6)).findings == planted.findings
    assert audited(choices(400, share=0.6)[::-1]).findings == planted.findings


def test_nothing_is_found_where_nothing_is() -> None:
    found = by_rule(audited(choices(400, seed=3)))
    for rule in ("letter", "rank", "forest", "text"):
        assert not found[rule].above_chance, found[rule]


def test_words_that_tell_the_answer_are_found_and_named() -> None:
    found = audited(yes_no(300, told=0.6))
    assert by_rule(found)["text"].accuracy.estimate > 0.7 and by_rule(found)["text"].chance == 0.5
    [section] = found.sections
    [text] = [one for one in section.guesses if one.rule == "text"]
    assert any("“always”" in reason for reason in text.reasons)


def test_numbers_are_compared_with_the_most_frequent_answer() -> None:
    random = np.random.default_rng(0)
    rows = [
        {"question": f"How many, {random.integers(9)}?", "answer": int(random.choice([1, 1, 2, 3]))} for _ in range(200)
    ]
    found = audited(rows)
    most = by_rule(found)["majority"]
    assert (most.choice, most.baseline, most.above_chance) == ("1", True, False)
    assert most.accuracy.estimate == most.chance == by_rule(found)["forest"].chance
    assert verdict(found) == "None of 2 rules is above chance."


def test_what_only_a_picture_tells_is_not_found_across_pictures() -> None:
    """Ten questions about a picture have the same answer, and a word that names the picture."""
    random = np.random.default_rng(1)
    rows = []
    for image in range(40):
        answer = ("no", "yes")[int(random.integers(2))]
        rows += [{"question": f"Is w{image} so?", "answer": answer, "image": f"{image}"} for _ in range(10)]
    clustered, apart = audited(rows), audited([{**row, "image": None} for row in rows])
    assert by_rule(apart)["text"].accuracy.estimate > 0.9  # what a split of questions would claim
    assert not by_rule(clustered)["text"].above_chance
    wide, narrow = (by_rule(one)["majority"].accuracy for one in (clustered, apart))
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_too_few_pictures_are_refused_and_small_sections_left_out() -> None:
    with pytest.raises(WhatifError, match="5 folds need as many pictures or pairs, but the choice questions have 4"):
        audited(choices(40, pictures=4))
    rows = [*yes_no(30, told=0), {"id": 99, "question": "How many?", "answer": 3, "image": "x"}]
    assert audited(rows).notes == ["left out: number questions are about 1 pictures or pairs, fewer than the 5 folds"]


def test_the_function_takes_files_frames_and_named_columns(tmp_path: Path) -> None:
    import pandas as pd

    rows = choices(60, share=0.9)
    frame = pd.DataFrame(rows).rename(columns={"question": "q", "choices": "list"})
    found = whatif.audit_shortcuts(frame, folds=3, question="q", options="list")
    assert list(found["rule"]) == ["letter", "rank", "majority", "forest", "text"] or "length" in set(found["rule"])
    pd.DataFrame(rows).to_parquet(tmp_path / "a.parquet")
    again = whatif.audit_shortcuts(tmp_path / "a.parquet", folds=3)
    pd.testing.assert_frame_equal(found.drop(columns="set"), again.drop(columns="set"))
    arrays = pd.read_parquet(tmp_path / "a.parquet")  # with arrays in place of lists
    pd.testing.assert_frame_equal(found, whatif.audit_shortcuts(arrays, folds=3))


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.skipif(not RELEASED.is_file(), reason="WHATIF_DATA does not name a folder with the released questions")
def test_the_released_puzzles_have_the_known_shortcuts() -> None:
    items = [item for item in read_benchmark(RELEASED).items if item.variant == "original"]
    original = by_rule(audit(items, How(seed=2024)))
    assert (original["rank"].choice, original["rank"].right, original["rank"].n) == ("2", 1429, 3000)
    assert f"{100 * original['forest'].accuracy.estimate:.1f}" == "61.5"


def test_few_questions_with_one_shortest_option_do_not_hide_the_longest() -> None:
    rows = [
        {"question": f"{row}?", "A": "rather long", "B": "short", "C": "brief", "answer": "A" if row % 3 else "B"}
        for row in range(99)
    ]
    rows += [{"question": f"{row}?", "A": "one", "B": "three", "C": "seven", "answer": "A"} for row in range(2)]
    items = read_rows("rows", rows).items
    rules = fixed_rules(items, Folds(5, 0, "", [item.cluster for item in items]))
    [found] = [one for one in rules if one.rule == LENGTH]
    assert (found.choice, int(found.applies.sum()), int(found.right.sum())) == ("longest", 99, 66)
