"""The further rules of the shortcut audit: length, the answer to another question of the pair, and words."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from whatif.results.reporting.rendering import to_markdown
from whatif.results.reporting.shortcuts import shortcuts
from whatif.scoring.shortcuts.audit import ALL_RULES, RULES, Shortcut, audit
from whatif.scoring.shortcuts.fixed_rules import Count, by_answers, by_length
from whatif.scoring.shortcuts.word_model import right_by_words

COLOURS = ("red", "blue", "green", "yellow", "black", "white")
PLACES = ("left", "right", "above", "below")


def question(pair: int, variant: str, choices: list[str], right: int, text: str = "What is it?") -> dict[str, Any]:
    return {
        "question_id": f"p{pair:04d}-{variant}",
        "pair_id": f"p{pair:04d}",
        "group": "color",
        "variant": variant,
        "question": text,
        "choices": choices,
        "answer": "AB"[right],
    }


def items(number: int, variants: tuple[str, ...] = ("basic", "counterfactual"), seed: int = 0) -> list[dict[str, Any]]:
    """Two different colours, either of which is right with the same probability, for each question."""
    random = np.random.default_rng(seed)
    return [
        question(
            pair,
            variant,
            [COLOURS[place] for place in random.permutation(6)[:2]],
            int(random.integers(2)),
            f"If the {PLACES[random.integers(4)]} ball were gone, what color?",
        )
        for pair in range(number)
        for variant in variants
    ]


def by_name(found: list[Shortcut]) -> dict[tuple[str, str], Shortcut]:
    return {(one.rule, one.variant): one for one in found}


def test_length_counts_questions_with_one_longest_option() -> None:
    rows = [
        question(0, "basic", ["yellow", "red"], 0),
        question(1, "basic", ["blue", "green "], 0),
        question(2, "basic", ["blue", "gold"], 1),
        question(3, "basic", ["a", "bc"], 1),
    ]
    assert by_length(rows) == {"longest": Count(2, 3), "shortest": Count(1, 3)}
    found = by_name(audit(rows, folds=2, seed=0, rules=["length"]))
    assert found == {("length", "basic"): Shortcut("length", "basic", "longest", 2, 3)}


def test_options_that_also_answer_the_basic_question() -> None:
    rows = [
        question(0, "basic", ["red", "blue"], 0),
        question(0, "counterfactual", ["Red ", "green"], 1),  # the basic answer is wrong
        question(1, "basic", ["red", "blue"], 1),
        question(1, "counterfactual", ["blue", "green"], 1),  # wrong
        question(2, "basic", ["red", "blue"], 1),
        question(2, "counterfactual", ["blue", "green"], 0),  # right
        question(3, "basic", ["red", "blue"], 1),
        question(3, "counterfactual", ["black", "green"], 0),  # does not apply
    ]
    changed = [row for row in rows if row["variant"] == "counterfactual"]
    answers = {"p0000": "red", "p0001": "blue", "p0002": "blue", "p0003": "blue"}
    counts = by_answers(changed, answers, "basic")
    assert list(counts.values()) == [Count(1, 3), Count(2, 3)]
    (found,) = audit(rows, folds=2, seed=0, rules=["other-answer"], basis="basic")
    assert found == Shortcut("other-answer", "counterfactual", "never the answer to the basic question", 2, 3)
    # Only red or blue is an option of each basic question: it is right in pair 2 alone.
    (found,) = audit(rows, folds=2, seed=0, rules=["other-options"], basis="basic")
    assert found == Shortcut("other-options", "counterfactual", "never the option that the basic question has", 2, 3)
    three = [{**changed[0], "choices": ["red", "green", "blue"]}]
    assert list(by_answers(three, answers, "basic").values()) == [Count(0, 1), Count()]


@pytest.mark.soak
@pytest.mark.slow
def test_exchangeable_options_give_nothing_away_and_all_variants_are_audited() -> None:
    variants = ("basic", "counterfactual", "counterfactual1", "counterfactual2", "counterfactual3")
    rows = items(500, variants)
    begun = time.process_time()
    found = audit(rows, folds=5, seed=0, rules=ALL_RULES, basis="basic")
    assert time.process_time() - begun < 60
    assert list(dict.fromkeys(one.variant for one in found)) == list(variants)
    assert len(found) == 5 * len(ALL_RULES) - 2
    for one in found:
        assert one.accuracy(0.95).estimate < 0.6, one
    one_by_one = [
        one
        for name in variants
        for one in audit(rows, folds=5, seed=0, rules=ALL_RULES, basis="basic", variants=[name])
    ]
    assert one_by_one == found


@pytest.mark.slow
def test_a_word_of_the_question_that_gives_its_answer_away_is_found_by_the_linear_model_alone() -> None:
    random = np.random.default_rng(2)
    rows = []
    for pair in range(300):
        word, options = ("above", "below", "right")[random.integers(3)], ["green", "black"]
        if random.integers(2):
            options.reverse()
        right = options.index("green" if word == "above" else "black")
        rows.append(question(pair, "counterfactual", options, right, f"What color if the ball were {word}?"))
    found = by_name(audit(rows, folds=5, seed=0, rules=ALL_RULES))
    words, forest = (found[rule, "counterfactual"].accuracy(0.95).estimate for rule in ("words", "forest"))
    assert words > 0.97
    assert forest < 0.75  # that black is right two times in three


def test_words_stay_with_their_pair() -> None:
    random = np.random.default_rng(1)
    rows = []
    for pair in range(60):  # the same question four times, with options that no other pair has
        right = int(random.integers(2))
        row = question(pair, "basic", [f"u{pair}", f"v{pair}"], right)
        rows += [{**row, "question_id": f"{row['question_id']}-{copy}"} for copy in range(4)]
    assert 0.3 < right_by_words(rows, 5, 0) / 240 < 0.7
    assert right_by_words([{**row, "pair_id": row["question_id"]} for row in rows], 5, 0) == 240


def test_the_table_names_the_rules() -> None:
    found = audit(items(40), folds=4, seed=0, rules=ALL_RULES, basis="basic")
    text = to_markdown(shortcuts({"ours": found}, chance=50.0))
    assert "linear model of" in text and "chance is 50%" in " ".join(text.split())
    assert "count only questions to which they apply" in " ".join(text.split())
    usual = to_markdown(shortcuts({"ours": [one for one in found if one.rule in RULES]}))
    assert "apply" not in usual
