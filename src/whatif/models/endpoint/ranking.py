"""Ranks options behind an endpoint that returns log-probabilities, of its answer or of the prompt.

| options | requests | an option's score |
|---|---|---|
| letters | one, for one token | the tokens that read as the letter, among the most probable first ones |
| texts | one for the prompt, one for each option | the tokens of the option, as the end of a prompt |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from whatif.engine.errors import WhatifError
from whatif.engine.language.finish_reasons import withheld
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Answer, OptionScore, answer_to_empty_option
from whatif.models.endpoint.connection import GaveUpError, UnansweredError
from whatif.models.endpoint.log_probabilities import (
    MissingLogProbabilitiesError,
    first_tokens,
    letter_scores,
    option_score,
    prompt_tokens,
)
from whatif.models.endpoint.request import Reply
from whatif.models.endpoint.sent_messages import Sent

Send: TypeAlias = Callable[[Sent, Mapping[str, Any]], Reply]  # a conversation, further fields of the request -> reply


def ranking_identity(settings: ApiModel) -> dict[str, Any] | None:
    """How options are ranked, for the keys of stored answers; None if they are not ranked."""
    if settings.multiple_choice == "rank-letter":
        return {"top_logprobs": settings.top_logprobs}
    if settings.multiple_choice == "rank-text":
        return {"prompt_log_probabilities": settings.prompt_log_probabilities}
    return None


def rank(send: Send, messages: Sent, options: Sequence[str], settings: ApiModel) -> Answer:
    """The scores of the options after a conversation, ranked as `multiple_choice` says.

    The answer is `none` if it is not certain which letter is the most probable one, or if the reply was withheld, and
    an `error` if an option is empty.

    Raises WhatifError when the endpoint offers no log-probabilities, UnansweredError when a request is not answered,
    and InvalidLogProbabilitiesError when the scores cannot be read.
    """
    if (refused := answer_to_empty_option(options)) is not None:
        return refused
    by_letter = settings.multiple_choice == "rank-letter"
    try:
        if by_letter:
            return _rank_letters(send, messages, options, settings)
        return Answer(option_scores=_text_scores(send, messages, options, settings))
    except MissingLogProbabilitiesError:
        what = "log-probabilities (logprobs)" if by_letter else "log-probabilities of the prompt (prompt_logprobs)"
        how = "use `multiple_choice: words`" if by_letter else "use `multiple_choice: rank-letter` or `words`"
        raise WhatifError(f"{settings.base_url}: gives no {what}, so options cannot be ranked; {how}") from None


def _rank_letters(send: Send, messages: Sent, letters: Sequence[str], settings: ApiModel) -> Answer:
    fields = {**_one_token(settings), "logprobs": True, "top_logprobs": settings.top_logprobs}
    reply = _send(send, messages, fields, settings)
    try:
        tokens = first_tokens(reply.logprobs)
    except MissingLogProbabilitiesError:
        if (reason := withheld("", reply.refusal, reply.finish)) is not None:
            return Answer(status="none", reason=reason)
        raise
    if not tokens:
        return Answer(status="none", reason=f"empty response (finish reason: {reply.finish})")
    scores, possibly = letter_scores(tokens, letters)
    among = f"among the {len(tokens)} most probable first tokens"
    if all(score.at_most for score in scores):
        return Answer(status="none", reason=f"none of the letters {', '.join(letters)} is {among}")
    if len(possibly) > 1:
        named = " or ".join(possibly)
        return Answer(status="none", reason=f"{among} it is not certain which letter is the most probable: {named}")
    return Answer(option_scores=scores)


def _text_scores(send: Send, messages: Sent, options: Sequence[str], settings: ApiModel) -> tuple[OptionScore, ...]:
    fields = {**_one_token(settings), "prompt_logprobs": 0}  # 0: of the prompt's own tokens only
    asked = {**fields, "add_generation_prompt": True, "continue_final_message": False}
    continued = {**fields, "add_generation_prompt": False, "continue_final_message": True}
    prompt = prompt_tokens(_send(send, messages, asked, settings).prompt_logprobs)
    scores = []
    for option in options:
        reply = _send(send, [*messages, {"role": "assistant", "content": option}], continued, settings)
        scores.append(option_score(prompt, prompt_tokens(reply.prompt_logprobs), option))
    return tuple(scores)


def _one_token(settings: ApiModel) -> dict[str, Any]:
    """The fields of a request for one token without sampling, which some servers apply before they take logarithms."""
    decoding = settings.decoding
    neutral = {"temperature": None if decoding.temperature is None else 0, "top_p": decoding.top_p and 1}
    return {settings.token_limit: 1, **{name: value for name, value in neutral.items() if value is not None}}


def _send(send: Send, messages: Sent, fields: Mapping[str, Any], settings: ApiModel) -> Reply:
    """The reply. Raises WhatifError when the endpoint rejects one of the fields, which concerns all questions."""
    try:
        return send(messages, fields)
    except GaveUpError:
        raise
    except UnansweredError as error:
        named = [field for field in fields if field not in _one_token(settings) and field in str(error)]
        if not named:
            raise
        raise WhatifError(
            f"{settings.base_url}: rejects {named[-1]}, which is needed to rank options ({error}); correct the "
            "settings, or use `multiple_choice: words`"
        ) from None
