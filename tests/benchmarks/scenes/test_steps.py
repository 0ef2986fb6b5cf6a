"""The embedded world step by step with tiny random models: nothing is lost, and the items show what was answered."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.projects import Project
from tests.published import numbers
from tests.shown_items import shown_items
from tests.tiny_checkpoints import tiny_clip, tiny_diffusion, tiny_llava, tiny_vilt
from whatif import benchmarks
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.errors import WhatifError
from whatif.engine.params.base import STAGES
from whatif.results.reporting.rendering import WIDTH
from whatif.world.scene_pairs import picture_defects

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")

NAME = "scenes"


def funnel(project: Project, stage: str) -> dict[str, int]:
    """The counts of a stage of one unit: what came in, went out and was rejected, and each reason."""
    rows = numbers(project.folder / "metrics/scenes/funnel.csv", stage=stage)
    names = rows["reason"].where(rows["reason"] != "", rows["measure"])
    return {str(name): int(value) for name, value in zip(names, rows["value"], strict=True)}


def small(project: Project, checkpoints: Path) -> Project:
    """A project with few scenes and pairs, and models with random weights."""
    project.select(NAME)
    project.values["extract"][NAME] = {"number": 5, "side": 64}
    diffusion = {"checkpoint": str(checkpoints / "diffusion"), "licence": "CC-BY-4.0", "steps": 2, "batch_size": 2}
    project.generate.update(pairs=5, candidates=3, shards=2, diffusion=diffusion)
    clip = {"checkpoint": str(checkpoints / "clip"), "batch_size": 4}
    # The images of random weights resemble nothing.
    least = dict.fromkeys(("caption_image", "image_image", "directional"), -1.0)
    project.values["filter"][NAME] = {**least, "movement": None, "clip": clip}
    project.section("aggregate").update(shown_scenes=2, shown_pairs=2)
    project.values["models"] = {
        "random": {"adapter": "random", "name": "Random"},
        "first-option": {"adapter": "first-option"},
        "majority": {"adapter": "majority"},
        "llava": {"adapter": "hf-chat", "checkpoint": str(checkpoints / "llava"), "max_new_tokens": 2},
        "clip": {"adapter": "dual-encoder", "name": "CLIP <tiny>", **clip},
        "vilt": {"adapter": "cross-encoder", "checkpoint": str(checkpoints / "vilt")},
    }
    return project


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, make in {"clip": tiny_clip, "vilt": tiny_vilt, "diffusion": tiny_diffusion, "llava": tiny_llava}.items():
        make(folder / name)
    return folder


@pytest.fixture
def project(project: Project, checkpoints: Path) -> Project:
    return small(project, checkpoints)


@pytest.fixture
def lenient(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose verification finds what was asked for in every image."""
    monkeypatch.setattr("whatif.world.scene_pairs.picture_defects", lambda picture, **asked: [])
    return project


def test_extract_gives_every_question_of_every_scene(project: Project) -> None:
    project.make("extract")
    questions = project.rows("extract", "questions")
    images = ImageStore(project.paths("extract", "images"))
    assert len(images) == 5
    assert {(row["group"], row["answer_kind"]) for row in questions} == {
        ("number", "number"),
        ("yes/no", "boolean"),
        ("other", "text"),
    }
    assert 5 * 6 <= len(questions) <= 5 * 12
    for row in questions:
        assert row["choices"] is None and row["variant"] == "original"
        assert images.get(row["image_ids"][0]).size == (64, 64)
    assert project.rows("extract", "rejections") == []


def test_pairs_are_the_same_for_any_number_of_parts(tmp_path: Path, checkpoints: Path) -> None:
    found = []
    for shards in (1, 2, 8):
        project = small(Project(tmp_path / str(shards)), checkpoints)
        project.generate["shards"] = shards
        project.make("generate")
        found.append(project.rows("generate", "pairs"))
    assert found[0] == found[1] == found[2]
    assert {row["licence"] for row in project.rows("generate", "images")} == {"CC-BY-4.0"}
    pairs = found[0]
    assert [(row["pair_id"], row["candidate"]) for row in pairs] == [
        (f"scene-pair-{pair:06d}", candidate) for pair in range(1, 6) for candidate in range(3)
    ]
    settings = {(row["p"], row["guidance"], row["seed"]) for row in pairs}
    assert len(settings) == 15
    for row in pairs:
        assert 0.1 <= row["p"] <= 0.9
        words = [row[f"caption_{side}"].replace(row[f"subject_{side}"], "?") for side in (0, 1)]
        assert words[0].replace(" an ", " a ").lower().replace("an ?", "a ?") == words[1].replace(
            " an ", " a "
        ).lower().replace("an ?", "a ?")
        assert row["subject_0"] != row["subject_1"]
        assert row["directional"] is None


