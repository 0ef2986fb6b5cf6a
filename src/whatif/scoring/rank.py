"""Asks multiple-choice questions: a model ranks the options, or names one in its own words (C-VQA 4.2, CFMM 3.4).

The form determines the prompt and the answer:

| form | prompt | answer |
|---|---|---|
| `rank-text` | the question alone | the option with the most probable text |
| `rank-letter` | the question with its lettered options | the most probable letter |
| `words` | the same, and the required form of the answer | the letter or text in the response |
| `open` | the question alone | the text in the response; no letter was shown, so a letter has no meaning |

With the options of a question, a model that can is also asked for their unconditional likelihoods
(`whatif.scoring.unconditional`), so that aggregation can apply any rule (`whatif.scoring.ranking_rules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.errors import WhatifError
from whatif.language.messages import user_message
from whatif.language.options import LETTERS, printed_question
from whatif.language.strategies import DIRECT, prompt
from whatif.models import Answer, Model, OptionScore, note_of
from whatif.params.model_entries import MultipleChoice
from whatif.progress import progress
from whatif.scoring.asking import Pictures, image_parts, prediction, question_of, score_row
from whatif.scoring.extraction.answer import Extracted
from whatif.scoring.majority import as_column
from whatif.scoring.majority import majority as majority_of
from whatif.scoring.said import answer_in
from whatif.scoring.unconditional import Likelihoods, answers_with_unconditional

Row = Mapping[str, Any]


def predictions(
    questions: Iterable[Row],
    images: Pictures,
    model_key: str,
    model: Model,
    *,
    form: MultipleChoice,
    majority: Mapping[tuple[str, str], str] | None = None,
    prompt_form: str | None = None,
    samples: int = 1,
) -> Iterator[dict[str, Any]]:
    """Rows of `predictions`, one for each row of `questions`, in ascending order of question_id.

    An image is fetched from `images` only when the model needs it. `form` determines how the questions are asked (see
    the table above). If options are ranked, all their scores are stored, and the answer is the `best` one. `majority`
    is the result of `majority_answers` for the whole set: give it if `questions` are only a shard of it, or the
    baseline `majority` would depend on the shards; by default the letters of these questions are counted. A response in
    which no option can be identified, or that was cut off before it named one, is `none` or `ambiguous`. A question
    that could not be answered is kept, with its status and reason, and counts as wrong.

    `prompt_form` is the form of the model, if it has one, which words a question that is answered in `words`. Such a
    question, and an `open` one, is asked so many times as there are `samples`, and the majority counts (see
    `whatif.scoring.majority`).

    Raises WhatifError when a question has no choices, or its answer is not one of their letters.
    """
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    letters = majority_answers(rows) if majority is None else majority
    asked = []
    repeated = 1 if form in ("rank-text", "rank-letter") else samples  # nothing is sampled when options are ranked
    numbered = [(row, sample) for row in rows for sample in range(repeated)]
    for row, sample in numbered:
        letters_of = _letters(row)
        asked.append(
            question_of(
                row,
                (user_message(_prompt(row, form, prompt_form), image_parts(row)),),
                images,
                options={"rank-letter": letters_of, "rank-text": tuple(row["choices"])}.get(form, ()),
                majority_answer=letters.get((row["group"], row["variant"])),
                sample=sample,
            )
        )
    given = answers_with_unconditional(model, asked, model_key)
    answers = progress(given, len(asked), model_key, "question", note=note_of(model))
    of_row: list[Answer] = []
    for (row, _), (answer, unconditional) in zip(numbered, answers, strict=True):
        of_row.append(answer)
        if len(of_row) == repeated:
            yield _prediction(row, model_key, of_row, unconditional, form)
            of_row = []


def best(scores: Sequence[OptionScore]) -> int:
    """The place of the option with the highest log-likelihood per token, that is, the lowest mean loss (CFMM 3.4).

    The first one in case of a tie. An option of which only an upper bound is known does not win.
    `whatif.scoring.ranking_rules` has further rules.
    """
    # max returns the first in case of a tie.
    return max(range(len(scores)), key=lambda place: (not scores[place].at_most, scores[place].mean))


def majority_answers(questions: Iterable[Row]) -> dict[tuple[str, str], str]:
    """The most frequent correct answer by (group, variant), a letter if there are options; ties go to the first."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in questions:
        counts.setdefault((row["group"], row["variant"]), Counter())[row["answer"]] += 1
    return {key: min(count, key=lambda letter: (-count[letter], letter)) for key, count in counts.items()}


def _prompt(row: Row, form: MultipleChoice, prompt_form: str | None) -> str:
    if form in ("rank-text", "open"):
        return str(row["question"])
    printed = printed_question(row["question"], row["choices"])
    return printed if form == "rank-letter" else prompt(DIRECT, printed, "choice", prompt_form)


def _letters(row: Row) -> tuple[str, ...]:
    choices = row["choices"]
    if not choices:
        raise WhatifError(f"question {row['question_id']}: has no choices; only multiple-choice questions are ranked")
    if len(choices) > len(LETTERS):
        raise WhatifError(f"question {row['question_id']}: has {len(choices)} choices; there are letters for 26")
    letters = tuple(LETTERS[: len(choices)])
    if row["answer"] not in letters:
        raise WhatifError(
            f"question {row['question_id']}: its answer {row['answer']!r} is not one of {', '.join(letters)}"
        )
    return letters


def _prediction(
    row: Row, model_key: str, answers: Sequence[Answer], unconditional: Sequence[Likelihoods], form: MultipleChoice
) -> dict[str, Any]:
    each = [_found(row, answer, form) for answer in answers]
    _, answer, found = majority_of(answers, each, row)
    more: dict[str, Any] = {}
    if answer.option_scores is not None and unconditional:
        more["choice_scores"] = [
            score_row(score, **of) for score, of in zip(answer.option_scores, unconditional, strict=True)
        ]
    return prediction(row, model_key, DIRECT, answer, found, samples=as_column(answers, each), **more)


def _found(row: Row, answer: Answer, form: MultipleChoice) -> Extracted:
    scores = answer.option_scores
    if scores is not None and answer.status == "ok":
        return Extracted(LETTERS[best(scores)], "ok", None)
    if answer.response is not None and answer.letter is None:
        shown = form in ("rank-letter", "words")
        return answer_in(answer, row if shown else {**row, "answer_kind": "option text"})
    return Extracted(answer.letter, "ok", None)
