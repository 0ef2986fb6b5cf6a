"""Reads scores of options out of the log-probabilities in an endpoint's replies.

Letters are scored by the most probable first tokens of an answer (`top_logprobs`), texts by the log-probabilities of
the tokens of a prompt that ends in the option (vLLM's `prompt_logprobs`). All log-probabilities are in nats.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whatif.models import OptionScore

# Spaces at the beginning of a token: most servers decode it, some send the tokeniser's own sign (SentencePiece, GPT-2).
_SPACES = (" ", "\u2581", "\u0120")
_ABSENT = -9999.0  # OpenAI's value for a token that is not among the most probable ones, and vLLM's for minus infinity
_ROUNDING = 1e-6  # a log-probability computed in single precision may exceed 0 by less
_MOST_PROBABILITY = 1.01  # the sum over some tokens is at most 1, apart from rounding


class MissingLogProbabilitiesError(Exception):
    """A reply has no log-probabilities at all: the endpoint does not offer them."""


class InvalidLogProbabilitiesError(ValueError):
    """A reply has log-probabilities that options cannot be scored by; the message is the reason."""


@dataclass(frozen=True)
class PromptToken:
    """A token of a prompt: its id as the reply gives it, its text if known, and its log-probability."""

    token: str
    text: str | None
    log_probability: Any


def first_tokens(logprobs: Any) -> list[tuple[str, float]]:
    """The most probable first tokens of a reply and their log-probabilities, from its field `logprobs`.

    Empty if nothing was generated. Tokens without a probability are omitted.

    Raises MissingLogProbabilitiesError when there are none, InvalidLogProbabilitiesError when they are malformed.
    """
    content = _field(logprobs, "content")
    if not isinstance(content, list):
        raise MissingLogProbabilitiesError
    if not content:
        return []
    listed = _field(content[0], "top_logprobs")
    if not listed:
        raise MissingLogProbabilitiesError
    if not isinstance(listed, list):
        raise InvalidLogProbabilitiesError("top_logprobs is not a list")
    found: list[tuple[str, float]] = []
    for entry in listed:
        token = _field(entry, "token")
        if not isinstance(token, str):
            raise InvalidLogProbabilitiesError(f"top_logprobs has an entry without a token: {entry!r:.60}")
        value = _log_probability(_field(entry, "logprob"), f"of the token {token!r:.40}")
        # An entry that is sent twice is one token; tokens with the same text differ in their log-probability.
        if value is not None and (token, value) not in found:
            found.append((token, value))
    if not found:
        raise InvalidLogProbabilitiesError("no token of top_logprobs has a probability")
    total = math.fsum(math.exp(value) for _, value in found)
    if total > _MOST_PROBABILITY:
        raise InvalidLogProbabilitiesError(f"the probabilities of the first token add up to {total:.3g}")
    return found


def letter_scores(
    tokens: Sequence[tuple[str, float]], letters: Sequence[str]
) -> tuple[tuple[OptionScore, ...], list[str]]:
    """The score of each letter by the most probable first tokens (at least one), and the letters that may be the best.

    A score is the log of the summed probabilities of the tokens that read as the letter, with and without a leading
    space. Each of these two that is not listed is at most as probable as the least probable listed token. So a letter
    of which neither is listed gets an upper bound (`at_most`), and one of which both are listed an exact score.
    """
    lowest = min(value for _, value in tokens)
    scores, least, most = [], [], []
    for letter in letters:
        bare = [value for token, value in tokens if token == letter]
        spaced = [value for token, value in tokens if token in [space + letter for space in _SPACES]]
        least.append(_log_sum([*bare, *spaced]))
        most.append(_log_sum([*(bare or [lowest]), *(spaced or [lowest])]))
        listed = bool(bare or spaced)
        scores.append(OptionScore(least[-1] if listed else most[-1], 1, at_most=not listed))
    best = least.index(max(least))
    possibly = [letter for place, letter in enumerate(letters) if place == best or most[place] > least[best]]
    return tuple(scores), possibly


def prompt_tokens(prompt_logprobs: Any) -> list[PromptToken | None]:
    """The tokens of a prompt, from a reply's field `prompt_logprobs`; None for the first one, which nothing predicts.

    Raises MissingLogProbabilitiesError when there are none, InvalidLogProbabilitiesError when they are malformed.
    """
    if not prompt_logprobs:
        raise MissingLogProbabilitiesError
    if not isinstance(prompt_logprobs, list):
        raise InvalidLogProbabilitiesError("prompt_logprobs is not a list")
    return [_prompt_token(place, entry) for place, entry in enumerate(prompt_logprobs)]


def _prompt_token(place: int, entry: Any) -> PromptToken | None:
    if entry is None:
        return None
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise InvalidLogProbabilitiesError(f"prompt_logprobs has not one token at place {place}: {entry!r:.60}")
    ((token, facts),) = entry.items()
    text = _field(facts, "decoded_token")
    return PromptToken(str(token), text if isinstance(text, str) else None, _field(facts, "logprob"))


def option_score(prompt: Sequence[PromptToken | None], whole: Sequence[PromptToken | None], option: str) -> OptionScore:
    """The score of an option: its tokens are those of `whole`, the prompt with the option, after those of `prompt`.

    Raises InvalidLogProbabilitiesError when the prompt has other tokens before the option, when what follows it is not
    the option, and when a token of the option has no log-probability.
    """
    for place, (alone, before) in enumerate(zip(prompt, whole, strict=False)):
        if _id(alone) != _id(before):
            raise InvalidLogProbabilitiesError(
                f"the prompt has other tokens before option {option!r:.40} ({_shown(before)} instead of "
                f"{_shown(alone)} at place {place}), so the option cannot be ranked; use `rank-letter` or `words`"
            )
    following = whole[len(prompt) :]
    if not following:
        raise InvalidLogProbabilitiesError(f"no token of option {option!r:.40} follows the prompt")
    values = []
    for token in following:
        value = None if token is None else _log_probability(token.log_probability, f"in option {option!r:.40}")
        if value is None:
            raise InvalidLogProbabilitiesError(f"a token of option {option!r:.40} has no finite log-probability")
        values.append(value)
    texts = [None if token is None else token.text for token in following]
    text = "".join(text or "" for text in texts)
    # Texts of bytes that are no characters by themselves cannot be compared.
    if all(texts) and "\ufffd" not in text and _letters_of(text) != _letters_of(option):
        raise InvalidLogProbabilitiesError(f"the prompt is followed by {text!r:.60}, not by option {option!r:.40}")
    return OptionScore(math.fsum(values), len(values))


def _log_sum(values: Sequence[float]) -> float:
    """The log of the summed probabilities, minus infinity for none; at most 0 in spite of rounding."""
    if not values:
        return -math.inf
    highest = max(values)
    return min(0.0, highest + math.log(math.fsum(math.exp(value - highest) for value in values)))


def _log_probability(value: Any, of: str) -> float | None:
    """A log-probability, None for minus infinity. Raises InvalidLogProbabilitiesError for anything else."""
    if not isinstance(value, float) and type(value) is not int:
        raise InvalidLogProbabilitiesError(f"a log-probability {of} is not a number: {value!r:.40}")
    if math.isnan(value) or value > _ROUNDING:
        raise InvalidLogProbabilitiesError(f"a log-probability {of} is {value}; it cannot be above 0")
    return None if value <= _ABSENT else min(0.0, float(value))


def _letters_of(text: str) -> str:
    """A text without what tokenisers change: white space, their signs for it, case and compatibility forms."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in plain if not sign.isspace() and sign not in ("\u2581", "\u0121"))


def _id(token: PromptToken | None) -> str | None:
    return None if token is None else token.token


def _shown(token: PromptToken | None) -> str:
    return "none" if token is None else repr(token.text if token.text is not None else token.token)


def _field(value: Any, name: str) -> Any:
    """A field of a JSON object; None for anything else."""
    return value.get(name) if isinstance(value, Mapping) else None
