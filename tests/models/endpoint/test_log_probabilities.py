"""Replies with missing and malformed log-probabilities: an error in one line, and nothing is stored."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_proxy import Fault, FaultyProxy, always
from tests.models.endpoint.server import SECRET, settings_of
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import one_turn
from whatif.models import Answer, Question
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.endpoint.log_probabilities import letter_scores
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]

BY_LETTER = {"multiple_choice": "rank-letter"}
TEXTS = {"multiple_choice": "rank-text", "prompt_log_probabilities": "vllm"}


def body(**fields: Any) -> bytes:
    """A reply of one token; `fields` are those of the choice, or of the reply if it has no such field."""
    message = {"role": "assistant", "content": "x", "refusal": fields.pop("refusal", None)}
    choice = {"index": 0, "finish_reason": fields.pop("finish_reason", "length"), "message": message}
    if "logprobs" in fields:
        choice["logprobs"] = fields.pop("logprobs")
    usage = {"prompt_tokens": 10, "completion_tokens": 1}
    return json.dumps({"choices": [choice], "usage": usage, **fields}).encode()


def listed(*tokens: tuple[Any, Any]) -> dict[str, Any]:
    """The field `logprobs` with these first tokens."""
    top = [{"token": token, "logprob": value, "bytes": None} for token, value in tokens]
    return {"content": [{"token": "x", "logprob": -0.5, "bytes": None, "top_logprobs": top}], "refusal": None}


def ask(
    reply: bytes | Fault | Any,
    store: ResponseStore,
    *,
    options: tuple[str, ...] = ("A", "B"),
    many: int = 1,
    **changes: Any,
) -> tuple[list[Answer], int]:
    fault = (
        reply if callable(reply) else always(reply if isinstance(reply, Fault) else Fault("status", 200, body=reply))
    )
    asked = [Question(f"q{n}", "g", "original", one_turn(f"how many in {n}?"), options=options) for n in range(many)]
    with FaultyProxy("127.0.0.1:1", fault) as proxy:
        settings = settings_of(proxy.base_url, Path("m"), retries=0, concurrency=1, **changes)
        answers = list(stored(ApiAnswers(settings, 0, lambda seconds: None), store).answer(asked))
        return answers, len(proxy.log)


def number_stored(store: ResponseStore) -> int:
    return sum(store.summary().answers.values())


# Endpoints that have none


@pytest.mark.parametrize(
    "reply",
    [
        body(),
        body(logprobs=None),
        body(logprobs={"content": None}),
        body(logprobs={"tokens": ["A"], "token_logprobs": [-0.1]}),
        body(logprobs=listed()),
        body(logprobs=[1]),
        body(logprobs={"content": [{"token": "A", "logprob": -0.1}]}),
    ],
)
def test_an_endpoint_without_log_probabilities_ends_the_run_in_one_line(reply: bytes, store: ResponseStore) -> None:
    with pytest.raises(WhatifError) as error:
        ask(reply, store, many=3, **BY_LETTER)
    assert str(error.value).partition("/v1")[2] == (
        ": gives no log-probabilities (logprobs), so options cannot be ranked; use `multiple_choice: words`"
    )
    assert number_stored(store) == 0


@pytest.mark.parametrize(
    "reply", [body(), body(prompt_logprobs=None), body(prompt_logprobs=[]), body(logprobs=listed(("A", -1.0)))]
)
def test_and_so_does_one_without_those_of_the_prompt(reply: bytes, store: ResponseStore) -> None:
    with pytest.raises(
        WhatifError,
        match=r"/v1: gives no log-probabilities of the prompt \(prompt_logprobs\), so options cannot be ranked; "
        "use `multiple_choice: rank-letter` or `words`$",
    ):
        ask(reply, store, many=3, **TEXTS)
    assert number_stored(store) == 0


@pytest.mark.parametrize(
    ("message", "changes", "name"),
    [
        ("top_logprobs must be at most 5", BY_LETTER, "top_logprobs"),
        ("logprobs is not supported by this model", BY_LETTER, "logprobs"),
        ("Unrecognized request argument supplied: continue_final_message", TEXTS, "continue_final_message"),
        ("extra inputs are not permitted: 'prompt_logprobs'", TEXTS, "prompt_logprobs"),
    ],
)
def test_an_endpoint_that_rejects_the_fields_ends_the_run(
    message: str, changes: dict[str, Any], name: str, store: ResponseStore
) -> None:
    refused = Fault("status", 400, body=json.dumps({"error": {"message": message}}).encode())
    with pytest.raises(WhatifError, match=rf"/v1: rejects {name}, which is needed to rank options \(status 400: "):
        ask(refused, store, many=3, **changes)
    other = Fault("status", 400, body=b'{"error": {"message": "the prompt is too long"}}')
    answers, _ = ask(other, store, many=3, **changes)
    assert {(answer.status, answer.reason) for answer in answers} == {("error", "status 400: the prompt is too long")}
    assert number_stored(store) == 0


# Letters


def scores(answer: Answer) -> list[tuple[float, bool]]:
    return [(round(score.mean, 6), score.at_most) for score in answer.option_scores or ()]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        # Both tokens of a letter are summed.
        ([("A", math.log(0.5)), (" A", math.log(0.25)), ("B", math.log(0.2)), (" B", math.log(0.01))], [0.75, 0.21]),
        # Some servers send the signs of the tokeniser.
        ([("\u2581A", math.log(0.5)), ("\u0120B", math.log(0.25)), ("C", math.log(1e-9))], [0.5, 0.25]),
        # Tokens that read alike are different tokens, unless all is the same.
        ([("A", math.log(0.25)), ("A", math.log(0.125)), ("B", math.log(0.1)), ("x", math.log(1e-9))], [0.375, 0.1]),
        ([("A", math.log(0.25)), ("A", math.log(0.25)), ("B", math.log(0.1)), ("x", math.log(1e-9))], [0.25, 0.1]),
        # What only begins or ends like a letter is none.
        (
            [("A", math.log(0.25)), ("A.", math.log(0.5)), ("a", math.log(0.1)), ("B", 1e-9 - 7), ("x", -21)],
            [0.25, math.exp(-7)],
        ),
        # Values that exponentials cannot represent.
        ([("C", 0.0), ("A", -800.0), ("B", -900.0), ("x", -950.0)], [math.exp(-800), 0]),
        # Rounding in single precision.
        ([("A", 1e-7), ("B", -17.5), ("x", -30.0)], [1.0, math.exp(-17.5)]),
    ],
)
def test_tokens_that_read_as_a_letter_are_summed(
    tokens: list[tuple[str, float]], expected: list[float], store: ResponseStore
) -> None:
    ((answer,), _) = ask(body(logprobs=listed(*tokens)), store, **BY_LETTER)
    assert answer.status == "ok", answer.reason
    assert [math.exp(value) for value, _ in scores(answer)] == pytest.approx(expected, rel=1e-5, abs=1e-12)
    assert {at_most for _, at_most in scores(answer)} == {False}
    assert all(score.mean <= 0 for score in answer.option_scores or ())
    assert number_stored(store) == 1


def test_a_letter_that_is_not_listed_has_a_bound(store: ResponseStore) -> None:
    tokens = (("A", math.log(0.6)), ("The", math.log(0.3)), ("It", math.log(0.01)))
    ((answer,), _) = ask(body(logprobs=listed(*tokens)), store, **BY_LETTER)
    assert scores(answer) == [(round(math.log(0.6), 6), False), (round(math.log(0.02), 6), True)]


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ([("The", -0.1), ("It", -3.0)], "none of the letters A, B is among the 2 most probable first tokens"),
        # B may have two tokens of 0.1 each.
        (
            [("x", math.log(0.7)), ("A", math.log(0.15)), ("y", math.log(0.1))],
            "among the 3 most probable first tokens it is not certain which letter is the most probable: A or B",
        ),
        # The other token of B may have 0.1.
        (
            [("A", math.log(0.3)), (" A", math.log(0.11)), ("B", math.log(0.35)), ("x", math.log(0.1))],
            "among the 4 most probable first tokens it is not certain which letter is the most probable: A or B",
        ),
    ],
)
def test_a_letter_that_may_not_be_the_best_is_not_chosen(
    tokens: list[tuple[str, float]], reason: str, store: ResponseStore
) -> None:
    ((answer,), _) = ask(body(logprobs=listed(*tokens)), store, **BY_LETTER)
    assert (answer.status, answer.reason, answer.option_scores, answer.letter) == ("none", reason, None, None)
    assert (answer.prompt_tokens, answer.response_tokens) == (10, 1)
    assert number_stored(store) == 1, "it was paid for"


def test_a_letter_with_all_its_tokens_is_certain() -> None:
    tokens = [("A", math.log(0.4)), (" A", math.log(0.2)), ("B", math.log(0.2))]
    assert letter_scores(tokens, ("A", "B"))[1] == ["A"]
    assert letter_scores(tokens, ("A", "B", "C"))[1] == ["A"], "C has at most 0.4"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"logprobs": {"content": []}, "finish_reason": "stop"}, "empty response (finish reason: stop)"),
        ({"refusal": "I will not."}, "refused: I will not."),
        ({"finish_reason": "content_filter"}, "refused: finish reason content_filter"),
    ],
)
def test_a_reply_that_was_withheld_is_none(fields: dict[str, Any], reason: str, store: ResponseStore) -> None:
    ((answer,), _) = ask(body(**fields), store, **BY_LETTER)
    assert (answer.status, answer.reason, answer.option_scores) == ("none", reason, None)


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ([("A", math.nan), ("B", -1.0)], "a log-probability of the token 'A' is nan; it cannot be above 0"),
        ([("A", 0.5), ("B", -1.0)], "a log-probability of the token 'A' is 0.5; it cannot be above 0"),
        ([("A", math.inf)], "a log-probability of the token 'A' is inf; it cannot be above 0"),
        ([("A", "much")], "a log-probability of the token 'A' is not a number: 'much'"),
        ([("A", [-0.5])], "a log-probability of the token 'A' is not a number: [-0.5]"),
        ([("A", None)], "a log-probability of the token 'A' is not a number: None"),
        ([(7, -1.0)], "top_logprobs has an entry without a token: "),
        ([("A", -0.1), ("B", -0.2)], "the probabilities of the first token add up to 1.72"),
        ([("A", -9999.0), ("B", -math.inf)], "no token of top_logprobs has a probability"),
    ],
)
def test_malformed_log_probabilities_are_an_error_of_their_question(
    tokens: list[tuple[Any, Any]], reason: str, store: ResponseStore
) -> None:
    answers, requests = ask(body(logprobs=listed(*tokens)), store, many=2, **BY_LETTER)
    for answer in answers:
        assert (answer.status, answer.option_scores, answer.transient) == ("error", None, False)
        assert str(answer.reason).startswith(reason) and "\n" not in str(answer.reason)
    assert (requests, number_stored(store)) == (2, 0)
    with pytest.raises(WhatifError, match="20 questions in a row were not answered, the last one because: "):
        ask(body(logprobs=listed(*tokens)), store, many=20, **BY_LETTER)


def test_top_logprobs_that_are_no_list(store: ResponseStore) -> None:
    content = [{"token": "x", "logprob": -0.5, "top_logprobs": {"A": -0.5}}]
    ((answer,), _) = ask(body(logprobs={"content": content}), store, **BY_LETTER)
    assert answer.reason == "top_logprobs is not a list"


def test_a_token_without_probability_is_not_listed(store: ResponseStore) -> None:
    tokens = [("A", math.log(0.9)), ("B", -9999.0), ("x", math.log(0.01))]
    ((answer,), _) = ask(body(logprobs=listed(*tokens)), store, **BY_LETTER)
    assert [at_most for _, at_most in scores(answer)] == [False, True]


# Texts


def token(number: Any, value: Any = -0.5, text: Any = "x") -> Any:
    return {str(number): {"logprob": value, "rank": 1, "decoded_token": text}}


PROMPT = [None, token(5), token(6)]


def texts(following: dict[str, list[Any]], prompt: list[Any] = PROMPT) -> Any:
    """A plan of replies: the prompt's tokens, then for each option what follows them."""
    replies = iter([prompt, *([*prompt, *tokens] for tokens in following.values())])
    return lambda asked, tries: Fault("status", 200, body=body(prompt_logprobs=next(replies)))


