"""Predictions made elsewhere, as a model: each question gets its response, or its options' losses, from a file."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import user_path
from whatif.engine.files.well_formed import well_formed
from whatif.engine.language.options import LETTERS
from whatif.engine.params.models import Replay
from whatif.formats.option_losses import LOSSES
from whatif.formats.prediction_fields import OptionLoss, Prediction, printable
from whatif.formats.prediction_files import question_index, read_predictions
from whatif.models import Answer, OptionScore, Question
from whatif.models.program_runs import ProgramRun

_SHOWN = 10
_MOST_REASONS = 3
_PLACE = re.compile(r"(?:line|row|object|entry) [0-9]+(?:, [a-z_ ]{1,40})?: ")  # before the reason of an error


def replay(settings: Replay, seed: int) -> Replayed | ReplayedSamples:
    """A model that replays the responses or losses in `settings.predictions`; see `read_predictions` for the formats.

    A question that is not in the file is an `error`, not a wrong answer. The number of matches is written to standard
    error. Raises WhatifError when the file cannot be read, when it
    has different responses to one question, and, if `look_up` was not called before, when no row matches any of the
    questions. When it answers, raises WhatifError if questions with options to rank meet a file of responses, or other
    questions a file of losses, and if the losses of a question are not those of its options.
    """
    path = user_path(settings.predictions)
    predictions = read_predictions(path, settings.response_columns, settings.samples)
    if settings.samples == 1:
        return Replayed(path, predictions, "responses")
    return ReplayedSamples(path, predictions, settings.samples)


def without_place(reason: str) -> str:
    """The reason of an error without the place in a file of predictions, by which equal reasons would differ."""
    return _PLACE.sub("", reason, count=1) if _PLACE.match(reason) else reason


class Replayed:
    """A model whose answers are the rows of a file; `things` are what the file is said to have. See `replay`."""

    identity = None  # the file is the store

    def __init__(self, path: Path, predictions: Sequence[Prediction], things: str) -> None:
        self._path = path
        self._predictions = predictions
        self._by_name: dict[str | int | None, Prediction] = {
            one.question_id or one.index: one for one in predictions if one.picture is None
        }
        self._by_picture: dict[tuple[str | None, str | None], list[Prediction]] = {}
        for one in predictions:
            if one.picture is not None:
                self._by_picture.setdefault((one.picture, one.variant), []).append(one)

        self._has_losses = any(one.losses is not None for one in predictions)
        self._what = "losses for" if self._has_losses else f"{things} to"
        self._found: dict[str, Prediction] | None = None  # question_id -> its prediction, for all questions of the set
        self._first: str | None = None  # the id of the set's first question

    def look_up(self, questions: Sequence[Question]) -> str | None:
        """See `whatif.models.Recorded`."""
        found = {question.question_id: self._find(question) for question in questions}
        self._found = {name: one for name, one in found.items() if one is not None}
        self._first = min(found, default=None)
        if self._found or not found:
            return None
        known, asked = _some([one.label for one in self._predictions[:3]]), _some(sorted(found)[:3])
        rows = "questions with losses is" if self._has_losses else f"{self._what.split()[0]} is to"
        return (
            f"{self._path}: none of its {len(self._predictions):,} {rows} any of the {len(found):,} "
            f"questions; it has {known}, asked are {asked}"
        )

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """See `whatif.models.Model`."""
        if self._found is None and (reason := self.look_up(questions)):
            raise WhatifError(reason)
        found = [(self._found or {}).get(question.question_id) for question in questions]
        self._check_form(questions)
        answers = [self._answer(question, one) for question, one in zip(questions, found, strict=True)]
        self._report(questions, found)  # not in the iterator, so it appears before the progress bar
        return iter(answers)

    def _check_form(self, questions: Sequence[Question]) -> None:
        """Raises WhatifError if the questions are not asked in the form that the file answers."""
        if self._has_losses and any(not question.options for question in questions):
            raise WhatifError(
                f"{self._path}: has losses of options, but no options are ranked here; for questions with options set "
                "`multiple_choice: rank-text` or `rank-letter`, for open questions give responses"
            )
        if not self._has_losses and any(question.options for question in questions):
            raise WhatifError(
                f"{self._path}: has responses, but `multiple_choice` ranks options; set it to `words` or `open`, "
                f"or give losses ({LOSSES})"
            )

    def _answer(self, question: Question, prediction: Prediction | None) -> Answer:
        if prediction is None:
            return Answer(status="error", reason=f"not in {self._path}")
        if prediction.losses is not None:
            return Answer(option_scores=replayed_scores(self._path, prediction, question.options))
        if prediction.failure is not None:
            return Answer(status="error", reason=well_formed(f"{prediction.place}: {prediction.failure}"))
        return Answer(
            status="ok" if prediction.withheld is None else "none",
            reason=prediction.withheld,
            response=well_formed(prediction.response),
            reasoning=prediction.reasoning,
            cut_off=prediction.cut_off,
            program=_imported(prediction.program),
        )

    def _find(self, question: Question) -> Prediction | None:
        named = self._by_name.get(question.question_id) or self._by_name.get(question_index(question.question_id))
        return named or self._by_words(question)

    def _by_words(self, question: Question) -> Prediction | None:
        """The row of a C-VQA file with the question's image, variant and text.

        The ids of released questions begin with the stem of the image's name; a running number of the row may follow
        (`read_released`), and decides between rows with the same text.
        """
        pair_id = question.question_id.removesuffix(f"-{question.variant}")
        numbered = re.fullmatch(r"(.+)-(\d{4,})", pair_id)
        stem, row = (numbered[1], int(numbered[2])) if numbered else (pair_id, None)
        rows = self._by_picture.get((pair_id, question.variant)) or self._by_picture.get((stem, question.variant), [])
        # The prompt contains the text of the file, or vice versa if the options are not printed.
        same = [
            one for one in rows if one.question and (one.question in question.prompt or question.prompt in one.question)
        ]
        longest = max((len(one.question or "") for one in same), default=0)
        same = [one for one in same if len(one.question or "") == longest]
        exact = next((one for one in same if one.row == row), None)
        if exact is None and len({one.response for one in same}) > 1:
            raise WhatifError(
                f"{self._path}: {same[0].place} and {same[1].place}: different responses to the same question "
                f"({same[0].label}); keep one of them, or all rows in the order of the released file"
            )
        return exact or next(iter(same), None)

    def _report(self, questions: Sequence[Question], found: Sequence[Prediction | None]) -> None:
        unanswered = [asked.question_id for asked, one in zip(questions, found, strict=True) if one is None]
        _say(f"{self._path}: has {self._what} {len(questions) - len(unanswered):,} of {len(questions):,} questions")
        if unanswered:
            one = "losses" if self._has_losses else "a response"
            _say(f"{self._path}: questions without {one}: {len(unanswered):,} ({_some(unanswered)})")
        said = [one for one in found if one is not None and one.losses is None and one.failure is None]
        failed = [one for one in found if one is not None and one.failure is not None]
        if failed:
            reasons = Counter(one.failure for one in failed)
            first = {one.failure: one.place for one in reversed(failed)}
            shown = [f"{reason}: {n:,}, first {first[reason]}" for reason, n in reasons.most_common(_MOST_REASONS)]
            more = ["..."] if len(reasons) > _MOST_REASONS else []
            told = "; ".join([*shown, *more])
            _say(f"{self._path}: not what the model said, counted as errors: {len(failed):,} ({told})")
        if withheld := [one for one in said if one.withheld is not None]:
            told = f"{len(withheld):,} (first: {withheld[0].place}: {withheld[0].withheld})"
            _say(f"{self._path}: withheld by the endpoint, counted as no answer: {told}")
        silent = [one for one in said if one.withheld is None and not one.response.strip()]
        if silent:
            null = sum(one.is_null for one in silent)
            _say(f"{self._path}: empty responses: {len(silent) - null:,}; null or left out: {null:,}; neither is right")
        if self._first in {question.question_id for question in questions}:
            self._report_unused()  # about the whole set, so only one of the set's jobs reports it

    def _report_unused(self) -> None:
        """Reports responses to questions outside the set, and further responses to questions that have one."""
        used = (self._found or {}).values()
        ids = {id(one) for one in used}
        unused = [one.label for one in self._predictions if id(one) not in ids]
        if unused:
            _say(f"{self._path}: {self._what} other questions: {len(unused):,} ({_some(unused)})")
        answered = {(one.picture, one.variant, one.question): one.response for one in used if one.failure is None}
        repeated = [
            f"{one.place}: {one.label}"
            for one in self._predictions
            if one.picture is not None
            and id(one) not in ids
            and answered.get((one.picture, one.variant, one.question), one.response) != one.response
        ]
        if repeated:
            count = f"{len(repeated):,} ({_some(repeated)})"
            _say(f"{self._path}: other responses to questions that have one already, not used: {count}")


class ReplayedSamples:
    """A model whose answers are the rows of a file with several samples of each. See `replay`."""

    identity = None

    def __init__(self, path: Path, predictions: Sequence[Prediction], samples: int) -> None:
        self._of_samples = [
            Replayed(path, [one for one in predictions if one.sample == sample], f"responses (sample {sample})")
            for sample in range(samples)
        ]

    def look_up(self, questions: Sequence[Question]) -> str | None:
        """See `whatif.models.Recorded`. Each question of the file has all samples."""
        return next(filter(None, (one.look_up(questions) for one in self._of_samples)), None)

    def answer(self, questions: Sequence[Question]) -> Iterator[Answer]:
        """See `whatif.models.Model`."""
        by_sample = [
            one.answer([question for question in questions if question.sample == sample])
            for sample, one in enumerate(self._of_samples)
        ]
        return (next(by_sample[question.sample]) for question in questions)


def _imported(program: str | None) -> ProgramRun | None:
    """The program whose result was imported. That it gave a response is all that is known of its run."""
    if program is None or not program.strip():
        return None
    return ProgramRun(code=well_formed(program), outcome="ok", sandbox="elsewhere")


def _some(labels: Sequence[str]) -> str:
    more = len(labels) - _SHOWN
    return ", ".join(labels[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def _say(line: str) -> None:
    print(f"whatif: {line}", file=sys.stderr)


def replayed_scores(path: Path, prediction: Prediction, options: Sequence[str]) -> tuple[OptionScore, ...]:
    """The scores of `options` by the prediction's `losses`. A file without numbers of tokens gives the means alone.

    An option is identified by its letter, by its exact text, or by its position in a list.

    Raises WhatifError with file and row when the losses are not those of these options, one for each.
    """
    losses = prediction.losses or ()
    places = [
        place if loss.option is None else _place(path, prediction, loss, options) for place, loss in enumerate(losses)
    ]
    by_place: dict[int, OptionLoss] = {}
    for place, loss in zip(places, losses, strict=True):
        if (earlier := by_place.setdefault(place, loss)) is not loss:
            raise WhatifError(
                f"{path}: {loss.place}: option `{printable(loss.option or '')}` of {prediction.label} is already in "
                f"{earlier.place} as `{printable(earlier.option or '')}`; give one loss for each option"
            )
    missing = [LETTERS[place] for place in range(len(options)) if place not in by_place]
    if missing or len(losses) > len(options):
        without = f", none for {', '.join(missing)}" if missing else ""
        raise WhatifError(
            f"{path}: {prediction.place}: {prediction.label} has {len(losses)} losses for {len(options)} "
            f"options{without}; give one for each option"
        )
    return tuple(_score(by_place[place]) for place in range(len(options)))


def _place(path: Path, prediction: Prediction, loss: OptionLoss, options: Sequence[str]) -> int:
    """The place of the option that a loss names."""
    letters, named = LETTERS[: len(options)], loss.option or ""
    found = [
        place
        for place, (letter, text) in enumerate(zip(letters, options, strict=True))
        if named in (letter, text.strip())
    ]
    if len(found) == 1:
        return found[0]
    where = f"{path}: {loss.place}: option `{printable(named)}` of {prediction.label}"
    if found:
        which = " or ".join(letters[place] for place in found)
        raise WhatifError(f"{where} may be {which}, by its letter or its text; give the losses as a list (`losses`)")
    known = "; ".join(
        dict.fromkeys(f"{letter}: {printable(text)}" for letter, text in zip(letters, options, strict=True))
    )
    raise WhatifError(f"{where} is none of its options; it must be a letter or a text of: {known}")


def _score(loss: OptionLoss) -> OptionScore:
    # A loss of 0 has the log-likelihood 0, not -0.0.
    total = None if loss.total is None else 0.0 - loss.total
    return OptionScore(total, loss.tokens, 0.0 - loss.mean)
