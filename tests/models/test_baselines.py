"""The baselines, and how adapters are found."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.engine.params.models import Baseline
from whatif.models import ADAPTERS, Question, load


def question(number: int, options: int = 4, majority: str | None = "C", **more: Any) -> Question:
    def unseen() -> list[object]:
        raise AssertionError("a baseline looked at the picture")

    return Question(
        question_id=f"q{number:04d}",
        group="dots",
        variant="original",
        messages=one_turn("How many dots?"),
        options=tuple(str(n) for n in range(options)),
        images=unseen,  # type: ignore[arg-type]
        majority_answer=majority,
        **more,
    )


def baseline(name: str) -> Baseline:
    return Baseline.model_validate({"adapter": name})


def test_random_is_even_over_the_letters() -> None:
    letters = Counter(
        a.letter for a in load("random", baseline("random"), 0).answer([question(n) for n in range(2000)])
    )
    assert set(letters) == set("ABCD")
    assert all(420 < count < 580 for count in letters.values())  # 500 expected, 4 standard deviations are 77


def test_random_depends_on_the_seed_and_the_question_alone() -> None:
    questions = [question(n) for n in range(50)]
    answers = [a.letter for a in load("random", baseline("random"), 3).answer(questions)]
    backwards = [a.letter for a in load("random", baseline("random"), 3).answer(questions[::-1])]
    another_seed = [a.letter for a in load("random", baseline("random"), 4).answer(questions)]
    assert backwards[::-1] == answers
    assert another_seed != answers


def test_random_keeps_to_the_options_there_are() -> None:
    answers = load("random", baseline("random"), 0).answer([question(n, options=2) for n in range(100)])
    assert {answer.letter for answer in answers} == {"A", "B"}


def test_first_option_answers_a() -> None:
    answers = list(load("first-option", baseline("first-option"), 0).answer([question(0), question(1)]))
    assert [(a.letter, a.status, a.option_scores) for a in answers] == [("A", "ok", None)] * 2


def test_majority_answers_the_letter_it_was_given() -> None:
    known, unknown = load("majority", baseline("majority"), 0).answer([question(0), question(1, majority=None)])
    assert (known.letter, known.status) == ("C", "ok")
    assert (unknown.letter, unknown.status) == (None, "error")
    assert unknown.reason is not None and "group dots, variant original" in unknown.reason


def test_open_questions_get_answers_of_their_group() -> None:
    random = load("random", baseline("random"), 0)
    asked = [question(n, options=0, group_answers=("2", "7", "2", "yes")) for n in range(1500)]
    answers = list(random.answer(asked))
    counts = Counter(answer.response for answer in answers)
    assert set(counts) == {"2", "7", "yes"}
    assert all(420 < count < 580 for count in counts.values())  # 500 expected: an answer counts once
    assert {answer.letter for answer in answers} == {None}
    assert [a.response for a in random.answer(asked[::-1])][::-1] == [a.response for a in answers]
    (unknown,) = random.answer([question(0, options=0)])
    assert (unknown.status, unknown.reason) == ("error", "the right answers of group dots are not known")


def test_majority_answers_an_open_question_in_words() -> None:
    (answer,) = load("majority", baseline("majority"), 0).answer([question(0, options=0, majority="7")])
    assert (answer.letter, answer.response, answer.status) == (None, "7", "ok")


def test_an_open_question_has_no_first_option() -> None:
    (answer,) = load("first-option", baseline("first-option"), 0).answer([question(0, options=0)])
    assert (answer.letter, answer.status) == (None, "error")


@pytest.mark.parametrize("name", ["random", "first-option", "majority"])
def test_answers_of_a_baseline_are_not_worth_storing(name: str) -> None:
    assert load(name, baseline(name), 0).identity is None


def test_unknown_adapter_lists_the_known_ones() -> None:
    with pytest.raises(WhatifError, match=r"'gpt'.*blind, .*first-option, .*hf-blip, hf-chat, .*majority, random"):
        load("gpt", None, 0)


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_every_adapter_is_there(name: str) -> None:
    module, function = ADAPTERS[name].split(":")
    assert callable(getattr(__import__(module, fromlist=[function]), function))


@pytest.mark.process
def test_naming_adapters_imports_no_heavy_library() -> None:
    code = (
        "import sys, whatif.models.local.chat, whatif.models.baselines, whatif.scoring, "
        "whatif.benchmarks.cvqa_synthetic, "
        "whatif.scoring.statistics, whatif.scoring.shortcuts.audit, whatif.engine.artifacts.images; "
        "heavy = {'torch', 'transformers', 'sklearn', 'scipy', 'statsmodels', 'matplotlib', 'pandas'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
