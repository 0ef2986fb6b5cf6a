"""Options ranked behind an endpoint: the scores are those of the same checkpoint on this machine."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.faulty_proxy import FAULTS, FaultyProxy, Plan, first, seeded
from tests.models.endpoint.server import TOKENS, settings_of
from tests.models.families import checkpoint, loaded, quick
from tests.scoring_server import Scorer, scoring_server
from tests.served_model import encoded_picture
from tests.tiny_checkpoints import tiny_llava
from whatif.engine import artifacts
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.artifacts.writer import ArtifactWriter
from whatif.engine.errors import WhatifError
from whatif.engine.files.image_decoding import decode
from whatif.engine.language.messages import ImagePart, Message, one_turn
from whatif.engine.params.endpoints import ApiModel
from whatif.models import Answer, OptionScore, Question
from whatif.models.endpoint.api import ApiAnswers
from whatif.models.responses.store import ResponseStore, request_key
from whatif.models.responses.stored import StoredModel, stored
from whatif.scoring.rank import best, predictions

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("key")]

OPTIONS = ("16", "23", "yellow flowers outside", "31", "two dots")
LETTERS = ("A", "B", "C", "D")
TEXTS = {"multiple_choice": "rank-text", "prompt_log_probabilities": "vllm"}
BY_LETTER = {"multiple_choice": "rank-letter"}


@pytest.fixture(scope="module")
def llava(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny LLaVA that often begins with a letter: a random one hardly ever does."""
    import torch
    import transformers

    folder = tiny_llava(tmp_path_factory.mktemp("llava") / "tiny")
    model: Any = transformers.LlavaForConditionalGeneration.from_pretrained(folder)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        for letter in LETTERS:
            for text in (letter, f" {letter}"):
                (token,) = tokenizer.encode(text)
                model.lm_head.weight[token] *= 4
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def scorer(llava: Path) -> Scorer:
    return Scorer(llava)


@pytest.fixture(scope="module")
def upstream(scorer: Scorer) -> Iterator[str]:
    with scoring_server(scorer) as address:
        yield address


def question(number: int, options: Sequence[str] = OPTIONS, messages: Any = None, pictures: int = 1) -> Question:
    data = [encoded_picture(number * 10 + place) for place in range(pictures)]
    ids = [hashlib.sha256(one).hexdigest() for one in data]
    return Question(
        f"question-{number}",
        "group",
        "original",
        messages(ids) if messages else one_turn(f"how many dots are in circle {number}?", ids),
        options=tuple(options),
        images=lambda: [decode(one) for one in data],
        encoded_images=lambda: data,
    )


def ask(
    upstream: str, questions: Sequence[Question], plan: Plan | None = None, **changes: Any
) -> tuple[list[Answer], FaultyProxy]:
    with FaultyProxy(upstream, plan or first()) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, Path("tiny"), **changes), 0, lambda seconds: None)
        return list(model.answer(questions)), proxy


def assert_same(answers: Sequence[Answer], local: Sequence[Answer]) -> None:
    winners = set()
    for answer, expected in zip(answers, local, strict=True):
        assert answer.option_scores is not None and expected.option_scores is not None
        for score, here in zip(answer.option_scores, expected.option_scores, strict=True):
            assert score.log_likelihood == pytest.approx(here.log_likelihood, abs=1e-4)
            assert (score.tokens, score.at_most) == (here.tokens, False)
        assert best(answer.option_scores) == best(expected.option_scores)
        winners.add(best(answer.option_scores))
    assert len(winners) > 1, "the winner depends on the question"


# Option texts


def test_texts_have_the_scores_of_the_same_checkpoint_on_this_machine(llava: Path, upstream: str) -> None:
    questions = [question(number) for number in range(12)]
    local = loaded("llava", llava)
    answers, proxy = ask(upstream, questions, **TEXTS)
    assert_same(answers, list(local.answer(questions)))
    assert {answer.image_form for answer in answers} == {"in place"}
    assert len(proxy.log) == 12 * 6, "one request for the prompt, one for each option"
    for _, sent, _ in proxy.log:
        continued = sent["messages"][-1]["role"] == "assistant"
        assert (sent["max_tokens"], sent["prompt_logprobs"], sent["temperature"]) == (1, 0, 0)
        assert sent["continue_final_message"] is continued and sent["add_generation_prompt"] is not continued
        assert "logprobs" not in sent


