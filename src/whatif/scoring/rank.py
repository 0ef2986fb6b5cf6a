"""Asks multiple-choice questions: a model ranks the options, or names one in its own words (C-VQA 4.2, CFMM 3.4).

The form determines the prompt and the answer:

| form | prompt | answer |
|---|---|---|
| `rank-text` | the question alone | the option with the most probable text |
| `rank-letter` | the question with its lettered options | the most probable letter |
| `words` | the same, and the required form of the answer | the letter or text in the response |
| `open` | the question alone | the text in the response; no letter was shown, so a letter has no meaning |

The words around the question are those of a prompting strategy. A strategy may show an example of the benchmark's own
first; and in the turns before its last one, the model answers in words (CFMM 4: one example, and one with its reasons).

With the options of a question, a model that can is also asked for their unconditional likelihoods
(`whatif.scoring.unconditional`), so that aggregation can apply any rule (`whatif.scoring.ranking_rules`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.language.options import LETTERS, printed_question
from whatif.engine.language.strategies import DIRECT, Shot, conversation, example_images, read
from whatif.engine.language.strategies.strategy import Turn
from whatif.engine.params.model_entries import MultipleChoice
from whatif.models import Answer, Model, OptionScore, Question
from whatif.models.shown_progress import with_progress
from whatif.scoring.asking import Pictures, WithExamples, image_parts, prediction, question_of, score_row
from whatif.scoring.extracted_answer import answer_in
from whatif.scoring.extraction.answer import Extracted
from whatif.scoring.majority import as_column
from whatif.scoring.majority import majority as majority_of
from whatif.scoring.talks import Talk
from whatif.scoring.unconditional import Likelihoods, answers_with_unconditional

Row = Mapping[str, Any]
_WITHOUT_OPTIONS = ("rank-text", "open")  # forms in which the model does not see the options


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
    strategy: str = DIRECT,
    examples: Callable[[Row], Sequence[Row]] = lambda row: (),
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

    `examples` returns the rows of examples that a strategy with `shots` shows before a question; they have the columns
    `example_id`, `question`, `choices`, `answer` (a letter), `rationale` and `image_ids`.

    Raises WhatifError when a question has no choices, or its answer is not one of their letters.
    """
    rows = sorted(questions, key=lambda row: str(row["question_id"]))
    letters = majority_answers(rows) if majority is None else majority
    turns = read(strategy).turns
    pictures = WithExamples(images, example_images(strategy))
    repeated = 1 if form in ("rank-text", "rank-letter") else samples  # nothing is sampled when options are ranked
    numbered = [(row, sample) for row in rows for sample in range(repeated)]
    talks = [Talk() for _ in numbered]

    def put(turn: Turn) -> tuple[list[Talk], list[Question]]:
        going = [(row, sample, talk) for (row, sample), talk in zip(numbered, talks, strict=True) if talk.goes_on]
        at_end = turn is turns[-1]
        return [talk for *_, talk in going], [
            question_of(
                row,
                conversation(
                    strategy,
                    _shown(row, form),
                    "choice",
                    image_parts(row),
                    talk.responses,
                    prompt_form=prompt_form,
                    shown=[_shot(example, form) for example in examples(row)],
                    ranked=form != "words",
                ),
                pictures,
                options=_options(row, form) if at_end else (),
                letters=0 if at_end else len(_options(row, form)),
                majority_answer=letters.get((row["group"], row["variant"])),
                max_new_tokens=turn.max_new_tokens,
                sample=sample,
            )
            for row, sample, talk in going
        ]

    for turn in turns[:-1]:
        going, asked = put(turn)
        spoken = with_progress(model.answer(asked), len(asked), model, model_key, "question")
        for talk, answer in zip(going, spoken, strict=True):
            talk.answers.append(answer)
    going, asked = put(turns[-1])
    given = answers_with_unconditional(model, asked, model_key)
    arriving = zip(going, with_progress(given, len(asked), model, model_key, "question"), strict=True)
    for place, row in enumerate(rows):
        of_row = talks[repeated * place : repeated * (place + 1)]
        unconditional: Sequence[Likelihoods] = ()
        for talk in of_row:
            if talk.goes_on:
                _, (answer, unconditional) = next(arriving)
                talk.answers.append(answer)
        shown_ids = [str(example["example_id"]) for example in examples(row)]
        yield _prediction(row, model_key, strategy, of_row, unconditional, form, shown_ids)
    next(arriving, None)  # ends the progress display, and finds superfluous answers


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


def _shown(row: Row, form: MultipleChoice) -> str:
    """The question as the model sees it."""
    if form in _WITHOUT_OPTIONS:
        return str(row["question"])
    _letters(row)  # raises with the name of the question
    return printed_question(row["question"], row["choices"])


def _options(row: Row, form: MultipleChoice) -> tuple[str, ...]:
    """What is ranked."""
    letters = _letters(row)
    return {"rank-letter": letters, "rank-text": tuple(row["choices"])}.get(form, ())


def _shot(example: Row, form: MultipleChoice) -> Shot:
    """An example, whose answer has the form that is ranked or asked for."""
    letters = _letters({**example, "question_id": example["example_id"]})
    answer = example["answer"]
    return Shot(
        str(example["example_id"]),
        _shown(example, form),
        str(example["choices"][letters.index(answer)] if form in _WITHOUT_OPTIONS else answer),
        str(example["rationale"]),
        tuple(image_parts(example)),
    )


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


def _prediction(  # noqa: PLR0917
    row: Row,
    model_key: str,
    strategy: str,
    talks: Sequence[Talk],
    unconditional: Sequence[Likelihoods],
    form: MultipleChoice,
    example_ids: Sequence[str],
) -> dict[str, Any]:
    answers = [talk.last for talk in talks]
    each = [_found(row, answer, form, read(strategy).answer_after) for answer in answers]
    place, answer, found = majority_of(answers, each, row)
    more: dict[str, Any] = {}
    if answer.option_scores is not None and unconditional:
        more["choice_scores"] = [
            score_row(score, **of) for score, of in zip(answer.option_scores, unconditional, strict=True)
        ]
    return prediction(
        row,
        model_key,
        strategy,
        answer,
        found,
        samples=as_column(answers, each),
        earlier_turns=talks[place].earlier_turns,
        example_ids=list(example_ids) or None,
        **more,
    )


def _found(row: Row, answer: Answer, form: MultipleChoice, mark: str | None) -> Extracted:
    scores = answer.option_scores
    if scores is not None and answer.status == "ok":
        return Extracted(LETTERS[best(scores)], "ok", None)
    if answer.response is not None and answer.letter is None:
        shown = form in ("rank-letter", "words")
        return answer_in(answer, row if shown else {**row, "answer_kind": "option text"}, mark)
    return Extracted(answer.letter, "ok", None)
