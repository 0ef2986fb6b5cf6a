"""Texts that other tools write in place of a response that they could not get: never an answer."""

from __future__ import annotations

import re

from whatif.files.cells import is_cell_error

# Beginnings, in any case. lmms-eval writes both of its own with the error behind; VLMEvalKit writes one sentence.
_BEGINNINGS = ("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED", "Failed to obtain answer")
_FAILED = re.compile(r"\s*(?:" + "|".join(map(re.escape, _BEGINNINGS)) + ")", re.IGNORECASE)
_LONGEST_REASON = 200


def failure_in(response: str) -> str | None:
    """Why a text is not the response of a model, in one line; None if it may be one."""
    if _FAILED.match(response):
        return " ".join(response.split())[:_LONGEST_REASON]
    if is_cell_error(response):  # JSON may have been written from a spreadsheet
        return f"the cell holds the error {response.strip()}"
    return None
