"""Secrets around a sandbox that no program may reach: files, an environment variable, a descriptor, servers."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

VARIABLE = "WHATIF_PLANTED"


class Surroundings:
    """Plants secrets below a folder; `touched()` says what was changed or reached since."""

    def __init__(self, folder: Path) -> None:
        self.token = secrets.token_hex(16)
        self._folder = folder
        self._stack = ExitStack()
        self._servers: dict[str, socket.socket] = {}

    def __enter__(self) -> Surroundings:
        home, work = self._folder / "home", self._folder / "work"
        for place in (home, work):
            place.mkdir(parents=True)
        self._files = {"HOME_FILE": home / "planted-home.txt", "WORK_FILE": work / "planted-work.txt"}
        for path in self._files.values():
            path.write_text(f"planted {self.token}\n", encoding="utf-8")
        os.environ[VARIABLE] = f"planted {self.token}"
        self._stack.callback(os.environ.pop, VARIABLE, None)
        self._descriptor = os.open(self._files["HOME_FILE"], os.O_RDONLY)
        self._stack.callback(os.close, self._descriptor)
        self._listen(home)
        self._before = self._contents()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _listen(self, home: Path) -> None:
        abstract, path = f"planted-{self.token[:8]}", home / "socket"
        for name, family, form, address in (
            ("PORT", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            ("UDP_PORT", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            ("ABSTRACT", socket.AF_UNIX, socket.SOCK_STREAM, f"\0{abstract}"),
            ("UNIX_SOCKET", socket.AF_UNIX, socket.SOCK_STREAM, str(path)),
        ):
            server = self._stack.enter_context(socket.socket(family, form))
            server.bind(address)
            if form == socket.SOCK_STREAM:
                server.listen()
            server.setblocking(False)
            self._servers[name] = server

    def names(self) -> Mapping[str, str]:
        """What stands for each placeholder `@NAME@` of a program."""
        middle = len(self.token) // 2
        return {
            **{name: str(path) for name, path in self._files.items()},
            "HOME": str(self._folder / "home"),
            "WORK": str(self._folder / "work"),
            "PORT": str(self._servers["PORT"].getsockname()[1]),
            "UDP_PORT": str(self._servers["UDP_PORT"].getsockname()[1]),
            "ABSTRACT": self._servers["ABSTRACT"].getsockname()[1:].decode(),
            "UNIX_SOCKET": self._servers["UNIX_SOCKET"].getsockname(),
            "DESCRIPTOR": str(self._descriptor),
            "PARENT": str(os.getpid()),
            "HOSTNAME": os.uname().nodename,
            # In two parts, so that a program does not find the secret in its own text.
            "TOKEN": f'"".join(["{self.token[:middle]}", "{self.token[middle:]}"])',
        }

    def fill(self, code: str) -> str:
        """A program with its placeholders replaced."""
        for name, value in self.names().items():
            code = code.replace(f"@{name}@", value)
        return code

    def touched(self) -> list[str]:
        """What programs changed or reached: one line for each."""
        found = [f"a client reached {name}" for name, server in self._servers.items() if _reached(server)]
        if self._contents() != self._before:
            found.append("files of the surroundings were changed")
        return found

    def _contents(self) -> dict[str, tuple[int, int, bytes]]:
        return {
            str(path): (path.stat().st_mtime_ns, path.stat().st_nlink, path.read_bytes() if path.is_file() else b"")
            for path in sorted(self._folder.rglob("*"))
        }


def _reached(server: socket.socket) -> bool:
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(1)
        else:
            server.accept()[0].close()
    except BlockingIOError:
        return False
    return True
