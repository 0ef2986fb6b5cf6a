"""Asks open questions: a model answers in its own words, and the answer is extracted from them (C-VQA 4.1)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from whatif.engine.language.options import printed_question
from whatif.engine.language.strategies import conversation, example_images, read
from whatif.models import Model
from whatif.models.shown_progress import with_progress
from whatif.scoring.asking import Pictures, WithExamples, image_parts, prediction, question_of
from whatif.scoring.extracted_answer import answer_in
from whatif.scoring.majority import as_column
from whatif.scoring.majority import majority as majority_of
from whatif.scoring.rank import majority_answers
from whatif.scoring.talks import Talk

Row = Mapping[str, Any]


def open_predictions(
    questions: Iterable[Row],
    images: Pictures,
    model_key: str,
    model: Model,
    *,
    strategy: str,
    pairs: Container[str] | None = None,
    prompt_form: str | None = None,
    samples: int = 1,
) -> Iterator[dict[str, Any]]:
    """Rows of `predictions`, one for each row of `questions`, in ascending order of question_id.

    If `pairs` is given, only their questions are asked; the baselines' knowledge is of all `questions`.

    The conversation is the strategy's, with the question and its options, if any. Each turn of the strategy asks every
    question that has a response so far, and the last response counts. A response from which no answer, or more than
    one, can be extracted counts as wrong and keeps its status, and so does a response that was cut off; nothing is
    guessed. An unanswered question keeps its reason, and is not asked in the turns that follow.

    `prompt_form` is the form of the model, if it has one: its wording replaces that of a strategy that is replaceable.
    With several `samples`, the whole conversation is held so many times, and the majority of the answers counts (see
    `whatif.scoring.majority`).
    """
    every = sorted(questions, key=lambda row: str(row["question_id"]))
    majority = majority_answers(every)
    of_group: dict[str, set[str]] = {}
    for row in every:
        of_group.setdefault(row["group"], set()).add(row["answer"])
    rows = [row for row in every if pairs is None or row["pair_id"] in pairs]
    described = read(strategy)
    pictures = WithExamples(images, example_images(strategy))
    numbered = [(row, sample) for row in rows for sample in range(samples)]
    talks = [Talk() for _ in numbered]
    for turn in described.turns:
        asked = [(*one, talk) for one, talk in zip(numbered, talks, strict=True) if talk.goes_on]
        put = [
            question_of(
                row,
                conversation(
                    strategy,
                    printed_question(row["question"], row["choices"]),
                    row["answer_kind"],
                    image_parts(row),
                    talk.responses,
                    prompt_form=prompt_form,
                ),
                pictures,
                max_new_tokens=turn.max_new_tokens,
                sample=sample,
                majority_answer=majority[(row["group"], row["variant"])],
                group_answers=tuple(sorted(of_group[row["group"]])),
            )
            for row, sample, talk in asked
        ]
        answers = with_progress(model.answer(put), len(put), model, model_key, "question")
        if turn is not described.turns[-1]:
            for (_, _, talk), answer in zip(asked, answers, strict=True):
                talk.answers.append(answer)
            continue
        arriving = iter(answers)
        for place, row in enumerate(rows):
            of_row = talks[samples * place : samples * (place + 1)]
            for talk in of_row:
                if talk.goes_on:
                    talk.answers.append(next(arriving))
            yield _prediction(row, model_key, strategy, of_row, described.answer_after)
        next(arriving, None)  # ends the progress display


def _prediction(row: Row, model_key: str, strategy: str, talks: Sequence[Talk], mark: str | None) -> dict[str, Any]:
    finals = [talk.last for talk in talks]
    each = [answer_in(talk.answers[-1], row, mark) for talk in talks]
    place, answer, found = majority_of(finals, each, row)
    return prediction(
        row,
        model_key,
        strategy,
        answer,
        found,
        earlier_turns=talks[place].earlier_turns,
        samples=as_column(finals, each),
    )
