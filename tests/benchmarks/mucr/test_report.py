"""The report of MuCR from the artifacts of all steps: its files, its headline and its funnel."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence

import pytest

from tests.benchmarks.mucr.answered_items import Row, asked_with_others, item, items, prediction, question
from tests.benchmarks.mucr.rows import candidate, causal_pair, choice, description
from tests.benchmarks.report_inputs import (
    SAMPLED,
    WRITER,
    Whole,
    full,
    judgement,
    rejection,
    repeated,
    report_of,
    write_inputs,
)
from tests.pictures import png
from tests.projects import Project
from tests.published import funnel_lines
from tests.shown_items import check_items, images_read_by, missing_images
from whatif.benchmarks.mucr.schemas import SCORES, SIDES, STYLES, TEXT
from whatif.benchmarks.mucr.steps import aggregate
from whatif.commands.summary import lines_of
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.errors import WhatifError
from whatif.engine.graph.jobs import Job
from whatif.results.reporting.table import from_csv

pytestmark = pytest.mark.slow

ITEMS = items(5)
PAIRS = list(dict.fromkeys(row["pair_id"] for row in ITEMS))
TRAIN = item("g9-0", "C2E", TEXT, split="train")
IMAGE = image_row(png((20, 60, 90)), 8, 8, "drawn:0", "CC0-1.0")
LOST = "g8-0"  # a pair that is removed when it is annotated


def one_pair(name: str) -> Row:
    category = "human" if int(name[1]) % 2 else "plant"
    captions = ("A man waters a flower.", "The flower grows.")
    return causal_pair(name, name.rpartition("-")[0], *captions, category=category)


def predictions(model: str, strategy: str, asked: Sequence[Row], *, first: bool) -> Iterator[Row]:
    """The first model is right in text and wrong in images; the second is asked in text only."""
    for row in asked:
        if not first and not asked_with_others(row):
            continue
        if model == "reader" and (not first or row["form"] != TEXT):
            continue
        right = row["form"] == TEXT or model == "chance"
        yield full(prediction(row["question_id"], (model, strategy), right))


def selected(project: Project) -> Project:
    project.select("mucr")
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {
        "eyes": {"adapter": "first-option", "name": "LLaVA-v1.6"},
        "reader": {"adapter": "majority", "name": "Reader"},
        "chance": {"adapter": "random", "name": "Random"},
        "writer": WRITER,
    }
    project.generate["descriptions"]["model"] = "writer"
    project.section("evaluate").update(strategies=["direct", "cot"], human_attempts=["people.csv"])
    return project


def made_inputs(project: Project, **others: list[Row]) -> Job:
    """Writes the artifacts that the last job reads, and returns it."""
    styled = [(pair, style) for pair in PAIRS for style in STYLES]
    lost = (PAIRS[0], "comic")
    attempts = [
        {"question_id": row["question_id"], "attempt": "p1", "answer": "A", "correct": True}
        for row in ITEMS
        if row["metric"] in SCORES and row["form"] == TEXT
    ]
    tables: dict[str, list[Row]] = {
        "images": [IMAGE],
        "drawn-images": [],
        "composites": [],
        "extracted": [one_pair(pair) for pair in (*PAIRS, "g9-0", LOST)],
        "unusable": [rejection("7", "a group of three"), rejection(f"{PAIRS[1]}/group", "a group of three")],
        "pairs": [one_pair(pair) for pair in (*PAIRS, "g9-0")],
        "annotations": [judgement(LOST, "p1", "1")],
        "unannotated": [rejection(LOST, "not a cause"), rejection(f"{PAIRS[1]}/cue", "two right cues")],
        "descriptions": [
            description(pair, "c", "e", "captions" if pair == PAIRS[0] else "writer") for pair in (*PAIRS, "g9-0")
        ],
        "undescribed": [rejection(PAIRS[0], "names another thing")],
        "provided": [],
        "candidates": [
            candidate(pair, style, side, place, IMAGE["image_id"])
            for pair, style in [*styled, *(("g9-0", style) for style in STYLES)]
            for side in SIDES
            for place in (0, 1)
        ],
        "undrawn": [rejection("x", "no image")],
        "preselected": [choice(*one, 0) for one in styled] + [choice("g9-0", "comic", 0)],
        "filtered": [
            *(
                rejection(f"{pair}-{style}-{side}-{place:02}", "another candidate was better")
                for pair, style in [*styled, ("g9-0", "comic")]
                for side in SIDES
                for place in (1,)
            ),
            *(
                rejection(f"g9-0-{style}-{side}-{place:02}", "image unlike its description")
                for style in ("photograph", "black-white")
                for side in SIDES
                for place in (0, 1)
            ),
            *(rejection(f"g9-0/{style}", "no pair of images is left") for style in ("photograph", "black-white")),
        ],
        "choices": [
            *(choice(*one, 0) for one in styled if one != lost),
            choice("g9-0", "comic", 0, chosen_by="people"),
        ],
        "judgements": [],
        "gold": [],
        "refused": [rejection("/".join(lost), "no pair of images fits")],
        "questions": [question(row) for row in ITEMS],
        "training": [question(TRAIN)],
        "items": [*ITEMS, TRAIN],
        "unasked": [rejection("g9-0-exp-text", "no explanation")],
        "attempts": attempts,
        "uncounted": [rejection("answers-line-000001", "unknown question")],
        "shortcuts": [{"set": "ours", "variant": "C2E text", "rule": "letter", "choice": "A", "right": 5, "n": 20}],
        **others,
    }

    def answered(of: Mapping[str, str]) -> list[Row]:
        made = list(predictions(of["model"], of["strategy"], ITEMS, first=of["strategy"] == "direct"))
        return [*map(repeated, made)] if "decoding" in project.values["models"][of["model"]] else made

    return write_inputs(project, tables, {"predictions": answered})


@pytest.fixture
def project(project: Project) -> Project:
    return selected(project)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The report of the artifacts as they are; no test changes it."""
    project = selected(Project(tmp_path_factory.mktemp("whole")))
    job = made_inputs(project)
    return project, job, report_of(project, job, aggregate.function)


