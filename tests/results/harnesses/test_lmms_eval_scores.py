"""The scores of the task that is exported for lmms-eval."""

from __future__ import annotations

import pytest

from whatif.results.harnesses import lmms_eval_utils
from whatif.results.harnesses.scores import PAIR_ACCURACY


@pytest.mark.parametrize(
    ("kind_of_answer", "answer", "response", "score"),
    [
        ("number", "2", "There are 2.", 1.0),
        ("number", "2", "Not 3 but 2.", 1.0),
        ("number", "2", "2 or 3", 0.0),
        ("number", "2", "12", 0.0),
        ("boolean", "yes", "Yes, it is.", 1.0),
        ("boolean", "no", "I do not know", 0.0),
        ("choice", "B", "The answer is B.", 1.0),
        ("choice", "B", "A or B", 0.0),
        ("number", "2", "", 0.0),
    ],
)
def test_scores_of_the_exported_task(kind_of_answer: str, answer: str, response: str, score: float) -> None:
    document = {
        "question_id": "q",
        "pair_id": "p",
        "group": "g",
        "question": "How many?",
        "choices": ["1", "2"] if kind_of_answer == "choice" else None,
        "variant": "original",
        "answer": answer,
        "answer_kind": kind_of_answer,
    }
    for results in ([response], [[response]]):
        found = lmms_eval_utils.process_results_of_pairs(document, results)
        assert set(found) == {"accuracy_original", PAIR_ACCURACY}
        assert found["accuracy_original"]["score"] == found[PAIR_ACCURACY]["of_pair"] == score
        assert found["accuracy_original"]["question_id"] == "q"
    assert lmms_eval_utils.accuracy([]) == 0.0
    assert lmms_eval_utils.accuracy([{"score": 1.0}, {"score": 0.0}]) == 0.5
