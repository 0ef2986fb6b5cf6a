"""Reads a chat model's reply with counterfactual questions, entry by entry, and says what is wrong with it (C-VQA B).

An entry is used only if all of its six lines are there, once and in order, and belong to a question that was asked.
Nothing is guessed or taken in part. What surrounds a label (a list mark, bold type), the line between two entries and
an introduction decide nothing, so they are no reason to refuse an entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from whatif.benchmarks.cvqa_real.writer_prompts import CANNOT, LABELS
from whatif.benchmarks.shared.json_replies import shown
from whatif.engine.language.reasoning import CUT_OFF as REASONING_CUT_OFF
from whatif.engine.language.reasoning import split_reasoning

NOT_THERE = "is not in the reply"
CUT_OFF = "the reply was cut off at the limit of new tokens"
_MOST = 2  # entries for each question that was asked; a reply with more is refused as a whole
_QUESTION, _ANSWER, _, _, _NEW_QUESTION, _NEW_ANSWER = LABELS
_SPACED = "|".join(re.sub(r" |(?=[12])", r"\\s*", label) for label in (*LABELS, CANNOT))  # `Step 1` as well
_MARK = r"(?:(?:[-+*•]|\d{1,3}[.)]|#{1,6})\s+)?"  # of a list or a heading
_LABEL = re.compile(
    rf"\s*{_MARK}(?P<bold>\*\*|__)?(?P<label>{_SPACED})(?P<before>\*\*|__)?\s*[:\uff1a]"  # a full-width colon as well
    r"\s*(?P<after>\*\*|__)?(?P<value>.*)",
    re.IGNORECASE,
)
_NAMES = {label.casefold().replace(" ", ""): label for label in (*LABELS, CANNOT)}
_SEPARATES = re.compile(r"\s*[-–—_*=]{3,}\s*")
_MARKDOWN = re.compile(r"\*\*|`")
_QUOTATION_MARKS = str.maketrans("‘’“”", "''\"\"")
_YES_OR_NO = ("yes", "no")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_IF = re.compile(r"\bif\b", re.IGNORECASE)
_FINAL = ".?!"
_NO_TEXT = ("Cc", "Cs")  # Unicode categories of control characters, and of halves of a character
_ALL_LINES = f"write all of the lines {', '.join(LABELS)}"


class Entry(NamedTuple):
    """An entry of a reply that can be used."""

    step1: str
    step2: str
    question: str  # the counterfactual one
    answer: str


@dataclass
class ReadReply:
    """What a reply says about the questions that were asked, each in exactly one of the first three.

    `entries` can be used; `declined` were refused by the model, with its reason; `faults` say why the others cannot be
    used. `ignored` counts entries about questions that were not asked. `general` says what is wrong with the whole.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    declined: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    ignored: int = 0
    general: str | None = None


@dataclass(frozen=True)
class _Block:
    """The lines between two separators: labelled ones in order, and the first other one."""

    lines: tuple[tuple[str, str], ...]
    other: str | None
    is_cut_off: bool

    def values(self, label: str) -> list[str]:
        return [value for name, value in self.lines if name == label]


def plain(text: str) -> str:
    """A question or answer as it is compared: without regard to case, spaces, final punctuation and curly quotes."""
    straight = unicodedata.normalize("NFC", text).translate(_QUOTATION_MARKS)
    return " ".join(straight.casefold().split()).rstrip(f"{_FINAL} ")


def read_reply(
    response: str,
    asked: Mapping[str, tuple[str, str]],
    *,
    largest: int,
    may_decline: bool = False,
    cut_off: bool = False,
) -> ReadReply:
    """Reads a reply to the questions `asked`: id -> question and answer, no two questions the same by `plain`.

    `largest` is the number of questions of the conversation, which may exceed those of a request to repair it.
    `cut_off` says that the reply ended at the limit of new tokens: then its last entry is not used, even if all of its
    lines are there, unless a separator follows.
    """
    _, response, in_reasoning = split_reasoning(response)  # drafts are no entries
    blocks = list(_blocks(response, cut_off))
    if (
        whole := REASONING_CUT_OFF
        if in_reasoning
        else _whole_fault(response, [block for block in blocks if block.lines], largest)
    ):
        return ReadReply(faults=dict.fromkeys(asked, whole), general=whole)
    found, by_text = ReadReply(), {plain(question): one for one, (question, _) in asked.items()}
    seen: set[str] = set()
    for block in blocks:
        texts = dict.fromkeys(plain(value) for value in block.values(_QUESTION))
        named = [by_text[text] for text in texts if text in by_text]
        if not named:
            found.ignored += bool(block.lines)
        for one in named:
            if one in seen:
                found.entries.pop(one, None)
                found.declined.pop(one, None)
                found.faults[one] = "has more than one entry in the reply; write one"
            else:
                seen.add(one)
                _take(found, one, block, asked[one][1], may_decline)
    for one in asked:
        if one not in seen:
            found.faults[one] = f"{NOT_THERE}; repeat the question word for word"
    return found


