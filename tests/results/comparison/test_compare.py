"""Paired comparison of two runs, against direct computation."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from tests.results.comparison.made_up import (
    BENCHMARK,
    QUESTIONS_PATH,
    Asked,
    asked,
    between,
    compared,
    write_matches,
    write_ranks,
    write_run,
)
from whatif.engine.errors import WhatifError
from whatif.results.comparison.compare import Comparison
from whatif.results.comparison.report import Report, Selection, report
from whatif.results.comparison.runs import of_folder
from whatif.results.comparison.sides import Side
from whatif.scoring.statistics import holm, paired_difference

PAIRS = 60


def outcomes(seed: int, share: float, number: int = 2 * PAIRS) -> list[bool]:
    return (np.random.default_rng(seed).random(number) < share).tolist()


def by_name(found: Report) -> dict[tuple[str, str, str], Comparison]:
    return {(one.a.model, one.variant, one.group): one for one in found.comparisons}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of two models on the same questions, of which the second model answers the same in both."""
    same = outcomes(1, 0.5)
    first = {"one": outcomes(2, 0.4), "two": same}
    second = {"one": outcomes(3, 0.8), "two": same}
    a = write_run(tmp_path / "a", asked(PAIRS), first, parameters={"seed": 1})
    return a, write_run(tmp_path / "b", asked(PAIRS), second, parameters={"seed": 2})


def test_counts_intervals_and_tests_are_those_of_a_direct_computation(runs: tuple[Path, Path]) -> None:
    found = by_name(compared(*runs))
    before, after = outcomes(2, 0.4), outcomes(3, 0.8)
    for place, variant in enumerate(("original", "counterfactual")):
        first, second = before[place::2], after[place::2]
        lost = sum(x and not y for x, y in zip(first, second, strict=True))
        gained = sum(y and not x for x, y in zip(first, second, strict=True))
        one = found["one", variant, ""]
        assert (one.n, one.clusters, one.right_a, one.right_b) == (PAIRS, PAIRS, sum(first), sum(second))
        assert (one.lost, one.gained) == (lost, gained)
        assert one.p == pytest.approx(binomtest(min(lost, gained), lost + gained).pvalue)
        assert one.difference.estimate == pytest.approx((sum(second) - sum(first)) / PAIRS)
        assert one.difference == paired_difference(first, second).interval


def test_a_model_whose_artifacts_are_the_same_is_counted_and_not_read(runs: tuple[Path, Path]) -> None:
    found = compared(*runs)
    assert found.same == 1
    assert {one.a.model for one in found.comparisons} == {"one"}


def test_holms_correction_is_over_all_comparisons_with_a_flip(tmp_path: Path) -> None:
    models = {f"model-{number}": outcomes(number, 0.5) for number in range(4)}
    other = {name: outcomes(100 + number, 0.5 + 0.1 * number) for number, name in enumerate(models)}
    originals = {name: values[::2] for name, values in models.items()}
    for name, values in other.items():
        values[::2] = originals[name] if name == "model-0" else values[::2]
    found = between(tmp_path, asked(PAIRS), models, other).comparisons
    still = [one for one in found if not one.flips]
    assert [(one.a.model, one.variant, one.p_holm) for one in still] == [("model-0", "original", None)]
    tested = [one for one in found if one.flips]
    assert len(tested) == 7
    assert [one.p_holm for one in tested] == pytest.approx(holm([one.p for one in tested]).p_values)
    assert [one.p_holm for one in tested][:2] == sorted(one.p_holm or 0 for one in tested)[:2], "most certain first"


def test_questions_that_share_an_image_are_one_cluster(tmp_path: Path) -> None:
    questions = [Asked(pair, "original", image=f"{pair // 3:064d}") for pair in range(PAIRS)]
    before, after = outcomes(4, 0.5, PAIRS), outcomes(5, 0.7, PAIRS)
    (one,) = between(tmp_path, questions, {"one": before}, {"one": after}).comparisons
    wanted = paired_difference(before, after, [f"image {pair // 3}" for pair in range(PAIRS)])
    assert one.clusters == PAIRS // 3
    assert one.p == pytest.approx(wanted.p)
    ends = (wanted.interval.low, wanted.interval.high)
    assert (one.difference.low, one.difference.high) == pytest.approx(ends)


