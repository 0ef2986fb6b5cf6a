"""The gallery of C-VQA-Real: which items its views show, and the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.pictures import png
from tests.projects import Project
from whatif.artifacts.images import ImageStore, image_row
from whatif.artifacts.schemas import IMAGES, PREDICTIONS
from whatif.artifacts.writer import write_artifact
from whatif.benchmarks.cvqa_real.item_views import item_views, items_of, outcomes_of
from whatif.benchmarks.cvqa_real.views import ProgramsShown, gallery_page, page_of
from whatif.benchmarks.shared.program_panels import categories_of, program_twins

Row = dict[str, Any]
PICTURES = [image_row(png((20 * place, 90, 60)), 8, 8, f"drawn:{place}", "CC0-1.0") for place in range(10)]
NAMES = {"a": "Model <A>", "b": "Model B"}


def twins(pair: str, group: str, image: int, answers: tuple[str, str] = ("2", "1"), **more: Any) -> list[Row]:
    """An original question and its counterfactual about one of the images."""
    texts = more.pop("texts", (f"How many cats are there in {pair}?", "How many cats would be there if one left?"))
    return [
        {
            "question_id": f"{pair}-{variant}",
            "pair_id": pair,
            "group": group,
            "variant": variant,
            "question": text,
            "answer": answer,
            "image_ids": [PICTURES[image]["image_id"]],
            "provenance": json.dumps(more),
        }
        for variant, text, answer in zip(("original", "counterfactual"), texts, answers, strict=True)
    ]


def said(question: Row, model: str, *, right: bool, strategy: str = "direct", **more: Any) -> Row:
    """A prediction, of which only what the gallery reads is given."""
    answer = question["answer"] if right else "wrong one"
    row = {"question_id": question["question_id"], "model": model, "strategy": strategy, "correct": right}
    return {**row, "response": answer, "answer": answer, "earlier_turns": None, **more}


def shown(views: Any) -> dict[str, list[tuple[str, ...]]]:
    """The ids of the pairs in each entry of each view."""
    return {view.name: [tuple(item.pair for item in one.items) for one in view.shown] for view in views}


@pytest.fixture
def images(tmp_path: Path) -> ImageStore:
    rows = sorted(PICTURES, key=lambda row: str(row["image_id"]))
    path = tmp_path / "images.parquet"
    write_artifact(path, IMAGES, rows)
    return ImageStore([path])


def test_each_view_shows_the_items_of_its_kind() -> None:
    one, other = twins("p1", "direct", 0, writer="rules"), twins("p2", "indirect", 1, ("2", "2"), writer="rules")
    third = twins("p3", "boolean", 2, ("yes", "no"), writer="gpt")
    predictions = [
        *(said(one[0], "a", right=False), said(one[1], "a", right=True)),
        *(said(other[0], "a", right=True), said(other[1], "a", right=True)),
        *(said(third[0], "b", right=True), said(third[1], "b", right=False)),
        *(said(third[0], "gone", right=False), said(third[1], "gone", right=True)),
    ]
    views = item_views(items_of([*third, *one, *other]), outcomes_of(predictions, NAMES), {}, 5)
    assert shown(views) == {
        "direct": [("p1",)],
        "indirect": [("p2",)],
        "boolean": [("p3",)],
        "counterfactual-right": [("p1",)],
        "counterfactual-wrong": [("p3",)],
        "answer-unchanged": [("p2",)],
        "writer-gpt": [("p3",)],
        "writer-rules": [("p1",), ("p2",)],
    }
    by_name = {view.name: view for view in views}
    assert by_name["counterfactual-right"].shown[0].systems == {("a", "direct")}
    assert by_name["counterfactual-wrong"].shown[0].systems == {("b", "direct")}


def test_a_system_must_be_right_and_wrong_itself() -> None:
    question = twins("p1", "direct", 0)
    predictions = [
        *(said(question[0], "a", right=False), said(question[1], "b", right=True)),
        said(question[1], "a", right=True, strategy="cot"),
    ]
    views = item_views(items_of(question), outcomes_of(predictions, NAMES), {}, 5)
    assert not shown(views)["counterfactual-right"]


def test_views_have_a_limit_and_prefer_images_that_are_not_yet_on_the_page() -> None:
    rows = [row for place in range(6) for row in twins(f"p{place}", "direct", place, ("2", "2"))]
    every = shown(item_views(items_of(rows), outcomes_of([], NAMES), {}, 2))
    assert every["direct"] == [("p1",), ("p4",)]
    assert every["answer-unchanged"] == [("p2",), ("p5",)]
    assert shown(item_views(items_of(rows[::-1]), outcomes_of([], NAMES), {}, 2)) == every
    same = [row for place in range(4) for row in twins(f"p{place}", "direct", place // 3)]
    assert shown(item_views(items_of(same), outcomes_of([], NAMES), {}, 2))["direct"] == [("p0",), ("p3",)]


def test_the_most_similar_questions_about_images_of_both_genders_are_compared() -> None:
    water = ("How many people in the water?", "How many people would be in the water if 3 people were added?")
    seen = ("How many people can be seen?", "How many people would there be if 3 people were added?")
    dogs = ("How many dogs?", "How many dogs would there be if two ran off?")
    rows = [
        *twins("m1", "direct", 0, texts=water),
        *twins("m2", "direct", 1, texts=dogs),
        *twins("f1", "direct", 2, texts=seen),
        *twins("f2", "indirect", 3, texts=water),  # another group
        *twins("f3", "direct", 4, texts=water),  # as right as m1
        *twins("f4", "direct", 5, texts=water),  # of no known gender
    ]
    by_id = {row["question_id"]: row for row in rows}
    right = {"m1": True, "m2": True, "f1": False, "f2": False, "f3": True, "f4": False}
    predictions = [said(by_id[f"{pair}-counterfactual"], "a", right=value) for pair, value in right.items()]
    genders = {PICTURES[place]["image_id"]: "male" if place < 2 else "female" for place in range(5)}
    views = item_views(items_of(rows), outcomes_of(predictions, NAMES), genders, 5)
    (view,) = [view for view in views if view.name == "genders"]
    assert [tuple(item.pair for item in one.items) for one in view.shown] == [("m1", "f1")]
    assert view.shown[0].systems == {("a", "direct")}
    assert "genders" not in shown(item_views(items_of(rows), outcomes_of(predictions, NAMES), {}, 5))


def test_the_page_embeds_each_image_once_and_escapes_text(images: ImageStore) -> None:
    rows = [
        *twins("p1", "direct", 0, texts=("How many <script>?", "How many if?"), writer="rules"),
        *twins("p2", "direct", 0),
        *twins("p3", "boolean", 1, ("no", "no")),
    ]
    predictions = [
        said(rows[0], "a", right=False, response="It is <b>wrong one</b>."),
        said(rows[1], "a", right=True),
        said(rows[1], "b", right=False, answer=None, response="no idea"),
    ]
    views = item_views(items_of(rows), outcomes_of(predictions, NAMES), {}, 5)
    page = page_of(views, predictions, images, NAMES, ["direct"]).decode()
    sources = re.findall(r'src="([^"]+)"', page)
    assert len(sources) == len(set(sources)) == 2
    targets = re.findall(r'<article id="([^"]+)">', page)
    links = re.findall(r'<a href="#([^"]+)">(p\d)</a>', page)
    assert len(targets) == len(set(targets)) and {name for name, _ in links} <= set(targets)
    beside_p1 = re.findall(r"<h3>([^<]+)</h3>\n<p>Image above: <a href=[^>]+>p1</a></p>", page)
    assert beside_p1[:2] == ["p2 (direct)", "p1 (direct, rules): Model &lt;A&gt;"]
    assert "<script>" not in page and "How many &lt;script&gt;?" in page
    assert "It is &lt;b&gt;wrong one&lt;/b&gt;." in page and page.count("<details>") == 3  # in three views
    assert 'id="counterfactual-right"' in page and "): Model &lt;A&gt;</h3>" in page
    assert "no idea" in page and "Model &lt;A&gt;, direct" not in page
    assert page_of(views, predictions, images, NAMES, ["direct"]).decode() == page
    assert "Model &lt;A&gt;, direct" in page_of(views, predictions, images, NAMES, ["direct", "cot"]).decode()


def test_names_of_systems_with_commas_are_told_apart(images: ImageStore) -> None:
    rows = twins("p1", "direct", 0)
    predictions = [said(row, model, right=row is rows[1]) for row in rows for model in NAMES]
    views = item_views(items_of(rows), outcomes_of(predictions, NAMES), {}, 5)
    page = page_of(views, predictions, images, {"a": "LLaVA, tuned", "b": "LLaVA"}, ["direct"]).decode()
    assert "<h3>p1 (direct): LLaVA, tuned; LLaVA</h3>" in page


def test_the_page_needs_no_answers(images: ImageStore) -> None:
    rows = [*twins("p1", "direct", 0), *twins("p2", "boolean", 1, ("yes", "yes"))]
    page = page_of(item_views(items_of(rows), outcomes_of([], {}), {}, 5), [], images, {}, ["direct"]).decode()
    assert page.count('src="data:image/png') == 2 and "<h3>p2 (boolean)</h3>\n<p>Image above: <a " in page
    assert page.count("There is none to show.") == 3  # indirect, and the two views that need answers
    empty = page_of(item_views([], outcomes_of([], {}), {}, 5), [], images, {}, ["direct"]).decode()
    assert "There is none to show." in empty and "<img" not in empty


def test_what_a_model_wrote_in_several_turns_is_shown(images: ImageStore) -> None:
    rows = twins("p1", "direct", 0)
    turns = [{"response": "Two cats."}, {"response": ""}]
    predictions = [said(rows[1], "a", right=True, response="So 1.", earlier_turns=turns)]
    views = item_views(items_of(rows), outcomes_of(predictions, NAMES), {}, 5)
    page = page_of(views, predictions, images, NAMES, ["direct"]).decode()
    assert "<li>Two cats.</li><li>(nothing)</li><li>So 1.</li>" in page


class Published:
    """Receives the files that a task publishes."""


@pytest.mark.parametrize("judge", [None, {"model": "talker", "prompt": "answer", "labels": None}])
def test_the_page_is_made_of_the_inputs_of_the_last_step(project: Project, judge: dict[str, Any] | None) -> None:
    project.select("cvqa-real")
    talker = {
        "adapter": "api",
        "model": "t",
        "base_url": "http://127.0.0.1:9/v1",
        "max_new_tokens": 9,
        "benchmarks": [],
    }
    project.values["models"] = {"a": {"adapter": "majority"}, "b": {"adapter": "random"}, "talker": talker}
    project.section("evaluate").update(judge=judge, strategies=["direct"])
    project.section("aggregate")["shown_items"] = 1
    rows = [row for place in range(3) for row in twins(f"p{place}", "direct", place, writer="rules")]
    job = project.jobs("aggregate")[-1]
    empty = dict.fromkeys(PREDICTIONS.schema.names)
    for role, given in job.inputs.items():
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            if role == "images":
                write_artifact(path, IMAGES, sorted(PICTURES, key=lambda row: str(row["image_id"])))
            if role == "predictions":
                answers = [
                    {**empty, "status": "ok", **said(row, wildcards["model"], right=wildcards["model"] == "a")}
                    for row in sorted(rows, key=lambda row: str(row["question_id"]))
                ]
                write_artifact(path, PREDICTIONS, answers)
    task = job.task(Published(), project.said.append)  # type: ignore[arg-type]
    page = gallery_page(task, rows, {"a": "First", "b": "Random"}, {}).decode()
    assert page.count("<h3>") == 2 and page.count("<img ") == 2  # one of the group, another one of the writer
    assert page.count('class="right"') == page.count('class="wrong"') == 4
    assert ("without the judge" in page) == (judge is not None)


def program_of(code: str, **more: Any) -> Row:
    calls = [{"tool": "find", "arguments": '{"name": "<cat>"}', "value": "[1, 2]"}]
    return {"code": code, "outcome": "ok", "reason": None, "fallback": False, "calls": calls, **more}


def finding(question: Row, category: str, *, right: bool | None) -> Row:
    """A row of `program-findings` about model a, of which only what the gallery reads is given."""
    return {"question_id": question["question_id"], "model": "a", "category": category, "program_right": right}


def test_wrong_programs_that_ignore_the_presupposition_come_first_and_no_twins_are_shown_twice() -> None:
    every = [(one[0], one[1]) for one in (twins(f"p{place}", "direct", place) for place in range(5))]
    kinds = [("wrong tool", False), ("ignored presupposition", False), ("right", True), ("failing tool", True)]
    findings = [finding(one[1], category, right=right) for one, (category, right) in zip(every, kinds, strict=False)]
    chosen = program_twins(every, findings, 1)
    assert [one[0]["pair_id"] for one in chosen.wrong] == ["p1"]
    chosen = program_twins(every, findings, 9)
    assert {one[0]["pair_id"] for one in chosen.right} == {"p2", "p3"}
    assert {one[0]["pair_id"] for one in chosen.wrong} == {"p0", "p1"}
    assert program_twins(every, [], 9).question_ids == set()


def test_programs_stand_beside_their_answers_with_category_and_tools_and_are_escaped(images: ImageStore) -> None:
    one = twins("p1", "direct", 0)
    findings = [finding(one[0], "right", right=True), finding(one[1], "ignored presupposition", right=False)]
    rows = [
        said(one[0], "a", right=True, program=program_of("def execute_command(image):\n    return 1 < 2")),
        said(one[1], "a", right=False, program=program_of("<script>alert(1)</script>", fallback=True)),
    ]
    chosen = program_twins([(one[0], one[1])], findings, 3)
    programs = ProgramsShown(chosen, tuple(rows), categories_of(findings))
    page = page_of([], rows, images, NAMES, ["plain"], programs=programs).decode()
    assert page.index('id="programs-wrong"') < page.index('id="programs-right"')
    assert "return 1 &lt; 2" in page and "<script>" not in page and "&lt;script&gt;" in page
    assert "ignored presupposition; a fallback program" in page
    assert "find {&#34;name&#34;: &#34;&lt;cat&gt;&#34;}: [1, 2]" in page
    assert "Model &lt;A&gt;" in page and "Model B" not in page
    assert page.count("<img ") == 1
