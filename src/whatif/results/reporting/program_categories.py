"""The categories of answers that programs gave: right, or why they are wrong."""

from __future__ import annotations

from whatif.models.program_runs import OUTCOMES

RIGHT = "right"
FAILING_TOOL = "failing tool"
IGNORED = "ignored presupposition"
WRONG_ARITHMETIC = "wrong arithmetic"
WRONG_TOOL = "wrong tool"
NO_PROGRAM = "no program"
NOT_CLASSIFIED = "not classified"
# The causes that rules find where an image is drawn, and people elsewhere.
CAUSES = (FAILING_TOOL, IGNORED, WRONG_ARITHMETIC, WRONG_TOOL)
FAILED_RUNS = tuple(outcome for outcome in OUTCOMES if outcome != "ok")
CATEGORIES = (RIGHT, *CAUSES, *FAILED_RUNS, NO_PROGRAM, NOT_CLASSIFIED)
