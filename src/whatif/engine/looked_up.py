"""Code that is looked up by name at run time, such as an adapter: `module:name` -> the function or class.

The version of a job's code follows names through the source, so it must be told what is looked up (`Step.code`,
`Dimension.code`). While a job runs, a name that it does not declare is refused, because an edit behind it would leave
the job fresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any

_is_declared: ContextVar[Callable[[str], bool] | None] = ContextVar("_is_declared", default=None)


def looked_up(place: str) -> Any:
    """The function or class at `module:name`.

    Raises LookupError while a job runs that does not declare it, and as the import does.
    """
    is_declared = _is_declared.get()
    if is_declared is not None and not is_declared(place):
        raise LookupError(f"{place}: is looked up by a step that does not declare it as its code")
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@contextmanager
def only(is_declared: Callable[[str], bool]) -> Iterator[None]:
    """While this is open, only declared code can be looked up."""
    before = _is_declared.set(is_declared)
    try:
        yield
    finally:
        _is_declared.reset(before)
