"""Rules by which ranked options are compared, applied to the scores that are stored in `predictions`.

For an option o of n tokens after a conversation with images, log P is the sum over its tokens, in nats:

| rule | the option with the highest |
|---|---|
| `mean` | log P(o given the conversation) / n: the lowest loss per token (CFMM 3.4) |
| `sum` | log P(o given the conversation): the most probable text, which favours options of few tokens |
| `minus-without-image` | log P(o given the conversation) - log P(o given the same conversation without its images) |
| `minus-without-prompt` | log P(o given the conversation) - log P(o given an empty message) |

The last two say how much the images, or the whole conversation, raise the probability of an option. That removes what
the language model prefers anyway, such as small numbers or frequent words, and the effect of an option's length. The
last rule is the normalisation by the unconditional probability of Brown et al. (2020, 2.4), whose condition is the bare
form of an answer; Holtzman et al. (2021) derive it as domain conditional pointwise mutual information. For options of
one token, `mean` and `sum` are the same.

An option of which only an upper bound is known (`at_most`) does not win by `mean` and `sum`, unless that is true of all
options; the other rules cannot compare it. All scores of a question are stored when it is asked, so that aggregation
can apply any rule without asking again. The columns `answer` and `correct` of `predictions` are those of `mean`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.artifacts.schemas import OPTION_SCORE
from whatif.engine.language.options import LETTERS
from whatif.engine.params.model_entries import RankingRule

RULES: tuple[RankingRule, ...] = get_args(RankingRule)
STORED: RankingRule = "mean"  # the rule of `answer` and `correct` in `predictions`

Row = Mapping[str, Any]
Choices: TypeAlias = npt.NDArray[np.int8]
_Numbers: TypeAlias = npt.NDArray[np.float64]
# Of a rule: the field that is compared, and the field that is subtracted from it.
_FIELDS: Mapping[RankingRule, tuple[str, str | None]] = {
    "mean": ("mean", None),
    "sum": ("log_likelihood", None),
    "minus-without-image": ("log_likelihood", "without_image"),
    "minus-without-prompt": ("log_likelihood", "without_prompt"),
}


def choices_by(scores: pa.ChunkedArray, rule: RankingRule) -> Choices:
    """The place of the winning option of each question by `rule`, the first one in case of a tie.

    `scores` is a column `choice_scores`. The place is -1 where nothing was ranked, and where the rule needs a number
    that is not known for every option.
    """
    return np.concatenate([np.zeros(0, np.int8), *(_chosen(chunk, rule) for chunk in scores.chunks)])


def decided(rows: Iterable[Row], answers: Mapping[str, str], rule: RankingRule) -> list[dict[str, Any]]:
    """Rows of `predictions` with `answer` and `correct` by `rule`.

    `answers` are the correct letters by question_id. Only answered questions with ranked options are decided again; one
    whose scores lack what the rule needs becomes an `error`.
    """
    made = [dict(row) for row in rows]
    ranked = [row for row in made if row["choice_scores"] is not None and row["status"] == "ok"]
    column = pa.chunked_array([pa.array([row["choice_scores"] for row in ranked], pa.list_(OPTION_SCORE))])
    for row, place in zip(ranked, choices_by(column, rule).tolist(), strict=True):
        if place < 0:
            row |= {"answer": None, "status": "error", "reason": _unknown(rule), "correct": False}
        else:
            letter = LETTERS[place]
            row |= {"answer": letter, "correct": letter == answers[row["question_id"]]}
    return made


def compared(scores: pa.ChunkedArray, rule: RankingRule) -> list[str]:
    """What `rule` compares, for readers: the value of each option, such as `A 0.123, B at most 0.456`.

    `scores` is a column `choice_scores`. Questions of which nothing was ranked have an empty text; a value that is not
    known is `nan`.
    """
    found: list[str] = []
    for chunk in scores.chunks:
        lengths, options = pc.fill_null(pc.list_value_length(chunk), 0).to_pylist(), chunk.flatten()
        values = _values(options, rule)
        numbers = [float("nan")] * len(options) if values is None else values.tolist()
        bounds = pc.fill_null(pc.struct_field(options, "at_most"), False).to_pylist()
        told = iter(
            [
                f"at most {number:.3f}" if bound else f"{number:.3f}"
                for number, bound in zip(numbers, bounds, strict=True)
            ]
        )
        for length in lengths:
            of_question = zip(LETTERS[:length], told, strict=False)
            found.append(", ".join([f"{letter} {value}" for letter, value in of_question]))
    return found


def _unknown(rule: RankingRule) -> str:
    """Why a rule cannot be applied to a question."""
    fields = " and ".join(f"`{name}`" for name in _FIELDS[rule] if name is not None)
    return f"rule `{rule}` needs {fields} of every option, which is not known"


def _chosen(scores: pa.ListArray, rule: RankingRule) -> Choices:
    lengths = np.asarray(pc.fill_null(pc.list_value_length(scores), 0), dtype=np.int64)
    found = np.full(len(lengths), -1, dtype=np.int8)
    options, rows = scores.flatten(), np.flatnonzero(lengths)
    values = _values(options, rule) if rows.size else None
    if values is None:
        return found
    found[rows] = _highest(values, lengths[rows])
    bounds = np.asarray(pc.fill_null(pc.struct_field(options, "at_most"), False), dtype=np.bool_)
    if bounds.any():
        subtracts = _FIELDS[rule][1] is not None
        known = _highest(np.where(bounds, np.nan if subtracts else -np.inf, values), lengths[rows])
        # Where only bounds are known, the highest of them wins.
        only_bounds = np.minimum.reduceat(bounds, np.append(0, np.cumsum(lengths[rows])[:-1]))
        found[rows] = known if subtracts else np.where(only_bounds, found[rows], known)
    return found


def _values(options: pa.StructArray, rule: RankingRule) -> _Numbers | None:
    """What the rule compares, one number for each option, NaN where it is not known; None if no option has it."""
    compared, subtracted = _FIELDS[rule]
    values = _numbers(options, compared)
    if values is None or subtracted is None:
        return values
    condition = _numbers(options, subtracted)
    return None if condition is None else values - condition


def _numbers(options: pa.StructArray, name: str) -> _Numbers | None:
    column = pc.struct_field(options, name)
    return None if column.null_count == len(column) else column.to_numpy(zero_copy_only=False)


def _highest(values: _Numbers, lengths: npt.NDArray[np.int64]) -> Choices:
    """The place of the highest of each question's values (lengths[i] of question i); -1 where one is NaN."""
    longest = int(lengths.max())
    if int(lengths.min()) == longest:
        table = values.reshape(-1, longest)
    else:
        table = np.full((len(lengths), longest), -np.inf)
        table[np.arange(longest) < lengths[:, None]] = values
    places: Choices = table.argmax(axis=1).astype(np.int8)  # the first of equal values; a NaN counts as the highest
    places[np.isnan(table[np.arange(len(places)), places])] = -1
    return places
