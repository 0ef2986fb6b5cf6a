"""What a judge changes, in numbers: counts, accuracy with it, and its agreement with people."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from tests.benchmarks.scenes.scene_results import made_table
from whatif.benchmarks.scenes.report import headline
from whatif.results.reporting.judged import AGREEMENT, KAPPA, Judged
from whatif.results.reporting.rendering import WIDTH, to_html, to_latex, to_markdown
from whatif.scoring.judging import FINDS_NONE, OUTSIDE

ANSWERS = {"q1": "3", "q2": "yes", "q3": "no", "q4": "2"}


def question(name: str) -> dict[str, Any]:
    kind = "number" if ANSWERS[name].isdigit() else "boolean"
    return {"question_id": name, "group": kind, "answer_kind": kind, "image_ids": [f"image-{name}"]}


def prediction(name: str, model: str, *, right: bool = False) -> dict[str, Any]:
    return {
        "question_id": name,
        "model": model,
        "strategy": "direct",
        "status": "ok" if right else "none",
        "answer": ANSWERS[name] if right else None,
        "correct": right,
        "reason": None,
    }


def verdict(name: str, model: str, answer: str | None, reason: str | None = None) -> dict[str, Any]:
    status = "ok" if answer else "error" if reason == "status 500" else "none"
    right = answer == ANSWERS[name]
    row = {"question_id": name, "model": model, "strategy": "direct", "status": status, "answer": answer}
    return {**row, "correct": right, "reason": reason}


QUESTIONS = [question(name) for name in ANSWERS]
PREDICTIONS = [
    *(prediction(name, "m") for name in ("q1", "q2", "q3")),
    prediction("q4", "m", right=True),
    *(prediction(name, "other") for name in ANSWERS),
]
ROWS = [
    verdict("q1", "m", "3"),
    verdict("q2", "m", "no"),
    verdict("q3", "m", None, OUTSIDE),
    verdict("q1", "other", None, FINDS_NONE),
    verdict("q2", "other", None, "status 500"),
    verdict("q3", "other", "no"),
    verdict("q4", "other", "2"),
]
LABELS = {
    ("q1", "m", "direct"): "3",
    ("q2", "m", "direct"): "yes",
    ("q3", "m", "direct"): "none",
    ("q1", "other", "direct"): "none",
    ("q2", "other", "direct"): "yes",  # the judge could not be asked
    ("q4", "m", "direct"): "2",  # the rules read it
}
NAMES = {"m": "A model", "other": "Another"}


def table(judged: Judged | None) -> Any:
    return made_table("accuracy", predictions=PREDICTIONS, questions=QUESTIONS, names=NAMES, judged=judged)


def values(frame: pd.DataFrame, **of: str) -> dict[str, float]:
    for name, value in of.items():
        frame = frame[frame[name] == value]
    return {row["measure"]: row["value"] for row in frame.to_dict("records")}


def test_rows_of_the_judge_stand_beside_those_of_the_rules_which_stay() -> None:
    alone, beside = table(None).frame, table(Judged("J", "answer", ROWS)).frame
    assert "judge" not in alone.columns
    assert "judge" not in "".join(alone["measure"])
    rules = beside[beside["judge"] == ""]
    rules = rules[rules["measure"].isin(["accuracy", "unanswered", "asked"])].drop(columns="judge")
    pd.testing.assert_frame_equal(rules.reset_index(drop=True), alone, check_dtype=False)
    no_pairs = made_table("matching").frame
    assert headline(beside, no_pairs) == headline(alone, no_pairs)


def test_accuracy_with_the_judge_and_what_it_found() -> None:
    frame = table(Judged("J", "answer", ROWS)).frame
    accuracies = {
        (model, judge): values(frame, model=model, group="all", judge=judge)["compared accuracy"]
        for model in NAMES
        for judge in ("without", "with")
    }
    assert accuracies == {("m", "without"): 25, ("m", "with"): 50, ("other", "without"): 0, ("other", "with"): 50}
    counts = values(frame, model="other", group="all", judge="")
    names = (
        "judged",
        "decided",
        "decided right",
        "no answer found",
        "not in the response",
        "outside its format",
        "judge errors",
    )
    assert [counts[name] for name in names] == [4, 2, 2, 1, 0, 0, 1]
    of_group = values(frame, model="m", group="boolean", judge="")
    assert [of_group[name] for name in names] == [2, 1, 0, 0, 0, 1, 0]


def test_agreement_counts_only_responses_that_were_judged_and_labelled() -> None:
    judged = Judged("J", "answer", ROWS, LABELS)
    frame = table(judged).frame
    found = {model: values(frame, model=model, group="all") for model in (*NAMES, "")}
    # Of `m` both read 3 and none, and differ on q2; of `other` both read none.
    assert found["m"][AGREEMENT] == pytest.approx(200 / 3, abs=1e-3)
    assert found["other"][AGREEMENT] == 100
    assert pd.isna(found["other"][KAPPA]), "kappa is not defined where all readings are the same"
    assert found[""][AGREEMENT] == 75
    n = frame[frame["measure"] == AGREEMENT].set_index("model")["n"].to_dict()
    assert n == {"m": 3, "other": 1, "": 4}
    assert judged.not_judged == 2
    alone = judged.of({"m"}, "direct")
    assert (len(alone.rows), alone.not_judged) == (3, 1)
    assert not judged.of({"m"}, "cot").rows
    by_id = {row["question_id"]: row for row in QUESTIONS}
    one = list(alone.agreements({"m": "A"}, "All", by_id, 0.95, ANSWERS))
    assert {row["model"] for row in one} == {"m"}, "a single model needs no row of all models"


@pytest.mark.parametrize("labels", [None, {}, LABELS])
def test_the_judge_is_named_wherever_its_numbers_are_printed(labels: Any) -> None:
    made = table(Judged("J & <co>", "answer", ROWS, labels))
    assert len(made.views) == (3 if labels is None else 4)
    text = to_markdown(made)
    assert max(map(len, text.splitlines())) <= WIDTH
    named = "".join(view.caption for view in made.views[1:]).count("J & <co> (prompt: answer)")
    assert named == len(made.views) - 1
    assert "& <co>" not in to_latex(made) + to_html(made)
