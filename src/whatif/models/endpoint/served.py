"""Asks a model behind a server that the job itself starts when the first question is asked, and stops."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whatif.engine.artifacts.verified import source_digest
from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.params.endpoints import ApiModel, EndpointModel, ServedModel
from whatif.engine.params.server_command import without_address, words_of
from whatif.models import Answer, Question
from whatif.models.endpoint.api import ApiAnswers, Spent
from whatif.models.endpoint.engine import engine_of
from whatif.models.endpoint.request import Endpoint
from whatif.models.endpoint.server import Server, start
from whatif.models.local.checkpoints import folder_of
from whatif.models.local.gguf_files import gguf_file
from whatif.models.order import in_order

_NOT_STARTED = "http://127.0.0.1/v1"  # the address of a server that has no port yet
_OF_THE_ADDRESS = ("adapter", "base_url", "model", "version")  # in the identity of `api`, not in ours
_SECONDS_TO_NOTICE = 1.0  # between a broken connection and the end of the process
_SLICE = 0.2  # seconds


class ServedAnswers:
    """A model behind a server of this job; `spent` counts the tokens of its answers.

    The server is started when a question is asked, so stored answers need none. It then runs until `close`, or until
    this object or the process ends.

    Raises WhatifError when the engine is not installed or its version is unknown, or the checkpoint's folder or GGUF
    file does not exist.
    """

    def __init__(self, settings: ServedModel, seed: int) -> None:
        self._settings = settings
        self._seed = seed
        self._files = _files_of(settings.checkpoint)
        self._checkpoint = settings.checkpoint if self._files is None else str(self._files.resolve())
        self._model = settings.model or self._checkpoint or ""
        self._engine = engine_of(words_of(settings.command))
        version = settings.engine_version or self._engine.version
        if version is None:
            raise WhatifError(
                f"command: the version of {self._engine.name} cannot be found out; give engine_version, which is part "
                "of the key of stored answers"
            )
        self._api = ApiAnswers(self._requests_to(_NOT_STARTED), seed)
        self.takes_images = settings.takes_images
        self._server: Server | None = None
        self.identity: Mapping[str, Any] = {
            "adapter": "served",
            "engine": self._engine.name,
            "version": version,
            "flags": _flags(settings.command),
            **self._weights(),
            "requests": self._api.identity["version"],
            **{name: value for name, value in self._api.identity.items() if name not in _OF_THE_ADDRESS},
        }

    @property
    def note(self) -> str:
        """The tokens that this run has used, for the progress display."""
        return self._api.note

    @property
    def spent(self) -> Spent:
        """The tokens of the answers."""
        return self._api.spent

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """One answer for each question, in the same order; see `answers_as_they_come`."""
        return in_order(self.answers_as_they_come(questions), len(questions))

    def count_stored(self, answers: Iterable[Answer]) -> None:
        """Counts stored answers of this evaluation: the budget is for all its answers together."""
        self._api.count_stored(answers)

    def answers_as_they_come(self, questions: Sequence[Question]) -> Iterator[tuple[int, Answer]]:
        """The place of each question and its answer, as `ApiAnswers` gives them.

        Questions about the same images are asked one after the other, so that the server can use its prefix cache.

        Raises WhatifError as `ApiAnswers` does, when the server cannot be started, and when it ends meanwhile.
        """
        if not questions:
            return
        server = self._started()
        api = ApiAnswers(self._requests_to(server.base_url), self._seed, connect=_connect_to(server))
        api.spent, api.reasoning = self._api.spent, self._api.reasoning
        order = grouped_by_images(questions)
        try:
            for place, answer in api.answers_as_they_come([questions[place] for place in order]):
                if answer.transient and (fault := server.fault(_SECONDS_TO_NOTICE)):
                    raise _died(fault)
                yield order[place], answer
        except WhatifError as error:
            server.keep_log()
            if str(server.log) in str(error):
                raise
            raise WhatifError(f"{error}; the server's log is {server.log}") from error

    def close(self) -> None:
        """Stops the server; the next question starts it again."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    def _started(self) -> Server:
        if self._server is not None and self._server.fault() is not None:
            self.close()
        if self._server is None:
            self._server = start(self._settings, self._model, self._engine.name, self._checkpoint)
            weakref.finalize(self, self._server.stop)
        return self._server

    def _requests_to(self, base_url: str) -> ApiModel:
        """The settings of the requests, as those of the adapter `api`."""
        common = {name: getattr(self._settings, name) for name in EndpointModel.model_fields}
        return ApiModel(adapter="api", model=self._model, base_url=base_url, **common)

    def _weights(self) -> dict[str, str]:
        """What identifies the weights, independent of the path of a folder or GGUF file."""
        named = {} if self._settings.model is None else {"model": self._settings.model}
        if self._files is not None:
            return {**named, "files": source_digest(self._files)}
        if self._checkpoint is not None:
            return {**named, "checkpoint": self._checkpoint}
        if _is_folder(self._model):
            raise WhatifError(
                f"model {self._model}: is a folder; give it as `checkpoint` and write {{checkpoint}} in its place in "
                "`command`, so that its files are part of the key of stored answers"
            )
        return named


class _ServedEndpoint(Endpoint):
    """A connection to a server of this job: waits between tries end when the server has ended."""

    def __init__(self, settings: ApiModel, server: Server) -> None:
        super().__init__(settings, self._wait_for_server)
        self._server = server

    def _wait_for_server(self, seconds: float) -> None:
        if fault := self._server.fault(_SECONDS_TO_NOTICE):
            raise _died(fault)
        while seconds > 0 and not self._stopped.wait(min(seconds, _SLICE)):
            seconds -= _SLICE
            if fault := self._server.fault():
                raise _died(fault)


def _connect_to(server: Server) -> Callable[..., Endpoint]:
    return lambda settings, sleep: _ServedEndpoint(settings, server)


def _died(fault: str) -> WhatifError:
    return WhatifError(f"{fault}; stored answers are kept, run again to continue")


def _flags(command: str) -> list[str]:
    """The words that may change answers; where the program is installed is left out, because its version is known."""
    program, *flags = without_address(command)
    return [Path(program).name, *flags]


def _files_of(checkpoint: str | None) -> Path | None:
    """The folder or GGUF file of a checkpoint on this machine; None for a hub id."""
    return None if checkpoint is None else gguf_file(checkpoint) or folder_of(checkpoint)


def _is_folder(name: str) -> bool:
    return user_path(name).is_dir()


def grouped_by_images(questions: Sequence[Question]) -> list[int]:
    """The places of the questions, those whose images begin alike next to each other, otherwise in the given order."""
    first: dict[tuple[str, ...], int] = {}

    def place_of_prefixes(place: int) -> list[int]:
        ids = questions[place].image_ids
        return [first.setdefault(tuple(ids[:length]), place) for length in range(1, len(ids) + 1)]

    prefixes = [place_of_prefixes(place) for place in range(len(questions))]
    return sorted(range(len(questions)), key=lambda place: (prefixes[place] or [place], place))


def served_model(settings: ServedModel, seed: int) -> ServedAnswers:
    """The model of a server that is started when a question is asked; `seed` is for retry waits. Raises WhatifError."""
    return ServedAnswers(settings, seed)
