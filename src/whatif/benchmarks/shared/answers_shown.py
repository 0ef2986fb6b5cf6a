"""Predictions as the answers that items of the site show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from whatif.engine.params.prices import Prices
from whatif.results.reporting.items import ItemAnswer, ItemProgram

Row = Mapping[str, Any]

# The columns of `predictions` that items show.
SHOWN_COLUMNS = (
    *("question_id", "model", "strategy", "response", "choice_scores", "answer", "status", "reason", "correct"),
    *("prompt_tokens", "response_tokens", "earlier_turns", "samples", "program"),
)
NOTHING = "(nothing)"  # instead of a turn or sample without text, so that each keeps its number


def item_answer(
    system: str,
    prediction: Row,
    answer: str | None,
    *,
    why: str = "",
    prices: Prices | None = None,
    program_category: str = "",
) -> ItemAnswer:
    """What a system answered. `prediction` has SHOWN_COLUMNS; `answer` is its answer as shown, None without one.

    The reason of an answer without the status `ok` comes before `why`. The cost needs `prices` and both numbers of
    tokens.
    """
    prompt, response = prediction["prompt_tokens"], prediction["response_tokens"]
    known = prices is not None and prompt is not None and response is not None
    return ItemAnswer(
        system,
        answer,
        prediction["correct"],
        prediction["status"],
        "; ".join(filter(None, (prediction["reason"], why))),
        prediction["response"],
        tuple(turn["response"] or NOTHING for turn in prediction["earlier_turns"] or ()),
        tuple(sample["response"] or NOTHING for sample in prediction["samples"] or ()),
        program_shown(prediction["program"], program_category),
        prompt,
        response,
        prices.cost(prompt, response) if known and prices is not None else None,
    )


def program_shown(program: Row | None, category: str = "") -> ItemProgram | None:
    """The program of a prediction, with why it is wrong: a `category`, otherwise how its run failed."""
    if program is None:
        return None
    failed = "" if program["outcome"] == "ok" else program["outcome"]
    told = ": ".join(filter(None, (category or failed, program["reason"])))
    fallback = "a fallback program" if program["fallback"] else ""
    calls = tuple(f"{call['tool']} {call['arguments']}: {call['value']}" for call in program["calls"])
    return ItemProgram(program["code"], "; ".join(filter(None, (told, fallback))), calls)
