"""Contextual descriptions of cause and effect: by a chat model, of drawn scenes, or the captions (MuCR 3.1, A.4).

A model writes both descriptions of a pair in one JSON object. A reply that cannot be used is repaired once: a second
request in the same conversation names what is wrong. After that it is refused with its reasons; nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from whatif.benchmarks.mucr.description_replies import (
    CAUSE,
    EFFECT,
    KEYS,
    SHARED,
    Captions,
    first_request,
    read_descriptions,
    read_prompt,
)
from whatif.benchmarks.mucr.settings import Descriptions
from whatif.benchmarks.mucr.sources import CAPTIONS, SCENES
from whatif.benchmarks.shared.evaluation import ask_stored, report_replies
from whatif.benchmarks.shared.prompt_files import SystemPrompt
from whatif.benchmarks.shared.reply_talks import Talk, Writer
from whatif.engine.artifacts.images import ImageStore
from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.graph.task import Task
from whatif.models import Model

if TYPE_CHECKING:
    from whatif.world.causal_pairs import CausalPair

NO_REPLY, REFUSED = "no reply", "reply refused"  # reasons of rejections
_TOKENS_PER_WORD = 2  # of the three texts of a reply, with room for the JSON around them

Row = Mapping[str, Any]


def write_descriptions(task: Task[Descriptions]) -> None:
    """Writes the descriptions of the job's model, and the pairs that it gave none for (`12/description`).

    Errors are reported, and transient ones leave the outputs unfinished. In a dry run nothing is written.

    Raises WhatifError as `read_prompt` does, and as the model does when no answer can be expected.
    """
    key, prompt = task.wildcards["writer"], read_prompt(task.settings.prompt_file)
    pairs = [
        Captions(row["pair_id"], row["category"], row["cause_caption"], row["effect_caption"])
        for row in task.rows("pairs")
    ]

    def ask(model: Model, is_dry: bool) -> tuple[Writer, Sequence[Talk[Captions]]]:
        writer = Writer(model, key, prompt.digest, ImageStore(()), texts="descriptions", is_dry=is_dry)
        return writer, _ask(writer, prompt, pairs, task.settings)

    if (asked := ask_stored(task, ask)) is None:
        return
    (writer, talks), transient = asked
    written = [_row(talk, key, prompt) for talk in talks if talk.texts is not None]
    refused = [_rejection(talk) for talk in talks if talk.texts is None]
    task.outputs.write("written", written)
    task.outputs.write("undescribed", refused)
    repaired = sum(talk.attempt > 0 for talk in talks if talk.texts is not None)
    task.say(
        f"{key}: described {len(written):,} of {len(talks):,} pairs, {repaired:,} of them after its reply was repaired"
    )
    task.check_losses("described pairs", len(written), refused, needed=False)
    report_replies(task, key, writer.replies, transient)


def _ask(
    writer: Writer, prompt: SystemPrompt, pairs: Iterable[Captions], settings: Descriptions
) -> Sequence[Talk[Captions]]:
    talks = [
        Talk(
            pair,
            first_request(prompt, pair, settings),
            KEYS,
            partial(read_descriptions, captions=pair, settings=settings),
        )
        for pair in pairs
    ]
    tokens = _TOKENS_PER_WORD * len(KEYS) * settings.longest + 64
    writer.ask(talks, first_attempt=0, unit="pair", max_new_tokens=tokens)
    return talks


def _row(talk: Talk[Captions], key: str, prompt: SystemPrompt) -> dict[str, Any]:
    texts = talk.texts or {}
    known = {"prompt": prompt.digest, "request_key": talk.request_key, "shared": texts[SHARED], "attempt": talk.attempt}
    return {
        "pair_id": talk.item.item_id,
        "cause_description": texts[CAUSE],
        "effect_description": texts[EFFECT],
        "writer": key,
        "provenance": canonical_json(known),
    }


def _rejection(talk: Talk[Captions]) -> dict[str, str]:
    reason = NO_REPLY if talk.is_error else REFUSED
    return {"item_id": f"{talk.item.item_id}/description", "reason": reason, "detail": str(talk.reason)}


def write_all_descriptions(task: Task[Descriptions]) -> None:
    """Writes descriptions of all pairs: those that a model wrote, else of drawn scenes, else the captions."""
    written = {row["pair_id"]: row for row in task.rows("written")}
    task.outputs.write("descriptions", all_descriptions(task.rows("pairs"), written))


def all_descriptions(pairs: Iterable[Row], written: Mapping[str, Row]) -> list[dict[str, Any]]:
    """The rows of `descriptions`: of each pair the row in `written`, or one by the writer `scenes` or `captions`.

    Drawn scenes are computed again from the provenance of their pairs.
    """
    groups: dict[tuple[str, int, int], tuple[CausalPair, ...]] = {}
    return [dict(written[row["pair_id"]]) if row["pair_id"] in written else _given(row, groups) for row in pairs]


def _given(pair: Row, groups: dict[tuple[str, int, int], tuple[CausalPair, ...]]) -> dict[str, Any]:
    """The description of a drawn pair, or its captions; `groups` keeps the groups that were drawn."""
    known = json.loads(pair["provenance"])
    texts = pair["cause_caption"], pair["effect_caption"]
    writer = CAPTIONS
    if known["origin"] == SCENES:
        from whatif.world.causal_pairs import draw_group

        group = known["split"], known["number"], known["seed"]
        if group not in groups:
            groups[group] = draw_group(*group)
        drawn = groups[group][known["place"]]
        texts, writer = (drawn.cause_description, drawn.effect_description), SCENES
    return {
        "pair_id": pair["pair_id"],
        "cause_description": texts[0],
        "effect_description": texts[1],
        "writer": writer,
        "provenance": canonical_json({"origin": known["origin"]}),
    }
