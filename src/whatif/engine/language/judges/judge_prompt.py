"""The contents of a judge prompt's file, their validation, and the format of a judge's reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from pydantic import Field, model_validator

from whatif.engine.language.named_files import AnswerKind, Entry, Text, unknown_placeholder

KINDS: tuple[AnswerKind, ...] = get_args(AnswerKind)
NO_ANSWER = "none"
PLACES = ("question", "opening", "response", "closing", "form")
_PLACE = re.compile(r"\{(" + "|".join(PLACES) + r")\}")
# The answers that a reply may name, as regular expressions; the letters of a choice depend on the question.
_ANSWERS: Mapping[str, str] = {
    "number": r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?",
    "boolean": "yes|no",
    "text": r"(?=.*\w)\S.{0,199}",
}


class JudgeExample(Entry):
    """A response that was judged before, and the reply."""

    question: Text
    kind: AnswerKind
    response: Text
    reply: Text


class JudgePrompt(Entry):
    """The contents of a judge prompt's file."""

    system: Text
    ask: Text
    form: dict[AnswerKind, Text]
    examples: list[JudgeExample] = Field(default_factory=list)
    max_new_tokens: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _is_whole(self) -> JudgePrompt:
        for place in PLACES:
            if self.ask.count(f"{{{place}}}") != 1:
                raise ValueError(f"ask: must contain {{{place}}} once")
        if [place for place in _PLACE.findall(self.ask) if place in PLACES[1:4]] != list(PLACES[1:4]):
            raise ValueError("ask: {response} must be between {opening} and {closing}")
        if unknown := unknown_placeholder(self.ask, [f"{{{place}}}" for place in PLACES]):
            raise ValueError(f"ask: names {unknown}, which is unknown; it can name {', '.join(PLACES)}")
        if lacking := [kind for kind in KINDS if kind not in self.form]:
            raise ValueError(f"form: has no text for {lacking[0]}; it needs {', '.join(KINDS)}")
        for number, example in enumerate(self.examples, start=1):
            if not reply_pattern(example.kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ").fullmatch(example.reply):
                raise ValueError(f"example {number}: its reply {example.reply!r} is outside the format of a reply")
        return self


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text with its placeholders replaced, all at once: a question or a response may itself contain braces."""
    return _PLACE.sub(lambda found: values[found[1]], text)


def reply_pattern(answer_kind: str, letters: str) -> re.Pattern[str]:
    """What a whole reply must match; its group `answer` is the answer or NO_ANSWER. `letters` are those of a choice."""
    answers = _ANSWERS.get(answer_kind) or (f"[{letters}]" if letters else "(?!)")
    return re.compile(rf"Answer: (?P<answer>{NO_ANSWER}|{answers})")
