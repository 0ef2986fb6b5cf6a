"""The table `probes` on answers for which its numbers are known."""

from __future__ import annotations

from typing import Any

import pytest

from whatif.engine.params.probes import NONE_OF_THESE, SHUFFLED, WITHOUT_IMAGE
from whatif.results.reporting.probes import Given, given, measures, probes
from whatif.results.reporting.rendering import to_markdown

QUESTIONS = {f"q{number}": {"variant": "original"} for number in range(8)}
CLUSTERS = {name: name for name in QUESTIONS}
PLACE = {"model": "m", "name": "M", "source": "ours", "strategy": ""}


def answers(right: str, said: str) -> dict[str, Given]:
    """The answers to the questions in order: `1` is right; `-` is none."""
    return {
        name: Given(None if one == "-" else one, hit == "1")
        for name, hit, one in zip(QUESTIONS, right, said, strict=False)
    }


def rows(probe: str, before: dict[str, Given], after: dict[str, Given], **more: Any) -> list[dict[str, Any]]:
    about: dict[str, Any] = {"questions": QUESTIONS, "clusters": CLUSTERS, "confidence": 0.95} | more
    return [{**PLACE, **row} for row in measures(probe, before, after, **about)]


def numbers(found: list[dict[str, Any]], variant: str = "") -> dict[str, tuple[Any, int]]:
    return {row["measure"]: (row.get("value"), row["n"]) for row in found if row["variant"] == variant}


def test_only_questions_that_were_asked_both_ways_are_compared() -> None:
    found = rows(SHUFFLED, answers("11110000", "aaaabbb-"), answers("110000", "aabbbb"))
    assert numbers(found) == {
        "skipped": (None, 2),
        "as_asked": (pytest.approx(66.6667), 6),
        "probed": (pytest.approx(33.3333), 6),
        "change": (pytest.approx(-33.3333), 6),
        "same_answer": (pytest.approx(66.6667), 6),
    }
    (change,) = [row for row in found if row["measure"] == "change"]
    assert change["p"] == pytest.approx(0.5)  # McNemar: two answers lost, none gained


def test_an_answer_counts_as_the_same_only_if_there_are_two() -> None:
    found = numbers(rows(WITHOUT_IMAGE, answers("11", "a-"), answers("10", "aa")))
    assert found["same_answer"] == (100.0, 1)
    assert "same_answer" not in numbers(rows(NONE_OF_THESE, answers("11", "ab"), answers("10", "ab")))
    assert numbers(rows(SHUFFLED, answers("11", "ab"), {})) == {"skipped": (None, 2)}


def test_variants_are_apart_and_not_tested() -> None:
    variants = {name: {"variant": ("original", "counterfactual")[name > "q3"]} for name in QUESTIONS}
    found = rows(WITHOUT_IMAGE, answers("11110000", "a" * 8), answers("00001111", "b" * 8), questions=variants)
    assert numbers(found)["change"] == (0.0, 8)
    assert numbers(found, "original")["change"] == (-100.0, 4)
    assert numbers(found, "counterfactual")["change"] == (100.0, 4)
    assert [row["variant"] for row in found if "p" in row] == [""]


def test_the_content_of_a_letter_is_its_option() -> None:
    asked = {"choices": ["red", "blue"], "answer_kind": "choice"}
    assert given(asked, "B", right=True) == Given("blue", right=True)
    assert given(asked, None, right=False) == Given(None, right=False)
    open_question = {"choices": None, "answer_kind": "number"}
    assert given(open_question, "three", right=True) == given(open_question, "3.0", right=True)


def test_the_table_says_how_to_read_the_probes_that_it_has_and_corrects_their_tests() -> None:
    found = [
        *rows(SHUFFLED, answers("11111111", "a" * 8), answers("00000000", "b" * 8)),
        *rows(WITHOUT_IMAGE, answers("11111111", "a" * 8), answers("11111111", "a" * 8)),
    ]
    table = probes(found, "Set", "95% intervals by image", "A note.")
    change = table.frame[table.frame["measure"] == "change"]
    assert list(change["p"]) == [pytest.approx(2 / 2**8, rel=1e-3), 1.0]
    assert list(change["p_holm"]) == [pytest.approx(4 / 2**8, rel=1e-3), 1.0]
    text = " ".join(to_markdown(table).split())
    assert "does not need the image" in text and "A note." in text and "paraphrased" not in text
    assert "| M | shuffled-options | 100.0 | 0.0 | -100.0 (-100.0 to -35.1) | 0.016 |" in text
