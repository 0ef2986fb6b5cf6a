"""Limits the size of HTTP response bodies as they arrive, so that an endpoint cannot exhaust the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx2


class ResponseTooLargeError(Exception):
    """A body that exceeds the limit."""


def bound(limit: int) -> Callable[[httpx2.Response], None]:
    """A response hook of an `httpx2.Client` that limits each body, also of errors and redirects, to `limit` bytes.

    Decoded bytes are counted, in pieces of at most 1 MiB as httpx2 decodes them, because a few compressed bytes can
    expand to many. Reading more raises ResponseTooLargeError and closes the connection.
    """

    def hook(response: httpx2.Response) -> None:
        arriving = httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream, request=response.request
        )
        response.stream = _Bounded(arriving, limit)
        response.headers.pop("Content-Encoding", None)  # the new stream yields decoded bytes

    return hook


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, response: httpx2.Response, limit: int) -> None:
        self._response = response
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for piece in self._response.iter_bytes():
            size += len(piece)
            if size > self._limit:
                raise ResponseTooLargeError
            yield piece

    def close(self) -> None:
        self._response.close()
