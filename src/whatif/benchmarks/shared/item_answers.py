"""Predictions of one system as answers of the site's items: what it answered, whether that is right, and why."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

from whatif.benchmarks.shared.program_findings import PROGRAM_FINDINGS
from whatif.engine.artifacts.by_key import RowsByKey
from whatif.engine.artifacts.schemas import PREDICTIONS
from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule
from whatif.engine.params.prices import Prices
from whatif.results.reporting.answers import System
from whatif.results.reporting.items import ItemAnswer, ItemProgram, with_reasoning
from whatif.results.reporting.program_categories import RIGHT
from whatif.scoring.judging import Response
from whatif.scoring.ranking_rules import STORED, compared, decided

Row: TypeAlias = Mapping[str, Any]
_Columns: TypeAlias = Mapping[str, list[Any]]
# The columns of `predictions` that items show.
SHOWN_COLUMNS = (
    *("question_id", "model", "strategy", "response", "choice_scores", "answer", "status", "reason", "correct"),
    *("reasoning", "prompt_tokens", "response_tokens", "earlier_turns", "samples", "program"),
)
_SCORES = "choice_scores"  # told as text; the other columns are shown as they are
_PLAIN = tuple(name for name in SHOWN_COLUMNS if name != _SCORES)
_RESPONSE = ("question_id", "model", "strategy")  # what names a response (`whatif.scoring.judging.Response`)
_FOUND = ("question_id", "category")
NOTHING = "(nothing)"  # instead of a turn or sample without text, so that each keeps its number


@dataclass(frozen=True)
class ShownSystem:
    """A system whose answers are shown.

    key: its model and strategy; the strategy is empty where a benchmark has only one. name: its display name, which no
    other system has. prices: of its model's tokens. rule: by which its ranked options are compared.
    """

    key: System
    name: str
    prices: Prices | None = None
    rule: RankingRule = STORED


class SystemReader:
    """Reads the answers of one system to given questions."""

    def __init__(
        self,
        system: ShownSystem,
        predictions: Sequence[Path],
        findings: Sequence[Path] = (),
        *,
        verdicts: Mapping[Response, Row],
        judge: str = "",
    ) -> None:
        """`findings` are files of `program-findings`; `verdicts` are rows of `judged` by the judge named `judge`."""
        self.system = system
        self._predictions = RowsByKey(predictions, PREDICTIONS, SHOWN_COLUMNS)
        self._findings = RowsByKey(findings, PROGRAM_FINDINGS, _FOUND)
        self._verdicts = verdicts
        self._judge = judge

    def answers(self, questions: Mapping[str, Row]) -> dict[str, ItemAnswer]:
        """The answers to those of the questions (by id) that the system was asked, by question.

        They are made column by column, because there are millions. The reason of an answer without the status `ok` is
        the first of the reasons shown; the cost needs prices and both numbers of tokens.
        """
        ids = list(questions)
        piece = self._predictions.of(ids)
        columns: dict[str, list[Any]] = {name: _values(piece[name]) for name in _PLAIN}
        names = columns["question_id"]
        if self.system.rule != STORED:
            columns |= _decided(columns, piece[_SCORES], questions, self.system.rule)
        asked = [questions[name] for name in names]
        given = columns["answer"]
        made = map(
            ItemAnswer,
            itertools.repeat(self.system.name),
            [
                None if answer is None else answer_in_words(row, answer)
                for row, answer in zip(asked, given, strict=True)
            ],
            columns["correct"],
            columns["status"],
            self._why(columns, asked, _ranked(piece[_SCORES], self.system.rule)),
            [*map(with_reasoning, columns["reasoning"], columns["response"])],
            _texts(columns["earlier_turns"]),
            _texts(columns["samples"]),
            self._programs(ids, columns),
            columns["prompt_tokens"],
            columns["response_tokens"],
            self._costs(columns),
        )
        return dict(zip(names, made, strict=True))

    def _why(self, columns: _Columns, asked: Sequence[Row], ranked: Sequence[str]) -> list[str]:
        """Why answers were taken to be what they are: the scores of options, a majority, and the judge."""
        why = [
            _joined(reason, scores if status == "ok" else "")
            for reason, scores, status in zip(columns["reason"], ranked, columns["status"], strict=True)
        ]
        for place, samples in enumerate(columns["samples"]):
            if samples and (answer := columns["answer"][place]) is not None:
                same = sum(one["answer"] == answer for one in samples)
                why[place] = _joined(why[place], f"{same} of {len(samples)} responses give this answer")
        if self._verdicts:
            for place, response in enumerate(zip(*map(columns.__getitem__, _RESPONSE), strict=True)):
                if (verdict := self._verdicts.get(response)) is not None:
                    why[place] = _joined(why[place], self._verdict(verdict, asked[place]))
        return why

    def _programs(self, ids: Sequence[str], columns: _Columns) -> Iterable[ItemProgram | None]:
        if not any(columns["program"]):
            return columns["program"]
        categories = {row["question_id"]: row["category"] for row in self._findings.of(ids).to_pylist()}
        return [
            program_shown(program, "" if (category := categories.get(name, "")) == RIGHT else category)
            for name, program in zip(columns["question_id"], columns["program"], strict=True)
        ]

    def _costs(self, columns: _Columns) -> list[float | None]:
        prices = self.system.prices
        spent = zip(columns["prompt_tokens"], columns["response_tokens"], strict=True)
        return [None if prices is None or None in tokens else prices.cost(*tokens) for tokens in spent]

    def _verdict(self, verdict: Row, question: Row) -> str:
        """What the judge read in the response."""
        if verdict["answer"] is None:
            return f"the judge {self._judge}: {verdict['reason']}"
        words, is_right = answer_in_words(question, verdict["answer"]), verdict["correct"]
        return f"the judge {self._judge} reads the answer {words}, which is {'right' if is_right else 'wrong'}"


def answer_in_words(question: Row, answer: str) -> str:
    """An answer for readers: an option by its words and its letter, another one as it is."""
    choices = question["choices"] or ()
    place = LETTERS.find(answer) if len(answer) == 1 else -1
    if not 0 <= place < len(choices):
        return answer
    words = str(choices[place])
    return words if words.endswith(f" {answer}") else f"{words} ({answer})"  # `Image B` has its letter


def _ranked(column: pa.ChunkedArray, rule: RankingRule) -> list[str]:
    """The rule and what it compares, for readers; empty where nothing was ranked."""
    if column.null_count == len(column):
        return [""] * len(column)
    return [told and f"ranked by {rule}: {told}" for told in compared(column, rule)]


def _decided(
    columns: _Columns, scores: pa.ChunkedArray, questions: Mapping[str, Row], rule: RankingRule
) -> dict[str, list[Any]]:
    """The columns of answers that ranking by `rule` changes."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    scored = [{**row, _SCORES: one} for row, one in zip(rows, scores.to_pylist(), strict=True)]
    again = decided(scored, {name: row["answer"] for name, row in questions.items()}, rule)
    return {name: [row[name] for row in again] for name in ("answer", "status", "reason", "correct")}


def _values(column: pa.ChunkedArray) -> list[Any]:
    return [None] * len(column) if column.null_count == len(column) else column.to_pylist()


def _texts(column: Sequence[Sequence[Row] | None]) -> list[tuple[str, ...]]:
    """The responses of turns or samples."""
    return [tuple(one["response"] or NOTHING for one in several) if several else () for several in column]


def _joined(*parts: str | None) -> str:
    return "; ".join(filter(None, parts))


def program_shown(program: Row | None, category: str = "") -> ItemProgram | None:
    """The program of a prediction, with why it is wrong: a `category`, otherwise how its run failed."""
    if program is None:
        return None
    failed = "" if program["outcome"] == "ok" else program["outcome"]
    told = ": ".join(filter(None, (category or failed, program["reason"])))
    fallback = "a fallback program" if program["fallback"] else ""
    calls = tuple(f"{call['tool']} {call['arguments']}: {call['value']}" for call in program["calls"])
    return ItemProgram(program["code"], "; ".join(filter(None, (told, fallback))), calls)
