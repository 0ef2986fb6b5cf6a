"""The expansion by a real model behind a real chat endpoint (`transformers serve`), which knows no JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.cfmm.expansions import expand, item_rows, small
from tests.projects import Project
from whatif.benchmarks.cfmm.expansion import REFUSED

pytestmark = pytest.mark.process

CATEGORIES = ("color", "count")
NEW_TOKENS = 768
AT_LIMIT = "the reply was cut off at the limit of new tokens; write shorter questions"


@pytest.fixture(autouse=True)
def offline(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.folder / "hub").mkdir()
    monkeypatch.setenv("HF_HUB_CACHE", str(project.folder / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("WHATIF_RESPONSES", raising=False)


@pytest.mark.soak
def test_bad_replies_of_a_real_endpoint_are_refused_with_their_reasons(
    project: Project, served: tuple[str, Path]
) -> None:
    small(project, [row for category in CATEGORIES for row in item_rows(category)])
    address, checkpoint = served
    project.values["models"]["writer"] = {
        "adapter": "api",
        "model": str(checkpoint),
        "base_url": f"http://{address}/v1",
        "retries": 0,
        "benchmarks": [],
    }
    said = expand(project)
    assert said[0] == ("writer: wrote 3 further questions about 0 of 2 items, 0 of them after its reply was repaired")
    assert project.rows("generate", "expanded") == []
    replies = project.rows("generate", "replies")
    assert [(row["item_id"], row["attempt"]) for row in replies] == [
        (f"{category}-1", attempt) for category in CATEGORIES for attempt in (0, 1)
    ]
    for first, repair in zip(replies[::2], replies[1::2], strict=True):
        for row in (first, repair):
            assert (row["status"], row["finish"], row["response_tokens"]) == ("refused", "length", NEW_TOKENS)
            assert row["response"].strip() and row["reason"].startswith(f"{AT_LIMIT}; the reply ")
        assert first["response"] != repair["response"]
        # The second request has the first reply in it; its tokens are not always split as they were generated.
        assert repair["prompt_tokens"] > first["prompt_tokens"] + NEW_TOKENS / 2
    refused = {row["item_id"]: row for row in project.rows("generate", "refused")}
    assert {item: row["reason"] for item, row in refused.items()} == dict.fromkeys(("color-1", "count-1"), REFUSED)
    assert [refused[row["item_id"]]["detail"] for row in replies[1::2]] == [row["reason"] for row in replies[1::2]]
    before = project.everything()
    for path in project.paths("generate", "expanded"):
        path.unlink()
    expand(project)
    assert project.everything() == before, "all replies are stored"
