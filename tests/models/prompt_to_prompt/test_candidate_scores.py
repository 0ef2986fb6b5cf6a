"""Candidates of several pairs: the same rows for any parts and after any interruption, each drawn once."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny_checkpoints import tiny_clip, tiny_diffusion
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.artifacts.reader import canonical_json, content_of
from whatif.engine.artifacts.schemas import IMAGES, PAIRS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.graph.dimensions import part_range, parts
from whatif.engine.params.base import Span
from whatif.engine.params.checkpoints import DiffusionCheckpoint, LocalCheckpoint
from whatif.models.prompt_to_prompt.candidate_scores import candidate_rows
from whatif.models.prompt_to_prompt.chosen_images import ChosenPair, chosen_pictures
from whatif.models.prompt_to_prompt.directional_similarity import Thresholds, measured
from whatif.models.prompt_to_prompt.image_maker import PictureMaker
from whatif.models.responses.store import ResponseStore

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("folder")]

pytest.importorskip("diffusers")

CANDIDATES = 3
WIDTH = 4
NOUNS = ("dots", "flowers", "polygons", "pictures", "answers", "circles")
PAIRS_OF_CAPTIONS = [
    {
        "pair_id": f"{number:04d}",
        "caption_0": f"how many {noun} are there inside" if number % 2 else f"red {noun}",
        "caption_1": f"how many {other} are there inside" if number % 2 else f"red {other}",
        "subject_0": noun,
        "subject_1": other,
        "provenance": canonical_json({"human": False, "number": number}),
    }
    for number, (noun, other) in enumerate(itertools.pairwise(NOUNS))
]
Row = dict[str, Any]


class CountingMaker(PictureMaker):
    """Records what it drew; raises an error at run number `fails`, from 0."""

    fails: int | None = None

    def draw(self, run: Sequence[Any]) -> Any:
        self.runs: list[list[tuple[str, int]]] = getattr(self, "runs", [])
        if len(self.runs) == self.fails:
            raise KeyboardInterrupt
        self.runs.append([(row["pair_id"], row["candidate"]) for row in run if row is not None])
        return super().draw(run)

    @property
    def drawn(self) -> list[tuple[str, int]]:
        return sorted(itertools.chain.from_iterable(getattr(self, "runs", [])))


def maker(checkpoints: Path, width: int = WIDTH, steps: int = 2) -> CountingMaker:
    diffusion = DiffusionCheckpoint(checkpoint=str(checkpoints / "diffusion"), batch_size=width, steps=steps)
    return CountingMaker(diffusion, LocalCheckpoint(checkpoint=str(checkpoints / "clip")))


def rows(made_by: PictureMaker, store: Path, pairs: Sequence[Row] = PAIRS_OF_CAPTIONS, **changes: Any) -> list[Row]:
    how: dict[str, Any] = {"candidates": CANDIDATES, "seed": 7, "p": Span(low=0.1, high=0.9)}
    with ResponseStore(store) as opened:
        return list(candidate_rows(pairs, made_by, opened, **{**how, "guidance": Span(low=2, high=4), **changes}))


@pytest.fixture(scope="module")
def whole(checkpoints: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows(maker(checkpoints), tmp_path_factory.mktemp("whole") / "store.sqlite")


def test_a_row_for_every_candidate_in_order(whole: list[Row]) -> None:
    assert [(row["pair_id"], row["candidate"]) for row in whole] == [
        (pair["pair_id"], number) for pair in PAIRS_OF_CAPTIONS for number in range(CANDIDATES)
    ]
    write_artifact(Path("pairs.parquet"), PAIRS, whole)
    assert len({row["image_id_0"] for row in whole} | {row["image_id_1"] for row in whole}) == 2 * len(whole)
    for row, pair in zip(whole[::CANDIDATES], PAIRS_OF_CAPTIONS, strict=True):
        assert {name: row[name] for name in pair} == pair
        assert len({row["directional"] for row in whole}) > len(PAIRS_OF_CAPTIONS)


@pytest.mark.parametrize("number", [2, pytest.param(8, marks=pytest.mark.soak)])
def test_parts_make_the_same_bytes(checkpoints: Path, whole: list[Row], number: int) -> None:
    found = []
    for part in parts(number):
        places = part_range(part, len(PAIRS_OF_CAPTIONS))
        found += rows(maker(checkpoints), Path(f"{part}.sqlite"), [PAIRS_OF_CAPTIONS[place] for place in places])
    assert found == whole
    contents = set()
    for name, made in (("whole", whole), ("parts", found)):
        write_artifact(Path(f"{name}.parquet"), PAIRS, made)
        contents.add(content_of(Path(f"{name}.parquet")))
    assert len(contents) == 1


def test_a_pair_that_is_dropped_changes_no_other(checkpoints: Path, whole: list[Row]) -> None:
    left = [pair for pair in PAIRS_OF_CAPTIONS if pair["pair_id"] != "0002"]
    assert rows(maker(checkpoints), Path("s"), left) == [row for row in whole if row["pair_id"] != "0002"]


def test_runs_mix_pairs_and_are_full_where_candidates_fill_them(checkpoints: Path) -> None:
    mixing, full = maker(checkpoints), maker(checkpoints)
    rows(mixing, Path("s"))
    assert len({pair for pair, _ in mixing.runs[0]}) > 1 and len(mixing.runs[0]) == WIDTH
    rows(full, Path("s"), PAIRS_OF_CAPTIONS[:2], candidates=2 * WIDTH, seed=8)
    assert [len(run) for run in full.runs] == [WIDTH] * 4


def test_what_was_killed_goes_on_where_it_stopped(checkpoints: Path, whole: list[Row]) -> None:
    killed = maker(checkpoints)
    killed.fails = 2
    with pytest.raises(KeyboardInterrupt):
        rows(killed, Path("s"))
    again = maker(checkpoints)
    assert rows(again, Path("s")) == whole
    assert len(killed.runs) == 2 and killed.drawn and again.drawn
    assert sorted(killed.drawn + again.drawn) == [(row["pair_id"], row["candidate"]) for row in whole]
    third = maker(checkpoints)
    assert rows(third, Path("s")) == whole
    assert third.drawn == [] and "pipeline" not in vars(third), "nothing is loaded where all is stored"


def test_a_run_of_which_a_part_is_stored_draws_the_rest_and_the_bytes_are_the_same(
    checkpoints: Path, whole: list[Row]
) -> None:
    rows(maker(checkpoints), Path("s"), PAIRS_OF_CAPTIONS[1:2], candidates=1)
    again = maker(checkpoints)
    assert rows(again, Path("s")) == whole
    assert ("0001", 0) not in again.drawn and len(again.drawn) == len(whole) - 1


def test_more_candidates_cost_only_the_new_ones(checkpoints: Path, whole: list[Row]) -> None:
    rows(maker(checkpoints), Path("s"))
    more = maker(checkpoints)
    found = rows(more, Path("s"), candidates=CANDIDATES + 1)
    assert [row for row in found if row["candidate"] < CANDIDATES] == whole
    assert {number for _, number in more.drawn} == {CANDIDATES}


@pytest.mark.parametrize("change", ["steps", "width", "clip", "diffusion"])
def test_what_decides_the_pictures_or_scores_is_part_of_the_request(
    tmp_path: Path, checkpoints: Path, change: str
) -> None:
    folder = Path(shutil.copytree(checkpoints, tmp_path / "copy"))
    rows(maker(checkpoints), Path("s"), PAIRS_OF_CAPTIONS[:1])
    same = maker(folder)
    rows(same, Path("s"), PAIRS_OF_CAPTIONS[:1])
    assert same.drawn == [], "a copy of a checkpoint is the same one"
    if change in ("clip", "diffusion"):
        shutil.rmtree(folder / change)
        {"clip": tiny_clip, "diffusion": tiny_diffusion}[change](folder / change, seed=5)
    other = maker(folder, **({"steps": 3} if change == "steps" else {"width": 5} if change == "width" else {}))
    rows(other, Path("s"), PAIRS_OF_CAPTIONS[:1])
    assert len(other.drawn) == CANDIDATES


def test_scores_are_those_of_the_pictures_alone(checkpoints: Path, whole: list[Row]) -> None:
    chosen = whole[1::4]
    made_by = maker(checkpoints)
    images = {
        image["image_id"]: image
        for pair in chosen_pictures(chosen, made_by, Thresholds(-1, -1, -1), licence="CC0-1.0")
        for image in pair.images
    }
    write_artifact(Path("images.parquet"), IMAGES, list(images.values()))
    for before, row in zip(chosen, measured(chosen, ImageStore([Path("images.parquet")]), made_by.clip), strict=True):
        for name in ("caption_image_0", "caption_image_1", "image_image", "directional"):
            assert row[name] == pytest.approx(before[name], abs=1e-5)


def chosen(made_by: PictureMaker, candidates: Sequence[Row], least: float = -1) -> list[ChosenPair]:
    found = chosen_pictures(candidates, made_by, Thresholds(least, least, -1), licence="CC0-1.0")
    return sorted(found, key=lambda pair: str(pair.row["pair_id"]))


def test_the_chosen_come_out_as_they_were_measured(checkpoints: Path, whole: list[Row]) -> None:
    best = whole[2::CANDIDATES]
    made_by = maker(checkpoints)
    found = chosen(made_by, best)
    assert [pair.row for pair in found] == best
    assert all(pair.rejection is None and [one["image_id"] for one in pair.images] for pair in found)
    for pair in found:
        assert [one["image_id"] for one in pair.images] == [pair.row["image_id_0"], pair.row["image_id_1"]]
        assert {(one["width"], one["height"], one["licence"]) for one in pair.images} == {(64, 64, "CC0-1.0")}
    assert "clip" not in vars(made_by), "what comes out the same is not measured again"
    assert chosen(maker(checkpoints), []) == []


def test_what_comes_out_differently_is_measured_again_and_says_so(checkpoints: Path, whole: list[Row]) -> None:
    scores = dict.fromkeys(("caption_image_0", "caption_image_1", "image_image", "directional"), 0.99)
    elsewhere = [{**whole[0], "image_id_1": "0" * 64, **scores}, whole[CANDIDATES]]
    first, second = chosen(maker(checkpoints), elsewhere)
    told = json.loads(first.row["provenance"])
    assert told == {"human": False, "number": 0, "redrawn": True} and first.rejection is None
    assert {name: first.row[name] for name in (*scores, "image_id_1")} == {
        name: whole[0][name] for name in (*scores, "image_id_1")
    }
    assert second.row == whole[CANDIDATES]
    lost, kept = chosen(maker(checkpoints), elsewhere, least=0.99)
    assert kept.rejection is None, "what comes out the same was judged before"
    assert lost.rejection is not None and lost.rejection["item_id"] == "0000"
    assert lost.rejection["reason"] == "picture unlike its caption when drawn again"
    assert lost.rejection["detail"].startswith("0000-0000 came out differently when it was drawn again: similarity")


def test_an_answer_that_is_no_candidate_is_named(checkpoints: Path) -> None:
    class Broken(CountingMaker):
        def measure(self, run: Any, pictures: Any) -> Any:
            return [dict.fromkeys(scores, "high") for scores in super().measure(run, pictures)]

    settings = maker(checkpoints)
    broken = Broken(settings._settings, settings._clip_settings)
    with pytest.raises(WhatifError, match=r"^s: the answer to [0-9a-f]{64} is not a candidate"):
        rows(broken, Path("s"), PAIRS_OF_CAPTIONS[:1])


def test_similarities_that_are_no_numbers_stop_the_run(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_by = maker(checkpoints)
    embed = type(made_by.clip).pictures

    def overflow(self: Any, pictures: Any) -> Any:
        return embed(self, pictures) * np.nan

    monkeypatch.setattr(type(made_by.clip), "pictures", overflow)
    with pytest.raises(WhatifError, match="similarities that are not numbers; use dtype float32"):
        rows(made_by, Path("s"), PAIRS_OF_CAPTIONS[:1])


def test_memory_that_is_too_small_is_one_line(checkpoints: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError("no memory\nleft")

    monkeypatch.setattr("whatif.models.prompt_to_prompt.image_maker.generate_pairs", full)
    with pytest.raises(
        WhatifError, match=r"^out of memory with 4 pairs of images by \S+/diffusion at once; set a smaller batch_size$"
    ):
        rows(maker(checkpoints), Path("s"), PAIRS_OF_CAPTIONS[:1])
