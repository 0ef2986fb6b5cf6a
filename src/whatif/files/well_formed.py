"""Text that every file and every terminal takes: without halves of surrogate pairs, which broken replies hold."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with whole surrogate pairs joined, and a half without its other replaced by U+FFFD.

    A reply in JSON may hold such halves (an emoji that was cut in two); UTF-8, and so every file of ours, cannot.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def escaped(text: str) -> str:
    """The text on one line, with what cannot be printed written as `\\n` or `\\udcff`.

    Different texts stay different, unlike with `well_formed`: for names of files, which need not be UTF-8.
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