def test_texts_after_examples_with_images_have_them_too(llava: Path, upstream: str) -> None:
    def conversation(ids: Sequence[str]) -> Any:
        example = Message("user", ("the question:", ImagePart(ids[0]), "how many flowers?"))
        asked = Message("user", (ImagePart(ids[1]), "or", ImagePart(ids[2]), "how many dots?"))
        return (Message("system", ("select the correct answer",)), example, Message("assistant", ("12",)), asked)

    questions = [question(number, messages=conversation, pictures=3) for number in range(8)]
    local = loaded("llava", llava)
    assert_same(ask(upstream, questions, **TEXTS)[0], list(local.answer(questions)))


@pytest.mark.parametrize("family", quick("qwen2_5_vl", of=["llava_next", "qwen2_5_vl", "idefics3", "mllama"]))
def test_texts_have_them_in_other_families(family: str) -> None:
    folder = checkpoint(family)
    questions = [question(number, OPTIONS[number:] + OPTIONS[:number]) for number in range(4)]
    local = loaded(family)
    with scoring_server(Scorer(folder)) as address:
        answers, _ = ask(address, questions, **TEXTS)
    assert_same(answers, list(local.answer(questions)))


def test_texts_without_images_have_those_of_the_blind_adapter() -> None:
    questions = [question(number, OPTIONS[number % 5 :] + OPTIONS[: number % 5], pictures=0) for number in range(10)]
    local = loaded("blind")
    with scoring_server(Scorer(checkpoint("blind"))) as address:
        answers, _ = ask(address, questions, **TEXTS)
    assert_same(answers, list(local.answer(questions)))


def test_requests_are_tried_again_one_by_one_and_no_answer_is_paid_for_twice(upstream: str, tmp_path: Path) -> None:
    questions = [question(number) for number in range(8)]
    expected, _ = ask(upstream, questions, **TEXTS)
    faults = [fault for fault in FAULTS if fault.kind != "time-out"]
    plan = seeded(2, 0.3, faults)
    with ResponseStore(tmp_path / "r.sqlite") as store, FaultyProxy(upstream, plan) as proxy:

        def run(retries: int) -> list[Answer]:
            settings = settings_of(proxy.base_url, Path("tiny"), retries=retries, **TEXTS)
            return list(stored(ApiAnswers(settings, 0, lambda seconds: None), store).answer(questions))

        answers = run(12)
        assert [answer.option_scores for answer in answers] == [answer.option_scores for answer in expected]
        assert proxy.counts()["passed"] == 8 * 6 < len(proxy.log)
        again = len(proxy.log)
        assert run(0) == answers and len(proxy.log) == again
        assert 1 < proxy.most_at_once <= 8


def test_tokens_of_all_requests_are_counted(upstream: str) -> None:
    with FaultyProxy(upstream) as proxy:
        model = ApiAnswers(settings_of(proxy.base_url, Path("tiny"), concurrency=1, token_budget=200, **TEXTS), 0)
        answers = list(model.answer([question(number) for number in range(6)]))
    counted, waiting = [answer for answer in answers if answer.status == "ok"], [a for a in answers if a.transient]
    assert len(counted) + len(waiting) == 6 and counted and waiting
    assert len(proxy.log) == 6 * len(counted)
    assert [answer.response_tokens for answer in counted] == [6] * len(counted)
    assert model.spent.prompt_tokens == sum(answer.prompt_tokens or 0 for answer in counted) >= 200 - 6 * len(counted)
    assert all((answer.prompt_tokens or 0) > 6 * 20 for answer in counted)


# Letters


def following(scorer: Scorer, number: int) -> tuple[dict[str, float], list[float]]:
    """The log-probabilities of the letters' tokens and of all tokens, first in an answer to a question."""
    url = f"data:image/png;base64,{base64.b64encode(encoded_picture(number * 10)).decode()}"
    content = [{"type": "image_url", "image_url": {"url": url}}, {"type": "text", "text": question(number).prompt}]
    values = scorer.log_probabilities([{"role": "user", "content": content}])[1][-1].tolist()
    texts = [f"{space}{letter}" for letter in LETTERS for space in ("", " ")]
    return {text: values[scorer.tokenizer.encode(text)[0]] for text in texts}, sorted(values)


