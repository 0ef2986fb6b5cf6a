"""The baselines, and how adapters are found."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from whatif.errors import WhatifError
from whatif.models import ADAPTERS, ChoiceQuestion, load
from whatif.params import Baseline


def question(number: int, options: int = 4, majority: str | None = "C") -> ChoiceQuestion:
    def unseen() -> list[object]:
        raise AssertionError("a baseline looked at the picture")

    return ChoiceQuestion(
        question_id=f"q{number:04d}",
        group="dots",
        variant="original",
        prompt="How many dots?",
        options=tuple(str(n) for n in range(options)),
        images=unseen,  # type: ignore[arg-type]
        majority_letter=majority,
    )


def baseline(name: str) -> Baseline:
    return Baseline.model_validate({"adapter": name})


def test_random_is_even_over_the_letters() -> None:
    letters = Counter(a.letter for a in load("random", baseline("random"), 0)([question(n) for n in range(2000)]))
    assert set(letters) == set("ABCD")
    assert all(420 < count < 580 for count in letters.values())  # 500 expected, 4 standard deviations are 77


def test_random_depends_on_the_seed_and_the_question_alone() -> None:
    questions = [question(n) for n in range(50)]
    answers = [a.letter for a in load("random", baseline("random"), 3)(questions)]
    backwards = [a.letter for a in load("random", baseline("random"), 3)(questions[::-1])]
    another_seed = [a.letter for a in load("random", baseline("random"), 4)(questions)]
    assert backwards[::-1] == answers
    assert another_seed != answers


def test_random_keeps_to_the_options_there_are() -> None:
    answers = load("random", baseline("random"), 0)([question(n, options=2) for n in range(100)])
    assert {answer.letter for answer in answers} == {"A", "B"}


def test_first_option_answers_a() -> None:
    answers = list(load("first-option", baseline("first-option"), 0)([question(0), question(1)]))
    assert [(a.letter, a.status, a.choice_scores) for a in answers] == [("A", "ok", None)] * 2


def test_majority_answers_the_letter_it_was_given() -> None:
    known, unknown = load("majority", baseline("majority"), 0)([question(0), question(1, majority=None)])
    assert (known.letter, known.status) == ("C", "ok")
    assert (unknown.letter, unknown.status) == (None, "error")
    assert unknown.reason is not None and "group dots, variant original" in unknown.reason


def test_unknown_adapter_lists_the_known_ones() -> None:
    with pytest.raises(WhatifError, match=r"'gpt'.*first-option, hf-chat, majority, random"):
        load("gpt", None, 0)


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_every_adapter_is_there(name: str) -> None:
    module, function = ADAPTERS[name].split(":")
    assert callable(getattr(__import__(module, fromlist=[function]), function))


def test_naming_adapters_imports_no_heavy_library() -> None:
    code = (
        "import sys, whatif.models.hugging_face_chat, whatif.models.baselines, whatif.scoring, whatif.tables.c_vqa, "
        "whatif.tables.plots, whatif.statistics, whatif.filters.shortcuts, whatif.images; "
        "heavy = {'torch', 'transformers', 'sklearn', 'scipy', 'statsmodels', 'matplotlib', 'pandas'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
