"""Prompting strategies: how an open question is put into words, as data; a YAML file in this folder each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

from whatif.errors import WhatifError

_PLACE = "{question}"


def strategies() -> list[str]:
    """The names that there are, sorted."""
    names = (entry.name for entry in resources.files(__name__).iterdir())
    return sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml"))


def prompt(strategy: str, question: str, answer_kind: str) -> str:
    """The words of a strategy around a question whose answer is a `number` or a `boolean`.

    Raises WhatifError when there is no such strategy, or it says nothing about this kind of answer.
    """
    templates = _templates(strategy)
    if answer_kind not in templates:
        raise WhatifError(f"strategy {strategy}: has no words for answers of the kind {answer_kind}")
    # Replaced, not formatted: a question is data and may hold braces.
    return templates[answer_kind].replace(_PLACE, question)


@cache
def _templates(strategy: str) -> Mapping[str, str]:
    if strategy not in strategies():
        raise WhatifError(f"strategy {strategy}: is not known; there are {', '.join(strategies())}")
    text = (resources.files(__name__) / f"{strategy}.yaml").read_text(encoding="utf-8")
    templates = yaml.safe_load(text)
    lacking = [kind for kind, template in templates.items() if template.count(_PLACE) != 1]
    if lacking:
        raise WhatifError(f"strategy {strategy}: its words for {lacking[0]} must hold {_PLACE} once")
    return {str(kind): str(template) for kind, template in templates.items()}