def test_groups_are_compared_by_themselves_when_asked(tmp_path: Path) -> None:
    questions = [*asked(10, group="colour"), *(Asked(one.pair + 10, one.variant, group="size") for one in asked(5))]
    write_run(tmp_path / "a", questions, {"one": outcomes(6, 0.5, 30)})
    write_run(tmp_path / "b", questions, {"one": outcomes(7, 0.5, 30)})
    found = by_name(compared(tmp_path / "a", tmp_path / "b", by_group=True))
    assert {(variant, group): one.n for (_, variant, group), one in found.items()} == {
        (variant, group): n
        for variant, (group, n) in itertools.product(("original", "counterfactual"), (("colour", 10), ("size", 5)))
    }


def test_questions_of_one_side_and_changed_ones_are_counted_and_named_not_paired(tmp_path: Path) -> None:
    first = [Asked(pair) for pair in range(10)]
    second = [Asked(pair) for pair in range(2, 12)]
    second[0] = Asked(2, text="How many are there?")
    second[1] = Asked(3, choices=("one", "three"))
    second[2] = Asked(4, answer="B")
    second[3] = Asked(5, choices=None)
    write_run(tmp_path / "a", first, {"one": [True] * 10})
    write_run(tmp_path / "b", second, {"one": [False] * 10})
    found = compared(tmp_path / "a", tmp_path / "b")
    (one,) = found.unpaired
    assert (one.only_a, one.only_b, one.changed, one.pictures) == (2, 2, 4, 0)
    named = dict(one.named)
    assert named["only_a"] == ("pair-000-original", "pair-001-original")
    assert named["only_b"] == ("pair-010-original", "pair-011-original")
    assert named["changed"] == tuple(f"pair-{pair:03d}-original" for pair in (2, 3, 4, 5))
    (comparison,) = found.comparisons
    assert (comparison.n, comparison.lost) == (4, 4)