def test_all_files_are_published_and_the_headline_has_each_system(whole: Whole) -> None:
    project, job, _ = whole
    assert [path for path in job.published if not (project.folder / path).is_file()] == []
    numbers = project.metrics
    assert numbers["eyes"]["direct"] | {"text": 100.0, "multimodal": 0.0, "gap": 100.0} == numbers["eyes"]["direct"]
    assert numbers["eyes"]["cot"]["multimodal_cp"] == 0.0 and "text" not in numbers["eyes"]["cot"]
    assert set(numbers["reader"]) == {"direct"} and "multimodal" not in numbers["reader"]["direct"]
    assert numbers["Human"]["mean"]["text"] == 100.0
    table6 = project.published("table6.csv")
    rows = [
        row for row in from_csv(table6).to_dict("records") if row["measure"] == "ceiling" and row["metric"] == "C2E"
    ]
    assert {(row["name"], row["value"], row["form"]) for row in rows} == {
        (name, 100.0, TEXT) for name in ("LLaVA-v1.6", "Reader", "Random", "Human")
    }
    report = project.published("report.md")
    figures = re.findall(r"!\[.*?\]\((.*?)\)", report)
    assert figures == [*(f"figure{number}.svg" for number in (5, 6, 8, 11, 14, 4)), "funnel.svg"]
    assert all(project.published(figure).startswith("<?xml") for figure in figures)
    assert "Ours without a row in images are asked in text only: Reader." in " ".join(report.split())
    points = project.published("accuracy.csv").splitlines()
    assert points[0] == "model,name,source,text,images"
    assert points[-2:] == ["eyes,LLaVA-v1.6,ours,100.0,0.0", "chance,Random,ours,100.0,100.0"]


def test_items_have_the_answers_of_systems_and_people(whole: Whole) -> None:
    project, job, outputs = whole
    items = outputs.rows["items"]
    check_items(items, outputs.rows["views"])
    with contextlib.chdir(project.folder):
        assert missing_images(items, images_read_by(job)) == set()
    assert sum(len(row["questions"]) for row in items) == len(ITEMS)
    views = [row["view"] for row in outputs.rows["views"]]
    assert views == ["figures-7-and-23", "figures-9-and-24", "figure-25", "figure-26"], "no images were rejected"
    (text,) = [one for row in items for one in row["questions"] if one["question_id"] == f"{PAIRS[0]}-c2e-text"]
    answers = {one["system"]: one["correct"] for one in text["answers"]}
    assert answers == dict.fromkeys(("LLaVA-v1.6, direct", "Reader, direct", "Random, direct", "Human (p1)"), True)


def test_the_same_artifacts_give_the_same_bytes(project: Project, whole: Whole) -> None:
    report_of(project, made_inputs(project), aggregate.function)
    files, others = (
        {path.relative_to(one.folder): path.read_bytes() for path in one.folder.rglob("metrics/**/*.*")}
        for one in (project, whole[0])
    )
    assert len(files) > 20 and files == others


def test_the_summary_shows_text_and_images(whole: Whole) -> None:
    project = whole[0]
    folder = project.folder / "metrics"
    assert [line.split() for line in lines_of("mucr", project.graph.benchmarks["mucr"].headline, len, folder)] == [
        ["mucr", "multimodal", "text"],
        ["eyes", "cot", "0.0"],
        ["eyes", "direct", "0.0", "100.0"],
        ["Human", "mean", "100.0"],
        ["chance", "cot", "100.0"],
        ["chance", "direct", "100.0", "100.0"],
        ["reader", "direct", "100.0"],
    ]


