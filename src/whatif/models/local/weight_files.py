"""Finds truncated or damaged weight files from their headers, before a library fails on them."""

from __future__ import annotations

import json
import os
from pathlib import Path

from whatif.errors import WhatifError
from whatif.files.inputs import open_regular

_LENGTH_BYTES = 8  # size of the initial number, which is the length of the header
_LONGEST_HEADER = 100_000_000  # bytes; the format allows no more
_AGAIN = "copy or download it again"


def check_weights(path: Path) -> None:
    """Raises WhatifError, naming the file, when a safetensors file does not have the size that its header implies.

    The header gives the position of each weight, so only a few kilobytes are read, and no weights.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            header = file.read(length) if length <= _LONGEST_HEADER else b""
    except OSError as error:
        raise WhatifError(f"checkpoint {path}: cannot be read ({error.strerror})") from error
    if size < _LENGTH_BYTES + length <= _LENGTH_BYTES + _LONGEST_HEADER:
        raise WhatifError(f"checkpoint {path}: is truncated: it ends after {size:,} bytes, within its header; {_AGAIN}")
    try:
        places = json.loads(header)
        ends = [int(place["data_offsets"][1]) for name, place in places.items() if name != "__metadata__"]
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise WhatifError(f"checkpoint {path}: is not a safetensors file: unreadable header; {_AGAIN}") from error
    whole = _LENGTH_BYTES + length + max(ends, default=0)
    if size < whole:
        raise WhatifError(f"checkpoint {path}: is truncated: it has {size:,} of {whole:,} bytes; {_AGAIN}")
    if size > whole:
        raise WhatifError(f"checkpoint {path}: is damaged: it has {size:,} bytes, not {whole:,}; {_AGAIN}")
