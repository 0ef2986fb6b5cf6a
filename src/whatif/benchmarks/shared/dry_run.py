"""Estimates the number of questions and the cost of evaluating paid models, without sending anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from whatif.engine.artifacts.writer import Rows
from whatif.engine.errors import WhatifError
from whatif.engine.graph import stash
from whatif.engine.graph.freshness import Condition, provenance, state_of
from whatif.engine.graph.jobs import Job
from whatif.engine.graph.run import Outputs
from whatif.engine.params.endpoints import EndpointModel
from whatif.engine.params.prices import money
from whatif.models import Model
from whatif.models.responses.store import ResponseStore, store_path
from whatif.models.responses.token_estimates import Estimate, Unasked


def estimates(jobs: Iterable[Job]) -> Iterator[str]:
    """A line for each model, benchmark, strategy and probe of evaluations at an endpoint, in the order of the jobs.

    Nothing is sent or written, and no key is needed.
    """
    asking = (job for job in jobs if _endpoint(job) is not None)
    for name, of_name in groupby(asking, _name):
        yield f"{name}: {_line(list(of_name))}"


def has_prices(job: Job) -> bool:
    """Whether a job uses an endpoint whose prices are known."""
    settings = _endpoint(job)
    return settings is not None and settings.prices is not None


def _endpoint(job: Job) -> EndpointModel | None:
    return job.model if isinstance(job.model, EndpointModel) else None


def _name(job: Job) -> str:
    model, strategy = job.wildcards.get("model"), job.wildcards.get("strategy")
    if model is None:  # asked for something other than answers to questions
        return f"{job.model_key} {job.step.benchmark} {job.step.name}"
    judging = f"as judge of {model}" if job.model_key != model else None
    return " ".join(filter(None, [job.model_key, job.step.benchmark, strategy, job.wildcards.get("probe"), judging]))


def _line(jobs: list[Job]) -> str:
    settings = _endpoint(jobs[0])
    assert settings is not None
    try:
        due = [job for job in jobs if _is_due(job)]
        if not due:
            return "nothing to ask, it is up to date"
        with DryRun() as dry_run:
            for job in due:
                dry_run.look(job)
            found = dry_run.estimate()
    except WhatifError as error:
        return f"the cost is not known yet ({error})"
    if not found.questions:
        return "nothing to ask"
    if not found.asked:
        return f"nothing to ask, all {found.questions:,} answers are stored"
    return f"{_numbers(found, settings)}{_budget(settings, len(due))}; estimated {found.basis}"


def _numbers(found: Estimate, settings: EndpointModel) -> str:
    stored = found.questions - found.asked
    parts = [f"asks {found.asked:,} of {found.questions:,} questions ({stored:,} are stored)"]
    parts.append(f"about {found.prompt_tokens:,} prompt and {found.response_tokens:,} response tokens")
    if settings.prices is not None:
        parts.append(f"cost about {money(settings.prices.cost(found.prompt_tokens, found.response_tokens))}")
    if found.seconds is not None:
        parts.append(f"about {timedelta(seconds=round(found.seconds))} h")
    return ", ".join(parts)


def _budget(settings: EndpointModel, jobs: int) -> str:
    if settings.token_budget is None:
        return ""
    each = f" in each of {jobs:,} jobs" if jobs > 1 else ""
    return f"; token_budget stops it at {settings.token_budget:,} tokens{each}"


def _is_due(job: Job) -> bool:
    """Whether a run would have to execute the job. Raises WhatifError when its inputs do not exist."""
    made = provenance(job)
    is_fresh = state_of(job, {}, ready=True).condition is Condition.FRESH
    return not is_fresh and not stash.holds(made.fingerprint, job.outputs)


class DryRun:
    """Runs evaluations with a placeholder that replaces their model and sends nothing."""

    def __init__(self) -> None:
        self._exit = ExitStack()
        self._asked: Unasked | None = None

    def __enter__(self) -> DryRun:
        folder = self._exit.enter_context(TemporaryDirectory())
        # Opening a store creates its file.
        path = store_path() if store_path().is_file() else Path(folder) / "responses.sqlite"
        self._store = self._exit.enter_context(ResponseStore(path))
        return self

    def __exit__(self, *error: object) -> None:
        self._exit.close()

    def look(self, job: Job) -> None:
        """Records the questions of a job; all jobs use the same model with the same settings."""
        ask_instead(job, self.stand_in)

    def stand_in(self, model: Model) -> Model:
        """The placeholder for a model. All jobs share it, with all its records."""
        self._asked = self._asked or Unasked(model, self._store)
        return self._asked

    def estimate(self) -> Estimate:
        """The cost of all jobs together."""
        return self._asked.estimate() if self._asked else Estimate(0, 0, 0, 0, None, "")


def ask_instead(job: Job, stand_in: Callable[[Model], Model]) -> None:
    """Runs a job that asks a model, with what `stand_in` returns in the model's place, and discards its outputs."""
    job.step.function(job.task(_Nowhere(), _hush, stand_in=stand_in))


def _hush(line: str) -> None:
    """Ignores a step's messages."""


class _Nowhere(Outputs):
    """Outputs that discard all data."""

    def __init__(self) -> None:
        """Does nothing."""

    def write(self, role: str, rows: Rows) -> None:
        """Ignores its arguments."""
