"""What a chat model is asked about the items that it writes further questions for (CFMM 3.3, B)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from whatif.benchmarks.cfmm.expansion_prompts import Prompts, first_request
from whatif.benchmarks.cfmm.expansion_replies import INPUT_KEYS, OUTPUT_KEYS, read_questions
from whatif.benchmarks.cfmm.options import right_option, wrong_options
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL, EXPANDED
from whatif.benchmarks.shared.reply_talks import Talk, Writer

Row = Mapping[str, Any]
_NEW_TOKENS = 768  # room for a reply with eleven texts


@dataclass(frozen=True)
class Item:
    """What is known of an item before its expansion."""

    item_id: str
    category: str
    image_ids: tuple[str, ...]
    basic_question: str
    basic_answer: str
    basic_option: str
    counterfactual_question: str
    counterfactual_answer: str

    @property
    def given(self) -> dict[str, str]:
        """The JSON object of the input, with the paper's keys."""
        texts = (
            self.category,
            self.basic_question,
            self.basic_answer,
            self.counterfactual_question,
            self.counterfactual_answer,
        )
        return dict(zip(INPUT_KEYS, texts, strict=True))


def items_of(questions: Iterable[Row]) -> tuple[list[Item], list[str]]:
    """The items that are to be expanded, in order of their ids, and the ids of those that have nothing to expand.

    An item with a question of a variant that the expansion makes is in neither list.
    """
    by_item: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in questions:
        by_item[row["pair_id"]][row["variant"]] = row
    items, lacking = [], []
    for item_id, rows in sorted(by_item.items()):
        if rows.keys() & set(EXPANDED):
            continue
        if BASIC not in rows or COUNTERFACTUAL not in rows:
            lacking.append(item_id)
            continue
        basic, counterfactual = rows[BASIC], rows[COUNTERFACTUAL]
        items.append(
            Item(
                item_id,
                basic["group"],
                tuple(basic["image_ids"]),
                basic["question"],
                right_option(basic),
                wrong_options(basic)[0],
                counterfactual["question"],
                right_option(counterfactual),
            )
        )
    return items, lacking


def new_questions(writer: Writer, prompts: Prompts, items: Iterable[Item]) -> list[Talk[Item]]:
    """Asks for the new questions of each item."""
    talks = [
        Talk(
            item,
            first_request(prompts.by_category[item.category], item.given, item.image_ids),
            OUTPUT_KEYS,
            partial(read_questions, given=item.given),
        )
        for item in items
    ]
    writer.ask(talks, first_attempt=0, unit="item", max_new_tokens=_NEW_TOKENS)
    return talks
