"""Which questions remain when people remove some of them: of pairs, and of items with several variants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.people.imports.files import csv_file
from whatif.benchmarks.shared.imported_labels import Labelled
from whatif.benchmarks.shared.question_labels import Variants, VerifyQuestions, check_pairs

ITEMS = Variants(first="basic", named="basic", least_others=1)
NAMES = ("basic", "counterfactual", "counterfactual1", "counterfactual2")


def rows(*pairs: str, names: tuple[str, ...] = NAMES) -> list[dict[str, Any]]:
    """Questions sorted by id; those of pairs whose ids begin alike are not adjacent."""
    made = [
        {
            "question_id": f"{pair}-{name}",
            "pair_id": pair,
            "variant": name,
            "question": f"What is it in {pair} {name}?",
            "choices": ["yes", "no"],
            "answer": "A",
            "answer_kind": "choice",
            "image_ids": ["0" * 64],
        }
        for pair in pairs
        for name in names
    ]
    return sorted(made, key=lambda row: str(row["question_id"]))


def is_letter(row: Any) -> str | None:
    return None if row["answer"] in "AB" else "no letter"


def checked(folder: Path, questions: list[dict[str, Any]], unjudged: str = "keep", **said: str) -> Labelled:
    """Labels by id, with `_` for `-`; an answer of one letter is a correction."""
    labels = [
        {
            "item_id": item.replace("_", "-"),
            "annotator": "ann",
            "decision": "accept" if len(says) == 1 else says,
            "corrected_answer": says if len(says) == 1 else "",
        }
        for item, says in said.items()
    ]
    path = csv_file(folder / "labels.csv", labels)
    given = VerifyQuestions.model_validate({"labels": {"path": str(path), "format": "long"}, "unjudged": unjudged})
    return check_pairs(questions, given, seed=0, check=is_letter, variants=ITEMS)


def kept(found: Labelled) -> list[str]:
    return sorted(row["question_id"] for row in found.rows)


def lost(found: Labelled) -> dict[str, tuple[str, str]]:
    return {row["item_id"]: (row["reason"], row["detail"]) for row in found.rejections}


def test_an_item_goes_with_its_basic_question_and_with_its_last_counterfactual_one(tmp_path: Path) -> None:
    said = {
        "a_basic": "unrelated",
        "a_counterfactual1": "ambiguous",
        "b_counterfactual": "ambiguous",
        "b_counterfactual2": "Z",  # cannot be an answer
        **dict.fromkeys(("c_counterfactual", "c_counterfactual1", "c_counterfactual2"), "ambiguous"),
        "d_counterfactual1": "B",
    }
    found = checked(tmp_path, rows("a", "b", "c", "d", "e"), **said)
    assert lost(found) == {
        "a": ("unrelated", "basic: ann: unrelated"),
        "b-counterfactual": ("ambiguous", "ann: ambiguous"),
        "b-counterfactual2": ("correction refused", 'answer from "A" to "Z": no letter'),
        "c": ("ambiguous", "counterfactual: ann: ambiguous"),
    }
    assert kept(found) == sorted(
        ["b-basic", "b-counterfactual1", *(f"{pair}-{name}" for pair in "de" for name in NAMES)]
    )
    assert [(row["item_id"], row["after"]) for row in found.corrections] == [("d-counterfactual1", '"B"')]


def test_the_id_of_an_item_names_its_basic_question(tmp_path: Path) -> None:
    found = checked(tmp_path, rows("a", "b"), a="reject", b="accept")
    assert lost(found) == {"a": ("reject", "basic: ann: reject")} and len(kept(found)) == 4


@pytest.mark.parametrize("unjudged", ["keep", "remove"])
def test_questions_that_nobody_judged(unjudged: str, tmp_path: Path) -> None:
    said = {"a_counterfactual1": "accept", "b_basic": "accept", "d_counterfactual": "ambiguous"}
    found = checked(tmp_path, rows("a", "b", "c", "d"), unjudged, **said)
    if unjudged == "keep":
        assert len(kept(found)) == 15 and list(lost(found)) == ["d-counterfactual"]
        return
    assert kept(found) == ["a-basic", "a-counterfactual1"]
    assert {item: reason for item, (reason, _) in lost(found).items()} == {
        "a-counterfactual": "not judged",
        "a-counterfactual2": "not judged",
        "b": "not judged",
        "c": "not judged",
        "d": "ambiguous",
    }


def test_items_whose_ids_begin_alike(tmp_path: Path) -> None:
    questions = rows("a", "a-c", "a-counterfactual", names=("basic", "counterfactual"))
    found = checked(tmp_path, questions, **{"a-c-basic": "reject"})
    assert sorted({row["pair_id"] for row in found.rows}) == ["a", "a-counterfactual"]
    assert list(lost(found)) == ["a-c"] and len(kept(found)) == 4


def test_without_labels_all_questions_remain() -> None:
    found = check_pairs(rows("a"), VerifyQuestions(), seed=0, check=is_letter, variants=ITEMS)
    assert len(found.rows) == 4 and found.rejections == []
