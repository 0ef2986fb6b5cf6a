"""An endpoint that sends far more than an answer is read up to a limit, for any encoding and status."""

from __future__ import annotations

import contextlib
import gzip
import tracemalloc
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.faulty_proxy import Fault, FaultyProxy
from tests.models.endpoint.server import completion, question, settings_of
from whatif.models import Answer
from whatif.models.endpoint.api import ApiAnswers

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]

LIMIT = 2**20
PIECE = bytes(2**16)
PIECES = 3_200  # 200 MiB


def plain() -> Iterator[bytes]:
    """200 MiB of zeros."""
    for _ in range(PIECES):
        yield PIECE


def bomb() -> bytes:
    """The same compressed, which is about 200 KiB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join([*map(packer.compress, plain()), packer.flush()])


@dataclass
class Flood(FaultyProxy):
    """Replies with `body`, without its length where it is chunked, and counts in `sent` how much of it was taken."""

    body: Iterator[bytes] = field(default_factory=plain)
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    sent: int = 0
    whole: bool = False

    def _reply(self, request: BaseHTTPRequestHandler, body: bytes, fault: Fault | None) -> None:
        chunked = ("Transfer-Encoding", "chunked") in self.headers
        request.protocol_version = "HTTP/1.1"
        request.close_connection = True
        request.send_response_only(self.status)
        for name, value in (("Content-Type", "application/json"), *self.headers):
            request.send_header(name, value)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            request.end_headers()
            for piece in self.body:
                request.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                self.sent += len(piece)
            request.wfile.write(b"0\r\n\r\n" if chunked else b"")
            self.whole = True


def answer_of(flood: Flood, **changes: int) -> Answer:
    settings = settings_of(flood.base_url, Path("m"), **{"max_response_bytes": LIMIT, "retries": 3} | changes)
    (answer,) = ApiAnswers(settings, 0, lambda seconds: None).answer([question(1)])
    return answer


CHUNKED = ("Transfer-Encoding", "chunked")
GZIP = ("Content-Encoding", "gzip")
LENGTH = ("Content-Length", str(PIECES * len(PIECE)))


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, (LENGTH,)),
        (200, (CHUNKED,)),
        (200, ()),
        (200, (CHUNKED, ("Content-Encoding", "identity"))),
        (500, (LENGTH,)),
        (429, (CHUNKED,)),
        (307, (CHUNKED, ("Location", "/v1/elsewhere"))),
    ],
)
def test_a_large_response_is_not_read_to_its_end_and_is_not_asked_for_again(
    status: int, headers: tuple[tuple[str, str], ...]
) -> None:
    with Flood("", status=status, headers=headers) as flood:
        answer = answer_of(flood)
    assert answer == Answer(status="error", reason="the response is larger than max_response_bytes (1,048,576)")
    assert not answer.transient, "it is final"
    assert len(flood.log) == 1
    # What lies in the buffers of both sockets counts as sent.
    assert LIMIT < flood.sent < 16 * LIMIT
    assert not flood.whole


@pytest.mark.parametrize("times", [1, 2])
def test_a_small_response_that_unpacks_to_a_large_one_is_not_unpacked_to_its_end(times: int) -> None:
    body = bomb()
    for _ in range(times - 1):
        body = gzip.compress(body)
    coding = ("Content-Encoding", ", ".join(["gzip"] * times))
    with Flood("", body=iter([body]), headers=(CHUNKED, coding)) as flood:
        tracemalloc.start()
        try:
            answer = answer_of(flood)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert answer.reason == "the response is larger than max_response_bytes (1,048,576)"
    assert len(flood.log) == 1
    assert most < 32 * LIMIT, "of 200"


@pytest.mark.parametrize("headers", [(), (CHUNKED,), (CHUNKED, GZIP), (CHUNKED, ("Content-Encoding", "deflate"))])
def test_a_response_up_to_the_limit_is_an_answer(headers: tuple[tuple[str, str], ...]) -> None:
    body = completion("B" * 50_000)
    packed = gzip.compress(body) if GZIP in headers else zlib.compress(body) if len(headers) == 2 else body
    for limit, status in ((len(body), "ok"), (len(body) - 1, "error")):
        with Flood("", body=iter([packed[:100], packed[100:]]), headers=headers) as flood:
            answer = answer_of(flood, max_response_bytes=limit)
        assert answer.status == status
        assert answer.response == ("B" * 50_000 if status == "ok" else None)
