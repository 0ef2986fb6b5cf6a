"""Programs that a language model writes: a checkpoint on this machine, or a model behind an endpoint (C-VQA 4.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from whatif import models
from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.messages import one_turn
from whatif.engine.params.programs import Writer
from whatif.models import Answer, Model, Question
from whatif.models.programs import code_in_reply
from whatif.models.programs.code_in_reply import Found, finder_of
from whatif.models.programs.interfaces import Language, Written
from whatif.models.programs.prompt_files import filled, prompt_of

NEW_TOKENS = 512  # of a program, where the entry does not say (C-VQA, supplement D)


def chat_writer(settings: Writer, language: Language, prompt_file: str | None, seed: int) -> ChatWriter:
    """The writer that asks the model of an entry, with the built-in prompt of the language or that of a file.

    An entry without `max_new_tokens` gets 512. Raises WhatifError when the model cannot be loaded, and when the file of
    the prompt cannot be read or has no place for the question.
    """
    template = prompt_of(language, prompt_file)
    if "max_new_tokens" not in settings.model_fields_set:
        settings = settings.model_copy(update={"max_new_tokens": NEW_TOKENS})
    model = models.load(settings.adapter, settings, seed)
    return ChatWriter(model, template, finder_of(language))


class ChatWriter:
    """Asks a model for programs: the prompt with the question in its place, and no image."""

    def __init__(self, model: Model, template: str, find: Callable[[str], Found]) -> None:
        self._model = model
        self._asked = model  # the same, or a store before it
        self._template = template
        self._find = find

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model, the prompt, and how a program is found in a reply."""
        return {
            "writer": "model",
            "model": dict(self._model.identity or {}),
            "prompt": hashlib.sha256(self._template.encode()).hexdigest(),
            "reading": code_in_reply.VERSION,
        }

    @property
    def note(self) -> str:
        """The model's remark."""
        return models.note_of(self._asked)()

    def write(self, questions: Sequence[Question]) -> Iterator[Written]:
        """See `ProgramWriter`. All questions are given to the model at once, so that it can use batches."""
        for answer in self._asked.answer([self._request(question) for question in questions]):
            yield replace(
                self._written(answer), prompt_tokens=answer.prompt_tokens, response_tokens=answer.response_tokens
            )

    def store_parts(self, keep: Callable[[Model], Model]) -> None:
        """See `HasParts`."""
        self._asked = keep(self._model)

    def count_stored(self, answers: Iterable[Answer]) -> None:
        """Counts the tokens of stored answers towards the model's budget, if it has one."""
        getattr(self._model, "count_stored", lambda answers: None)(answers)

    def close(self) -> None:
        """Stops a server that was started for the model."""
        getattr(self._model, "close", lambda: None)()

    def _request(self, question: Question) -> Question:
        messages = one_turn(filled(self._template, question.text))
        return Question(
            question.question_id, question.group, question.variant, messages, sample=question.sample, text=question.text
        )

    def _written(self, answer: Answer) -> Written:
        if answer.status == "error":
            return Written(None, answer.reason, failed=True, transient=answer.transient)
        reply = well_formed(answer.response or "")
        found = self._find(reply)
        reason = found.reason
        if answer.cut_off:
            reason = "; ".join(filter(None, (reason, "the reply was cut off at the limit of tokens")))
        return Written(found.code, reason, response=reply)
