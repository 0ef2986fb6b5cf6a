"""A benchmark asked of a model that reasons: its predictions, its row in the costs, and what the site shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.cvqa_real.small import small
from tests.benchmarks.shared.test_evaluation import loopback
from tests.faulty_proxy import Fault, FaultyProxy
from tests.projects import Project
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.site_schemas import ITEMS
from whatif.engine.graph.run import run
from whatif.results.reporting.items import without_reasoning

__all__ = ["loopback"]  # a fixture

pytestmark = pytest.mark.slow

CUT = "cut off inside its reasoning at 2,112 tokens"


def reply(asked: str, number: int) -> Fault:
    """Every other question, by the hash of what is asked, uses up all of its tokens in its reasoning."""
    cut = int(asked[:8], 16) % 2 == 0
    message = {"role": "assistant", "content": "" if cut else "yes, 3", "reasoning_content": "Let me count."}
    choice = {"index": 0, "finish_reason": "length" if cut else "stop", "message": message}
    usage = {"prompt_tokens": 9, "completion_tokens": 2112 if cut else 12}
    usage["completion_tokens_details"] = {"reasoning_tokens": 2112 if cut else 8}  # type: ignore[assignment]
    return Fault("status", 200, body=json.dumps({"choices": [choice], "usage": usage}).encode())


def test_reasoning_that_was_cut_off_is_in_every_result(project: Project) -> None:
    project = small(project)
    with FaultyProxy("127.0.0.1:1", reply) as endpoint:
        entry = {"adapter": "api", "model": "m", "base_url": endpoint.base_url, "retries": 0, "concurrency": 1}
        project.values["models"] = {"m": {**entry, "reasoning": {"effort": "high", "budget_tokens": 2048}}}
        for job in project.graph.jobs:
            run(job, lambda line: None)
    assert {body["max_tokens"] for _, body, _ in endpoint.log} == {2048 + 64}
    (made,) = Path("data/evaluate/m").rglob("part-000-of-001.parquet")
    rows = list(artifacts.rows_of(made, PREDICTIONS))
    assert {(row["status"], row["reason"], row["reasoning"]) for row in rows if row["finish"] == "length"} == {
        ("none", CUT, "Let me count.")
    }
    cut = sum(row["finish"] == "length" for row in rows)
    assert 0 < cut < len(rows)
    table = next(Path().rglob("costs.csv")).read_text(encoding="utf-8")
    assert f'm,m,in its reasoning,"{CUT}",{cut},' in table
    (items,) = (path for path in Path("data").rglob("items*.parquet"))
    answers = [a for item in artifacts.rows_of(items, ITEMS) for q in item["questions"] for a in q["answers"]]
    assert {without_reasoning(answer["response"]) for answer in answers} == {
        ("Let me count.", "yes, 3"),
        ("Let me count.", None),
    }
