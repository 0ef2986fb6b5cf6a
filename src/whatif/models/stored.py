"""Asks a model only what it was not asked before: its answers come from a store, and go there as they arrive."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from whatif.models import Answer, Model, OptionScore, Question
from whatif.models.response_store import ResponseStore, Run, request_key


@runtime_checkable
class AnswersOutOfOrder(Protocol):
    """A model that works on several questions at once, and can say each answer the moment it is there."""

    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """The place of a question in `questions` and its answer, each question once, in any order."""


class StoredModel:
    """A model before which a store stands; `hits` and `misses` count questions over all calls.

    A question that comes several times in one call counts as a miss once, and as hits after that.
    """

    def __init__(self, model: Model, identity: Mapping[str, Any], store: ResponseStore) -> None:
        self._model = model
        self._store = store
        self.identity = identity
        self.hits = 0
        self.misses = 0

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer a question, in the same order, each with the key of its request.

        An answer is stored before it is yielded, so whoever is killed loses what is being asked and nothing else.
        Errors are not stored: the next run asks again. What another process stored first is what is yielded.

        Raises what the model raises; what was answered until then is stored.
        """
        requests = [self._request(question) for question in questions]
        keys = [request_key(request) for request in requests]
        answers = {key: _from_json(answer) for key, answer in self._store.get(keys).items()}
        missing = {key: place for place, key in reversed(list(enumerate(keys))) if key not in answers}
        places = sorted(missing.values())
        self.hits += len(questions) - len(places)
        self.misses += len(places)
        arriving = self._arriving([questions[place] for place in places])
        try:
            for key in keys:
                while key not in answers:
                    place, answer = next(arriving)
                    asked = places[place]
                    answers[keys[asked]] = self._keep(keys[asked], requests[asked], answer)
                yield dataclasses.replace(answers[key], request_key=key)
        finally:
            if questions:
                run = Run(_label(self.identity), len(questions) - len(places), len(places))
                self._store.record_run(run)

    def _arriving(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        if not questions:
            return iter(())
        if isinstance(self._model, AnswersOutOfOrder):
            return self._model.answers_as_they_come(questions)
        return iter(zip(range(len(questions)), self._model.answer(questions), strict=True))

    def _keep(self, key: str, request: Mapping[str, Any], answer: Answer) -> Answer:
        return answer if answer.status == "error" else _from_json(self._store.put(key, request, _as_json(answer)))

    def _request(self, question: Question) -> dict[str, Any]:
        """All that decides what the answer is. The question's id, group and variant are not told to a model."""
        return {
            "identity": dict(self.identity),
            "prompt": question.prompt,
            "options": list(question.options),
            "image_ids": list(question.image_ids),
        }


def stored(model: Model, store: ResponseStore) -> Model:
    """The same model, asked only what `store` has no answer to; a model without an identity is returned as it is."""
    identity = model.identity
    return model if identity is None else StoredModel(model, identity, store)


def _label(identity: Mapping[str, Any]) -> str:
    named = identity.get("model", identity.get("checkpoint", ""))
    return f"{identity.get('adapter', '')} {named}".strip()


def _as_json(answer: Answer) -> dict[str, Any]:
    """An answer as JSON knows it, without what was not given; numbers come back to the last bit."""
    fields = dataclasses.asdict(answer)
    del fields["request_key"]  # it is what the answer is found by
    return {name: value for name, value in fields.items() if value is not None}


def _from_json(answer: Mapping[str, Any]) -> Answer:
    scores = answer.get("option_scores")
    fields = {field.name for field in dataclasses.fields(Answer)} - {"option_scores"}
    return Answer(
        **{name: value for name, value in answer.items() if name in fields},
        option_scores=None if scores is None else tuple(OptionScore(**score) for score in scores),
    )
