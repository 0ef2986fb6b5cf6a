"""Stands between a client and a real endpoint on loopback, and lets some requests fail in the ways that networks do."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, Self

from whatif.engine.random_streams import stream


@dataclass(frozen=True)
class Fault:
    """What becomes of a request: a `status` with headers, no reply at all, one that is cut off, or half a JSON text.

    An error's text shows the header Authorization, as that of a careless server would. With `body`, that is sent.
    """

    kind: Literal["status", "time-out", "cut", "truncated"]
    status: int = 500
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


RATE_LIMIT = Fault("status", 429, (("Retry-After", "7"),))
FAULTS = (RATE_LIMIT, Fault("status", 500), Fault("time-out"), Fault("cut"), Fault("truncated"))
Plan = Callable[[str, int], Fault | None]


def seeded(seed: int, share: float, faults: Sequence[Fault] = FAULTS) -> Plan:
    """A plan by which about `share` of requests fail, the same ones whatever order they come in."""

    def plan(asked: str, number: int) -> Fault | None:
        generator = stream(seed, asked, number)
        return faults[int(generator.integers(len(faults)))] if generator.random() < share else None

    return plan


def always(fault: Fault) -> Plan:
    return lambda asked, number: fault


def first(*faults: Fault) -> Plan:
    """Each request fails in these ways, one after the other, before it is let through."""
    return lambda asked, number: faults[number] if number < len(faults) else None


@dataclass
class FaultyProxy:
    """Forwards to `upstream` (host:port) what `plan` lets through, by the hash of what is asked and its earlier tries.

    `log` holds, in order of arrival, hash, parsed body and what happened: `passed`, or the fault's kind or status.
    """

    upstream: str
    plan: Plan = lambda asked, number: None
    log: list[tuple[str, dict[str, Any], str]] = field(default_factory=list)
    most_at_once: int = 0  # requests that were forwarded and not yet answered

    def __enter__(self) -> Self:
        self._lock = threading.Lock()
        self._tries: Counter[str] = Counter()
        self._now = 0
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                proxy._handle(self)

            def log_message(self, format: str, *args: Any) -> None:
                """What happened stands in `log`."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()  # looks for its end
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def counts(self) -> Counter[str]:
        return Counter(outcome for _, _, outcome in self.log)

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["Content-Length"]))
        sent = json.loads(body)
        key = hashlib.sha256(json.dumps(sent["messages"]).encode()).hexdigest()
        with self._lock:
            fault = self.plan(key, self._tries[key])
            self._tries[key] += 1
            outcome = "passed" if fault is None else str(fault.status) if fault.kind == "status" else fault.kind
            self.log.append((key, sent, outcome))
        self._reply(request, body, fault)

    def _reply(self, request: BaseHTTPRequestHandler, body: bytes, fault: Fault | None) -> None:
        if fault is not None and fault.kind == "status":
            sent = request.headers.get("Authorization")
            text = json.dumps({"error": {"message": f"refused: {sent}", "type": "x", "code": None}}).encode()
            _send(request, fault.status, text if fault.body is None else fault.body, headers=fault.headers)
        elif fault is not None and fault.kind == "time-out":
            request.connection.recv(1)  # until the client hangs up
        else:
            status, text = self._forward(request, body)
            if fault is None:
                _send(request, status, text)
            elif fault.kind == "cut":
                _send(request, status, text[: len(text) // 2], length=len(text))
            else:
                _send(request, status, text[: len(text) // 2])

    def _forward(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.upstream, timeout=120)
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            connection.request("POST", request.path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()
            with self._lock:  # before the reply: a client that has it may already ask again
                self._now -= 1


def _send(
    request: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    *,
    length: int | None = None,
    headers: Sequence[tuple[str, str]] = (),
) -> None:
    request.send_response_only(status)  # without a date of today
    request.send_header("Content-Type", "application/json")
    request.send_header("Content-Length", str(len(body) if length is None else length))
    for name, value in headers:
        request.send_header(name, value)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # who asked may have been killed since
        request.end_headers()
        request.wfile.write(body)
