"""The choice of pairs and their options: what the words and the options tell without the picture is nothing."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from whatif.benchmarks.from_yaml.choice import choose, questions_of
from whatif.benchmarks.from_yaml.filtering import filtered, numbers_of_pairs, remedies, shortest
from whatif.benchmarks.from_yaml.settings import ChoiceSettings, FilterQuestions, Template
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS


def of(**changes: Any) -> Template:
    values = {
        "original": "How many?",
        "counterfactual": "How many {if}?",
        "if": "if so",
        "answer": {"original": "1", "counterfactual": "2"},
        "change": "either",
        **changes,
    }
    return Template.model_validate(values)


def candidate(number: int, before: str, after: str, words: str = "a", row: str = "") -> dict[str, Any]:
    return {
        "template": "one",
        "row_id": row or f"row-{number:04d}",
        "blanks": json.dumps({"word": words, "number": number}),
        "image_ids": [f"image-{number}"],
        "original": f"How many {words}?",
        "counterfactual": f"How many {words} if so?",
        "presupposition": "if so",
        "answer_original": before,
        "answer_counterfactual": after,
        "kind": "",
    }


def skewed(number: int = 900) -> list[dict[str, Any]]:
    """Answers of which small ones are much more frequent; with the second words, large ones are."""
    generator = np.random.default_rng(0)
    found = []
    for place, words in enumerate(itertools.islice(itertools.cycle("ab"), number)):
        value = min(int(generator.geometric(0.4)), 6)
        value = value if words == "a" else 7 - value
        found.append(candidate(place, str(value), str(value - 1), words))
    return found


def chosen(rows: list[dict[str, Any]], template: Template, **how: Any) -> list[dict[str, Any]]:
    given = {"pairs": 200, "per_row": None, "seed": 1, **how}
    return [row for one in choose("one", template, rows, Counter(), **given) for row in questions_of(one)]


def test_options_are_different_and_one_of_them_is_right() -> None:
    rows = skewed()
    questions = chosen(rows, of(options=4))
    assert len(questions) == 400
    answers = {row["row_id"]: row for row in rows}
    for question in questions:
        assert len(set(question["choices"])) == 4
        told = question["choices"][LETTERS.index(question["answer"])]
        row = answers[json.loads(question["provenance"])["row"]]
        assert told == row[f"answer_{question['variant']}"]
    letters = Counter((row["variant"], row["answer"]) for row in questions)
    assert set(letters.values()) == {50}
    assert len({row["question_id"] for row in questions}) == 400


def test_no_option_is_right_more_often_than_the_others_with_which_it_is_offered() -> None:
    """Although small answers are frequent: over many choices, each option of a set is right equally often."""
    rows, template = skewed(), of(options=3)
    right: Counter[str] = Counter()
    offered: Counter[str] = Counter()
    for seed in range(30):
        for question in chosen(rows, template, seed=seed, pairs=60):
            right[question["choices"][LETTERS.index(question["answer"])]] += 1
            offered.update(question["choices"])
    for value, times in offered.items():
        # Five standard errors: seeds are fixed, so this says whether the rule is right, once and for all.
        assert abs(right[value] - times / 3) < 5 * (times * 2 / 9) ** 0.5, value


def test_the_same_seed_chooses_the_same_and_another_draw_others() -> None:
    rows = skewed()
    first, again, other = (chosen(rows, of(), draw=draw) for draw in (0, 0, 1))
    assert first == again
    assert first != other


def test_a_row_is_asked_about_so_often_as_allowed() -> None:
    rows = [
        candidate(number, str(number % 4), str(number % 4 + 9), words, f"row-{number:03d}")
        for number in range(60)
        for words in "ab"
    ]
    for per_row in (1, 2):
        found = chosen(rows, of(), per_row=per_row)
        counts = Counter(json.loads(row["provenance"])["row"] for row in found)
        assert max(counts.values()) == 2 * per_row  # two questions a pair


def test_fixed_options_are_all_offered() -> None:
    rows = [candidate(number, "yes" if number % 2 else "no", "no" if number % 2 else "yes") for number in range(40)]
    found = chosen(rows, of(options=["yes", "no"]), pairs=20)
    assert {tuple(sorted(row["choices"])) for row in found} == {("no", "yes")}
    assert Counter(row["answer"] for row in found) == {"A": 20, "B": 20}


def settings(template: Template, **limits: Any) -> ChoiceSettings:
    return ChoiceSettings({"one": template}, FilterQuestions(**{"pairs": 10, "draws": 1, **limits}))


def test_rejections_have_reasons_and_nothing_is_lost() -> None:
    rows = skewed(200)
    rows.append({**rows[0], "row_id": "row-9000"})  # the same picture and the same questions
    found = filtered(settings(of(change="always")), rows, [], 1)
    assert len(found.questions) == 20
    assert len(found.rejections) + 10 == len(rows)
    assert Counter(row["reason"] for row in found.rejections) == {"not chosen": 190, "repeated": 1}


@pytest.mark.parametrize(
    ("template", "rows", "told"),
    [
        (of(change="never"), skewed(50), r"templates\.one: all of its candidates are rejected, 50 for `wrong change`"),
        (of(options=["yes", "no"]), skewed(50), "which is not among the options"),
        (of(options=8), skewed(50), r"answer.original: has at most \d different values .* write `options: \d`"),
        (
            of(options=2),
            [candidate(number, str(number), "no") for number in range(9)],
            "answer.counterfactual: is the same for all rows with the same question, for example 'no', so there are no "
            "wrong options; let it depend on the row$",
        ),
        (
            of(options=2),
            [candidate(number, str(number), str(number), words=f"w{number}") for number in range(9)],
            "no two rows have the same question, so there are no wrong options; give more rows$",
        ),
        (
            of(options=2, blanks={"word": ["a", "b"]}),
            [candidate(number, str(number), str(number), words=f"w{number}") for number in range(9)],
            "no wrong options; give more rows, or use fewer words for its blanks$",
        ),
        (
            of(options=2, original="How many {name}?"),
            [candidate(number, str(number), str(number), words=f"w{number}") for number in range(9)],
            r"no wrong options; leave \{name\} out of its text, or give rows that share it$",
        ),
        (
            of(options=["0", "1", "2", "3"]),
            [candidate(number, str(number % 4), str(number % 2)) for number in range(9)],
            "has at most 2 different values .* list 2 in `options`, or give more rows$",
        ),
        (
            of(options=3),
            [candidate(3 * a + b, str(a), str(b)) for a, b in ((0, 0), (1, 0), (2, 0), (0, 1), (0, 2))],
            "no 3 rows with .* have 3 different answers to both questions; give more rows, or lower `options`$",
        ),
        (of(), [], "no row satisfies `where`$"),
        (of(blanks={"word": ["a"]}), [], "no row has words for its blanks that satisfy `where`$"),
    ],
)
def test_a_template_without_a_pair_says_why(template: Template, rows: list[dict[str, Any]], told: str) -> None:
    with pytest.raises(WhatifError, match=told):
        filtered(settings(template), rows, [], 1)


def test_rows_that_another_template_has_taken_are_told() -> None:
    rows = [candidate(number, str(number), str(number)) for number in range(4)]
    rows += [{**row, "template": "two"} for row in rows]
    limits = FilterQuestions(pairs=8, draws=1, pairs_per_row=1)
    two = ChoiceSettings({"one": of(options=2), "two": of(options=2)}, limits)
    with pytest.raises(WhatifError, match=r"templates\.two: other templates ask .* filter.pairs_per_row allows \(1\)"):
        filtered(two, rows, [], 1)


def test_advice_names_only_what_can_be_changed() -> None:
    assert remedies(of(options=2), per_row=3) == "give more rows, or raise filter.pairs_per_row"
    assert remedies(of(options=["a", "b", "c"])) == "give more rows, or list fewer `options`"
    words = of(options=3, blanks={"word": ["a", "b"]})
    assert remedies(words) == "give more rows, or use fewer words for its blanks, or lower `options`"
    both = ChoiceSettings({"one": of(), "two": words}, FilterQuestions(pairs=10))
    made = [{"group": "one", "variant": variant} for variant in ("original", "counterfactual") for _ in range(5)]
    assert shortest(both, made) == "two"


def test_an_expression_that_fails_for_all_rows_names_one() -> None:
    failed = [{"item_id": "one row-0001", "detail": "row row-0001: templates.one.where: divides by zero"}]
    with pytest.raises(WhatifError, match=r"fail for 1 rows, for example row row-0001: .* divides by zero"):
        filtered(settings(of()), [], failed, 1)


def test_pairs_are_divided_in_proportion_to_the_shares() -> None:
    templates = {"a": of(share=1.0), "b": of(share=2.0), "c": of(share=0.5)}
    assert numbers_of_pairs(templates, 10) == {"a": 3, "b": 6, "c": 1}
    assert sum(numbers_of_pairs(templates, 1001).values()) == 1001
