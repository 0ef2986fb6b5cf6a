"""Rows of the tables of C-VQA-Real, made for tests."""

from __future__ import annotations

from typing import Any

from whatif.benchmarks.cvqa_real.written_questions import written_row
from whatif.engine.artifacts.reader import canonical_json

Row = dict[str, Any]


def source_row(source_id: str, question: str, answer: str, image: str = "0" * 64, **provenance: Any) -> Row:
    """A source question, whose group follows from its answer."""
    is_boolean = answer in ("yes", "no")
    return {
        "question_id": f"{source_id}-original",
        "pair_id": source_id,
        "group": "boolean" if is_boolean else "numerical",
        "variant": "original",
        "question": question,
        "choices": None,
        "answer": answer,
        "answer_kind": "boolean" if is_boolean else "number",
        "image_ids": [image] if image else [],
        "provenance": canonical_json(provenance),
    }


def written(source_id: str, group: str, writer: str, answer: str, question: str, *steps: str | None) -> Row:
    """A counterfactual question to a source question, with two steps or none."""
    step1, step2 = steps or (None, None)
    return written_row(
        source_id, group, writer, question=question, answer=answer, step1=step1, step2=step2, provenance={}
    )


def people_row(source_id: str, group: str, question: str, answer: str, *steps: str) -> Row:
    return written(source_id, group, "people", answer, question, *steps)


def a_pair(original: Row, counterfactual: Row, **provenance: Any) -> list[Row]:
    """The two rows of `questions` of a source question and a written one."""
    shared = {
        **original,
        "pair_id": counterfactual["written_id"],
        "group": counterfactual["group"],
        "provenance": canonical_json(
            {"source_id": counterfactual["source_id"], "writer": counterfactual["writer"], **provenance}
        ),
    }
    return [
        {
            **shared,
            "question_id": f"{counterfactual['written_id']}-{variant}",
            "variant": variant,
            "question": asked["question"],
            "answer": asked["answer"],
        }
        for variant, asked in (("counterfactual", counterfactual), ("original", original))
    ]
