"""What a chat model is asked when it writes further questions about an item, and its system prompts (CFMM 3.3, B)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from whatif.benchmarks.cfmm.expansion_replies import INPUT_KEYS, OUTPUT_KEYS, read_questions
from whatif.benchmarks.cfmm.options import right_option, wrong_options
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL, EXPANDED
from whatif.benchmarks.shared.prompt_files import read_prompt_file
from whatif.benchmarks.shared.reply_talks import Talk, Writer
from whatif.engine.errors import WhatifError
from whatif.engine.language.messages import ImagePart, Message, Messages, user_message
from whatif.formats.cfmm_items import CATEGORIES

Row = Mapping[str, Any]
_NEW_TOKENS = 768  # room for a reply with eleven texts
_FILE = "expansion_prompts.yaml"  # of this package, with the system prompts


@dataclass(frozen=True)
class Prompts:
    """The system prompt of each category, and the SHA-256 of their file in hexadecimal."""

    by_category: Mapping[str, str]
    digest: str


def read_prompts(file: str | None) -> Prompts:
    """The prompts in a YAML file, category -> text; those of this package if `file` is None.

    Raises WhatifError when the file cannot be read, or is no such mapping with a text for each of the six categories.
    """
    values, path, digest = read_prompt_file(__package__, _FILE, file, "generate.cfmm.expansion.prompt_file")
    return Prompts(_checked(values, path), digest)


def _checked(values: Any, path: Path) -> dict[str, str]:
    known = ", ".join(CATEGORIES)
    if not isinstance(values, dict):
        raise WhatifError(f"{path}: must be a mapping from each category ({known}) to its system prompt")
    if unknown := [str(key) for key in values if key not in CATEGORIES]:
        raise WhatifError(f"{path}: {unknown[0]}: is no category; the categories are {known}")
    if lacking := [category for category in CATEGORIES if category not in values]:
        raise WhatifError(f"{path}: has no prompt for {', '.join(lacking)}; it needs {known}")
    for category, text in values.items():
        if not isinstance(text, str) or not text.strip():
            raise WhatifError(f"{path}: {category}: must be a text that is not empty")
    return values


def first_request(system: str, given: Mapping[str, str], image_ids: Sequence[str]) -> Messages:
    """The conversation that asks for new questions; `given` is the JSON object of the input."""
    images = [ImagePart(image_id) for image_id in image_ids]
    return (Message("system", (system.strip(),)), user_message(f"Input:\n{_json(given)}\nOutput:", images))


def options_request(asked: Mapping[str, tuple[str, str]]) -> str:
    """The message that asks for a wrong answer to each of some questions: key of the reply -> question and answer."""
    listed = "\n".join(f"- {key}: {question} (right answer: {answer})" for key, (question, answer) in asked.items())
    shape = _json(dict.fromkeys(asked, "..."))
    return (
        "Now write a wrong answer to each of these questions. It must be clearly wrong, of the same kind as the right "
        "answer, plausible to somebody who ignores the condition, and no longer than three words.\n"
        f"{listed}\nReply with one JSON object and nothing else:\n{shape}"
    )


def _json(values: Mapping[str, str]) -> str:
    return json.dumps(values, indent=2, ensure_ascii=False)


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
