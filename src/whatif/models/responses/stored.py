"""Asks a model only questions without a stored answer, and stores new answers as they arrive."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from whatif.engine.language.finish_reasons import is_answer
from whatif.engine.language.messages import as_json, is_one_turn, without_images
from whatif.models import Answer, HasParts, Model, Question, Unconditional, note_of, takes_images, unconditional_of
from whatif.models.order import in_order
from whatif.models.responses.answer_json import as_json as answer_as_json
from whatif.models.responses.answer_json import from_json
from whatif.models.responses.store import ResponseStore, Run, model_label, request_key
from whatif.models.shown_progress import share_of


@runtime_checkable
class AnswersOutOfOrder(Protocol):
    """A model that works on several questions at once and can return each answer as soon as it is ready."""

    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """The place of a question in `questions` and its answer, each question once, in any order."""


@runtime_checkable
class ComputedHere(Protocol):
    """A model that costs nothing but time on this machine."""

    computed_here: Literal[True]


@runtime_checkable
class CountsTokens(Protocol):
    """A model with a budget for all answers of an evaluation, including stored ones."""

    def count_stored(self, answers: Iterable[Answer]) -> None:
        """Counts answers of this evaluation that are already stored."""


# Waiting for the disk takes longer than a small checkpoint needs for an answer, so locally computed answers are stored
# together at this interval; a kill loses that much work. Paid answers are stored at once.
_SECONDS_AT_RISK = 0.5


class StoredModel:
    """A model with a store in front of it; `hits` and `misses` count questions over all calls.

    A question that occurs several times in one call is one miss, then hits. `clock` returns the time in seconds; the
    time that an answer was waited for is stored with it.
    """

    def __init__(
        self,
        model: Model,
        identity: Mapping[str, Any],
        store: ResponseStore,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._model = model
        self._store = store
        self._clock = clock
        self._counted: set[str] = set()  # keys of answers that the model's budget already includes
        self.identity = identity
        self.hits = 0
        self.misses = 0

    @property
    def note(self) -> str:
        """The model's remark."""
        return note_of(self._model)()

    @property
    def share(self) -> float | None:
        """The share of the model's work for answers that were not stored."""
        return share_of(self._model)

    @property
    def unconditional(self) -> tuple[Unconditional, ...]:
        """The unconditional likelihoods that the model is asked for."""
        return unconditional_of(self._model)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer for each question, in the same order, each with the key of its request.

        An answer is stored before it is yielded, so a kill loses only the pending requests (and up to half a second of
        the work of a local model). Errors are not stored: the next run asks again. If another process stored an answer
        first, that one is yielded.

        Raises what the model raises, after storing the answers until then; and WhatifError when the store holds
        something other than an answer.
        """
        if not questions:
            return
        requests, keys, known = self._look_up(questions)
        self._count(known)
        missing = len(set(keys) - set(known))
        self.hits += len(questions) - missing
        self.misses += missing
        try:
            arriving = self._as_they_come(questions, requests, keys, known)
            for place, answer in enumerate(in_order(arriving, len(questions))):
                yield dataclasses.replace(answer, request_key=keys[place])
        finally:
            self._store.record_run(Run(model_label(self.identity), len(questions) - missing, missing))

    def known(self, questions: Sequence[Question]) -> list[tuple[str, Answer | None]]:
        """The key of each question's request and its stored answer, or None if it would be asked. Asks nothing."""
        _, keys, found = self._look_up(questions)
        return [(key, found.get(key)) for key in keys]

    def _look_up(self, questions: Sequence[Question]) -> tuple[list[dict[str, Any]], list[str], dict[str, Answer]]:
        """The request of each question and its key, and the stored answers by key.

        Earlier versions named the images in the requests of models that take none. Such an answer is used. They also
        stored what an endpoint had returned when it failed. Such an answer stays in the store, but is not used: the
        question is asked again, as another request.
        """
        requests = [self._request(question) for question in questions]
        if not takes_images(self._model):
            earlier = [self._request(question, names_images=True) for question in questions]
            found = self._store.known(map(request_key, (*requests, *earlier)))
            requests = [
                old if request_key(new) not in found and request_key(old) in found else new
                for new, old in zip(requests, earlier, strict=True)
            ]
        keys, known = self._stored(requests)
        failed = {key for key, answer in known.items() if not is_answer(answer.finish)}
        if failed:
            requests = [
                {**request, "after_failure": True} if key in failed else request
                for request, key in zip(requests, keys, strict=True)
            ]
            keys, known = self._stored(requests)
        return requests, keys, known

    def _stored(self, requests: Sequence[Mapping[str, Any]]) -> tuple[list[str], dict[str, Answer]]:
        keys = [request_key(request) for request in requests]
        return keys, {key: from_json(answer) for key, answer in self._store.get(keys).items()}

    def _as_they_come(
        self,
        questions: Sequence[Question],
        requests: Sequence[Mapping[str, Any]],
        keys: Sequence[str],
        known: Mapping[str, Answer],
    ) -> Iterator[tuple[int, Answer]]:
        """Place and answer of each question, known ones first."""
        places: dict[str, list[int]] = {}
        for place, key in enumerate(keys):
            if key in known:
                yield place, known[key]
            else:
                places.setdefault(key, []).append(place)
        missing = list(places.values())
        arrived: list[tuple[int, Answer]] = []
        waits, since = isinstance(self._model, ComputedHere), time.monotonic()
        try:
            for number, answer in self._timed(self._arriving([questions[same[0]] for same in missing])):
                arrived.append((number, answer))
                if not waits or time.monotonic() - since > _SECONDS_AT_RISK:
                    yield from self._keep(arrived, missing, keys, requests)
                    arrived, since = [], time.monotonic()
        except BaseException:
            list(self._keep(arrived, missing, keys, requests))
            raise
        yield from self._keep(arrived, missing, keys, requests)

    def _arriving(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        if not questions:
            return iter(())
        if isinstance(self._model, AnswersOutOfOrder):
            return self._model.answers_as_they_come(questions)
        return iter(zip(range(len(questions)), self._model.answer(questions), strict=True))

    def _timed(self, arriving: Iterator[tuple[int, Answer]]) -> Iterator[tuple[int, Answer]]:
        """The same, with the seconds that each answer was waited for."""
        while True:
            began = self._clock()
            arrived = next(arriving, None)
            if arrived is None:
                return
            number, answer = arrived
            yield number, dataclasses.replace(answer, seconds=round(self._clock() - began, 4))

    def _keep(
        self,
        arrived: Sequence[tuple[int, Answer]],
        missing: Sequence[Sequence[int]],
        keys: Sequence[str],
        requests: Sequence[Mapping[str, Any]],
    ) -> Iterator[tuple[int, Answer]]:
        """Stores new answers, except errors, then yields place and answer of each question that they answer."""
        places = [missing[number][0] for number, answer in arrived if answer.status != "error"]
        answers = [answer_as_json(answer) for _, answer in arrived if answer.status != "error"]
        self._counted.update(keys[place] for place in places)
        rows = [(keys[place], requests[place], answer) for place, answer in zip(places, answers, strict=True)]
        kept = self._store.put_all(rows)
        for number, answer in arrived:
            stands = kept.get(keys[missing[number][0]])
            yield from ((place, answer if stands is None else from_json(stands)) for place in missing[number])

    def _count(self, known: Mapping[str, Answer]) -> None:
        if isinstance(self._model, CountsTokens):
            self._model.count_stored(answer for key, answer in known.items() if key not in self._counted)
        self._counted.update(known)

    def _request(self, question: Question, *, names_images: bool = False) -> dict[str, Any]:
        """Everything that determines the answer. A model does not see the question's id, group and variant.

        Nor does a model that takes no images see them: the same text about several images is asked once.
        """
        identity = dict(self.identity)
        if not (names_images or takes_images(self._model)):
            question = dataclasses.replace(question, messages=without_images(question.messages))
        options = list(question.options)
        # Settings that have no effect on this question are no part of its key.
        if not options:
            identity.pop("ranking", None)
        if question.json_schema is None:
            identity.pop("json_mode", None)
        if options:
            # Nothing is generated when options are ranked.
            identity.pop("max_new_tokens", None)
            identity.pop("decoding", None)
            if "reasoning" in identity:
                sent = {name: value for name, value in identity.pop("reasoning").items() if name != "budget_tokens"}
                identity |= {"reasoning": sent} if sent else {}
            if "ranking" in identity:
                identity.pop("temperature", None)
        elif question.max_new_tokens is not None and "max_new_tokens" in identity:
            identity["max_new_tokens"] = max(identity["max_new_tokens"], question.max_new_tokens)
        request: dict[str, Any] = {"identity": identity, "options": options}
        if question.json_schema is not None:
            request["json_schema"] = question.json_schema
        if question.sample:  # not the first, so that more samples keep it
            request["sample"] = question.sample
        # The usual conversation has the form that all requests had once, so that their answers stay in use.
        if is_one_turn(question.messages):
            return {**request, "prompt": question.prompt, "image_ids": list(question.image_ids)}
        return {**request, "messages": as_json(question.messages)}


def stored(model: Model, store: ResponseStore) -> Model:
    """The same model, asked only for answers that `store` lacks; a model without an identity is returned unchanged."""
    if isinstance(model, HasParts):
        model.store_parts(lambda part: stored(part, store))
    identity = model.identity
    return model if identity is None else StoredModel(model, identity, store)