@pytest.mark.parametrize("listed", [20, 5])
def test_a_letter_has_the_probability_of_the_tokens_that_read_as_it(upstream: str, scorer: Scorer, listed: int) -> None:
    numbers = range(40)
    answers, proxy = ask(upstream, [question(n, LETTERS) for n in numbers], top_logprobs=listed, **BY_LETTER)
    assert len(proxy.log) == 40
    assert all(
        (sent["logprobs"], sent["top_logprobs"], sent["max_tokens"]) == (True, listed, 1) for _, sent, _ in proxy.log
    )
    statuses = [answer.status for answer in answers]
    assert {"ok", "none"} == set(statuses), statuses
    present = absent = 0
    for number, answer in zip(numbers, answers, strict=True):
        every, values = following(scorer, number)
        real = {x: math.log(math.exp(every[x]) + math.exp(every[f" {x}"])) for x in LETTERS}
        lowest = values[-listed]
        if answer.status == "none":
            assert answer.option_scores is None and f"among the {listed} most probable" in str(answer.reason)
            continue
        assert answer.option_scores is not None
        assert LETTERS[best(answer.option_scores)] == max(LETTERS, key=lambda x: real[x])
        for letter, score in zip(LETTERS, answer.option_scores, strict=True):
            both = all(every[token] >= lowest for token in (letter, f" {letter}"))
            neither = all(every[token] < lowest for token in (letter, f" {letter}"))
            assert score.at_most is neither and score.tokens == 1
            assert score.log_likelihood == pytest.approx(real[letter], abs=1e-4) or not both
            if neither:
                assert real[letter] <= (score.log_likelihood or 0)
            else:
                assert score.log_likelihood <= real[letter] + 1e-6
                assert math.exp(real[letter]) <= math.exp(score.log_likelihood) + math.exp(lowest) + 1e-9
            present, absent = present + (not neither), absent + neither
    assert present > 5 and absent > 5


@pytest.mark.parametrize(
    ("decoding", "sent"),
    [
        ({}, {"temperature": 0}),
        ({"temperature": None}, {}),
        ({"temperature": 0.7, "top_p": 0.5}, {"temperature": 0, "top_p": 1}),
    ],
)
@pytest.mark.parametrize("how", [BY_LETTER, TEXTS])
def test_nothing_is_sampled_in_a_ranking(
    upstream: str, decoding: dict[str, Any], sent: dict[str, Any], how: dict[str, Any]
) -> None:
    _, proxy = ask(upstream, [question(1, LETTERS)], decoding=decoding, **how)
    assert proxy.log
    for _, body, _ in proxy.log:
        assert {name: body[name] for name in ("temperature", "top_p") if name in body} == sent


