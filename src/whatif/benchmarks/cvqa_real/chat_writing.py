"""Asks a chat model for counterfactual questions, with examples written by people (C-VQA 3.1, B).

The model gets the questions with their answers, and no image, as in the paper. What cannot be used of its reply is
asked for once more in the same conversation. After that it is refused with its reason; nothing is guessed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from whatif.benchmarks.cvqa_real.example_choice import Pool, chosen_examples, pool_of
from whatif.benchmarks.cvqa_real.schemas import GROUPS
from whatif.benchmarks.cvqa_real.settings import WriteSettings
from whatif.benchmarks.cvqa_real.writer_prompts import SHORT, Prompts, first_request, read_prompts
from whatif.benchmarks.cvqa_real.writer_requests import Batch, QuestionWriter, batches_of, sources_of
from whatif.benchmarks.cvqa_real.written_questions import written_id_of
from whatif.benchmarks.shared.evaluation import ask_stored, report_replies
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.files.named_folders import CHECKPOINTS, named_path
from whatif.engine.graph.task import Task
from whatif.models import Model

NO_REPLY, REFUSED, DECLINED = "no reply", "reply refused", "declined by the model"  # reasons of rejections


class _Plan(NamedTuple):
    """What a model is to be asked: its key, the prompts, the examples of each group, and the conversations."""

    key: str
    prompts: Prompts
    pools: dict[str, Pool]
    batches: list[Batch]


def write_with_model(task: Task[WriteSettings]) -> None:
    """Writes the counterfactual questions of the job's model, its replies, and the source questions without one.

    The model is asked about the source questions of each group whose writers name it. Each of them ends in `by-model`
    or, with a reason, in `unwritten`. Errors are reported, and transient ones leave the outputs unfinished. In a dry
    run nothing is written.

    Raises WhatifError as `read_prompts`, `pool_of` and `chosen_examples` do, and as the model does when no answer can
    be expected.
    """
    plan = _plan(task)
    if not plan.batches:
        if task.stand_in is None:
            _write(task, plan, [])
        return
    _caution(task, plan.key)

    def ask(model: Model, is_dry: bool) -> QuestionWriter:
        writer = QuestionWriter(model, plan.key, plan.prompts.digest, is_dry=is_dry)
        writer.ask(plan.batches)
        return writer

    if (asked := ask_stored(task, ask)) is None:
        return
    writer, transient = asked
    refused = _write(task, plan, writer.replies)
    _report(task, plan, writer, len(refused))
    task.check_losses("written questions", sum(len(one.written) for one in plan.batches), refused, needed=False)
    report_replies(task, plan.key, writer.replies, transient)


def _plan(task: Task[WriteSettings]) -> _Plan:
    key, settings = task.wildcards["writer"], task.settings.prompting
    groups = [group for group in GROUPS if key in task.settings.writers.of(group)]
    plan = _Plan(key, read_prompts(settings.file, groups), {}, [])
    annotated = list(task.rows("annotated"))
    for group in groups:
        pool = pool_of(group, settings.examples, annotated, task.rows("questions"))
        divided = batches_of(sources_of(task.rows("questions"), group), settings.questions_per_request)
        plan.pools[group] = pool
        for sources, examples in zip(
            divided, chosen_examples(pool, divided, settings.examples, task.seed), strict=True
        ):
            questions = [(one.question, one.answer) for one in sources]
            messages = first_request(plan.prompts.by_group[group], examples, questions)
            batch_id = written_id_of(sources[0].source_id, group, key)
            plan.batches.append(Batch(batch_id, group, sources, examples, messages))
    return plan


def _write(task: Task[WriteSettings], plan: _Plan, replies: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Writes the outputs; returns the rejections."""
    rule = task.settings.prompting.examples.rule
    written, refused = [], []
    for batch in plan.batches:
        for source in batch.sources:
            written_id = written_id_of(source.source_id, batch.group, plan.key)
            if source.source_id in batch.written:
                written.append(_row(written_id, plan, batch, source.source_id, rule))
            else:
                refused.append(_rejection(written_id, batch, source.source_id))
    task.outputs.write("by-model", written)
    task.outputs.write("replies", replies)
    task.outputs.write("unwritten", refused)
    return refused


def _row(written_id: str, plan: _Plan, batch: Batch, source_id: str, rule: str) -> dict[str, Any]:
    entry, attempt, request_key = batch.written[source_id]
    known: dict[str, Any] = {"batch_id": batch.batch_id, "prompt": plan.prompts.digest}
    if batch.examples:
        known |= {"examples": plan.pools[batch.group].origin, "rule": rule}
    return {
        "written_id": written_id,
        "source_id": source_id,
        "group": batch.group,
        "writer": plan.key,
        "question": entry.question,
        "answer": entry.answer,
        "step1": entry.step1,
        "step2": entry.step2,
        "examples": [example.seed_id for example in batch.examples],
        "attempt": attempt,
        "request_key": request_key,
        "provenance": canonical_json(known),
    }


def _rejection(written_id: str, batch: Batch, source_id: str) -> dict[str, str]:
    if source_id in batch.declined:
        return {"item_id": written_id, "reason": DECLINED, "detail": batch.declined[source_id]}
    reason = NO_REPLY if batch.is_error else REFUSED
    return {"item_id": written_id, "reason": reason, "detail": batch.faults[source_id]}


def _caution(task: Task[WriteSettings], key: str) -> None:
    """Warns before a model is asked with the short prompts, which do not describe the format of a reply."""
    checkpoint = getattr(task.model, "checkpoint", None)
    is_ours = checkpoint is not None and named_path(checkpoint).resolve().parent == CHECKPOINTS
    if task.settings.prompting.file == SHORT and not is_ours:
        task.say(
            f"warning: {key}: the short prompts are for models that were trained on the format of the replies; for "
            f"other chat models set generate.{task.benchmark}.prompting.file to null, with examples"
        )


def _report(task: Task[WriteSettings], plan: _Plan, writer: QuestionWriter, refused: int) -> None:
    total = sum(len(batch.sources) for batch in plan.batches)
    attempts = [one.attempt for batch in plan.batches for one in batch.written.values()]
    ignored = f"; {writer.ignored:,} entries about other questions were ignored" if writer.ignored else ""
    task.say(
        f"{plan.key}: wrote {len(attempts):,} of {total:,} counterfactual questions in {len(writer.replies):,} "
        f"requests, {sum(one > 0 for one in attempts):,} of them after a reply was repaired{ignored}"
    )
    if refused:
        folder = f"data/generate/{plan.key}/{task.benchmark}"
        task.say(
            f"{plan.key}: for the reasons of the {refused:,} questions without a usable reply, see `whatif show "
            f"{folder}/unwritten.parquet`; the raw replies are in {folder}/replies.parquet; docs/cvqa-real.md says "
            "what can be done about bad replies"
        )
    for group, pool in plan.pools.items():
        if pool.left_out:
            task.say(
                f"{plan.key}: {pool.left_out:,} of people's {group} questions are no examples: the filter would reject "
                "them, or they have no steps, and none can be computed from their answers"
            )
