"""The process that stands ready: it has loaded everything that programs need, and forks one child for each program.

Children share no memory, descriptor or file with each other. The zygote itself never runs a program, and does nothing
but fork: each program is served by a process of its own, which starts the child. So every child begins with the same
memory, whatever ran before it, and its objects have the same addresses, which Python shows in texts such as `<lambda>
at 0x...` and which decide the order of a set of instances.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import shutil
import signal
import socket
import sys
import warnings
from pathlib import Path
from typing import Any, NoReturn

from . import checks, child, frames

_LIMIT = 1 << 24  # bytes of a message of our process
# What Python imports of its own accord: for names and escapes beyond ASCII, and for `str.encode`.
_FURTHER_MODULES = ("unicodedata", "encodings.ascii", "encodings.latin_1", "encodings.utf_16", "encodings.idna")
_FILES = 256  # in the scratch folder
_MOUNT_FLAGS = 0b1110  # no programs of other users, devices or executables: MS_NOSUID, MS_NODEV, MS_NOEXEC
_DESCRIPTORS = 1024  # more than this process ever has: it was started with the standard ones
_CAPABILITIES = 0x20080522  # version 3 of the interface of capset
_FIXED_ADDRESSES, _ASK = 0x0040000, 0xFFFFFFFF  # ADDR_NO_RANDOMIZE, and the argument that only asks


class Relay:
    """The function `call_tool` of the interface; each child connects it to its own channel."""

    channel: child.Channel | None = None

    def __call__(self, name: str, /, **arguments: Any) -> Any:
        """Calls a tool of our process."""
        if self.channel is None:
            raise RuntimeError("tools can be called only while a program runs")
        return self.channel.call_tool(name, **arguments)


def main(scratch: str) -> None:
    """Serves programs until our process closes the control channel, which is the standard input.

    `scratch` is the folder of the programs.
    """
    _fix_addresses()
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    setup = frames.read(control.recv, _LIMIT)
    relay = Relay()
    interface: dict[str, Any] = {"__name__": "interface", "call_tool": relay}
    warnings.simplefilter("ignore")  # a program's printed text is its own
    for name in (*sorted(checks.MODULES), *_FURTHER_MODULES):
        importlib.import_module(name)
    exec(compile(setup["interface"], "<interface>", "exec", dont_inherit=True), interface)
    libc = _confine(scratch, setup["isolated"], setup["file_mib"])
    os.dup2(0, 1)
    os.dup2(0, 2)
    gc.collect()
    gc.freeze()
    control.sendall(frames.pack({"kind": "ready"}))
    scratch = scratch if not setup["isolated"] else "/"
    while True:
        process = os.fork()
        if not process:
            _serve(control, relay, interface, libc, scratch)
        if os.waitpid(process, 0)[1]:
            return


def _fix_addresses() -> None:
    """Starts this interpreter again without random addresses, where the kernel has them and allows it."""
    if not sys.platform.startswith("linux"):
        return
    personality = ctypes.CDLL(None).personality
    before = personality(ctypes.c_ulong(_ASK))
    if before == -1 or before & _FIXED_ADDRESSES or personality(ctypes.c_ulong(before | _FIXED_ADDRESSES)) == -1:
        return
    os.execv(sys.executable, sys.orig_argv)


def _serve(
    control: socket.socket, relay: Relay, interface: dict[str, Any], libc: ctypes.CDLL | None, scratch: str
) -> NoReturn:
    """Serves the next program and ends this process; with status 1 where our process is gone."""
    served = False
    try:
        header, descriptors, _, _ = socket.recv_fds(control, frames.HEADER.size, 1)
        if header:
            header += frames.exactly(control.recv, frames.HEADER.size - len(header))
            limits = frames.body(control.recv, header, _LIMIT)
            process = os.fork()
            if not process:
                _become(descriptors[0], relay, limits, interface, libc)
            os.close(descriptors[0])
            served = _finish(control, process, scratch)
    except (frames.ClosedError, ConnectionError):
        pass
    finally:
        os._exit(0 if served else 1)


def _become(
    descriptor: int, relay: Relay, limits: dict[str, Any], interface: dict[str, Any], libc: ctypes.CDLL | None
) -> None:
    """Runs a program in this child."""
    try:
        if descriptor != child.CHANNEL:
            os.dup2(descriptor, child.CHANNEL)
        os.closerange(child.CHANNEL + 1, _DESCRIPTORS)
        relay.channel = child.Channel(child.CHANNEL)
        child.run(relay.channel, limits, interface, libc)
    finally:
        os._exit(1)


def _finish(control: socket.socket, process: int, scratch: str) -> bool:
    """Waits until our process ends the program, and reports how the child ended; False where our process is gone."""
    try:
        ended = control.recv(1)
    except ConnectionError:
        ended = b""
    os.kill(process, signal.SIGKILL)
    _, status, usage = os.wait4(process, 0)
    report = {
        "kind": "ended",
        "status": os.waitstatus_to_exitcode(status),
        "cpu": usage.ru_utime + usage.ru_stime,
        "clean": _empty(scratch),
    }
    if ended:
        control.sendall(frames.pack(report))
    return bool(ended)


def _empty(scratch: str) -> bool:
    """Empties the scratch folder without following links; whether that worked."""
    try:
        for entry in os.scandir(scratch):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                Path(entry.path).unlink()
    except (OSError, RecursionError):
        return False
    return True


def _confine(scratch: str, isolated: bool, file_mib: int) -> ctypes.CDLL | None:
    """Makes the scratch folder the root, and drops every capability; gives the C library for the filter, on Linux."""
    if not sys.platform.startswith("linux"):
        os.chdir(scratch)
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    if not isolated:
        os.chdir(scratch)
        return libc
    # Empty files count too: without a limit of their number they would take the memory of the kernel.
    options = f"size={file_mib << 20},nr_inodes={_FILES},mode=700".encode()
    if libc.mount(b"tmpfs", scratch.encode(), b"tmpfs", ctypes.c_ulong(_MOUNT_FLAGS), options):
        raise OSError(ctypes.get_errno(), "the scratch folder could not be mounted")
    os.chroot(scratch)
    os.chdir("/")
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)()):
        raise OSError(ctypes.get_errno(), "capabilities could not be dropped")
    return libc
