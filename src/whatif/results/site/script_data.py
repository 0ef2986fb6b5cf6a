"""Data for the scripts of a page, as script files: pages opened from a folder cannot fetch other files."""

from __future__ import annotations

import json
from typing import Any

# Inside a script file these could end the element or start a comment if somebody pastes the file into a page.
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def script_data(kind: str, number: int, data: Any) -> bytes:
    """A script file that hands `data` to the page, whether the page's own script has run before or not.

    The file is pure ASCII: everything else is escaped, so U+2028 and half surrogates do no harm either. Raises
    ValueError for infinite numbers, which JSON does not have.
    """
    text = json.dumps([kind, number, data], separators=(",", ":"), allow_nan=False).translate(_ESCAPED)
    return f"(self.whatifItems=self.whatifItems||[]).push({text});\n".encode("ascii")
