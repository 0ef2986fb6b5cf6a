"""COCO-Counterfactuals step by step: the embedded captions, tiny random models, and nothing is lost on the way."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.projects import Project, Row
from tests.published import numbers
from tests.tiny_checkpoints import tiny_clip, tiny_diffusion, tiny_vilt
from whatif.artifacts.images import ImageStore
from whatif.artifacts.schemas import IMAGES, JUDGEMENTS, MATCHES, PAIRS, RANKS, REJECTIONS
from whatif.benchmarks.coco_counterfactuals.schemas import CAPTION_CANDIDATES, CAPTION_PAIRS, CAPTIONS, COUNTS
from whatif.benchmarks.coco_counterfactuals.settings import CocoCounterfactualsSettings
from whatif.errors import WhatifError
from whatif.graph.reading import places
from whatif.params.base import STAGES
from whatif.prompt_to_prompt.image_maker import PictureMaker
from whatif.reporting.rendering import WIDTH
from whatif.verification.picture_tasks import picture_tasks

pytestmark = pytest.mark.slow

pytest.importorskip("diffusers")
pytest.importorskip("sentence_transformers")

NAME = "coco-counterfactuals"


def small(project: Project, checkpoints: Path) -> Project:
    """A project with a few captions of scenes, the embedded language models, and tiny models of images."""
    project.select(NAME)
    project.section("extract")["scenes"] = 5
    clip = {"checkpoint": str(checkpoints / "clip"), "batch_size": 4}
    diffusion = {"checkpoint": str(checkpoints / "diffusion"), "steps": 2, "batch_size": 2}
    project.generate["shards"] = 2
    project.generate["captions"]["replacements"] = 6
    project.generate["pictures"].update(candidates=3, diffusion=diffusion, clip=clip)
    # The images of random weights resemble nothing.
    thresholds = {"caption_image": -1.0, "image_image": -1.0, "directional": -1.0}
    project.values["filter"][NAME] = {**thresholds, "without_prompt_to_prompt": 2}
    project.section("verify")["labelled_three_times"] = 0.5
    project.section("aggregate").update(resamples=100, shown_pairs=2)
    project.values["models"] = {
        "random": {"adapter": "random"},
        "clip": {"adapter": "dual-encoder", "name": "CLIP <tiny>", **clip},
        "vilt": {"adapter": "cross-encoder", "checkpoint": str(checkpoints / "vilt")},
    }
    return project


@pytest.fixture(scope="module", autouse=True)
def small_groups() -> Iterator[None]:
    """Few captions go through models together, so that five of them can be cut into parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("whatif.benchmarks.coco_counterfactuals.captions._GROUP", 2)
        yield


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    for name, make in {"clip": tiny_clip, "vilt": tiny_vilt, "diffusion": tiny_diffusion}.items():
        make(folder / name)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, checkpoints: Path) -> Iterator[Project]:
    project = small(Project(tmp_path_factory.mktemp("made") / "project"), checkpoints)
    project.make(*STAGES)
    yield project


def test_captions_have_their_nouns_and_their_pictures(made: Project) -> None:
    captions = made.rows("extract", "captions", CAPTIONS)
    images = ImageStore(made.paths("extract", "images"))
    assert len(captions) == 5
    for row in captions:
        assert row["tagger"] == "pattern"
        assert [row["caption"][noun["start"] : noun["end"]] for noun in row["nouns"]] == [
            noun["noun"] for noun in row["nouns"]
        ]
        assert images.get(row["image_id"]).size == (64, 64)


