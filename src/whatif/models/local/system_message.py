"""The system message of a conversation, for checkpoints whose chat template has a place for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from whatif.errors import WhatifError
from whatif.models.local.faults import first_line


def system_turn(system: str | None, content: Callable[[str], Any]) -> list[dict[str, Any]]:
    """The turns before the question: one with the system message, or none."""
    return [] if system is None else [{"role": "system", "content": content(system)}]


def check_system_message(checkpoint: str, processor: Any, system: str | None, content: Callable[[str], Any]) -> None:
    """Raises WhatifError when a chat template refuses a system message, or leaves it out in silence.

    `processor` is a processor or a tokeniser; `content` makes of words what its template wants for a turn.
    """
    if system is None:
        return
    turns = [*system_turn(system, content), {"role": "user", "content": content("question")}]
    try:
        text = str(processor.apply_chat_template(turns, add_generation_prompt=True, tokenize=False))
    except Exception as error:  # a template is a program of its checkpoint, and raises what it likes
        reason = f"refuses a system message ({first_line(error)})"
    else:
        if system.strip() in text:
            return
        reason = "leaves a system message out"
    raise WhatifError(f"checkpoint {checkpoint}: its chat template {reason}; take `system` out of the model's entry")
