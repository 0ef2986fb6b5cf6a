"""Text that can be written to any file or terminal: without halves of surrogate pairs, which broken replies contain."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with complete surrogate pairs joined and unpaired halves replaced by U+FFFD.

    A reply in JSON may contain such halves (an emoji that was cut in two). UTF-8 cannot encode them.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escaped(text: str) -> str:
    """The text on one line, with unprintable characters written as `\\n` or `\\udcff`.

    Different texts stay different, unlike with `well_formed`. This is for file names, which need not be UTF-8.
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
