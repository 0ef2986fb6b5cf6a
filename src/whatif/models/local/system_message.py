"""The system message of a conversation, for checkpoints whose chat template has a place for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whatif.errors import WhatifError
from whatif.models.local.faults import first_line


def system_turn(system: str | None, content: Callable[[str], Any]) -> list[dict[str, Any]]:
    """The turns before the question: one with the system message, or none."""
    return [] if system is None else [{"role": "system", "content": content(system)}]


def check_system_message(checkpoint: str, processor: Any, system: str | None, content: Callable[[str], Any]) -> None:
    """Raises WhatifError when a chat template rejects a system message or silently omits it.

    `processor` is a processor or a tokeniser; `content` turns text into a turn's content as the template expects it.
    """
    if system is None:
        return
    turns = [*system_turn(system, content), {"role": "user", "content": content("question")}]
    try:
        text = str(processor.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))
    except Exception as error:  # a template is a program of its checkpoint: it can raise anything
        reason = f"rejects a system message ({first_line(error)})"
    else:
        if system.strip() in text:
            return
        reason = "omits a system message"
    raise WhatifError(f"checkpoint {checkpoint}: its chat template {reason}; remove `system` from the model's entry")
