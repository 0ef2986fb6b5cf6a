"""A model that answers by programs: it has a program written for each question, runs it, and answers with its result.

The same for both languages (C-VQA 4.1: ViperGPT and VisProg); what differs between them is a `Way`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from whatif.engine.errors import WhatifError
from whatif.models import Answer, Model, Question
from whatif.models.depicted import Depicted
from whatif.models.program_runs import ProgramRun
from whatif.models.programs.interfaces import Finished, ProgramWriter, ToolError, Toolset, Written
from whatif.models.programs.responses import WrongTypeError, response_of
from whatif.models.programs.tool_calls import ToolCalls
from whatif.models.programs.trace import TracedCalls, trace_page

if TYPE_CHECKING:
    from PIL.Image import Image


class QuestionPicture:
    """The only image of a question. `fault` says why it could not be decoded, once a tool has tried."""

    def __init__(self, question: Question) -> None:
        (self.image_id,) = question.image_ids
        self.fault: str | None = None
        self._question = question
        self._pixels: Image | None = None

    @property
    def pixels(self) -> Image:
        """The decoded image. Raises ToolError when it cannot be decoded."""
        if self._pixels is None:
            try:
                (self._pixels,) = self._question.images()
            except OSError as error:
                self.fault = str(error)
                raise ToolError(f"the image cannot be decoded: {error}") from error
        return self._pixels


@dataclass(frozen=True)
class Way:
    """How the programs of one language run.

    `run` runs a program with its tools. `fallback` is the program that stands in where a reply has none that can be
    read: it asks a tool the question itself. `sandbox` is recorded with each run. `identity` is what determines the
    result of a program, beside its text and its tools.
    """

    run: Callable[[str, ToolCalls], Finished]
    fallback: Callable[[str], str]
    sandbox: str
    identity: Mapping[str, Any]
    close: Callable[[], None]


class ProgramModel:
    """See the module. `depicted` is what drawn images show, for tools that know it; it may be set until the first
    question is asked; `drawn_only` means that the tools know nothing else. Programs that are equal run once for each
    image and call of `answer`.
    """

    computed_here: Literal[True] = True  # the replies of a model that writes are stored for themselves, at once

    def __init__(
        self,
        writer: ProgramWriter,
        load_tools: Callable[[Callable[[str], Depicted | None]], Toolset],
        way: Way,
        *,
        drawn_only: bool = False,
    ) -> None:
        self.depicted: Callable[[str], Depicted | None] = lambda image_id: None
        self._writer = writer
        self._tools = load_tools(self._depicted_now)
        self._way = way
        self.drawn_only = drawn_only

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `Model`: the identities of the writer, the tools and the way in which programs run."""
        return {**self._way.identity, "writer": dict(self._writer.identity), "tools": dict(self._tools.identity)}

    @property
    def note(self) -> str:
        """The remark of the model that writes, such as its tokens."""
        return str(getattr(self._writer, "note", ""))

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """Puts a store before the model that writes, and before a tool that is a model."""
        self._writer.store_parts(keep)
        getattr(self._tools, "store_parts", lambda keep: None)(keep)

    def count_stored(self, answers: Iterable[Answer]) -> None:
        """Counts the tokens of stored answers towards the budget of the model that writes."""
        getattr(self._writer, "count_stored", lambda answers: None)(answers)

    def close(self) -> None:
        """Ends the workers of the sandbox, and a server that was started for the model that writes or for a tool."""
        for part in (self._way, self._writer, self._tools):
            getattr(part, "close", lambda: None)()

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer for each question, in the same order.

        A program that did not end with a result gives status `none` and a reason that begins with its outcome. A
        question that the model cannot be asked, a damaged image, and a writer that failed give an `error`.
        """
        refused = [self._refusal(question) for question in questions]
        asked = [question for question, reason in zip(questions, refused, strict=True) if reason is None]
        written = self._writer.write(asked) if asked else iter(())
        known: dict[tuple[str, str], _Run] = {}
        for question, reason in zip(questions, refused, strict=True):
            if reason is not None:
                yield Answer(status="error", reason=reason)
            else:
                one = next(written)
                answer = self._answer(question, one, known)
                yield replace(answer, prompt_tokens=one.prompt_tokens, response_tokens=one.response_tokens)

    def trace(self, question: Question, code: str) -> str:
        """Runs one program for a question, and returns the page in HTML that shows how it ran.

        Raises WhatifError for a question that the model cannot be asked, and OSError for a damaged image.
        """
        if (reason := self._refusal(question)) is not None:
            raise WhatifError(f"question {question.question_id}: {reason}")
        (picture,) = question.images()
        calls = TracedCalls(self._tools, QuestionPicture(question))
        return trace_page(question.text, code, self._way.run(code, calls), calls, picture)

    def look_up(self, questions: Sequence[Question]) -> str | None:
        """See `whatif.models.Recorded`: why a file of programs has none for any question; None for other writers."""
        reason: str | None = getattr(self._writer, "look_up", lambda questions: None)(questions)
        return reason

    def _depicted_now(self, image_id: str) -> Depicted | None:
        return self.depicted(image_id)

    def _refusal(self, question: Question) -> str | None:
        """Why a question cannot be asked; None if it can."""
        number = len(question.image_ids)
        if number != 1:
            shown = "no image" if number == 0 else f"{number} images"
            return f"the question has {shown}; a model that answers by programs supports questions about one image"
        if question.options:
            return "options cannot be ranked by a program; ask the question without its options"
        if self.drawn_only and self.depicted(question.image_ids[0]) is None:
            return f"{question.image_ids[0]} is not a drawn image: oracle tools know only what drawn images show"
        return None

    def _answer(self, question: Question, written: Written, known: dict[tuple[str, str], _Run]) -> Answer:
        if written.failed or written.transient:
            reason = f"no program was written: {written.reason}"
            return Answer(status="error", reason=reason, transient=written.transient)
        picture = QuestionPicture(question)
        code, unread = written.code, written.reason or "the reply has no program"
        ran = None if code is None else self._run(code, picture, known)
        if ran is not None and ran.finished.outcome == "syntax":
            code, unread = None, "; ".join(filter(None, (f"syntax: {ran.finished.reason}", written.reason)))
        if code is None or ran is None:
            fallback = self._way.fallback(question.text)
            ran = self._run(fallback, picture, known)
            answer = _answer_of(fallback, ran.finished, self._way.sandbox, unread=unread)
        else:
            answer = _answer_of(code, ran.finished, self._way.sandbox)
        return answer if ran.fault is None else Answer(status="error", reason=ran.fault)

    def _run(self, code: str, picture: QuestionPicture, known: dict[tuple[str, str], _Run]) -> _Run:
        key = (code, picture.image_id)
        if key not in known:
            calls = ToolCalls(self._tools, picture)
            finished = self._way.run(code, calls)
            known[key] = _Run(replace(finished, calls=tuple(calls.calls)), picture.fault)
        return known[key]


@dataclass(frozen=True)
class _Run:
    """How a program ended, and why its image could not be decoded, if it could not."""

    finished: Finished
    fault: str | None


def _answer_of(code: str, finished: Finished, sandbox: str, *, unread: str | None = None) -> Answer:
    """`unread` says why this is a fallback program; None for one that was written."""
    outcome, reason, response = finished.outcome, finished.reason, None
    if outcome == "ok":
        try:
            response = response_of(finished.value)
        except WrongTypeError as error:
            outcome, reason = "wrong type", str(error)
    run = ProgramRun(
        code=code,
        outcome=outcome,
        sandbox=sandbox,
        fallback=unread is not None,
        reason="; ".join(filter(None, (unread, reason))) or None,
        calls=finished.calls,
    )
    if response is None:
        return Answer(status="none", reason=f"{outcome}: {reason or 'no reason is known'}", program=run)
    return Answer(response=response, program=run)
