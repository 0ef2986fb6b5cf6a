"""Sends many requests to an endpoint at once, and returns each answer as it arrives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol, TypeVar

from whatif.engine.errors import WhatifError

Item = TypeVar("Item")
Got = TypeVar("Got")
MOST_UNANSWERED = 20  # requests in a row; then the endpoint or the settings must be wrong


class Stops(Protocol):
    """A connection whose waits between tries can be ended."""

    def stop(self) -> None: ...


def in_flight(
    connection: Stops,
    items: Sequence[Item],
    many: int,
    *,
    ask: Callable[[Item], tuple[Got, bool]],
    instead: Callable[[], Got | None],
    count: Callable[[Got, bool], WhatifError | None],
) -> Iterator[tuple[int, Got]]:
    """The place of each item in `items` and its answer, in any order; up to `many` are asked at once.

    `ask` runs in a thread, and returns an answer and whether the endpoint failed to answer. Before an item is asked,
    `instead` may give another answer, for example when a budget is used up. `count` is called for each arrived answer
    and returns the error that ends the run, if there is one. After an error, of `ask` too, nothing more is asked;
    pending answers are still yielded, and then the error is raised.
    """
    waiting = iter(enumerate(items))
    pending: dict[Future[tuple[Got, bool]], int] = {}
    failure: WhatifError | None = None
    with ThreadPoolExecutor(many) as pool:
        try:
            while True:
                while failure is None and len(pending) < many and (entry := next(waiting, None)):
                    place, item = entry
                    other = instead()
                    if other is not None:
                        yield place, other
                    else:
                        pending[pool.submit(ask, item)] = place
                if not pending:
                    break
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    place = pending.pop(future)
                    try:
                        answer, refused = future.result()
                    except WhatifError as error:
                        failure = failure or error
                    else:
                        failure = failure or count(answer, refused)
                        yield place, answer
                    if failure is not None:
                        connection.stop()  # ends the waits between tries; pending answers are still kept
        finally:
            connection.stop()  # before the pool waits for its threads, which may be between tries
    if failure is not None:
        raise failure
