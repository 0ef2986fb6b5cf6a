"""The format of a chat model's reply with new questions, and what is wrong with a reply (CFMM B)."""

from __future__ import annotations

from collections.abc import Mapping

from whatif.benchmarks.cfmm.schemas import EXPANDED
from whatif.benchmarks.shared.json_replies import Read, read_object, shown
from whatif.engine.language.if_clauses import if_clause
from whatif.engine.language.wording import one_line, plain, same

CATEGORY, BASIC_QUESTION, BASIC_ANSWER = "category", "basic question", "basic answer"
QUESTION, ANSWER, OPTION = "counterfactual question", "counterfactual answer", "wrong answer"
INPUT_KEYS = (CATEGORY, BASIC_QUESTION, BASIC_ANSWER, QUESTION, ANSWER)
PLACES = tuple(range(1, len(EXPANDED) + 1))
OUTPUT_KEYS = (*INPUT_KEYS, *(f"{key}{place}" for place in PLACES for key in (QUESTION, ANSWER)))
_LONGEST_OPTION = 3  # words


def read_questions(response: str, given: Mapping[str, str]) -> Read:
    """Reads a reply to the input `given`, and checks that

    - it is one JSON object with the paper's keys and texts that are not empty; a code fence or text around it is
      allowed;
    - the category, the basic question and its answer are those that were given, but for spaces;
    - the three questions differ from each other and from the given ones, and each has an if clause.
    """
    read = read_object(response, OUTPUT_KEYS)
    if read.faults:
        return read
    faults = [
        f'"{key}" must be repeated unchanged: {shown(given[key])}, not {shown(read.texts[key])}'
        for key in (CATEGORY, BASIC_QUESTION, BASIC_ANSWER)
        if one_line(read.texts[key]) != one_line(given[key])
    ]
    asked = {plain(given[key]): f'"{key}"' for key in (BASIC_QUESTION, QUESTION)}
    for place in PLACES:
        key = f"{QUESTION}{place}"
        question = read.texts[key]
        if (earlier := asked.setdefault(plain(question), f'"{key}"')) != f'"{key}"':
            faults.append(f'"{key}" asks the same as {earlier}; ask another question')
        elif if_clause(question) is None:
            faults.append(f'"{key}" has no if clause; state a condition: {shown(question)}')
    return Read(read.texts, tuple(faults))


def read_options(response: str, asked: Mapping[str, tuple[str, str]]) -> Read:
    """Reads a reply with a wrong answer for each key of `asked`, whose values are question and right answer.

    A wrong answer has at most three words and is not the right one.
    """
    read = read_object(response, tuple(asked))
    if read.faults:
        return read
    faults = []
    for key, (_, answer) in asked.items():
        text = read.texts[key]
        if same(text, answer):
            faults.append(f'"{key}" is the right answer: {shown(text)}; write a wrong one')
        elif len(text.split()) > _LONGEST_OPTION:
            faults.append(f'"{key}" has {len(text.split()):,} words; use at most {_LONGEST_OPTION}: {shown(text)}')
    return Read(read.texts, tuple(faults))
