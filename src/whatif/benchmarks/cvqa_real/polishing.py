"""A chat model corrects the grammar of verified questions; edits that change more are refused (C-VQA 3.2).

A reply that cannot be used, or whose edit is refused, is repaired once. After that the question stays as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from whatif.benchmarks.cvqa_real.edit_rules import edit_fault
from whatif.benchmarks.cvqa_real.schemas import COUNTERFACTUAL, ORIGINAL
from whatif.benchmarks.cvqa_real.settings import NAME, Polish
from whatif.benchmarks.shared.evaluation import ask_stored, report_replies
from whatif.benchmarks.shared.json_replies import Read, read_object, shown
from whatif.benchmarks.shared.prompt_files import SystemPrompt, read_system_prompt
from whatif.benchmarks.shared.reply_talks import Talk, Writer
from whatif.benchmarks.shared.tasks import by_pair
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.graph.task import Task
from whatif.engine.language.messages import Message, Messages, user_message
from whatif.models import Model

FILE = "polish_prompt.yaml"  # of this package
SETTING = f"verify.{NAME}.polish.prompt_file"  # that replaces it
KEYS = ("question",)  # of a reply
NO_REPLY, REFUSED = "no reply", "reply refused"  # reasons of rejections, besides those of `edit_rules`
_MOST_TOKENS = 256  # of a reply


@dataclass(frozen=True)
class Unpolished:
    """A counterfactual question that the model is asked to correct, and the original question of its pair."""

    item_id: str  # of the question
    category: str
    question: str
    original: str


def write_polished(task: Task[Polish]) -> None:
    """Writes the questions as the job's model polished them, changed or not, and those whose edits are refused.

    Each checked counterfactual question has a row in one of the two tables. Errors are reported, and transient ones
    leave the outputs unfinished. In a dry run nothing is written.

    Raises WhatifError as `read_prompt` does, and as the model does when no answer can be expected.
    """
    key, prompt = task.wildcards["polisher"], read_prompt(task.settings.prompt_file)
    questions = list(_questions(task.rows("checked")))

    def ask(model: Model, is_dry: bool) -> tuple[Writer, Sequence[Talk[Unpolished]]]:
        writer = Writer(model, key, prompt.digest, ImageStore(()), texts="questions", is_dry=is_dry)
        return writer, _ask(writer, prompt, questions)

    if (asked := ask_stored(task, ask)) is None:
        return
    (writer, talks), transient = asked
    polished = [_row(talk, key) for talk in talks if talk.texts is not None]
    refused = [_rejection(talk) for talk in talks if talk.texts is None]
    task.outputs.write("polished", polished)
    task.outputs.write("unpolished", refused)
    changed = sum(row["before"] != row["after"] for row in polished)
    task.say(
        f"{key}: of {len(talks):,} questions, {changed:,} polished, {len(polished) - changed:,} unchanged, "
        f"{len(refused):,} refused and left as they were"
    )
    task.check_losses("polished questions", len(polished), refused, needed=False)
    report_replies(task, key, writer.replies, transient)


def read_prompt(file: str | None) -> SystemPrompt:
    """The prompt in the file of the setting; that of this package if `file` is None.

    Raises WhatifError as `read_system_prompt`.
    """
    return read_system_prompt(__package__, FILE, file, SETTING)


def _questions(rows: Iterable[dict[str, Any]]) -> Iterable[Unpolished]:
    for pair in by_pair(rows).values():
        original = next((row["question"] for row in pair if row["variant"] == ORIGINAL), "")
        for row in pair:
            if row["variant"] == COUNTERFACTUAL:
                yield Unpolished(row["question_id"], row["group"], row["question"], original)


def _ask(writer: Writer, prompt: SystemPrompt, questions: Iterable[Unpolished]) -> Sequence[Talk[Unpolished]]:
    talks = [Talk(one, _request(prompt, one), KEYS, partial(read_edit, item=one)) for one in questions]
    writer.ask(talks, first_attempt=0, unit="question", max_new_tokens=_MOST_TOKENS)
    return talks


def _request(prompt: SystemPrompt, item: Unpolished) -> Messages:
    given = json.dumps({KEYS[0]: item.question}, indent=2, ensure_ascii=False)
    return (Message("system", (prompt.system,)), user_message(f"Input:\n{given}\nOutput:"))


def read_edit(response: str, item: Unpolished) -> Read:
    """Reads a reply, and checks its edit by the rules of `edit_rules`."""
    read = read_object(response, KEYS)
    if read.faults:
        return read
    fault = edit_fault(item.question, read.texts[KEYS[0]], original=item.original)
    return read if fault is None else Read(read.texts, (f"{fault[0]}: {fault[1]}",))


def _row(talk: Talk[Unpolished], key: str) -> dict[str, Any]:
    return {
        "question_id": talk.item.item_id,
        "before": talk.item.question,
        "after": (talk.texts or {})[KEYS[0]],
        "polisher": key,
        "request_key": talk.request_key,
    }


def _rejection(talk: Talk[Unpolished]) -> dict[str, str]:
    """Why a question stays as it was: the reason of its last reply, and in the detail what the model wrote."""
    reason, detail = (NO_REPLY if talk.is_error else REFUSED), str(talk.reason)
    read = read_object(talk.response, KEYS)
    if not talk.is_error and not read.faults:
        fault = edit_fault(talk.item.question, read.texts[KEYS[0]], original=talk.item.original)
        if fault is not None:
            reason, detail = fault[0], f"{fault[1]}; the model wrote {shown(read.texts[KEYS[0]])}"
    return {"item_id": talk.item.item_id, "reason": reason, "detail": detail}
