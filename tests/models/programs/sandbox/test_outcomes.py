"""How programs end, and what their results may be."""

from __future__ import annotations

import pytest

from tests.models.programs.sandbox.conftest import INTERFACE, LIMITS, Tools, program
from whatif.engine.errors import WhatifError
from whatif.models.programs.sandbox.pool import Sandbox

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("return len(image.find('cup'))", 2),
        ("return [patch.handle for patch in image.find('cup')]", [1, 2]),
        ("return half(7)", 3),
        ("import math\nreturn math.sqrt(2.25)", 1.5),
        ("from collections import Counter\nreturn Counter('aab').most_common(1)[0][0]", "a"),
        ("return (1, True, None, 'é', 0.5)", [1, True, None, "é", 0.5]),
        ("return None", None),
        ("return -2**63", -(2**63)),
        ("class A:\n    pass\nclass B(A):\n    def __init__(self):\n        super().__init__()\nB()\nreturn 1", 1),
        (
            "try:\n    return image.exists('cup')\nexcept RuntimeError as error:\n    return str(error)",
            "exists cannot answer",
        ),
        (r"return '\ud800'", "?"),
    ],
)
def test_a_result_comes_back(sandbox: Sandbox, body: str, value: object) -> None:
    finished = sandbox.run(program(body), Tools())
    assert (finished.outcome, finished.value, finished.reason) == ("ok", value, None)
    assert type(finished.value) is type(value)


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        ("return (", "syntax", "SyntaxError"),
        ("return " + "-" * 90_000 + "1", "syntax", "nested"),
        ("return " + "(" * 90_000, "syntax", "nested"),
        ("return '\0'", "syntax", "null bytes"),
        ("return 1 / 0", "error", "ZeroDivisionError: division by zero (line 2)"),
        ("raise SystemExit(3)", "error", "SystemExit: 3"),
        ("def again():\n    again()\nagain()", "error", "RecursionError"),
        ("return image.exists('cup')", "error", "RuntimeError: exists cannot answer"),
        ("return call_tool('find', patch=image)", "error", "TypeError"),
        ("return call_tool('find', patch=float('nan'))", "error", "ValueError"),
        ("while True:\n    pass", "time", "2 s of the processor"),
        ("while True:\n    image.find('cup')", "time", "20 calls"),
        ("kept = []\nwhile True:\n    kept.append('x' * 100_000)", "memory", "128 MiB"),
        ("return 'x' * 10**9", "memory", "128 MiB"),
        ("while True:\n    print('x' * 100)", "output", "printed more than 4 KiB"),
        ("return 'x' * 5000", "output", "returned more than 4 KiB"),
        ("call_tool('x' * 1_000_000)", "output", "a message of"),
        ("return {1}", "wrong type", "set"),
        ("return {'a': 1}", "wrong type", "dict"),
        ("return [[1]]", "wrong type", "list"),
        ("return image", "wrong type", "Patch"),
        ("return float('inf')", "wrong type", "inf"),
        ("return 2**64", "wrong type", "64 bits"),
        ("class Text(str):\n    pass\nreturn Text('a')", "wrong type", "Text"),
        ("import os", "forbidden", "line 2: import of os"),
        ("from os import path", "forbidden", "line 2: import of os"),
        ("from random import _os", "forbidden", "import of _os"),
        ("return open('x')", "forbidden", "line 2: use of open"),
        ("return ().__class__", "forbidden", "the attribute __class__"),
        ("return '{0.__class__}'.format(1)", "forbidden", "__class__ in a text"),
        ("return (x for x in ()).gi_frame", "forbidden", "gi_frame"),
        ("return ｏｐｅｎ('x')", "forbidden", "use of open"),
    ],
)
def test_a_program_ends_with_its_reason(sandbox: Sandbox, body: str, outcome: str, reason: str) -> None:
    finished = sandbox.run(program(body), Tools())
    assert (finished.outcome, finished.value) == (outcome, None)
    assert finished.reason is not None
    assert reason in finished.reason
    assert sandbox.run(program("return 1"), Tools()).value == 1


def test_what_a_program_prints_is_kept(sandbox: Sandbox) -> None:
    finished = sandbox.run(program("print('a', 1)\nprint('😀')\nreturn 2"), Tools())
    assert (finished.value, finished.printed) == (2, "a 1\n😀\n")


def test_four_byte_characters_do_not_break_the_limit_of_messages(sandbox: Sandbox) -> None:
    finished = sandbox.run(program("print('😀' * 4000)\nreturn '😀' * 4000"), Tools())
    assert (finished.outcome, finished.value) == ("ok", "😀" * 4000)


def test_another_function_may_be_named(sandbox: Sandbox) -> None:
    assert sandbox.run("def answer(image): return 5", Tools(), function="answer").value == 5
    missing = sandbox.run("def answer(image): return 5", Tools())
    assert (missing.outcome, missing.reason) == ("error", "the program defines no function execute_command")


def test_time_in_tools_does_not_count() -> None:
    import time

    def slow(tool: str, arguments: object) -> bool:
        time.sleep(0.5)
        return True

    with Sandbox("bubblewrap", LIMITS.model_copy(update={"seconds": 2.0}), INTERFACE) as sandbox:
        finished = sandbox.run(program("return [image.exists('a') for _ in range(6)]"), slow)
    assert finished.value == [True] * 6


def test_waiting_counts_as_wall_time() -> None:
    with Sandbox("bubblewrap", LIMITS.model_copy(update={"seconds": 0.5}), INTERFACE, checks=False) as sandbox:
        finished = sandbox.run(program("import time\ntime.sleep(600)"), Tools())
        assert (finished.outcome, finished.reason) == ("time", "more than 0.5 s")
        finished = sandbox.run(program("import os\nos.close(3)\nimport time\ntime.sleep(600)"), Tools())
        assert finished.outcome == "error"


def test_sets_have_the_same_order_in_each_worker() -> None:
    ordered = program("import random\nreturn [*{'ant', 'bee', 'cat', 'dog', 'elk'}, random.random()]")
    values = []
    for _ in range(3):
        with Sandbox("bubblewrap", LIMITS, INTERFACE) as sandbox:
            values.append(sandbox.run(ordered, Tools()).value)
    assert values[0] == values[1] == values[2]


def test_an_error_of_a_tool_itself_is_ours(sandbox: Sandbox) -> None:
    def broken(tool: str, arguments: object) -> bool:
        raise KeyError(tool)

    with pytest.raises(KeyError):
        sandbox.run(program("return image.exists('a')"), broken)
    assert sandbox.run(program("return 1"), Tools()).value == 1


def test_an_interface_that_fails_is_reported() -> None:
    with Sandbox("bubblewrap", LIMITS, "start = missing") as sandbox, pytest.raises(WhatifError, match="missing"):
        sandbox.run(program("return 1"), Tools())
