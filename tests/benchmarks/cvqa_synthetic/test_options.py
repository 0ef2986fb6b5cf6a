"""Options that no blind rule can tell apart, letters in balance, and the released manner with its shortcut."""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.world.scenes import puzzle_settings
from whatif.benchmarks.cvqa_synthetic import options as puzzle_options
from whatif.benchmarks.cvqa_synthetic.options import LETTERS, VARIANTS, Asked, PuzzleText, puzzle_text
from whatif.benchmarks.cvqa_synthetic.questions import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import GeneratePuzzles
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import Range
from whatif.formats.c_vqa import read_released
from whatif.scoring.shortcuts.audit import audit


@functools.cache
def _texts(options: str, group: str, total: int = 500) -> list[PuzzleText]:
    settings = puzzle_settings(options=options, puzzles_per_template=total)
    return [puzzle_text(group, number, 2024, settings) for number in range(total)]


def _asked(text: PuzzleText, variant: str) -> Asked:
    return text.original if variant == "original" else text.counterfactual


def _rank(asked: Asked) -> int:
    return sorted(int(choice) for choice in asked.choices).index(asked.number)


@pytest.mark.parametrize("options", ["exchangeable", "released"])
@pytest.mark.parametrize("group", GROUPS)
def test_options_are_four_different_numbers_and_the_letter_names_the_answer(options: str, group: str) -> None:
    for text in _texts(options, group):
        counts = np.array(text.counts)
        answers = [int(answer) for answer in text.words.answers(counts)]
        assert counts.min() >= 1 and len(counts) == (4 if group.startswith("flower") else 6)
        assert [text.original.number, text.counterfactual.number] == answers
        assert answers[0] != answers[1] and min(answers) >= 0
        for variant in VARIANTS:
            asked = _asked(text, variant)
            assert len(set(asked.choices)) == 4 and all(choice.isdigit() for choice in asked.choices)
            assert asked.choices[LETTERS.index(asked.letter)] == str(asked.number)
            assert asked.question == text.words.template.question(variant, text.words.colours, text.words.removed)


