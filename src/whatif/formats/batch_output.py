"""The output of OpenAI's batches, and of those who have the same form: a line with the reply to each request."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.chat_completions import message_in, reasoning_of, refusal_of, text_of
from whatif.engine.language.finish_reasons import ending, withheld
from whatif.formats.failed_requests import failed_ending, failure_in
from whatif.formats.prediction_fields import Prediction, as_text
from whatif.formats.table_records import Record

_LONGEST_REASON = 200


def batch_prediction(path: Path, record: Record) -> Prediction:
    """The prediction in a line; `custom_id` is the question_id.

    The body of a reply is a chat completion or one of OpenAI's Responses. A request that failed, and a reply that is
    neither or is not whole, is a failure; a refusal, and what the endpoint withheld, is no answer. Raises
    WhatifError when custom_id is empty.
    """
    question_id = as_text(path, record, "custom_id").strip()
    if not question_id:
        raise WhatifError(f"{path}: {record.place}: custom_id is empty; every request needs the id of its question")
    response = record.fields.get("response")
    reply = response if isinstance(response, dict) else {}
    body = reply.get("body")
    failure = _message(record.fields.get("error"))
    if failure is None and (status := str(reply.get("status_code") or 200)) != "200":
        failure = f"status {status}: {_message(body.get('error') if isinstance(body, dict) else body) or 'no message'}"
    if failure is not None:
        return Prediction(record.place, "", question_id=question_id, failure=_in_a_line(failure))
    try:
        message, finish, error = message_in(body)
        text, refusal, reasoning = text_of(message.get("content")), refusal_of(message), reasoning_of(message)
    except (TypeError, KeyError, IndexError, AttributeError):
        return Prediction(record.place, "", question_id=question_id, failure="no chat completion")
    refused = withheld(text, refusal, finish)
    failure = _message(error) or failed_ending(finish) or (failure_in(text) if refused is None else None)
    return Prediction(
        record.place,
        well_formed(text),
        question_id=question_id,
        is_null=message.get("content") is None,
        failure=None if failure is None else _in_a_line(failure),
        reasoning=well_formed(reasoning) if reasoning else None,
        cut_off=ending(finish) == "limit",
        withheld=None if refused is None else _in_a_line(refused),
    )


def _message(error: Any) -> str | None:
    """What an error says; None if there is none."""
    if not error:  # some write an empty one beside a whole reply
        return None
    return str(error.get("message") or error.get("code") or error) if isinstance(error, Mapping) else str(error)


def _in_a_line(reason: str) -> str:
    return " ".join(well_formed(reason).split())[:_LONGEST_REASON]
