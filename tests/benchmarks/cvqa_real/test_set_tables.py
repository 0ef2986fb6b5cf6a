"""Statistics of sets of questions side by side, and the shortcut audit of written and of released questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_real.made_tables import declared, pairs, source, written
from tests.benchmarks.cvqa_real.small import LINES
from tests.frames import check, has, printed, row, value
from whatif.benchmarks.cvqa_real.released_set import released_set
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import main_strategy
from whatif.benchmarks.cvqa_real.shortcut_audit import shortcuts_of
from whatif.benchmarks.cvqa_real.tables.answers import answer_counts
from whatif.engine.errors import WhatifError
from whatif.formats.c_vqa import read_released
from whatif.results.reporting.shortcuts import shortcuts
from whatif.scoring.shortcuts.audit import Shortcut

SOURCES = [
    source("s1", "numerical", "3"),
    source("s2", "numerical", "2", image=2),
    source("s3", "boolean", "yes", image=2),
    source("s4", "boolean", "no", image=3),
]
WRITTEN = [
    written("s1", "direct", "rules", "5"),
    written("s1", "direct", "chat", "1"),
    written("s2", "direct", "rules", "2"),
    written("s3", "boolean", "rules", "no"),
    written("s4", "boolean", "rules", "no"),
]
OURS = pairs(SOURCES, WRITTEN)


def released(folder: Path) -> list[dict[str, Any]]:
    (folder / "released.csv").write_text(LINES, encoding="utf-8")
    return read_released(folder / "released.csv")


def test_sets_stand_side_by_side_with_the_reported_numbers(tmp_path: Path) -> None:
    table = declared("question-set", sets={"ours": OURS, "released": released(tmp_path)})
    check(table)
    lines = printed(table)
    assert list(dict.fromkeys(line["Set"] for line in lines)) == ["ours", "released", "reported"]
    counterfactual = {"variant": "counterfactual"}
    for name, number in (("ours", 5), ("released", 4), ("reported", 3144)):
        assert value(table, set=name, group="all", measure="questions", **counterfactual) == number
    assert row(table, set="reported", group="all", measure="mean words", **counterfactual)["published"] == "13.15"
    assert row(table, set="reported", group="all", measure="mean words", variant="original")["published"] == "5.88"
    assert value(table, set="reported", group="boolean", measure="answer no", **counterfactual) == 55.13
    assert value(table, set="ours", group="boolean", measure="answer no", **counterfactual) == 100
    assert not has(table, set="ours", group="indirect")
    assert [value(table, set="reported", group=group, measure="questions") for group in ("direct", "indirect")] == [
        1150,
        864,
    ]


def test_pairs_whose_answer_does_not_change(tmp_path: Path) -> None:
    table = declared("question-set", sets={"ours": OURS, "released": released(tmp_path)})
    unchanged = [list(line.values()) for line in printed(table, 1)]
    assert unchanged[:3] == [
        ["ours", "all", "5", "2", "60.0"],
        ["ours", "direct", "3", "1", "66.7"],
        ["ours", "boolean", "2", "1", "50.0"],
    ]
    assert unchanged[3:] == [
        ["released", group, n, "0", "100.0"] for group, n in zip(("all", *GROUPS), "4112", strict=True)
    ]


def test_answers_and_words_of_each_set(tmp_path: Path) -> None:
    sets = {"ours": OURS, "released": released(tmp_path)}
    answers = declared("answers", sets=sets)
    check(answers)
    of_ours = {"set": "ours", "group": "direct", "measure": "share"}
    assert value(answers, answer="3", variant="original", **of_ours) == 100 * 2 / 3
    assert value(answers, answer="5", variant="counterfactual", **of_ours) == 100 / 3
    assert (
        value(answers, set="released", group="indirect", answer="0", variant="counterfactual", measure="share") == 100
    )
    words = declared("words", sets=sets)
    check(words)
    assert {line["Set"] for line in printed(words)} == {"ours", "released"}
    nouns = {"variant": "counterfactual", "class": "nouns", "measure": "frequency", "word": "cats"}
    assert value(words, set="ours", **nouns) == 5
    assert value(words, set="released", **nouns) == 1


def test_an_answer_that_is_no_number_is_left_out_of_the_distribution() -> None:
    odd = [{**one, "answer": "many"} if one["pair_id"] == "s2-direct-rules" else one for one in OURS]
    counts = answer_counts(odd)
    assert sum(counts["direct"]["counterfactual"].values()) == 2
    assert not counts["indirect"]["original"]


def test_an_original_question_of_several_writers_counts_once_in_the_audit() -> None:
    found = {(one.variant, one.rule): one for one in shortcuts_of(OURS, folds=2, seed=0)}
    assert found["direct original", "most-frequent"].n == 2
    assert found["direct counterfactual", "most-frequent"].n == 3
    assert found["direct counterfactual", "same-answer"] == Shortcut("same-answer", "direct counterfactual", "", 1, 3)
    assert found["boolean counterfactual", "opposite-answer"].right == 1
    assert found["boolean counterfactual", "opposite-answer"].n == 2
    assert {variant for variant, _ in found} == {
        f"{group} {variant}" for group in ("direct", "boolean") for variant in ("original", "counterfactual")
    }
    assert {rule for variant, rule in found if variant.endswith("original")} == {"most-frequent", "question"}


def test_the_audit_as_a_table(tmp_path: Path) -> None:
    audits = {
        "ours": list(shortcuts_of(OURS, folds=2, seed=0)),
        "released": list(shortcuts_of(released(tmp_path), folds=2, seed=0)),
    }
    table = shortcuts(audits, chance=None)
    check(table)
    assert "chance" not in table.views[0].caption
    assert "take the answer to the other question of the pair as known" in table.views[0].note
    texts = {line["Shortcut"] for line in printed(table)}
    assert {"the opposite of the answer to the other question", "linear model of the question", "always no"} <= texts


def test_tables_3_and_5_show_direct_or_the_first_that_is_not_step_by_step() -> None:
    assert main_strategy(["cot", "plain", "direct"]) == "direct"
    assert main_strategy(["cot", "plain", "describe"]) == "plain"
    assert main_strategy(["cot"]) == "direct"


def test_the_released_puzzles_are_not_the_released_real_questions(tmp_path: Path) -> None:
    path = tmp_path / "synthetic.csv"
    question = "How many dots are there? Select the correct answer:A:16  B:17  C:12  D:13"
    header = "img_path,query,answer,new query,new answer,type"
    path.write_text(f"{header}\n1.png,{question},A,{question},B,abs_counting_4\n", encoding="utf-8")
    with pytest.raises(WhatifError, match=r"^[^\n]*synthetic\.csv: holds multiple-choice questions; .*_questions\.csv"):
        released_set(str(path))