def test_the_filter_keeps_the_best_and_counts_the_others(project: Project) -> None:
    project.make("extract", "generate", "filter")
    best = {row["pair_id"]: row for row in project.rows("filter", "pairs")}
    rejections = project.rows("filter", "rejections")
    assert len(best) == 5
    assert Counter(row["reason"] for row in rejections) == {"another candidate was better": 10}
    for row in best.values():
        assert all(
            -1 <= row[name] <= 1 for name in ("caption_image_0", "caption_image_1", "image_image", "directional")
        )


def test_no_candidate_is_kept_that_is_unlike_its_caption(project: Project) -> None:
    project.make("generate")
    project.values["filter"][NAME].update(caption_image=1.0)
    told = (
        r"none of 5 pairs is left: no candidate is left \(picture unlike its caption\) \(5\); .*; lower filter\.scenes"
    )
    with pytest.raises(WhatifError, match=told):
        project.make("filter")
    assert not project.paths("filter", "pairs")[0].exists()


def test_verification_rejects_pictures_of_nothing_with_the_reason(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.make("extract", "generate", "filter")
    with pytest.raises(WhatifError, match=r"none of 5 pairs is left: wrong .* was asked for.*; lower verify\.scenes"):
        project.make("verify")
    seen: list[Any] = []

    def all_but_the_first(picture: Any, **asked: Any) -> list[tuple[str, str]]:
        seen.append(picture)
        return [] if len(seen) <= 2 else picture_defects(picture, **asked)

    monkeypatch.setattr("whatif.world.scene_pairs.picture_defects", all_but_the_first)
    (line,) = [line for line in project.make("verify") if line.startswith("warning: ")]
    assert line.startswith("warning: verify scenes: only 1 of 5 pairs is left; most frequent reason: wrong ")
    rejections = project.rows("verify", "rejections")
    judgements = project.rows("verify", "judgements")
    questions = project.rows("verify", "questions")
    assert {row["reason"] for row in rejections} <= {"wrong object", "wrong colour", "wrong background"}
    assert len(rejections) == 4 and all("was asked for" in row["detail"] for row in rejections)
    assert questions == project.rows("extract", "questions")
    checks = Counter((row["annotator"], row["decision"]) for row in judgements)
    assert checks["automatic:recogniser", "reject"] + checks["automatic:recogniser", "accept"] == 10
    assert checks["automatic:answer", "accept"] == len(questions)


def test_answerers_are_asked_questions_and_matchers_pairs(lenient: Project) -> None:
    lenient.make(*STAGES)
    questions, pairs = lenient.rows("verify", "questions"), lenient.rows("verify", "pairs")
    predictions = lenient.rows("evaluate", "predictions")
    matches = lenient.rows("evaluate", "matches")
    assert Counter(row["model"] for row in predictions) == dict.fromkeys(
        ("llava", "majority", "random"), len(questions)
    )
    assert Counter(row["model"] for row in matches) == dict.fromkeys(("clip", "vilt"), 5)
    assert {row["status"] for row in matches} == {"ok"} and len(pairs) == 5
    metrics = lenient.metrics
    for key in ("llava", "majority", "random"):
        assert set(metrics[key]) == {"number", "yes/no", "other", "accuracy", "questions"}
        right = sum(row["correct"] for row in predictions if row["model"] == key)
        assert metrics[key]["accuracy"] == pytest.approx(100 * right / len(questions), abs=1e-4)
        assert metrics[key]["questions"] == len(questions)
    assert metrics["majority"]["accuracy"] > 20
    # The filter asked the same CLIP: its scores of each caption and its picture are those of the matcher.
    for row in matches:
        if row["model"] == "clip":
            pair = next(pair for pair in pairs if pair["pair_id"] == row["pair_id"])
            assert row["caption_0_image_0"] == pytest.approx(pair["caption_image_0"], abs=1e-6)
            assert row["caption_1_image_1"] == pytest.approx(pair["caption_image_1"], abs=1e-6)
    for key in ("clip", "vilt"):
        scores = [row["caption_1_image_1"] > row["caption_1_image_0"] for row in matches if row["model"] == key]
        assert metrics[key]["image_retrieval_counterfactual"] == pytest.approx(100 * sum(scores) / 5)
        assert metrics[key]["pairs"] == 5
    check_shown(lenient, predictions, matches)
    assert funnel(lenient, "filter") == {"in": 15, "out": 5, "rejected": 10, "another candidate was better": 10}
    assert funnel(lenient, "evaluate vilt") == {"in": 5, "out": 5, "rejected": 0}
    report = lenient.published("report.md")
    assert max(map(len, report.splitlines())) <= WIDTH


def check_shown(project: Project, predictions: list[dict[str, Any]], matches: list[dict[str, Any]]) -> None:
    """Each question and each pair is an item with the answers of all models, and some are in the views."""
    items = {row["item_id"]: row for row in shown_items(project)}
    questions, pairs = project.rows("verify", "questions"), project.rows("verify", "pairs")
    assert list(items) == [row["pair_id"] for row in questions] + [row["pair_id"] for row in pairs]
    given = {(row["question_id"], row["model"]): row for row in predictions}
    for row in questions:
        item = items[row["pair_id"]]
        (asked,) = item["questions"]
        assert (item["group"], asked["text"], asked["right"]) == (row["group"], row["question"], row["answer"])
        expected = [given[row["question_id"], key] for key in ("llava", "majority", "random")]
        assert [one["correct"] for one in asked["answers"]] == [one["correct"] for one in expected]
        assert [one["response"] for one in asked["answers"]] == [one["response"] for one in expected]
    assert {items[row["pair_id"]]["group"] for row in pairs} == {"pairs of images"}
    assert all(len(one["answers"]) == 2 for row in pairs for one in items[row["pair_id"]]["questions"])
    assert items[pairs[0]["pair_id"]]["notes"][0].startswith("Drawn by ")
    scenes = {row["image_ids"][0] for row in questions if "scenes" in items[row["pair_id"]]["views"]}
    of_scenes = [row for row in questions if row["image_ids"][0] in scenes]
    assert len(scenes) == 2 and all("scenes" in items[row["pair_id"]]["views"] for row in of_scenes)
    assert sum("pairs" in items[row["pair_id"]]["views"] for row in pairs) == 2
    assert len(matches) == 2 * len(pairs)


def test_who_is_asked_a_pilot_sample_and_who_is_evaluated_elsewhere(lenient: Project) -> None:
    values = lenient.values["models"]
    del values["llava"], values["vilt"]
    (lenient.folder / "theirs.csv").write_text("question_id,response\nmmbench-1,A\n", encoding="utf-8")
    values["theirs"] = {"adapter": "replay", "predictions": "theirs.csv"}
    values["random"]["limit"] = 1
    values["clip"]["benchmarks"] = ["coco-counterfactuals"]
    lenient.make(*STAGES)
    predictions = lenient.rows("evaluate", "predictions")
    questions = len(lenient.rows("verify", "questions"))
    assert Counter(row["model"] for row in predictions) == {"majority": questions, "random": 1}
    metrics = lenient.metrics
    assert set(metrics) == {"majority", "random"} and metrics["random"]["questions"] == 1
    asked = numbers(lenient.folder / "metrics/scenes/accuracy.csv", model="random", measure="asked")
    assert set(asked["name"]) == {"Random (pilot sample of 1 question)"}
    assert list(asked["value"]) == [1, 1] and asked["n"].iloc[1] == questions, "of one group, and of all"
    answers = [one["answers"] for row in shown_items(lenient) for one in row["questions"]]
    systems = Counter(one["system"] for some in answers for one in some)
    assert systems == {"majority": questions, "Random (pilot sample of 1 question)": 1}
    counts = {"in": questions, "out": 1, "rejected": questions - 1}
    assert funnel(lenient, "evaluate random") == {**counts, "not in the pilot sample": questions - 1}
    counts = {"in": questions, "out": 0, "rejected": questions}
    assert funnel(lenient, "evaluate theirs") == {**counts, "no response in its file": questions}


def test_matchers_alone_or_none_at_all(lenient: Project) -> None:
    del lenient.values["models"]["clip"], lenient.values["models"]["vilt"], lenient.values["models"]["llava"]
    lenient.make(*STAGES)
    assert set(lenient.metrics) == {"majority", "random"}
    values = lenient.values
    values["models"] = {"majority": {"adapter": "majority"}, "clip": {"adapter": "dual-encoder", "checkpoint": "a/b"}}
    values["benchmarks"] = ["cvqa-synthetic", "cvqa-real"]
    graph = benchmarks.graph(benchmarks.check_params(values))
    assert {job.wildcards["model"] for job in graph.jobs if job.step.stage == "evaluate"} == {"majority"}
