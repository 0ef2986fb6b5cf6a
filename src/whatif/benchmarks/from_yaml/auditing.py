"""Which ways to answer without the picture the audit of a benchmark in a YAML file tries."""

from __future__ import annotations

from whatif.shortcuts.audit import RULES

_ORIGINAL = "original"


def audit_rules(variant: str) -> tuple[tuple[str, ...], str]:
    """The rules for a variant of the questions, and the variant whose options they compare."""
    rules = (*RULES, "words", "length")
    return (rules, "") if variant == _ORIGINAL else ((*rules, "other-options"), _ORIGINAL)
