"""Prompting strategies: how a question is worded. Each strategy is a YAML file in this folder.

A file holds, for each answer kind (`number`, `boolean`, `choice`, and `text` where it is needed), the words around
`{question}`. Two entries are optional:

- `max_new_tokens`: the number of tokens that its responses need, if the model's own limit is lower;
- `then: module:function`: two turns. The function makes the second prompt from the question, its answer kind and the
  first response. The images are shown again, and the second response counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeAlias, cast

from whatif.errors import WhatifError
from whatif.files.yaml_values import parse_yaml

FOLDER: Traversable = resources.files(__name__)
DIRECT = "direct"  # the question and the required form of the answer
_PLACE = "{question}"
_KINDS = ("number", "boolean", "choice")
_FURTHER_KINDS = ("text",)

SecondPrompt: TypeAlias = Callable[[str, str, str], str]


@dataclass(frozen=True)
class Strategy:
    """The contents of a strategy file."""

    words: Mapping[str, str]
    max_new_tokens: int | None = None
    then: str | None = None


def strategies() -> list[str]:
    """The available names, sorted."""
    names = (entry.name for entry in FOLDER.iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def prompt(strategy: str, question: str, answer_kind: str) -> str:
    """The prompt of a strategy for a question whose answer is a `number`, a `boolean`, a `choice` or a `text`.

    A multiple-choice question includes its options. Raises WhatifError for an unknown strategy or answer kind.
    """
    words = _read(strategy).words
    if answer_kind not in words:
        raise WhatifError(f"strategy {strategy}: has no prompt for answer kind {answer_kind}")
    # Replaced, not formatted, because a question may contain braces.
    return words[answer_kind].replace(_PLACE, question)


def max_new_tokens(strategy: str, limit: int) -> int:
    """The limit of new tokens under a strategy, for a model's `limit`; a strategy can raise it but not lower it."""
    return max(limit, _read(strategy).max_new_tokens or 0)


def second_prompt(strategy: str) -> SecondPrompt | None:
    """The function that makes the second prompt; None if the strategy has one turn."""
    then = _read(strategy).then
    if then is None:
        return None
    module, _, name = then.partition(":")
    return cast("SecondPrompt", getattr(import_module(module), name))


def code(strategy: str) -> list[str]:
    """The functions that a strategy looks up by name, as `module:name`."""
    then = _read(strategy).then
    return [] if then is None else [then]


@cache
def _read(strategy: str) -> Strategy:
    if strategy not in strategies():
        raise WhatifError(f"strategy {strategy}: is unknown; choose one of {', '.join(strategies())}")
    name = f"{strategy}.yaml"
    values = dict(parse_yaml((FOLDER / name).read_text(encoding="utf-8"), Path(name))[0])
    room, then = values.pop("max_new_tokens", None), values.pop("then", None)
    if room is not None and (type(room) is not int or room < 1):
        raise WhatifError(f"strategy {strategy}: max_new_tokens is {room!r}; it must be a positive integer")
    if then is not None and (not isinstance(then, str) or ":" not in then):
        raise WhatifError(f"strategy {strategy}: then is {then!r}; it must name a function as `module:function`")
    if set(values) - set(_FURTHER_KINDS) != set(_KINDS):
        raise WhatifError(f"strategy {strategy}: has prompts for {', '.join(values)}; it needs {', '.join(_KINDS)}")
    lacking = [kind for kind, words in values.items() if str(words).count(_PLACE) != 1]
    if lacking:
        raise WhatifError(f"strategy {strategy}: its prompt for {lacking[0]} must contain {_PLACE} once")
    return Strategy({kind: str(words) for kind, words in values.items()}, room, then)
