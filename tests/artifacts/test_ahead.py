"""Pieces that are read ahead are the same, and so are the errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from whatif.artifacts.ahead import read_ahead


def pieces(number: int, threads: set[str], broken: int | None = None) -> Iterator[int]:
    for piece in range(number):
        threads.add(threading.current_thread().name)
        if piece == broken:
            raise ValueError(f"piece {piece} is broken")
        yield piece


@pytest.mark.parametrize("number", [0, 1, 2, 3, 100])
def test_pieces_come_in_order_from_another_thread(number: int) -> None:
    threads: set[str] = set()
    assert list(read_ahead(pieces(number, threads))) == list(range(number))
    assert threading.current_thread().name not in threads and len(threads) == min(number, 1)


def test_an_error_comes_at_its_piece() -> None:
    found = []
    with pytest.raises(ValueError, match="piece 3 is broken"):
        for piece in read_ahead(pieces(10, set(), broken=3)):
            found.append(piece)  # noqa: PERF402
    assert found == [0, 1, 2]


def test_a_reader_that_stops_early_ends() -> None:
    reading = read_ahead(pieces(1_000, set()))
    assert next(reading) == 0
    reading.close()
    assert list(reading) == []
