"""C-VQA-Synthetic step by step on a few puzzles: the same rows however they are made, and none lost on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest
import shapely
import yaml
from scipy.spatial.distance import pdist

from tests.defaults import puzzles_and_baselines
from whatif import artifacts, benchmarks
from whatif.artifact_writer import write_artifact
from whatif.errors import WhatifError
from whatif.graph.run import run
from whatif.graph.steps import Graph, Job
from whatif.images import ImageStore
from whatif.params import check
from whatif.schemas import IMAGES, JUDGEMENTS, PREDICTIONS, PUZZLES, QUESTIONS, REJECTIONS, Table
from whatif.text.puzzle_questions import GROUPS

NAME = "cvqa-synthetic"
BEFORE_MODELS = ("extract", "generate", "filter", "verify")
FUNNEL = Path(f"metrics/{NAME}/funnel.csv")
Row = dict[str, Any]


class Project:
    """A folder with four puzzles of each template, and parameters that a test may change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values: dict[str, Any] = puzzles_and_baselines()
        self.generate = self.values["generate"][NAME]
        self.generate.update(puzzles_per_template=4, shards=2, image_size=192)
        self.values["aggregate"][NAME].update(resamples=100, audit_folds=2)

    @property
    def graph(self) -> Graph:
        return benchmarks.graph(check(self.values))

    def jobs(self, *stages: str) -> list[Job]:
        """The jobs of some stages, in the order in which the graph has them."""
        return [job for job in self.graph.jobs if job.step.stage in stages]

    def make(self, *stages: str) -> None:
        """Runs all jobs of some stages, none of which has run before."""
        self.run(self.jobs(*stages))

    def run(self, jobs: Iterable[Job]) -> None:
        """Runs jobs in the order given, from nothing."""
        here = Path.cwd()
        self.folder.mkdir(exist_ok=True)
        os.chdir(self.folder)
        try:
            for job in jobs:
                assert run(job, lambda line: None) == "computed", job.name
        finally:
            os.chdir(here)

    def paths(self, stage: str, role: str) -> list[Path]:
        """The files of an output, part by part."""
        return [self.folder / job.outputs[role] for job in self.jobs(stage) if role in job.outputs]

    def rows(self, stage: str, role: str, table: Table) -> list[Row]:
        """The rows of an output, part after part."""
        return list(artifacts.rows_of(self.paths(stage, role), table))

    def puzzles(self) -> list[Row]:
        return self.rows("generate", "puzzles", PUZZLES)

    def everything(self) -> dict[str, bytes]:
        """Every artifact: path -> bytes."""
        files = sorted((self.folder / "data").rglob("*.parquet"))
        return {str(file.relative_to(self.folder)): file.read_bytes() for file in files}

    def funnel(self) -> dict[str, tuple[str, int, int, int]]:
        """The published funnel: stage -> reasons, in, out, rejected."""
        _, *lines = (self.folder / FUNNEL).read_text(encoding="utf-8").splitlines()
        cells = [line.split(",") for line in lines]
        return {stage: (why, int(came), int(went), int(left)) for stage, _, why, came, went, left in cells}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    yield Project(tmp_path)


def generated(folder: Path, **settings: Any) -> tuple[list[Row], list[Row], list[Row]]:
    """Questions, puzzles and pictures of a project with other settings; pictures in order of their ids."""
    project = Project(folder)
    project.generate.update(settings)
    project.make("extract", "generate")
    images = project.rows("generate", "images", IMAGES)
    ids = [row["image_id"] for row in images]
    assert len(set(ids)) == len(ids)
    questions = project.rows("generate", "questions", QUESTIONS)
    return questions, project.puzzles(), sorted(images, key=lambda row: str(row["image_id"]))


# The same rows however they are made


@pytest.mark.parametrize("shards", [2, 5, 40])
def test_rows_are_the_same_whatever_the_number_of_parts(tmp_path: Path, shards: int) -> None:
    whole, parts = generated(tmp_path / "whole", shards=1), generated(tmp_path / "parts", shards=shards)
    assert [len(rows) for rows in whole] == [48, 24, 24]
    assert parts == whole
    assert len(list((tmp_path / "parts").rglob("questions/part-*.parquet"))) == shards


