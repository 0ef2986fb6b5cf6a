"""What is compared beside answers that rules read: judged answers, pairs with their captions, groups, odd artifacts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.results.comparison.made_up import (
    BENCHMARK,
    Asked,
    asked,
    compared,
    write_judged,
    write_matches,
    write_pairs,
    write_ranks,
    write_run,
)
from whatif.engine.errors import WhatifError
from whatif.results.comparison.flips import flips_of
from whatif.results.comparison.report import Report, Selection, report
from whatif.results.comparison.runs import of_folder
from whatif.results.comparison.sides import Side
from whatif.results.comparison.text import WIDTH, lines_of
from whatif.scoring.statistics import paired_difference

GOOD, BAD = (0.9, 0.1, 0.2, 0.8), (0.1, 0.9, 0.8, 0.2)


def by_role(found: Report) -> dict[tuple[str, str], tuple[int, int, int, int]]:
    return {(one.a.role, one.variant): (one.right_a, one.right_b, one.lost, one.gained) for one in found.comparisons}


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table], version: str = "predictions/6") -> None:
    """Writes other rows with the footer of an artifact."""
    with pq.ParquetFile(path) as file:
        table, footer = file.read(), dict(file.metadata.metadata)
    footer.pop(b"ARROW:schema", None)
    footer |= {b"content": b"rewritten", b"table": version.encode()}
    pq.write_table(change(table).replace_schema_metadata(footer), path)


def test_answers_that_a_judge_read_are_compared_beside_those_by_rules(tmp_path: Path) -> None:
    questions = [Asked(pair) for pair in range(6)]
    names = [one.name for one in questions]
    for name, judged in (("a", {names[4]: True, names[5]: False}), ("b", {names[4]: False, names[5]: True})):
        write_run(tmp_path / name, questions, {"one": [True, True, False, False, False, False]})
        write_judged(tmp_path / name, "one", judged)
    found = compared(tmp_path / "a", tmp_path / "b")
    assert found.same == 1, "the predictions"
    assert by_role(found) == {("judged", "original"): (3, 3, 1, 1)}
    assert {(one.item, one.answer_a, one.answer_b) for one in flips_of(found.compared)} == {
        (names[4], "A: one", "B: two"),
        (names[5], "B: two", "A: one"),
    }
    text = "\n".join(lines_of(found))
    assert "  one judged referee answer plain original" in text


def test_predictions_that_change_below_a_judge_change_both(tmp_path: Path) -> None:
    questions = [Asked(pair) for pair in range(4)]
    for name, right in (("a", [True, False, False, False]), ("b", [False, True, False, False])):
        write_run(tmp_path / name, questions, {"one": right})
        write_judged(tmp_path / name, "one", {questions[3].name: True})
    assert by_role(compared(tmp_path / "a", tmp_path / "b")) == {
        ("predictions", "original"): (1, 1, 1, 1),
        ("judged", "original"): (2, 2, 1, 1),
    }


def test_questions_of_one_group_are_one_cluster(tmp_path: Path) -> None:
    questions = [Asked(pair, image=f"{pair:064d}") for pair in range(40)]
    groups = {one.name: f"group-{one.pair // 4}" for one in questions}
    before, after = [pair % 3 == 0 for pair in range(40)], [pair % 5 != 0 for pair in range(40)]
    for name, right in (("a", before), ("b", after)):
        write_run(tmp_path / name, questions, {"one": right}, groups=groups)
    (one,) = compared(tmp_path / "a", tmp_path / "b").comparisons
    wanted = paired_difference(before, after, [pair // 4 for pair in range(40)])
    assert (one.n, one.clusters, one.p) == (40, 10, pytest.approx(wanted.p))
    assert (one.difference.low, one.difference.high) == pytest.approx((wanted.interval.low, wanted.interval.high))


def test_pairs_with_another_caption_are_not_compared_and_those_with_other_images_are_counted(tmp_path: Path) -> None:
    made_from = write_pairs(tmp_path / "a", ["a dog", "a bird"])
    write_matches(tmp_path / "a", "one", [GOOD, GOOD], made_from)
    made_from = write_pairs(tmp_path / "b", ["a dog", "a horse"], image="2")
    write_matches(tmp_path / "b", "one", [BAD, BAD], made_from)
    found = compared(tmp_path / "a", tmp_path / "b")
    (one,) = found.unpaired
    assert (one.changed, one.pictures) == (4, 4), "four choices of each pair"
    assert {(one.variant, one.n, one.lost) for one in found.comparisons} == {
        ("image choice", 2, 2),
        ("caption choice", 2, 2),
    }
    flips = list(flips_of(found.compared))
    assert {(one.question, one.image_ids) for one in flips} == {("a dog / a cat", ("0" * 64, "1" * 64))}
    assert any(line.strip() == "a dog / a cat" for line in lines_of(found, flips=flips))


def test_equal_scores_of_other_pairs_are_not_the_same(tmp_path: Path) -> None:
    for name, text in (("a", "a dog"), ("b", "a bird")):
        write_matches(tmp_path / name, "one", [GOOD], write_pairs(tmp_path / name, [text]))
    found = compared(tmp_path / "a", tmp_path / "b")
    assert (found.same, [one.changed for one in found.unpaired]) == (0, [4])


def test_ranks_among_another_number_of_candidates_are_not_compared(tmp_path: Path) -> None:
    for name, candidates in (("a", 100), ("b", 50)):
        made_from = write_pairs(tmp_path / name, ["a dog", "a bird"])
        write_ranks(tmp_path / name, "one", [1, 2], made_from, candidates=candidates)
    found = compared(tmp_path / "a", tmp_path / "b")
    assert [one.changed for one in found.unpaired] == [4]
    assert found.comparisons == ()


@pytest.mark.parametrize("empty", ["questions and answers", "answers"])
def test_evaluations_without_rows(tmp_path: Path, empty: str) -> None:
    questions = [] if empty == "questions and answers" else asked(2)
    write_run(tmp_path / "a", asked(2), {"one": [True] * 4})
    write_run(tmp_path / "b", questions, {"one": [True] * len(questions)})
    if questions:
        path = tmp_path / f"b/data/evaluate/one/{BENCHMARK}/predictions/plain.parquet"
        rewrite(path, lambda table: table.slice(0, 0))
    for first, second, only in (("a", "b", (4, 0)), ("b", "a", (0, 4))):
        found = compared(tmp_path / first, tmp_path / second)
        assert (found.comparisons, found.notes) == ((), ())
        assert [(one.only_a, one.only_b) for one in found.unpaired] == [only]


def test_artifacts_of_an_older_version_are_compared_as_far_as_they_can_be(tmp_path: Path) -> None:
    for name in ("a", "b"):
        right = [name == "a"] * 4
        write_run(tmp_path / name, asked(2), {"one": right, "two": right, "three": right})
    changes: dict[str, Callable[[pa.Table], pa.Table]] = {
        "one": lambda table: table.drop(["samples", "program"]),
        "two": lambda table: table.drop(["correct"]),
        "three": lambda table: table.set_column(
            table.schema.get_field_index("correct"), "correct", pa.array([None, True, True, True])
        ),
    }
    for model, change in changes.items():
        rewrite(tmp_path / f"a/data/evaluate/{model}/{BENCHMARK}/predictions/plain.parquet", change, "predictions/4")
    found = compared(tmp_path / "a", tmp_path / "b")
    assert {(one.a.model, one.lost) for one in found.comparisons} == {("one", 2)}
    first, second = sorted(found.notes)
    assert "three" in first and "does not say of each answer whether it is right (1 of 4 values missing)" in first
    assert "two" in second and "has no column correct; the version that wrote it had another layout" in second


def test_two_models_that_are_right_about_the_same_questions_are_not_the_same(tmp_path: Path) -> None:
    root = write_run(tmp_path, asked(3), {"one": [True, False] * 3, "two": [True, False] * 3})
    run = of_folder(root, "working tree")
    lines = list(lines_of(report(Side(run, "one"), Side(run, "two"), Selection())))
    assert "nothing changed" not in lines
    assert "Answers: none is right on one side only (2 comparisons)" in "\n".join(lines)


def test_the_widest_numbers_fit(tmp_path: Path) -> None:
    questions = [Asked(pair, image="0" * 64) for pair in range(20)]
    for name, right in (("a", True), ("b", False)):
        write_run(tmp_path / name, questions, {"one": [right] * 20})
    lines = list(lines_of(compared(tmp_path / "a", tmp_path / "b")))
    (line,) = (line for line in lines if "-100.0 [-100.0, +100.0]" in line)
    assert len(line) <= WIDTH
    assert line.split()[-3:] == ["1.000", "20", "0"]


def test_questions_that_are_not_compared_are_in_one_order(tmp_path: Path) -> None:
    models: dict[str, Any] = {f"model-{number}": [True] * 6 for number in range(6)}
    write_run(tmp_path / "a", asked(3), models)
    write_run(tmp_path / "b", asked(3), models)
    for number, model in enumerate(models):
        path = tmp_path / f"b/data/evaluate/{model}/{BENCHMARK}/predictions/plain.parquet"
        rewrite(path, lambda table, number=number: table.slice(number % 3 + 1))  # type: ignore[misc]
    found = compared(tmp_path / "a", tmp_path / "b")
    assert [(one.only_a, one.models) for one in found.unpaired] == [
        (1, ("model-0", "model-3")),
        (2, ("model-1", "model-4")),
        (3, ("model-2", "model-5")),
    ]
    assert any(line.startswith("  toys plain (2 models): 1 only in A (") for line in lines_of(found))


def test_a_file_directly_below_data_is_no_evaluation(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        run = write_run(tmp_path / name, asked(2), {"one": [True] * 4}, parameters={"seed": seed})
        path = run / f"data/evaluate/one/{BENCHMARK}/predictions/plain.parquet"
        (run / "data/mine.parquet").write_bytes(path.read_bytes())
    found = compared(tmp_path / "a", tmp_path / "b", models=("one",))
    assert [one.text for one in found.origins] == ["seed: 1 -> 2"]


def test_a_benchmark_of_one_side_is_shown_whole_with_all(tmp_path: Path) -> None:
    names = [f"model-{number:02d}" for number in range(15)]
    write_run(tmp_path / "a", asked(1), {name: [True] * 2 for name in names})
    write_matches(tmp_path / "b", "one", [GOOD])
    found = compared(tmp_path / "a", tmp_path / "b")
    short, whole = (" ".join(" ".join(lines_of(found, every=every)).split()) for every in (False, True))
    assert f"{names[11]} plain (toys) and 3 more: --all" in short
    assert names[14] not in short and f"{names[14]} plain (toys) Evaluations only in B: one (toys)" in whole


def test_only_benchmarks_are_named_when_one_is_not_known(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", asked(1), {"one": [True] * 2}) / "data/generate/writer/drawn/replies.parquet"
    path.parent.mkdir(parents=True)
    (tmp_path / f"a/data/evaluate/one/{BENCHMARK}/predictions/plain.parquet").rename(path)
    write_run(tmp_path / "b", asked(1), {"one": [True] * 2})
    with pytest.raises(WhatifError, match=f"--benchmark cats: neither side has it; there are {BENCHMARK}$"):
        compared(tmp_path / "a", tmp_path / "b", benchmarks=("cats",))
    assert compared(tmp_path / "a", tmp_path / "b", benchmarks=("drawn",)).is_empty
