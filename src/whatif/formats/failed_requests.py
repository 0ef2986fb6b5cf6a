"""Texts that other tools write in place of a response that they could not get: never an answer."""

from __future__ import annotations

import re

# Beginnings, in any case. lmms-eval writes both of its own with the error behind; VLMEvalKit writes one sentence.
_BEGINNINGS = ("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED", "Failed to obtain answer")
_FAILED = re.compile(r"\s*(?:" + "|".join(map(re.escape, _BEGINNINGS)) + ")", re.IGNORECASE)
# What a spreadsheet shows for a formula without a value.
_CELL_ERROR = re.compile(r"#(?:N/A|REF!|VALUE!|DIV/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)")
_LONGEST_CELL = 32_767  # characters; Excel, and pandas for Excel, cut longer texts without a word
_LONGEST_REASON = 200


def failure_in(response: str) -> str | None:
    """Why a text is not the response of a model, in one line; None if it may be one."""
    if _FAILED.match(response):
        return " ".join(response.split())[:_LONGEST_REASON]
    if _CELL_ERROR.fullmatch(response.strip()):
        return f"the cell holds the error {response.strip()}"
    return None


def is_cut_cell(text: str) -> bool:
    """Whether a text of a table has the length at which spreadsheets cut."""
    return len(text) == _LONGEST_CELL