def test_texts_are_scored_by_what_follows_the_prompt(store: ResponseStore) -> None:
    plan = texts({"2 3": [token(7, -0.25, " 2"), token(8, -0.5, " 3")], "4": [token(9, -1.5, "4")]})
    ((answer,), requests) = ask(plan, store, options=("2 3", "4"), **TEXTS)
    assert [(s.log_likelihood, s.tokens) for s in answer.option_scores or ()] == [(-0.75, 2), (-1.5, 1)]
    assert (answer.prompt_tokens, answer.response_tokens, requests) == (30, 3, 3)


@pytest.mark.parametrize(
    ("following", "reason"),
    [
        ([], "no token of option '4' follows the prompt"),
        ([None], "a token of option '4' has no finite log-probability"),
        ([token(9, -9999.0, "4")], "a token of option '4' has no finite log-probability"),
        ([token(9, -math.inf, "4")], "a token of option '4' has no finite log-probability"),
        ([token(9, math.nan, "4")], "a log-probability in option '4' is nan; it cannot be above 0"),
        ([token(9, 0.25, "4")], "a log-probability in option '4' is 0.25; it cannot be above 0"),
        ([token(9, "x", "4")], "a log-probability in option '4' is not a number: 'x'"),
        ([{"9": -0.5}], "a log-probability in option '4' is not a number: None"),
        ([{}], "prompt_logprobs has not one token at place 3: {}"),
        ([token(9) | token(10)], "prompt_logprobs has not one token at place 3: {'9': "),
        ([7], "prompt_logprobs has not one token at place 3: 7"),
        ([token(9, -0.5, "4"), token(2, -0.5, "</s>")], "the prompt is followed by '4</s>', not by option '4'"),
        ([token(9, -0.5, " 5")], "the prompt is followed by ' 5', not by option '4'"),
    ],
)
def test_malformed_log_probabilities_of_an_option_are_an_error_of_their_question(
    following: list[Any], reason: str, store: ResponseStore
) -> None:
    ((answer,), requests) = ask(texts({"4": following}), store, options=("4",), **TEXTS)
    assert (answer.status, answer.option_scores, answer.transient) == ("error", None, False)
    assert str(answer.reason).startswith(reason) and "\n" not in str(answer.reason)
    assert (answer.prompt_tokens, requests, number_stored(store)) == (20, 2, 0), "the tokens count all the same"


