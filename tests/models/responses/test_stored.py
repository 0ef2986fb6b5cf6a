"""A model behind a store is asked each question once, despite crashes, errors and other processes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.defaults import ROOT
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import ImagePart, Message, one_turn
from whatif.models import Answer, Model, OptionScore, Question
from whatif.models.responses.store import ResponseStore, Run, request_key
from whatif.models.responses.stored import StoredModel, stored
from whatif.models.responses.tallies import tallies

# Answers two questions, and is killed during the third.
KILLED = """
import sys
from pathlib import Path
from tests.models.responses.test_stored import Counting, questions
from whatif.models import Question
from whatif.models.responses.store import ResponseStore
from whatif.models.responses.stored import stored

class Stuck(Counting):
    def say(self, question: Question):
        if question.prompt == "question 2":
            print("asked", flush=True)
            sys.stdin.read()
        return super().say(question)

list(stored(Stuck(), ResponseStore(Path(sys.argv[1]))).answer(questions(4)))
"""


class Counting:
    """Responds with the number of words of a prompt, and records its questions; prompts in `failing` are errors."""

    def __init__(self, failing: Sequence[str] = (), **identity: Any) -> None:
        self.identity: Mapping[str, Any] | None = {"adapter": "counting", "model": "words", **identity}
        self.failing = failing
        self.asked: list[str] = []

    def say(self, question: Question) -> Answer:
        self.asked.append(question.prompt)
        if question.prompt in self.failing:
            return Answer(status="error", reason="no reply")
        scores = tuple(OptionScore(-len(option) / 3, len(option)) for option in question.options)
        response = None if scores else f"{len(question.prompt.split())} words"
        return Answer(response=response, option_scores=scores or None, prompt_tokens=len(question.prompt))

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        return map(self.say, questions)


class Backwards(Counting):
    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        for place in reversed(range(len(questions))):
            yield place, self.say(questions[place])


def questions(number: int, **fields: Any) -> list[Question]:
    return [Question(f"id-{n}", "group", "original", one_turn(f"question {n}"), **fields) for n in range(number)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ResponseStore]:
    with ResponseStore(tmp_path / "responses.sqlite") as opened:
        yield opened


@pytest.mark.parametrize("kind", [Counting, Backwards])
@pytest.mark.parametrize("options", [(), ("16", "seventeen")])
def test_the_second_run_sends_nothing_and_says_the_same(
    kind: type[Counting], options: tuple[str, ...], store: ResponseStore
) -> None:
    asked = questions(5, options=options)
    direct = list(Counting().answer(asked))
    first = list(stored(kind(), store).answer(asked))
    assert [replace(answer, request_key=None) for answer in first] == direct
    again = kind()
    assert list(stored(again, store).answer(asked[::-1])) == first[::-1]
    assert again.asked == []
    assert store.summary().last_run == Run("counting words", hits=5, misses=0)
    assert store.summary().answers == {"counting words": 5}


def test_only_what_is_new_is_asked(store: ResponseStore) -> None:
    list(stored(Counting(), store).answer(questions(3)))
    model = Counting()
    more = [replace(question, question_id=f"renamed {question.question_id}") for question in questions(6)]
    list(stored(model, store).answer(more))
    assert model.asked == ["question 3", "question 4", "question 5"], "the id of a question is not told to a model"
    assert store.summary().last_run == Run("counting words", hits=3, misses=3)


@pytest.mark.parametrize(
    ("fields", "identity"),
    [
        ({"messages": one_turn("question 0 ")}, {}),
        ({"options": ("A", "B")}, {}),
        ({"messages": one_turn("question 0", ["ab" * 32])}, {}),
        ({"messages": (Message("user", (ImagePart("ab" * 32, "A"), "question 0")),)}, {}),
        ({"messages": (Message("system", ("Count.",)), *one_turn("question 0"))}, {}),
        ({}, {"revision": "2"}),
    ],
)
def test_whatever_is_sent_otherwise_is_another_request(
    fields: dict[str, Any], identity: dict[str, Any], store: ResponseStore
) -> None:
    (question,) = questions(1)
    list(stored(Counting(), store).answer([question]))
    model = Counting(**identity)
    list(stored(model, store).answer([replace(question, **fields)]))
    assert len(model.asked) == 1


def test_the_length_of_a_response_is_no_part_of_a_ranking(store: ResponseStore) -> None:
    asked = questions(1, options=("A", "B")) + questions(1)
    list(stored(Counting(max_new_tokens=64), store).answer(asked))
    model = Counting(max_new_tokens=5)
    list(stored(model, store).answer(asked))
    assert len(model.asked) == 1, "the open question alone"


def test_a_model_with_a_budget_is_told_of_stored_answers_once(store: ResponseStore) -> None:
    class Frugal(Counting):
        before = 0

        def count_stored(self, answers: Iterable[Answer]) -> None:
            self.before += sum(answer.prompt_tokens or 0 for answer in answers)

    list(stored(Counting(), store).answer(questions(2)))
    model = Frugal()
    again = stored(model, store)
    for _ in range(2):
        list(again.answer(questions(3) + questions(1)))
    assert model.before == 2 * len("question 0"), "what it was asked itself is not told"


def test_a_run_that_asks_nothing_leaves_the_store_as_it_was(store: ResponseStore) -> None:
    list(stored(Counting(), store).answer(questions(2)))
    before = store.path.read_bytes(), store.path.stat().st_mtime_ns
    list(stored(Counting(), store).answer(questions(2)))
    assert (store.path.read_bytes(), store.path.stat().st_mtime_ns) == before
    assert store.summary().last_run == Run("counting words", hits=2, misses=0)


def test_identical_questions_are_asked_once(store: ResponseStore) -> None:
    twice = questions(2) + questions(3)
    model = Counting(failing=["question 1"])
    answers = list(stored(model, store).answer(twice))
    assert model.asked == ["question 0", "question 1", "question 2"]
    assert answers[:2] == answers[2:4]
    assert [answer.status for answer in answers] == ["ok", "error", "ok", "error", "ok"]


def test_a_model_that_takes_no_images_is_asked_once_about_several(store: ResponseStore) -> None:
    about = [Question(str(n), "g", "original", one_turn("How many?", [f"image {n}"])) for n in range(3)]
    seeing, blind = Counting(), Counting()
    blind.takes_images = False  # type: ignore[attr-defined]
    keys = [answer.request_key for answer in stored(seeing, store).answer(about)]
    assert len(seeing.asked) == 3 and keys[0] == request_key(
        {"identity": seeing.identity, "options": [], "prompt": "How many?", "image_ids": ["image 0"]}
    )
    blind.identity = {"adapter": "blind"}
    answers = list(stored(blind, store).answer(about))
    assert blind.asked == ["How many?"] and len({answer.request_key for answer in answers}) == 1


def test_an_answer_to_a_request_that_named_images_is_not_paid_for_again(store: ResponseStore) -> None:
    about = [Question(str(n), "g", "original", one_turn("How many?", [f"image {n}"])) for n in range(2)]
    before = list(stored(Counting(), store).answer(about))
    blind = Counting()
    blind.takes_images = False  # type: ignore[attr-defined]
    assert list(stored(blind, store).answer(about)) == before and blind.asked == []
    further = Question("2", "g", "original", one_turn("How many?", ["image 2"]))
    list(stored(blind, store).answer([*about, further]))
    assert blind.asked == ["How many?"]


def test_errors_are_asked_again_and_keep_their_reason(store: ResponseStore) -> None:
    first = list(stored(Counting(failing=["question 1"]), store).answer(questions(3)))
    assert [(answer.status, answer.reason) for answer in first] == [("ok", None), ("error", "no reply"), ("ok", None)]
    model = Counting()
    assert [answer.status for answer in stored(model, store).answer(questions(3))] == ["ok"] * 3
    assert model.asked == ["question 1"]


def test_each_answer_is_stored_before_it_is_yielded(store: ResponseStore) -> None:
    for number, answer in enumerate(stored(Counting(), store).answer(questions(4)), start=1):
        assert answer.request_key in store.get([str(answer.request_key)])
        assert store.summary().answers == {"counting words": number}


def test_what_a_model_has_first_is_stored_first(store: ResponseStore) -> None:
    next(iter(stored(Backwards(), store).answer(questions(4))))
    assert store.summary().answers == {"counting words": 4}


def test_answers_before_a_failure_are_kept(store: ResponseStore) -> None:
    class Failing(Counting):
        def say(self, question: Question) -> Answer:
            if question.prompt == "question 2":
                raise WhatifError("the key is refused")
            return super().say(question)

    with pytest.raises(WhatifError, match="refused"):
        list(stored(Failing(), store).answer(questions(5)))
    model = Counting()
    list(stored(model, store).answer(questions(5)))
    assert model.asked == ["question 2", "question 3", "question 4"]


@pytest.mark.process
def test_a_run_killed_in_the_middle_loses_only_what_was_being_asked(tmp_path: Path) -> None:
    path = tmp_path / "responses.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    model = Counting()
    with ResponseStore(path) as store:
        answers = list(stored(model, store).answer(questions(4)))
    assert model.asked == ["question 2", "question 3"]
    assert [replace(answer, request_key=None) for answer in answers] == list(Counting().answer(questions(4)))


def test_what_another_process_stored_first_is_the_answer(store: ResponseStore) -> None:
    class Late(Counting):
        def say(self, question: Question) -> Answer:
            said = super().say(question)
            request = {"identity": self.identity, "prompt": question.prompt, "options": [], "image_ids": []}
            with ResponseStore(store.path) as other:
                other.put(request_key(request), request, {"status": "none", "reason": "said nothing"})
            return said

    answers = list(stored(Late(), store).answer(questions(1)))
    assert [(answer.status, answer.response) for answer in answers] == [("none", None)]


def test_a_model_without_identity_is_returned_as_it_is(store: ResponseStore) -> None:
    model = Counting()
    model.identity = None
    unkeyed: Model = model
    assert stored(unkeyed, store) is unkeyed


def test_no_questions_are_no_run(store: ResponseStore) -> None:
    assert list(stored(Counting(), store).answer([])) == []
    assert store.summary().last_run is None


def test_the_time_that_an_answer_was_waited_for_is_stored_once_with_it(store: ResponseStore) -> None:
    now = 0.0

    class Slow(Backwards):
        def say(self, question: Question) -> Answer:
            nonlocal now
            now += float(question.prompt.split()[1])
            return super().say(question)

    def run() -> list[Answer]:
        model = Slow()
        return list(StoredModel(model, model.identity or {}, store, lambda: now).answer(questions(4)))

    assert [answer.seconds for answer in run()] == [0.0, 1.0, 2.0, 3.0]
    assert [answer.seconds for answer in run()] == [0.0, 1.0, 2.0, 3.0], "a later run is told the same"
    (tally,) = tallies(store.path)
    assert (tally.answers, tally.timed, tally.seconds) == (4, 4, now) and now == 6.0
    assert Answer(response="yes", seconds=1.0) == Answer(response="yes", seconds=2.0)
