"""`whatif evaluate BENCHMARK --model M --limit N`: asks a pilot sample, scores it and prints the results.

The answers go into the response store, so a later evaluation does not ask the same questions again. No artifact is
written, because the sample is not part of `params.yaml`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import click

from whatif.engine.errors import WhatifError

if TYPE_CHECKING:
    from whatif.engine.graph.jobs import Job
    from whatif.engine.graph.run import Outputs

_CONFIDENCE = 0.95


class _Collected:
    """Replaces a job's outputs and collects the rows that are written."""

    def __init__(self) -> None:
        self.rows: list[Mapping[str, Any]] = []

    def writer(self, role: str) -> _Collected:
        return self

    def write(self, *role_and_rows: Any) -> None:
        self.rows.extend(role_and_rows[-1])

    def unfinished(self, count: int, reason: str) -> None:
        """Does nothing: questions without an answer are among the rows, as errors."""


def run_pilot(benchmark: str, chosen: Mapping[str, str], limit: int) -> None:
    """Asks the chosen model `limit` pairs (or items) of a benchmark and prints the results for each strategy.

    Raises WhatifError when no model is chosen, when the benchmark has no questions, or when the evaluation raises it.
    """
    from whatif import benchmarks

    if "model" not in chosen:
        raise WhatifError("--limit: a pilot sample is for one model; give --model")
    graph = benchmarks.graph(benchmarks.load_params())
    (step, *_) = graph.steps_of("evaluate", benchmark, ("model",))
    if "model" not in step.wildcards:
        raise WhatifError(f"{benchmark}: has no questions, so there is no pilot sample; run it without --limit")
    rows: dict[str, list[Mapping[str, Any]]] = {}
    jobs = graph.jobs_of(step, dict(chosen))
    for job in jobs:
        rows.setdefault(job.wildcards.get("strategy", ""), []).extend(_asked(job, limit))
    settings = graph.params.models[chosen["model"]]
    for strategy, of_strategy in rows.items():
        title = " ".join(filter(None, [chosen["model"], "on", benchmark, strategy]))
        _print(title, of_strategy, _questions(jobs[0]), settings)
    click.echo(
        f"No artifact was written. To include the sample in the tables, add `limit: {limit}` to the model's entry "
        "in params.yaml."
    )


def _asked(job: Job, limit: int) -> list[Mapping[str, Any]]:
    """The predictions that a job would write for a pilot sample."""
    assert job.model is not None
    settings = job.model.model_copy(update={"limit": limit})
    collected = _Collected()
    outputs = cast("Outputs", collected)
    job.step.function(job.task(outputs, lambda line: click.echo(line, err=True), own_model=settings))
    return collected.rows


def _questions(job: Job) -> dict[str, Mapping[str, Any]]:
    from whatif.engine import artifacts
    from whatif.engine.artifacts.schemas import QUESTIONS

    columns = ["question_id", "pair_id", "variant"]
    return {row["question_id"]: row for row in artifacts.rows_of(job.inputs["questions"].paths, QUESTIONS, columns)}


def _print(
    title: str, rows: Sequence[Mapping[str, Any]], questions: Mapping[str, Mapping[str, Any]], settings: Any
) -> None:
    from whatif.benchmarks.shared.pilots import counted
    from whatif.engine.artifacts.variants import variant_order
    from whatif.scoring.statistics import wilson

    if not rows:
        click.echo(f"{title}: no questions were asked")
        return
    pairs = {questions[row["question_id"]]["pair_id"] for row in rows}
    total = len({row["pair_id"] for row in questions.values()})
    click.echo(f"{title}: pilot sample of {counted(len(pairs), _unit(questions.values()))} of {total:,}")
    right: dict[str, list[bool]] = {}
    for row in rows:
        right.setdefault(questions[row["question_id"]]["variant"], []).append(row["correct"])
    for variant, found in sorted(right.items(), key=lambda item: variant_order(item[0])):
        share = wilson(sum(found), len(found), _CONFIDENCE)
        ends = f"{100 * share.low:.1f} to {100 * share.high:.1f}"
        click.echo(f"  {variant}: {100 * share.estimate:.1f}% ({ends}), {sum(found):,} of {len(found):,}")
    unanswered = Counter(str(row["status"]) for row in rows if row["status"] != "ok")
    if unanswered:
        click.echo(f"  not answered: {', '.join(f'{status} {n:,}' for status, n in sorted(unanswered.items()))}")
    prompt, response = (sum(row[f"{what}_tokens"] or 0 for row in rows) for what in ("prompt", "response"))
    if prompt or response:
        click.echo(f"  tokens: {prompt:,} in prompts, {response:,} in responses{_cost(settings, prompt, response)}")


def _unit(questions: Collection[Mapping[str, Any]]) -> str:
    """What the questions with the same `pair_id` are called, as in the tables."""
    from whatif.engine.artifacts.variants import are_pairs

    if len({row["pair_id"] for row in questions}) == len(questions):
        return "question"
    return "pair" if are_pairs({row["variant"] for row in questions}) else "item"


def _cost(settings: Any, prompt: int, response: int) -> str:
    from whatif.engine.params.endpoints import EndpointModel
    from whatif.engine.params.prices import money

    if not isinstance(settings, EndpointModel) or settings.prices is None:
        return ""
    return f"; cost {money(settings.prices.cost(prompt, response))} at the prices in params.yaml"
