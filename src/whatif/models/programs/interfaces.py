"""What the parts of a model that answers by programs know of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from whatif.models import Model, Question
from whatif.models.program_runs import Outcome, ToolCall

if TYPE_CHECKING:
    from PIL.Image import Image

Language: TypeAlias = Literal["python", "steps"]
Box: TypeAlias = tuple[float, float, float, float]  # left, top, right and bottom in pixels of the whole image


@dataclass(frozen=True)
class Written:
    """What a writer gave for a question.

    `code` is None where it gave no program; `reason` then says why. `failed`: the writer could not work, which is an
    error and not a reply without a program. `transient`: it could not work, and another try may help.
    """

    code: str | None
    reason: str | None = None
    failed: bool = False
    transient: bool = False
    response: str | None = None
    prompt_tokens: int | None = None
    response_tokens: int | None = None


class ProgramWriter(Protocol):
    """Writes a program for each question."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that determines the programs, as plain JSON values."""

    def write(self, questions: Sequence[Question]) -> Iterator[Written]:
        """One program for each question, in the same order. The question itself is `question.text`."""

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """Puts a store before the model that writes, if there is one."""


class Picture(Protocol):
    """An image of a question, for tools: its id, and its pixels where a tool needs them."""

    @property
    def image_id(self) -> str: ...
    @property
    def pixels(self) -> Image: ...


class Toolset(Protocol):
    """The tools of programs. A box is the part of the picture that a tool looks at.

    Each raises `ToolError` where it cannot answer; the program sees the message as an exception.
    """

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def size(self, picture: Picture) -> tuple[int, int]:
        """Width and height of a picture in pixels."""

    def find(self, picture: Picture, box: Box, name: str) -> list[Box]:
        """The boxes of all things of a name, in the order of their left and then their top edges."""

    def exists(self, picture: Picture, box: Box, name: str) -> bool: ...
    def verify_property(self, picture: Picture, box: Box, name: str, attribute: str) -> bool: ...
    def best_text_match(self, picture: Picture, box: Box, options: Sequence[str]) -> str: ...
    def simple_query(self, picture: Picture, box: Box, question: str) -> str: ...
    def compute_depth(self, picture: Picture, box: Box) -> float:
        """The median depth; larger is further away."""


class ToolError(Exception):
    """A tool that cannot answer; the message is for the program."""


class CallTools(Protocol):
    """What a sandbox does with the messages of a program: checks their types, and calls a tool."""

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """The JSON value that goes back. Raises ToolError for an unknown tool, a wrong argument, or a failure."""


@dataclass(frozen=True)
class Finished:
    """How a program ended; `value` is the JSON value that it returned, `printed` what it printed."""

    outcome: Outcome
    value: Any = None
    reason: str | None = None
    printed: str = ""
    calls: tuple[ToolCall, ...] = ()
