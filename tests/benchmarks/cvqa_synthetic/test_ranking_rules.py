"""C-VQA-Synthetic with another rule of ranking, which asks nothing again, and asked in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.cvqa_synthetic.small import BEFORE_MODELS, NAME, small
from tests.projects import Project, Row
from tests.tiny_checkpoints import tiny_llava
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.graph.freshness import Condition
from whatif.engine.params.base import STAGES
from whatif.models.responses.store import store_path
from whatif.scoring.ranking_rules import decided

pytestmark = pytest.mark.slow


@pytest.fixture
def project(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    pytest.importorskip("torch")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)
    made = small(project)
    made.generate["puzzles_per_template"] = 2
    checkpoint = str(tiny_llava(tmp_path / "llava"))
    # Keys are in order of their predictions.
    made.values["models"] = {
        "random": {"adapter": "random"},
        "text": {"adapter": "hf-chat", "checkpoint": checkpoint, "max_new_tokens": 3},
        "words": {"adapter": "hf-chat", "checkpoint": checkpoint, "multiple_choice": "words", "max_new_tokens": 3},
    }
    return made


def rows(project: Project, model: str) -> list[Row]:
    paths = [path for path in project.paths("evaluate", "predictions") if f"/{model}/" in str(path)]
    return [row for path in paths for row in artifacts.rows_of(path, PREDICTIONS)]


def stale(project: Project) -> set[str]:
    return {job.name for job, state in project.states().items() if state.condition is not Condition.FRESH}


def test_another_rule_makes_only_the_tables_stale(project: Project) -> None:
    project.make(*STAGES)
    questions = project.rows("verify", "questions")
    answers = {row["question_id"]: row["answer"] for row in questions}
    ranked = rows(project, "text")
    for row in ranked:
        assert all(None not in score.values() for score in row["choice_scores"])
    kept = store_path().read_bytes()
    aggregate = f"aggregate {NAME}"
    for rule in ("mean", "minus-without-image"):  # `tests/scoring` has every rule
        assert stale(project) == set()
        project.section("aggregate")["rule"] = rule
        assert stale(project) == (set() if rule == "mean" else {aggregate})
        done = project.run("evaluate", "aggregate")
        assert {job for job, what in done.items() if what == "computed"} == (set() if rule == "mean" else {aggregate})
        found = decided(ranked, answers, rule)
        right = {row["question_id"] for row in found if row["correct"]}
        numbers = project.metrics["text"]
        for variant in ("original", "counterfactual"):
            ids = [row["question_id"] for row in questions if row["variant"] == variant]
            expected = 100 * len(right.intersection(ids)) / len(ids)
            assert numbers[variant] == pytest.approx(expected, abs=1e-4)
        if rule == "minus-without-image":
            assert [row["answer"] for row in found] != [row["answer"] for row in ranked]
        shown = {
            asked["question_id"]: (answer["answer"], answer["correct"], answer["why"])
            for item in project.rows("aggregate", "items")
            for asked in item["questions"]
            for answer in asked["answers"]
            if answer["system"] == "text"
        }
        texts = {row["question_id"]: row["choices"] for row in questions}
        for row in found:
            words = f"{texts[row['question_id']]['ABCD'.index(row['answer'])]} ({row['answer']})"
            assert shown[row["question_id"]][:2] == (words, row["correct"])
            assert shown[row["question_id"]][2].startswith(f"ranked by {rule}: A ")
    assert rows(project, "text") == ranked and store_path().read_bytes() == kept


def test_in_words_every_model_that_can_names_a_letter(project: Project) -> None:
    project.make(*BEFORE_MODELS, "evaluate")
    ranked, said, drawn = (rows(project, model) for model in ("text", "words", "random"))
    assert {row["response"] for row in ranked} == {None}
    project.values["evaluate"][NAME]["ask"] = "generate"
    project.make("evaluate", "aggregate")
    assert {row["choice_scores"] for row in rows(project, "text")} == {None}
    responses = [(row["question_id"], row["response"], row["request_key"]) for row in rows(project, "text")]
    assert responses == [(row["question_id"], row["response"], row["request_key"]) for row in said]
    assert rows(project, "words") == said and rows(project, "random") == drawn
    letters = (project.folder / f"metrics/{NAME}/letters.csv").read_text(encoding="utf-8")
    assert "text,text,ours,original,share,A," in letters or "text,text,ours,original,none," in letters
    rules = (project.folder / f"metrics/{NAME}/rules.csv").read_text(encoding="utf-8")
    assert rules.count("\n") == 1, "no model ranked"
