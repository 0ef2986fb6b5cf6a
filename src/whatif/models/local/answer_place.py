"""Determines how an answer continues a prompt, and the tokens of an option there.

The tokens of an option are appended to the tokens of the prompt and never tokenised together with it: no token of the
prompt may depend on the option that follows, or the losses of two options would be conditioned on different prompts.
The separator between prompt and answer (the space of `ASSISTANT: 16` in one family, nothing in another) is derived from
the chat template itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.reasoning import split_reasoning
from whatif.models.local.faults import first_line

_OPTIONS_REMEMBERED = 4096  # texts


@dataclass(frozen=True)
class AnswerPlace:
    """The end of a prompt: its last line, and the white space between it and the answer."""

    line: str
    separator: str


def parts(text: str, *more: dict[str, Any]) -> list[dict[str, Any]]:
    """A turn's content as a list of parts, because some templates silently drop content that is a plain string."""
    return [*more, {"type": "text", "text": text}]


def decoded(tokenizer: Any, tokens: list[int], opening: str = "") -> str:
    """The text of an answer, without special tokens, except where they are the marks of its reasoning.

    It begins with `opening`, the mark of reasoning with which its prompt ends, if there is one.
    """
    whole = opening + str(tokenizer.decode(tokens, skip_special_tokens=False))
    reasoning, _, cut_off = split_reasoning(whole)
    if reasoning is None and not cut_off:
        return str(tokenizer.decode(tokens, skip_special_tokens=True)).strip()
    for token in filter(None, (tokenizer.bos_token, tokenizer.eos_token, tokenizer.pad_token)):
        whole = whole.replace(token, "")
    return whole.strip()


def option_tokens(tokenizer: Any, place: AnswerPlace, option: str) -> list[int]:
    """The token ids of an option in the position where the chat template puts an answer.

    Tokenisers treat the beginning of a text specially (SentencePiece puts a space there), so the option is tokenised
    after the prompt's last line, whose tokens are then removed. If that line's own tokens change because of the text
    that follows, the option is tokenised by itself.
    """
    before = tokenizer.encode(place.line, add_special_tokens=False)
    together = tokenizer.encode(place.line + place.separator + option, add_special_tokens=False)
    if together[: len(before)] == before:
        return list(together[len(before) :])
    return list(tokenizer.encode(place.separator + option, add_special_tokens=False))


def remembered_option_tokens(tokenizer: Any, place: AnswerPlace) -> Callable[[str], list[int]]:
    """`option_tokens` at one place. Many questions have the same options, such as numbers: these are tokenised once."""

    @lru_cache(maxsize=_OPTIONS_REMEMBERED)
    def remembered(option: str) -> tuple[int, ...]:
        return tuple(option_tokens(tokenizer, place, option))

    return lambda option: list(remembered(option))


def answer_place(
    checkpoint: str,
    processor: Any,
    content: Callable[[str], Any] = parts,
    variables: Mapping[str, Any] | None = None,
) -> AnswerPlace:
    """Derives from a chat template where an answer begins: after the generation prompt.

    `processor` is a processor or a tokeniser; `content` turns text into the content of a turn as the template expects
    it; `variables` are further variables of the template. Raises WhatifError, naming the checkpoint, when the template
    fails.
    """
    question = [{"role": "user", "content": content("question")}]
    probe = "probe"
    reply = {"role": "assistant", "content": content(probe)}
    render = partial(processor.apply_chat_template, tokenize=False, **(variables or {}))
    try:
        before = str(render(question, add_generation_prompt=True))
        whole = str(render([*question, reply], add_generation_prompt=False))
    except Exception as error:  # a template is a program: it can raise anything, and Jinja's sandbox may refuse it
        raise WhatifError(
            f"checkpoint {checkpoint}: its chat template fails ({type(error).__name__}: {first_line(error)}); "
            "fix chat_template.jinja, or `chat_template` in its settings"
        ) from error
    last_line = re.search(r"[^\n]*\s*\Z", before)
    line = last_line.group() if last_line else ""
    if not whole.startswith(before) or probe not in whole[len(before) :]:
        return AnswerPlace(line, "")
    between = whole[len(before) : whole.index(probe, len(before))]
    return AnswerPlace(line, "" if between.strip() else between)


def answer_end(processor: Any, ends: Collection[int], content: Callable[[str], Any] = parts) -> list[int]:
    """The token that a chat template puts after an answer, if it is one of `ends`, the tokens that end a response.

    Otherwise the tokeniser's end token; no token if it has none. `processor` and `content` are as in `answer_place`,
    which must have accepted the template.
    """
    tokenizer = getattr(processor, "tokenizer", processor)
    probe = "probe"
    turns = [{"role": "user", "content": content("question")}, {"role": "assistant", "content": content(probe)}]
    whole = str(processor.apply_chat_template(turns, add_generation_prompt=False, tokenize=False))
    after = tokenizer.encode(whole.rpartition(probe)[2], add_special_tokens=False)
    if after and after[0] in ends:
        return [int(after[0])]
    return [] if tokenizer.eos_token_id is None else [int(tokenizer.eos_token_id)]
