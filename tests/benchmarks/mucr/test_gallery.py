"""The gallery of MuCR: its views, the images and answers in each, and the turns of strategies."""

from __future__ import annotations

import base64
import html
import re
from typing import Any

import pytest

from tests.benchmarks.mucr.asked import Row, Set, drawn
from tests.projects import Project
from whatif.artifacts.schemas import PREDICTIONS
from whatif.artifacts.writer import write_artifact
from whatif.benchmarks.mucr.asking import asked_questions
from whatif.benchmarks.mucr.gallery import item_views
from whatif.benchmarks.mucr.schemas import CANDIDATES
from whatif.graph.jobs import Job

VIEWS = ["styles", "consistency", "forms", "context", "strategies"]
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


def candidate(name: str, image: Row) -> Row:
    pair, style, side, place = name.rsplit("-", 3)
    return {
        **dict.fromkeys(CANDIDATES.schema.names, ""),
        "candidate_id": name,
        "pair_id": pair,
        "style": style,
        "side": side,
        "place": int(place),
        "seed": None,
        "image_id": image["image_id"],
    }


def choice(pair: str, place: int, number: int, likeness: float | None) -> Row:
    """The candidates with a number, as a pair of images."""
    named = {f"{side}_candidate": f"{pair}-comic-{side}-{number:02d}" for side in ("cause", "effect")}
    empty = {"caption_cause": None, "caption_effect": None}
    return {
        "pair_id": pair,
        "style": "comic",
        "place": place,
        "chosen_by": "clip",
        "likeness": likeness,
        **named,
        **empty,
    }


def written(project: Project, made: Set, **changes: Any) -> Job:
    """Writes what the gallery reads; of two pairs, images were preselected and one was chosen."""
    job = project.jobs("aggregate")[-1]
    tables: dict[str, Any] = {"choices": [], "preselected": [], "candidates": [], "provided": []}
    pictures = dict(made.images)
    for pair in ("g0-p1", "g1-p2"):
        tables["choices"].append(choice(pair, 0, 2, 0.875))
        tables["preselected"] += [choice(pair, 0, 0, 0.9), choice(pair, 1, 1, 0.25), choice(pair, 2, 2, 0.875)]
        tables["preselected"].append(choice(pair, 3, 3, None))
        for number in range(4):
            for side in ("cause", "effect"):
                image = drawn(f"{pair} {side} {number}")
                pictures[image["image_id"]] = image
                tables["candidates" if side == "cause" else "provided"].append(
                    candidate(f"{pair}-comic-{side}-{number:02d}", image)
                )
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


def page(project: Project, made: Set | None = None, **changes: Any) -> dict[str, list[str]]:
    """The panels of each view, as HTML."""
    made = made or Set()
    job = written(project, made, **changes)
    whole = item_views(job.task(None, project.said.append), made.questions, made.items, NAMES).decode()
    assert re.findall(r'<li><a href="#([a-z]+)">', whole) == VIEWS
    found = {}
    for name, section in re.findall(r'<section id="([a-z]+)">(.*?)</section>', whole, re.S):
        found[name] = section.split("<article>")[1:]
    assert list(found) == VIEWS
    return found


def captions(panel: str) -> list[str]:
    return re.findall(r"<figcaption>(.*?)</figcaption>", panel)


def rows(panel: str) -> list[list[str]]:
    """The cells of the table below the images, without its header."""
    cells = [re.findall(r"<td.*?>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", panel, re.S)]
    return cells[1:]


def test_styles_show_an_item_in_every_style_with_the_answers(project: Project) -> None:
    first, second = page(project)["styles"]
    assert captions(first) == ["photograph", "comic", "black-white"] and first.count("<img ") == 3
    assert [one[0].partition(":")[0] for one in rows(first)] == ["photograph", "comic", "black-white"]
    assert "<h3>g0-p2</h3>" in first and "<h3>g1-p2</h3>" in second, "evenly spaced over all pairs"
    assert [one[1] for one in rows(first)] == ["Image C"] * 3
    assert all("Image A" in one[2] and "(wrong)" in one[2] for one in rows(first))
    assert "A: Image A  B: Image B  C: Image C  D: Image D" in rows(first)[0][0]
    assert "Words, direct" not in first, "a system that was not asked has no column"