def test_letters_reach_the_predictions_and_bounds_are_marked(upstream: str, tmp_path: Path) -> None:
    pictures = {hashlib.sha256(data).hexdigest(): data for data in map(encoded_picture, range(0, 400, 10))}
    rows = [
        {
            "question_id": f"q{number:02d}",
            "group": "g",
            "variant": "original",
            "question": f"how many dots are in circle {number}?",
            "choices": list(OPTIONS[:4]),
            "answer": "A",
            "answer_kind": "choice",
            "image_ids": [image_id],
        }
        for number, image_id in enumerate(pictures)
    ]
    with FaultyProxy(upstream) as proxy, ResponseStore(tmp_path / "r.sqlite") as store:
        model = stored(ApiAnswers(settings_of(proxy.base_url, Path("tiny"), **BY_LETTER), 0), store)

        def run() -> list[dict[str, Any]]:
            return list(predictions(rows, Encoded(pictures), "m", model, form="rank-letter"))

        made = run()
        assert run() == made and len(proxy.log) == 40
        assert store.summary().answers == {"api tiny": 40}
        store.export(tmp_path / "out.jsonl")
    path = tmp_path / "predictions.parquet"
    with ArtifactWriter(path, PREDICTIONS) as writer:
        writer.write(made)
    read = list(artifacts.rows_of(path, PREDICTIONS))
    assert read == made
    ranked = [row for row in read if row["status"] == "ok"]
    assert 0 < len(ranked) < 40
    for row in read:
        assert (row["choice_scores"] is None) == (row["answer"] is None) == (row["status"] == "none")
    marks = [score["at_most"] for row in ranked for score in row["choice_scores"]]
    assert set(marks) == {True, False}
    kept = [json.loads(line)["answer"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    written = [score for answer in kept for score in answer.get("option_scores", [])]
    assert sum("at_most" in score for score in written) == sum(marks)
    assert all(score.get("at_most", True) is True for score in written)


class Encoded:
    def __init__(self, pictures: dict[str, bytes]) -> None:
        self._pictures = pictures

    def get(self, image_id: str) -> Any:
        return decode(self._pictures[image_id])

    def encoded(self, image_id: str) -> bytes:
        return self._pictures[image_id]


@pytest.mark.soak
def test_transformers_serve_gives_no_log_probabilities(served: tuple[str, Path], tmp_path: Path) -> None:
    address, folder = served
    asked = [question(number, ("A", "B")) for number in range(3)]
    with ResponseStore(tmp_path / "responses.sqlite") as store:
        ignored = r"gives no log-probabilities \(logprobs\), so options cannot be ranked; "
        rejected = r"rejects continue_final_message, which is needed to rank options \(status 422: "
        for changes, message in ((BY_LETTER, ignored), (TEXTS, rejected)):
            model = ApiAnswers(settings_of(f"http://{address}/v1", folder, **changes), 0)
            with pytest.raises(WhatifError, match=f"/v1: {message}"):
                list(stored(model, store).answer(asked))
        assert store.summary().answers == {}
        words = ApiAnswers(settings_of(f"http://{address}/v1", folder), 0)
        assert [answer.response_tokens for answer in stored(words, store).answer(asked)] == [TOKENS] * 3


# Keys of stored answers


def request(settings: dict[str, Any], asked: Question) -> Any:
    return store_request(ApiAnswers(settings_of("http://host/v1", Path("m"), **settings), 0), asked)


def store_request(model: ApiAnswers, asked: Question) -> Any:
    return StoredModel(model, model.identity, None)._request(asked)


def test_only_what_matters_for_a_question_is_in_its_key() -> None:
    open_question = question(1, ())
    ranked = question(1)
    plain = request({}, open_question)
    assert request(TEXTS, open_question) == request(BY_LETTER, open_question) == plain
    assert request({"json_mode": "object"}, open_question) == plain
    keys = [request(settings, ranked) for settings in (TEXTS, BY_LETTER, BY_LETTER | {"top_logprobs": 5})]
    assert [one["identity"]["ranking"] for one in keys] == [
        {"prompt_log_probabilities": "vllm"},
        {"top_logprobs": 20},
        {"top_logprobs": 5},
    ]
    assert request(BY_LETTER | {"max_new_tokens": 500}, ranked) == keys[1]
    sampled = {"decoding": {"temperature": 0.7, "top_p": 0.5, "seed": 3}}
    assert request(BY_LETTER | sampled, ranked) == keys[1] and "temperature" not in keys[1]["identity"]
    schema = dataclasses.replace(open_question, json_schema='{"type":"object"}')
    assert request({}, schema) == {**plain, "json_schema": '{"type":"object"}'}
    assert request({"json_mode": "object"}, schema)["identity"] == {**plain["identity"], "json_mode": "object"}


@pytest.mark.parametrize(
    ("settings", "fields", "key"),
    [
        ({}, {}, "b601eb6a8c2af1c583e44249cf333d6879223a986b774856a72223ce52766d5a"),
        (
            {"system": "Count.", "extra_body": {"top_p": 0.5}, "several_images": "composite"},
            {"max_new_tokens": 256},
            "50813aa87e53b6a48185eb62ac229b2767b4b58067479cceaa2d2bcd268f6ddd",
        ),
        ({}, {"options": ("A", "B")}, "dc14c9f8bf4a9c576faaa9459afd24923276af4cd6c0aad86b08f25f92f8974a"),
        (
            {},
            {"messages": (Message("system", ("Count.",)), Message("user", (ImagePart("ab" * 32, "A"), "How many?")))},
            "79be0242d894d0995b7e32a95a7d84bb741a7bbea29740e9c9488a6bb4d583e9",
        ),
    ],
)
def test_keys_of_answers_that_were_stored_before_options_could_be_ranked(
    settings: dict[str, Any], fields: dict[str, Any], key: str
) -> None:
    asked = Question("q", "g", "original", **{"messages": one_turn("How many dots?", ["ab" * 32]), **fields})
    entry = ApiModel.model_validate({"adapter": "api", "model": "m", "base_url": "http://host/v1", **settings})
    assert request_key(store_request(ApiAnswers(entry, 0), asked)) == key


def test_a_bound_never_wins() -> None:
    scores = (OptionScore(-1.0, 1, at_most=True), OptionScore(-3.0, 1), OptionScore(-2.0, 1))
    assert best(scores) == 2