def test_another_picture_of_the_same_question_is_counted_and_compared(tmp_path: Path) -> None:
    write_run(tmp_path / "a", [Asked(pair, image="0" * 64) for pair in range(6)], {"one": [True] * 6})
    write_run(tmp_path / "b", [Asked(pair, image=str(pair // 3) * 64) for pair in range(6)], {"one": [False] * 6})
    found = compared(tmp_path / "a", tmp_path / "b")
    assert [(one.pictures, one.changed) for one in found.unpaired] == [(3, 0)]
    assert [one.n for one in found.comparisons] == [6]


@pytest.mark.parametrize("parts", [2, 3])
def test_another_number_of_parts_changes_nothing(tmp_path: Path, parts: int) -> None:
    before, after = outcomes(8, 0.5), outcomes(9, 0.5)
    write_run(tmp_path / "a", asked(PAIRS), {"one": before})
    for name, number in (("b", 1), ("c", parts)):
        write_run(tmp_path / name, asked(PAIRS), {"one": after}, parts=number)
    whole, divided = (compared(tmp_path / "a", tmp_path / name).comparisons for name in ("b", "c"))
    assert whole == divided


def test_two_models_of_one_run_are_compared_and_pair_by_pair_strategies(tmp_path: Path) -> None:
    before, after = outcomes(10, 0.3), outcomes(11, 0.6)
    root = write_run(tmp_path, asked(PAIRS), {"one": before, "two": after})
    run = of_folder(root, "working tree")
    found = report(Side(run, "one"), Side(run, "two"), Selection())
    assert sum(one.gained for one in found.comparisons) == sum(y > x for x, y in zip(before, after, strict=True))
    assert {(one.a.model, one.b.model) for one in found.comparisons} == {("one", "two")}
    assert (found.tables, found.origins) == ((), ())


def test_strategies_of_one_model_are_compared_when_named(tmp_path: Path) -> None:
    for settings, seed in (("plain", 12), ("thoughts", 13)):
        write_run(tmp_path, asked(PAIRS), {"one": outcomes(seed, 0.5)}, settings=settings)
    run = of_folder(tmp_path, "working tree")
    found = report(Side(run, "one", "plain"), Side(run, "one", "thoughts"), Selection())
    assert {(one.a.settings, one.b.settings) for one in found.comparisons} == {(("plain",), ("thoughts",))}


def test_matches_are_four_choices_of_each_pair(tmp_path: Path) -> None:
    good, bad, no_images = (0.9, 0.1, 0.2, 0.8), (0.1, 0.9, 0.8, 0.2), (None, None, None, None)
    for name, scores in (("a", [good, good, bad, no_images]), ("b", [good, bad, bad, good])):
        write_matches(tmp_path / name, "one", scores)
    found = by_name(compared(tmp_path / "a", tmp_path / "b"))
    for variant in ("image choice", "caption choice"):
        one = found["one", variant, ""]
        assert (one.n, one.clusters, one.right_a, one.right_b, one.lost, one.gained) == (8, 4, 4, 4, 2, 2)


def test_a_tie_is_no_hit(tmp_path: Path) -> None:
    write_matches(tmp_path / "a", "one", [(0.5, 0.5, 0.5, 0.5)])
    write_matches(tmp_path / "b", "one", [(0.6, 0.5, 0.5, 0.5)])
    found = by_name(compared(tmp_path / "a", tmp_path / "b"))
    assert (found["one", "image choice", ""].right_a, found["one", "image choice", ""].right_b) == (0, 1)


def test_ranks_are_compared_by_recall(tmp_path: Path) -> None:
    write_ranks(tmp_path / "a", "one", [1, 2, 7, None])
    write_ranks(tmp_path / "b", "one", [2, 1, 5, 9])
    found = by_name(compared(tmp_path / "a", tmp_path / "b"))
    at = {k: found["one", f"originals, image-retrieval, recall@{k}", ""] for k in (1, 5)}
    assert [(one.right_a, one.right_b, one.lost, one.gained) for one in at.values()] == [(1, 1, 1, 1), (2, 3, 0, 1)]


def test_parameters_that_changed_are_named_with_the_number_of_their_artifacts(runs: tuple[Path, Path]) -> None:
    assert [(one.kind, one.text, one.artifacts) for one in compared(*runs).origins] == [
        ("parameter", "seed: 1 -> 2", 2)
    ]


def test_numbers_of_tables_that_changed(tmp_path: Path) -> None:
    head = "model,source,measure,value,low,high,n\n"
    before = f"{head}one,ours,accuracy,50.0,40,60,9\none,reported,accuracy,1,,,\ntwo,ours,accuracy,20,,,\n"
    after = f"{head}one,ours,accuracy,62.5,50,70,9\none,reported,accuracy,2,,,\nthree,ours,accuracy,5,,,\n"
    for name, table in (("a", before), ("b", after)):
        write_run(tmp_path / name, asked(2), {"one": [True] * 4}, table=table)
    found = compared(tmp_path / "a", tmp_path / "b")
    (change,) = found.tables
    assert (change.name, change.added, change.removed) == (f"{BENCHMARK}/accuracy-table", 1, 1)
    assert [(dict(one.row), one.a, one.b) for one in change.changed] == [
        ({"model": "one", "source": "ours", "measure": "accuracy"}, 50.0, 62.5)
    ]


def test_models_of_one_side_are_named(tmp_path: Path) -> None:
    found = between(tmp_path, asked(2), {"one": [True] * 4, "old": [True] * 4}, {"one": [True] * 4, "new": [True] * 4})
    assert [key.model for key in found.only_a] == ["old"]
    assert [key.model for key in found.only_b] == ["new"]


def test_absent_questions_and_damaged_artifacts_are_noted_and_the_rest_is_compared(runs: tuple[Path, Path]) -> None:
    a, b = runs
    damaged = b / f"data/evaluate/two/{BENCHMARK}/predictions/plain.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-20])
    found = compared(a, b)
    assert len(found.comparisons) == 2
    assert len(found.notes) == 1 and "two" in found.notes[0] and "not a complete Parquet file" in found.notes[0]
    damaged.unlink()
    (b / QUESTIONS_PATH).unlink()
    (note,) = compared(a, b).notes
    assert "has no questions of data/evaluate/one" in note


def test_what_several_evaluations_lack_is_one_line(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_run(tmp_path / name, asked(2), {model: [name == "a"] * 4 for model in ("one", "three", "two")})
    (tmp_path / "b" / QUESTIONS_PATH).unlink()
    (note,) = compared(tmp_path / "a", tmp_path / "b").notes
    assert note.endswith(
        f"has no questions of 3 evaluations, first data/evaluate/one/{BENCHMARK}/predictions/plain.parquet, "
        "so their answers are not compared"
    )


def test_selections_that_do_not_exist_are_refused(runs: tuple[Path, Path]) -> None:
    with pytest.raises(WhatifError, match=r"--benchmark cats: neither side has it; there are toys"):
        compared(*runs, benchmarks=("cats",))
    with pytest.raises(WhatifError, match=r"--model three: neither side has it; there are one, two"):
        compared(*runs, models=("three",))
    assert {one.a.model for one in compared(*runs, models=("one",)).comparisons} == {"one"}
