"""The conversations in which a chat model is asked for counterfactual questions: many in a request (C-VQA 3.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from whatif.benchmarks.cvqa_real.schemas import INDIRECT, ORIGINAL, SOURCE_GROUPS
from whatif.benchmarks.cvqa_real.writer_prompts import Example, repair_request
from whatif.benchmarks.cvqa_real.writer_replies import CUT_OFF, Entry, plain, read_reply
from whatif.benchmarks.shared.json_replies import shown
from whatif.benchmarks.shared.reply_talks import ask_and_repair, with_request
from whatif.engine.language.messages import Messages
from whatif.models import Answer, Model, Question

Row = Mapping[str, Any]
_UNIT = "request"
_TOKENS_OF_ENTRY = 192  # new tokens that a request allows for each question, with room for long ones
_TOKENS_AROUND = 64
_MOST_FAULTS = 8  # that a row of the replies names


class Source(NamedTuple):
    """A question that is to be changed."""

    source_id: str
    question: str
    answer: str


class Written(NamedTuple):
    """A counterfactual question of a model, the number of the request that gave it, and the key of its reply."""

    entry: Entry
    attempt: int
    request_key: str | None


@dataclass
class Batch:
    """A conversation about some questions of a group: its messages, and what came of each question.

    `written`, `declined` (by the model, with its reason) and `faults` (why there is nothing that can be used) have the
    source ids as keys. `is_error` says that the last request had no reply.
    """

    batch_id: str
    group: str
    sources: tuple[Source, ...]
    examples: tuple[Example, ...]
    messages: Messages
    written: dict[str, Written] = field(default_factory=dict)
    declined: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    response: str = ""
    is_error: bool = False

    @property
    def waiting(self) -> list[Source]:
        """The questions that the next request is about."""
        return [one for one in self.sources if one.source_id not in self.written | self.declined]


def sources_of(rows: Iterable[Row], group: str) -> list[Source]:
    """The questions that may get a counterfactual of a group, in order of their ids; pairs are already finished."""
    originals, finished = {}, set()
    for row in rows:
        if row["variant"] != ORIGINAL:
            finished.add(row["pair_id"])
        elif row["group"] == SOURCE_GROUPS[group]:
            originals[row["pair_id"]] = Source(row["pair_id"], row["question"], row["answer"])
    return [originals[one] for one in sorted(originals) if one not in finished]


def batches_of(sources: Iterable[Source], size: int) -> list[tuple[Source, ...]]:
    """Divides questions into requests of at most `size`, in order; no two of a request have the same text.

    Each goes into the first request with room for it that lacks its text.
    """
    found: list[list[Source]] = []
    full: dict[int, int] = {}  # a full request -> a later one, which may be full too
    tried: dict[str, int] = defaultdict(int)  # text -> the first request that may lack it
    for source in sources:
        text = plain(source.question)
        place = _with_room(tried[text], full)
        if place == len(found):
            found.append([])
        found[place].append(source)
        tried[text] = place + 1
        if len(found[place]) == size:
            full[place] = place + 1
    return [tuple(batch) for batch in found]


def _with_room(place: int, full: dict[int, int]) -> int:
    """The first request from `place` on that is not full; shortens the way there for the next search."""
    passed = []
    while place in full:
        passed.append(place)
        place = full[place]
    for one in passed:
        full[one] = place
    return place


class QuestionWriter:
    """Asks the model `key` about batches, and keeps its replies as rows of `REPLIES`.

    What cannot be used of a reply is asked for once more in the same conversation. `digest` is that of the prompts. In
    a dry run an empty response stands for one that is not known, so nothing is repaired.
    """

    def __init__(self, model: Model, key: str, digest: str, *, is_dry: bool = False) -> None:
        self._model = model
        self.key = key
        self._digest = digest
        self._is_dry = is_dry
        self.replies: list[dict[str, Any]] = []
        self.ignored = 0  # entries about questions that were not asked

    def ask(self, batches: Sequence[Batch]) -> None:
        """Asks about the questions of each batch."""
        ask_and_repair(self._model, batches, self.key, _UNIT, question=_question, take=self._take, repair=_repair)

    def _take(self, batch: Batch, answer: Answer, attempt: int) -> Sequence[str]:
        """Reads a reply into its batch and keeps it as a row; returns the faults that are to be repaired."""
        asked = {one.source_id: one for one in batch.waiting}
        batch.response, batch.is_error = answer.response or "", answer.status == "error"
        if batch.is_error:
            error, named = answer.reason or "the model gave no reply", [""]
            reason: str | None = error
            # What an earlier reply lacks stays known, for example when the request to repair it failed.
            batch.faults = {one: f"{batch.faults[one]}; {error}" if one in batch.faults else error for one in asked}
        else:
            named = self._read(batch, asked, answer, attempt)
            reason = "; ".join(_first(named)) or None
        self.replies.append(
            {
                "batch_id": batch.batch_id,
                "attempt": attempt,
                "group": batch.group,
                "source_ids": list(asked),
                "model": self.key,
                "prompt": self._digest,
                "examples": [example.seed_id for example in batch.examples],
                "response": answer.response,
                "status": "error" if batch.is_error else "refused" if batch.faults else "ok",
                "reason": reason,
                "request_key": answer.request_key,
                "prompt_tokens": answer.prompt_tokens,
                "response_tokens": answer.response_tokens,
                "finish": answer.finish,
            }
        )
        if batch.is_error or not batch.faults or (self._is_dry and not batch.response.strip()):
            return ()
        return named

    def _read(self, batch: Batch, asked: Mapping[str, Source], answer: Answer, attempt: int) -> list[str]:
        """Takes what can be used; returns what the reply lacks, and what in it was ignored."""
        read = read_reply(
            batch.response,
            {one: (source.question, source.answer) for one, source in asked.items()},
            largest=len(batch.sources),
            may_decline=batch.group == INDIRECT,
            cut_off=answer.cut_off,
        )
        general = read.general
        if general and not batch.response.strip() and answer.reason:
            general = answer.reason
            read.faults = dict.fromkeys(read.faults, general)
        batch.written |= {one: Written(entry, attempt, answer.request_key) for one, entry in read.entries.items()}
        batch.declined |= read.declined
        batch.faults = {one: read.faults[one] for one in asked if one in read.faults}
        self.ignored += read.ignored
        named = [CUT_OFF] if answer.cut_off and batch.faults else []
        each = [f"{shown(asked[one].question)}: {fault}" for one, fault in batch.faults.items()]
        named += [general] if general else each
        if read.ignored:
            what = "entry" if read.ignored == 1 else "entries"
            named.append(f"{read.ignored:,} {what} about questions that were not asked; they were ignored")
        return named


def _question(batch: Batch) -> Question:
    return Question(
        f"{batch.batch_id}-{_UNIT}",
        batch.group,
        _UNIT,
        batch.messages,
        max_new_tokens=_TOKENS_AROUND + _TOKENS_OF_ENTRY * len(batch.waiting),
    )


def _repair(batch: Batch, faults: Sequence[str]) -> None:
    questions = [(one.question, one.answer) for one in batch.waiting]
    batch.messages = with_request(batch.messages, batch.response, repair_request(faults, questions))


def _first(named: Sequence[str]) -> list[str]:
    left = len(named) - _MOST_FAULTS
    return [*named[:_MOST_FAULTS], f"{left:,} more"] if left > 0 else list(named)