@pytest.mark.parametrize("options", ["exchangeable", "released"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("group", GROUPS)
def test_every_letter_is_right_equally_often(options: str, variant: str, group: str) -> None:
    assert Counter(_asked(text, variant).letter for text in _texts(options, group)) == dict.fromkeys(LETTERS, 125)
    odd = Counter(_asked(text, variant).letter for text in _texts(options, group, 42))
    assert set(odd.values()) == {10, 11}


@pytest.mark.parametrize("group", GROUPS)
def test_the_original_answer_has_every_rank_equally_often(group: str) -> None:
    texts = _texts("exchangeable", group)
    assert Counter(_rank(text.original) for text in texts) == {0: 125, 1: 125, 2: 125, 3: 125}


def test_no_blind_rule_wins() -> None:
    """Over 3,000 questions a rule that is right in one of four is right in 28 of 100 once in 10,000 draws."""
    texts = [text for group in GROUPS for text in _texts("exchangeable", group)]
    for variant in VARIANTS:
        choices = np.array([_asked(text, variant).choices for text in texts]).astype(int)
        right = np.array([_asked(text, variant).number for text in texts])
        order = np.sort(choices, axis=1)
        rules = {f"rank {rank}": order[:, rank] for rank in range(4)}
        rules |= {f"letter {letter}": choices[:, place] for place, letter in enumerate(LETTERS)}
        middle = np.abs(choices - choices.mean(axis=1, keepdims=True)).argmin(axis=1)
        rules["nearest to the mean of the options"] = choices[np.arange(len(choices)), middle]
        usual = np.abs(choices - np.median(right)).argmin(axis=1)
        rules["nearest to the usual answer"] = choices[np.arange(len(choices)), usual]
        lonely = np.abs(choices[:, :, None] - choices[:, None]).sum(axis=2).argmax(axis=1)
        rules["farthest from the others"] = choices[np.arange(len(choices)), lonely]
        for name, said in rules.items():
            assert np.mean(said == right) < 0.28, (variant, name)


def test_ranks_of_pairs_tell_nothing_beyond_what_the_questions_tell() -> None:
    """The pair of options that belongs to one world is shown as often as any other of the four."""
    texts = [
        text for group in ("dot-columns", "dot-maximum", "flower-recolour") for text in _texts("exchangeable", group)
    ]
    ranks = Counter(_rank(text.counterfactual) for text in texts)
    assert max(ranks.values()) / len(texts) < 0.30


def test_answers_range_widely() -> None:
    for group in GROUPS:
        for variant in VARIANTS:
            numbers = [_asked(text, variant).number for text in _texts("exchangeable", group)]
            assert len(set(numbers)) >= 8, (group, variant)


def test_a_puzzle_depends_on_nothing_that_was_made_before() -> None:
    settings = puzzle_settings()
    expected = _texts("exchangeable", "flower-removal")
    puzzle_options._balanced_schedule.cache_clear()
    for number in (499, 3, 250):
        assert puzzle_text("flower-removal", number, 2024, settings) == expected[number]
        sharded = puzzle_settings(shards=64)
        assert puzzle_text("flower-removal", number, 2024, sharded) == expected[number]
    assert puzzle_text("flower-removal", 3, 2025, settings) != expected[3]


def test_the_released_manner_has_the_shortcut_of_the_release() -> None:
    """In the released file the smallest, second, third and largest are right in 15, 48, 32 and 5 of 100 questions."""
    ranks = Counter(
        _rank(_asked(text, variant)) for group in GROUPS for text in _texts("released", group) for variant in VARIANTS
    )
    shares = [100 * ranks[rank] / ranks.total() for rank in range(4)]
    assert shares == pytest.approx([17, 47, 31, 5], abs=2)


@pytest.mark.parametrize(
    ("group", "changes", "parameter"),
    [
        ("flower-recolour", {"flowers_per_region": Range(low=1, high=3)}, "flowers_per_region"),
        ("flower-removal", {"flowers_per_region": Range(low=2, high=3)}, "flowers_per_region"),
        ("dot-removal", {"dots_per_circle": Range(low=4, high=4)}, "dots_per_circle"),
        ("dot-maximum", {"dots_per_circle": Range(low=4, high=4)}, "dots_per_circle"),
        ("dot-maximum", {"dots_per_circle": Range(low=1, high=4)}, "dots_per_circle"),
        ("dot-columns", {"dots_per_circle": Range(low=0, high=9)}, "dots_per_circle.low"),
    ],
)
def test_ranges_that_are_too_narrow_are_named(group: str, changes: dict[str, Range], parameter: str) -> None:
    settings: GeneratePuzzles = puzzle_settings(**changes)
    with pytest.raises(WhatifError, match=f"generate.cvqa-synthetic.{parameter}: "):
        puzzle_text(group, 0, 2024, settings)


@pytest.mark.parametrize("group", GROUPS)
def test_narrowest_ranges_that_allow_four_answers_are_enough(group: str) -> None:
    settings = puzzle_settings(flowers_per_region=Range(low=1, high=4), dots_per_circle=Range(low=1, high=5))
    for number in range(20):
        text = puzzle_text(group, number, 2024, settings)
        assert [len(set(_asked(text, variant).choices)) for variant in VARIANTS] == [4, 4]


def _asked_rows() -> Iterator[dict[str, Any]]:
    """The questions of 3,000 puzzles, without their pictures."""
    for group in GROUPS:
        for number, text in enumerate(_texts("exchangeable", group)):
            for variant in VARIANTS:
                asked = _asked(text, variant)
                pair = f"{group}-{number:03d}"
                yield {
                    **{"question_id": f"{pair}-{variant}", "pair_id": pair, "group": group, "variant": variant},
                    **{"question": asked.question, "choices": list(asked.choices), "answer": asked.letter},
                    **{"image_ids": [pair], "answer_kind": "choice"},
                }


def test_the_audit_finds_no_way_to_answer_without_the_picture() -> None:
    found = audit(list(_asked_rows()), folds=2, seed=0)
    assert [(one.rule, one.variant, one.n) for one in found] == [
        (rule, variant, 3000) for variant in VARIANTS for rule in ("letter", "rank", "forest")
    ]
    for shortcut in found:
        assert shortcut.accuracy(0.95).estimate < 0.28, shortcut


def _masked(rows: Iterable[dict[str, Any]]) -> Counter[tuple[str, str, str]]:
    """Questions by template and variant, with their colours and numbers masked."""
    colour = re.compile(r"\b(?!all |removed )\w+(?= polygons)|(?<=polygons were )(?!removed)\w+")
    return Counter(
        (row["group"], row["variant"], re.sub(r"\d+", "<number>", colour.sub("<colour>", row["question"])))
        for row in rows
    )


@pytest.mark.skipif("WHATIF_DATA" not in os.environ, reason="needs WHATIF_DATA, the folder of real data")
def test_questions_are_in_the_words_of_the_released_file() -> None:
    released = _masked(read_released(Path(os.environ["WHATIF_DATA"]) / "c-vqa" / "C-VQA-Synthetic_questions.csv"))
    assert len(released) == 12
    assert _masked(_asked_rows()) == released
