"""The reported numbers of CFMM: what they imply, and where they contradict each other."""

from __future__ import annotations

import pytest

from whatif.benchmarks.cfmm.measures import ACCURACIES, PHI, TOTAL, Row
from whatif.benchmarks.cfmm.reported import in_text, reported
from whatif.benchmarks.cfmm.tables.set import INFERRED
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.beside import is_of
from whatif.results.reporting.table import PUBLISHED
from whatif.scoring.statistics import phi_of

PRINTED = [row for row in reported() if PUBLISHED in row]
CELLS = {(row["name"], row["strategy"], row["category"], row["measure"]): row["value"] for row in PRINTED}


def test_63_totals_are_the_sums_of_their_categories_within_two_hundredths() -> None:
    totals = {place: value for place, value in CELLS.items() if place[2] == TOTAL}
    assert len(totals) == 63 and len(CELLS) == 63 + 378
    for (name, strategy, _, measure), total in totals.items():
        assert total == pytest.approx(sum(CELLS[name, strategy, one, measure] for one in CATEGORIES), abs=0.0201)


def test_15_totals_are_not_exactly_these_sums() -> None:
    differences = {
        (row["name"], row["strategy"], row["measure"].removesuffix(" minus sum")): row["value"]
        for row in reported()
        if row["measure"].endswith(" minus sum")
    }
    assert differences == {
        ("Qwen-VL", "direct", "acc_c"): 0.01,
        ("Qwen-VL", "one-shot-cot", "acc_plus"): -0.01,
        ("ChatTruth", "one-shot-cot", "acc_b"): -0.01,
        ("LLaVA", "direct", "acc_b"): -0.01,
        ("LLaVA", "direct", "acc_c"): -0.01,
        ("LLaVA", "one-shot", "acc_plus"): -0.01,
        ("InfMLLM", "direct", "acc_b"): 0.01,
        ("InfMLLM", "one-shot", "acc_c"): -0.01,
        ("InfMLLM", "one-shot-cot", "acc_c"): -0.01,
        ("InfMLLM", "one-shot-cot", "acc_plus"): 0.01,
        ("InstructBLIP", "direct", "acc_c"): -0.01,
        ("InstructBLIP", "one-shot", "acc_c"): -0.01,
        ("BLIP2", "direct", "acc_plus"): -0.02,
        ("BLIP2", "one-shot", "acc_c"): 0.01,
        ("BLIP2", "one-shot-cot", "acc_c"): -0.01,
    }


def place_of(row: Row) -> tuple[str, str, str]:
    return row["name"], row["strategy"], row["category"]


def test_success_on_both_is_possible_and_mostly_rarer_than_if_it_were_independent() -> None:
    phis = {place_of(row): row["value"] for row in reported() if row["measure"] == PHI}
    assert len(phis) == 126
    for place, phi in phis.items():
        basic, counterfactual, both = (CELLS[(*place, name)] / 100 for name in ACCURACIES)
        assert basic + counterfactual - 1 - 1e-4 <= both <= min(basic, counterfactual)
        assert phi == round(phi_of(basic, counterfactual, both), 4)
    assert sum(phi < 0 for phi in phis.values()) == 101
    assert sum(phis.values()) / len(phis) == pytest.approx(-0.077, abs=0.001)


def test_the_percentages_of_pairs_are_possible_with_the_inferred_numbers_of_images() -> None:
    def fits(value: str, pairs: int) -> bool:
        return abs(round(float(value) / 100 * pairs) / pairs * 100 - float(value)) < 0.0151

    texts: dict[str, list[str]] = {name: [] for name in CATEGORIES}
    for row in PRINTED:
        if row["category"] != TOTAL and row["measure"] != "acc_b":
            texts[row["category"]].append(row[PUBLISHED])
    for category, number in INFERRED.items():
        assert len(texts[category]) == 42
        assert all(fits(value, 4 * number) for value in texts[category])
        others = (n for n in range(60, 420) if all(fits(value, 4 * n) for value in texts[category]))
        assert number in others
    assert sum(INFERRED.values()) == 1198


def test_a_model_is_named_like_a_reported_system_with_or_without_its_language_model() -> None:
    assert is_of("InstructBLIP", "InstructBLIP") and is_of("InstructBLIP (Vicuna-7B)", "InstructBLIP")
    assert not is_of("InstructBLIP-2", "InstructBLIP") and not is_of("Qwen-VL-Chat", "Qwen-VL")


def test_a_number_of_the_text_is_unique() -> None:
    assert in_text("mean_question_length", "basic") == "9.51"
    with pytest.raises(ValueError, match="too many values"):
        in_text("questions")