@pytest.mark.parametrize(
    ("whole", "reason"),
    [
        (
            [None, token(5), token(66, -0.5, "y"), token(9, -0.5, "4")],
            "the prompt has other tokens before option '4' ('y' instead of 'x' at place 2), so the option",
        ),
        ([None, token(5)], "no token of option '4' follows the prompt"),
        (
            [token(4), token(5), token(6), token(9)],
            "the prompt has other tokens before option '4' ('x' instead of none",
        ),
        ({"5": -0.5}, "prompt_logprobs is not a list"),
    ],
)
def test_a_prompt_with_other_tokens_before_an_option_is_an_error(whole: Any, reason: str, store: ResponseStore) -> None:
    plan = iter([PROMPT, whole])
    ((answer,), _) = ask(
        lambda asked, tries: Fault("status", 200, body=body(prompt_logprobs=next(plan))), store, options=("4",), **TEXTS
    )
    assert answer.status == "error" and str(answer.reason).startswith(reason)
    assert number_stored(store) == 0


@pytest.mark.parametrize("text", ["\u2581Four", "four", " FOUR ", "\ufffd", None, "\u0120four"])
def test_texts_of_tokens_may_be_written_otherwise(text: Any, store: ResponseStore) -> None:
    ((answer,), _) = ask(texts({"Four": [token(9, -0.5, text)]}), store, options=("Four",), **TEXTS)
    assert (answer.status, answer.reason) == ("ok", None)


