"""Conversations with a chat model that writes JSON objects: a request, its reply, and one repair of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from whatif.benchmarks.shared.json_replies import Read, schema_of
from whatif.engine.language.messages import Message, Messages, user_message
from whatif.models import Answer, Model, Question
from whatif.models.shown_progress import with_progress
from whatif.scoring.asking import Pictures, question_of

_AT_LIMIT = "the reply was cut off at the limit of new tokens; write shorter"


class Subject(Protocol):
    """What a conversation is about."""

    @property
    def item_id(self) -> str: ...

    @property
    def category(self) -> str: ...


SubjectT = TypeVar("SubjectT", bound=Subject)
TalkT = TypeVar("TalkT")


@dataclass
class Talk(Generic[SubjectT]):
    """A conversation about an item: its last request, the reply, and what is made of it.

    `keys` are those of the JSON object that is asked for, `read` reads a reply. `texts` are those of a reply that can
    be used; without one they are None and `reason` says why. `attempt` is the number of the last request.
    """

    item: SubjectT
    messages: Messages
    keys: tuple[str, ...]
    read: Callable[[str], Read]
    texts: Mapping[str, str] | None = None
    reason: str | None = None
    response: str = ""
    request_key: str | None = None
    is_error: bool = False
    attempt: int = 0


class Writer:
    """Asks the model, and keeps its replies as rows. A reply that cannot be used is repaired once.

    `digest` is that of the prompts, `texts` says in messages what the model writes.
    In a dry run an empty response stands for one that is not known, so it is not repaired.
    """

    def __init__(
        self, model: Model, key: str, digest: str, images: Pictures, *, texts: str, is_dry: bool = False
    ) -> None:
        self._model = model
        self._key = key
        self._digest = digest
        self._images = images
        self._at_limit = f"{_AT_LIMIT} {texts}"
        self._is_dry = is_dry
        self.replies: list[dict[str, Any]] = []

    def ask(self, talks: Sequence[Talk[Any]], *, first_attempt: int, unit: str, max_new_tokens: int) -> None:
        """Asks the request of each conversation, and once more where the reply cannot be used."""
        ask_and_repair(
            self._model,
            talks,
            self._key,
            unit,
            question=lambda talk: question_of(
                {"question_id": f"{talk.item.item_id}-{unit}", "group": talk.item.category, "variant": unit},
                talk.messages,
                self._images,
                max_new_tokens=max_new_tokens,
                json_schema=schema_of(talk.keys),
            ),
            take=self._take,
            repair=_repair,
            first_attempt=first_attempt,
        )

    def _take(self, talk: Talk[Any], answer: Answer, attempt: int) -> tuple[str, ...]:
        """Reads a reply into its conversation and keeps it as a row; returns the faults that are to be repaired."""
        talk.attempt, talk.request_key, talk.response = attempt, answer.request_key, answer.response or ""
        talk.is_error = answer.status == "error"
        read = Read({}, ()) if talk.is_error else talk.read(talk.response)
        faults = read.faults
        if faults and not talk.response.strip() and answer.reason:
            faults = (f"{answer.reason}; write one JSON object",)
        if faults and answer.cut_off:
            faults = (self._at_limit, *faults)
        talk.reason = (answer.reason or "the model gave no reply") if talk.is_error else "; ".join(faults) or None
        talk.texts = None if talk.reason else read.texts
        self.replies.append(
            {
                "item_id": talk.item.item_id,
                "attempt": attempt,
                "model": self._key,
                "prompt": self._digest,
                "response": answer.response,
                "status": "error" if talk.is_error else "refused" if faults else "ok",
                "reason": talk.reason,
                "request_key": answer.request_key,
                "prompt_tokens": answer.prompt_tokens,
                "response_tokens": answer.response_tokens,
                "finish": answer.finish,
            }
        )
        return faults if talk.response.strip() or not self._is_dry else ()


def _repair(talk: Talk[Any], faults: Sequence[str]) -> None:
    talk.messages = with_request(talk.messages, talk.response, repair_request(faults))


def ask_and_repair(
    model: Model,
    talks: Sequence[TalkT],
    key: str,
    unit: str,
    *,
    question: Callable[[TalkT], Question],
    take: Callable[[TalkT, Answer, int], Sequence[str]],
    repair: Callable[[TalkT, Sequence[str]], None],
    first_attempt: int = 0,
) -> None:
    """Asks the question of each conversation, and once more where `take` names faults of the answer.

    `take` gets the number of the attempt too; `repair` adds a request that names the faults to the conversation. The
    display of progress names the model by its `key`, and counts in `unit`.
    """
    waiting = list(talks)
    for attempt in (first_attempt, first_attempt + 1):
        put = [question(talk) for talk in waiting]
        if not put:
            return
        what = key if attempt == first_attempt else f"{key}, repairs"
        answers = with_progress(model.answer(put), len(put), model, what, unit)
        faulty = []
        for talk, answer in zip(waiting, answers, strict=True):
            if faults := take(talk, answer, attempt):
                faulty.append((talk, faults))
        waiting = [talk for talk, _ in faulty]
        if attempt == first_attempt:
            for talk, faults in faulty:
                repair(talk, faults)


def with_request(messages: Messages, response: str, request: str) -> Messages:
    """The conversation with the model's response and a further request.

    An empty response cannot be a message of its own, so the request then ends the last message of the user.
    """
    if response.strip():
        return (*messages, Message("assistant", (response,)), user_message(request))
    *before, last = messages
    return (*before, Message("user", (*last.parts[:-1], f"{last.parts[-1]}\n\n{request}")))


def repair_request(faults: Sequence[str]) -> str:
    """The message that names what is wrong with a reply, and asks for another one."""
    listed = "\n".join(f"- {fault}" for fault in faults)
    return f"Your reply cannot be used:\n{listed}\nCorrect this. Reply with the whole JSON object and nothing else."
