"""Programs in steps that try to break the interpreter: each ends with an outcome, and none with an exception."""

from __future__ import annotations

import random

import pytest

from whatif.engine.params.programs import Limits, OracleTools
from whatif.models.depicted import Depicted, DepictedThing
from whatif.models.programs.interfaces import Finished
from whatif.models.programs.steps import run_steps
from whatif.models.programs.tool_calls import ToolCalls
from whatif.models.programs.tools.loading import load_tools

_PROGRAM = """\
BOX0=LOC(image=IMAGE,object='dog')
IMAGE0=CROP_LEFT(image=IMAGE,box=BOX0)
ANSWER0=COUNT(box=BOX0)
ANSWER1=VQA(image=IMAGE0,question='What is the dog's name?')
ANSWER2=EVAL(expr="'yes' if {ANSWER0} * 2 >= 4 - 1 and not '{ANSWER1}' == 'no' else 'no'")
FINAL_RESULT=RESULT(var=ANSWER2)
"""
_PIECES = (*"'\"(){}-%\0\u0663\ud800\n", "9" * 400, "not ", "__class__", " if ")


class _Drawn:
    image_id = "drawn"

    @property
    def pixels(self) -> None:
        raise AssertionError("tools that know the picture need no pixels")


def _run(code: str, limits: Limits | None = None) -> Finished:
    boxes = ((40.0, 40.0, 80.0, 80.0), (120.0, 40.0, 160.0, 80.0))
    things = tuple(DepictedThing(frozenset({"dog"}), box) for box in boxes)
    depicted = Depicted(256, 256, things, lambda question: "Rex")
    tools = load_tools(OracleTools(kind="oracle"), lambda image_id: depicted)
    return run_steps(code, ToolCalls(tools, _Drawn()), limits or Limits())  # type: ignore[arg-type]


def _evaluated(expression: str) -> Finished:
    return _run(f'ANSWER0=EVAL(expr="{expression}")\nFINAL=RESULT(var=ANSWER0)')


def test_an_apostrophe_does_not_end_a_text() -> None:
    assert _run(_PROGRAM).value == "yes"


@pytest.mark.parametrize(
    ("expression", "outcome"),
    [
        ("+".join("1" * 499), "syntax"),
        ("(" * 99 + "1" + ")" * 99, "syntax"),
        ("9" * 400, "error"),
        ("9" * 400 + ".5", "error"),
        ("\u0663 + 1", "syntax"),
        ("''.__class__", "syntax"),
        ("1 / 0", "error"),
    ],
)
def test_an_expression_beyond_the_limits_ends_with_its_line(expression: str, outcome: str) -> None:
    finished = _evaluated(expression)
    assert finished.outcome == outcome
    assert finished.reason is not None and finished.reason.startswith("line 1: ")


def test_the_longest_sum_has_a_value() -> None:
    assert _evaluated("+".join("1" * 100)).value == 100


def test_calls_are_limited() -> None:
    assert _run(_PROGRAM, Limits(calls=2)).outcome == "time"


def test_changed_programs_end_with_an_outcome() -> None:
    draw = random.Random(5)
    outcomes = set()
    for _ in range(3_000):
        code = _PROGRAM
        for _ in range(draw.randint(1, 4)):
            start = draw.randrange(len(code))
            code = code[:start] + draw.choice(_PIECES) + code[start + draw.randint(0, 5) :]
        outcomes.add(_run(code).outcome)
    assert {"ok", "syntax", "error"} <= outcomes
