"""Texts of which people would see another text, or a part: they are refused before a task is written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whatif.engine.errors import WhatifError

# What XML and workbooks cannot hold, databases refuse, and HTML turns into other characters; no page shows them.
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def refuse_hidden(texts: Iterable[tuple[str, str]], longest: int | None = None) -> None:
    """Raises WhatifError for the first text with a control character, or with more than `longest` characters of UTF-16.

    texts: where a text is from, and the text.
    """
    for place, text in texts:
        if (found := _HIDDEN.search(text)) is not None:
            raise WhatifError(
                f"{place}: has U+{ord(found[0]):04X} at character {found.start() + 1}, which people would not see; "
                "correct the text at its source"
            )
        length = len(text.encode("utf-16-le")) // 2
        if longest is not None and length > longest:
            raise WhatifError(
                f"{place}: has {length:,} characters, of which a spreadsheet shows {longest:,}; shorten it, or use "
                "another tool"
            )
