"""Reads artifacts ahead: the next pieces are decoded on another core while the caller works on one."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Piece = TypeVar("Piece")
_END = object()


def read_ahead(pieces: Iterator[Piece], number: int = 2) -> Generator[Piece, None, None]:
    """The same pieces in the same order, of which `number` are read by another thread before they are wanted.

    What reading raises is raised here, at the piece that could not be read.
    """
    with ThreadPoolExecutor(1) as pool:
        waiting: deque[Any] = deque(pool.submit(next, pieces, _END) for _ in range(number))
        while (piece := waiting.popleft().result()) is not _END:
            waiting.append(pool.submit(next, pieces, _END))
            yield piece
