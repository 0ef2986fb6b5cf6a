"""Calls of tools: their types are checked, patches cannot be invented, and each call is recorded."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from tests.models.programs.steps.test_steps import Drawn, shown
from whatif.models.programs.interfaces import ToolError
from whatif.models.programs.tool_calls import LONGEST_TEXT, MOST_OPTIONS, MOST_PATCHES, MOST_RECORDED, ToolCalls
from whatif.models.programs.tools.oracle import OracleTools


@pytest.fixture
def calls() -> ToolCalls:
    return ToolCalls(OracleTools(shown), Drawn())  # type: ignore[arg-type]


def test_a_program_finds_cuts_and_asks(calls: ToolCalls) -> None:
    assert calls("image", {}) == {"patch": 0, "box": [0, 0, 100, 100]}
    found = calls("find", {"patch": 0, "name": "the red balls"})
    assert [one["patch"] for one in found] == [1]
    assert calls("verify_property", {"patch": 1, "name": "ball", "attribute": "red"}) is True
    assert calls("verify_property", {"patch": 1, "name": "ball", "attribute": "blue"}) is False
    assert calls("best_text_match", {"patch": 1, "options": ["blue ball", "red ball"]}) == "red ball"
    half = calls("crop", {"patch": 0, "left": 50, "top": -9, "right": 500.5, "bottom": 100})
    assert half["box"] == [50, 0, 100, 100]
    assert calls("exists", {"patch": half["patch"], "name": "red ball"}) is False
    assert calls("simple_query", {"patch": half["patch"], "question": "How many balls are there?"}) == "1"
    assert calls("simple_query", {"patch": 0, "question": "What colour is the background?"}) == "white"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("shell", {"command": "ls"}),
        (["find"], {}),
        ("find", {"patch": 0}),
        ("find", {"patch": 0, "name": "ball", "more": 1}),
        ("find", {"patch": 0, "name": 3}),
        ("find", {"patch": 0, "name": ["ball"]}),
        ("find", {"patch": 0, "name": " "}),
        ("find", {"patch": 0, "name": "x" * (LONGEST_TEXT + 1)}),
        ("find", {"patch": 1, "name": "ball"}),
        ("find", {"patch": -1, "name": "ball"}),
        ("find", {"patch": 2**63, "name": "ball"}),
        ("find", {"patch": True, "name": "ball"}),
        ("find", {"patch": 0.0, "name": "ball"}),
        ("find", {"patch": "0", "name": "ball"}),
        ("image", {"patch": 0}),
        ("best_text_match", {"patch": 0, "options": []}),
        ("best_text_match", {"patch": 0, "options": "ball"}),
        ("best_text_match", {"patch": 0, "options": ["ball"] * (MOST_OPTIONS + 1)}),
        ("best_text_match", {"patch": 0, "options": [["ball"]]}),
        ("compute_depth", {"patch": 0}),
        *(
            ("crop", {"patch": 0, "left": left, "top": 0, "right": 50, "bottom": 50})
            for left in (math.nan, math.inf, -math.inf, 10**400, 1e308, "1", None, True, 50, 99)
        ),
    ],
)
def test_what_is_refused_and_recorded(calls: ToolCalls, tool: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as raised:
        calls(tool, arguments)
    assert str(raised.value).isprintable()
    (call,) = calls.calls
    assert call.value.startswith("failed: ")
    assert call.arguments.encode()


def test_the_records_are_few_and_short_and_a_long_list_keeps_its_length(calls: ToolCalls) -> None:
    for _ in range(MOST_RECORDED + 20):
        calls("find", {"patch": 0, "name": "thing"})
    assert len(calls.calls) == MOST_RECORDED
    assert [len(json.loads(call.value)) for call in calls.calls[:2]] == [3, 3]
    assert calls.calls[0].arguments == '{"name": "thing", "patch": 0}'
    lone = ToolCalls(OracleTools(shown), Drawn())  # type: ignore[arg-type]
    lone("find", {"patch": 0, "name": "a\ud800b"})
    assert lone.calls[0].arguments.encode()


def test_the_number_of_patches_is_limited(calls: ToolCalls) -> None:
    with pytest.raises(ToolError, match="10,000 patches"):
        for _ in range(MOST_PATCHES):
            calls("find", {"patch": 0, "name": "thing"})
