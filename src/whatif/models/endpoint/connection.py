"""A connection to an OpenAI-compatible endpoint that retries requests where that may help.

The client library's own retries are off: they use an unseeded generator, ignore a long Retry-After, and do not repeat a
request whose reply breaks off.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isnan
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed

if TYPE_CHECKING:
    from numpy.random import Generator
    from tenacity import RetryCallState

Found = TypeVar("Found")

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between tries, unless the endpoint gives a time; doubled each time
LONGEST_RETRY_AFTER = 3600.0  # seconds; a longer wait ends the run
_LONG_WAIT = 60.0  # seconds; a longer one is reported
_MOST_REPORTED = 20  # reasons of a run
_LONGEST_REASON = 300  # characters
_SHORTEST_SECRET = 6  # characters; shorter placeholders such as `none` may occur in an answer


class UnansweredError(Exception):
    """The endpoint does not answer a request; the message is the reason."""


class RejectedError(UnansweredError):
    """The endpoint rejects this request; `code` is its own name for the reason, empty if it gives none."""

    def __init__(self, reason: str, code: str) -> None:
        super().__init__(reason)
        self.code = code


class GaveUpError(UnansweredError):
    """All tries of a request failed: the endpoint is at fault, not the request."""


class TryAgainError(UnansweredError):
    """A transient failure; `after` is the number of seconds that the endpoint asked to wait."""

    def __init__(self, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.after = after


class ConnectionSettings(Protocol):
    """The settings of an endpoint that a connection reads."""

    @property
    def base_url(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def key_variable(self) -> str | None: ...
    @property
    def timeout_seconds(self) -> float: ...
    @property
    def retries(self) -> int: ...
    @property
    def max_response_bytes(self) -> int: ...


class Connection:
    """A connection to the endpoint of `settings`, usable from many threads; closed when its block ends.

    `sleep` waits a number of seconds between two tries; by default a wait ends early when the endpoint is stopped.

    Raises WhatifError, naming the variable but never its value, when the key is not in the environment.
    """

    def __init__(self, settings: ConnectionSettings, sleep: Callable[[float], None] | None = None) -> None:
        import openai
        import tenacity

        from whatif.models.endpoint.bounded_response import bound

        self._connected = settings
        self._key = _key(settings)
        # Without a key a placeholder is passed, or the client would look for a key in the environment.
        self.client = openai.OpenAI(
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
        self._reporting, self._reported = threading.Lock(), set[tuple[str, bool]]()  # the reasons that were printed
        self._sleep = sleep or tenacity.sleep_using_event(self._stopped)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self.client.close()

    def stop(self) -> None:
        """Stops all retries; pending replies may still arrive."""
        self._stopped.set()

    def tried(self, send: Callable[[], Found], generator: Generator) -> Found:
        """What `send` returns, called again after a transient failure; waits are drawn from `generator`.

        Retried: failed or broken connections, time-outs, replies that are not of the expected form (TryAgainError),
        and the statuses 408, 409, 429 and from 500 on. A request that got a complete reply is not sent again.

        Raises GaveUpError when all tries failed, UnansweredError when the endpoint rejects this request or its response
        is larger than `max_response_bytes`, and WhatifError when the endpoint would reject every request: the key is
        rejected, the account has no credit left, the model is unknown, or the wait is longer than an hour.
        """
        import tenacity

        tries = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TryAgainError),
            stop=tenacity.stop_any(
                tenacity.stop_after_attempt(self._connected.retries + 1), tenacity.stop_when_event_set(self._stopped)
            ),
            wait=lambda state: _wait(state, generator),
            sleep=self._sleep,
            before_sleep=self._report,
            reraise=True,
        )
        try:
            found: Found = tries(self._once, send)
            return found
        except TryAgainError as error:
            raise GaveUpError(f"{error} (the last of {tries.statistics['attempt_number']} tries)") from None

    def _report(self, state: RetryCallState) -> None:
        """Reports why a request is tried again; each kind of reason once, and once more if the wait is long."""
        reason = str(state.outcome.exception() if state.outcome else "")
        wait = state.next_action.sleep if state.next_action else 0.0
        after = f" in {wait:.0f} s" if wait > _LONG_WAIT else ""
        kind = re.sub(r"\d+(?![\d:])", "#", reason), bool(after)  # `status 429: wait # s`
        with self._reporting:
            if kind in self._reported or len(self._reported) == _MOST_REPORTED:
                return
            self._reported.add(kind)
        print(f"whatif: {self._connected.base_url}: tries again{after}: {reason}", file=sys.stderr)

    def _once(self, send: Callable[[], Found]) -> Found:
        import openai

        from whatif.models.endpoint.bounded_response import ResponseTooLargeError

        if self._stopped.is_set():
            raise GaveUpError("the run was stopped")
        try:
            return send()
        except ResponseTooLargeError:
            raise UnansweredError(
                f"the response is larger than max_response_bytes ({self._connected.max_response_bytes:,})"
            ) from None
        except openai.APIStatusError as error:
            raise self._refusal(error) from None
        except openai.APITimeoutError:
            raise TryAgainError(f"no reply within {self._connected.timeout_seconds:g} s") from None
        except openai.APIConnectionError as error:
            raise TryAgainError(self.line(f"connection failed: {error.__cause__ or error}")) from None
        except (openai.APIError, ValueError, RecursionError):  # the last two come from invalid JSON
            raise TryAgainError("the reply is not whole JSON") from None

    def _refusal(self, error: Any) -> Exception:
        url, status = self._connected.base_url, error.status_code
        reason = self.line(f"status {status}: {_said(error)}")
        if status in (401, 403):
            variable = self._connected.key_variable
            how = f"the key in {variable} is rejected" if variable else "a key is required; set key_variable"
            return WhatifError(f"{url}: {how} (status {status})")
        if status == 402 or error.code == "insufficient_quota":
            return WhatifError(f"{url}: the account has no credit left ({reason}); top it up and run again")
        if status == 404:
            model = self._connected.model
            return WhatifError(f"{url}: has no model {model} ({reason}); correct model or base_url in params.yaml")
        if status not in (408, 409, 429) and status < 500:
            return RejectedError(reason, _code(error))
        after = _retry_after(error.response.headers)
        if after is not None and after > LONGEST_RETRY_AFTER:
            return WhatifError(f"{url}: asks to wait {after:.0f} s ({reason}); run again after that")
        return TryAgainError(reason, after)

    def text(self, said: object) -> str:
        """An endpoint's text, with the key masked if it was sent back."""
        text = well_formed(str(said))
        return text.replace(self._key, "(key)") if self._key and len(self._key) >= _SHORTEST_SECRET else text

    def line(self, said: object) -> str:
        """An endpoint's text as a short line; the key is masked before the text is cut, so that no part remains."""
        return " ".join(self.text(said).split())[:_LONGEST_REASON]


def _key(settings: ConnectionSettings) -> str | None:
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
    after = error.after if isinstance(error, TryAgainError) else None
    # Not earlier than requested, plus up to a second at random, for the same reason.
    return float(wait if after is None else after + generator.random())


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: by the header retry-after-ms, or by Retry-After, a number or a date.

    A date is relative to the endpoint's own clock, or to ours if the endpoint does not give its time.
    """
    value = headers.get("retry-after", "").strip()
    for given, unit in ((headers.get("retry-after-ms", ""), 0.001), (value, 1.0)):
        with suppress(ValueError):
            if not isnan(seconds := float(given) * unit):
                return max(0.0, seconds)
    until, now = _date(value), _date(headers.get("date", "")) or datetime.now(UTC)
    return None if until is None else max(0.0, (until - now).total_seconds())


def _date(text: str) -> datetime | None:
    """The date of a header, in UTC if it names no other time; None if it is none."""
    with suppress(ValueError, TypeError, OverflowError):
        found = parsedate_to_datetime(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
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


def _code(error: Any) -> str:
    """The code of an error, or its type, such as `content_policy_violation`; empty if there is none."""
    return str(error.code or error.type or "")
