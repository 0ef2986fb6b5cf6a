"""Reads the header of a GGUF file within fixed limits, and finds truncated or damaged files.

The libraries trust a header: a file of a hundred bytes may declare any number of values, texts of any length, or layers
without weights. So the header is read here first, and only a file that passes is given to them.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import open_regular

Scalar = int | float | bool | str
_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9
# Limits above the largest published files. The libraries make Python objects of each value of an array and of each
# byte of a text, so these bound their memory.
_LONGEST_HEADER = 100_000_000  # bytes
_LONGEST_TEXT = 2**20  # bytes; the longest is the chat template
_MOST_VALUES = 3_000_000  # of all arrays together: the vocabulary three times, and its merges
_MOST_ENTRIES = 100_000  # values with a name, and tensors
_MOST_DIMENSIONS = 4
_SMALLEST_VALUE, _SMALLEST_TENSOR = 13, 24  # bytes of an entry of the header
_ALIGNMENT = 32  # unless the file gives another
_AGAIN = "copy or download it again"


@dataclass(frozen=True)
class GgufHeader:
    """The architecture that a file names, its values that are not arrays by key, and the names of its tensors."""

    architecture: str
    values: Mapping[str, Scalar]
    tensors: frozenset[str]


@dataclass(frozen=True)
class _Tensor:
    name: str
    shape: tuple[int, ...]  # the first dimension is that of a row
    kind: int
    offset: int  # bytes, from the beginning of the data


def read_header(path: Path, blocks: Mapping[int, tuple[int, int]]) -> GgufHeader:
    """The header of the GGUF file at `path`; no weights are read.

    `blocks` has for each type of tensor the number of values in a block, and the bytes of one.

    Raises WhatifError, naming the file, when it cannot be read, is not a GGUF file of version 2 or 3, does not have the
    size that its header implies, or has a header that no model has.
    """
    try:
        with open_regular(path) as file:
            return _Reader(path, file, os.fstat(file.fileno()).st_size).header(blocks)
    except OSError as error:
        raise WhatifError(f"checkpoint {path}: cannot be read ({error.strerror})") from error


@dataclass
class _Reader:
    """Reads a header from front to back; `at` is the next byte."""

    path: Path
    file: BufferedReader
    size: int
    at: int = 0
    values_left: int = field(default=_MOST_VALUES)

    def header(self, blocks: Mapping[int, tuple[int, int]]) -> GgufHeader:
        self._check_kind()
        tensors, values = self._numbers("QQ")
        self._check_count(values, _SMALLEST_VALUE, "values")
        self._check_count(tensors, _SMALLEST_TENSOR, "tensors")
        found: dict[str, Scalar | None] = {}
        for _ in range(values):
            key = self._text()
            if key in found:
                raise self._damaged(f"the value {key!r:.80} occurs twice")
            (kind,) = self._numbers("I")
            found[key] = self._value(kind, key)
        listed = [self._tensor() for _ in range(tensors)]
        self._check_tensors(listed, blocks, found.get("general.alignment", _ALIGNMENT))
        scalars = {key: value for key, value in found.items() if value is not None}
        architecture = scalars.get("general.architecture")
        if not isinstance(architecture, str):
            raise self._damaged("it does not name an architecture (general.architecture)")
        self._check_keys(architecture, found)
        self._check_layers(scalars, len(listed))
        return GgufHeader(architecture, scalars, frozenset(tensor.name for tensor in listed))

    def _check_kind(self) -> None:
        first = self.file.read(len(_MAGIC))
        self.at = len(first)
        if first != _MAGIC:
            what = "is empty" if not first else f"is not a GGUF file: it begins with {first!r}, not with {_MAGIC!r}"
            raise WhatifError(f"checkpoint {self.path}: {what}; {_AGAIN}")
        (version,) = self._numbers("I")
        if version not in _VERSIONS:
            kind = "with the highest byte first" if version & 0xFFFF == 0 else f"of version {version}"
            raise WhatifError(
                f"checkpoint {self.path}: is a GGUF file {kind}; give one of version 2 or 3 with the lowest byte first"
            )

    def _value(self, kind: int, key: str) -> Scalar | None:
        """A value of the header; None for an array, which is skipped."""
        if kind == _TEXT:
            return self._text()
        if kind != _ARRAY:
            value: Scalar = self._numbers(self._format(kind, key))[0]
            return value
        kind, count = self._numbers("IQ")
        self.values_left -= count
        if self.values_left < 0:
            raise self._damaged(f"its arrays have more than {_MOST_VALUES:,} values, at {key!r:.80}")
        if kind == _TEXT:
            for _ in range(count):
                self._text()
        else:
            self._skip(count * struct.calcsize(self._format(kind, key)))
        return None

    def _format(self, kind: int, key: str) -> str:
        if kind not in _NUMBERS:
            raise self._damaged(f"the value {key!r:.80} has the type {kind}, which is not known")
        return _NUMBERS[kind]

    def _tensor(self) -> _Tensor:
        name = self._text()
        (dimensions,) = self._numbers("I")
        if not 1 <= dimensions <= _MOST_DIMENSIONS:
            raise self._damaged(f"the tensor {name!r:.80} has {dimensions:,} dimensions")
        shape = self._numbers("Q" * dimensions)
        return _Tensor(name, shape, *self._numbers("IQ"))

    def _check_tensors(
        self, tensors: list[_Tensor], blocks: Mapping[int, tuple[int, int]], alignment: Scalar | None
    ) -> None:
        if type(alignment) is not int or alignment < 1 or alignment & (alignment - 1):
            raise self._damaged(f"general.alignment is {alignment!r:.80}, not a power of two")
        begin = math.ceil(self.at / alignment) * alignment
        names: set[str] = set()
        end = 0
        for tensor, size in self._sized(tensors, blocks):
            if tensor.name in names:
                raise self._damaged(f"the tensor {tensor.name!r:.80} occurs twice")
            names.add(tensor.name)
            whole = begin + tensor.offset + size
            if whole > self.size:
                raise WhatifError(
                    f"checkpoint {self.path}: is truncated: it has {self.size:,} bytes, and {tensor.name!r:.80} ends "
                    f"after {whole:,}; {_AGAIN}"
                )
            if tensor.offset < end:  # or a small file could hold any number of large tensors
                raise self._damaged(f"the tensor {tensor.name!r:.80} overlaps another one")
            end = tensor.offset + size

    def _sized(self, tensors: list[_Tensor], blocks: Mapping[int, tuple[int, int]]) -> Iterator[tuple[_Tensor, int]]:
        """The tensors in their order in the file, each with its number of bytes."""
        for tensor in sorted(tensors, key=lambda one: one.offset):
            if tensor.kind not in blocks:
                raise WhatifError(
                    f"checkpoint {self.path}: the tensor {tensor.name!r:.80} has the type {tensor.kind}, which the "
                    "package gguf does not know; install a newer one, or quantise the file in another way"
                )
            values, size = blocks[tensor.kind]
            if tensor.shape[0] % values:
                raise self._damaged(f"the rows of the tensor {tensor.name!r:.80} are not whole blocks")
            yield tensor, math.prod(tensor.shape) // values * size

    def _check_keys(self, architecture: str, found: Mapping[str, Scalar | None]) -> None:
        sizes = (f"{architecture:.40}.{name}" for name in ("block_count", "embedding_length"))
        for key in (*sizes, "tokenizer.ggml.model", "tokenizer.ggml.tokens"):
            if key not in found:  # the libraries would build a model of their default size, or fail without a word
                raise WhatifError(
                    f"checkpoint {self.path}: is not a language model: its header has no {key}; give the file of a "
                    "language model with its vocabulary, not that of a vision tower (mmproj)"
                )

    def _check_layers(self, values: Mapping[str, Scalar], tensors: int) -> None:
        for key, layers in values.items():  # the libraries read the keys of any architecture, and build all layers
            if key.endswith(".block_count") and not (isinstance(layers, int) and 0 <= layers <= tensors):
                shown = f"{layers:,}" if isinstance(layers, int) else f"{layers!r:.80}"
                raise self._damaged(f"{key:.80} is {shown}, but the file holds {tensors:,} tensors")

    def _check_count(self, count: int, smallest: int, what: str) -> None:
        if count > _MOST_ENTRIES or count * smallest > self.size:
            raise WhatifError(
                f"checkpoint {self.path}: is truncated or damaged: its header declares {count:,} {what}, and the file "
                f"has {self.size:,} bytes; {_AGAIN}"
            )

    def _numbers(self, form: str) -> tuple[Any, ...]:
        form = f"<{form}"
        return struct.unpack(form, self._take(struct.calcsize(form)))

    def _text(self) -> str:
        (length,) = self._numbers("Q")
        if length > _LONGEST_TEXT:
            raise self._damaged(f"its header declares a text of {length:,} bytes")
        try:
            return self._take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._damaged("its header has a text that is not UTF-8") from error

    def _take(self, length: int) -> bytes:
        self._advance(length)
        return self.file.read(length)

    def _skip(self, length: int) -> None:
        self._advance(length)
        self.file.seek(self.at)

    def _advance(self, length: int) -> None:
        self.at += length
        if self.at > self.size:
            raise WhatifError(
                f"checkpoint {self.path}: is truncated: it ends after {self.size:,} bytes, within its header; {_AGAIN}"
            )
        if self.at > _LONGEST_HEADER:
            raise self._damaged(f"its header has more than {_LONGEST_HEADER:,} bytes")

    def _damaged(self, what: str) -> WhatifError:
        return WhatifError(f"checkpoint {self.path}: is damaged: {what}; {_AGAIN}")
