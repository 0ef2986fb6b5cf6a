"""Sends one request to an OpenAI-compatible endpoint, and retries it where that may help.

The client library's own retries are off: they use an unseeded generator, ignore a long Retry-After, and do not repeat a
request whose reply breaks off.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from whatif.errors import WhatifError
from whatif.files.well_formed import well_formed
from whatif.models.responses.answer_json import is_count
from whatif.params.endpoints import ApiModel

if TYPE_CHECKING:
    from numpy.random import Generator
    from tenacity import RetryCallState

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between tries, unless the endpoint gives a time; doubled each time
LONGEST_RETRY_AFTER = 3600.0  # seconds; a longer wait ends the run
_LONGEST_REASON = 300  # characters
_SHORTEST_SECRET = 6  # characters; shorter placeholders such as `none` may occur in an answer


class UnansweredError(Exception):
    """The endpoint does not answer a question; the message is the reason."""


class GaveUpError(UnansweredError):
    """All tries of a question failed: the endpoint is at fault, not the question."""


class _TryAgainError(UnansweredError):
    """A transient failure; `after` is the number of seconds that the endpoint asked to wait."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


@dataclass(frozen=True)
class Reply:
    """A model's text, and in `finish` why it ended; without the key. Token counts are None if not given.

    `logprobs` and `prompt_logprobs` are the fields of these names as plain JSON values, None if there are none.
    """

    text: str
    refusal: str | None
    finish: str
    prompt_tokens: int | None
    response_tokens: int | None
    logprobs: Any = None
    prompt_logprobs: Any = None


