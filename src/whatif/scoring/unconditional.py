"""Unconditional log-likelihoods of options: without the images of the question, and without any question.

They are ordinary requests to the same model, with keys of their own, so answers to the questions themselves stay in
use. `whatif.scoring.ranking_rules` compares them with the likelihoods of the options after the question.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TypeAlias

from whatif.engine.language.messages import one_turn, without_images
from whatif.models import Answer, Model, Question, Unconditional, unconditional_of

Options: TypeAlias = tuple[str, ...]
# The unconditional log-likelihoods of one option that are known (see `Unconditional`): sums over its tokens, in nats.
Likelihoods: TypeAlias = Mapping[str, float]
_CONDITIONS: Mapping[Unconditional, str] = {"without_image": "without the image", "without_prompt": "after nothing"}


def answers_with_unconditional(
    model: Model, questions: Sequence[Question], model_key: str
) -> Iterator[tuple[Answer, Sequence[Likelihoods]]]:
    """The answer to each question, in order, with the unconditional likelihoods of each of its options.

    Only a model that has them (`unconditional_of`) is asked for them, and only about questions with options; otherwise
    there are none. A question with images is also asked without them. After nothing, which is an empty message of the
    user, options are scored once for all questions that have the same ones in any order, such as letters. A likelihood
    that the model cannot give is left out, and standard error gets a line that says why.

    Raises ValueError when the model gives fewer or more answers than it was asked questions.
    """
    has = unconditional_of(model)
    if not has:
        yield from ((answer, ()) for answer in model.answer(questions))
        return
    seen: set[Options] = set()
    groups = [_requests(question, has, seen) for question in questions]
    asked = list(chain.from_iterable(groups))
    arriving = zip(asked, model.answer([request.question for request in asked]), strict=True)
    found = _Found()
    for question, group in zip(questions, groups, strict=True):
        (_, answer), *further = islice(arriving, len(group))
        yield answer, found.likelihoods(question, further)
    next(arriving, None)  # finds superfluous answers
    found.report(model_key)


@dataclass(frozen=True)
class _Request:
    """A question as it is put to the model; `kind` is None for the question itself."""

    question: Question
    kind: Unconditional | None = None


def _requests(question: Question, has: Sequence[Unconditional], seen: set[Options]) -> list[_Request]:
    """The question itself, and what is asked besides. Adds its options to those that were `seen` after nothing."""
    made = [_Request(question)]
    if "without_image" in has and question.options and question.image_ids:
        texts = without_images(question.messages)
        made.append(_Request(replace(question, messages=texts, images=tuple, encoded_images=tuple), "without_image"))
    options = _in_order(question)
    if "without_prompt" in has and options and options not in seen:
        seen.add(options)
        blank = replace(question, messages=one_turn(""), options=options, images=tuple, encoded_images=tuple)
        made.append(_Request(blank, "without_prompt"))
    return made


def _in_order(question: Question) -> Options:
    """The different options of a question, in an order that depends on nothing else."""
    return tuple(sorted(set(question.options)))


@dataclass
class _Found:
    """Likelihoods of options after nothing, and why some likelihoods are not known, by condition."""

    after_nothing: dict[Options, dict[str, float]] = field(default_factory=dict)
    refused: dict[Unconditional, Counter[str]] = field(default_factory=dict)

    def likelihoods(self, question: Question, answers: Sequence[tuple[_Request, Answer]]) -> list[Likelihoods]:
        """The likelihoods of each option of a question, from what was asked besides it."""
        made: list[dict[str, float]] = [{} for _ in question.options]
        for request, answer in answers:
            kind = request.kind
            assert kind is not None
            values = _sums(answer)
            if values is None:
                self.refused.setdefault(kind, Counter())[answer.reason or "it gave no scores"] += 1
            elif kind == "without_image":
                for of_option, value in zip(made, values, strict=True):
                    of_option[kind] = value
            else:
                options = request.question.options
                self.after_nothing[options] = dict(zip(options, values, strict=True))
        if known := self.after_nothing.get(_in_order(question)):
            for option, of_option in zip(question.options, made, strict=True):
                of_option["without_prompt"] = known[option]
        return list(made)

    def report(self, model_key: str) -> None:
        """Says which likelihoods are not known, and why."""
        for kind, reasons in self.refused.items():
            (reason, _), *_ = reasons.most_common(1)
            print(
                f"whatif: {model_key}: cannot rank options {_CONDITIONS[kind]} ({reasons.total():,} times, most often: "
                f"{reason}), so rule `minus-{kind.replace('_', '-')}` cannot be applied there",
                file=sys.stderr,
            )


def _sums(answer: Answer) -> list[float] | None:
    """The log-likelihoods of the options of a request; None if they are not known."""
    if answer.status != "ok" or answer.option_scores is None:
        return None
    exact = [score for score in answer.option_scores if not score.at_most]
    sums = [score.log_likelihood for score in exact if score.log_likelihood is not None]
    return sums if len(sums) == len(answer.option_scores) else None
