"""The job server of a local run: a process that has imported what jobs need, and forks each of them.

Imports take longer than most jobs compute: half a second for every job, four seconds where a model is loaded. So the
Snakemake that plans starts this server, and the shell of a job calls `hand_over.py` in place of `whatif`. A fork runs
the command as a process of its own, with the environment, folder and outputs of that shell. It fails, is interrupted
and is killed alone.

A job starts as a new process, as on other systems than Linux and with `WHATIF_JOB_SERVER=no`, wherever a fork may
differ from one: if its environment is another one than that of the server, if a file of the code has changed since the
server read it, or if a thread runs in the server. The server imports what a job has imported before it forks the next
one, except on a machine with a GPU: no process can use it that is a fork of one that has looked for it.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import os
import secrets
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import NoReturn

from whatif import benchmarks
from whatif.commands import cli, hand_over
from whatif.engine.files.stamps import code_stamp
from whatif.engine.graph import code_index

VARIABLE = "WHATIF_JOB_SERVER"
_SERVER = f"from {__name__} import main; main()"
_CLIENT = (
    "import sys; exec(open(sys.argv[1]).read()); main(*sys.argv[2:])"  # its file imports nothing that is installed
)
# Of the shell of each job, and without consequence for what is imported.
_OF_EACH_SHELL = {"_", "OLDPWD", "PWD", "SHLVL", "TEMP", "TEMPDIR", "TMP", "TMPDIR"}
# Snakemake sets them for each job to the number of its threads, which is one.
ONE_THREAD = (
    *("GOTO_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
    "VECLIB_MAXIMUM_THREADS",
)
_GPUS = ("/dev/nvidiactl", "/dev/kfd")
_SHARED = tuple({os.fspath(Path(cli.__file__).parents[1]), *map(sysconfig.get_path, ("stdlib", "purelib", "platlib"))})
_SECONDS_FOR_A_REQUEST = 10.0
_SECONDS_TO_END = 5
_PR_SET_PDEATHSIG = 1  # from linux/prctl.h


class JobServer:
    """The server as the Snakemake that plans sees it."""

    def __init__(self) -> None:
        self._name = f"whatif-{os.getpid()}-{secrets.token_hex(8)}"
        self._shell = shutil.which("bash")
        self.process: subprocess.Popen[bytes] | None = None
        self._is_used = sys.platform == "linux" and os.environ.get(VARIABLE) != "no" and self._shell is not None

    @property
    def shell_function(self) -> str:
        """Defines `whatif` for the shell of a job; empty where there is no server."""
        client = f"{quote(sys.executable)} -I -S -c {quote(_CLIENT)} {quote(hand_over.__file__)}"
        return f'whatif() {{ {client} {self._name} "$@"; }}; ' if self._is_used else ""

    def start(self, prefix: str) -> None:
        """Starts the server, with what the shell of a job runs first. Jobs that come before it is ready wait for it.

        It ends with this process.
        """
        if not self._is_used:
            return
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"\0{self._name}")  # abstract: there is no file
            listening.listen(socket.SOMAXCONN)
            self.process = subprocess.Popen(
                f"{prefix}exec {quote(sys.executable)} -P -c {quote(_SERVER)} {listening.fileno()}",
                shell=True,
                executable=self._shell,
                env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
                stdin=subprocess.PIPE,  # which the system closes when this process ends, however it ends
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # a job that starts without the server says what is wrong
                pass_fds=[listening.fileno()],
            )


@dataclass(frozen=True)
class _Request:
    """A command that is to run: its words, where, with which variables, and its input and outputs."""

    folder: str
    words: tuple[str, ...]
    environment: Mapping[str, str]
    descriptors: tuple[int, ...]

    @classmethod
    def received(cls, client: socket.socket) -> _Request:
        """The request of a client of the same user. Raises OSError or ValueError when there is none."""
        credentials = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        if struct.unpack("3i", credentials)[1] != os.getuid():
            raise PermissionError
        client.settimeout(_SECONDS_FOR_A_REQUEST)
        length, descriptors, _, _ = socket.recv_fds(client, hand_over.LENGTH, 3)
        with client.makefile("rb") as file:
            words, variables = file.read(int.from_bytes(length, "big")).split(b"\0\0")
        folder, *given = map(os.fsdecode, words.split(b"\0"))
        environment = dict(os.fsdecode(one).split("=", 1) for one in variables.split(b"\0"))
        return cls(folder, tuple(given), environment, tuple(descriptors))


class _Jobs:
    """Forks jobs, and tells each client the exit code of its job."""

    def __init__(self, listening: socket.socket) -> None:
        self._environment = _compared(os.environ)
        for name, value in cli.KERNELS.items():
            os.environ.setdefault(name, value)
        graph = benchmarks.graph(benchmarks.load_params())
        self._packages = code_index.package_folders({root for job in graph.jobs for root in job.code_roots})
        self._code = self._stamp()
        for job in graph.jobs:
            code_index.code_version(job.code_roots)
        self._clients: dict[int, socket.socket] = {}  # by the process id of the job
        self._ends = False
        self._before: set[str] = set()  # in a fork: the modules that it has from the server
        self._woken, wakes = socket.socketpair()
        self._reports, self._reported = socket.socketpair(type=socket.SOCK_DGRAM)
        self._listening = listening
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ, self._accept)
        self._selector.register(self._woken, selectors.EVENT_READ, self._collect)
        self._selector.register(self._reports, selectors.EVENT_READ, self._learn)
        self._selector.register(0, selectors.EVENT_READ, self._run_is_gone)
        self._wakes = wakes
        wakes.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        self._interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the jobs, too
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda number, frame: None)
        gc.freeze()

    def serve(self) -> tuple[str, ...] | None:
        """Forks jobs until the run ends. Returns in each of them, with the words of its command; None in the server."""
        while self._clients or not self._ends:
            for key, _ in self._selector.select():
                if (job := key.data(key.fileobj)) is not None:
                    return tuple(job)
        return None

    def _stamp(self) -> str:
        """What changes with the code, and with what is installed."""
        installed = [Path(sysconfig.get_path(name)).stat().st_mtime_ns for name in ("purelib", "platlib")]
        return f"{code_stamp(self._packages)} {installed}"

    def _accept(self, listening: socket.socket) -> tuple[str, ...] | None:
        with contextlib.ExitStack() as at_the_end, contextlib.suppress(OSError, ValueError):
            client, _ = listening.accept()
            not_taken = at_the_end.enter_context(contextlib.ExitStack())
            not_taken.callback(client.close)
            request = _Request.received(client)
            for descriptor in request.descriptors:
                at_the_end.callback(os.close, descriptor)
            is_like_new = _compared(request.environment) == self._environment and self._stamp() == self._code
            if not is_like_new or threading.active_count() > 1:
                return None
            server = os.getpid()
            if (job := os.fork()) == 0:
                self._become(request, server)
                return request.words
            not_taken.pop_all()
            self._clients[job] = client
            self._selector.register(client, selectors.EVENT_READ, self._end_job_of)
            client.sendall(hand_over.TAKEN)
        return None

    def _become(self, request: _Request, server: int) -> None:
        """Makes this fork what a new process of the command would be."""
        try:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != server:
                raise ProcessLookupError
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, self._interrupted)
            self._selector.close()
            for end in (self._listening, self._woken, self._wakes, self._reports, *self._clients.values()):
                end.close()
            for place, descriptor in enumerate(request.descriptors):
                os.dup2(descriptor, place)
            os.chdir(request.folder)
        except BaseException:  # it must not go on as a second server
            os._exit(1)
        os.environ.clear()
        os.environ.update(request.environment)
        tempfile.tempdir = None
        sys.argv[:] = ["whatif", *request.words]
        from setproctitle import setproctitle  # installed on Linux alone

        setproctitle(" ".join(sys.argv))  # by which `ps` and `whatif resume` know a job
        self._before = set(sys.modules)

    def leave(self, code: int) -> NoReturn:
        """Ends a fork in order, and tells the server what the fork has imported.

        Unlike the interpreter, it does not take the modules apart at the end. That would copy memory that the fork
        shares with the server, for a third of a second with torch: longer than most jobs compute.
        """
        threading._shutdown()  # type: ignore[attr-defined]  # before the exit handlers, as in the interpreter
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        ctypes.CDLL(None).fflush(None)  # what libraries in C have printed
        names = [name for name, module in sys.modules.items() if name not in self._before and _is_shared(module)]
        with contextlib.suppress(OSError):
            self._reported.setblocking(False)
            self._reported.send("\n".join(names).encode())
        os._exit(code)

    def _learn(self, reports: socket.socket) -> None:
        names = reports.recv(1 << 20).decode().split("\n")
        if any(map(os.path.exists, _GPUS)):
            return
        for name in names:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        gc.freeze()

    def _collect(self, woken: socket.socket) -> None:
        """Tells clients whose jobs have ended; ends the server when it was asked to, by SIGTERM."""
        if signal.SIGTERM in woken.recv(1024):
            self._end()
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if (client := self._clients.pop(ended[0], None)) is None:
                    continue  # a library started it
                code = os.waitstatus_to_exitcode(ended[1])
                with contextlib.suppress(OSError):
                    client.sendall(bytes([code if code >= 0 else 128 - code]))
                if client.fileno() in self._selector.get_map():
                    self._selector.unregister(client)
                client.close()

    def _end_job_of(self, gone: socket.socket) -> None:
        """Ends the job of a client that was ended."""
        if gone.fileno() < 0:  # its job has ended at the same time
            return
        self._selector.unregister(gone)
        for job, client in self._clients.items():
            if client is gone:
                os.kill(job, signal.SIGTERM)

    def _run_is_gone(self, stdin: int) -> None:
        """Jobs end with the run by themselves; if one cannot, it ends with this process."""
        self._selector.unregister(stdin)
        self._end()
        signal.alarm(_SECONDS_TO_END)

    def _end(self) -> None:
        if not self._ends:
            self._ends = True
            self._selector.unregister(self._listening)
            self._listening.close()


def _compared(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in _OF_EACH_SHELL}


def _is_shared(module: ModuleType) -> bool:
    """Whether a module belongs to whatif, to Python or to what is installed, and not to a project."""
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    return isinstance(origin, str) and origin.startswith(_SHARED)


def main() -> None:
    """Serves the socket whose descriptor is the only argument; in a fork, runs its command."""
    from setproctitle import getproctitle

    getproctitle()  # finds the place of the title, as long as no variable has been set
    jobs = _Jobs(socket.socket(fileno=int(sys.argv[1])))
    words = jobs.serve()
    if words is not None:
        try:
            cli.main(words, prog_name="whatif")
        except SystemExit as ended:
            if isinstance(ended.code, str):  # which the interpreter prints
                raise
            jobs.leave(ended.code or 0)
