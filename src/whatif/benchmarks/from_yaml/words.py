"""Candidates: every pair of questions that a template can ask about a row, or a random choice of them.

The blanks of a template are filled with words of the row, or with words that the template lists.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from whatif.benchmarks.from_yaml.evaluation import evaluate
from whatif.benchmarks.from_yaml.expressions import ExpressionError, written
from whatif.benchmarks.from_yaml.settings import LONGEST_QUESTION, Template
from whatif.engine.random_streams import stream

MOST_COMBINATIONS = 20_000  # of the words of all blanks, for one row
_NAMED = re.compile(r"\{(\w+)\}")
Blanks = Mapping[str, Any]
FAILED = "an expression fails"  # the reason of a rejection
Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A pair of questions about a row, with its right answers as texts."""

    original: str
    counterfactual: str
    presupposition: str
    answer_original: str
    answer_counterfactual: str
    kind: str


def combinations(template: Template, attributes: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every choice of words for the blanks, in order; the words of a blank may depend on those of earlier ones.

    Raises ExpressionError, naming the blank, when an expression has no value or no list as its value, or when there are
    more than MOST_COMBINATIONS.
    """
    found: list[dict[str, Any]] = [{}]
    for name, words in template.blanks.items():
        found = list(
            itertools.islice(
                ({**before, name: word} for before in found for word in _words(name, words, {**attributes, **before})),
                MOST_COMBINATIONS + 1,
            )
        )
        if len(found) > MOST_COMBINATIONS:
            raise ExpressionError(f"blanks: there are more than {MOST_COMBINATIONS:,} combinations; use fewer words")
    yield from found


def is_asked(template: Template, attributes: Mapping[str, Any], blanks: Blanks) -> bool:
    """Whether a row with these words satisfies `where`. Raises ExpressionError."""
    try:
        return bool(evaluate(template.where, {**attributes, **blanks}))
    except ExpressionError as error:
        raise ExpressionError(f"where: {error}") from None


def asked(template: Template, attributes: Mapping[str, Any], blanks: Blanks) -> Asked:
    """The pair of questions about a row with these words. Raises ExpressionError, naming the key, if it has none."""
    names = {**attributes, **blanks}
    values: dict[str, str] = {}
    for keys, expression in template.expressions().items():
        if keys != ("where",):
            try:
                values[keys[-1]] = written(evaluate(expression, names))
            except ExpressionError as error:
                raise ExpressionError(f"{'.'.join(keys)}: {error}") from None
    presupposition = _filled("if", template.presupposition, names)
    places = {"if": presupposition, "If": presupposition[:1].upper() + presupposition[1:]}
    return Asked(
        _filled("original", template.original, names),
        _filled("counterfactual", template.counterfactual, {**names, **places}),
        presupposition,
        values["original"],
        values["counterfactual"],
        values.get("kind", ""),
    )


def as_json(blanks: Blanks) -> str:
    """The words of the blanks as they are stored."""
    return json.dumps(blanks, sort_keys=True, ensure_ascii=False)


def _words(name: str, words: str | Sequence[Any], names: Mapping[str, Any]) -> Sequence[Any]:
    if not isinstance(words, str):
        return words
    try:
        found = evaluate(words, names)
        if not isinstance(found, list):
            raise ExpressionError(f"is {found!r:.40}; it must be a list, such as values(objects, colour)")
        for word in found:
            written(word)
    except ExpressionError as error:
        raise ExpressionError(f"blanks.{name}: {error}") from None
    return found


def _filled(key: str, text: str, names: Mapping[str, Any]) -> str:
    def word(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            raise ExpressionError(f"{key}: {{{name}}} is neither a blank nor an attribute of the row")
        try:
            return written(names[name])
        except ExpressionError as error:
            raise ExpressionError(f"{key}: {{{name}}} {error}") from None

    filled = " ".join(_NAMED.sub(word, text).split())
    if len(filled) > LONGEST_QUESTION:
        raise ExpressionError(f"{key}: has {len(filled):,} characters; the most are {LONGEST_QUESTION:,}")
    return filled


def candidates(
    name: str, template: Template, row: Mapping[str, Any], attributes: Mapping[str, Any], *, most: int, seed: int
) -> Iterator[Row]:
    """At most `most` rows of `question-candidates` of one template about one row of `attribute-rows`.

    The words of the blanks are drawn at random, without looking at the answers: whether a question is asked about a row
    must not depend on its answer, or the options would tell something about it.

    Raises ExpressionError, naming the key and the words, when an expression has no value.
    """
    every = list(combinations(template, attributes))
    order = stream(seed, "candidates", name, row["row_id"]).permutation(len(every)).tolist()
    found = 0
    for place in order:
        blanks = every[place]
        try:
            if not is_asked(template, attributes, blanks):
                continue
            pair = asked(template, attributes, blanks)
        except ExpressionError as error:
            words = ", ".join(f"{blank} = {word!r}" for blank, word in blanks.items())
            raise ExpressionError(f"{error}{f' (with {words})' if words else ''}") from None
        fields = asdict(pair)
        yield {
            "template": name,
            "row_id": row["row_id"],
            "blanks": as_json(blanks),
            "image_ids": row["image_ids"],
            **fields,
        }
        found += 1
        if found == most:
            return