def test_candidates_are_kept_with_their_scores_and_the_choice_adds_up(made: Project) -> None:
    captions = {row["caption_id"]: row for row in made.rows("extract", "captions", CAPTIONS)}
    candidates = made.rows("generate", "measured", CAPTION_CANDIDATES, "measure")
    assert len(candidates) == 6 * sum(len(row["nouns"]) for row in captions.values())
    for row in candidates:
        assert row["caption_0"] == captions[row["caption_id"]]["caption"]
        assert (row["similarity"] is not None) == (row["status"] == "ok")
    counts = {
        r["outcome"]: r["number"] for r in made.rows("generate", "counts", COUNTS, "choose") if r["what"] != "wordnet"
    }
    pairs = made.rows("generate", "caption-pairs", CAPTION_PAIRS, "choose")
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
    rows = project.rows("generate", "measured", CAPTION_CANDIDATES, "measure")
    assert rows and {row["caption_0"].strip() for row in rows} == {text.strip()}
    decoded = "There is a small red star, in front of a white background."
    usable = [row for row in rows if row["status"] == "ok"]
    assert {row["caption_1"].replace(row["subject_1"], row["subject_0"]) for row in usable} == {decoded}
    (pair,) = project.rows("generate", "caption-pairs", CAPTION_PAIRS, "choose")
    assert pair["caption_1"] in {row["caption_1"] for row in usable}


def test_every_candidate_is_measured_and_the_best_are_kept(made: Project) -> None:
    drawn = made.rows("generate", "pairs", PAIRS, "draw")
    kept = made.rows("filter", "pairs", PAIRS)
    assert len(drawn) == 3 * len(kept)
    images = ImageStore(made.paths("filter", "images"))
    licences = {row["licence"] for row in made.rows("filter", "images", IMAGES)}
    assert licences == {"unknown"}, "what a checkpoint draws has the licence that its settings give it"
    for pair in kept:
        rivals = [row for row in drawn if row["pair_id"] == pair["pair_id"]]
        assert pair["directional"] == max(row["directional"] for row in rivals)
        for side in (0, 1):
            images.get(pair[f"image_id_{side}"])
    rejected = Counter(row["reason"] for row in made.rows("filter", "rejections", REJECTIONS))
    assert rejected == {"another candidate was better": 2 * len(kept)}


def test_some_pairs_are_also_drawn_without_sharing(made: Project) -> None:
    kept = {row["pair_id"]: row for row in made.rows("filter", "pairs", PAIRS)}
    alone = made.rows("filter", "unshared-pairs", PAIRS, "unshared")
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
    page = (folder / "gallery.html").read_text(encoding="utf-8")
    assert page.count("with Prompt-to-Prompt (p ") == 2
    assert (
        len(made.rows("filter", "pairs", PAIRS))
        == numbers(folder / "funnel.csv", unit="pairs", stage="filter")["value"].iloc[1]
    ), "the funnel does not count them"


def test_errors_are_in_the_gallery_by_their_categories(made: Project) -> None:
    errors = made.rows("verify", "errors", REJECTIONS)
    page = (made.folder / "metrics" / NAME / "gallery.html").read_text(encoding="utf-8")
    for category, number in Counter(row["reason"] for row in errors).items():
        assert f"<h2>{category or 'Errors without a category'}</h2>" in page
        assert f"{number} of the {len(errors)} errors in the sample; {min(2, number)} shown." in page


def test_models_search_and_match(made: Project) -> None:
    pairs = len(made.rows("filter", "pairs", PAIRS))
    judged = made.rows("verify", "judgements", JUDGEMENTS)
    assert {row["item_id"] for row in judged} == {
        f"{row['pair_id']}-{side}" for row in made.rows("filter", "pairs", PAIRS) for side in (0, 1)
    }
    ranks = Counter((row["subset"], row["direction"]) for row in made.rows("evaluate", "ranks", RANKS, "retrieve"))
    assert ranks["counterfactuals", "text-retrieval"] == ranks["counterfactuals", "image-retrieval"] == 2 * pairs
    assert ranks["originals", "image-retrieval"] == pairs
    for role in ("matches", "random-matches"):
        rows = made.rows("evaluate", role, MATCHES, "match")
        assert Counter(row["model"] for row in rows) == {"clip": pairs, "vilt": pairs}
        assert {row["status"] for row in rows} == {"ok"}