def _blocks(response: str, cut_off: bool) -> Iterator[_Block]:
    """The lines between two separators, or from one original question to the next."""
    lines: list[str] = []
    has_question = False
    for line in response.splitlines():
        is_question = (found := _labelled(line)) is not None and found[0] == _QUESTION
        if _SEPARATES.fullmatch(line) or (is_question and has_question):
            yield _block(lines, False)
            lines, has_question = [], False
        if line.strip() and not _SEPARATES.fullmatch(line):
            lines.append(line)
            has_question |= is_question
    if lines:
        yield _block(lines, cut_off)


def _block(lines: list[str], is_cut_off: bool) -> _Block:
    labelled, other = [], None
    for line in lines:
        if (found := _labelled(line)) is not None:
            labelled.append(found)
        elif other is None and labelled:  # what precedes the first label is an introduction
            other = " ".join(line.split())
    return _Block(tuple(labelled), other, is_cut_off)


def _labelled(line: str) -> tuple[str, str] | None:
    """The label and the value of a line, without the Markdown around the label; None for another line."""
    match = _LABEL.fullmatch(line)
    if match is None:
        return None
    value = " ".join(f"{match['after'] or ''}{match['value']}".split())
    if bold := match["bold"]:
        if match["before"] is None:  # `**Label:** value`, or `**Label: value**`
            value = value.removeprefix(bold).strip() if match["after"] else value.removesuffix(bold).strip()
    elif match["before"]:
        return None
    return _NAMES["".join(match["label"].casefold().split())], value


def _whole_fault(response: str, entries: list[_Block], largest: int) -> str | None:
    """Why a reply cannot be used at all."""
    if not response.strip():
        return "the reply is empty"
    if _FENCE.search(response):
        return "the reply has a code fence; write the lines of the entries alone"
    if not any(block.values(_QUESTION) for block in entries):
        return f"the reply has no entry; an entry begins with `{_QUESTION}:` and has the lines {', '.join(LABELS)}"
    if len(entries) > _MOST * largest:
        what = "question" if largest == 1 else "questions"
        return f"the reply has {len(entries):,} entries for {largest:,} {what}; write one for each"
    return None


def _take(found: ReadReply, one: str, block: _Block, answer: str, may_decline: bool) -> None:
    """Puts an entry among those that can be used, that the model declined, or that have a fault."""
    labels = tuple(name for name, _ in block.lines)
    declines = may_decline and labels == (_QUESTION, _ANSWER, CANNOT)
    # The first fault says enough. The content is looked at only if the form is right.
    fault = next(_form_faults(block, labels, declines), None) or next(_content_faults(block, answer, declines), None)
    if fault is not None:
        found.faults[one] = fault
    elif declines:
        found.declined[one] = block.values(CANNOT)[0]
    else:
        _, _, step1, step2, question, reply = (value for _, value in block.lines)
        found.entries[one] = Entry(step1, step2, question, _bare(reply))


def _form_faults(block: _Block, labels: tuple[str, ...], declines: bool) -> Iterator[str]:
    if block.is_cut_off:
        yield f"{CUT_OFF} in its entry, or right after it; write shorter steps"
    if block.other is not None:
        yield f"its entry has a line without a label, {shown(block.other)}; write six lines, each with its label"
    if not declines:
        yield from _label_faults(labels)
    for label, value in block.lines:
        if not value:
            yield f"the line `{label}` of its entry is empty; write a text"
        if any(unicodedata.category(character) in _NO_TEXT for character in value):
            yield f"the line `{label}` of its entry has a control character or half of a character"
        if label in (_NEW_QUESTION, _NEW_ANSWER) and _MARKDOWN.search(value):
            yield f"the line `{label}` of its entry has Markdown, {shown(value)}; write plain text"


def _label_faults(labels: tuple[str, ...]) -> Iterator[str]:
    if CANNOT in labels:
        yield f"its entry has a line `{CANNOT}`; {_ALL_LINES}"
    for label in LABELS:
        if label not in labels:
            yield f"its entry has no line `{label}`; {_ALL_LINES}"
        elif labels.count(label) > 1:
            yield f"its entry has the line `{label}` {labels.count(label):,} times; write it once"
    if labels != LABELS:
        yield f"the lines of its entry are in another order; write {', '.join(LABELS)}"


def _content_faults(block: _Block, answer: str, declines: bool) -> Iterator[str]:
    """Faults of an entry that has all of its lines."""
    if plain(given := block.values(_ANSWER)[0]) != plain(answer):
        yield f"the original answer must be repeated unchanged: {shown(answer)}, not {shown(given)}"
    if declines:
        return
    question = block.values(_NEW_QUESTION)[0]
    if not question.endswith("?"):
        yield f"the new question has no question mark at its end: {shown(question)}"
    if not _IF.search(question):
        yield f"the new question has no if clause: {shown(question)}"
    reply = _bare(block.values(_NEW_ANSWER)[0])
    if plain(answer) in _YES_OR_NO and reply not in _YES_OR_NO:
        yield f"the new answer must be yes or no, not {shown(reply)}"
    if plain(answer) not in _YES_OR_NO and not _NUMBER.fullmatch(reply):
        yield f"the new answer must be one whole number in figures, not below 0, not {shown(reply)}"


def _bare(answer: str) -> str:
    """An answer without a full stop at its end; `Yes` and `No` in lower case."""
    text = answer.removesuffix(".").rstrip()
    return text.lower() if text.lower() in _YES_OR_NO else text
