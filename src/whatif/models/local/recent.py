"""Values that were computed from tensors, remembered as far as they fit into a number of bytes."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import torch

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The values of the most recent keys: tensors, or sequences and mappings of them, of `most_bytes` together."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[bytes, Value] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, tensors: Mapping[str, torch.Tensor], compute: Callable[[], Value]) -> Value:
        """The value for these tensors, computed if it is not remembered. The caller must not change it."""
        key = digest(tensors)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        value = self._kept[key] = compute()
        self._bytes += _size(value)
        while self._bytes > self._most_bytes:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= _size(oldest)
        return value

    def forget(self) -> None:
        """Frees the memory."""
        self._kept.clear()
        self._bytes = 0


def digest(tensors: Mapping[str, torch.Tensor]) -> bytes:
    """A digest of the names, types, shapes and values of tensors."""
    import torch

    made = hashlib.sha256()
    for name, value in sorted(tensors.items()):
        made.update(f"{name} {value.dtype} {tuple(value.shape)} ".encode())
        made.update(value.cpu().contiguous().view(torch.uint8).numpy().data)
    return made.digest()


def _size(value: Any) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in _tensors(value))


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)
    else:
        yield value
