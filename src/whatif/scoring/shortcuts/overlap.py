"""A fixed rule that chooses an option by the words that it shares with a text, such as a caption."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from whatif.engine.language.options import LETTERS
from whatif.scoring.shortcuts.fixed_rules import Count

Row = Mapping[str, Any]
MOST, FEWEST = "most words in common", "fewest words in common"
_WORD = re.compile(r"\w+")


def by_overlap(rows: Iterable[Row], texts: Mapping[str, str]) -> dict[str, Count]:
    """How often the option that shares the most words with a text is right, and how often the one that shares fewest.

    `rows` are of the table `questions`, all with choices; `texts` is the text of each question by its id, and questions
    without one are skipped. The number of different words counts, regardless of case. A choice applies where only one
    option has this number.
    """
    found = {MOST: Count(), FEWEST: Count()}
    for row in rows:
        text = texts.get(row["question_id"])
        if text is None:
            continue
        words = _words(text)
        shared = [len(_words(choice) & words) for choice in row["choices"]]
        right = shared[LETTERS.index(row["answer"])]
        for name, number in ((MOST, max(shared)), (FEWEST, min(shared))):
            if shared.count(number) == 1:
                found[name].add(correct=right == number)
    return found


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
