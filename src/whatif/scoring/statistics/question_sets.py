"""Statistics of a set of questions: lengths, right answers and options, compared with another set (C-VQA 3.4)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from whatif.engine.artifacts.variants import PAIR_VARIANTS, are_pairs, variant_order
from whatif.engine.errors import WhatifError
from whatif.engine.language.options import printed_question

Cell: TypeAlias = dict[str, Any]
Summary: TypeAlias = dict[str, dict[str, Cell]]  # group -> variant -> what is counted

ALL = "all"
_WHOLE_NUMBER = re.compile(r"[0-9]+")
_BIN_EDGES = (0, 5, 10, 15, 20, 30, 50)  # for right answers in a comparison; the last bin is open
_NOTHING = "–"


def summary(questions: Iterable[Mapping[str, Any]]) -> Summary:
    """Counts and means of rows of the table `questions`, for each group and variant, and for `all` groups together.

    Each cell has

    - `number`: the number of questions;
    - `mean_words`: mean number of words of the printed question, split on white space. A multiple-choice question is
      printed with its options, "... Select the correct answer:A:16  B:17  C:12  D:13" (`printed_question`), which adds
      7 words. This definition gives the published means 25.33 and 16.00 of C-VQA-Synthetic (C-VQA 3.4);
    - `answers`: right answer -> number of questions; for a multiple-choice question the right option, not its letter;
    - `values`: minimum, median, mean and maximum of the right answers that are whole numbers, null if there are none;
    - `letters`: letter of the right option -> number of questions;
    - `ranks`: rank of the right option when options are ordered by value, 1 the smallest -> number of questions;
    - `odd_options`: how many of the options are odd numbers -> number of questions;
    - `alone_in_parity`: number of questions whose right option is the only odd or the only even one.

    The last four count multiple-choice questions only, and the last three only those whose options are all whole
    numbers. Keys of counts are text, so that the summary is unchanged after a round trip through JSON.

    Raises WhatifError naming the question whose answer is not the letter of one of its options.
    """
    cells: dict[str, dict[str, list[Mapping[str, Any]]]] = {ALL: {}}
    for question in questions:
        for group in (ALL, question["group"]):
            cells.setdefault(group, {}).setdefault(question["variant"], []).append(question)
    return {
        group: {variant: _cell(variants[variant]) for variant in sorted(variants, key=variant_order)}
        for group, variants in sorted(cells.items(), key=lambda cell: (cell[0] != ALL, cell[0]))
    }


def compare_markdown(ours: Summary, released: Summary) -> str:
    """Two summaries side by side, one Markdown table per group: our set and the released one, variant by variant.

    A dash means that a set has no such group or nothing to count. Shares are percentages of the questions that the row
    counts.
    """
    groups = sorted({*ours, *released}, key=lambda group: (group != ALL, group))
    return "\n".join(_group_markdown(group, ours.get(group, {}), released.get(group, {})) for group in groups)


def _cell(questions: list[Mapping[str, Any]]) -> Cell:
    multiple_choice = [question for question in questions if question["choices"] is not None]
    numeric = [(_values(question), _place(question)) for question in multiple_choice if _all_whole_numbers(question)]
    answers = [_right_answer(question) for question in questions]
    values = [int(answer) for answer in answers if _WHOLE_NUMBER.fullmatch(answer)]
    return {
        "number": len(questions),
        "mean_words": float(np.mean([_words(question) for question in questions])),
        "answers": _counts(answers),
        "values": _distribution(values) if values else None,
        "letters": _counts(question["answer"] for question in multiple_choice),
        "ranks": _counts(1 + sorted(options).index(options[right]) for options, right in numeric),
        "odd_options": _counts(sum(option % 2 for option in options) for options, _ in numeric),
        "alone_in_parity": sum(
            sum(option % 2 == options[right] % 2 for option in options) == 1 for options, right in numeric
        ),
    }


def _words(question: Mapping[str, Any]) -> int:
    return len(printed_question(question["question"], question["choices"]).split())


def _place(question: Mapping[str, Any]) -> int:
    """The position of the right option among the options, 0 for A."""
    letters = [chr(ord("A") + place) for place in range(len(question["choices"]))]
    if question["answer"] not in letters:
        raise WhatifError(
            f"question {question['question_id']}: answer is `{question['answer']}`; "
            f"it is the letter of an option: {', '.join(letters)}"
        )
    return letters.index(question["answer"])


def _right_answer(question: Mapping[str, Any]) -> str:
    if question["choices"] is None:
        return str(question["answer"])
    return str(question["choices"][_place(question)])


def _all_whole_numbers(question: Mapping[str, Any]) -> bool:
    return all(_WHOLE_NUMBER.fullmatch(choice) for choice in question["choices"])


def _values(question: Mapping[str, Any]) -> list[int]:
    return [int(choice) for choice in question["choices"]]


def _distribution(values: list[int]) -> dict[str, float]:
    return {
        "minimum": float(min(values)),
        "median": float(np.median(values)),
        "mean": float(np.mean(values)),
        "maximum": float(max(values)),
    }


def _counts(items: Iterable[str | int]) -> dict[str, int]:
    """How often each item comes, in order."""
    return dict(sorted(Counter(str(item) for item in items).items(), key=lambda item: _in_order(item[0])))


def _in_order(text: str) -> tuple[bool, int, str]:
    """Sorts by the number at the beginning of a text, then by its words."""
    number = _WHOLE_NUMBER.match(text)
    return (number is None, int(number[0]) if number else 0, text)


def _group_markdown(group: str, ours: Mapping[str, Cell], released: Mapping[str, Cell]) -> str:
    found = {*ours, *released}
    variants = PAIR_VARIANTS if are_pairs(found) else sorted(found, key=variant_order)
    sides = [cells.get(variant) for variant in variants for cells in (ours, released)]
    headings = [f"{variant}, {whose}" for variant in variants for whose in ("ours", "released")]
    single = [_single_numbers(side) if side else {} for side in sides]
    rows = [
        (name, [side.get(name, _NOTHING) for side in single]) for name in dict.fromkeys(n for s in single for n in s)
    ]
    shares = [_shares(side) if side else {} for side in sides]
    for name in dict.fromkeys(name for side in shares for name in side):
        counts = [side.get(name, {}) for side in shares]
        # A value that one side never has gets a share of 0 there, and still has a row.
        rows += [
            (f"{name} {key} (%)", [_percent(side.get(key, 0), sum(side.values())) for side in counts])
            for key in sorted({key for side in counts for key in side}, key=_in_order)
        ]
    return "\n".join(
        [
            f"### {group}",
            "",
            f"| | {' | '.join(headings)} |",
            f"|---|{'--:|' * len(headings)}",
            *(f"| {name} | {' | '.join(texts)} |" for name, texts in rows),
            "",
        ]
    )


def _single_numbers(cell: Cell) -> dict[str, str]:
    texts = {"questions": f"{cell['number']:,}", "mean words": f"{cell['mean_words']:.2f}"}
    for name, value in (cell["values"] or {}).items():
        texts[f"right answer, {name}"] = f"{value:.2f}"
    if cell["ranks"]:
        texts["right option alone in its parity (%)"] = _percent(cell["alone_in_parity"], sum(cell["ranks"].values()))
    return texts


def _shares(cell: Cell) -> dict[str, dict[str, int]]:
    """The counts that are printed as shares: name -> key -> number of questions."""
    numbers: Counter[str] = Counter()
    words: dict[str, int] = {}
    for answer, number in cell["answers"].items():
        if _WHOLE_NUMBER.fullmatch(answer):
            numbers[_bin_name(int(answer))] += number
        else:
            words[answer] = number
    return {
        "right answer": numbers,
        "right answer in words:": words,
        "right option": cell["letters"],
        "rank of the right option": cell["ranks"],
        "number of odd options": cell["odd_options"],
    }


def _bin_name(value: int) -> str:
    for low, high in pairwise(_BIN_EDGES):
        if low <= value < high:
            return f"{low}–{high - 1}"
    return f"{_BIN_EDGES[-1]} or more"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}" if whole else _NOTHING
