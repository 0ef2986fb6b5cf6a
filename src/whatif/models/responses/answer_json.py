"""Answers as JSON in a store, and their validation when they are read."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, get_args

from whatif.models import Answer, ImageForm, OptionScore
from whatif.models.program_runs import OUTCOMES, ProgramRun, ToolCall

_TEXTS = ("letter", "reason", "response", "reasoning", "finish")
_COUNTS = ("prompt_tokens", "response_tokens", "reasoning_tokens", "image_tokens")
_FORMS = get_args(ImageForm)


def as_json(answer: Answer) -> dict[str, Any]:
    """An answer without empty fields and without its key; floats are restored exactly.

    Of an option, only the sum and the number of tokens are stored: the mean of a model that is asked follows from them.
    """
    fields = dataclasses.asdict(answer)
    del fields["request_key"]
    for score in fields["option_scores"] or ():
        del score["mean"]
        if not score["at_most"]:
            del score["at_most"]
    return {name: value for name, value in fields.items() if value is not None and value is not False}


def from_json(value: Any) -> Answer:
    """The answer that `as_json` wrote; unknown fields are ignored.

    Raises ValueError that names an invalid field. An error is not an answer, and is rejected too.
    """
    if not isinstance(value, dict):
        raise ValueError("is not an object")
    if value.get("status") not in ("ok", "ambiguous", "none"):
        raise ValueError("has no status `ok`, `ambiguous` or `none`")
    for name in _TEXTS:
        if not isinstance(value.get(name), str | None):
            raise ValueError(f"has a {name} that is not text: {value[name]!r:.40}")
    for name in _COUNTS:
        if value.get(name) is not None and not is_count(value[name]):
            raise ValueError(f"has {name} that are not a number of tokens: {value[name]!r:.40}")
    if not isinstance(value.get("cut_off", False), bool):
        raise ValueError(f"has a cut_off that is neither true nor false: {value['cut_off']!r:.40}")
    seconds = value.get("seconds")
    if seconds is not None and not (_is_number(seconds) and seconds >= 0):
        raise ValueError(f"has seconds that are not a time: {seconds!r:.40}")
    if value.get("image_form") not in (None, *_FORMS):
        raise ValueError(f"has an image_form other than {', '.join(_FORMS)}: {value['image_form']!r:.40}")
    known: dict[str, Any] = {name: value.get(name) for name in (*_TEXTS, *_COUNTS, "seconds")}
    scores = value.get("option_scores")
    return Answer(
        **known,
        status=value["status"],
        option_scores=None if scores is None else _option_scores(scores),
        cut_off=value.get("cut_off", False),
        image_form=value.get("image_form"),
        image_sizes=_image_sizes(value.get("image_sizes")),
        program=_program(value.get("program")),
    )


def is_count(value: Any) -> bool:
    """Whether an external value is a number of tokens that fits every column: an integer from 0, below 2**31."""
    return type(value) is int and 0 <= value < 2**31


def _image_sizes(value: Any) -> tuple[tuple[int, int], ...] | None:
    if value is None:
        return None
    is_list = isinstance(value, list) and all(isinstance(size, list) and len(size) == 2 for size in value)
    if not is_list or not all(is_count(side) for size in value for side in size):
        raise ValueError(f"has image_sizes that are not a list of width and height: {value!r:.40}")
    return tuple((width, height) for width, height in value)


def _program(value: Any) -> ProgramRun | None:
    if value is None:
        return None
    try:
        calls = tuple(ToolCall(**_texts(call)) for call in value["calls"])
        run = ProgramRun(**{**value, "calls": calls})
    except (TypeError, KeyError, AttributeError):
        raise ValueError(f"has a program that is not code, outcome, sandbox and calls: {value!r:.40}") from None
    texts = (run.code, run.outcome, run.sandbox, run.reason or "")
    if not all(isinstance(text, str) for text in texts) or run.outcome not in OUTCOMES or run.fallback not in (0, 1):
        raise ValueError(f"has a program that is not code, outcome, sandbox and calls: {value!r:.40}")
    return run


def _texts(call: Any) -> dict[str, str]:
    if not isinstance(call, dict) or not all(isinstance(text, str) for text in call.values()):
        raise TypeError("a call is an object of texts")
    return call


def _option_scores(value: Any) -> tuple[OptionScore, ...]:
    is_list = isinstance(value, list) and value
    if not is_list or not all(isinstance(score, dict) and _is_score(score) for score in value):
        raise ValueError(f"has option_scores that are not a list of log_likelihood and tokens: {value!r:.40}")
    return tuple(
        OptionScore(score["log_likelihood"], score["tokens"], at_most=score.get("at_most", False)) for score in value
    )


def _is_score(score: dict[str, Any]) -> bool:
    likelihood: Any = score.get("log_likelihood")
    tokens = score.get("tokens")
    is_bound = isinstance(score.get("at_most", False), bool)
    return _is_number(likelihood) and is_count(tokens) and tokens != 0 and is_bound


def _is_number(value: Any) -> bool:
    return (isinstance(value, float) or type(value) is int) and math.isfinite(value)