def test_bytes_are_the_same_for_any_order_of_the_parts(tmp_path: Path) -> None:
    forwards, backwards = Project(tmp_path / "forwards"), Project(tmp_path / "backwards")
    for project in (forwards, backwards):
        project.generate["shards"] = 5
    forwards.make("extract", "generate")
    backwards.make("extract")
    backwards.run(reversed(backwards.jobs("generate")))
    assert len(forwards.everything()) == 2 + 5 * 3
    assert backwards.everything() == forwards.everything()


def test_bytes_are_the_same_from_two_processes_at_once_with_other_hash_seeds(project: Project) -> None:
    elsewhere = Project(project.folder / "elsewhere")
    elsewhere.make("extract", "generate")
    Path("params.yaml").write_text(yaml.safe_dump(project.values), encoding="utf-8")
    command = [sys.executable, "-m", "whatif"]
    subprocess.run([*command, "extract", NAME], check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    at_once = [
        subprocess.Popen(
            [*command, "generate", NAME, "--part", f"part-{part:03d}-of-002"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        for part, hash_seed in enumerate(("1", "31337"))
    ]
    assert [process.wait(timeout=120) for process in at_once] == [0, 0]
    assert len(project.everything()) == 2 + 2 * 3
    assert project.everything() == elsewhere.everything()


def test_another_seed_gives_other_puzzles_under_the_same_ids(tmp_path: Path) -> None:
    first, second = Project(tmp_path / "first"), Project(tmp_path / "second")
    second.values["seed"] += 1
    for project in (first, second):
        project.make("extract", "generate")
    assert [row["pair_id"] for row in first.puzzles()] == [row["pair_id"] for row in second.puzzles()]
    assert not {row["image_id"] for row in first.puzzles()} & {row["image_id"] for row in second.puzzles()}


def test_every_question_is_about_the_picture_of_its_puzzle(project: Project) -> None:
    project.make("extract", "generate")
    puzzles = {row["pair_id"]: row for row in project.puzzles()}
    questions = project.rows("generate", "questions", QUESTIONS)
    store = ImageStore(project.paths("generate", "images"))
    assert Counter(row["group"] for row in puzzles.values()) == Counter({row["group"]: 4 for row in questions})
    assert Counter(row["pair_id"] for row in questions) == dict.fromkeys(puzzles, 2)
    for row in questions:
        puzzle = puzzles[row["pair_id"]]
        assert row["image_ids"] == [puzzle["image_id"]]
        assert row["group"] == puzzle["group"]
        assert row["choices"]["ABCD".index(row["answer"])] == str(puzzle[f"{row['variant']}_answer"])
        assert store.get(puzzle["image_id"]).size == (192, 192)


# Not `ru_maxrss`: a process inherits that from the one that started it.
MEASURE = r"""
import json, os, re, sys
from pathlib import Path
from whatif import benchmarks
from whatif.graph.run import run
from whatif.params import check

values = json.loads(sys.argv[1])
found = []
for puzzles in (25, 200):
    values["generate"]["cvqa-synthetic"]["puzzles_per_template"] = puzzles
    Path(str(puzzles)).mkdir()
    os.chdir(str(puzzles))
    extract, generate = benchmarks.graph(check(values)).jobs[:2]
    run(extract, lambda line: None)
    run(generate, lambda line: None)
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    found.append((int(peak[1]) * 1024, generate.outputs["images"].stat().st_size))
    os.chdir("..")
print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_number_of_puzzles(project: Project) -> None:
    """From 150 to 1,200 puzzles in one part the peak rises by less than half of the pictures that are written more."""
    project.generate.update(shards=1, image_size=448)
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, json.dumps(project.values)],
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},  # one that gives memory back
        capture_output=True,
        text=True,
        check=True,
    )
    (few_peak, few_bytes), (many_peak, many_bytes) = json.loads(done.stdout)
    assert many_bytes - few_bytes > 25_000_000
    assert many_peak - few_peak < (many_bytes - few_bytes) / 2


# Nothing is lost


def narrowest_gap(puzzle: Row) -> float:
    """The smallest gap between two flowers or two dots, in their radii."""
    things = puzzle["flowers"] or [dot for circle in puzzle["circles"] for dot in circle["dots"]]
    radius = puzzle["dot_radius"] or puzzle["flowers"][0]["radius"]
    return float(pdist([(thing["x"], thing["y"]) for thing in things]).min() / radius - 2)


def smallest_region(puzzle: Row) -> float:
    """The share of the smallest of the four regions; 1 for a puzzle of dots."""
    if not puzzle["polygons"]:
        return 1.0
    first, second = (shapely.Polygon([(p["x"], p["y"]) for p in polygon["points"]]) for polygon in puzzle["polygons"])
    whole = shapely.box(0, 0, puzzle["image_size"], puzzle["image_size"])
    regions = (first & second, first - second, second - first, whole - first - second)
    return float(min(region.area for region in regions) / whole.area)


def test_a_strict_filter_rejects_what_is_crowded_and_keeps_the_rest(project: Project) -> None:
    project.make("extract", "generate")
    project.values["filter"][NAME] = {"smallest_gap": 0.6, "smallest_region": 0.06}
    project.make("filter", "verify", "evaluate", "aggregate")
    expected = {}
    for puzzle in project.puzzles():
        if smallest_region(puzzle) < 0.06:
            expected[puzzle["pair_id"]] = "small-region"
        elif narrowest_gap(puzzle) < 0.6:
            expected[puzzle["pair_id"]] = "narrow-gap"
    rejections = project.rows("filter", "rejections", REJECTIONS)
    assert {row["item_id"]: row["reason"] for row in rejections} == expected
    assert all("below 6.00%" in row["detail"] or "below 0.60" in row["detail"] for row in rejections)
    count = Counter(expected.values())
    assert set(count) == {"narrow-gap", "small-region"} and count.total() < 20
    generated = project.rows("generate", "questions", QUESTIONS)
    kept = [row for row in generated if row["pair_id"] not in expected]
    assert project.rows("filter", "questions", QUESTIONS) == kept
    assert project.rows("verify", "questions", QUESTIONS) == kept
    left = 24 - count.total()
    why = f"narrow-gap: {count['narrow-gap']}; small-region: {count['small-region']}"
    assert project.funnel() == {
        "extract": ("none", 24, 24, 0),
        "generate": ("none", 24, 24, 0),
        "filter": (why, 24, left, count.total()),
        "verify": ("none", left, left, 0),
        **{f"evaluate {key}": ("none", 2 * left, 2 * left, 0) for key in sorted(project.values["models"])},
    }


def change(path: Path, table: Table, edit: Callable[[list[Row]], object]) -> None:
    """Writes an artifact again after an edit of its rows."""
    rows = artifacts.read(path, table).to_pylist()
    edit(rows)
    write_artifact(path, table, rows)


def test_a_picture_that_was_there_before_is_rejected_as_a_duplicate(project: Project) -> None:
    project.make("extract", "generate")
    first_part, second_part = project.paths("generate", "puzzles")
    first, second = (artifacts.read(path, PUZZLES).to_pylist() for path in (first_part, second_part))
    change(first_part, PUZZLES, lambda rows: rows[7].update(image_id=first[2]["image_id"]))
    change(second_part, PUZZLES, lambda rows: rows[0].update(image_id=first[2]["image_id"]))
    project.make("filter")
    detail = f"shows the same picture as {first[2]['pair_id']}"
    again = [first[7]["pair_id"], second[0]["pair_id"]]
    assert project.rows("filter", "rejections", REJECTIONS) == [
        {"item_id": pair_id, "reason": "duplicate", "detail": detail} for pair_id in again
    ]
    generated = project.rows("generate", "questions", QUESTIONS)
    kept = [row for row in generated if row["pair_id"] not in again]
    assert project.rows("filter", "questions", QUESTIONS) == kept
    project.make("verify", "evaluate", "aggregate")
    assert project.funnel()["filter"] == ("duplicate: 2", 24, 22, 2)
    assert project.funnel()["verify"] == ("none", 22, 22, 0)


def wrong_option(rows: list[Row], number: int) -> str:
    """Makes the right option of a question a number that no option of it is; returns its letter and that number."""
    row = rows[number]
    other = str(1 + max(int(choice) for choice in row["choices"]))
    row["choices"]["ABCD".index(row["answer"])] = other
    return f"{row['question_id']}: its answer {row['answer']} says {other}, the scene shows "


def test_verification_rejects_a_falsified_answer_flag_or_option_and_says_why(project: Project) -> None:
    project.make("extract", "generate", "filter")
    flowers, dots = project.paths("generate", "puzzles")
    (questions,) = project.paths("filter", "questions")
    comments: dict[tuple[str, str], str] = {}
    said: list[str] = []

    def falsify_flowers(rows: list[Row]) -> None:
        rows[1]["counterfactual_answer"] += 1
        counted = rows[1]["counterfactual_answer"] - 1
        comments[rows[1]["pair_id"], "scene"] = f"counterfactual_answer: is {counted + 1}, the scene shows {counted}"
        rows[3]["flowers"][2]["inside_second"] ^= True
        comments[rows[3]["pair_id"], "scene"] = "flower 2: its region is not the one that is stored"

    def falsify_dots(rows: list[Row]) -> None:
        rows[0]["original_answer"] -= 1
        counted = rows[0]["original_answer"] + 1
        comments[rows[0]["pair_id"], "scene"] = f"original_answer: is {counted - 1}, the scene shows {counted}"

    change(flowers, PUZZLES, falsify_flowers)
    change(dots, PUZZLES, falsify_dots)
    change(questions, QUESTIONS, lambda rows: said.extend(wrong_option(rows, number) for number in (11, 24)))
    project.make("verify")
    # Pairs 2 and 4 of the flowers, the first of the dots twice over, and pair 6 with its original question (row 11).
    pairs = [row["pair_id"] for row in project.puzzles()]
    rejected = {pairs[1]: "scene", pairs[3]: "scene", pairs[5]: "answer", pairs[12]: "scene"}
    judgements = {
        (row["item_id"], row["annotator"].removeprefix("automatic:")): row
        for row in project.rows("verify", "judgements", JUDGEMENTS)
    }
    assert list(judgements) == [(pair_id, check) for pair_id in pairs for check in ("answer", "scene")]
    for key, comment in comments.items():
        assert (judgements[key]["decision"], judgements[key]["comment"]) == ("reject", comment)
    for pair_id, start in zip((pairs[5], pairs[12]), said, strict=True):
        judgement = judgements[pair_id, "answer"]
        assert judgement["decision"] == "reject" and judgement["comment"].startswith(start)
    accepted = {key for key, row in judgements.items() if row["decision"] == "accept"}
    assert accepted == set(judgements) - set(comments) - {(pairs[5], "answer"), (pairs[12], "answer")}
    assert all(judgements[key]["comment"] == "" for key in accepted)
    assert project.rows("verify", "rejections", REJECTIONS) == [
        {
            "item_id": pair_id,
            "reason": f"failed the check of its {check}",
            "detail": judgements[pair_id, check]["comment"],
        }
        for pair_id, check in rejected.items()
    ]
    filtered = project.rows("filter", "questions", QUESTIONS)
    kept = [row for row in filtered if row["pair_id"] not in rejected]
    assert project.rows("verify", "questions", QUESTIONS) == kept
    project.make("evaluate", "aggregate")
    why = "failed the check of its answer: 1; failed the check of its scene: 3"
    assert project.funnel()["verify"] == (why, 24, 20, 4)
    assert project.funnel()["evaluate random"] == ("none", 40, 40, 0)
    report = (project.folder / f"metrics/{NAME}/report.md").read_text(encoding="utf-8")
    assert why in report
    metrics = json.loads((project.folder / f"metrics/{NAME}.json").read_text(encoding="utf-8"))
    models = len(metrics) - 1
    assert metrics["drops_compared"]["comparisons"] == models * (models - 1) // 2
    drops = (project.folder / f"metrics/{NAME}/drops.csv").read_text(encoding="utf-8").splitlines()
    assert len(drops) == 1 + models * (models - 1) // 2
    assert "## Models' drops compared" in report


def test_the_gallery_shows_a_puzzle_of_each_template_with_answers_and_the_right_one(project: Project) -> None:
    project.make(*BEFORE_MODELS, "evaluate", "aggregate")
    page = (project.folder / f"metrics/{NAME}/gallery.html").read_text(encoding="utf-8")
    assert page.count("<img ") == len(GROUPS) and page.count("data:image/png;base64,") == len(GROUPS)
    question = project.rows("verify", "questions", QUESTIONS)[1]
    assert question["variant"] == "original" and escape(question["question"]) in page
    right = question["choices"]["ABCD".index(question["answer"])]
    assert f"{right} ({question['answer']})" in page
    assert f"{question['choices'][0]} (A)" in page  # what the baseline `first-option` says


def test_questions_of_puzzles_that_are_no_longer_there_are_refused(project: Project) -> None:
    project.make("extract", "generate", "filter")
    project.generate["puzzles_per_template"] = 3  # and nobody filters again
    project.make("generate")
    with pytest.raises(WhatifError, match="abs_counting_000019"):
        project.make("verify")


@pytest.mark.parametrize(
    ("stage", "role", "table", "rows_a_pair"),
    [("verify", "questions", QUESTIONS, 2), ("filter", "rejections", REJECTIONS, 1)],
)
def test_the_funnel_refuses_to_lose_a_pair(
    project: Project, stage: str, role: str, table: Table, rows_a_pair: int
) -> None:
    project.make("extract", "generate")
    puzzles = project.paths("generate", "puzzles")[0]
    change(puzzles, PUZZLES, lambda rows: rows[1].update(image_id=rows[0]["image_id"]))
    project.make("filter", "verify")
    (path,) = project.paths(stage, role)
    change(path, table, lambda rows: rows.__delitem__(slice(rows_a_pair)))
    project.make("evaluate")
    came_in, went_on = {"verify": (23, 22), "filter": (24, 23)}[stage]
    counts = f"{came_in} pairs came in, {went_on} went on and 0 were rejected; nothing may be lost"
    with pytest.raises(WhatifError, match=f"^(filter|verify): {counts}"):
        project.make("aggregate")
    assert not FUNNEL.exists() and not Path(f"data/aggregate/{NAME}/files.parquet").exists()
    assert [path.name for path in Path("data/aggregate").rglob(".*")] == []


def test_a_prediction_that_was_lost_is_missed(project: Project) -> None:
    project.make(*BEFORE_MODELS, "evaluate")
    path = project.paths("evaluate", "predictions")[0]
    change(path, PREDICTIONS, lambda rows: rows.pop(5))
    with pytest.raises(WhatifError, match="first-option"):
        project.make("aggregate")
    assert not FUNNEL.exists()


# What answers


def predictions(project: Project, model: str) -> list[Row]:
    paths = sorted((project.folder / f"data/evaluate/{model}/{NAME}/predictions").glob("*.parquet"))
    return list(artifacts.rows_of(paths, PREDICTIONS))


def test_every_model_has_one_row_a_question_in_order(project: Project) -> None:
    project.generate["puzzles_per_template"] = 5  # so that in each group one letter is right more often
    project.make(*BEFORE_MODELS, "evaluate")
    questions = project.rows("verify", "questions", QUESTIONS)
    letters: dict[tuple[str, str], Counter[str]] = {}
    for row in questions:
        letters.setdefault((row["group"], row["variant"]), Counter())[row["answer"]] += 1
    for model in ("random", "first-option", "majority"):
        rows = predictions(project, model)
        assert [row["question_id"] for row in rows] == [row["question_id"] for row in questions]
        assert {(row["model"], row["status"], row["strategy"]) for row in rows} == {(model, "ok", "direct")}
        for row, question in zip(rows, questions, strict=True):
            assert row["answer"] in "ABCD"
            assert row["correct"] == (row["answer"] == question["answer"])
            if model == "first-option":
                assert row["answer"] == "A"
            if model == "majority":
                count = letters[question["group"], question["variant"]]
                assert count[row["answer"]] == max(count.values())
    assert {row["answer"] for row in predictions(project, "random")} == set("ABCD")


def test_predictions_do_not_depend_on_the_order_of_the_models(tmp_path: Path) -> None:
    first, second = Project(tmp_path / "first"), Project(tmp_path / "second")
    second.values["models"] = dict(reversed(second.values["models"].items()))
    for project in (first, second):
        project.make(*BEFORE_MODELS)
    first.make("evaluate")
    second.run(reversed(second.jobs("evaluate")))
    assert len(first.paths("evaluate", "predictions")) == 3 * 2
    assert second.everything() == first.everything()


def test_another_seed_gives_other_random_answers_to_the_same_questions(project: Project) -> None:
    project.make(*BEFORE_MODELS, "evaluate")
    models = ("random", "first-option", "majority")
    before = {model: predictions(project, model) for model in models}
    project.values["seed"] += 1
    project.make("evaluate")
    after = {model: predictions(project, model) for model in models}
    changed = [a["answer"] != b["answer"] for a, b in zip(before["random"], after["random"], strict=True)]
    assert 24 < sum(changed) < 48  # of 48 questions three in four, give or take
    assert after["first-option"] == before["first-option"]
    assert after["majority"] == before["majority"]