@pytest.mark.parametrize("changes", [TEXTS, BY_LETTER])
def test_an_empty_option_is_not_sent(changes: dict[str, Any], store: ResponseStore) -> None:
    ((answer,), requests) = ask(body(), store, options=("4", " "), **changes)
    assert (answer.status, answer.reason) == ("error", "option B is empty: there is nothing to rank")
    assert requests == 0


def test_a_request_that_fails_in_the_middle_loses_the_question_but_not_its_tokens(store: ResponseStore) -> None:
    replies = iter([body(prompt_logprobs=PROMPT), None])

    def plan(asked: str, tries: int) -> Fault:
        reply = next(replies)
        return Fault("cut") if reply is None else Fault("status", 200, body=reply)

    with FaultyProxy("127.0.0.1:1", plan) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, Path("m"), retries=0, **TEXTS), 0, lambda seconds: None)
        (answer,) = model.answer([Question("q", "g", "original", one_turn("how many?"), options=("4", "5"))])
    assert (answer.status, answer.transient, answer.prompt_tokens) == ("error", True, 10)
    assert (model.spent.prompt_tokens, model.spent.response_tokens) == (10, 1)


@pytest.mark.parametrize("text", [SECRET, f"of {SECRET}", "\ud800"])
@pytest.mark.parametrize("value", [0.5, "x", None])
def test_a_reason_has_neither_the_key_nor_half_a_character(text: str, value: Any, store: ResponseStore) -> None:
    entries = [token(9, value, text), {text: {"logprob": value}}, {text: 1, "a": 2}]
    replies = [body(prompt_logprobs=[*PROMPT, entry]) for entry in entries]
    for reply in [*replies, body(prompt_logprobs=[None, token(5), token(66, -0.5, text)])]:
        plan = iter([body(prompt_logprobs=PROMPT), reply])
        ((answer,), _) = ask(
            lambda asked, tries, plan=plan: Fault("status", 200, body=next(plan)), store, options=("4",), **TEXTS
        )
        assert answer.status == "error"
        assert SECRET[:8] not in str(answer.reason) and str(answer.reason).encode()
    ((answer,), _) = ask(body(logprobs=listed((text, value), ("A", -0.5))), store, **BY_LETTER)
    assert answer.status == "error"
    assert SECRET[:8] not in str(answer.reason) and str(answer.reason).encode()


@pytest.mark.parametrize("depth", [300, 700, 950, 5_000])
def test_fields_that_are_too_deep_are_no_reply(depth: int, store: ResponseStore) -> None:
    deep = body(prompt_logprobs=[None, "DEEP"]).replace(b'"DEEP"', b"[" * depth + b"]" * depth)
    ((answer,), _) = ask(deep, store, options=("4",), **TEXTS)
    assert answer.status == "error" and answer.option_scores is None
    assert str(answer.reason).startswith(
        ("the reply is not whole JSON", "prompt_logprobs has not one token at place 1")
    )
