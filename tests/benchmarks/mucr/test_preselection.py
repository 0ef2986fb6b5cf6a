"""Preselection by CLIP: thresholds, order, reasons, and what happens to images that people have chosen already."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.mucr.drawing_project import (
    caption_pairs,
    draw_jobs,
    drawing_project,
    drawn,
    given,
    released_row,
    scene_pairs,
)
from tests.projects import Project
from tests.tiny_checkpoints import tiny_clip
from whatif.benchmarks.mucr import preselection
from whatif.benchmarks.mucr.preselection import Siblings, preselected
from whatif.benchmarks.mucr.settings import FilterMucr
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.params.checkpoints import LocalCheckpoint

pytestmark = pytest.mark.slow

Row = dict[str, Any]


def row(name: str, generator: str = "flux", image: str | None = None) -> Row:
    """A candidate named `c0`, `c1`, ... of the cause, or `e0`, ... of the effect."""
    side = {"c": "cause", "e": "effect"}[name[0]]
    found = released_row("pair", "comic", side, image or name)
    return {**found, "candidate_id": name, "generator": generator}


def siblings(rows: list[Row], fit: dict[str, float], likeness: dict[tuple[str, str], float]) -> Siblings:
    by_id = {one["candidate_id"]: one for one in rows}
    causes, effects = ([name for name in by_id if name[0] == side] for side in "ce")
    pairs = {(cause, effect): likeness.get((cause, effect), 0.5) for cause in causes for effect in effects}
    return Siblings(by_id, {name: fit.get(name, 0.5) for name in by_id}, pairs)


def settings_of(**changes: Any) -> FilterMucr:
    values = {"clip": {"checkpoint": "x"}, "caption_image": 0.2, "likeness": 0.3, "kept": 2}
    return FilterMucr.model_validate(values | changes)


def reasons(found: preselection.Preselected) -> dict[str, str]:
    return {one["item_id"]: one["reason"] for one in found.rejections}


def test_the_best_pairs_are_kept_in_order() -> None:
    given_ = siblings(
        [row("c0"), row("c1"), row("e0"), row("e1")],
        {"c0": 0.6, "c1": 0.4},
        {("c0", "e0"): 0.5, ("c0", "e1"): 0.7, ("c1", "e0"): 0.95, ("c1", "e1"): 0.3},
    )
    found = preselected(given_, settings_of(kept=3))
    pairs = [(one["place"], one["cause_candidate"], one["effect_candidate"]) for one in found.choices]
    assert pairs == [(0, "c1", "e0"), (1, "c0", "e1"), (2, "c0", "e0")] and found.rejections == []
    first = found.choices[0]
    assert (first["caption_cause"], first["caption_effect"], first["likeness"]) == (0.4, 0.5, 0.95)
    assert (first["chosen_by"], first["pair_id"], first["style"]) == ("clip", "pair", "comic")
    only = preselected(given_, settings_of(kept=1))
    assert reasons(only) == dict.fromkeys(("c0", "e1"), preselection.NOT_THE_BEST)


def test_every_candidate_that_is_not_kept_has_one_reason() -> None:
    given_ = siblings(
        [row("c0"), row("c1"), row("c2", "dall-e"), row("c3", image="e0"), row("e0"), row("e1"), row("e2", "sdxl")],
        {"c1": 0.1, "e2": 0.19},
        {("c0", "e1"): 0.1, ("c3", "e0"): 1.0, ("c3", "e1"): 0.2},
    )
    found = preselected(given_, settings_of())
    assert [(one["cause_candidate"], one["effect_candidate"]) for one in found.choices] == [("c0", "e0")]
    assert reasons(found) == {
        "c1": preselection.UNLIKE_DESCRIPTION,
        "c2": preselection.NO_SIBLING,
        "c3": preselection.SAME_IMAGE,
        "e1": preselection.UNLIKE_SIBLING,
        "e2": preselection.UNLIKE_DESCRIPTION,
    }
    details = {one["item_id"]: one["detail"] for one in found.rejections}
    assert details["c1"] == "similarity 0.100 is below 0.2"
    assert details["e1"] == "the highest similarity to an image of the other side is 0.200; the minimum is 0.3"


def test_thresholds_are_included_and_ties_are_decided_by_id() -> None:
    given_ = siblings([row("c0"), row("c1"), row("e0")], {"c0": 0.2, "c1": 0.2}, {("c0", "e0"): 0.3, ("c1", "e0"): 0.3})
    found = preselected(given_, settings_of(kept=1))
    assert [one["cause_candidate"] for one in found.choices] == ["c0"]


def test_images_that_people_chose_are_kept_whatever_clip_says() -> None:
    given_ = siblings([row("c0", "released"), row("e0", "released")], {"c0": -0.5, "e0": -0.5}, {("c0", "e0"): -0.9})
    found = preselected(given_, settings_of())
    assert [(one["chosen_by"], one["likeness"]) for one in found.choices] == [("released", -0.9)]
    assert found.rejections == []


def test_the_pair_that_shows_a_drawn_scene_itself_is_the_choice() -> None:
    drawn = {"provenance": canonical_json({"adapter": "scenes", "origin": "generator"})}
    rows = [{**row(f"{side}{place}"), **drawn, "place": place} for side in "ce" for place in (0, 1)]
    found = preselected(siblings(rows, {"c0": 0.3, "e0": 0.3}, {("c0", "e0"): 0.4}), settings_of())
    chosen = [(one["cause_candidate"], one["effect_candidate"], one["chosen_by"]) for one in found.choices]
    assert chosen == [("c0", "e0", "scenes"), ("c1", "e1", "clip")]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    scenes = {"scenes": {"adapter": "scenes", "side": 64}}
    made = drawing_project(tmp_path / "project", candidates=3, generators=scenes)
    clip = {"checkpoint": str(tiny_clip(tmp_path / "clip")), "batch_size": 16}
    made.section("filter").update(clip=clip, caption_image=-1.0, likeness=-1.0, kept=2)
    return made


def chosen(project: Project) -> list[Row]:
    return project.rows("filter", "preselected")


def rejected(project: Project) -> list[Row]:
    return project.rows("filter", "rejections")


def test_the_step_keeps_pairs_of_each_style_and_counts_the_rest(project: Project) -> None:
    pairs, descriptions = scene_pairs()
    given(project, pairs, descriptions, (f"{pairs[0]['pair_id']}/comic",))
    project.make_jobs(draw_jobs(project))
    project.make("filter")
    by_place = Counter((row["pair_id"], row["style"]) for row in chosen(project))
    assert sorted(by_place.values()) == [1, *[2] * 7]
    used = {row[f"{side}_candidate"] for row in chosen(project) for side in ("cause", "effect")}
    assert len(used) + len(rejected(project)) == len(drawn(project)) + 2
    assert {row["reason"] for row in rejected(project)} == {preselection.NOT_THE_BEST}
    assert all(
        np.isfinite([row["caption_cause"], row["caption_effect"], row["likeness"]]).all() for row in chosen(project)
    )
    assert any("descriptions are longer than CLIP reads" in line for line in project.messages)


def test_a_pair_without_images_in_a_style_is_named(project: Project) -> None:
    pairs, descriptions = scene_pairs()
    given(project, pairs, descriptions)
    project.make_jobs(draw_jobs(project))
    project.section("filter")["likeness"] = 1.0
    with pytest.raises(WhatifError, match=r"none of 8 pairs in a style is left: no pair of images is left \("):
        project.run("filter")
    project.section("filter")["likeness"] = -1.0
    given(project, pairs, [*descriptions, {**descriptions[0], "pair_id": "zzz"}])
    project.make("filter")
    lost = {row["item_id"]: row["reason"] for row in rejected(project) if row["reason"].startswith("no pair")}
    assert lost == dict.fromkeys(("zzz/comic", "zzz/photograph"), "no pair of images is left (nothing was drawn)")


@pytest.mark.parametrize("parts", [1, 2])
def test_images_that_nobody_can_draw_are_no_reason_to_stop_where_others_are_released(
    project: Project, parts: int
) -> None:
    project.generate["parts"] = parts
    pairs, descriptions = caption_pairs(2)
    given(project, pairs, descriptions, tuple(f"{pair['pair_id']}/comic" for pair in pairs))
    project.make_jobs(draw_jobs(project))
    project.make("filter")
    assert {(row["pair_id"], row["style"]) for row in chosen(project)} == {(pair["pair_id"], "comic") for pair in pairs}


def test_each_image_and_description_is_embedded_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from whatif.models.local.encoders import Embedder

    seen: list[int] = []
    whole = Embedder.pictures
    monkeypatch.setattr(Embedder, "pictures", lambda self, images: seen.append(len(images)) or whole(self, images))
    given(project, *scene_pairs())
    project.make_jobs(draw_jobs(project))
    project.make("filter")
    assert sum(seen) == len({row["image_id"] for row in drawn(project)})


def test_long_texts_are_read_to_their_end(tmp_path: Path) -> None:
    from whatif.models.local.encoders import dual_encoder
    from whatif.models.local.long_captions import long_captions

    clip = dual_encoder(LocalCheckpoint(checkpoint=str(tiny_clip(tmp_path / "clip"))))
    short = "how many dots"
    sentences = [f"{'red yellow flowers ' * 6}{place}." for place in range(4)]
    same, long = " ".join(sentences), " ".join([*sentences[:3], "blue circle."])
    found, too_long = long_captions(clip, [short, same, long, "dots " * 200])
    assert too_long == 3 and found.shape == (4, 16)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    assert np.allclose(found[0], clip.captions([short])[0], atol=1e-6)
    assert not np.allclose(found[1], found[2]), "the last sentence counts"
    assert np.allclose(*clip.captions([same, long])), "the model alone does not read it"
    without_spaces = long_captions(clip, ["flowers" * 400 + end for end in ("red", "dots")])
    assert without_spaces[1] == 2 and not np.allclose(*without_spaces[0])
    assert long_captions(clip, [])[1] == 0
