"""Text that every file takes: without the halves of surrogate pairs that broken replies hold."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with whole surrogate pairs joined, and a half without its other replaced by U+FFFD.

    A reply in JSON may hold such halves (an emoji that was cut in two); UTF-8, and so every file of ours, cannot.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
