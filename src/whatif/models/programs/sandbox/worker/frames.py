"""Messages of length-prefixed JSON between our process and a worker."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from typing import Any

HEADER = struct.Struct(">I")


class MalformedError(Exception):
    """A message that is no JSON object."""


class TooLargeError(Exception):
    """A message above the size limit."""


class ClosedError(Exception):
    """The other side closed the channel."""


def pack(message: dict[str, Any]) -> bytes:
    """The bytes of a message: four bytes of length, then JSON in ASCII."""
    body = json.dumps(message, allow_nan=False).encode("ascii")
    return HEADER.pack(len(body)) + body


def read(receive: Callable[[int], bytes], limit: int) -> dict[str, Any]:
    """The next message of at most `limit` bytes; `receive(n)` gives 1 to n bytes, or none at the end."""
    return body(receive, exactly(receive, HEADER.size), limit)


def body(receive: Callable[[int], bytes], header: bytes, limit: int) -> dict[str, Any]:
    """The message behind a header."""
    (size,) = HEADER.unpack(header)
    if size > limit:
        raise TooLargeError(f"a message of {size} bytes; at most {limit} are allowed")
    data = exactly(receive, size)
    try:
        message = json.loads(data.decode("ascii"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise MalformedError("a message that is no JSON") from error
    if not isinstance(message, dict):
        raise MalformedError("a message that is no JSON object")
    return message


def exactly(receive: Callable[[int], bytes], size: int) -> bytes:
    """As many bytes as asked for. Raises ClosedError at the end of the channel."""
    parts = []
    while size:
        part = receive(min(size, 1 << 16))
        if not part:
            raise ClosedError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all bytes to a descriptor."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
