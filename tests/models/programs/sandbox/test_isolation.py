"""What a program sees of the machine, without the static check: probes that would be harmless."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.models.programs.sandbox.conftest import INTERFACE, LIMITS, Tools, program
from whatif.models.programs.sandbox.pool import Sandbox

pytestmark = pytest.mark.process

_LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"


def _value(sandbox: Sandbox, body: str) -> object:
    finished = sandbox.run(program(body), Tools())
    assert finished.outcome == "ok", finished
    return finished.value


def test_the_environment_is_empty(unchecked: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    with Sandbox("bubblewrap", LIMITS, INTERFACE, checks=False) as fresh:
        for sandbox in (fresh, unchecked):
            names = _value(sandbox, "import os\nreturn sorted(os.environ)")
            assert set(names) <= {"LC_ALL", "PWD", "PYTHONHASHSEED"}


def test_no_file_is_visible(unchecked: Sandbox) -> None:
    assert _value(unchecked, "import os\nreturn os.listdir('/') + os.listdir('/..')") == []
    for path in (
        "/proc/self/status",
        "/etc/passwd",
        "/code/worker",
        "/dev/null",
        __file__,
        os.path.realpath("/bin/sh"),
    ):
        assert _value(unchecked, f"import os\nreturn os.path.exists({path!r})") is False


def test_the_scratch_folder_is_writable_small_and_emptied(unchecked: Sandbox) -> None:
    write = "import os\nos.mkdir('a')\nwith open('a/b', 'w') as file:\n    file.write('x')\nreturn os.listdir('/')"
    assert _value(unchecked, write) == ["a"]
    assert _value(unchecked, "import os\nreturn os.listdir('/')") == []
    many = "".join(f"open('{name}', 'w').write('x' * 600_000)\n" for name in "ab")
    full = unchecked.run(program(many), Tools())
    assert (full.outcome, "No space left" in (full.reason or "")) == ("error", True)
    assert _value(unchecked, "import os\nreturn os.listdir('/')") == []
    empty = unchecked.run(program("import os\nfor number in range(1000):\n    os.mkdir(str(number))"), Tools())
    assert (empty.outcome, "No space left" in (empty.reason or "")) == ("error", True)
    assert _value(unchecked, "import os\nreturn os.listdir('/')") == []


def test_only_the_channel_and_an_empty_input_are_open(unchecked: Sandbox) -> None:
    body = """import os
found = []
for number in range(4096):
    try:
        os.fstat(number)
        found.append(number)
    except OSError:
        pass
return found + [os.read(0, 10) == b'']"""
    assert _value(unchecked, body) == [0, 1, 2, 3, True]


def test_it_is_nobody_in_a_namespace_of_its_own() -> None:
    with Sandbox("bubblewrap", LIMITS, INTERFACE, checks=False) as new:
        first = _value(new, "import os\nreturn [os.getuid(), os.getgid(), os.getpid(), os.getppid()]")
    assert first[:2] == [65534, 65534]
    assert first[3] < first[2] <= 5  # among the first processes of its namespace


def _probe(body: str) -> list[int]:
    """What the worker's code gives in a child without the filter of system calls, through the same bubblewrap."""
    import subprocess

    from whatif.models.programs.sandbox import bubblewrap
    from whatif.models.programs.sandbox.worker import zygote

    code = (
        "import sys; sys.path.insert(0, '/code'); from worker import zygote\n"
        "import ctypes, os, socket\nlibc = zygote._confine('/scratch', True, 1)\n" + body
    )
    command = bubblewrap.command(Path(zygote.__file__).parent)
    python = [bubblewrap.interpreter(), "-s", "-P", "-S", "-B", "-c", code]
    shown = subprocess.run([*command, *python], capture_output=True, text=True, check=True)
    return [int(number) for number in shown.stdout.split()]


def test_no_capability_is_left_and_none_can_be_gained() -> None:
    body = """
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
data = (ctypes.c_uint32 * 6)()
assert libc.capget(header, data) == 0
ambient = [libc.prctl(47, *(ctypes.c_ulong(number) for number in (1, one, 0, 0))) for one in range(40)]
print(*data, max(ambient), libc.prctl(39, 0, 0, 0, 0))
"""
    assert _probe(body) == [0, 0, 0, 0, 0, 0, 0, 1]


def test_the_only_network_interface_is_loopback() -> None:
    assert _probe("print(len(socket.if_nameindex()), int(socket.if_nameindex()[0][1] == 'lo'))") == [1, 1]


def test_no_other_process_can_be_reached() -> None:
    body = f"""
reached = 0
for process in (*range(5, 1000), {os.getpid()}):
    try:
        os.kill(process, 0)
        reached += 1
    except ProcessLookupError:
        pass
print(reached)
"""
    assert _probe(body) == [0]


def test_no_namespace_can_be_made() -> None:
    assert _probe("print(libc.unshare(0x10000000), libc.unshare(0x20000))") == [-1, -1]


@pytest.mark.parametrize(
    "body",
    [
        "import os\nos.fork()",
        "import _thread\n_thread.start_new_thread(print, ())",
        "import os\nos.execv('/bin/sh', ['sh'])",
        "import os\nos.kill(os.getppid(), 9)",
        "import os\nos.kill(-1, 9)",
        "import os\nos.symlink('/etc', 'a')",
        "import os\nos.mkfifo('a')",
        "import os\nos.chmod('/', 0)",
        "import os\nos.chroot('/')",
        "import os\nos.memfd_create('a')",
        "import os\nos.pipe()",
        "import signal\nsignal.alarm(1)",
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (9, 9))\nimport fcntl\nfcntl.fcntl(3, 8, 2)",
        *(
            f"{_LIBC}libc.syscall({call}, 0, 0, 0, 0)"
            for call in (41, 42, 47, 46, 49, 56, 57, 58, 59, 62, 101, 157, 165, 166, 200, 248, 250, 272, 298, 304, 308)
        ),
        *(f"{_LIBC}libc.syscall({call}, 0, 0, 0, 0)" for call in (310, 311, 321, 323, 425, 428, 434, 435, 438)),
        f"{_LIBC}libc.syscall(0x40000000 + 39)",
        f"{_LIBC}libc.mmap(0, 4096, 7, 0x22, -1, 0)",
        f"{_LIBC}libc.tgkill(1, 1, 9)",
    ],
)
def test_a_refused_system_call_ends_the_program(unchecked: Sandbox, body: str) -> None:
    if "syscall" in body and os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86_64")
    finished = unchecked.run(program(body), Tools())
    if finished.outcome == "error":  # what the standard library itself refuses or lacks in the worker
        assert any(
            word in (finished.reason or "") for word in ("ModuleNotFoundError", "PermissionError", "not allowed")
        )
    else:
        assert finished.outcome == "forbidden"
        assert finished.reason == "it made a system call that no program may make"
