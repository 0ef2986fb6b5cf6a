"""Candidates of images: every sentence, style and number once, drawn or rejected with a reason."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.mucr.drawing_project import (
    caption_pairs,
    draw_jobs,
    drawing_project,
    drawn,
    given,
    scene_pairs,
    undrawn,
)
from tests.benchmarks.mucr.rows import description
from tests.models.text_to_image.image_server import ImageServer, error
from tests.models.text_to_image.requests import settings_of
from tests.projects import Project
from tests.tiny_checkpoints import tiny_diffusion, tiny_flux, tiny_sdxl
from whatif.benchmarks.mucr.drawing import NO_DESCRIPTION, NOT_DRAWN, read_styles
from whatif.benchmarks.mucr.schemas import STYLES
from whatif.engine.errors import WhatifError
from whatif.engine.graph.freshness import Condition, state_of
from whatif.models.text_to_image import load

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return drawing_project(tmp_path / "project")


def generators(project: Project, **entries: dict[str, Any]) -> Project:
    project.generate["generators"] = entries
    return project


def diffusers_entry(folder: Path, **changes: Any) -> dict[str, Any]:
    size = {"width": 32, "height": 32}
    return {"adapter": "diffusers", "checkpoint": str(folder), "steps": 2, "licence": "MIT", **size, **changes}


def images_of(project: Project) -> dict[str, Any]:
    return {row["image_id"]: row for row in project.rows("generate", "drawn-images")}


def test_scenes_are_drawn_from_their_provenance(project: Project) -> None:
    given(generators(project, scenes={"adapter": "scenes", "side": 64}), *scene_pairs())
    project.make_jobs(draw_jobs(project))
    rows, images = drawn(project), images_of(project)
    assert len(rows) == 4 * 2 * 2 * 2 == len({row["candidate_id"] for row in rows}) and undrawn(project) == []
    assert Counter((row["style"], row["side"], row["place"]) for row in rows) == {
        (style, side, place): 4 for style in ("photograph", "comic") for side in ("cause", "effect") for place in (0, 1)
    }
    first = rows[0]
    assert first["candidate_id"] == f"{first['pair_id']}-comic-cause-scenes-00" and first["seed"] is None
    image = images[first["image_id"]]
    assert (image["width"], image["height"], image["licence"]) == (64, 64, "CC0-1.0")
    assert image["source"] == f"drawn:{first['pair_id']}-cause"
    assert {row["image_id"] for row in rows} == set(images)


def test_pairs_from_a_file_have_no_drawn_scene(project: Project) -> None:
    given(generators(project, scenes={"adapter": "scenes", "side": 64}), *caption_pairs(1))
    with pytest.raises(
        WhatifError, match=r"none of 8 images is left: no drawn scene \(8\).*replace or remove this generator"
    ):
        project.run_jobs(draw_jobs(project))
    pairs, descriptions = scene_pairs()
    others, more = caption_pairs(1)
    given(project, sorted([*pairs, *others], key=lambda row: str(row["pair_id"])), [*descriptions, *more])
    project.make_jobs(draw_jobs(project))
    assert len(drawn(project)) == 32 and {row["reason"] for row in undrawn(project)} == {"no drawn scene"}


@pytest.mark.parametrize("maker", [tiny_sdxl, tiny_flux])
def test_a_checkpoint_draws_each_candidate_with_its_own_seed(
    project: Project, tmp_path: Path, maker: Callable[[Path], Path]
) -> None:
    folder = maker(tmp_path / "checkpoint")
    given(generators(project, tiny=diffusers_entry(folder)), *caption_pairs(1))
    project.make_jobs(draw_jobs(project))
    rows, images = drawn(project), images_of(project)
    assert len(rows) == 8 and len(images) == 8 and {row["licence"] for row in images.values()} == {"MIT"}
    seeds = {(row["style"], row["place"]): row["seed"] for row in rows}
    assert len(set(seeds.values())) == 4, "cause and effect share theirs"
    row = next(row for row in rows if row["style"] == "comic" and row["side"] == "effect")
    assert row["prompt"] == read_styles()["comic"].format(description="the cup 0 is broken")
    assert set(json.loads(row["provenance"])) == {"origin", "adapter", "files"}


def test_images_do_not_depend_on_parts_or_on_the_number_of_candidates(project: Project, tmp_path: Path) -> None:
    folder = tiny_sdxl(tmp_path / "checkpoint")
    given(generators(project, tiny=diffusers_entry(folder, batch_size=2)), *caption_pairs(3))
    project.make_jobs(draw_jobs(project))
    whole = {row["candidate_id"]: row for row in drawn(project)}
    (project.folder / ".whatif/responses-images.sqlite").unlink()
    project.generate.update(parts=2, candidates=1)
    given(project, *caption_pairs(3))
    project.run_jobs(draw_jobs(project))
    parts = {row["candidate_id"]: row for row in drawn(project)}
    assert len(parts) == 12 and parts == {name: row for name, row in whole.items() if row["place"] == 0}


def test_cause_and_effect_of_prompt_to_prompt_are_drawn_together(project: Project, tmp_path: Path) -> None:
    folder = tiny_diffusion(tmp_path / "checkpoint", tokens=192)
    spans = {"p": {"low": 1.0, "high": 1.0}, "guidance": {"low": 2.0, "high": 2.0}}
    entry = {"adapter": "prompt-to-prompt", "checkpoint": str(folder), "steps": 2, "batch_size": 2, **spans}
    given(generators(project, kept=entry), *caption_pairs(2))
    project.make_jobs(draw_jobs(project))
    rows = drawn(project)
    assert len(rows) == 16 and Counter(row["side"] for row in rows) == {"cause": 8, "effect": 8}
    assert len({row["image_id"] for row in rows}) == 16


def test_images_of_the_released_form_are_not_drawn_again(project: Project) -> None:
    pairs, descriptions = scene_pairs()
    released = f"{pairs[1]['pair_id']}/comic"
    given(generators(project, scenes={"adapter": "scenes", "side": 64}), pairs, descriptions, (released,))
    project.make_jobs(draw_jobs(project))
    assert {(row["pair_id"], row["style"]) for row in drawn(project)} == {
        (pair["pair_id"], style) for pair in pairs for style in ("photograph", "comic")
    } - {tuple(released.split("/"))}


def test_when_everything_is_released_nothing_is_loaded(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    generators(project, tiny=diffusers_entry(folder))
    given(project, *caption_pairs(1), ("cup-0/photograph", "cup-0/comic"))
    project.make_jobs(draw_jobs(project))
    assert drawn(project) == undrawn(project) == []


def test_a_pair_without_a_description_is_rejected(project: Project) -> None:
    pairs, descriptions = scene_pairs()
    lacking, empty = pairs[0]["pair_id"], pairs[1]["pair_id"]
    descriptions = [description(empty, "something", "") if row["pair_id"] == empty else row for row in descriptions[1:]]
    given(generators(project, scenes={"adapter": "scenes", "side": 64}), pairs, descriptions)
    project.make_jobs(draw_jobs(project))
    rejected = undrawn(project)
    assert len(drawn(project)) == 16 and len(rejected) == 16
    assert {row["reason"] for row in rejected} == {NO_DESCRIPTION}
    assert {row["item_id"].split("-comic")[0].split("-photograph")[0] for row in rejected} == {lacking, empty}


def test_refused_and_lost_images_are_rejected_and_lost_ones_are_drawn_later(project: Project, tmp_path: Path) -> None:
    painter = load(settings_of(tiny_sdxl(tmp_path / "checkpoint"), width=32, height=32), 0)
    busy = [True]

    def plan(prompt: str, tries: int) -> Any:
        if "cup 1 falls" in prompt:
            return error(400, "against our rules", "content_policy_violation")
        return error(503, "busy") if busy[0] and "cup 0 is broken" in prompt else None

    with ImageServer(painter, plan) as server:
        entry = {"adapter": "images-api", "model": "painter", "base_url": server.base_url, "retries": 0}
        given(generators(project, api=entry), *caption_pairs(2))
        project.make_jobs(draw_jobs(project))
        reasons = {row["item_id"]: row for row in undrawn(project)}
        assert len(drawn(project)) == 8 and len(reasons) == 8
        refused = reasons["cup-1-comic-cause-api-00"]
        assert (refused["reason"], refused["detail"]) == ("refused", "status 400: against our rules")
        lost = reasons["cup-0-comic-effect-api-01"]
        assert lost["reason"] == NOT_DRAWN and lost["detail"].startswith("status 503: busy")
        (job,) = draw_jobs(project)
        assert state_of(job, {}, ready=True).condition is not Condition.FRESH
        busy[0], before = False, len(server.log)
        project.run_jobs([job])
        assert len(server.log) - before == 4, "only what was lost is asked again"
    assert len(drawn(project)) == 12 and {row["reason"] for row in undrawn(project)} == {"refused"}


def test_a_job_reads_only_the_settings_of_its_own_generator(project: Project, tmp_path: Path) -> None:
    folder = tiny_sdxl(tmp_path / "checkpoint")
    generators(project, scenes={"adapter": "scenes", "side": 64}, tiny=diffusers_entry(folder))
    given(project, *scene_pairs())
    scenes, tiny = draw_jobs(project)
    assert list(scenes.reading.settings.generators) == ["scenes"] and not scenes.source_paths
    assert list(tiny.reading.settings.generators) == ["tiny"] and list(tiny.source_paths) == [str(folder)]
    roots = "whatif.models.text_to_image.diffusers_generator:diffusers_generator"
    assert roots in tiny.code_roots and roots not in scenes.code_roots
    assert not any("tiny" in name for name in scenes.plain_parameters)


def test_no_generator_is_called_like_the_images_of_the_released_form(project: Project) -> None:
    with pytest.raises(WhatifError, match="`released` means images of the released form; rename this generator"):
        generators(project, released={"adapter": "scenes", "side": 64}).jobs()


def test_every_style_has_a_prompt() -> None:
    styles = read_styles()
    assert set(styles) == set(STYLES) and all(text.count("{description}") == 1 for text in styles.values())


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"adapter": "painter"}, "generators.tiny.adapter: is 'painter'; it must be one of"),
        ({"adapter": "diffusers", "checkpoint": "x"}, "generators.tiny.steps: is missing"),
        ({"adapter": "scenes", "side": 8}, "generators.tiny.side: is 8"),
        ({"adapter": "images-api", "model": "m", "base_url": "http://hunter2@h"}, r"base_url: is '\(not shown\)'"),
        ({"adapter": "images-api", "key_variable": "sk-hunter2"}, r"key_variable: is '\(not shown\)'"),
    ],
)
def test_settings_of_a_generator_are_checked(project: Project, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(WhatifError, match=message) as error:
        generators(project, tiny=entry).jobs()
    assert "hunter2" not in str(error.value)
