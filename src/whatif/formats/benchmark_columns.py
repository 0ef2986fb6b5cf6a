"""Recognises by their names what the columns of anybody's benchmark hold: question, options, answer, picture, pair."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.formats.table_records import shown_names

Row = Mapping[str, Any]

# Names in lower case with `_` between words; the first that a table has is taken.
_QUESTION = ("question", "query", "question_text", "prompt", "input", "problem", "instruction", "text")
_ANSWER = (
    *("answer", "correct_answer", "answer_key", "answerkey", "correct_option", "correct_choice", "ground_truth"),
    *("label", "target", "gold", "answer_index", "answer_idx", "correct_index", "correct", "gt", "gt_answer"),
    *("correct_choice_idx", "correct_answer_idx", "correct_idx", "multiple_choice_answer", "answers"),
)
_OPTIONS = ("choices", "options", "option_list", "candidates", "answer_choices", "multiple_choices", "endings")
_PICTURE = (
    *("image_id", "image_ids", "img_path", "image_path", "image_file", "image_name", "image", "images", "img"),
    *("img_id", "picture", "picture_id", "picture_path", "file_name", "filename", "image_url", "coco_id", "data_id"),
    *("image_1", "image_0", "image1"),  # the first of several
)
_PAIR = ("pair_id", "pair", "twin_id", "question_pair")
_GROUP = ("group", "category", "type", "question_type", "subject", "task")
_VARIANT = ("variant", "version", "condition")
_ID = ("question_id", "id", "index", "qid", "uid", "item_id", "sample_id", "doc_id")
_COUNTERFACTUAL = ("new", "counterfactual", "cf", "edited", "perturbed", "twin")
_LETTERED = re.compile(r"(?:option|choice|opt|ending|answer)?_?([a-z])")
_NUMBERED = re.compile(r"(?:option|choice|opt|ending)_?(\d{1,2})")
_CAPTIONS = (
    *(("caption_0", "caption_1"), ("caption0", "caption1"), ("original_caption", "counterfactual_caption")),
    *(("caption", "counterfactual_caption"), ("caption", "caption_cf"), ("caption", "negative_caption")),
    ("true_caption", "false_caption"),
)


@dataclass(frozen=True)
class Columns:
    """The columns of a benchmark, by what they hold; empty where it has none.

    `questions` and `answers` have one name, or two if a row holds an original question and its counterfactual.
    `options` has one list of names for each question: one column with a list, or one column for each option; an empty
    list means that the options are in the question's text, or that there are none. `captions` are the original and the
    counterfactual caption; then there is no question.
    """

    questions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    options: tuple[tuple[str, ...], ...] = ()
    captions: tuple[str, ...] = ()
    picture: str = ""
    pair: str = ""
    group: str = ""
    variant: str = ""
    item: str = ""


@dataclass(frozen=True)
class Named:
    """Columns that the user names; those that are not named are recognised. `options` are one list, or one a question.

    `NONE` as a name means that the table has no such column.
    """

    questions: Sequence[str] = ()
    answers: Sequence[str] = ()
    options: Sequence[str] = ()
    captions: Sequence[str] = ()
    picture: str = ""
    pair: str = ""
    group: str = ""
    variant: str = ""
    item: str = ""


NONE = "-"
_PLURAL = {"question": "questions", "answer": "answers", "options": "options", "captions": "captions"}


def named_columns(names: Mapping[str, str | Sequence[str]]) -> Named:
    """`Named` of names by what they hold (`question`, `options`, `picture`, ...), each one name or several.

    Raises WhatifError for something else.
    """
    known = {*_PLURAL, *(one.name for one in fields(Named) if isinstance(one.default, str))}
    made: dict[str, Any] = {}
    for what, value in names.items():
        if what not in known:
            raise WhatifError(
                f"{what}: is nothing that a column can be named for; known are {', '.join(sorted(known))}"
            )
        if what in _PLURAL:
            made[_PLURAL[what]] = (value,) if isinstance(value, str) else tuple(value)
        else:
            made[what] = value
    return Named(**made)


def recognised(path: object, columns: Sequence[str], rows: Sequence[Row], named: Named) -> Columns:
    """What the columns hold, by what is named and otherwise by their names.

    Raises WhatifError when a named column does not exist, and when no question and answer, or pair of captions, can be
    recognised; the message lists the columns.
    """
    _check_named(path, columns, named)
    plain = {_plain(name): name for name in reversed(list(columns))}
    common: dict[str, Any] = {
        what: _single(getattr(named, what), names, plain)
        for what, names in (
            ("picture", _PICTURE),
            ("pair", _PAIR),
            ("group", _GROUP),
            ("variant", _VARIANT),
            ("item", _ID),
        )
    }
    if common["variant"] and not named.variant and not _few(rows, common["variant"]):
        common["variant"] = ""
    if common["group"] and not named.group and not _few(rows, common["group"], most=100):
        common["group"] = ""
    questions = tuple(named.questions) or _questions(plain)
    answers = tuple(named.answers) or _answers(plain, questions)
    captions = tuple(named.captions) or (() if questions and answers else _captions(plain))
    if captions:
        return Columns(captions=captions, **common)
    if not questions or not answers:
        lost = "a question" if not questions else "an answer"
        option = "--question" if not questions else "--answer"
        raise WhatifError(
            f"{path}: no column is recognised as {lost}; name it with {option} (or two captions with --pairs A,B); "
            f"the columns are {shown_names(columns)}"
        )
    if len(answers) != len(questions):
        raise WhatifError(
            f"{path}: {len(questions)} columns of questions ({', '.join(questions)}) and {len(answers)} of answers "
            f"({', '.join(answers)}); give --answer once for each --question"
        )
    options = _options(path, columns, plain, questions, named)
    return Columns(questions, answers, options, **common)


def described(columns: Columns) -> str:
    """One line that says what was taken as what."""
    parts = []
    if columns.captions:
        parts.append(f"captions `{columns.captions[0]}` (original) and `{columns.captions[1]}` (counterfactual)")
    for number, question in enumerate(columns.questions):
        options = columns.options[number]
        where = f"options `{', '.join(options)}`" if options else ""
        parts.append(", ".join(filter(None, [f"question `{question}`", where, f"answer `{columns.answers[number]}`"])))
    for what, name in (
        ("picture", columns.picture),
        ("pair", columns.pair),
        ("group", columns.group),
        ("variant", columns.variant),
        ("id", columns.item),
    ):
        parts += [f"{what} `{name}`"] if name else []
    return "; ".join(parts)


def _check_named(path: object, columns: Sequence[str], named: Named) -> None:
    known = set(columns)
    for one in fields(named):
        value = getattr(named, one.name)
        names = [value] if isinstance(value, str) else list(value)
        if one.name == "options":
            names = [name for each in names for name in each.split(",")]
        for name in names:
            if name and name != NONE and name not in known:
                raise WhatifError(f"{path}: has no column `{name}`; the columns are {shown_names(columns)}")


def _plain(name: str) -> str:
    """A name in lower case, with `_` between its words."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.strip())
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def _single(named: str, names: Sequence[str], plain: Mapping[str, str]) -> str:
    if named:
        return "" if named == NONE else named
    return next((plain[name] for name in names if name in plain), "")


