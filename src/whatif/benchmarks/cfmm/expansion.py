"""Asks a chat model for three further counterfactual questions of each item (CFMM 3.3, B).

The model gets the image, the basic and the counterfactual question with their answers, and the system prompt of the
category. Its reply is one JSON object with the paper's keys. A reply that cannot be used is repaired once: a second
request in the same conversation names what is wrong. After that it is refused with its reason; nothing is guessed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from whatif.benchmarks.cfmm.expansion_replies import ANSWER, OPTION, PLACES, QUESTION, read_options
from whatif.benchmarks.cfmm.expansion_requests import Item, items_of, new_questions, options_request, read_prompts
from whatif.benchmarks.cfmm.options import second_option
from whatif.benchmarks.cfmm.schemas import EXPANDED
from whatif.benchmarks.cfmm.settings import ExpandSettings, SecondOption
from whatif.benchmarks.shared.evaluation import ask_stored, report_replies
from whatif.benchmarks.shared.reply_talks import Talk, Writer, with_request
from whatif.benchmarks.shared.tasks import rejection
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.graph.task import Task
from whatif.engine.language.wording import same
from whatif.models import Model

NO_REPLY = "no reply"
REFUSED = "reply refused"
NO_COUNTERFACTUAL = "no counterfactual question"
NO_SECOND_OPTION = "no second option"


def write_expanded(task: Task[ExpandSettings]) -> None:
    """Writes the questions that the job's model adds to the items of `questions`, its replies, and what was refused.

    Items that already have further questions are left as they are. An item is rejected when it has no counterfactual
    question, or when no reply about it can be used; a question is rejected when no rule gives it a wrong option. Errors
    are reported, and transient ones leave the outputs unfinished. In a dry run nothing is written.

    Raises WhatifError as `read_prompts` does, and as the model does when no answer can be expected.
    """
    expansion, rules = task.settings.expansion, task.settings.second_option
    assert expansion is not None, "without an expansion there is no job"
    key, prompts = task.wildcards["writer"], read_prompts(expansion.prompt_file)
    items, lacking = items_of(task.rows("questions"))
    refused = [rejection(item_id, NO_COUNTERFACTUAL, "there is nothing to vary") for item_id in lacking]
    if not items:
        if task.stand_in is None:
            _write(task, [], [], refused)
        return

    def ask(model: Model, is_dry: bool) -> tuple[Writer, list[Talk[Item]], dict[str, Talk[Item]]]:
        writer = Writer(model, key, prompts.digest, task.images(), texts="questions", is_dry=is_dry)
        talks = new_questions(writer, prompts, items)
        return writer, talks, _with_options(writer, talks, rules)

    if (asked := ask_stored(task, ask)) is None:
        return
    (writer, talks, options), transient = asked
    rows: list[dict[str, Any]] = []
    for talk in talks:
        if talk.texts is None:
            refused.append(rejection(talk.item.item_id, NO_REPLY if talk.is_error else REFUSED, str(talk.reason)))
            continue
        made, without = _questions(talk, options.get(talk.item.item_id), rules, key, prompts.digest)
        rows += made
        refused += without
    _write(task, rows, writer.replies, refused)
    _report(task, key, talks, writer.replies, transient)


def _write(
    task: Task[ExpandSettings],
    rows: list[dict[str, Any]],
    replies: list[dict[str, Any]],
    refused: list[dict[str, Any]],
) -> None:
    task.outputs.write("expanded", rows)
    task.outputs.write("replies", replies)
    task.outputs.write("refused", refused)


def _report(
    task: Task[ExpandSettings],
    key: str,
    talks: Sequence[Talk[Item]],
    replies: Sequence[dict[str, Any]],
    transient: Counter[str],
) -> None:
    used = [talk for talk in talks if talk.texts is not None]
    repaired = sum(talk.attempt > 0 for talk in used)
    task.say(
        f"{key}: wrote {len(EXPANDED)} further questions about {len(used):,} of {len(talks):,} items, {repaired:,} of "
        "them after its reply was repaired"
    )
    unused = [rejection(talk.item.item_id, REFUSED, str(talk.reason)) for talk in talks if talk.texts is None]
    task.check_losses("expanded items", len(used), unused, needed=False)
    report_replies(task, key, replies, transient)


def _with_options(writer: Writer, talks: Iterable[Talk[Item]], rules: Sequence[SecondOption]) -> dict[str, Talk[Item]]:
    """Asks for wrong options where the rule `model` is reached; item -> the conversation in which they were asked."""
    if "model" not in rules:
        return {}
    earlier = rules[: rules.index("model")]
    wanted = []
    for talk in talks:
        if talk.texts is None:
            continue
        texts = talk.texts
        asked = {
            f"{OPTION}{place}": (texts[f"{QUESTION}{place}"], texts[f"{ANSWER}{place}"])
            for place in PLACES
            if _option(earlier, talk.item, texts[f"{ANSWER}{place}"]) is None
        }
        if asked:
            messages = with_request(talk.messages, talk.response, options_request(asked))
            wanted.append(Talk(talk.item, messages, tuple(asked), partial(read_options, asked=asked)))
    writer.ask(wanted, first_attempt=2, unit="wrong option", max_new_tokens=128)
    return {talk.item.item_id: talk for talk in wanted}


def _questions(
    talk: Talk[Item], options: Talk[Item] | None, rules: Sequence[SecondOption], key: str, digest: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The new questions of an item as rows of `questions`, and the rejections of those without a wrong option."""
    item, texts = talk.item, talk.texts or {}
    by_model = {} if options is None else options.texts or {}
    rows, without = [], []
    for place, variant in zip(PLACES, EXPANDED, strict=True):
        question_id = f"{item.item_id}-{variant}"
        answer = _without_full_stop(texts[f"{ANSWER}{place}"])
        found = _option(rules, item, answer, by_model.get(f"{OPTION}{place}"))
        if found is None:
            why = "" if options is None or options.texts is not None else f"; the model's reply: {options.reason}"
            detail = f"no rule of second_option gives a text other than the answer {answer!r}{why}"
            without.append(rejection(question_id, NO_SECOND_OPTION, detail))
            continue
        provenance = {
            "origin": key,
            "prompt": digest,
            "request_key": talk.request_key,
            "second_option": found[1],
            "same_as_basic": same(answer, item.basic_answer),
        }
        rows.append(
            {
                "question_id": question_id,
                "pair_id": item.item_id,
                "group": item.category,
                "variant": variant,
                "question": texts[f"{QUESTION}{place}"],
                "choices": [answer, _without_full_stop(found[0])],
                "answer": "A",
                "answer_kind": "choice",
                "image_ids": list(item.image_ids),
                "provenance": canonical_json(provenance),
            }
        )
    return rows, without


def _option(
    rules: Sequence[SecondOption], item: Item, answer: str, by_model: str | None = None
) -> tuple[str, SecondOption] | None:
    return second_option(
        rules,
        answer,
        basic_answer=item.basic_answer,
        basic_option=item.basic_option,
        first_counterfactual=item.counterfactual_answer,
        by_model=by_model,
    )


def _without_full_stop(text: str) -> str:
    """An answer without the full stop that some models put at its end, by which it could be told from the others."""
    return text.removesuffix(".").strip() or text
