"""A Markdown extension: content of a list is indented by two spaces, as in GitHub's view of the same pages."""

from __future__ import annotations

from typing import Any

from markdown import Extension, Markdown  # type: ignore[import-untyped]


class TwoSpaces(Extension):  # type: ignore[misc]
    """Python-Markdown otherwise wants four spaces before what belongs to a list item."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        """Sets the width of an indentation."""
        md.tab_length = 2


def makeExtension(**settings: Any) -> TwoSpaces:  # noqa: N802
    """What Python-Markdown calls when it loads this module."""
    return TwoSpaces(**settings)
