"""The items of MuCR: their questions, images and answers, their views, and the turns of strategies."""

from __future__ import annotations

from typing import Any

import pytest

from tests.benchmarks.mucr.asked import Set, drawn
from tests.benchmarks.mucr.rows import Row, candidate, choice
from tests.outputs import Published
from tests.projects import Project
from tests.shown_items import check_items, images_read_by, missing_images
from whatif.benchmarks.mucr.evaluation import asked_questions
from whatif.benchmarks.mucr.schemas import SIDES
from whatif.benchmarks.mucr.site_items import site_items
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.graph.jobs import Job
from whatif.results.reporting.items import item_tables, view_rows

pytestmark = pytest.mark.slow

NAMES = {
    (model, strategy): f"{model.title()}, {strategy}" for model in ("eyes", "words") for strategy in ("direct", "vccot")
}
NOTES = "Captions: <script>alert()</script>"


@pytest.fixture
def project(project: Project) -> Project:
    project.select("mucr")
    entry = {"adapter": "api", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    project.section("evaluate")["fine_tuning"]["models"] = []
    project.values["models"] = {"eyes": {**entry, "name": "Eyes"}, "words": {**entry, "takes_images": False}}
    project.section("evaluate")["strategies"] = ["direct", "vccot"]
    project.section("aggregate")["shown_pairs"] = 2
    return project


def answered(question: Row, model: str, strategy: str) -> Row:
    """A prediction: the model always chooses A."""
    return {
        **dict.fromkeys(PREDICTIONS.schema.names),
        "question_id": question["question_id"],
        "model": model,
        "strategy": strategy,
        "response": "Reasons.\nAnswer: A",
        "answer": "A",
        "status": "ok",
        "correct": question["answer"] == "A",
        "earlier_turns": [{"response": NOTES, "request_key": "k"}] if strategy == "vccot" else None,
    }


def written(project: Project, made: Set, **changes: Any) -> Job:
    """Writes what the items are made of; of two pairs, images were preselected and one was chosen."""
    job = project.jobs("aggregate")[-1]
    tables: dict[str, Any] = {"choices": [], "preselected": [], "candidates": [], "provided": []}
    pictures = dict(made.images)
    for pair in ("g0-p1", "g1-p2"):
        tables["choices"].append(choice(pair, "comic", 2, place=0, likeness=0.875))
        for place, (number, likeness) in enumerate(((0, 0.9), (1, 0.25), (2, 0.875), (3, None))):
            tables["preselected"].append(choice(pair, "comic", number, place=place, likeness=likeness))
            for side in SIDES:
                image = drawn(f"{pair} {side} {number}")
                pictures[image["image_id"]] = image
                made_by = "candidates" if side == "cause" else "provided"
                tables[made_by].append(candidate(pair, "comic", side, number, image["image_id"]))
    tables |= {"pairs": made.pairs, "attempts": []}
    rows = [pictures[name] for name in sorted(pictures)]
    tables |= {"images": rows[::3], "drawn-images": rows[1::3], "composites": rows[2::3], **changes}
    for role, given in job.inputs.items():
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            if role == "predictions":
                model, strategy = wildcards["model"], wildcards["strategy"]
                some = asked_questions(
                    made.questions, made.items, first=strategy == "direct", takes_images=model == "eyes"
                )
                content = [answered(row, model, strategy) for row in some]
            elif role in tables:
                content = tables[role]
            else:
                continue
            keys = given.table.key
            write_artifact(path, given.table, sorted(content, key=lambda row: tuple(str(row[key]) for key in keys)))
    return job


def shown(project: Project, made: Set | None = None, by_mean: Any = (), **changes: Any) -> dict[str, Row]:
    made = made or Set()
    return items_of(project, written(project, made, **changes), made, by_mean)


def items_of(project: Project, job: Job, made: Set, by_mean: Any = ()) -> dict[str, Row]:
    task = job.task(Published(), project.messages.append)  # type: ignore[arg-type]
    items, views = site_items(task, made.questions, made.items, NAMES, by_mean)
    outputs = Published()
    for piece in item_tables(items):
        outputs.write("items", piece)
    outputs.write("views", list(view_rows(views)))
    rows = outputs.rows["items"]
    check_items(rows, outputs.rows["views"])
    assert missing_images(rows, images_read_by(job)) == set()
    return {row["item_id"]: row for row in rows}


def in_view(items: dict[str, Row], view: str) -> list[str]:
    return [name for name, row in items.items() if view in row["views"]]


def question(item: Row, label: str) -> Row:
    (found,) = [one for one in item["questions"] if one["label"] == label]
    return dict(found)


def answer(item: Row, label: str, system: str) -> Row:
    (found,) = [one for one in question(item, label)["answers"] if one["system"] == system]
    return dict(found)


def test_an_item_has_every_question_of_a_pair_and_metric(project: Project) -> None:
    made = Set()
    items = shown(project, made)
    asked = {f"{row['pair_id']}-{row['metric'].lower()}" for row in made.items if row["split"] == "test"}
    assert {name for name in items if not name.endswith("-images")} == asked
    assert sum(len(row["questions"]) for row in items.values()) == len(made.questions)
    assert {row["group"] for row in items.values()} == {"C2E", "CP", "context", "chosen images"}
    item = items["g0-p2-c2e"]
    assert item["title"] == "C2E: The cup of g0-p2 falls." and item["group"] == "C2E"
    assert [one["label"] for one in item["questions"]] == [
        *("text", "composite, photograph", "composite, comic", "composite, black-white"),
        *("cause-and-composite, black-white", "separate, black-white", "strip, black-white"),
        *("composite, black-white, hints", "text, in zh", "composite, black-white, in zh"),
    ]
    (row,) = [one for one in made.questions if one["question_id"] == "g0-p2-c2e-composite-comic"]
    found = question(item, "composite, comic")
    assert found["text"] == row["question"] and found["choices"] == row["choices"]
    assert found["right"] == "Image C"


def test_pictures_have_form_style_and_label(project: Project) -> None:
    item = shown(project)["g0-p2-c2e"]
    assert [one["caption"] for one in item["pictures"]] == [
        *("composite, photograph", "composite, comic", "composite, black-white"),
        *("cause-and-composite, black-white, Cause", "cause-and-composite, black-white, Effects"),
        *(f"separate, black-white, {label}" for label in ("Cause", "A", "B", "C", "D")),
        "strip, black-white",
        *("composite, black-white", "composite, black-white"),  # with hints and in Chinese, other images here
    ]
    assert {one["side"] for one in item["pictures"]} == {""}


def test_a_picture_that_several_questions_show_in_the_same_way_is_there_once(project: Project) -> None:
    made = Set()
    (plain,) = [row for row in made.questions if row["question_id"] == "g0-p2-c2e-composite-black-white"]
    for row in made.questions:
        if row["question_id"] in ("g0-p2-c2e-composite-hints-black-white", "g0-p2-c2e-composite-zh-black-white"):
            row["image_ids"] = plain["image_ids"]
    captions = [one["caption"] for one in shown(project, made)["g0-p2-c2e"]["pictures"]]
    assert captions.count("composite, black-white") == 1


def test_notes_have_captions_cue_phrases_and_the_explanation_with_who_wrote_them(project: Project) -> None:
    made = Set()
    made.pairs[1]["provenance"] = '{"cue":"annotator","explanation":"annotator","origin":"captions"}'
    made.pairs[2] |= {"cue": None, "false_cues": None, "explanation": None}
    items = shown(project, made)
    notes = items["g0-p0-cp"]["notes"]
    assert notes == [
        "Cause: The cup of g0-p0 falls.",
        "Effect: The cup of g0-p0 is broken.",
        "Cue phrase: fall. It explains the effect; these do not: red, table, night.",
        "Explanation: Cause: the cup of g0-p0 falls. Effect: it breaks. The causal link between them is that the floor "
        "is hard.",
        "Category: human. Group: g0.",
    ]
    by_people = items["g0-p1-cp"]["notes"]
    assert by_people[2].endswith("night. Written by annotators.") and by_people[3].endswith("(Written by annotators.)")
    assert len(items["g0-p2-cp"]["notes"]) == 3


def test_all_systems_answer_in_the_order_of_their_names(project: Project) -> None:
    items = shown(project)
    systems = [[one["system"] for one in row["answers"]] for row in items["g0-p2-c2e"]["questions"][:3]]
    assert systems == [
        ["Eyes, direct", "Words, direct"],  # the text
        ["Eyes, direct"],  # photograph, which is not the mixed style of this pair
        ["Eyes, direct"],
    ]
    in_mixed_style = question(items["g0-p2-c2e"], "composite, black-white")["answers"]
    assert [one["system"] for one in in_mixed_style] == ["Eyes, direct", "Eyes, vccot"]
    wrong, right = (answer(items[f"g0-p{place}-c2e"], "text", "Eyes, direct") for place in (2, 0))
    assert (wrong["answer"], wrong["correct"]) == ("Image A", False)
    assert (right["answer"], right["correct"]) == ("Image A", True)


def test_views_show_items_that_are_evenly_spaced_over_all_pairs(project: Project) -> None:
    items = shown(project)
    for view in ("figures-7-and-23", "figures-9-and-24", "figure-26"):
        assert in_view(items, view) == ["g0-p2-c2e", "g1-p2-c2e"]
    assert in_view(items, "figure-25") == ["g0-p2-context", "g1-p2-context"]
    assert in_view(items, "figure-10") == ["g0-p1-images", "g1-p2-images"]


def test_a_view_of_styles_needs_two_of_them(project: Project) -> None:
    made = Set()
    one_style = {row["question_id"] for row in made.items if row["mixture"] or row["form"] != "composite"}
    for rows in (made.questions, made.items):
        rows[:] = [row for row in rows if row["question_id"] in one_style]
    items = shown(project, made)
    assert in_view(items, "figures-7-and-23") == [] and len(in_view(items, "figures-9-and-24")) == 2


def test_chosen_images_stand_beside_the_least_similar_ones(project: Project) -> None:
    item = shown(project)["g0-p1-images"]
    assert item["title"] == "Images as comic: The cup of g0-p1 falls." and item["group"] == "chosen images"
    assert [one["caption"] for one in item["pictures"]] == [
        "Cause, chosen",
        "Effect, chosen: likeness 0.88",
        "Cause, not chosen",
        "Effect, not chosen: likeness 0.25",
    ]
    expected = [drawn(f"g0-p1 {side} {number}") for number in (2, 1) for side in ("cause", "effect")]
    assert [one["image_id"] for one in item["pictures"]] == [row["image_id"] for row in expected]
    assert item["questions"] == []


def test_every_pair_with_rejected_images_can_be_compared_and_some_are_in_the_view(project: Project) -> None:
    project.section("aggregate")["shown_pairs"] = 1
    items = shown(project)
    assert [name for name in items if name.endswith("-images")] == ["g0-p1-images", "g1-p2-images"]
    assert in_view(items, "figure-10") == ["g1-p2-images"]


def test_without_rejected_images_there_is_no_such_view(project: Project) -> None:
    items = shown(project, preselected=[])
    assert in_view(items, "figure-10") == [] and not any(name.endswith("-images") for name in items)


def test_earlier_turns_of_a_strategy_are_shown(project: Project) -> None:
    item = shown(project)["g0-p2-c2e"]
    found = [answer(item, "composite, black-white", f"Eyes, {strategy}") for strategy in ("direct", "vccot")]
    assert [one["turns"] for one in found] == [[], [NOTES]]
    assert [one["response"] for one in found] == ["Reasons.\nAnswer: A"] * 2


def test_a_turn_in_which_a_model_wrote_nothing_keeps_its_number(project: Project) -> None:
    made = Set()
    job = written(project, made)
    for path, wildcards in zip(job.inputs["predictions"].paths, job.inputs["predictions"].wildcards, strict=True):
        if (wildcards["model"], wildcards["strategy"]) == ("eyes", "vccot"):
            turns = [{"response": text, "request_key": "k"} for text in ("", "Second.", "")]
            some = asked_questions(made.questions, made.items, first=False)
            content = [{**answered(row, "eyes", "vccot"), "response": None, "earlier_turns": turns} for row in some]
            write_artifact(path, PREDICTIONS, content)
    found = answer(items_of(project, job, made)["g0-p2-c2e"], "composite, black-white", "Eyes, vccot")
    assert found["turns"] == ["(nothing)", "Second.", "(nothing)"] and found["response"] is None


def test_peoples_attempts_are_answers_of_their_own(project: Project) -> None:
    attempts = [
        {"question_id": "g0-p2-c2e-text", "attempt": who, "answer": letter, "correct": letter == "C"}
        for who, letter in (("p1", "B"), ("p2", "C"))
    ]
    project.section("evaluate")["human_attempts"] = ["people.csv"]
    item = shown(project, attempts=attempts)["g0-p2-c2e"]
    found = [answer(item, "text", f"Human ({who})") for who in ("p1", "p2")]
    assert [(one["answer"], one["correct"]) for one in found] == [("Image B", False), ("Image C", True)]


def test_another_rule_decides_again_unless_a_system_lacks_its_scores(project: Project) -> None:
    made = Set()
    project.section("aggregate")["rule"] = "sum"
    job = written(project, made)
    low, high = ({"log_likelihood": value, "tokens": 4, "mean": value, "at_most": False} for value in (-9.0, -1.0))
    score = {"without_image": None, "without_prompt": None}
    (path,) = (
        path
        for path, wildcards in zip(job.inputs["predictions"].paths, job.inputs["predictions"].wildcards, strict=True)
        if wildcards == {**wildcards, "model": "eyes", "strategy": "direct"}
    )
    ranked = [{**low, **score}, {**low, **score}, {**high, **score}, {**low, **score}]
    content = [{**answered(row, "eyes", "direct"), "response": None, "choice_scores": ranked} for row in made.questions]
    write_artifact(path, PREDICTIONS, content)
    for by_mean, words, rule in (((), "Image C", "sum"), ([("eyes", "direct")], "Image A", "mean")):
        items = items_of(project, job, made, by_mean)
        found = [one for row in items["g0-p2-c2e"]["questions"] for one in row["answers"] if one["why"]]
        assert len(found) == 10 and {one["answer"] for one in found} == {words}
        assert all(one["why"].startswith(f"ranked by {rule}: A -9.000, ") for one in found)


def test_fine_tuned_models_answer_too(project: Project) -> None:
    made = Set()
    project.values["models"]["small"] = {"adapter": "hf-chat", "checkpoint": "embedded:llava", "name": "Small"}
    project.section("evaluate")["fine_tuning"] |= {"models": ["small"], "seeds": [3]}
    job = written(project, made)
    (path,) = job.inputs["tuned"].paths
    (row,) = [one for one in made.questions if one["question_id"] == "g0-p2-cp-composite-black-white"]
    write_artifact(path, PREDICTIONS, [{**answered(row, "small", "direct"), "answer": "C", "correct": True}])
    found = question(items_of(project, job, made)["g0-p2-cp"], "composite, black-white")["answers"]
    (tuned,) = [one for one in found if "fine-tuned" in one["system"]]
    assert (tuned["system"], tuned["answer"], tuned["correct"]) == ("Small, fine-tuned, seed-3", "Image C", True)
