"""Prompts of judges: how a model is asked which final answer a response gives. Each is a YAML file in this folder.

    system: You read responses.           # the system message
    ask: |-                               # the message of the user, with all four placeholders
      {question} {opening} {response} {closing} {form}
    form: {number: ..., boolean: ..., choice: ..., text: ...}  # the allowed lines, for each kind of answer
    examples:                             # worked examples that precede the response
      - question: How many cats are there?
        kind: number                      # shown only with questions of this kind
        response: I see two, no, three.
        reply: "Answer: 3"
    max_new_tokens: 16                    # optional: room for the reply, if the model's own limit is lower

The judge sees text only. The response is data: it stands between `{opening}` and `{closing}`, a pair of tags whose name
occurs nowhere in it, and cannot contain a tag or a special token of a chat template (see `quoted`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from whatif.engine.errors import WhatifError
from whatif.engine.language.judges.judge_prompt import NO_ANSWER, JudgePrompt, filled, reply_pattern
from whatif.engine.language.messages import Message, Messages, user_message
from whatif.engine.language.named_files import names_in, read_named
from whatif.engine.language.options import LETTERS, printed_question

FOLDER: Traversable = resources.files(__name__)
_TAG = "response"
_OPENS = re.compile(r"([<\[])(?=\S)")


def judge_prompts() -> list[str]:
    """The available names, sorted."""
    return names_in(FOLDER)


@cache
def read(name: str) -> JudgePrompt:
    """The contents of a prompt's file. Raises WhatifError, naming the entry, when there is none or it is wrong."""
    return read_named(JudgePrompt, FOLDER, "judge prompt", name)


def conversation(name: str, question: str, answer_kind: str, response: str, choices: Sequence[str] | None) -> Messages:
    """The messages that ask which final answer a response gives to a question with these `choices`, if it has any.

    Raises WhatifError for an unknown prompt or answer kind.
    """
    described = read(name)
    messages = [Message("system", (described.system,))]
    for example in described.examples:
        if example.kind == answer_kind:
            messages += [
                user_message(_asked(name, described, example.question, example.kind, example.response)),
                Message("assistant", (example.reply,)),
            ]
    printed = printed_question(question, choices)
    return (*messages, user_message(_asked(name, described, printed, answer_kind, response)))


def answer_of(reply: str, answer_kind: str, choices: Sequence[str] | None) -> str | None:
    """The answer that a judge's reply names, NO_ANSWER for `Answer: none`; None if the reply is outside its format.

    The format is one line, `Answer: ` and an allowed answer: a number in digits, `yes` or `no`, the letter of one of
    the choices, or a text. Only white space may surround it.
    """
    letters = LETTERS[: len(choices or ())]
    line = reply.strip()
    found = reply_pattern(answer_kind, letters).fullmatch(line) if len(line.splitlines()) == 1 else None
    return found["answer"] if found else None


def quoted(response: str) -> str:
    """A response as a judge reads it: a space follows every `<` and `[` that none follows.

    Otherwise the tokeniser of a local checkpoint would read `<|im_end|>` or `[/INST]` in a response as the end of the
    message, and what follows as a message of its own.
    """
    return _OPENS.sub(r"\1 ", response)


def tag_for(*texts: str) -> str:
    """The first of the names `response`, `response-2`, `response-3`, ... that is no tag in any of the texts."""
    for number in itertools.count(1):
        name = _TAG if number == 1 else f"{_TAG}-{number}"
        tag = re.compile(rf"<\s*/?\s*{name}\b(?!-)", re.IGNORECASE)
        if not any(tag.search(text) for text in texts):
            return name
    raise AssertionError  # the numbers do not end


def _asked(name: str, described: JudgePrompt, question: str, answer_kind: str, response: str) -> str:
    form = next((text for kind, text in described.form.items() if kind == answer_kind), None)
    if form is None:
        raise WhatifError(f"judge prompt {name}: has no form for answer kind {answer_kind}")
    tag = tag_for(question, response)
    values = {
        "question": question,
        "opening": f"<{tag}>",
        "response": quoted(response),
        "closing": f"</{tag}>",
        "form": form,
    }
    return filled(described.ask, values)


__all__ = ["NO_ANSWER", "answer_of", "conversation", "judge_prompts", "quoted", "read", "tag_for"]
