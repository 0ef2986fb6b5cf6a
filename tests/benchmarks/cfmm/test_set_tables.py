"""Table 1, the statistics of the set, and Figure 4."""

from __future__ import annotations

import pytest

from tests.benchmarks.cfmm.answered import Row, declared, item, question, results
from tests.frames import check, has, printed, row, value
from whatif.benchmarks.cfmm.figures.figure4_svg import FIGURE, _place_words, word_counts
from whatif.benchmarks.cfmm.schemas import BASIC
from whatif.engine.artifacts.reader import canonical_json
from whatif.formats.cfmm_items import CATEGORIES


def questions() -> list[Row]:
    rows = [*item("a", "count"), *item("b", "count"), *item("c", "shape")]
    rows[1] |= {"question": "If one left, how many?", "choices": ["four", "Two "], "answer": "B"}
    rows[2]["provenance"] = canonical_json({"origin": "gpt", "second_option": "basic-answer"})
    return rows


def test_sizes_and_lengths() -> None:
    made = declared("set", results(questions()))
    check(made)
    assert value(made, source="ours", category="count", measure="items") == 2
    assert value(made, source="ours", category="all", measure="questions") == 15
    assert value(made, source="reported", category="all", measure="items") == 1198
    assert value(made, source="ours", kind="basic questions", measure="words") == 6.0
    assert value(made, source="ours", kind="counterfactual questions", measure="words") == pytest.approx(
        71 / 12, abs=1e-4
    )
    assert value(made, source="reported", kind="answers", measure="words") == 1.28
    assert not has(made, measure="items minus inferred") and "or one of 1,200 items" in made.views[0].note


def test_an_imported_set_and_one_of_the_papers_size_are_compared_with_it() -> None:
    made = declared("set", results(questions(), file="items.jsonl"))
    assert value(made, category="count", measure="items minus inferred") == 2 - 348
    assert value(made, kind="answers", measure="words minus reported") == pytest.approx(-0.28)
    whole = [one for place in range(1200) for one in item(f"i{place}", CATEGORIES[place % 6])]
    made = declared("set", results(whole))
    assert value(made, category="shape", measure="items minus inferred") == 200 - 111
    assert value(made, category="all", measure="items minus inferred") == 2
    assert printed(made)[0]["Difference"] == "-148"


def test_wrong_options_letters_and_answers_like_the_basic_one() -> None:
    made = declared("set", results(questions()))
    assert value(made, category="count", rule="basic-answer", measure="wrong options") == 1
    assert value(made, category="all", rule="drawn", measure="wrong options") == 11
    same = row(made, category="count", measure="same as basic")
    assert (same["value"], same["n"]) == (12.5, 8) and same["low"] < 12.5 < same["high"]
    assert value(made, category="count", kind="counterfactual", measure="right option A") == 87.5
    assert value(made, category="all", kind="basic", measure="right option A") == 100.0


def test_table_1_has_the_reported_sets_and_ours() -> None:
    made = declared("table1", results(questions(), sources=["drawn:a", "COCO_val2014_000000000001.jpg"]))
    check(made)
    assert value(made, name="C-VQA-Real", measure="questions") == 3144
    ours = row(made, source="ours", measure="questions")
    assert (ours["value"], ours["images"], ours["questions"]) == (15, "Drawn scenes & Photographs", "Computed & Auto.")
    assert value(made, source="ours", measure="question_types") == 2
    assert [line["Set"] for line in printed(made)][-2:] == ["CFMM", "CFMM of whatif"]


def test_words_of_answers_are_counted_without_case() -> None:
    assert word_counts(["Two", "two cats", "x-ray", "a cat's tail"]) == [
        ("two", 2),
        ("a", 1),
        ("cat's", 1),
        ("cats", 1),
        ("tail", 1),
        ("x-ray", 1),
    ]


@pytest.mark.slow
def test_figure_4_shows_every_part_and_is_the_same_each_time() -> None:
    many = [f"word{number}" for number in range(80) for _ in range(80 - number)]
    asked = [
        question(f"i{place}", BASIC, CATEGORIES[place % 6], choices=[word, "none"]) for place, word in enumerate(many)
    ]
    found = results(asked)
    drawn = FIGURE.draw(found, {})
    assert drawn == FIGURE.draw(found, {})
    assert drawn.count(b'id="text_') > 60


def test_words_of_the_cloud_do_not_overlap() -> None:
    from itertools import combinations

    from whatif.results.reporting.svg import new_figure

    figure = new_figure(5, 4)
    axes = figure.subplots()
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    words = [(f"colour{number}", 200 // (number + 1)) for number in range(40)]
    _place_words(axes, words)
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    boxes = [text.get_window_extent(renderer) for text in axes.texts]
    assert len(boxes) >= 25
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    sizes = [text.get_fontsize() for text in axes.texts]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == pytest.approx(sizes[1] * 2**0.5)
    frame = axes.get_window_extent(renderer)
    assert all(frame.x0 <= box.x0 and box.x1 <= frame.x1 for box in boxes)


def test_answers_that_say_the_same_in_words_and_digits_are_the_same() -> None:
    rows = [question("i1", "basic", choices=["three", "4"]), question("i1", "counterfactual", choices=["3", "4"])]
    made = declared("set", results(rows))
    assert row(made, category="count", measure="same as basic")["value"] == 100.0
