"""3,000 puzzles, as many as C-VQA has: balanced, without shortcuts, and right to the pixel.

On fewer puzzles, `test_options`, `test_recount`, `test_checks` and `test_flower_puzzle` say the same.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import shapely
import yaml

from tests.benchmarks.cvqa_synthetic.recount import outline_errors, recount_puzzle
from tests.defaults import shipped_values
from whatif import benchmarks
from whatif.benchmarks.cvqa_synthetic.checks import crowding_reason
from whatif.benchmarks.cvqa_synthetic.schemas import PUZZLES
from whatif.engine import artifacts
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.artifacts.schemas import IMAGES, QUESTIONS, REJECTIONS
from whatif.formats.c_vqa import read_released, write_released
from whatif.scoring.shortcuts.audit import audit

pytestmark = pytest.mark.soak

NAME = "cvqa-synthetic"
TEMPLATES = ("flower-recolour", "flower-removal", "flower-removal-other", "dot-removal", "dot-columns", "dot-maximum")
VARIANTS = ("original", "counterfactual")
PARTS = 4
Row = dict[str, Any]


@dataclass(frozen=True)
class WholeSet:
    """What the first four stages made in a folder."""

    folder: Path

    def paths(self, stage: str, role: str) -> list[Path]:
        """The files of an output, part by part."""
        return sorted((self.folder / "data" / stage / NAME).glob(f"{role}*/*.parquet")) or [
            self.folder / "data" / stage / NAME / f"{role}.parquet"
        ]

    @cached_property
    def puzzles(self) -> list[Row]:
        return list(artifacts.rows_of(self.paths("generate", "puzzles"), PUZZLES))

    @cached_property
    def questions(self) -> list[Row]:
        return list(artifacts.rows_of(self.paths("verify", "questions"), QUESTIONS))

    @cached_property
    def images(self) -> ImageStore:
        return ImageStore(self.paths("generate", "images"))

    def asked(self, variant: str, group: str | None = None) -> list[Row]:
        """The questions of a variant, of one template or of all."""
        return [row for row in self.questions if row["variant"] == variant and group in (None, row["group"])]


def whatif(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "whatif", *arguments]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> None:
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> WholeSet:
    """The set of the shipped parameters at the size of C-VQA, in four parts, made by two processes at a time."""
    folder = tmp_path_factory.mktemp("whole")
    values = shipped_values()
    values["generate"][NAME].update(puzzles_per_template=500, shards=PARTS)
    (folder / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    names = [f"part-{number:03d}-of-{PARTS:03d}" for number in range(PARTS)]
    finished(whatif(folder, "extract", NAME))
    for at_once in (names[:2], names[2:]):
        for process in [whatif(folder, "generate", NAME, "--part", part) for part in at_once]:
            finished(process)
    for stage in ("filter", "verify"):
        finished(whatif(folder, stage, NAME))
    return WholeSet(folder)


def rank(row: Row) -> int:
    """The place of the right option from below, from 0."""
    choices = [int(choice) for choice in row["choices"]]
    return sorted(choices).index(choices["ABCD".index(row["answer"])])


def shares(counted: Counter[Any]) -> list[float]:
    """How often each of four comes, in percent."""
    assert len(counted) == 4
    return [100 * number / counted.total() for number in counted.values()]


def test_every_template_has_500_puzzles_and_nothing_is_rejected(whole: WholeSet) -> None:
    expected = [(group, pair) for group in TEMPLATES for pair in range(500)]
    assert [(row["group"], row["pair_id"]) for row in whole.puzzles] == [
        (group, f"abs_counting_{number:06d}") for number, (group, _) in enumerate(expected, 1)
    ]
    assert Counter((row["group"], row["variant"]) for row in whole.questions) == dict.fromkeys(
        itertools.product(TEMPLATES, VARIANTS), 500
    )
    assert artifacts.read(whole.paths("filter", "rejections"), REJECTIONS).num_rows == 0
    assert artifacts.read(whole.paths("verify", "rejections"), REJECTIONS).num_rows == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_letter_is_right_as_often_as_every_other(whole: WholeSet, variant: str) -> None:
    for group in (None, *TEMPLATES):
        letters = Counter(row["answer"] for row in whole.asked(variant, group))
        assert set(letters) == set("ABCD")
        assert shares(letters) == pytest.approx([25] * 4, abs=2), group


def test_the_right_option_has_every_rank_equally_often(whole: WholeSet) -> None:
    for group in TEMPLATES:
        assert Counter(map(rank, whole.asked("original", group))) == dict.fromkeys(range(4), 125), group
        # The schedule is of the original question; the other follows by chance where the order of answers differs.
        assert shares(Counter(map(rank, whole.asked("counterfactual", group)))) == pytest.approx([25] * 4, abs=4), group
    assert shares(Counter(map(rank, whole.asked("counterfactual")))) == pytest.approx([25] * 4, abs=2)


def test_options_are_four_different_numbers_none_below_zero(whole: WholeSet) -> None:
    for row in whole.questions:
        assert len(row["choices"]) == len({int(choice) for choice in row["choices"]}) == 4, row["question_id"]
        assert all(re.fullmatch(r"0|[1-9][0-9]*", choice) for choice in row["choices"]), row["question_id"]


def test_the_pixels_give_both_answers_of_all_puzzles(whole: WholeSet) -> None:
    said = {
        (row["pair_id"], row["variant"]): int(row["choices"]["ABCD".index(row["answer"])]) for row in whole.questions
    }
    assert len(whole.puzzles) == 3000
    for row in whole.puzzles:
        counted = recount_puzzle(whole.images.encoded(row["image_id"]), row)
        assert counted == tuple(said[row["pair_id"], variant] for variant in VARIANTS), row["pair_id"]


def test_outlines_are_painted_where_the_scene_has_them(whole: WholeSet) -> None:
    flowers = [row for row in whole.puzzles if row["polygons"]]
    assert len(flowers) == 1500
    for row in flowers[::5]:
        assert outline_errors(whole.images.encoded(row["image_id"]), row) == [], row["pair_id"]


def test_no_two_pictures_are_alike(whole: WholeSet) -> None:
    images = {
        hashlib.sha256(row["image"]["bytes"]).hexdigest(): (row["image_id"], row["width"], row["height"])
        for row in artifacts.rows_of(whole.paths("generate", "images"), IMAGES)
    }
    assert images == {row["image_id"]: (row["image_id"], 448, 448) for row in whole.puzzles}
    assert len(images) == 3000


def test_nothing_is_crowded(whole: WholeSet) -> None:
    settings = benchmarks.load_params(whole.folder / "params.yaml").lookup("filter.cvqa-synthetic")
    assert (settings.smallest_region, settings.smallest_gap) == (0.03, 0.3)
    assert {row["pair_id"]: crowding_reason(row, settings) for row in whole.puzzles} == {
        row["pair_id"]: None for row in whole.puzzles
    }


def test_two_polygons_make_four_regions_each_in_one_piece_and_large_enough(whole: WholeSet) -> None:
    for row in whole.puzzles:
        if not row["polygons"]:
            continue
        corners = [[(point["x"], point["y"]) for point in polygon["points"]] for polygon in row["polygons"]]
        first, second = map(shapely.Polygon, corners)
        picture = shapely.box(0, 0, row["image_size"], row["image_size"])
        regions = (first & second, first - second, second - first, picture - first - second)
        assert [region.geom_type for region in regions] == ["Polygon"] * 4, row["pair_id"]
        assert min(region.area for region in regions) >= 0.03 * picture.area, row["pair_id"]


def test_no_way_to_answer_without_the_picture_beats_chance(whole: WholeSet) -> None:
    found = audit(whole.questions, folds=5, seed=0)
    assert [(shortcut.rule, shortcut.variant, shortcut.n) for shortcut in found] == [
        (rule, variant, 3000) for variant in VARIANTS for rule in ("letter", "rank", "forest")
    ]
    for shortcut in found:
        assert shortcut.accuracy(0.95).estimate < 0.28, shortcut


def test_the_set_can_be_read_back_from_the_released_format(whole: WholeSet, tmp_path: Path) -> None:
    write_released(whole.questions, tmp_path / "ours.csv")
    back = sorted(read_released(tmp_path / "ours.csv"), key=lambda row: str(row["question_id"]))
    columns = ("question_id", "pair_id", "group", "variant", "question", "choices", "answer", "answer_kind")
    assert len(back) == 6000
    assert [[row[column] for column in columns] for row in back] == [
        [row[column] for column in columns] for row in whole.questions
    ]


def test_options_in_the_released_manner_can_be_guessed_and_the_audit_says_so(tmp_path: Path) -> None:
    values = shipped_values()
    values["generate"][NAME].update(options="released", puzzles_per_template=100, shards=1, image_size=192)
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    for stage in ("extract", "generate", "filter", "verify"):
        finished(whatif(tmp_path, stage, NAME))
    questions = WholeSet(tmp_path).questions
    for variant in VARIANTS:
        ranks = Counter(rank(row) for row in questions if row["variant"] == variant)
        assert ranks.total() == 600
        assert ranks.most_common(1)[0][0] == 1 and ranks[1] / 600 > 0.43
    found = {(s.rule, s.variant): s for s in audit(questions, folds=5, seed=0)}
    for variant in VARIANTS:
        assert found["rank", variant].choice == "2"
        assert found["rank", variant].accuracy(0.95).low > 0.4
        assert found["letter", variant].accuracy(0.95).high < 0.3
        assert found["forest", variant].accuracy(0.95).low > 0.4
