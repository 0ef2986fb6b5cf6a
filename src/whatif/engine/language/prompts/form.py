"""The contents of a prompt form's file, and their validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from pydantic import field_validator, model_validator

from whatif.engine.language.named_files import Entry, Text, unknown_placeholder

PLACE = "{question}"
Kind: TypeAlias = Literal["open", "number", "boolean", "text", "choice"]


class Form(Entry):
    """The wording of questions by kind of answer, and the text around the whole prompt."""

    question: Text | dict[Kind, Text] | None = None
    wrap: Text | None = None

    @field_validator("question", mode="before")
    @classmethod
    def _of_known_kinds(cls, question: object) -> object:
        unknown = [kind for kind in question if kind not in get_args(Kind)] if isinstance(question, dict) else []
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no kind of answer; there are {', '.join(get_args(Kind))}")
        return question

    @model_validator(mode="after")
    def _is_whole(self) -> Form:
        if not list(self._texts()):
            raise ValueError("it needs `question`, `wrap` or both")
        if any(text.count(PLACE) != 1 for text in self._texts()):
            raise ValueError(f"each of its texts must contain {PLACE} once")
        if unknown := next(filter(None, (unknown_placeholder(text, [PLACE]) for text in self._texts())), None):
            raise ValueError(f"names {unknown}, which is unknown; its texts can name {PLACE}")
        return self

    def wording(self, answer_kind: str) -> str | None:
        """The text for questions with this kind of answer, with a placeholder; None if the form has none."""
        if self.question is None or isinstance(self.question, str):
            return self.question
        texts: dict[str, str] = dict(self.question.items())
        return texts.get(answer_kind) or (None if answer_kind == "choice" else texts.get("open"))

    def _texts(self) -> Iterator[str]:
        if isinstance(self.question, str):
            yield self.question
        elif self.question is not None:
            yield from self.question.values()
        if self.wrap is not None:
            yield self.wrap
