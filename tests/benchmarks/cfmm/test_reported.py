"""The reported numbers of CFMM: what they imply, and where they contradict each other."""

from __future__ import annotations

import pytest

from whatif.benchmarks.cfmm.reported import in_text, reported
from whatif.benchmarks.cfmm.set_tables import INFERRED
from whatif.formats.cfmm_items import CATEGORIES
from whatif.results.reporting.beside import is_of
from whatif.scoring.statistics import phi_of

PRINTED = reported()


def test_63_totals_are_the_sums_of_their_categories_within_two_hundredths() -> None:
    cells = [(row, name) for row, texts in PRINTED.totals.items() for name in texts]
    assert len(cells) == 63 and len(PRINTED.categories) == 126
    sums = PRINTED.sums()
    for row, name in cells:
        assert float(PRINTED.totals[row][name]) == pytest.approx(sums[row][name], abs=0.0201)


def test_15_totals_are_not_exactly_these_sums() -> None:
    assert PRINTED.differences() == {
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


def test_the_mean_fall_is_not_the_one_in_the_text() -> None:
    assert in_text("mean_drop_of_total_score") == "105.75"
    assert PRINTED.mean_fall("direct") == pytest.approx(105.60, abs=0.005)
    assert PRINTED.mean_fall() == pytest.approx(116.14, abs=0.005)


def test_success_on_both_is_possible_and_mostly_rarer_than_if_it_were_independent() -> None:
    phis = []
    for cells in PRINTED.categories.values():
        basic, counterfactual, both = (float(cells[name]) / 100 for name in ("acc_b", "acc_c", "acc_plus"))
        assert basic + counterfactual - 1 - 1e-4 <= both <= min(basic, counterfactual)
        phis.append(phi_of(basic, counterfactual, both))
    assert sum(phi < 0 for phi in phis) == 101
    assert sum(phis) / len(phis) == pytest.approx(-0.077, abs=0.001)


def test_the_percentages_of_pairs_are_possible_with_the_inferred_numbers_of_images() -> None:
    def fits(value: str, pairs: int) -> bool:
        return abs(round(float(value) / 100 * pairs) / pairs * 100 - float(value)) < 0.0151

    texts: dict[str, list[str]] = {name: [] for name in CATEGORIES}
    for (_, _, category), cells in PRINTED.categories.items():
        texts[category] += [cells["acc_c"], cells["acc_plus"]]
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
