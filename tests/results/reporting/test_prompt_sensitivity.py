"""The table of models that are evaluated with several prompts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.results.reporting.test_repeats import question
from whatif.results.reporting.prompt_sensitivity import PromptedAnswers, prompt_sensitivity, sensitivity_figure
from whatif.results.reporting.rendering import grid, to_markdown
from whatif.results.reporting.repeats import AskedQuestions
from whatif.results.reporting.table import Table
from whatif.scoring.statistics import wilson

QUESTIONS = [question(f"p{pair}", variant) for pair in range(4) for variant in ("original", "counterfactual")]
IMAGES = {row["question_id"]: row["image_ids"][0] for row in QUESTIONS}
PLACE = {"model": "m", "name": "Model", "source": "ours", "strategy": ""}
# By pair: original and counterfactual.
RIGHT = np.array([[1, 0, 1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 0]], dtype=np.bool_)
NAMES = ["a", "b", "text-1"]


def table(right: Any = RIGHT, asked: Any = None, **place: str) -> Table:
    of = np.ones(len(QUESTIONS), dtype=np.bool_) if asked is None else asked
    made = PromptedAnswers({**PLACE, **place}, NAMES, of, right)
    return prompt_sensitivity([made], AskedQuestions.of(QUESTIONS, IMAGES, "original"), 0.95, "Set", note="A text.")


def cells(made: Table) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows: list[dict[Any, Any]] = made.frame.to_dict("records")
    return {(row["prompt"], row["variant"], row["measure"]): row for row in rows}


def test_numbers_by_hand() -> None:
    made = table()
    found = cells(made)
    assert [found[name, "original", "accuracy"]["value"] for name in NAMES] == [75, 25, 25]
    assert [found[name, "counterfactual", "accuracy"]["value"] for name in NAMES] == [25, 25, 0]
    assert [found[name, "", "drop"]["value"] for name in NAMES] == [50, 0, 25]
    low = found["a", "original", "accuracy"]["low"]
    assert low == pytest.approx(100 * wilson(3, 4).low, abs=1e-4)
    # The originals are those of the tests of `cochran_p`.
    assert found["", "original", "range"]["value"] == 50
    assert found["", "original", "range"]["p"] == pytest.approx(math.exp(-4 / 3), rel=1e-3)
    assert found["", "original", "sd_prompts"]["value"] == pytest.approx(100 * math.sqrt(1 / 12), abs=1e-4)
    assert found["", "original", "se_items"]["value"] == 25
    assert found["", "original", "changed"]["value"] == 75
    assert found["", "counterfactual", "changed"]["value"] == 50
    # Drops by pair: (1, 0, 1, 0), (0, 0, 0, 0), (0, 0, 1, 0), with sums 2, 0, 1 around 1. Within pairs, the squared
    # distances add up to 2/3 + 2/3, so Q = 2 / (2/3) = 3.
    assert found["", "", "drop_range"]["value"] == 50
    assert found["", "", "drop_range"]["p"] == pytest.approx(math.exp(-1.5), rel=1e-3)
    assert found["", "", "drop_sd_prompts"]["value"] == 25
    assert {row["n"] for row in found.values()} == {4}
    assert all(grid(view, made.frame).rows for view in made.views)
    assert "A text." in to_markdown(made) and "same questions" not in to_markdown(made)


def test_only_questions_that_were_asked_count() -> None:
    asked = np.array([True] * 6 + [False] * 2)
    found = cells(table(asked=asked))
    assert {row["n"] for row in found.values()} == {3}
    assert found["a", "original", "accuracy"]["value"] == 100
    without_originals = cells(table(asked=np.array([False, True] * 4)))
    assert {variant for _, variant, _ in without_originals} == {"counterfactual"}


def test_prompts_that_change_nothing_are_named() -> None:
    made = table(RIGHT[[0, 1, 0]], strategy="cot")
    assert "The same questions are answered right with a and text-1 (Model, cot)." in " ".join(
        to_markdown(made).split()
    )
    found = cells(table(RIGHT[[0, 0, 0]]))
    assert (found["", "original", "range"]["value"], found["", "original", "range"]["p"]) == (0, 1)


def test_the_figure_shows_drops_or_without_pairs_accuracies() -> None:
    made = table()
    drops = sensitivity_figure(made.frame, "Set").decode()
    assert "drops by prompt" in drops and all(name in drops for name in ("text-1", "50.0", "percentage points"))
    without = sensitivity_figure(made.frame[made.frame["measure"] != "drop"], "Set").decode()
    assert "accuracy by prompt" in without and "Model, original" in without
