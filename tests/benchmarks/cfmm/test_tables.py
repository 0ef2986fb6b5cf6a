"""The tables of CFMM, on answers for which the numbers are known."""

from __future__ import annotations

import pytest

from tests.benchmarks.cfmm.answered import Row, answers, declared, item, results, scores
from tests.frames import check, has, printed, row, value
from whatif.benchmarks.cfmm.report import Cfmm
from whatif.benchmarks.cfmm.steps import TABLES
from whatif.engine.looked_up import looked_up
from whatif.formats.cfmm_items import CATEGORIES

SYSTEMS = {("own", "direct"): "Our model", ("own", "one-shot"): "Our model", ("blip", "direct"): "BLIP2 (OPT)"}


def questions(categories: tuple[str, ...] = CATEGORIES, number: int = 3) -> list[Row]:
    return [row for category in categories for place in range(number) for row in item(f"{category}{place}", category)]


def answered(asked: list[Row], signs: str = "+++--") -> Cfmm:
    """All systems but the first answer the five questions of each item as the signs say."""
    by_system = dict.fromkeys(SYSTEMS, signs) | {("own", "direct"): "+-+-."}
    rows = [row for system, of in by_system.items() for row in answers(asked, (of * len(asked))[: len(asked)], *system)]
    return results(asked, rows, SYSTEMS)


FOUND = answered(questions())


def test_table_2_has_126_reported_cells_and_ours_after_the_system_of_the_same_name() -> None:
    made = declared("table2", FOUND)
    check(made)
    reported_rows = made.frame[made.frame["source"] == "reported"]
    assert len(reported_rows) == 378
    ours = row(made, model="own", strategy="one-shot", category="size", measure="acc_c")
    assert (ours["value"], ours["n"], ours["prompt"]) == (50.0, 12, "1-shot ICL")
    assert ours["low"] < 50 < ours["high"]
    assert value(made, model="own", strategy="direct", category="size", measure="acc_plus") == 25.0
    names = [line["Model"] for line in printed(made)]
    last = len(names) - 1 - names[::-1].index("BLIP2")
    assert names[last + 1] == "BLIP2 (OPT)" and names.index("Our model") > names.index("Monkey")
    qwen = printed(made)[0]
    assert (qwen["Model"], qwen["From"], qwen["Prompt"], qwen["Count"]) == ("Qwen-VL", "reported", "0-shot", "86.78")


def test_table_3_sums_six_percentages_and_names_the_reported_sums_that_differ() -> None:
    made = declared("table3", FOUND)
    check(made)
    assert value(made, model="own", strategy="one-shot", measure="acc_b") == 600.0
    assert value(made, model="own", strategy="one-shot", measure="acc_c") == 300.0
    assert value(made, model="own", strategy="direct", measure="acc_c") == 150.0
    assert made.views[1].caption.startswith("15 of the 63 reported totals are not the sums")
    assert "0.02" in made.views[1].caption
    differing = printed(made, 1)
    assert len(differing) == 13  # two rows have two such totals
    blip = next(line for line in differing if (line["Model"], line["Prompt"]) == ("BLIP2", "0-shot"))
    assert blip["acc_plus, sum"] == "240.85"


def test_totals_and_means_are_beside_chance() -> None:
    uneven = [*questions(("count",), 9), *questions(("size",), 3)]
    made = declared("totals", answered(uneven))
    check(made)
    for over, expected in (("total", (100.0, 100.0, 50.0)), ("questions", (50.0, 50.0, 25.0))):
        for name, chance in zip(("acc_b", "acc_c", "acc_plus"), expected, strict=True):
            assert value(made, name="Chance", over=over, measure=name) == chance
    assert value(made, model="own", strategy="direct", over="total", measure="acc_c") == 50.0
    assert value(made, model="own", strategy="direct", measure="unanswered") == 12
    whole = declared("totals", FOUND)
    assert [value(whole, name="Chance", over="total", measure=name) for name in ("acc_b", "acc_plus")] == [300.0, 150.0]


def test_drops_have_tests_and_the_association() -> None:
    made = declared("drops", FOUND)
    check(made)
    drop = row(made, model="own", strategy="direct", category="count", measure="drop")
    assert (drop["value"], drop["n"]) == (75.0, 12)
    assert drop["p"] == 0.25  # three images that lose the same
    assert drop["p"] < drop["p_holm"] <= 1
    assert value(made, model="own", strategy="direct", category="total", measure="drop") == 450.0
    assert not has(made, model="own", measure="phi")  # every basic question was answered correctly
    of_paper = row(made, name="Qwen-VL", strategy="direct", category="count", measure="excess")
    assert of_paper["value"] == pytest.approx(42.24 - 86.78 * 50.65 / 100, abs=1e-3)
    fall = value(made, name="Qwen-VL", strategy="direct", category="total", measure="drop")
    assert fall == pytest.approx(483.65 - 341.10, abs=1e-6)
    falls = "of 105.75; by its Table 3 it is 105.60 with 0-shot prompts, and 116.14 with all prompts."
    assert falls in made.views[2].note
    assert "negative in 101 of 126 cells" in made.views[3].note


def test_an_association_has_its_interval() -> None:
    asked = questions(number=10)
    signs = "".join(("++++-", "-+---", "+-+--", "-++-+", "++--+")[place % 5] for place in range(60))
    made = declared("drops", answered(asked, signs))
    found = row(made, model="own", strategy="one-shot", category="all", measure="phi")
    assert -1 <= found["low"] < found["value"] < found["high"] <= 1
    lines = [line for line in printed(made, 1) if line["Category"] == "all"]
    assert any(" to " in line["Phi"] for line in lines)


def test_the_rules_of_ranking_are_compared() -> None:
    asked = questions(("count",), 2)
    rows = answers(asked, "+" * 10, "own")
    for place, one in enumerate(rows):
        one["choice_scores"] = scores(-1.0, -1.5)
        one["choice_scores"][1]["log_likelihood"] = -0.5 if place % 5 else -9.0
    found = declared("rules", results(asked, rows, {("own", "direct"): "Our model"}))
    check(found)
    assert value(found, rule="mean", measure="acc_c") == 100.0
    assert value(found, rule="sum", measure="acc_c") == 0.0
    assert value(found, rule="sum", measure="acc_b") == 100.0
    assert value(found, rule="sum", measure="share", answer="B") == 80.0
    assert not has(found, rule="minus-without-image")


def test_headline_and_points() -> None:
    numbers = FOUND.headline["own"]["one-shot"]
    assert numbers["acc_b"] == 100.0 and numbers["acc_c"] == 50.0 and numbers["total_acc_b"] == 600.0
    assert (numbers["items"], numbers["pairs"], numbers["drop"]) == (18, 72, 50.0)
    points = looked_up(TABLES.figures["accuracy.csv"]).draw(FOUND, {}).decode().splitlines()
    assert len(points) == 1 + 21 + 3
    assert points[1] == 'Qwen-VL,"Qwen-VL, 0-shot",reported,80.6083,56.85,,,,'
    assert points[-2].startswith('own,"Our model, 1-shot ICL",ours,100.0,50.0,')


def test_totals_say_when_categories_share_images() -> None:
    assert FOUND.about_totals == ""
    asked = questions()
    shared = [{**one, "image_ids": ["image-count0"]} if one["pair_id"] == "size0" else one for one in asked]
    found = answered(shared)
    assert found.about_totals.startswith("Images with items of several categories: 1.")
    for made in (declared(name, found) for name in ("totals", "table3", "drops")):
        assert found.about_totals in made.views[0].note
