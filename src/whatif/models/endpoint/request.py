"""Sends one conversation to an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.chat_completions import reasoning_of, refusal_of, text_of
from whatif.engine.language.finish_reasons import ending, is_answer
from whatif.engine.params.endpoints import ApiModel
from whatif.models.endpoint.connection import Connection, RejectedError, TryAgainError
from whatif.models.responses.answer_json import is_count

if TYPE_CHECKING:
    from numpy.random import Generator

_LONGEST_BEGINNING = 80  # characters of a reply that is something else


@dataclass(frozen=True)
class Reply:
    """A model's text, and in `finish` why it ended; without the key. Token counts are None if not given.

    `reasoning` is what the endpoint gave beside the text: in a field, or in parts of its own. None if there is none.

    `reasoning_tokens` are those of `response_tokens` that are reasoning, None if they are not counted apart.

    `model` is the name by which the reply calls the model, empty if it gives none. `logprobs` and `prompt_logprobs` are
    the fields of these names as plain JSON values, None if there are none.
    """

    text: str
    refusal: str | None
    finish: str
    prompt_tokens: int | None
    response_tokens: int | None
    logprobs: Any = None
    prompt_logprobs: Any = None
    model: str = ""
    reasoning: str | None = None
    reasoning_tokens: int | None = None


class Endpoint(Connection):
    """A connection to the endpoint of `settings` for conversations. Raises WhatifError as `Connection` does."""

    def __init__(self, settings: ApiModel, sleep: Callable[[float], None] | None = None) -> None:
        super().__init__(settings, sleep)
        self._settings = settings
        self._reasoning = {} if settings.reasoning is None else settings.reasoning.fields

    def ask(
        self,
        messages: Sequence[Mapping[str, Any]],
        generator: Generator,
        *,
        max_new_tokens: int | None = None,
        sample: int = 0,
        fields: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The reply to a conversation; waits between tries are drawn from `generator`, or given by Retry-After.

        `max_new_tokens` raises the limit of the settings, to which a budget of reasoning is added. `sample` is the
        number of the sample, from 0. `fields` are further fields of this request; they replace those of the settings.

        A reply that is not a chat completion is a transient failure. Retries and raises as `tried` does, and
        WhatifError when the endpoint rejects a field of `reasoning`, which it would reject for every question.
        """
        limit = max(self._settings.max_new_tokens, max_new_tokens or 0) + self._settings.room_for_reasoning
        generation: dict[str, Any] = {self._settings.token_limit: limit, **self._settings.decoding.sent(sample)}
        try:
            return self.tried(lambda: self._ask_once(messages, generation, fields or {}), generator)
        except RejectedError as error:
            rejected = next((name for name in self._reasoning if name in str(error)), None)
            if rejected is None:
                raise
            value = json.dumps(self._reasoning[rejected])
            raise WhatifError(
                f"{self._settings.base_url}: rejects {rejected} {value} ({error}); correct `reasoning` in the model's "
                "entry, or remove it"
            ) from None

    def _ask_once(
        self, messages: Sequence[Mapping[str, Any]], generation: Mapping[str, Any], fields: Mapping[str, Any]
    ) -> Reply:
        settings = self._settings
        limit: dict[str, Any] = dict(generation)
        if settings.extra_body is not None or self._reasoning or fields:
            # Replaces fields of the same names.
            limit["extra_body"] = {**(settings.extra_body or {}), **self._reasoning, **fields}
        create: Any = self.client.chat.completions.create  # its type overloads do not accept plain dictionaries
        return self._reply(create(model=settings.model, messages=messages, **limit))

    def _reply(self, completion: Any) -> Reply:
        # The library builds its objects without validation: a proxy's error page may arrive as one, with status 200.
        try:
            choice = completion.choices[0]
            message = choice.message
            text, refusal, reasoning = text_of(message.content), refusal_of(message), reasoning_of(message)
        except (AttributeError, TypeError, IndexError, KeyError):
            raise TryAgainError(self._no_completion(completion)) from None
        finish = self.line(getattr(choice, "finish_reason", None) or "")
        if failure := getattr(completion, "error", None) or getattr(choice, "error", None):
            raise TryAgainError(self.line(f"the reply contains an error: {_message(failure)}"))
        if finish.lower() in map(str.lower, self._settings.complete_finish_reasons):
            finish = "stop"
        if not is_answer(finish):
            raise TryAgainError(_why_incomplete(finish))
        counts = [getattr(completion.usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
        prompt_tokens, response_tokens = (count if is_count(count) else None for count in counts)
        return Reply(
            self.text(text),
            self.line(refusal) if refusal else None,
            finish,
            prompt_tokens,
            response_tokens,
            self._plain(getattr(choice, "logprobs", None)),
            self._plain(getattr(completion, "prompt_logprobs", None)),
            self.line(getattr(completion, "model", None) or ""),
            self.text(reasoning) if reasoning else None,
            _reasoning_tokens(completion.usage),
        )

    def _no_completion(self, reply: Any) -> str:
        """What is wrong with a reply, with the beginning of a page or an error that came in its place."""
        shown = self.line(reply if isinstance(reply, str) else _message(getattr(reply, "error", None)))
        return "the reply is no chat completion" + (f", but `{shown[:_LONGEST_BEGINNING]}`" if shown else "")

    def _plain(self, value: Any) -> Any:
        """A field of a reply as plain JSON values, the key masked in every text."""
        from pydantic import BaseModel

        if isinstance(value, Mapping | BaseModel):
            entries = value.items() if isinstance(value, Mapping) else iter(value)
            return {self.text(name): self._plain(inner) for name, inner in entries}
        if isinstance(value, list):
            return [self._plain(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value


def _reasoning_tokens(usage: Any) -> int | None:
    """The tokens of reasoning that an endpoint reports; None if it does not, or reports something else."""
    details = getattr(usage, "completion_tokens_details", None)
    count = (
        details.get("reasoning_tokens") if isinstance(details, Mapping) else getattr(details, "reasoning_tokens", None)
    )
    return count if is_count(count) else None


def _why_incomplete(finish: str) -> str:
    if ending(finish) == "failed":
        return f"the reply is not complete (finish reason: {finish})"
    return (
        f"the finish reason {finish!r} is unknown, so the reply may be incomplete; if replies with it are complete, "
        "add it to the model's complete_finish_reasons"
    )


def _message(error: Any) -> Any:
    """What an error says; empty if there is none."""
    return (error.get("message") or error) if isinstance(error, Mapping) else error or ""