def test_tables_have_the_reported_numbers_and_text_is_escaped(made: Project) -> None:
    folder = made.folder / "metrics" / NAME
    report = (folder / "report.md").read_text(encoding="utf-8")
    for reported in ("79.10", "0.74", "21.72", "-51", "37.65", "-21", "27", "126", "44.3"):
        assert f" {reported} |" in report
    assert "labelled automatically" in " ".join(report.split())
    assert max(map(len, report.splitlines())) <= WIDTH
    gallery = (folder / "gallery.html").read_text(encoding="utf-8")
    assert "CLIP &lt;tiny&gt;" in gallery and "<tiny>" not in gallery
    metrics = made.metrics
    retrieved = {f"{of}_{what}_retrieval" for of in ("original", "counterfactual") for what in ("text", "image")}
    margins = {"wrong_IR_c", "wrong_TR_c"}
    assert {key: set(of) for key, of in metrics.items()} == {
        "clip": retrieved | margins,
        "vilt": margins,
        "image_labels": {"original_correct", "counterfactual_correct", "all_correct"},
    }
    ranks = [row for row in made.rows("evaluate", "ranks", RANKS, "retrieve") if row["subset"] == "counterfactuals"]
    first = [row["rank"] == 1 for row in ranks if row["direction"] == "text-retrieval"]
    assert metrics["clip"]["counterfactual_text_retrieval"] == pytest.approx(100 * sum(first) / len(first), abs=1e-4)
    assert (folder / "figure3.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize("shards", [1, 8])
def test_shards_change_nothing(tmp_path: Path, checkpoints: Path, made: Project, shards: int) -> None:
    """`made` has two."""
    other = small(Project(tmp_path / "other"), checkpoints)
    other.generate["shards"] = shards
    other.make("extract", "generate", "filter")
    for stage, step, role, table in (
        ("generate", "measure", "measured", CAPTION_CANDIDATES),
        ("generate", "draw", "pairs", PAIRS),
        ("filter", "", "pairs", PAIRS),
        ("filter", "unshared", "unshared-pairs", PAIRS),
    ):
        assert other.rows(stage, role, table, step) == made.rows(stage, role, table, step)


def test_a_second_run_draws_nothing_that_is_stored(
    tmp_path: Path, checkpoints: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHATIF_RESPONSES", str(tmp_path / "store.sqlite"))
    first, second = (small(Project(tmp_path / name), checkpoints) for name in ("first", "second"))
    first.make("extract", "generate")
    second.make("extract")

    def refuse(*arguments: Any) -> None:
        raise AssertionError("a stored candidate was drawn again")

    monkeypatch.setattr("whatif.prompt_to_prompt.image_maker.PictureMaker.draw", refuse)
    second.make("generate")
    assert second.rows("generate", "pairs", PAIRS, "draw") == first.rows("generate", "pairs", PAIRS, "draw")


def odd_captions(folder: Path) -> Iterable[Row]:
    yield {"id": "empty", "caption": "  "}
    yield {"id": "long", "caption": "word " * 300}
    yield {"id": "script", "caption": "一只猫坐在垫子上"}
    yield {"id": "verbs", "caption": "Running and jumping quickly"}
    yield {"id": "cat", "caption": "There is a small red star in front of a white background.", "image": "gone.png"}


def test_odd_captions_are_rejected_with_a_reason_and_the_funnel_adds_up(tmp_path: Path, checkpoints: Path) -> None:
    project = small(Project(tmp_path / "odd"), checkpoints)
    file = tmp_path / "captions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in odd_captions(tmp_path)), encoding="utf-8")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    project.values["extract"][NAME].update(captions=str(file), image_folders=[str(pictures)])
    project.make(*STAGES)
    unusable = {r["item_id"]: r["reason"] for r in project.rows("extract", "rejections", REJECTIONS)}
    assert set(unusable) == {"empty", "long", "script"}
    (missing,) = project.rows("extract", "missing", REJECTIONS)
    assert (missing["item_id"], missing["reason"]) == ("gone.png", "picture missing")
    unpaired = {r["item_id"]: r["reason"] for r in project.rows("generate", "rejections", REJECTIONS, "choose")}
    assert unpaired == {"verbs": "no noun"}
    photographs = numbers(project.folder / "metrics" / NAME / "funnel.csv", stage="extract", unit="photographs")
    assert list(photographs["value"]) == [1, 0, 1, 1] and photographs["reason"].iloc[-1] == "picture missing"
    assert project.rows("evaluate", "random-matches", MATCHES, "match") == []


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
        different = min(row["pair_id"] for row in project.rows("generate", "caption-pairs", CAPTION_PAIRS, "choose"))
        pictures = zip(rows, draw(maker, run), strict=True)
        return [pair if row["pair_id"] == different else (pair[0], pair[0]) for row, pair in pictures]

    monkeypatch.setattr("whatif.prompt_to_prompt.image_maker.PictureMaker.draw", alike_but_one)
    (line,) = [line for line in project.make("extract", "generate", "filter", "verify") if "warning" in line]
    assert line.startswith(f"warning: filter {NAME} part-000-of-001: only 1 of 5 pairs is left; most frequent reason: ")
    assert "no candidate is left (same picture) (4)" in line
    kept = project.rows("filter", "pairs", PAIRS)
    assert len(kept) == 1 and all(row["image_id_0"] != row["image_id_1"] for row in kept)
    rejected = Counter(row["reason"] for row in project.rows("filter", "rejections", REJECTIONS))
    assert rejected["same picture"] == 12 and rejected["no candidate is left (same picture)"] == 4


def named_captions(project: Project, number: int) -> None:
    """Captions of the project's own, as many as asked for, without images."""
    file = project.folder / "captions.jsonl"
    rows = ({"id": f"c{place:02}", "caption": f"There is a small red star on wall {place}."} for place in range(number))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    project.values["extract"][NAME]["captions"] = str(file)


def test_the_recogniser_of_drawn_scenes_judges_no_other_pictures(tmp_path: Path, checkpoints: Path) -> None:
    project = small(Project(tmp_path / "named"), checkpoints)
    named_captions(project, 3)
    project.generate["captions"]["choose"]["similarity"] = {"low": -1.0, "high": 1.0}
    project.make(*STAGES)
    pairs = project.rows("filter", "pairs", PAIRS)
    assert project.rows("verify", "judgements", JUDGEMENTS) == []
    assert project.rows("verify", "errors", REJECTIONS) == []
    rejected = project.rows("verify", "rejections", REJECTIONS)
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
        drawn[limit] = [row["caption_id"] for row in project.rows("extract", "captions", CAPTIONS)]
        rejected = Counter(row["reason"] for row in project.rows("extract", "rejections", REJECTIONS))
        assert len(drawn[limit]) + rejected["not drawn"] == 40
    assert (len(drawn[5]), len(drawn[10]), len(drawn[None]), len(drawn[100])) == (5, 10, 40, 40)
    assert set(drawn[5]) < set(drawn[10]) and drawn[5] != [f"c{place:02}" for place in range(5)]
    named_captions(project, 39)  # without the last, whatever was drawn and is still there is drawn again
    project.values["extract"][NAME]["limit"] = 5
    project.make("extract")
    again = {row["caption_id"] for row in project.rows("extract", "captions", CAPTIONS)}
    assert set(drawn[5]) - {"c39"} <= again and len(again) == 5


def test_a_file_without_labels_is_an_error(tmp_path: Path, checkpoints: Path, made: Project) -> None:
    file = tmp_path / "labels.csv"
    tasks = picture_tasks(made.rows("filter", "pairs", PAIRS), seed=made.values["seed"], labelled_three_times=0)
    rows = [f"{task.task_id},7,\n" for task in tasks]
    file.write_text("task_id,annotator,label\n" + "".join(rows), encoding="utf-8")
    project = small(Project(made.folder), checkpoints)
    project.values["verify"][NAME]["labels"] = str(file)
    before = made.rows("verify", "judgements", JUDGEMENTS)
    with pytest.raises(WhatifError, match="verify coco-counterfactuals: there are no labels; label the tasks"):
        project.make("verify")
    assert made.rows("verify", "judgements", JUDGEMENTS) == before
