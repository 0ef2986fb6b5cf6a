"""The items of C-VQA-Real: which of them its views show, and what they say of answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.outputs import Published
from tests.pictures import png
from tests.projects import Project
from whatif.benchmarks.cvqa_real.site_items import item_views, items_of, outcomes_of, real_items, selected
from whatif.benchmarks.shared.program_findings import PROGRAM_FINDINGS
from whatif.benchmarks.shared.program_views import ProgramPairs, program_pairs
from whatif.engine.artifacts.images import image_row
from whatif.engine.artifacts.schemas import JUDGED, PREDICTIONS, Table
from whatif.engine.artifacts.writer import write_artifact
from whatif.results.reporting.items import Item, ItemView
from whatif.results.reporting.judged import Judged

Row = dict[str, Any]
PICTURES = [image_row(png((20 * place, 90, 60)), 8, 8, f"drawn:{place}", "CC0-1.0") for place in range(10)]
NAMES = {"a": "Model <A>", "b": "Model B"}


def a_pair(pair: str, group: str, image: int, answers: tuple[str, str] = ("2", "1"), **more: Any) -> list[Row]:
    """An original question and its counterfactual about one of the images."""
    texts = more.pop("texts", (f"How many cats are there in {pair}?", "How many cats would be there if one left?"))
    return [
        {
            "question_id": f"{pair}-{variant}",
            "pair_id": pair,
            "group": group,
            "variant": variant,
            "question": text,
            "choices": None,
            "answer": answer,
            "image_ids": [PICTURES[image]["image_id"]],
            "provenance": json.dumps(more),
        }
        for variant, text, answer in zip(("original", "counterfactual"), texts, answers, strict=True)
    ]


def said(question: Row, model: str, *, right: bool, strategy: str = "direct", **more: Any) -> Row:
    """A prediction, of which only what the items show is given."""
    answer = question["answer"] if right else "wrong one"
    row = {"question_id": question["question_id"], "model": model, "strategy": strategy, "correct": right}
    return {**row, "response": answer, "answer": answer, "earlier_turns": None, **more}


def shown(views: Any) -> dict[str, list[tuple[str, ...]]]:
    """The ids of the pairs in each entry of each view."""
    return {one.view.name: [tuple(item.pair_id for item in shown.items) for shown in one.shown] for one in views}


def test_each_view_shows_the_items_of_its_kind() -> None:
    one, other = a_pair("p1", "direct", 0, writer="rules"), a_pair("p2", "indirect", 1, ("2", "2"), writer="rules")
    third = a_pair("p3", "boolean", 2, ("yes", "no"), writer="gpt")
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
        "figure-7": [("p1",)],
        "figure-6": [("p3",)],
        "figure-4": [],
        "answer-unchanged": [("p2",)],
        "writer-gpt": [("p3",)],
        "writer-rules": [("p1",), ("p2",)],
    }
    by_name = {one.view.name: one for one in views}
    assert by_name["figure-7"].shown[0].systems == {("a", "direct")}
    assert by_name["figure-6"].shown[0].systems == {("b", "direct")}


def test_a_system_must_be_right_and_wrong_itself() -> None:
    question = a_pair("p1", "direct", 0)
    predictions = [
        *(said(question[0], "a", right=False), said(question[1], "b", right=True)),
        said(question[1], "a", right=True, strategy="cot"),
    ]
    views = item_views(items_of(question), outcomes_of(predictions, NAMES), {}, 5)
    assert not shown(views)["figure-7"]


def test_views_have_a_limit_and_prefer_images_that_are_in_no_view_yet() -> None:
    rows = [row for place in range(6) for row in a_pair(f"p{place}", "direct", place, ("2", "2"))]
    every = shown(item_views(items_of(rows), outcomes_of([], NAMES), {}, 2))
    assert every["direct"] == [("p1",), ("p4",)]
    assert every["answer-unchanged"] == [("p2",), ("p5",)]
    assert shown(item_views(items_of(rows[::-1]), outcomes_of([], NAMES), {}, 2)) == every
    same = [row for place in range(4) for row in a_pair(f"p{place}", "direct", place // 3)]
    assert shown(item_views(items_of(same), outcomes_of([], NAMES), {}, 2))["direct"] == [("p0",), ("p3",)]


def test_the_most_similar_questions_about_images_of_both_genders_are_compared() -> None:
    water = ("How many people in the water?", "How many people would be in the water if 3 people were added?")
    seen = ("How many people can be seen?", "How many people would there be if 3 people were added?")
    dogs = ("How many dogs?", "How many dogs would there be if two ran off?")
    rows = [
        *a_pair("m1", "direct", 0, texts=water),
        *a_pair("m2", "direct", 1, texts=dogs),
        *a_pair("f1", "direct", 2, texts=seen),
        *a_pair("f2", "indirect", 3, texts=water),  # another group
        *a_pair("f3", "direct", 4, texts=water),  # as right as m1
        *a_pair("f4", "direct", 5, texts=water),  # of no known gender
    ]
    by_id = {row["question_id"]: row for row in rows}
    right = {"m1": True, "m2": True, "f1": False, "f2": False, "f3": True, "f4": False}
    predictions = [said(by_id[f"{pair}-counterfactual"], "a", right=value) for pair, value in right.items()]
    genders = {PICTURES[place]["image_id"]: "male" if place < 2 else "female" for place in range(5)}
    views = item_views(items_of(rows), outcomes_of(predictions, NAMES), genders, 5)
    (view,) = [one for one in views if one.view.name == "figure-4"]
    assert [tuple(item.pair_id for item in one.items) for one in view.shown] == [("m1", "f1")]
    assert view.shown[0].systems == {("a", "direct")}
    without = item_views(items_of(rows), outcomes_of(predictions, NAMES), {}, 5)
    assert shown(without)["figure-4"] == []
    systems = {("a", "direct"): "Model A"}
    assert selected(views, systems).notes("m1") == (
        "People perceived as male, beside f1 (female). Similar questions about images of men and of women (Figure 4): "
        "Model A.",
    )
    (figure4,) = [view for view in selected(without, systems).views if view.name == "figure-4"]
    assert figure4.text.endswith("There are no annotations of perceived gender.")


def test_names_of_systems_with_commas_are_told_apart() -> None:
    rows = a_pair("p1", "direct", 0)
    predictions = [said(row, model, right=row is rows[1]) for row in rows for model in NAMES]
    views = item_views(items_of(rows), outcomes_of(predictions, NAMES), {}, 5)
    systems = {("a", "direct"): "LLaVA, tuned", ("b", "direct"): "LLaVA"}
    (note,) = selected(views, systems).notes("p1")
    assert note.endswith(": LLaVA, tuned; LLaVA.")


def empty(table: Table) -> Row:
    return dict.fromkeys(table.schema.names)


def job_with(project: Project, rows: list[Row], **written: Any) -> Any:
    """The last job with the tables of some roles: rows, or a function of the wildcards of a file."""
    job = project.jobs("aggregate")[-1]
    for role, given in job.inputs.items():
        for path, wildcards in zip(given.paths, given.wildcards, strict=True):
            if role in written:
                content = written[role](wildcards)
                keys = given.table.key
                write_artifact(path, given.table, sorted(content, key=lambda row: tuple(str(row[key]) for key in keys)))
    return job.task(Published(), project.messages.append)  # type: ignore[arg-type]


def predicted(question: Row, model: str, **more: Any) -> Row:
    return {**empty(PREDICTIONS), "status": "ok", **said(question, model, **more)}


@pytest.fixture
def two_models(project: Project) -> Project:
    project.select("cvqa-real")
    priced = {"price_per_million_prompt_tokens": 2.0, "price_per_million_response_tokens": 10.0}
    talker = {"adapter": "api", "model": "t", "base_url": "http://127.0.0.1:9/v1", "max_new_tokens": 9, **priced}
    project.values["models"] = {"a": {"adapter": "majority"}, "talker": talker}
    project.section("evaluate").update(judge=None, strategies=["direct"])
    project.section("aggregate")["shown_items"] = 1
    return project


def items_and_views(task: Any, rows: list[Row], judged: Judged | None = None) -> tuple[list[Item], list[ItemView]]:
    items, views = real_items(task, rows, {"a": "Model <A>", "talker": "Talker"}, {}, judged)
    return list(items), views


def test_all_items_have_all_answers_and_views_only_some(two_models: Project) -> None:
    rows = [row for place in range(3) for row in a_pair(f"p{place}", "direct", place, writer="rules")]

    def predictions(wildcards: Row) -> list[Row]:
        model = wildcards["model"]
        return [predicted(row, model, right=model == "a") for row in rows[: 6 if model == "a" else 2]]

    items, views = items_and_views(job_with(two_models, rows, predictions=predictions), rows)
    assert [item.item_id for item in items] == ["p0", "p1", "p2"]
    assert [len(question.answers) for item in items for question in item.questions] == [2, 2, 1, 1, 1, 1]
    answers = items[0].questions[1].answers
    assert [(one.system, one.answer, one.correct) for one in answers] == [
        ("Model <A>", "1", True),
        ("Talker", "wrong one", False),
    ]
    assert [item.views for item in items] == [(), ("direct",), ("writer-rules",)]
    assert items[0].pictures[0].image_id == rows[0]["image_ids"][0]
    assert items[0].notes == ("Counterfactual question by the writer rules.",)
    names = [view.name for view in views]
    assert names[:6] == ["direct", "indirect", "boolean", "figure-7", "figure-6", "figure-4"]
    assert names[-2:] == ["figure-9-wrong", "figure-9-right"]


def test_text_of_questions_and_answers_is_not_changed(two_models: Project) -> None:
    rows = a_pair("p1", "direct", 0, texts=("How many <script>?", "How many & if?"))
    turns = [{"response": "Two <b>cats</b>.", "request_key": None}]
    answers = [
        predicted(rows[0], "talker", right=False, response="It is <i>wrong one</i>.", earlier_turns=turns),
        predicted(rows[1], "talker", right=False, answer=None, response="no idea", status="none", reason="no number"),
    ]
    task = job_with(two_models, rows, predictions=lambda w: answers if w["model"] == "talker" else [])
    items, _ = items_and_views(task, rows)
    original, counterfactual = items[0].questions
    assert original.text == "How many <script>?" and counterfactual.text == "How many & if?"  # the site escapes
    assert original.answers[0].response == "It is <i>wrong one</i>." and original.answers[0].turns == (
        "Two <b>cats</b>.",
    )
    (answer,) = counterfactual.answers
    assert (answer.answer, answer.correct, answer.status, answer.why) == (None, False, "none", "no number")
    assert answer.response == "no idea"


def test_the_judge_is_named_but_right_and_wrong_are_by_the_rules(two_models: Project) -> None:
    rows = a_pair("p1", "direct", 0)
    unclear = {"answer": None, "status": "none", "reason": "no number", "response": "It could be one."}
    answers = [predicted(row, "talker", right=False, **unclear) for row in rows]
    ruled = [
        {
            **empty(JUDGED),
            "question_id": row["question_id"],
            "model": "talker",
            "strategy": "direct",
            "correct": one == "1",
        }
        | {"answer": one, "reason": None if one else "the judge finds no answer"}
        for row, one in zip(rows, (None, "1"), strict=True)
    ]
    task = job_with(two_models, rows, predictions=lambda w: answers if w["model"] == "talker" else [])
    items, views = items_and_views(task, rows, Judged("Judge <J>", "answer", ruled))
    first, second = (question.answers[0] for question in items[0].questions)
    assert first.why == "no number; the judge Judge <J> (prompt answer): the judge finds no answer"
    assert second.why == "no number; the judge Judge <J> (prompt answer) reads the answer 1, which is right"
    assert not second.correct and second.status == "none" and second.answer is None
    assert all(view.text.endswith("by the rules, without the judge.") for view in views)


def test_tokens_cost_and_samples_are_shown(two_models: Project) -> None:
    rows = a_pair("p1", "direct", 0)
    samples = [{"response": text, "answer": text, "status": "ok", "request_key": None} for text in ("2", "3", "2")] + [
        {"response": None, "answer": None, "status": "error", "request_key": None}
    ]
    tokens = {"prompt_tokens": 1_000, "response_tokens": 100}
    answers = [predicted(rows[0], "talker", right=True, samples=samples, **tokens)]
    answers += [predicted(rows[1], "talker", right=True, prompt_tokens=5)]
    both = {"a": [predicted(rows[0], "a", right=True, **tokens)], "talker": answers}
    items, _ = items_and_views(job_with(two_models, rows, predictions=lambda w: both[w["model"]]), rows)
    unpriced, priced = items[0].questions[0].answers
    assert priced.cost == pytest.approx((1_000 * 2 + 100 * 10) / 1e6) and unpriced.cost is None
    assert (unpriced.prompt_tokens, unpriced.response_tokens) == (1_000, 100)
    assert priced.why == "2 of 4 responses give this answer"
    assert priced.samples[:3] == ("2", "3", "2") and len(priced.samples) == 4
    (counted_in_part,) = items[0].questions[1].answers
    assert counted_in_part.cost is None and counted_in_part.prompt_tokens == 5


def test_several_strategies_are_systems_of_their_own(two_models: Project) -> None:
    two_models.section("evaluate")["strategies"] = ["direct", "cot"]
    rows = a_pair("p1", "direct", 0)

    def predictions(wildcards: Row) -> list[Row]:
        right = wildcards["strategy"] == "cot"
        return [predicted(rows[1], wildcards["model"], right=right, strategy=wildcards["strategy"])]

    items, _ = items_and_views(job_with(two_models, rows, predictions=predictions), rows)
    assert [(answer.system, answer.correct) for answer in items[0].questions[1].answers] == [
        ("Model <A>, direct", False),
        ("Model <A>, cot", True),
        ("Talker, direct", False),
        ("Talker, cot", True),
    ]


def test_items_need_no_answers(two_models: Project) -> None:
    rows = [*a_pair("p1", "direct", 0), *a_pair("p2", "boolean", 1, ("yes", "yes"))]
    items, views = items_and_views(job_with(two_models, rows, predictions=lambda wildcards: []), rows)
    assert [question.answers for item in items for question in item.questions] == [()] * 4
    text = {view.name: view.text for view in views}
    assert text["figure-7"].endswith("None was found.") and "None was found." not in text["direct"]
    assert items_and_views(job_with(two_models, [], predictions=lambda wildcards: []), [])[0] == []


def program_of(code: str, **more: Any) -> Row:
    calls = [{"tool": "find", "arguments": '{"name": "<cat>"}', "value": "[1, 2]"}]
    return {"code": code, "outcome": "ok", "reason": None, "fallback": False, "sandbox": "none", "calls": calls, **more}


def finding(question: Row, category: str, *, right: bool | None) -> Row:
    """A row of `program-findings` about model a, of which only what the views read is given."""
    return {"question_id": question["question_id"], "model": "a", "category": category, "program_right": right}


def test_wrong_programs_that_ignore_the_presupposition_come_first_and_no_pair_is_shown_twice() -> None:
    every = [(one[0], one[1]) for one in (a_pair(f"p{place}", "direct", place) for place in range(5))]
    kinds = [("wrong tool", False), ("ignored presupposition", False), ("right", True), ("failing tool", True)]
    findings = [finding(one[1], category, right=right) for one, (category, right) in zip(every, kinds, strict=False)]
    chosen = program_pairs(every, findings, 1)
    assert [one[0]["pair_id"] for one in chosen.wrong] == ["p1"]
    chosen = program_pairs(every, findings, 9)
    assert {one[0]["pair_id"] for one in chosen.right} == {"p2", "p3"}
    assert {one[0]["pair_id"] for one in chosen.wrong} == {"p0", "p1"}
    assert program_pairs(every, [], 9) == ProgramPairs((), ())


def test_programs_are_shown_with_their_category_and_the_calls_of_their_tools(project: Project) -> None:
    project.select("cvqa-real")
    viper = {"adapter": "vipergpt", "writer": {"adapter": "rules"}, "tools": {"kind": "oracle"}}
    project.values["models"] = {"a": viper, "talker": {"adapter": "majority"}}
    project.section("evaluate").update(judge=None, strategies=["direct"])
    one = a_pair("p1", "direct", 0)
    found = [finding(one[0], "right", right=True), finding(one[1], "ignored presupposition", right=False)]
    run = {**empty(PROGRAM_FINDINGS), "strategy": "direct", "found_by": "run", "fallback": False}
    found = [{**run, **row} for row in found]
    stood_in = program_of("<script>alert(1)</script>", fallback=True, reason="the writer failed")
    answers = [
        predicted(one[0], "a", right=True, program=program_of("def execute_command(image):\n    return 1 < 2")),
        predicted(one[1], "a", right=False, program=stood_in),
    ]
    task = job_with(
        project,
        one,
        predictions=lambda w: answers if w["model"] == "a" else [],
        **{"program-findings": lambda w: found if w["model"] == "a" else []},
    )
    items, views = items_and_views(task, one)
    right, wrong = (question.answers[0] for question in items[0].questions)
    assert right.program is not None and right.program.code.endswith("return 1 < 2") and right.program.category == ""
    assert right.program.calls == ('find {"name": "<cat>"}: [1, 2]',)
    assert wrong.program is not None and wrong.program.code == "<script>alert(1)</script>"  # the site escapes
    told = f"{wrong.program.category}; {wrong.why}"
    assert "ignored presupposition" in told and "the writer failed" in told and "a fallback program" in told
    assert "figure-9-wrong" in items[0].views and "figure-9-right" not in items[0].views
    assert next(view for view in views if view.name == "figure-9-right").text.endswith("No model answers by programs.")
