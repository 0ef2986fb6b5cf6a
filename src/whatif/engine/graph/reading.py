"""Which places in `params.yaml` a step reads, and their values: recorded from the function that picks its settings.

A step declares `reads=lambda s: s.generate.captions`. Applied to the settings of the benchmark, this function returns
the settings that the step's function uses. Applied to a `_Place`, which only records attribute access, it returns their
path.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from pydantic import BaseModel

from whatif.engine.params.base import BenchmarkSettings, Outside, Settings
from whatif.engine.params.whole import plain

Value = TypeVar("Value")


@dataclass(frozen=True)
class Reading:
    """What a job reads in `params.yaml`.

    settings: the result of the picking function.
    values: dotted path -> value.
    outside: the files and folders outside the graph that the values name.
    """

    settings: Any
    values: Mapping[str, Any]
    outside: tuple[str, ...]


def only_name(value: Value) -> Value:
    """Marks a setting that names a file or checkpoint, of which the step reads only the name and not the contents."""
    if isinstance(value, _Place):
        return value.without_contents()  # type: ignore[return-value]
    return value


def first_of(values: Sequence[Value]) -> Value:
    """The first entry of a list in the settings; the step does not depend on the other entries."""
    if isinstance(values, _Place):
        return values.first_entry()  # type: ignore[return-value]
    return values[0]


def read(
    reads: Callable[[Any], Any], benchmark: str, settings: BenchmarkSettings, only: Collection[str] = ()
) -> Reading:
    """What a picking function reads from the settings of a benchmark.

    Of a picked mapping that has keys among `only`, just these entries are read: other entries belong to other jobs.

    Raises AttributeError when it picks a setting that the benchmark does not have.
    """
    picked = reads(_Place(type(settings), benchmark))
    places = picked if isinstance(picked, tuple) else (picked,)
    values: dict[str, Any] = {}
    outside: list[str] = []
    for place in places:
        value: Any = settings
        for name in place.names:
            value = value[name] if isinstance(name, int) else getattr(value, name)
        if isinstance(value, Mapping) and any(key in value for key in only):
            value = {key: entry for key, entry in value.items() if key in only}
            settings = _with_value(settings, place.names, value)
        values[place.path] = value
        outside += _outside(value, place.is_outside)
    return Reading(reads(settings), values, tuple(dict.fromkeys(outside)))


def places(reads: Callable[[Any], Any], benchmark: str, kind: type[BenchmarkSettings]) -> list[str]:
    """The dotted paths in `params.yaml` that a picking function reads."""
    picked = reads(_Place(kind, benchmark))
    return [place.path for place in (picked if isinstance(picked, tuple) else (picked,))]


def named_outside(settings: Settings) -> Iterator[str]:
    """Every file or folder outside the graph that some settings name."""
    for name, field in type(settings).model_fields.items():
        yield from _outside(getattr(settings, name), is_marked(field.metadata, field.annotation))


def _with_value(settings: Any, names: Sequence[str], value: Any) -> Any:
    """A copy of some settings with another value at a path of names."""
    if not names:
        return value
    return settings.model_copy(update={names[0]: _with_value(getattr(settings, names[0]), names[1:], value)})


def leaves(path: str, value: Any) -> dict[str, Any]:
    """Every leaf value at or below a dotted path, by its own dotted path, as a plain JSON value."""
    return _leaves(path, plain(value))


def is_marked(metadata: list[Any], annotation: Any) -> bool:
    """Whether a field's type is marked as naming a file or folder outside the graph."""
    if any(isinstance(one, Outside) for one in metadata):
        return True
    arguments = get_args(annotation)
    return any(isinstance(one, Outside) for one in arguments) or any(is_marked([], one) for one in arguments)


class _Place:
    """A placeholder for a setting that records its path."""

    def __init__(
        self,
        kind: Any,
        benchmark: str,
        names: tuple[str | int, ...] = (),
        keys: tuple[str, ...] = (),
        outside: bool = False,
    ) -> None:
        self._kind = kind
        self._benchmark = benchmark
        self.names = names
        self._keys = keys
        self.is_outside = outside

    @property
    def path(self) -> str:
        """The dotted path: the stage, the benchmark, then the keys within the benchmark's section."""
        stage, *inner = self._keys
        return ".".join([stage, self._benchmark, *inner])

    def without_contents(self) -> _Place:
        """The same place, not marked as outside the graph: only the name in its value counts, not the file contents."""
        return _Place(self._kind, self._benchmark, self.names, self._keys)

    def first_entry(self) -> _Place:
        """The place of the first entry of a list."""
        return _Place(None, self._benchmark, (*self.names, 0), (*self._keys, "0"), self.is_outside)

    def __getattr__(self, name: str) -> _Place:
        field = self._kind.model_fields.get(name) if _is_settings(self._kind) else None
        if field is None:
            known = ", ".join(self._kind.model_fields) if _is_settings(self._kind) else "no settings"
            raise AttributeError(
                f"{'.'.join(map(str, self.names)) or 'settings'} of {self._benchmark}: there is no {name!r}; there are "
                f"{known}"
            )
        return _Place(
            field.annotation,
            self._benchmark,
            (*self.names, name),
            (*self._keys, field.alias or name),
            is_marked(field.metadata, field.annotation),
        )


def _is_settings(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _outside(value: Any, marked: bool) -> Iterator[str]:
    """The paths that a setting names; of settings, and of lists or mappings of them, those that their fields name."""
    if isinstance(value, Settings):
        yield from named_outside(value)
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _outside(one, marked)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _outside(one, marked)
    elif marked and isinstance(value, str):  # `limit` may be a number in place of a file
        yield value


def _leaves(path: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, inner in value.items():
            found.update(_leaves(f"{path}.{key}", inner))
        return found
    return {path: value}
