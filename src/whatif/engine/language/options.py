"""Multiple-choice questions as they are printed: the question, then its lettered options (C-VQA Table 1)."""

from __future__ import annotations

from collections.abc import Sequence

from whatif.engine.errors import WhatifError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OPTIONS_FOLLOW = " Select the correct answer:"  # exactly as released, because it is part of the benchmark


def printed_question(question: str, choices: Sequence[str] | None) -> str:
    """The question; if it has `choices`, followed by the lettered options.

    For example, `How many dots are there? Select the correct answer:A:16  B:17  C:12  D:13`.
    """
    if choices is None:
        return question
    options = "  ".join(f"{letter}:{choice}" for letter, choice in lettered(choices).items())
    return f"{question}{OPTIONS_FOLLOW}{options}"


def lettered(choices: Sequence[str]) -> dict[str, str]:
    """The options by letter. Raises WhatifError for more options than letters."""
    if len(choices) > len(LETTERS):
        raise WhatifError(
            f"options `{choices[0]}`, `{choices[1]}`, ...: a question has {len(choices)} of them; give at most "
            f"{len(LETTERS)}, one for each letter"
        )
    return dict(zip(LETTERS, choices, strict=False))