def test_forms_show_the_item_as_text_and_in_each_form_with_labels_of_images_apart(project: Project) -> None:
    first, _ = page(project)["forms"]
    assert captions(first) == [
        "composite",
        "cause-and-composite, Cause",
        "cause-and-composite, Effects",
        *(f"separate, {label}" for label in ("Cause", "A", "B", "C", "D")),
        "strip",
    ]
    given = rows(first)
    assert [one[0].partition(":")[0] for one in given] == [
        "text", "composite", "cause-and-composite", "separate", "strip"
    ]  # fmt: skip
    header = re.findall(r'<th scope="col">(.*?)</th>', first)
    assert header == ["Asked", "Right answer", "Eyes, direct", "Words, direct", "Eyes, vccot"]
    assert [one[3] == "not asked" for one in given] == [False, True, True, True, True], "asked text alone"


def test_consistency_shows_the_chosen_images_beside_the_least_similar_ones(project: Project) -> None:
    first, second = page(project)["consistency"]
    assert "<h3>g0-p1, comic</h3>" in first and "<h3>g1-p2, comic</h3>" in second
    assert captions(first) == [
        "Cause, chosen",
        "Effect, chosen: likeness 0.88",
        "Cause, not chosen",
        "Effect, not chosen: likeness 0.25",
    ]
    expected = [drawn(f"g0-p1 {side} {number}") for number in (2, 1) for side in ("cause", "effect")]
    shown = re.findall(r"base64,([^\"]+)", first)
    assert [base64.b64decode(one) for one in shown] == [row["image"]["bytes"] for row in expected]


def test_without_rejected_images_the_view_says_so(project: Project) -> None:
    assert page(project, preselected=[])["consistency"] == []


def test_context_shows_the_question_about_siblings(project: Project) -> None:
    first, _ = page(project)["context"]
    ((question, right, said),) = rows(first)
    assert question.startswith("black-white: context, composite: which one follows") and right == "Image C"
    assert said.startswith("Image A")
    assert first.count("<img ") == 1


def test_strategies_show_what_a_model_wrote_in_each_turn(project: Project) -> None:
    first, _ = page(project)["strategies"]
    assert [one[0] for one in rows(first)] == ["direct", "vccot"]
    assert re.findall(r'<th scope="col">(.*?)</th>', first) == ["Asked", "Right answer", "Eyes"]
    assert captions(first)[0].startswith("C2E, composite: which one follows from this? The cup of g0-p2 falls.  A: Im")
    turns = [re.findall(r"<li>(.*?)</li>", one[2], re.S) for one in rows(first)]
    assert turns == [["Reasons.\nAnswer: A"], [html.escape(NOTES), "Reasons.\nAnswer: A"]]


def test_a_turn_in_which_a_model_wrote_nothing_keeps_its_number(project: Project) -> None:
    made = Set()
    job = written(project, made)
    for path, wildcards in zip(job.inputs["predictions"].paths, job.inputs["predictions"].wildcards, strict=True):
        if (wildcards["model"], wildcards["strategy"]) == ("eyes", "vccot"):
            turns = [{"response": text, "request_key": "k"} for text in ("", "Second.", "")]
            some = asked_questions(made.questions, made.items, first=False)
            content = [{**answered(row, "eyes", "vccot"), "response": None, "earlier_turns": turns} for row in some]
            write_artifact(path, PREDICTIONS, content)
    whole = item_views(job.task(None, print), made.questions, made.items, NAMES).decode()
    first = whole.split('<section id="strategies">')[1].split("<article>")[1]
    assert re.findall(r"<li>(.*?)</li>", rows(first)[1][2]) == ["(nothing)", "Second.", "(nothing)"]


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
    for by_mean, words in (((), "Image C"), ([("eyes", "direct")], "Image A")):
        whole = item_views(job.task(None, print), made.questions, made.items, NAMES, by_mean).decode()
        first = whole.split('<section id="styles">')[1].split("<article>")[1]
        assert all(one[2].startswith(words) for one in rows(first))
