"""Pairs of questions: an original one about a shelf, and one that supposes a change of it.

Half of the changes leave the answer as it is, so a model cannot know from the word "if" alone that it changes. Each
question has four options, and the right one is equally often any of them: without the picture, chance is 25%.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whatif.benchmark import LETTERS, stream

from my_benchmark.pictures import COLOURS, MOST_OF_A_COLOUR
from my_benchmark.settings import Change

Row = Mapping[str, Any]
_ORIGINAL = "How many {asked} balls are on the shelf?"
_COUNTERFACTUAL: Mapping[Change, str] = {
    "painted": "If one of the {other} balls were painted {asked}, how many {asked} balls would be on the shelf?",
    "removed": "If one of the {other} balls were taken away, how many {asked} balls would be on the shelf?",
}
_ADDED: Mapping[Change, int] = {"painted": 1, "removed": 0}  # to the answer


def pair(shelf: Row, change: Change, seed: int) -> list[dict[str, Any]]:
    """The two rows of `questions` about a shelf, in ascending order of their ids.

    The colours are drawn at random, so the presupposition may not hold; the stage `filter` finds that.
    """
    pair_id = f"{shelf['picture_id']}-{change}"
    random = stream(seed, "my-benchmark", "pair", pair_id)
    asked, other = (str(colour) for colour in random.permutation(list(COLOURS))[:2])
    texts = {"counterfactual": _COUNTERFACTUAL[change], "original": _ORIGINAL}
    rows = []
    for variant, text in texts.items():
        added = _ADDED[change] if variant == "counterfactual" else 0
        choices = [str(number) for number in random.permutation(range(added, added + MOST_OF_A_COLOUR + 1))]
        rows.append(
            {
                "question_id": f"{pair_id}-{variant}",
                "pair_id": pair_id,
                "group": change,
                "variant": variant,
                "question": text.format(asked=asked, other=other),
                "choices": choices,
                "answer": LETTERS[choices.index(str(shelf["balls"].count(asked) + added))],
                "answer_kind": "choice",
                "image_ids": [shelf["image_id"]],
                "provenance": json.dumps({"asked": asked, "other": other}, sort_keys=True),
            }
        )
    return rows


def defects(questions: Sequence[Row], counts: Mapping[str, int]) -> list[str]:
    """What is wrong with a pair of questions, given the number of balls of each colour; empty if nothing is."""
    found = []
    for row in questions:
        about = json.loads(row["provenance"])
        added = _ADDED[row["group"]] if row["variant"] == "counterfactual" else 0
        right, given = str(counts[about["asked"]] + added), row["choices"][LETTERS.index(row["answer"])]
        if given != right:
            found.append(f"the answer to the {row['variant']} question is {right}, not {given}")
    return found
