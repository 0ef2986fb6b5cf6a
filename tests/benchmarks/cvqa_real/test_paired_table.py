"""The table of pairs of C-VQA-Real: open answers of all strategies beside the accuracies of Tables 3 to 5."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.cvqa_real.made_tables import declared
from tests.frames import check, has, row, value
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_synthetic.settings import AggregatePuzzles
from whatif.results.reporting.forest_plot import drop_effects
from whatif.results.reporting.paired import (
    BY_CHANCE,
    CONSISTENCY,
    COUNTERFACTUAL,
    EXTRACTION_RATE,
    IGNORED,
    ORIGINAL,
    PAIR_ACCURACY,
)
from whatif.results.reporting.table import DROP, Table

SETTINGS = AggregatePuzzles(confidence=0.95, audit_folds=5)
# Group, kind, right answers; the last pair's answers do not differ.
PAIRS = [
    ("direct", "number", "3", "1"),
    ("direct", "number", "2", "4"),
    ("boolean", "boolean", "yes", "no"),
    ("boolean", "boolean", "no", "no"),
]
QUESTIONS = [
    {
        "question_id": f"{place}-{variant}",
        "pair_id": str(place),
        "group": group,
        "variant": variant,
        "question": "?",
        "choices": None,
        "answer": answer,
        "answer_kind": kind,
        "image_ids": [f"image-{place}"],
    }
    for place, (group, kind, *answers) in enumerate(PAIRS)
    for variant, answer in zip((ORIGINAL, COUNTERFACTUAL), answers, strict=True)
]


def said(*answers: str | None, model: str = "m", strategy: str = "direct") -> list[dict[str, Any]]:
    """Answers to the questions in order; None could not be extracted, `-` was not asked."""
    return [
        {
            "question_id": asked["question_id"],
            "model": model,
            "strategy": strategy,
            "status": "ambiguous" if answer is None else "ok",
            "answer": answer,
            "correct": answer == asked["answer"],
        }
        for asked, answer in zip(QUESTIONS, answers, strict=True)
        if answer != "-"
    ]


def made(*rows: dict[str, Any], names: dict[str, str] | None = None) -> Table:
    return declared(
        "paired",
        title="C-VQA-Real",
        predictions=rows,
        questions=QUESTIONS,
        groups=GROUPS,
        settings=SETTINGS,
        level="95%",
        names=names or {"m": "Model"},
        main="direct",
    )


def numbers(table: Table, group: str = "", **of: str) -> dict[str, float | None]:
    measures = (ORIGINAL, COUNTERFACTUAL, DROP, PAIR_ACCURACY, CONSISTENCY, IGNORED, EXTRACTION_RATE)
    place = {"model": "m", "strategy": "direct", "group": group, **of}
    return {measure: value(table, measure=measure, **place) for measure in measures}


def test_measures_by_group_and_over_all_pairs() -> None:
    found = made(*said("3", "3", "2", "5", "yes", "yes", "yes", None))
    assert numbers(found, "direct") == {
        ORIGINAL: 100.0,
        COUNTERFACTUAL: 0.0,
        DROP: 100.0,
        PAIR_ACCURACY: 0.0,
        CONSISTENCY: 50.0,  # from 2 to 5
        IGNORED: 50.0,  # 3 for 1
        EXTRACTION_RATE: 100.0,
    }
    assert numbers(found, "boolean") == {
        ORIGINAL: 50.0,
        COUNTERFACTUAL: 0.0,
        DROP: 50.0,
        PAIR_ACCURACY: 0.0,
        CONSISTENCY: 0.0,
        IGNORED: 100.0,  # of the one wrong answer that was extracted
        EXTRACTION_RATE: 75.0,
    }
    everything = numbers(found)
    assert (everything[ORIGINAL], everything[CONSISTENCY], everything[EXTRACTION_RATE]) == (75.0, 25.0, 87.5)
    assert everything[IGNORED] == pytest.approx(200 / 3, abs=1e-4)
    assert row(found, model="m", group="", measure=IGNORED)["n"] == 3
    assert value(found, model="m", group="boolean", measure=BY_CHANCE) == 100.0
    assert not has(found, model="m", group="direct", measure=BY_CHANCE), "numbers are open"
    assert not has(found, model="m", group="indirect")
    check(found)


def test_a_pair_counts_if_both_questions_were_asked() -> None:
    found = made(*said("3", "-", "2", "4", "yes", "no", "no", "no"))
    assert row(found, model="m", group="direct", measure=PAIR_ACCURACY)[["value", "n"]].tolist() == [100.0, 1]


def test_strategies_are_systems_of_their_own_with_the_main_one_first() -> None:
    right = ("3", "1", "2", "4", "yes", "no", "no", "no")
    wrong = ("1", "3", "4", "2", "no", "yes", "yes", "yes")
    rows = [*said(*wrong, strategy="cot"), *said(*right), *said(*right, model="a", strategy="cot")]
    found = made(*rows, names={"m": "Model", "a": "Another"})
    ours = found.frame[found.frame["source"] == "ours"]
    assert list(dict.fromkeys(zip(ours["model"], ours["strategy"], strict=True))) == [
        ("m", "direct"),
        ("m", "cot"),
        ("a", "cot"),
    ]
    assert numbers(found, strategy="cot")[PAIR_ACCURACY] == 0.0
    assert numbers(found, strategy="cot")[CONSISTENCY] == 100.0, "all wrong, but it changes where it should"
    drops = ours[ours["measure"] == DROP]
    assert drops["p_holm"].notna().all() and (drops["p_holm"] >= drops["p"]).all()


def test_reported_accuracies_have_their_drops_and_no_more() -> None:
    found = made()
    place = {"name": "VisProg", "source": "reported", "strategy": "direct", "group": "indirect"}
    assert value(found, **place, measure=ORIGINAL) == 38.4
    assert value(found, **place, measure=DROP) == pytest.approx(21.6)
    cot = {"name": "LLaVA-1.5-13B (Vicuna-13B)", "source": "reported", "strategy": "cot"}
    assert has(found, **cot) and has(found, **{**cot, "strategy": "direct"})
    assert set(found.frame["measure"]) == {ORIGINAL, COUNTERFACTUAL, DROP}
    assert {one.section for one in drop_effects(found.frame, ["direct", "boolean"])} == {"direct", "boolean"}
