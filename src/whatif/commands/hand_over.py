"""Hands a command of whatif over to the job server of its run, and ends as the command does.

The shell of a job runs this file by its path, with `python -I -S`: it starts in a hundredth of a second, because it
imports nothing that is installed. If the server is gone or does not take the job (`whatif.commands.job_server`), the
command starts here as any other.
"""

from __future__ import annotations

import os
import signal
import socket
import sys

TAKEN = b"y"
LENGTH = 4  # bytes at the beginning of a request that give its length


def main(name: str, *arguments: str) -> None:
    """Ends this process: with the exit code of the command, or by becoming the command.

    `name` is that of the server's socket; `arguments` are those of the command.
    """
    words = [os.getcwdb(), *map(os.fsencode, arguments)]  # noqa: PTH109  (pathlib is slow to import)
    request = b"\0\0".join([b"\0".join(words), b"\0".join(map(b"=".join, os.environb.items()))])
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the job, too, which ends in order
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(f"\0{name}")
            socket.send_fds(server, [len(request).to_bytes(LENGTH, "big")], [0, 1, 2])
            server.sendall(request)
            if server.recv(1) == TAKEN:
                code = server.recv(1)
                sys.exit(code[0] if code else "whatif: the job server of this run was ended, and this job with it")
    except OSError:
        pass
    signal.signal(signal.SIGINT, before)
    os.execvp("whatif", ["whatif", *arguments])
