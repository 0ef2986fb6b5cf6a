"""A model server as a process of this job: started on a free port, waited for, checked and stopped."""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import socket
import sys
import time
from pathlib import Path
from typing import Any, Self

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed
from whatif.engine.params.endpoints import ServedModel
from whatif.engine.params.server_command import started_as
from whatif.engine.processes.supervised import Supervised

HOST = "127.0.0.1"  # only this machine can ask
LOGS = Path("logs/served")
_PORTS_TRIED = 3
_SECONDS_BETWEEN_LOOKS = 0.2
_SECONDS_BETWEEN_LINES = 60.0
_SECONDS_OF_A_LOOK = 10.0
_END_OF_LOG = 16 * 2**10  # bytes
_LONGEST_REASON = 300  # characters
_LARGEST_LIST = 16 * 2**20  # bytes
# Its list of models is that of the download cache. It is asked for the model itself.
_LISTS_ITS_CACHE = ("transformers",)


class Server:
    """A running server; `base_url` is its endpoint, `log` the file of both its outputs.

    Its log is deleted when it is stopped, except after a failure.
    """

    def __init__(self, settings: ServedModel, model: str, engine: str, words: list[str], port: int) -> None:
        self._settings = settings
        self._model = model
        self._label = settings.name or settings.model or settings.checkpoint or model
        self._engine = engine
        self._port = port
        self._shown = " ".join(words)[:_LONGEST_REASON]
        self._keeps_log = False
        self.base_url = f"http://{HOST}:{port}/v1"
        self.log = LOGS / f"{_slug(self._label)}-{os.getpid()}-{port}.log"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            self._process = Supervised(words, log)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the server and all its processes."""
        self._process.stop()
        if not self._keeps_log:
            self.log.unlink(missing_ok=True)

    def keep_log(self) -> None:
        """Keeps the log when the server is stopped."""
        self._keeps_log = True

    def fault(self, within: float = 0.0) -> str | None:
        """Why the server has ended, with the last line of its log; None if it still runs after so many seconds."""
        code = self._process.exit_code(within)
        if code is None:
            return None
        self._keeps_log = True
        return f"{self._shown}: ended with exit code {code}; {self._last_words()}"

    def wait(self, deadline: float) -> bool:
        """Waits until the server answers and checks its model; False if another process took the port meanwhile.

        `deadline` is on the clock of `time.monotonic`. Raises WhatifError when the server ends, does not answer in
        time, or serves another model.
        """
        try:
            if not self._is_reached(deadline):
                return False
            self._check_model(deadline)
        except WhatifError:
            self._keeps_log = True
            raise
        return True

    def _is_reached(self, deadline: float) -> bool:
        began = said = time.monotonic()
        _say(f"{self._shown}: starting; its log is {self.log}")
        while not (self._has_port() and self._is_healthy()):
            if fault := self.fault(within=_SECONDS_BETWEEN_LOOKS):
                if self._is_port_taken():
                    return False
                raise WhatifError(fault)
            now = time.monotonic()
            if now >= deadline:
                raise WhatifError(self._too_slow())
            if now - said >= _SECONDS_BETWEEN_LINES:
                said = now
                _say(f"{self._label}: its server does not answer yet, after {now - began:.0f} s: {self._last_line()}")
        _say(f"{self._label}: its server answers after {time.monotonic() - began:.0f} s")
        return True

    def _is_healthy(self) -> bool:
        status, _ = self._get("/health")
        if status == 404:  # an engine without this route
            status, _ = self._get("/v1/models")
        return status in (200, 401, 403)  # a rejected key is reported when the models are listed

    def _has_port(self) -> bool:
        """Whether a process of the server listens on the port; another program may have taken it before."""
        import psutil

        for process in self._process.processes():
            try:
                connections = process.net_connections("tcp")
            except psutil.NoSuchProcess:
                continue
            except psutil.AccessDenied:
                return True
            if any(one.status == psutil.CONN_LISTEN and one.laddr.port == self._port for one in connections):
                return True
        return False

    def _is_port_taken(self) -> bool:
        """Whether the port, on which the server wanted to listen, belongs to somebody else."""
        if re.search(r"address (?:is )?already in use", self._end_of_log(), re.IGNORECASE):
            return True
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, self._port))
            except OSError as error:
                return error.errno == errno.EADDRINUSE
        return False

    def _check_model(self, deadline: float) -> None:
        if self._engine.partition(".")[0] in _LISTS_ITS_CACHE:
            # A conversation without messages is never answered; before that, the server rejects another model.
            status, body = self._ask("POST", "/v1/chat/completions", {"model": self._model}, deadline)
            if status == 400:
                raise WhatifError(f"{self._shown}: does not serve {self._model}: {_line(body)}")
            return
        status, body = self._ask("GET", "/v1/models", None, deadline)
        if status != 200:
            raise WhatifError(f"{self._shown}: does not list its models (status {status}): {_line(body)}")
        served = _listed(body)
        if self._model not in served:
            listed = ", ".join(served)[:_LONGEST_REASON] or "no model"
            raise WhatifError(f"{self._shown}: serves {listed}, not {self._model}; correct model or command")

    def _get(self, path: str) -> tuple[int | None, bytes]:
        return self._request("GET", path, None, _SECONDS_OF_A_LOOK)

    def _ask(self, method: str, path: str, body: Any, deadline: float) -> tuple[int, bytes]:
        """Status and body of the reply to a request that may take until the deadline."""
        status, said = self._request(method, path, body, max(_SECONDS_OF_A_LOOK, deadline - time.monotonic()))
        if status is None:
            raise WhatifError(self.fault(within=1.0) or self._too_slow())
        return status, said

    def _request(self, method: str, path: str, body: Any, seconds: float) -> tuple[int | None, bytes]:
        """Status and body of a reply; (None, reason) without one. No proxy is used."""
        connection = http.client.HTTPConnection(HOST, self._port, timeout=seconds)
        key = self._key()
        headers = {"Authorization": f"Bearer {key}"} if key.isascii() and key.isprintable() and key else {}
        try:
            if body is not None:
                headers["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = connection.getresponse()
            return reply.status, reply.read(_LARGEST_LIST)
        except (OSError, http.client.HTTPException) as error:
            return None, str(error).encode()
        finally:
            connection.close()

    def _too_slow(self) -> str:
        seconds = self._settings.startup_seconds
        return f"{self._shown}: does not answer within startup_seconds ({seconds:g}); {self._last_words()}"

    def _last_words(self) -> str:
        return f"the last line of {self.log} is: {self._last_line()}"

    def _last_line(self) -> str:
        lines = [line for line in self._end_of_log().splitlines() if line.strip()]
        return self._without_key(_line(lines[-1].encode())) if lines else "(it is empty)"

    def _without_key(self, text: str) -> str:
        key = self._key()
        return text.replace(key, "(key)") if key else text

    def _key(self) -> str:
        """The value of `key_variable`, empty if it is not set; a question reports a missing or invalid key."""
        return os.environ.get(self._settings.key_variable or "", "").strip()

    def _end_of_log(self) -> str:
        try:
            with self.log.open("rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - _END_OF_LOG))
                return file.read().decode("utf-8", "replace")
        except OSError:
            return ""


def start(settings: ServedModel, model: str, engine: str, checkpoint: str | None) -> Server:
    """The server of `settings`, when it answers and serves `model`. The caller stops it.

    A free port is chosen; if another process takes it before the server does, the next one, three times in all.

    Raises WhatifError, in one line, when the server ends before it answers, does not answer within `startup_seconds`,
    or serves another model; then it is stopped.
    """
    deadline = time.monotonic() + settings.startup_seconds
    for _ in range(_PORTS_TRIED):
        port = free_port()
        words = started_as(settings.command, HOST, port, checkpoint)
        try:
            server = Server(settings, model, engine, words, port)
        except OSError as error:
            raise WhatifError(f"{words[0]}: cannot be started: {error}") from error
        try:
            if server.wait(deadline):
                return server
            fault = server.fault()
        except BaseException:
            server.stop()
            raise
        server.stop()
    raise WhatifError(f"{fault} (the last of {_PORTS_TRIED} ports, which other processes took)")


def free_port() -> int:
    """A port on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _listed(body: bytes) -> list[str]:
    """The ids in a list of models; empty if it is no list of models."""
    try:
        return [str(one["id"]) for one in json.loads(body)["data"]]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []


def _line(said: bytes) -> str:
    return " ".join(well_formed(said.decode("utf-8", "replace")).split())[:_LONGEST_REASON]


def _slug(name: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[-60:].strip("-") or "model"


def _say(line: str) -> None:
    print(f"whatif: {line}", file=sys.stderr, flush=True)
