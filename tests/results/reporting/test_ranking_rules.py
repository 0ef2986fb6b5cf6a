"""Rules of ranking applied to all answers of models, from artifacts, and the table that compares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.cvqa_synthetic.answered import made as table_of
from tests.benchmarks.cvqa_synthetic.answered import puzzles
from tests.results.reporting.test_pair_measures import VARIANTS, prediction, question
from whatif.benchmarks.cvqa_synthetic.report import Puzzles
from whatif.engine.artifacts.reader import batches
from whatif.engine.artifacts.schemas import PREDICTIONS, QUESTIONS
from whatif.engine.artifacts.writer import write_artifact
from whatif.engine.params.model_entries import RankingRule
from whatif.results.reporting.answers import STATUSES
from whatif.results.reporting.question_pairs import PREDICTION_COLUMNS, QUESTION_COLUMNS, QuestionPairAnswers
from whatif.results.reporting.rendering import WIDTH, grid, to_latex, to_markdown
from whatif.results.reporting.table import to_csv
from whatif.scoring.ranking_rules import RULES, decided
from whatif.scoring.statistics import wilson

# Sum, tokens, without the image, after nothing: `mean` prefers A, the right answer; the other rules B, C and D.
SCORES = [(-6.0, 6, -5.0, -9.0), (-2.0, 1, -1.0, -3.0), (-8.0, 4, -15.0, -11.0), (-9.0, 3, -14.0, -20.0)]
NAMES = {
    "all": "Tiny LLaVA",
    "losses": "Losses from a file",
    "partly": "One score is missing",
    "random": "Random",
    "words": "In words",
}


def scores(*known: str) -> list[dict[str, Any]]:
    return [
        {
            "log_likelihood": total if "sum" in known else None,
            "tokens": tokens if "sum" in known else None,
            "mean": total / tokens,
            "at_most": False,
            "without_image": image if "image" in known else None,
            "without_prompt": prompt if "prompt" in known else None,
        }
        for total, tokens, image, prompt in SCORES
    ]


def rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Ten pairs whose answers are A, for C in the last two pairs; five models, of which three ranked."""
    questions, predictions = [], []
    for pair in range(10):
        for variant in sorted(VARIANTS):
            asked = {**question(pair, variant), "question": "How many?", "image_ids": [], "provenance": "{}"}
            asked["answer"] = "C" if pair > 7 else "A"
            questions.append(asked)
            everything = ("sum", "image", "prompt")
            ranked = {
                "all": scores(*everything),
                "losses": scores(),
                "partly": scores(*everything[: 2 if pair == 0 else 3]),
            }
            for model in NAMES:
                blank = {**dict.fromkeys(PREDICTIONS.schema.names), "strategy": "direct"}
                made = {**blank, **prediction(asked, "A", model=model), "choice_scores": ranked.get(model)}
                made["response"] = "A" if model == "words" else None
                predictions.append(made)
    failed = next(one for one in predictions if one["model"] == "all" and one["question_id"] == "p007-original")
    failed |= {"status": "error", "reason": "too long", "answer": None, "correct": False, "choice_scores": None}
    return questions, sorted(predictions, key=lambda one: (one["question_id"], one["model"]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    questions, predictions = rows()
    write_artifact(tmp_path / "questions.parquet", QUESTIONS, questions)
    write_artifact(tmp_path / "predictions.parquet", PREDICTIONS, predictions)
    return tmp_path


def made(folder: Path, rule: RankingRule) -> Puzzles:
    said = batches(
        folder / "predictions.parquet",
        PREDICTIONS,
        PREDICTION_COLUMNS,
        encoded=["model", "response", "answer", "status"],
    )
    asked = batches(folder / "questions.parquet", QUESTIONS, QUESTION_COLUMNS)
    return puzzles(said, asked, NAMES, rule)


@pytest.mark.parametrize("rule", RULES)
def test_all_answers_are_decided_as_rows_are(folder: Path, rule: RankingRule) -> None:
    questions, predictions = rows()
    found = made(folder, rule)
    answers = {one["question_id"]: one["answer"] for one in questions}
    again = decided([one for one in predictions if one["model"] not in found.by_mean], answers, rule)
    stored = [one for one in predictions if one["model"] in found.by_mean]
    by_rows = QuestionPairAnswers([*again, *stored], questions, NAMES)
    for name in ("right", "status", "letter"):
        assert (getattr(found.answers, name) == getattr(by_rows, name)).all(), name
    for measure, by_published in found.answers.by_rules.items():
        assert (by_published == by_rows.by_rules[measure]).all(), measure


@pytest.mark.parametrize(
    ("rule", "original", "counterfactual"),
    [("mean", 70.0, 80.0), ("sum", 0.0, 0.0), ("minus-without-image", 20.0, 20.0), ("minus-without-prompt", 0.0, 0.0)],
)
def test_the_rule_decides_the_accuracy_of_a_model_that_ranked(
    folder: Path, rule: RankingRule, original: float, counterfactual: float
) -> None:
    found = made(folder, rule)
    cells = values(found, "table7")
    for measure in ("accuracy", "legacy"):
        assert [cells["all", variant, measure] for variant in VARIANTS] == [original, counterfactual]
    assert cells["all", "original", "error"] == 1
    letter = "ABCD"[RULES.index(rule)]
    assert values(found, "letters")["all", "original", f"share {letter}"] == 100.0
    for model in ("random", "words"):
        assert cells[model, "original", "accuracy"] == 80.0
        assert found.names[model] == NAMES[model]


def values(found: Puzzles, table: str) -> dict[tuple[str, str, str], float]:
    """The values of a table by model, variant and measure, with the letter where there is one."""
    return {
        (row["model"], row["variant"], f"{row['measure']} {row.get('answer', '')}".strip()): row["value"]
        for row in table_of(table, found).frame.to_dict("records")
    }


def test_a_model_without_the_scores_stays_with_the_mean_and_says_so(folder: Path) -> None:
    found = made(folder, "sum")
    assert found.by_mean == ["losses"]
    assert found.names["losses"] == "Losses from a file (ranked by mean)"
    assert values(found, "table7")["losses", "original", "accuracy"] == 80.0
    for name in ("table7", "templates", "letters"):
        text = to_csv(table_of(name, found).frame)
        assert text.count("Losses from a file") == text.count("Losses from a file (ranked by mean)") > 0
    assert made(folder, "mean").by_mean == []


def test_tables_name_a_rule_other_than_the_mean(folder: Path) -> None:
    for rule in RULES:
        found = made(folder, rule)
        for name in ("table7", "templates", "letters"):
            text = to_markdown(table_of(name, found)).replace("\n", " ")
            assert (f"compared by {rule};" in text) == (rule != "mean")
            assert "compared by mean" not in text


def test_a_question_without_the_scores_is_an_error(folder: Path) -> None:
    found = values(made(folder, "minus-without-prompt"), "table7")
    for variant in VARIANTS:
        assert [found["partly", variant, status] for status in STATUSES] == [9, 0, 0, 1]
    assert values(made(folder, "sum"), "table7")["partly", "original", "error"] == 0


def test_the_table_compares_the_rules_whichever_is_chosen(folder: Path) -> None:
    tables = {rule: table_of("rules", made(folder, rule)) for rule in RULES}
    assert len({to_csv(table.frame) for table in tables.values()}) == 1
    table = tables["mean"]
    printed = grid(table.views[0], table.frame)
    assert printed.header == ("Model", "Rule", "Original", "Counterfactual")
    assert [row[:2] for row in printed.rows] == [
        *(("Tiny LLaVA", rule) for rule in RULES),
        ("Losses from a file", "mean"),
        *(("One score is missing", rule) for rule in RULES),
    ]
    low, high = (round(100 * end, 1) for end in (wilson(7, 10).low, wilson(7, 10).high))
    assert printed.rows[0][2] == f"70.0 ({low} to {high})"
    assert [row[3].split(" ")[0] for row in printed.rows[:4]] == ["80.0", "0.0", "20.0", "0.0"]
    letters = grid(table.views[1], table.frame)
    assert letters.rows[2] == ("Tiny LLaVA", "sum", "original", "0.0", "100.0", "0.0", "0.0")
    assert "Other tables are by sum." in to_markdown(tables["sum"]).replace("\n", " ")
    for text in (to_markdown(table), to_latex(table)):
        assert "Random" not in text and "In words" not in text
    assert max(map(len, to_markdown(table).splitlines())) <= WIDTH
