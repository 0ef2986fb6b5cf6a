"""Predictions of one system as answers of the site's items: what it answered, whether that is right, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from whatif.scoring.judging import Response, response_of
from whatif.scoring.ranking_rules import STORED, compared, decided

Row: TypeAlias = Mapping[str, Any]
# The columns of `predictions` that items show.
SHOWN_COLUMNS = (
    *("question_id", "model", "strategy", "response", "choice_scores", "answer", "status", "reason", "correct"),
    *("reasoning", "prompt_tokens", "response_tokens", "earlier_turns", "samples", "program"),
)
_SCORES = "choice_scores"  # told as text; the other columns are shown as they are
_PLAIN = tuple(name for name in SHOWN_COLUMNS if name != _SCORES)
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
        """The answers to those of the questions (by id) that the system was asked, by question."""
        ids = list(questions)
        piece = self._predictions.of(ids)
        categories = {row["question_id"]: row["category"] for row in self._findings.of(ids).to_pylist()}
        columns = {name: _values(piece[name]) for name in _PLAIN}
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        rule = self.system.rule
        if rule != STORED:
            scored = zip(rows, piece[_SCORES].to_pylist(), strict=True)
            answers = {question_id: row["answer"] for question_id, row in questions.items()}
            rows = decided([{**row, _SCORES: scores} for row, scores in scored], answers, rule)
        ranked = _ranked(piece[_SCORES], rule)
        return {
            name: self._answer(row, questions[name], scores, categories.get(name, ""))
            for name, row, scores in zip(columns["question_id"], rows, ranked, strict=True)
        }

    def _answer(self, row: Row, question: Row, ranked: str, category: str) -> ItemAnswer:
        answer = None if row["answer"] is None else answer_in_words(question, row["answer"])
        return item_answer(
            self.system.name,
            row,
            answer,
            why=self._why(row, question, ranked),
            prices=self.system.prices,
            program_category="" if category == RIGHT else category,
        )

    def _why(self, row: Row, question: Row, ranked: str) -> str:
        """Why an answer was taken to be what it is: the scores of options, a majority, and the judge."""
        parts = [ranked if row["status"] == "ok" else ""]
        if row["samples"] and row["answer"] is not None:
            same = sum(one["answer"] == row["answer"] for one in row["samples"])
            parts.append(f"{same} of {len(row['samples'])} responses give this answer")
        if self._verdicts and (verdict := self._verdicts.get(response_of(row))) is not None:
            parts.append(self._verdict(verdict, question))
        return "; ".join(filter(None, parts))

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
    return [
        ""
        if values is None
        else f"ranked by {rule}: "
        + ", ".join(
            f"{letter} {'at most ' if bound else ''}{value:.3f}"
            for letter, (value, bound) in zip(LETTERS, values, strict=False)
        )
        for values in compared(column, rule)
    ]


def _values(column: pa.ChunkedArray) -> list[Any]:
    return [None] * len(column) if column.null_count == len(column) else column.to_pylist()


def item_answer(
    system: str,
    prediction: Row,
    answer: str | None,
    *,
    why: str = "",
    prices: Prices | None = None,
    program_category: str = "",
) -> ItemAnswer:
    """What a system answered. `prediction` has SHOWN_COLUMNS; `answer` is its answer as shown, None without one.

    The reason of an answer without the status `ok` comes before `why`. The cost needs `prices` and both numbers of
    tokens.
    """
    prompt, response = prediction["prompt_tokens"], prediction["response_tokens"]
    known = prices is not None and prompt is not None and response is not None
    return ItemAnswer(
        system,
        answer,
        prediction["correct"],
        prediction["status"],
        "; ".join(filter(None, (prediction["reason"], why))),
        with_reasoning(prediction["reasoning"], prediction["response"]),
        tuple(turn["response"] or NOTHING for turn in prediction["earlier_turns"] or ()),
        tuple(sample["response"] or NOTHING for sample in prediction["samples"] or ()),
        program_shown(prediction["program"], program_category),
        prompt,
        response,
        prices.cost(prompt, response) if known and prices is not None else None,
    )


def program_shown(program: Row | None, category: str = "") -> ItemProgram | None:
    """The program of a prediction, with why it is wrong: a `category`, otherwise how its run failed."""
    if program is None:
        return None
    failed = "" if program["outcome"] == "ok" else program["outcome"]
    told = ": ".join(filter(None, (category or failed, program["reason"])))
    fallback = "a fallback program" if program["fallback"] else ""
    calls = tuple(f"{call['tool']} {call['arguments']}: {call['value']}" for call in program["calls"])
    return ItemProgram(program["code"], "; ".join(filter(None, (told, fallback))), calls)
