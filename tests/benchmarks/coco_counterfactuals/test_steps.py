"""COCO-Counterfactuals step by step: the embedded captions, tiny random models, and nothing is lost on the way."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors.numpy import load_file

from tests.benchmarks.coco_counterfactuals.small_project import NAME, small
from tests.projects import Project
from tests.published import numbers
from tests.shown_items import shown_items, shown_views
from whatif.benchmarks.coco_counterfactuals.settings import CocoCounterfactualsSettings
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.errors import WhatifError
from whatif.engine.graph.reading import places
from whatif.engine.params.base import STAGES
from whatif.people.picture_tasks import picture_tasks
from whatif.results.reporting.rendering import WIDTH

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_groups")]

pytest.importorskip("diffusers")
pytest.importorskip("sentence_transformers")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, checkpoints: Path) -> Iterator[Project]:
    project = small(Project(tmp_path_factory.mktemp("made") / "project"), checkpoints)
    project.make(*STAGES)
    yield project


def test_captions_have_their_nouns_and_their_pictures(made: Project) -> None:
    captions = made.rows("extract", "captions")
    images = ImageStore(made.paths("extract", "images"))
    assert len(captions) == 5
    for row in captions:
        assert row["tagger"] == "pattern"
        assert [row["caption"][noun["start"] : noun["end"]] for noun in row["nouns"]] == [
            noun["noun"] for noun in row["nouns"]
        ]
        assert images.get(row["image_id"]).size == (64, 64)


def test_candidates_are_kept_with_their_scores_and_the_choice_adds_up(made: Project) -> None:
    captions = {row["caption_id"]: row for row in made.rows("extract", "captions")}
    candidates = made.rows("generate", "measured", "measure")
    assert len(candidates) == 6 * sum(len(row["nouns"]) for row in captions.values())
    for row in candidates:
        assert row["caption_0"] == captions[row["caption_id"]]["caption"]
        assert (row["similarity"] is not None) == (row["status"] == "ok")
    counts = {r["outcome"]: r["number"] for r in made.rows("generate", "counts", "choose") if r["what"] != "wordnet"}
    pairs = made.rows("generate", "caption-pairs", "choose")
    assert sum(counts.values()) == len(candidates)
    assert counts["chosen"] == len(pairs) > 0
    for pair in pairs:
        told = json.loads(pair["provenance"])
        assert 0.5 < told["similarity"] < 0.75
        of_caption = [
            row
            for row in candidates
            if row["caption_id"] == pair["pair_id"] and row["status"] == "ok" and 0.5 < row["similarity"] < 0.75
        ]
        assert told["perplexity"] == min(row["perplexity"] for row in of_caption)


def test_a_threshold_of_the_choice_asks_no_model_again(made: Project) -> None:
    steps = {step.name: step for step in made.graph.steps_of("generate", NAME)}
    for name in ("candidates", "measure", "draw"):
        read = places(steps[name].reads, NAME, CocoCounterfactualsSettings)
        assert read and not any(".choose" in place for place in read)


def test_the_number_of_pairs_without_sharing_draws_nothing_else_again(made: Project) -> None:
    """Only the step that draws these pairs, and the report, depend on it."""
    setting = f"filter.{NAME}.without_prompt_to_prompt"
    steps = [step for stage in STAGES for step in made.graph.steps_of(stage, NAME) if step.reads]
    reading = [step for step in steps if f"{setting}.".startswith(tuple(f"{path}." for path in read_by(step)))]
    assert [(step.stage, step.name) for step in reading] == [("filter", "unshared")]


def read_by(step: Any) -> list[str]:
    return places(step.reads, NAME, CocoCounterfactualsSettings)


def test_captions_in_the_manner_of_the_release(tmp_path: Path, checkpoints: Path) -> None:
    project = small(Project(tmp_path / "project"), checkpoints)
    project.generate["captions"]["manner"] = "released"
    project.generate["captions"]["choose"]["similarity"] = {"low": 0.0, "high": 1.0}
    text = " There is a small red star , in front of a white  background . "
    (tmp_path / "captions.jsonl").write_text(json.dumps({"id": "a", "caption": text}), encoding="utf-8")
    project.section("extract")["captions"] = str(tmp_path / "captions.jsonl")
    jobs = [job for job in project.jobs("extract", "generate") if job.step.name != "draw"]
    project.make_jobs(jobs)
    rows = project.rows("generate", "measured", "measure")
    assert rows and {row["caption_0"].strip() for row in rows} == {text.strip()}
    decoded = "There is a small red star, in front of a white background."
    usable = [row for row in rows if row["status"] == "ok"]
    assert {row["caption_1"].replace(row["subject_1"], row["subject_0"]) for row in usable} == {decoded}
    (pair,) = project.rows("generate", "caption-pairs", "choose")
    assert pair["caption_1"] in {row["caption_1"] for row in usable}


def test_every_candidate_is_measured_and_the_best_are_kept(made: Project) -> None:
    drawn = made.rows("generate", "pairs", "draw")
    kept = made.rows("filter", "pairs")
    assert len(drawn) == 3 * len(kept)
    images = ImageStore(made.paths("filter", "images"))
    licences = {row["licence"] for row in made.rows("filter", "images")}
    assert licences == {"unknown"}, "what a checkpoint draws has the licence that its settings give it"
    for pair in kept:
        rivals = [row for row in drawn if row["pair_id"] == pair["pair_id"]]
        assert pair["directional"] == max(row["directional"] for row in rivals)
        for side in (0, 1):
            images.get(pair[f"image_id_{side}"])
    rejected = Counter(row["reason"] for row in made.rows("filter", "rejections"))
    assert rejected == {"another candidate was better": 2 * len(kept)}


def test_some_pairs_are_also_drawn_without_sharing(made: Project) -> None:
    kept = {row["pair_id"]: row for row in made.rows("filter", "pairs")}
    alone = made.rows("filter", "unshared-pairs", "unshared")
    images = ImageStore(made.paths("filter", "unshared-images", "unshared"))
    assert len(alone) == 2
    for row in alone:
        pair = kept[row["pair_id"]]
        same = ("candidate", "caption_0", "caption_1", "guidance", "seed")
        assert {name: row[name] for name in same} == {name: pair[name] for name in same}
        assert row["p"] == 0 < pair["p"]
        for side in (0, 1):
            assert images.get(row[f"image_id_{side}"]).size == images.get(row["image_id_0"]).size
    folder = made.folder / "metrics" / NAME
    shown = numbers(folder / "figure2.csv", of="both images")
    means = dict(zip(shown["measure"], shown["value"], strict=True))
    expected = [sum(row["image_image"] for row in rows) / 2 for rows in ([kept[r["pair_id"]] for r in alone], alone)]
    assert [means["with"], means["without"]] == pytest.approx(expected, abs=1e-6)
    twice = {row["item_id"]: row for row in shown_items(made) if "figure-2" in row["views"]}
    assert set(twice) == {row["pair_id"] for row in alone}
    for row in alone:
        ids = [one["image_id"] for one in twice[row["pair_id"]]["pictures"]]
        assert {row["image_id_0"], row["image_id_1"]} <= set(ids) and len(ids) == 5, "and the photograph"
        assert any("with Prompt-to-Prompt (p " in note for note in twice[row["pair_id"]]["notes"])
    assert (
        len(made.rows("filter", "pairs"))
        == numbers(folder / "funnel.csv", unit="pairs", stage="filter")["value"].iloc[1]
    ), "the funnel does not count them"


def test_errors_are_in_views_of_their_categories(made: Project) -> None:
    errors = made.rows("verify", "errors")
    views, items = shown_views(made), shown_items(made)
    by_heading = {view["heading"]: view for view in views.values()}
    for category, number in Counter(row["reason"] for row in errors).items():
        view = by_heading[category or "Errors without a category"]
        assert view["text"].count(f"{min(2, number)} of the {number} errors ") == 1
        assert 1 <= sum(view["view"] in row["views"] for row in items) <= 2
    noted = [note for row in items for note in row["notes"] if " image is an error. " in note]
    assert len(noted) == len(errors)


def test_every_pair_is_an_item_with_the_choices_of_all_matchers(made: Project) -> None:
    pairs, items = made.rows("filter", "pairs"), shown_items(made)
    assert [row["item_id"] for row in items] == [row["pair_id"] for row in pairs]
    scores = {(row["pair_id"], row["model"]): row for row in made.rows("evaluate", "matches", "match")}
    ranks = {
        (row["direction"], row["query_id"]): row["rank"]
        for row in made.rows("evaluate", "ranks", "retrieve")
        if row["subset"] == "counterfactuals"
    }
    for pair, item in zip(pairs, items, strict=True):
        assert [one["image_id"] for one in item["pictures"][:2]] == [pair["image_id_0"], pair["image_id_1"]]
        assert item["notes"][0].startswith("Drawn by ") and f"seed {pair['seed']}." in item["notes"][0]
        assert any(note.startswith("Labels of the original image: automatic:") for note in item["notes"])
        image, caption, *_ = item["questions"]
        for one, key in zip(image["answers"], ("clip", "vilt"), strict=True):
            row = scores[pair["pair_id"], key]
            assert one["correct"] == (row["caption_0_image_0"] > row["caption_0_image_1"])
        assert [one["system"] for one in caption["answers"]] == ["CLIP <tiny>", "vilt"]
        rank = ranks["text-retrieval", f"{pair['pair_id']}-0"]
        assert f"rank {rank} of {2 * len(pairs)} in retrieval" in caption["answers"][0]["why"]
        assert "in retrieval" not in caption["answers"][1]["why"], "a cross-encoder searches nothing"


def test_models_search_and_match(made: Project) -> None:
    pairs = len(made.rows("filter", "pairs"))
    judged = made.rows("verify", "judgements")
    assert {row["item_id"] for row in judged} == {
        f"{row['pair_id']}-{side}" for row in made.rows("filter", "pairs") for side in (0, 1)
    }
    ranks = Counter((row["subset"], row["direction"]) for row in made.rows("evaluate", "ranks", "retrieve"))
    assert ranks["counterfactuals", "text-retrieval"] == ranks["counterfactuals", "image-retrieval"] == 2 * pairs
    assert ranks["originals", "image-retrieval"] == pairs
    for role in ("matches", "random-matches"):
        rows = made.rows("evaluate", role, "match")
        assert Counter(row["model"] for row in rows) == {"clip": pairs, "vilt": pairs}
        assert {row["status"] for row in rows} == {"ok"}


def test_margins_of_a_dual_encoder_are_also_in_its_logits(made: Project, checkpoints: Path) -> None:
    """By the scale of its checkpoint, whatever its name is."""
    scales = {row["model"]: row["logit_scale"] for row in made.rows("evaluate", "logit-scales", "match")}
    trained_to = float(load_file(checkpoints / "clip" / "model.safetensors")["logit_scale"])
    assert scales == {"clip": pytest.approx(math.exp(trained_to)), "vilt": None}
    shown = numbers(made.folder / "metrics" / NAME / "figure3.csv", margin="IR_c")
    medians = {(row["model"], row["measure"]): row["value"] for row in shown.to_dict("records")}
    assert medians["clip", "median in logits"] == pytest.approx(scales["clip"] * medians["clip", "median"], abs=1e-4)
    assert ("vilt", "median in logits") not in medians


def test_tables_have_the_reported_numbers(made: Project) -> None:
    folder = made.folder / "metrics" / NAME
    report = (folder / "report.md").read_text(encoding="utf-8")
    for reported in ("79.10", "0.74", "21.72", "-51", "37.65", "-21", "27", "126", "44.3"):
        assert f" {reported} |" in report
    assert "labelled automatically" in " ".join(report.split())
    assert max(map(len, report.splitlines())) <= WIDTH
    metrics = made.metrics
    retrieved = {f"{of}_{what}_retrieval" for of in ("original", "counterfactual") for what in ("text", "image")}
    margins = {"wrong_IR_c", "wrong_TR_c"}
    assert {key: set(of) for key, of in metrics.items()} == {
        "clip": retrieved | margins,
        "vilt": margins,
        "image_labels": {"original_correct", "counterfactual_correct", "all_correct"},
    }
    ranks = [row for row in made.rows("evaluate", "ranks", "retrieve") if row["subset"] == "counterfactuals"]
    first = [row["rank"] == 1 for row in ranks if row["direction"] == "text-retrieval"]
    assert metrics["clip"]["counterfactual_text_retrieval"] == pytest.approx(100 * sum(first) / len(first), abs=1e-4)
    # Table 13 has the model by which the images were chosen.
    searched = {table: set(numbers(folder / f"{table}.csv", source="ours")["model"]) for table in ("table2", "table13")}
    assert searched == {"table2": set(), "table13": {"clip"}}
    assert (folder / "figure3.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.soak
@pytest.mark.parametrize("shards", [1, 8])
def test_shards_change_nothing(tmp_path: Path, checkpoints: Path, made: Project, shards: int) -> None:
    """`made` has two."""
    other = small(Project(tmp_path / "other"), checkpoints)
    other.generate["shards"] = shards
    other.make("extract", "generate", "filter")
    for stage, step, role in (
        ("generate", "measure", "measured"),
        ("generate", "draw", "pairs"),
        ("filter", "", "pairs"),
        ("filter", "unshared", "unshared-pairs"),
    ):
        assert other.rows(stage, role, step) == made.rows(stage, role, step)


def test_a_second_run_draws_nothing_that_is_stored(
    tmp_path: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHATIF_RESPONSES", str(tmp_path / "store.sqlite"))
    first, second = (small(Project(tmp_path / name), checkpoints) for name in ("first", "second"))
    first.make("extract", "generate")
    second.make("extract")

    def refuse(*arguments: Any) -> None:
        raise AssertionError("a stored candidate was drawn again")

    monkeypatch.setattr("whatif.models.prompt_to_prompt.image_maker.PictureMaker.draw", refuse)
    second.make("generate")
    assert second.rows("generate", "pairs", "draw") == first.rows("generate", "pairs", "draw")


def test_a_file_without_labels_is_an_error(tmp_path: Path, checkpoints: Path, made: Project) -> None:
    file = tmp_path / "labels.csv"
    tasks = picture_tasks(made.rows("filter", "pairs"), seed=made.values["seed"], labelled_three_times=0)
    rows = [f"{task.task_id},7,\n" for task in tasks]
    file.write_text("task_id,annotator,label\n" + "".join(rows), encoding="utf-8")
    project = small(Project(made.folder), checkpoints)
    project.values["verify"][NAME]["labels"] = str(file)
    before = made.rows("verify", "judgements")
    with pytest.raises(WhatifError, match="verify coco-counterfactuals: there are no labels; label the tasks"):
        project.make("verify")
    assert made.rows("verify", "judgements") == before
