"""Texts that other tools write in place of a response that they could not get: never an answer."""

from __future__ import annotations

import re

from whatif.engine.files.cells import is_cell_error
from whatif.engine.language.finish_reasons import is_answer

# What may stand before such a text: the quotes and brackets of a list, bold type, the frame of an answer.
_BEFORE = r"(?>(?:[\s\"'`*\[(]|<think>\s*</think>|<answer>|(?:Final )?Answer\s*:)*)"
# What failed, as clients and servers say it.
_CAUSE = (
    r"(?:[45]\d\d\b|HTTP|API\b|CUDA\b|Out of memory|OOM\b|Rate.?limit|Too many requests|Resource.{0,10}exhausted|"
    r"(?:(?:Request|Read|Connection|Gateway)s? )?time(?:d |-)?out\b|"
    r"(?:Request|Connection|Server) (?:error|failed|aborted|refused|reset|closed)|Max(?:imum)? retries|"
    r"Internal server error|Bad gateway|Service unavailable|The (?:server|model|engine) is (?:currently )?overloaded|"
    r"litellm\.|openai\.|Failed to (?:get|obtain|generate|connect))"
)
# Errors by their class: with its module, or one that tells of a request or of memory. A model may well read the name of
# another one (`TypeError: ...`) from a picture.
_CLASS = (
    r"(?:(?:\w+\.)+\w*(?:Error|Exception|Timeout|Exhausted|Unavailable)|"
    r"(?:RateLimit|API(?:Connection|Timeout|Status|Response)?|InternalServer|ServiceUnavailable|BadRequest|"
    r"Authentication|PermissionDenied|ContentPolicyViolation|ContextWindowExceeded|OutOfMemory|Connection|Timeout|"
    r"HTTP|HTTPStatus|Client(?:Connector|Response)?|Server|JSONDecode|RemoteProtocol|Retry|MaxRetry|NewConnection|"
    r"ChunkedEncoding)(?:Error|Exception)|ResourceExhausted|ReadTimeout|ConnectTimeout)"
)
# In any case. How such a text begins, whatever follows.
_BEGINNINGS = (
    r"LMMS_EVAL_(?:REQUEST_FAILED|BUDGET_EXCEEDED)",  # lmms-eval writes both with the error behind
    r"Failed to obtain answer",  # VLMEvalKit
    r"NETWORK ERROR DUE TO HIGH TRAFFIC|API REQUEST ERROR|\$ERROR\$",  # FastChat
    r"Traceback \(most recent call last\):",
    r"(?<=\[)ERROR\]",
    r"(?:(?:API |HTTP )?\w*(?:Error|Exception)|An (?:unexpected )?error occurred)"
    rf"(?: while [^:\n]{{1,60}})?:\s*{_CAUSE}",
    rf"{_CLASS}(?:[:(\[]|\s*\Z)",
    r"HTTPS?ConnectionPool\(|<Response \[\d{3}\]>|(?:Errno|WinError) -?\d+\]|Connection aborted\.['\"]",
    r"CUDA (?:out of memory|error:)|Read timed out\. \(|Max(?:imum)? retries exceeded|Exceeded max(?:imum)? retries",
    r"Rate limit (?:reached for|exceeded)|The (?:server|model|engine) (?:is (?:currently )?overloaded|had an error)",
    r"Request failed with status code|upstream (?:request timeout|connect error)|no healthy upstream|error_code: \d+\)",
    r"(?:HTTP(?:/[\d.]+| Error)? |status(?: code)?:? )?[45]\d\d:? (?:Bad (?:Gateway|Request)|Gateway Time-?out|"
    r"Internal (?:Server )?Error|(?:Client|Server) Error|Service (?:Temporarily )?Unavailable|Too Many Requests|"
    r"Unauthorized|Resource.{0,10}exhausted|[A-Z_]{5,}\. \{)",
    r"<!doctype html|<html\b|<\?xml[^>]{0,80}>\s*<error\b",  # the page of a proxy
    rf"\{{\s*[\"'](?:type[\"']\s*:\s*[\"']error[\"']|error[\"']\s*:\s*\{{|"
    rf"(?:error|detail|message)[\"']\s*:\s*[\"']{_CAUSE})",  # the body of a reply
)
# The whole text, but for what closes it.
_WHOLE = (
    r"Error code: (?:[45]\d\d|1\d{3})(?:\s*-\s*\{.*)?",  # OpenAI's library; Cloudflare
    r"null|(?<=\[)no response|<no response>|no_response",
    r"(?:Request|Read|Connection) (?:timed out|error|timeout|aborted)",
    r"Bad gateway|Gateway time-?out|Service unavailable|Internal server error|Too many requests",
)
_FAILED = re.compile(
    rf"{_BEFORE}(?:{'|'.join(_BEGINNINGS)}|(?:{'|'.join(_WHOLE)})[\s\"'`*\])}}.!]*\Z)", re.IGNORECASE | re.DOTALL
)
_LONGEST_REASON = 200


def failure_in(response: str) -> str | None:
    """Why a text is not the response of a model, in one line; None if it may be one."""
    if _FAILED.match(response):
        return " ".join(response.split())[:_LONGEST_REASON]
    if is_cell_error(response):  # JSON may have been written from a spreadsheet
        return f"the cell holds the error {response.strip()}"
    return None


def failed_ending(finish: str) -> str | None:
    """Why a reply with this finish reason may not be whole; None if it is, was cut off at the limit, or withheld."""
    return None if is_answer(finish) else f"the reply is not complete (finish reason: {finish})"
