"""Conversations as chat templates take them, and what a template does to them.

A template is a program of its checkpoint. It may reject a role or a second image, drop a system message without a word,
or put the images of a message before its texts. Each shape of conversation is therefore tried once with marked texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import ImagePart, Message, Messages, is_one_turn, with_system
from whatif.models.local.faults import first_line

if TYPE_CHECKING:
    from PIL.Image import Image

Turns: TypeAlias = list[dict[str, Any]]
ToTurns: TypeAlias = Callable[[Messages, Sequence["Image"]], Turns]
_ONE_MESSAGE = "it takes one message of the user{images}; use a strategy without {what}"


class UnfitQuestionError(ValueError):
    """A question that a model cannot be asked, for example one with two images for a model that takes one."""


def part_turns(messages: Messages, images: Sequence[Image]) -> Turns:
    """The conversation for a processor: every content is a list of parts, because some templates drop plain strings."""
    shown = iter(images)
    return [{"role": message.role, "content": list(_parts(message, shown))} for message in messages]


def text_turns(messages: Messages, images: Sequence[Image] = ()) -> Turns:
    """The conversation for the tokeniser of a language model: every content is a text, and images are left out."""
    return [{"role": message.role, "content": message.text} for message in messages]


def _parts(message: Message, images: Iterator[Image]) -> Iterator[dict[str, Any]]:
    for part in message.parts:
        if isinstance(part, ImagePart):
            yield {"type": "image", "image": next(images)}
        else:
            yield {"type": "text", "text": part}


def only_question(messages: Messages, model: str, images: str = "") -> str:
    """The text of a conversation of one user message, for models without a chat template.

    `images` says in an error how many of them the model takes with it.

    Raises UnfitQuestionError, naming what the model cannot take, for any other conversation.
    """
    for message in messages:
        if message.role != "user":
            what = "a system message" if message.role == "system" else "examples or several turns"
            raise UnfitQuestionError(f"{model} has no chat template: {_ONE_MESSAGE.format(images=images, what=what)}")
    if len(messages) != 1:
        raise UnfitQuestionError(
            f"{model} has no chat template: {_ONE_MESSAGE.format(images=images, what='several messages')}"
        )
    return messages[0].text


@dataclass(frozen=True)
class _Fault:
    """What is wrong with a template for conversations of a shape."""

    reason: str


@dataclass
class Template:
    """The chat template of a processor or tokeniser, and the model's own system message, if it has one.

    `turns` makes the conversation as the template takes it, and `variables` are further variables of the template.
    """

    processor: Any
    turns: ToTurns = part_turns
    system: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    _known: dict[tuple[Any, ...], Literal["in place", "first"] | _Fault] = field(default_factory=dict)

    def conversation(self, messages: Messages, images: Sequence[Image] = ()) -> Turns:
        """The turns of a conversation with its images.

        Raises UnfitQuestionError when the template rejects conversations of this shape, or leaves out one of their
        texts.
        """
        whole = with_system(messages, self.system)
        self.image_form(messages)
        return self.turns(whole, images)

    def image_form(self, messages: Messages) -> Literal["in place", "first"]:
        """Whether the template leaves images among the texts, or puts them first. Raises as `conversation` does."""
        whole = with_system(messages, self.system)
        if is_one_turn(whole):
            return "in place"
        shape = tuple((one.role, tuple(isinstance(part, ImagePart) for part in one.parts)) for one in whole)
        if shape not in self._known:
            self._known[shape] = self._try(whole)
        found = self._known[shape]
        if isinstance(found, _Fault):
            raise UnfitQuestionError(f"the chat template of this checkpoint {found.reason}")
        return found

    def _try(self, messages: Messages) -> Literal["in place", "first"] | _Fault:
        """How the template shows images, or what is wrong with it."""
        marked, marks = _marked(messages)
        try:
            text = self._rendered(marked)
            sorted_text = self._rendered(tuple(_images_first(message) for message in marked))
        except Exception as error:  # a template is a program: it can raise anything
            if messages[0].role == "system" and self._takes(messages[1:]):
                return _Fault(f"rejects a system message ({first_line(error)})")
            return _Fault(f"rejects a conversation of this form ({first_line(error)})")
        places = [text.find(mark) for mark, _ in marks]
        for place, (_, role) in zip(places, marks, strict=True):
            if place < 0:
                return _Fault("omits a system message" if role == "system" else f"omits a text of the role {role}")
        if places != sorted(places):
            return _Fault("changes the order of the texts")
        return "first" if text == sorted_text and _is_interleaved(marked) else "in place"

    def _takes(self, messages: Messages) -> bool:
        try:
            self._rendered(messages)
        except Exception:  # for any reason: it is only a probe
            return False
        return True

    def _rendered(self, messages: Messages) -> str:
        images: Any = [None] * sum(len(message.images) for message in messages)
        turns = self.turns(messages, images)
        for turn in turns:
            if isinstance(turn["content"], list):
                turn["content"] = [{"type": "image"} if part["type"] == "image" else part for part in turn["content"]]
        rendered = self.processor.apply_chat_template(
            turns, add_generation_prompt=True, tokenize=False, **self.variables
        )
        return str(rendered)


def check_system_message(checkpoint: str, template: Template) -> None:
    """Raises WhatifError when a chat template rejects the model's own system message, or silently omits it."""
    if template.system is None:
        return
    try:
        for parts in (("question",), (ImagePart("image"), "question")):
            template.image_form((Message("user", parts),))
    except UnfitQuestionError as error:
        reason = str(error).removeprefix("the chat template of this checkpoint ")
        raise WhatifError(
            f"checkpoint {checkpoint}: its chat template {reason}; remove `system` from the model's entry"
        ) from error


def _marked(messages: Messages) -> tuple[Messages, list[tuple[str, str]]]:
    """The conversation with a mark instead of each text, and the marks with their roles, in order."""
    marks: list[tuple[str, str]] = []

    def mark(role: str, part: str | ImagePart) -> str | ImagePart:
        if isinstance(part, ImagePart):
            return part
        marks.append((f"probe{len(marks)}of", role))
        return marks[-1][0]

    marked = tuple(Message(one.role, tuple(map(partial(mark, one.role), one.parts))) for one in messages)
    return marked, marks


def _images_first(message: Message) -> Message:
    return Message(message.role, (*message.images, *(part for part in message.parts if isinstance(part, str))))


def _is_interleaved(messages: Messages) -> bool:
    return any(_images_first(message) != message for message in messages)
