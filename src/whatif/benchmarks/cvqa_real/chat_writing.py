"""Asks a chat model for counterfactual questions, with examples written by people (C-VQA 3.1, B).

The model gets the questions with their answers, and no image, as in the paper. What cannot be used of its reply is
asked for once more in the same conversation. After that it is refused with its reason; nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from whatif import models
from whatif.artifacts.reader import canonical_json
from whatif.benchmarks.cvqa_real.example_choice import Pool, chosen_examples, pool_of
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import WriteSettings
from whatif.benchmarks.cvqa_real.writer_prompts import Prompts, first_request, read_prompts
from whatif.benchmarks.cvqa_real.writer_requests import Batch, QuestionWriter, batches_of, sources_of
from whatif.benchmarks.shared.evaluation import TransientErrors, report_errors
from whatif.graph.task import Task

NO_REPLY, REFUSED, DECLINED = "no reply", "reply refused", "declined by the model"  # reasons of rejections


def write_with_model(task: Task[WriteSettings]) -> None:
    """Writes the counterfactual questions of the job's model, its replies, and the source questions without one.

    The model is asked about the source questions of each group whose writers name it. Each of them ends in `by-model`
    or, with a reason, in `unwritten`. Errors are reported, and transient ones leave the outputs unfinished. In a dry
    run nothing is written.

    Raises WhatifError as `read_prompts` and `pool_of` do, and as the model does when no answer can be expected.
    """
    from whatif.models.responses.store import ResponseStore, store_path
    from whatif.models.responses.stored import stored

    key = task.wildcards["writer"]
    groups = [group for group in GROUPS if key in task.settings.writers.of(group)]
    prompts = read_prompts(task.settings.prompting.file, groups)
    pools = _pools(task, groups)
    batches = [batch for pool in pools for batch in _batches(task, key, prompts, pool)]
    if not batches:
        if task.stand_in is None:
            _write(task, key, batches, prompts, [])
        return
    loaded = models.load(task.model.adapter, task.model, task.seed)
    if task.stand_in is not None:
        QuestionWriter(task.stand_in(loaded), key, prompts.digest, is_dry=True).ask(batches)
        return
    with models.closing(loaded), ResponseStore(store_path()) as store:
        model = TransientErrors(stored(loaded, store))
        writer = QuestionWriter(model, key, prompts.digest)
        writer.ask(batches)
    refused = _write(task, key, batches, prompts, writer.replies)
    _report(task, pools, batches, writer)
    task.check_losses("written questions", sum(len(one.written) for one in batches), refused, needed=False)
    errors = Counter(str(row["reason"]) for row in writer.replies if row["status"] == "error")
    report_errors(task, key, len(writer.replies), errors, model.reasons)


def _pools(task: Task[WriteSettings], groups: Sequence[str]) -> list[Pool]:
    settings = task.settings.prompting.examples
    annotated = list(task.rows("annotated"))
    return [pool_of(group, settings, annotated, task.rows("questions")) for group in groups]


def _batches(task: Task[WriteSettings], key: str, prompts: Prompts, pool: Pool) -> list[Batch]:
    """The conversations about the source questions of a group, before anything is asked."""
    settings = task.settings.prompting
    divided = batches_of(sources_of(task.rows("questions"), pool.group), settings.questions_per_request)
    chosen = chosen_examples(pool, divided, settings.examples, task.seed)
    return [
        Batch(
            f"{sources[0].source_id}-{pool.group}-{key}",
            pool.group,
            sources,
            examples,
            first_request(prompts.by_group[pool.group], examples, [(one.question, one.answer) for one in sources]),
        )
        for sources, examples in zip(divided, chosen, strict=True)
    ]


def _write(
    task: Task[WriteSettings], key: str, batches: Sequence[Batch], prompts: Prompts, replies: list[dict[str, Any]]
) -> list[dict[str, str]]:
    """Writes the outputs; returns the rejections."""
    written, refused = [], []
    for batch in batches:
        for source in batch.sources:
            written_id = f"{source.source_id}-{batch.group}-{key}"
            if source.source_id in batch.written:
                written.append(_row(written_id, key, batch, source.source_id, prompts))
            else:
                refused.append(_rejection(written_id, batch, source.source_id))
    task.outputs.write("by-model", written)
    task.outputs.write("replies", replies)
    task.outputs.write("unwritten", refused)
    return refused


def _row(written_id: str, key: str, batch: Batch, source_id: str, prompts: Prompts) -> dict[str, Any]:
    entry, attempt, request_key = batch.written[source_id]
    return {
        "written_id": written_id,
        "source_id": source_id,
        "group": batch.group,
        "writer": key,
        "question": entry.question,
        "answer": entry.answer,
        "step1": entry.step1,
        "step2": entry.step2,
        "examples": [example.seed_id for example in batch.examples],
        "attempt": attempt,
        "request_key": request_key,
        "provenance": canonical_json({"batch_id": batch.batch_id, "prompt": prompts.digest}),
    }


def _rejection(written_id: str, batch: Batch, source_id: str) -> dict[str, str]:
    if source_id in batch.declined:
        return {"item_id": written_id, "reason": DECLINED, "detail": batch.declined[source_id]}
    reason = NO_REPLY if batch.is_error else REFUSED
    return {"item_id": written_id, "reason": reason, "detail": batch.faults[source_id]}


def _report(task: Task[WriteSettings], pools: Sequence[Pool], batches: Sequence[Batch], writer: QuestionWriter) -> None:
    total = sum(len(batch.sources) for batch in batches)
    attempts = [one.attempt for batch in batches for one in batch.written.values()]
    ignored = f"; {writer.ignored:,} entries about other questions were ignored" if writer.ignored else ""
    task.say(
        f"{writer.key}: wrote {len(attempts):,} of {total:,} counterfactual questions in {len(writer.replies):,} "
        f"requests, {sum(one > 0 for one in attempts):,} of them after a reply was repaired{ignored}"
    )
    for pool in pools:
        if pool.left_out:
            task.say(
                f"{writer.key}: {pool.left_out:,} of people's {pool.group} questions are no examples: they have no "
                "steps, and none can be computed from their answers"
            )
