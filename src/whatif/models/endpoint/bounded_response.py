"""Bounds the body of an HTTP response while it arrives, so that an endpoint cannot fill the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx2


class ResponseTooLargeError(Exception):
    """A body that is larger than what is read of it."""


def bound(limit: int) -> Callable[[httpx2.Response], None]:
    """A response hook of an `httpx2.Client`: of each body, bodies of errors and redirects too, `limit` bytes are read.

    Bytes are counted as they are decoded, which httpx2 does in pieces of at most 1 MiB: a few compressed bytes may
    stand for many. Whoever reads more gets ResponseTooLargeError, and the connection is closed.
    """

    def hook(response: httpx2.Response) -> None:
        arriving = httpx2.Response(
            response.status_code, headers=response.headers, stream=response.stream, request=response.request
        )
        response.stream = _Bounded(arriving, limit)
        response.headers.pop("Content-Encoding", None)  # what the new stream gives is decoded

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