def _few(rows: Sequence[Row], name: str, most: int = 12) -> bool:
    """Whether a column has few different values, as one that divides rows does."""
    return len({str(row.get(name)) for row in rows}) <= min(most, max(1, len(rows) // 2))


def _counterfactual_names(base: str) -> Iterator[str]:
    for word in _COUNTERFACTUAL:
        yield f"{word}_{base}"
        yield f"{base}_{word}"


def _questions(plain: Mapping[str, str]) -> tuple[str, ...]:
    for base in _QUESTION:
        first = next((name for name in (base, f"original_{base}", f"{base}_original") if name in plain), None)
        if first is None:
            continue
        second = next((name for name in _counterfactual_names(base) if name in plain), None)
        return (plain[first],) if second is None else (plain[first], plain[second])
    return ()


def _answers(plain: Mapping[str, str], questions: Sequence[str]) -> tuple[str, ...]:
    for base in _ANSWER:
        first = next((name for name in (base, f"original_{base}", f"{base}_original") if name in plain), None)
        if first is None or plain[first] in questions:
            continue
        if len(questions) < 2:
            return (plain[first],)
        second = next((name for name in _counterfactual_names(base) if name in plain), None)
        if second is not None:
            return plain[first], plain[second]
    return ()


def _captions(plain: Mapping[str, str]) -> tuple[str, ...]:
    return next(((plain[one], plain[two]) for one, two in _CAPTIONS if one in plain and two in plain), ())


def _options(
    path: object, columns: Sequence[str], plain: Mapping[str, str], questions: Sequence[str], named: Named
) -> tuple[tuple[str, ...], ...]:
    if named.options:
        given = [() if one == NONE else tuple(one.split(",")) for one in named.options]
        if len(given) not in (1, len(questions)):
            raise WhatifError(
                f"{path}: {len(given)} lists of options for {len(questions)} questions; give --options once, or once "
                "for each question"
            )
        return tuple(given) if len(given) == len(questions) else tuple(given * len(questions))
    base = next((name for name in _OPTIONS if name in plain), None)
    if base is not None:
        own = (plain[base],)
        second = next(((plain[name],) for name in _counterfactual_names(base) if name in plain), own)
        return (own, second)[: len(questions)]
    series = _series(columns, {*questions})
    return (series,) * len(questions)


def _series(columns: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Columns A, B, C, ..., or option_1, option_2, ...: at least two from the first on without a gap."""
    for pattern, names in ((_LETTERED, "abcdefghijklmnopqrstuvwxyz"), (_NUMBERED, "")):
        found = {
            match[1]: name
            for name in columns
            if name not in taken and (match := pattern.fullmatch(_plain(name))) is not None
        }
        keys = list(names) if names else [str(number) for number in range("0" not in found, 27)]
        series = []
        for key in keys:
            if key not in found:
                break
            series.append(found[key])
        if len(series) > 1:
            return tuple(series)
    return ()
