"""The contents of a strategy's file, and their validation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, get_args

from pydantic import Field, field_validator, model_validator

from whatif.engine.language.named_files import AnswerKind, Entry, Text, unknown_placeholder

KINDS: tuple[AnswerKind, ...] = ("number", "boolean", "choice")  # those that every strategy needs
_QUESTION = "{question}"
_OF_EXAMPLES = ("{answer}", "{rationale}")  # placeholders of `example`
_PLACE = re.compile(r"\{(question|answer_([1-9]\d*))\}")

Words: TypeAlias = Text | dict[AnswerKind, Text]


class ExampleImage(Entry):
    """The image of a worked example: a file, and the SHA-256 of its bytes, so that the strategy names its content."""

    file: str
    sha256: str

    @field_validator("file")
    @classmethod
    def _is_name(cls, file: str) -> str:
        if not re.fullmatch(r"[\w-]+\.(?:png|jpe?g)", file):
            raise ValueError(f"is {file!r}; it must be the name of a PNG or JPEG file without a folder: cats.png")
        return file

    @field_validator("sha256")
    @classmethod
    def _is_digest(cls, digest: str) -> str:
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise ValueError(
                f"is {digest!r}; it must be the SHA-256 of the file in 64 hexadecimal digits, as sha256sum prints"
            )
        return digest


class Example(Entry):
    """A question that was answered before, with its own images."""

    question: Text
    answer: Text
    kind: AnswerKind | None = None  # shown only with questions of this kind; null: with all
    images: list[ExampleImage] = Field(default_factory=list)


class Turn(Entry):
    """One message of the user, and how much room the response has."""

    user: Words
    append: Words | None = None  # follows on a line of its own
    images: bool | None = None
    continues: bool = True
    max_new_tokens: int | None = Field(default=None, ge=1)
    example: Text | None = None  # what the model said in this turn of a shown example: {answer}, {rationale}

    @field_validator("user", "append", mode="before")
    @classmethod
    def _of_known_kinds(cls, words: object) -> object:
        kinds = get_args(AnswerKind)
        unknown = [kind for kind in words if kind not in kinds] if isinstance(words, dict) else []
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no kind of answer; there are {', '.join(kinds)}")
        if words is not None and not isinstance(words, str | dict):
            raise ValueError(f"must be a text, or a text for each kind of answer ({', '.join(kinds)})")
        return words

    def starts(self, number: int) -> bool:
        """Whether the turn with this number, counted from 0, starts a conversation."""
        return number == 0 or not self.continues

    def shows_images(self, number: int) -> bool:
        """Whether the images of the question are shown in it."""
        return self.starts(number) if self.images is None else self.images

    def text(self, answer_kind: str, *, ranked: bool = False) -> str | None:
        """The text with its placeholders; None if there is none for this kind of answer.

        Where options are `ranked`, nothing is said about the form of the answer: the text is without `append`.
        """
        said = (self.user,) if ranked else (self.user, self.append)
        parts = [_of_kind(words, answer_kind) for words in said if words is not None]
        return None if None in parts else "\n".join(part for part in parts if part)

    @property
    def texts(self) -> Sequence[str]:
        """All its texts, of every kind of answer."""
        kinds = [kind for kind in (*KINDS, "text") if self.text(kind) is not None]
        return [self.text(kind) or "" for kind in kinds]


class Strategy(Entry):
    """The contents of a strategy's file."""

    system: Text | None = None
    examples: list[Example] = Field(default_factory=list)
    shots: int = Field(default=0, ge=0)  # examples of the benchmark that are shown before each question
    turns: list[Turn] = Field(min_length=1)
    answer_after: Text | None = None  # the mark that precedes the answer in the last response
    replaceable: bool = False  # whether the wording of a model's prompt form replaces the text of its turn

    @model_validator(mode="after")
    def _is_whole(self) -> Strategy:
        for number, turn in enumerate(self.turns, start=1):
            place = f"turn {number}"
            lacking = [kind for kind in KINDS if turn.text(kind) is None]
            if lacking:
                raise ValueError(f"{place}: has no text for {lacking[0]}; it needs {', '.join(KINDS)}")
            named = [int(found[2]) for text in turn.texts for found in _PLACE.finditer(text) if found[2]]
            early = [answer for answer in named if answer >= number]
            if early:
                before = {1: "no turn comes", 2: "only turn 1 comes"}.get(number, f"only turns 1 to {number - 1} come")
                raise ValueError(f"{place}: names {{answer_{early[0]}}}, but {before} before it")
        if any(text.count(_QUESTION) != 1 for text in self.turns[0].texts):
            raise ValueError("turn 1: each of its texts must contain {question} once")
        first = [self.turns[0].text(kind, ranked=True) for kind in (*KINDS, "text")]
        if any(text is not None and _QUESTION not in text for text in first):
            raise ValueError("turn 1: `user` must contain {question}; `append` is omitted where options are ranked")
        for number, turn in enumerate(self.turns, start=1):
            if (turn.example is not None) != (self.shots > 0):
                lacks = "has no `example`, which says what the model answered in a shown example"
                raise ValueError(f"turn {number}: {lacks if self.shots else 'has an `example`, but `shots` is 0'}")
            if self.shots and not turn.continues:
                raise ValueError(f"turn {number}: a strategy with `shots` is one conversation; remove `continues`")
        self._check_placeholders()
        if self.replaceable and len(self.turns) > 1:
            raise ValueError("replaceable: a prompt form has the words of one turn, but this strategy has several")
        return self

    def _check_placeholders(self) -> None:
        """Rejects a name in braces that nothing replaces, such as `{answer_0}` or `{options}`."""
        examples = [text for example in self.examples for text in (example.question, example.answer)]
        for place, text in (("system", self.system or ""), *(("examples", text) for text in examples)):
            if placeholder := _PLACE.search(text):
                raise ValueError(f"{place}: names {placeholder[0]}, but only turns have placeholders; remove it")
        for number, turn in enumerate(self.turns, start=1):
            known = [_QUESTION, *(f"{{answer_{answer}}}" for answer in range(1, number))]
            for text, places in (*((text, known) for text in turn.texts), (turn.example or "", _OF_EXAMPLES)):
                if unknown := unknown_placeholder(text, places):
                    raise ValueError(
                        f"turn {number}: names {unknown}, which is unknown; it can name {', '.join(places)}"
                    )


def filled(text: str, question: str, responses: Sequence[str]) -> str:
    """A text with its placeholders replaced, all at once: a question or a response may itself contain braces."""
    return _PLACE.sub(lambda found: responses[int(found[2]) - 1] if found[2] else question, text)


def _of_kind(words: str | Mapping[AnswerKind, str], answer_kind: str) -> str | None:
    if isinstance(words, str):
        return words
    return next((text for kind, text in words.items() if kind == answer_kind), None)