def test_the_funnel_accounts_for_every_pair_image_and_question(whole: Whole) -> None:
    stages = funnel_lines(whole[0])
    asked, main = len(ITEMS), sum(map(asked_with_others, ITEMS))
    text = sum(row["form"] == TEXT for row in ITEMS)
    assert stages == {
        "extract, pairs": ["in 23", "out 22", "rejected 1", "a group of three 1"],
        "extract, unusable parts of pairs": ["in 1", "out 0", "rejected 1", "a group of three 1"],
        "annotate, labels": ["in 1", "out 1", "rejected 0"],
        "annotate, pairs": ["in 22", "out 21", "rejected 1", "not a cause 1"],
        "annotate, unusable parts of pairs": ["in 1", "out 0", "rejected 1", "two right cues 1"],
        "describe, descriptions": ["in 21", "out 20", "rejected 1", "names another thing 1"],
        "draw, images": ["in 253", "out 252", "rejected 1", "no image 1"],
        "preselect, images": [
            *("in 252", "out 122", "rejected 130"),
            *("another candidate was better 122", "image unlike its description 8"),
        ],
        "preselect, pairs in a style": ["in 63", "out 61", "rejected 2", "no pair of images is left 2"],
        "choose, pairs in a style": ["in 61", "out 60", "rejected 1", "no pair of images fits 1"],
        "questions, questions": [f"in {asked + 2}", f"out {asked + 1}", "rejected 1", "no explanation 1"],
        "people, answers": ["in 81", "out 80", "rejected 1", "unknown question 1"],
        "evaluate chance direct, questions": [f"in {asked}", f"out {asked}", "rejected 0"],
        "evaluate chance cot, questions": [f"in {main}", f"out {main}", "rejected 0"],
        "evaluate eyes direct, questions": [f"in {asked}", f"out {asked}", "rejected 0"],
        "evaluate eyes cot, questions": [f"in {main}", f"out {main}", "rejected 0"],
        "evaluate reader direct, questions": [f"in {text}", f"out {text}", "rejected 0"],
        "evaluate reader cot, questions": ["in 0", "out 0", "rejected 0"],
    }


def test_the_set_is_counted_beside_the_reported_sizes(whole: Whole) -> None:
    text = whole[0].published("set.md")
    assert re.search(r"pairs of captions +\| +21 \| +4000 ", text)
    assert re.search(r"chosen pairs of images +\| +60 \| +12000 ", text)
    assert re.search(r"generated images +\| +252 \| +240000 ", text)
    assert re.search(r"human +\| +9 \| +42.9 \| +2 ", text), "of the group g9, one pair is left"
    assert re.search(r"all +\| +21 \| +\| +5 ", text)
    assert re.search(r"comic +\| +84 \| +20 \| +33.3 \| +1 \| +19 ", text)
    assert re.search(r"scenes +\| +252 \| +120 ", text)


def test_predictions_that_leave_out_a_question_are_refused(project: Project) -> None:
    job = made_inputs(project)
    given = job.inputs["predictions"]
    place = given.wildcards.index({**given.wildcards[0], "model": "chance", "strategy": "direct"})
    rows = list(predictions("chance", "direct", ITEMS, first=True))[1:]
    write_artifact(given.paths[place], PREDICTIONS, sorted(rows, key=lambda row: str(row["question_id"])))
    with pytest.raises(WhatifError, match=r"chance with the strategy direct: there are .* questions; ask it again"):
        report_of(project, job, aggregate.function)


def test_a_pilot_sample_is_marked_in_the_names_and_people_who_choose_images_have_their_tables(project: Project) -> None:
    people = [judgement(f"{pair}-comic", person, "1") for pair in PAIRS[:4] for person in ("p1", "p2")]
    job = made_inputs(project, judgements=people)
    given = job.inputs["predictions"]
    for path, wildcards in zip(given.paths, given.wildcards, strict=True):
        if wildcards["model"] == "eyes":
            some = [row for row in ITEMS if row["pair_id"] in PAIRS[:8]]
            rows = list(predictions("eyes", wildcards["strategy"], some, first=wildcards["strategy"] == "direct"))
            write_artifact(path, PREDICTIONS, sorted(rows, key=lambda row: str(row["question_id"])))
    report_of(project, job, aggregate.function)
    assert "LLaVA-v1.6 (pilot sample of 8 pairs)" in project.published("table6.csv")
    assert "not in the pilot sample" in project.published("funnel.csv")
    assert "p1" in project.published("annotators.md")
    assert "choose,labels,in,,8" in project.published("funnel.csv")


def test_a_model_with_several_samples_has_the_table_of_repeats(project: Project) -> None:
    project.values["models"]["eyes"] = SAMPLED
    job = made_inputs(project)
    report_of(project, job, aggregate.function)
    assert [path for path in job.published if not (project.folder / path).is_file()] == []
    rows = from_csv((project.folder / "metrics/mucr/repeats.csv").read_text(encoding="utf-8"))
    assert set(rows["model"]) == {"eyes"} and "drop" not in set(rows["measure"])
    text = rows.query("strategy == 'direct' and measure == 'accuracy' and variant == 'text'")
    assert text["value"].tolist() == [66.6667]
