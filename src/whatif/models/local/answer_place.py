"""Where an answer stands after a prompt, and which tokens an option has there.

The tokens of an option are appended to the tokens of the prompt, never tokenised together with it: no token of the
prompt may depend on the option that follows, or the losses of two options would be taken after different prompts. What
stands between the prompt and an answer (the space of `ASSISTANT: 16` in one family, nothing in another) is learnt from
the chat template itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from whatif.errors import WhatifError
from whatif.models.local.faults import first_line


@dataclass(frozen=True)
class AnswerPlace:
    """How a prompt leads up to an answer: its last line, and the white space after it."""

    line: str
    separator: str


def parts(text: str, *more: dict[str, Any]) -> list[dict[str, Any]]:
    """A turn's content as a list of parts: some templates silently drop content that is a plain string."""
    return [*more, {"type": "text", "text": text}]


def decoded(tokenizer: Any, tokens: list[int]) -> str:
    """The words of an answer, without what frames it."""
    return str(tokenizer.decode(tokens, skip_special_tokens=True)).strip()


def option_tokens(tokenizer: Any, place: AnswerPlace, option: str) -> list[int]:
    """The token ids of an option as they stand where the chat template puts an answer.

    Tokenisers treat the beginning of a text specially (SentencePiece puts a space there), so the option is
    tokenised behind the prompt's last line, which is cut off again. Where that line's own tokens change because of
    what follows, the option is tokenised by itself.
    """
    before = tokenizer.encode(place.line, add_special_tokens=False)
    together = tokenizer.encode(place.line + place.separator + option, add_special_tokens=False)
    if together[: len(before)] == before:
        return list(together[len(before) :])
    return list(tokenizer.encode(place.separator + option, add_special_tokens=False))


def answer_place(checkpoint: str, processor: Any, content: Callable[[str], Any] = parts) -> AnswerPlace:
    """Learns from a chat template where an answer stands: the place after its generation prompt.

    `processor` is a processor or a tokeniser; `content` makes of words what its template wants for a turn. Raises
    WhatifError, naming the checkpoint, when the template fails.
    """
    question = [{"role": "user", "content": content("question")}]
    probe = "probe"
    reply = {"role": "assistant", "content": content(probe)}
    try:
        before = str(processor.apply_chat_template(question, add_generation_prompt=True, tokenize=False))
        whole = str(processor.apply_chat_template([*question, reply], add_generation_prompt=False, tokenize=False))
    except Exception as error:  # a template is a program: it may fail in any way, or be refused by Jinja's sandbox
        raise WhatifError(
            f"checkpoint {checkpoint}: its chat template fails ({type(error).__name__}: {first_line(error)}); "
            "mend chat_template.jinja, or `chat_template` in its settings"
        ) from error
    last_line = re.search(r"[^\n]*\s*\Z", before)
    line = last_line.group() if last_line else ""
    if not whole.startswith(before) or probe not in whole[len(before) :]:
        return AnswerPlace(line, "")
    between = whole[len(before) : whole.index(probe, len(before))]
    return AnswerPlace(line, "" if between.strip() else between)
