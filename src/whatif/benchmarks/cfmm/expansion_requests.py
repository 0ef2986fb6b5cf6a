"""The conversations with the chat model that writes further questions, and its replies as rows (CFMM 3.3, B)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from whatif.benchmarks.cfmm.expansion_prompts import Prompts, first_request, repair_request, with_request
from whatif.benchmarks.cfmm.expansion_replies import INPUT_KEYS, OUTPUT_KEYS, Read, read_questions, schema_of
from whatif.benchmarks.cfmm.options import right_option, wrong_options
from whatif.benchmarks.cfmm.schemas import BASIC, COUNTERFACTUAL, EXPANDED
from whatif.language.messages import Messages
from whatif.models import Answer, Model, note_of
from whatif.progress import progress
from whatif.scoring.asking import Pictures, question_of

Row = Mapping[str, Any]
_NEW_TOKENS = 768  # room for a reply with eleven texts
_AT_LIMIT = "the reply was cut off at the limit of new tokens; write shorter questions"


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


@dataclass
class Talk:
    """A conversation about an item: its last request, the reply, and what is made of it.

    `keys` are those of the JSON object that is asked for, `read` reads a reply. `texts` are those of a reply that can
    be used; without one they are None and `reason` says why. `attempt` is the number of the last request.
    """

    item: Item
    messages: Messages
    keys: tuple[str, ...]
    read: Callable[[str], Read]
    texts: Mapping[str, str] | None = None
    reason: str | None = None
    response: str = ""
    request_key: str | None = None
    is_error: bool = False
    attempt: int = 0


class Writer:
    """Asks the model, and keeps its replies as rows of `replies`.

    In a dry run an empty response stands for one that is not known, so it is not repaired.
    """

    def __init__(self, model: Model, key: str, prompts: Prompts, images: Pictures, *, is_dry: bool = False) -> None:
        self._model = model
        self._key = key
        self._prompts = prompts
        self._images = images
        self._is_dry = is_dry
        self.replies: list[dict[str, Any]] = []

    def new_questions(self, items: Iterable[Item]) -> list[Talk]:
        """Asks for the new questions of each item."""
        talks = [
            Talk(
                item,
                first_request(self._prompts.by_category[item.category], item.given, item.image_ids),
                OUTPUT_KEYS,
                partial(read_questions, given=item.given),
            )
            for item in items
        ]
        self.ask(talks, first_attempt=0, unit="item", max_new_tokens=_NEW_TOKENS)
        return talks

    def ask(self, talks: Sequence[Talk], *, first_attempt: int, unit: str, max_new_tokens: int) -> None:
        """Asks the request of each conversation, and once more where the reply cannot be used."""
        waiting = list(talks)
        for attempt in (first_attempt, first_attempt + 1):
            put = [
                question_of(
                    {"question_id": f"{talk.item.item_id}-{unit}", "group": talk.item.category, "variant": unit},
                    talk.messages,
                    self._images,
                    max_new_tokens=max_new_tokens,
                    json_schema=schema_of(talk.keys),
                )
                for talk in waiting
            ]
            if not put:
                return
            what = self._key if attempt == first_attempt else f"{self._key}, repairs"
            answers = progress(self._model.answer(put), len(put), what, unit, note=note_of(self._model))
            faulty = []
            for talk, answer in zip(waiting, answers, strict=True):
                faults = self._take(talk, answer, attempt)
                if faults and (talk.response.strip() or not self._is_dry):
                    faulty.append((talk, faults))
            waiting = [talk for talk, _ in faulty]
            if attempt == first_attempt:
                for talk, faults in faulty:
                    talk.messages = with_request(talk.messages, talk.response, repair_request(faults))

    def _take(self, talk: Talk, answer: Answer, attempt: int) -> tuple[str, ...]:
        """Reads a reply into its conversation and keeps it as a row; returns the faults that may be repaired."""
        talk.attempt, talk.request_key, talk.response = attempt, answer.request_key, answer.response or ""
        talk.is_error = answer.status == "error"
        read = Read({}, ()) if talk.is_error else talk.read(talk.response)
        faults = read.faults
        if faults and not talk.response.strip() and answer.reason:
            faults = (f"{answer.reason}; write one JSON object",)
        if faults and answer.cut_off:
            faults = (_AT_LIMIT, *faults)
        talk.reason = (answer.reason or "the model gave no reply") if talk.is_error else "; ".join(faults) or None
        talk.texts = None if talk.reason else read.texts
        self.replies.append(
            {
                "item_id": talk.item.item_id,
                "attempt": attempt,
                "model": self._key,
                "prompt": self._prompts.digest,
                "response": answer.response,
                "status": "error" if talk.is_error else "refused" if faults else "ok",
                "reason": talk.reason,
                "request_key": answer.request_key,
                "prompt_tokens": answer.prompt_tokens,
                "response_tokens": answer.response_tokens,
                "finish": answer.finish,
            }
        )
        return faults
