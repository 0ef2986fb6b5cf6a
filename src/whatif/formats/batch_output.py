"""The output of OpenAI's batches, and of those who have the same form: a line with the reply to each request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whatif.errors import WhatifError
from whatif.files.well_formed import well_formed
from whatif.formats.failed_requests import failure_in
from whatif.formats.prediction_fields import Prediction, as_text
from whatif.formats.prediction_records import Record
from whatif.language.chat_completions import reasoning_of, text_of
from whatif.language.finish_reasons import ending, is_answer

_LONGEST_REASON = 200


def batch_prediction(path: Path, record: Record) -> Prediction:
    """The prediction in a line; `custom_id` is the question_id.

    A request that failed, and a reply that is no whole chat completion, is a failure. Raises WhatifError when custom_id
    is empty.
    """
    question_id = as_text(path, record, "custom_id").strip()
    if not question_id:
        raise WhatifError(f"{path}: {record.place}: custom_id is empty; every request needs the id of its question")
    response = record.fields.get("response")
    reply = response if isinstance(response, dict) else {}
    body = reply.get("body")
    failure = _message(record.fields.get("error"))
    if failure is None and (status := reply.get("status_code", 200)) != 200:
        failure = f"status {status}: {_message(body.get('error') if isinstance(body, dict) else body) or 'no message'}"
    if failure is not None:
        return Prediction(record.place, "", question_id=question_id, failure=_failure(record, failure))
    try:
        choice = body["choices"][0]  # type: ignore[index]
        message = choice["message"]
        text, finish = text_of(message.get("content")), str(choice.get("finish_reason") or "")
    except (TypeError, KeyError, IndexError, AttributeError):
        return Prediction(record.place, "", question_id=question_id, failure=_failure(record, "no chat completion"))
    assert isinstance(body, dict)
    failure = _message(body.get("error")) or _message(choice.get("error")) or failure_in(text)
    if failure is None and ending(finish) == "withheld":
        failure = f"refused: finish reason {finish}"
    elif failure is None and not is_answer(finish):
        failure = f"the reply is not complete (finish reason: {finish})"
    return Prediction(
        record.place,
        well_formed(text),
        question_id=question_id,
        is_null=message.get("content") is None,
        failure=None if failure is None else _failure(record, failure),
        reasoning=well_formed(reasoning) if (reasoning := reasoning_of(message)) else None,
        cut_off=ending(finish) == "limit",
    )


def _message(error: Any) -> str | None:
    """What an error says; None if there is none."""
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("code") or error)
    return None if error is None else str(error)


def _failure(record: Record, reason: str) -> str:
    return f"{record.place}: {' '.join(well_formed(reason).split())[:_LONGEST_REASON]}"