class Endpoint:
    """A connection to the endpoint of `settings`, usable from many threads; closed when its block ends.

    `sleep` waits a number of seconds between two tries; by default a wait ends early when the endpoint is stopped.

    Raises WhatifError, naming the variable but never its value, when the key is not in the environment.
    """

    def __init__(self, settings: ApiModel, sleep: Callable[[float], None] | None = None) -> None:
        import openai
        import tenacity

        from whatif.models.endpoint.bounded_response import bound

        self._settings = settings
        self._key = _key(settings)
        # Without a key a placeholder is passed, or the client would look for a key in the environment.
        self._client = openai.OpenAI(
            api_key=self._key or "none",
            base_url=settings.base_url,
            timeout=settings.timeout_seconds,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(
                event_hooks={"response": [bound(settings.max_response_bytes)]},
                mounts={"all://127.0.0.1": None},  # a proxy of the environment does not know this machine's servers
            ),
        )
        self._stopped = threading.Event()
        self._sleep = sleep or tenacity.sleep_using_event(self._stopped)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._client.close()

    def stop(self) -> None:
        """Stops all retries; pending replies may still arrive."""
        self._stopped.set()

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

        `max_new_tokens` raises the limit of the settings. `sample` is the number of the sample, from 0. `fields` are
        further fields of this request; they replace those of the settings.

        Retried: failed or broken connections, time-outs, replies that are not a chat completion, and the statuses 408,
        409, 429 and from 500 on. A request that got a complete reply is not sent again.

        Raises GaveUpError when all tries failed, UnansweredError when the endpoint rejects this request or its response
        is larger than `max_response_bytes`, and WhatifError when the endpoint would reject every request: the key is
        rejected, the account has no credit left, the model is unknown, or the wait is longer than an hour.
        """
        import tenacity

        tries = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_TryAgainError),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(self._settings.retries + 1), tenacity.stop_when_event_set(self._stopped)
            ),
            wait=lambda state: _wait(state, generator),
            sleep=self._sleep,
            reraise=True,
        )
        try:
            limits = {self._settings.token_limit: max(self._settings.max_new_tokens, max_new_tokens or 0)}
            return tries(self._ask_once, messages, {**limits, **self._settings.decoding.sent(sample)}, fields or {})
        except _TryAgainError as error:
            raise GaveUpError(f"{error} (the last of {tries.statistics['attempt_number']} tries)") from None

    def _ask_once(
        self, messages: Sequence[Mapping[str, Any]], generation: Mapping[str, Any], fields: Mapping[str, Any]
    ) -> Reply:
        import openai

        from whatif.models.endpoint.bounded_response import ResponseTooLargeError

        if self._stopped.is_set():
            raise GaveUpError("the run was stopped")
        settings = self._settings
        limit: dict[str, Any] = dict(generation)
        if settings.extra_body is not None or fields:
            limit["extra_body"] = {**(settings.extra_body or {}), **fields}  # replaces fields of the same names
        create: Any = self._client.chat.completions.create  # its type overloads do not accept plain dictionaries
        try:
            return self._reply(create(model=settings.model, messages=messages, **limit))
        except ResponseTooLargeError:
            raise UnansweredError(
                f"the response is larger than max_response_bytes ({settings.max_response_bytes:,})"
            ) from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APITimeoutError:
            raise _TryAgainError(f"no reply within {settings.timeout_seconds:g} s") from None
        except openai.APIConnectionError as error:
            raise _TryAgainError(self._line(f"connection failed: {error.__cause__ or error}")) from None
        except (openai.APIError, ValueError, RecursionError):  # the last two come from invalid JSON
            raise _TryAgainError("the reply is not whole JSON") from None

    def _refusal(self, error: Any) -> Exception:
        url, status = self._settings.base_url, error.status_code
        reason = self._line(f"status {status}: {_said(error)}")
        if status in (401, 403):
            variable = self._settings.key_variable
            how = f"the key in {variable} is rejected" if variable else "a key is required; set key_variable"
            return WhatifError(f"{url}: {how} (status {status})")
        if status == 402 or error.code == "insufficient_quota":
            return WhatifError(f"{url}: the account has no credit left ({reason}); top it up and run again")
        if status == 404:
            model = self._settings.model
            return WhatifError(f"{url}: has no model {model} ({reason}); correct model or base_url in params.yaml")
        if status not in (408, 409, 429) and status < 500:
            return UnansweredError(reason)
        after = _retry_after(error.response.headers)
        if after is not None and after > LONGEST_RETRY_AFTER:
            return WhatifError(f"{url}: asks to wait {after:.0f} s ({reason}); run again after that")
        return _TryAgainError(reason, after)

    def _reply(self, completion: Any) -> Reply:
        # The library builds its objects without validation: a proxy's error page may arrive as one, with status 200.
        try:
            choice = completion.choices[0]
            text, refusal = choice.message.content or "", choice.message.refusal
        except (AttributeError, TypeError, IndexError):
            raise _TryAgainError("the reply is no chat completion") from None
        if not isinstance(text, str):
            raise _TryAgainError("the reply is no chat completion")
        counts = [getattr(completion.usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
        prompt_tokens, response_tokens = (count if is_count(count) else None for count in counts)
        return Reply(
            self._text(text),
            self._line(refusal) if refusal else None,
            self._line(getattr(choice, "finish_reason", None)),
            prompt_tokens,
            response_tokens,
            self._plain(getattr(choice, "logprobs", None)),
            self._plain(getattr(completion, "prompt_logprobs", None)),
        )

    def _plain(self, value: Any) -> Any:
        """A field of a reply as plain JSON values, the key masked in every text."""
        from pydantic import BaseModel

        if isinstance(value, Mapping | BaseModel):
            entries = value.items() if isinstance(value, Mapping) else iter(value)
            return {self._text(name): self._plain(inner) for name, inner in entries}
        if isinstance(value, list):
            return [self._plain(inner) for inner in value]
        return self._text(value) if isinstance(value, str) else value

    def _text(self, said: object) -> str:
        """An endpoint's text, with the key masked if it was sent back."""
        text = well_formed(str(said))
        return text.replace(self._key, "(key)") if self._key and len(self._key) >= _SHORTEST_SECRET else text

    def _line(self, said: object) -> str:
        """An endpoint's text as a short line; the key is masked before the text is cut, so that no part remains."""
        return " ".join(self._text(said).split())[:_LONGEST_REASON]


def _key(settings: ApiModel) -> str | None:
    if settings.key_variable is None:
        return None
    key = os.environ.get(settings.key_variable, "").strip()
    if not key:
        raise WhatifError(f"{settings.key_variable}: is not set; it must hold the key of {settings.base_url}")
    if not (key.isascii() and key.isprintable()):
        # The value goes into a header; the library's error message would show it.
        raise WhatifError(f"{settings.key_variable}: contains characters that a key cannot have")
    return key


def _wait(state: RetryCallState, generator: Generator) -> float:
    """Seconds until the next try: doubled each time, plus up to as much again at random, to spread requests."""
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (state.attempt_number - 1)) * (1 + generator.random())
    error = state.outcome.exception() if state.outcome else None
    after = error.after if isinstance(error, _TryAgainError) else None
    # Not earlier than requested, plus up to a second at random, for the same reason.
    return float(wait if after is None else after + generator.random())


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by the header Retry-After, a number or a date relative to the endpoint's own clock."""
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - parsedate_to_datetime(headers["date"])).total_seconds())
    except (ValueError, TypeError, KeyError, OverflowError):
        return None


def _said(error: Any) -> str:
    """The text of an error: its message if the body has one, otherwise the body. Gemini sends a list of one error."""
    body = error.body
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    for key in ("error", "message"):
        if isinstance(body, Mapping) and body.get(key):
            body = body[key]
    return str(body or "no reason given")
