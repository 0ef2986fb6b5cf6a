"""Reads the words of a puzzle's question: its template, colours and number (C-VQA Table 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from whatif.benchmarks.cvqa_synthetic.questions import TEMPLATES

_FIELDS: Mapping[str, str] = {"first": "[a-z]+", "second": "[a-z]+", "removed": "0|[1-9][0-9]{0,8}"}


@dataclass(frozen=True)
class Reading:
    """A template that a question fits, and what stands in its blanks; None for a blank that the template has not."""

    group: str
    first: str | None = None
    second: str | None = None
    removed: int | None = None


def readings(question: str, variant: str) -> dict[str, Reading]:
    """The templates of a variant that a question fits, by group; two templates share their original question."""
    found = {}
    for (group, of_variant), pattern in _patterns().items():
        match = pattern.fullmatch(question) if of_variant == variant else None
        if match:
            blanks = match.groupdict()
            removed = blanks.get("removed")
            found[group] = Reading(
                group, blanks.get("first"), blanks.get("second"), None if removed is None else int(removed)
            )
    return found


@cache
def _patterns() -> dict[tuple[str, str], re.Pattern[str]]:
    """The regular expression of each template and variant."""
    return {
        (group, variant): _pattern(text)
        for group, template in TEMPLATES.items()
        for variant, text in (("original", template.original), ("counterfactual", template.counterfactual))
    }


def _pattern(text: str) -> re.Pattern[str]:
    """The expression of a text with blanks such as `{first}`; a blank that occurs again must have the same words."""
    parts = []
    seen: set[str] = set()
    for literal, blank in re.findall(r"([^{]*)(?:\{(\w+)\})?", text):
        parts.append(re.escape(literal))
        if blank:
            parts.append(f"(?P={blank})" if blank in seen else f"(?P<{blank}>{_FIELDS[blank]})")
            seen.add(blank)
    return re.compile("".join(parts))
