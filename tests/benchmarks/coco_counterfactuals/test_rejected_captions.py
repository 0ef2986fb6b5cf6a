"""Captions and pairs that are rejected, each with a reason, and those that a limit leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.coco_counterfactuals.small_project import NAME, small
from tests.people.imports.files import jsonl_file
from tests.projects import Project, Row
from tests.published import numbers
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import STAGES
from whatif.models.prompt_to_prompt.image_maker import PictureMaker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_groups")]

pytest.importorskip("diffusers")
pytest.importorskip("sentence_transformers")


def odd_captions(folder: Path) -> Iterable[Row]:
    yield {"id": "empty", "caption": "  "}
    yield {"id": "long", "caption": "word " * 300}
    yield {"id": "script", "caption": "一只猫坐在垫子上"}
    yield {"id": "verbs", "caption": "Running and jumping quickly"}
    yield {"id": "cat", "caption": "There is a small red star in front of a white background.", "image": "gone.png"}


def test_odd_captions_are_rejected_with_a_reason_and_the_funnel_adds_up(tmp_path: Path, checkpoints: Path) -> None:
    project = small(Project(tmp_path / "odd"), checkpoints)
    file = jsonl_file(tmp_path / "captions.jsonl", odd_captions(tmp_path))
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    project.values["extract"][NAME].update(captions=str(file), image_folders=[str(pictures)])
    project.make(*STAGES)
    unusable = {r["item_id"]: r["reason"] for r in project.rows("extract", "rejections")}
    assert set(unusable) == {"empty", "long", "script"}
    (missing,) = project.rows("extract", "missing")
    assert (missing["item_id"], missing["reason"]) == ("gone.png", "picture missing")
    unpaired = {r["item_id"]: r["reason"] for r in project.rows("generate", "rejections", "choose")}
    assert unpaired == {"verbs": "no noun"}
    photographs = numbers(project.folder / "metrics" / NAME / "funnel.csv", stage="extract", unit="photographs")
    assert list(photographs["value"]) == [1, 0, 1, 1] and photographs["reason"].iloc[-1] == "picture missing"
    assert project.rows("evaluate", "random-matches", "match") == []


@pytest.mark.parametrize(("shards", "stage"), [(1, "filter"), (2, "verify")])
def test_no_pair_is_left(tmp_path: Path, checkpoints: Path, shards: int, stage: str) -> None:
    """A part may lose all it has: then the first step that sees all parts says so."""
    project = small(Project(tmp_path / "none"), checkpoints)
    project.generate["shards"] = shards
    project.values["filter"][NAME]["caption_image"] = 1.0
    project.make("extract", "generate")
    told = rf"^{stage} {NAME}.*: none of 5 pairs is left: no candidate is left \(picture unlike its caption\) \(5\)"
    with pytest.raises(WhatifError, match=told + rf".*; lower filter\.{NAME}, raise"):
        project.make("filter", "verify")


def test_pairs_of_the_same_picture_are_lost_and_one_line_says_so(
    tmp_path: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A diffusion model that knows no such words draws the same image for both captions."""
    project = small(Project(tmp_path / "same"), checkpoints)
    project.generate["shards"] = 1
    draw = PictureMaker.draw

    def alike_but_one(maker: PictureMaker, run: Any) -> Any:
        rows = [row or next(filter(None, run)) for row in run]
        different = min(row["pair_id"] for row in project.rows("generate", "caption-pairs", "choose"))
        pictures = zip(rows, draw(maker, run), strict=True)
        return [pair if row["pair_id"] == different else (pair[0], pair[0]) for row, pair in pictures]

    monkeypatch.setattr("whatif.models.prompt_to_prompt.image_maker.PictureMaker.draw", alike_but_one)
    (line,) = [line for line in project.make("extract", "generate", "filter", "verify") if "warning" in line]
    assert line.startswith(f"warning: filter {NAME} part-000-of-001: only 1 of 5 pairs is left; most frequent reason: ")
    assert "no candidate is left (same picture) (4)" in line
    kept = project.rows("filter", "pairs")
    assert len(kept) == 1 and all(row["image_id_0"] != row["image_id_1"] for row in kept)
    rejected = Counter(row["reason"] for row in project.rows("filter", "rejections"))
    assert rejected["same picture"] == 12 and rejected["no candidate is left (same picture)"] == 4


def named_captions(project: Project, number: int) -> None:
    """Captions of the project's own, as many as asked for, without images."""
    rows = ({"id": f"c{place:02}", "caption": f"There is a small red star on wall {place}."} for place in range(number))
    file = jsonl_file(project.folder / "captions.jsonl", rows)
    project.values["extract"][NAME]["captions"] = str(file)


def test_the_recogniser_of_drawn_scenes_judges_no_other_pictures(tmp_path: Path, checkpoints: Path) -> None:
    project = small(Project(tmp_path / "named"), checkpoints)
    named_captions(project, 3)
    project.generate["captions"]["choose"]["similarity"] = {"low": -1.0, "high": 1.0}
    project.values["filter"][NAME]["without_prompt_to_prompt"] = 0
    project.make(*STAGES)
    pairs = project.rows("filter", "pairs")
    assert project.rows("filter", "unshared-pairs", "unshared") == []
    assert set(numbers(project.folder / "metrics" / NAME / "figure2.csv")["measure"]) == {"pairs"}
    assert project.rows("verify", "judgements") == []
    assert project.rows("verify", "errors") == []
    rejected = project.rows("verify", "rejections")
    assert {row["reason"] for row in rejected} == {"no label"} and len(rejected) == 2 * len(pairs) > 0
    metrics = project.metrics
    assert "image_labels" not in metrics
    ours = numbers(project.folder / "metrics" / NAME / "table1.csv", source="ours")
    assert set(ours["made_by"]) == {""} and ours.loc[ours["measure"] == "share", "value"].isna().all()
    report = (project.folder / "metrics" / NAME / "report.md").read_text(encoding="utf-8")
    assert "None of our images were labelled." in report and "labelled automatically" not in report


def test_a_limit_draws_captions_by_their_ids(tmp_path: Path, checkpoints: Path) -> None:
    project = small(Project(tmp_path / "limit"), checkpoints)
    drawn: dict[int | None, list[str]] = {}
    for limit in (5, 10, None, 100):
        named_captions(project, 40)
        project.values["extract"][NAME]["limit"] = limit
        said = project.make("extract")
        assert not [line for line in said if "warning" in line], "it was asked for"
        drawn[limit] = [row["caption_id"] for row in project.rows("extract", "captions")]
        rejected = Counter(row["reason"] for row in project.rows("extract", "rejections"))
        assert len(drawn[limit]) + rejected["not drawn"] == 40
    assert (len(drawn[5]), len(drawn[10]), len(drawn[None]), len(drawn[100])) == (5, 10, 40, 40)
    assert set(drawn[5]) < set(drawn[10]) and drawn[5] != [f"c{place:02}" for place in range(5)]
    named_captions(project, 39)  # without the last, whatever was drawn and is still there is drawn again
    project.values["extract"][NAME]["limit"] = 5
    project.make("extract")
    again = {row["caption_id"] for row in project.rows("extract", "captions")}
    assert set(drawn[5]) - {"c39"} <= again and len(again) == 5
