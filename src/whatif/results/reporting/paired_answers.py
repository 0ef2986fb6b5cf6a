"""The answers of a system to pairs of an original and a counterfactual question, and what they say about each pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatif.results.reporting.answer_codes import NO_ANSWER, Codes
from whatif.results.reporting.answers import Flags, Places, System
from whatif.results.reporting.question_pairs import QuestionPairAnswers
from whatif.scoring.statistics.clusters import Floats, Labels

Row = Mapping[str, Any]

ALL = ""  # the group of all pairs


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of an original and a counterfactual question, one entry for each.

    groups: names of the groups, in the order of the tables; group: index of each pair's group;
    correct: codes of the right answers (pairs x 2, the original first), equal where two answers say the same;
    chance: the probability that a wrong answer to the counterfactual question is the right one to the original if every
        wrong answer is equally likely; NaN where the possible answers are not known;
    clusters: label of each pair's image, if several pairs share one; otherwise None;
    guessed: as `guessed` returns it, or None.
    """

    groups: Sequence[str]
    group: Places
    correct: Codes
    chance: Floats
    clusters: Labels | None = None
    guessed: Floats | None = None


@dataclass(frozen=True, eq=False)
class PairAnswers:
    """The answers of a system to `Pairs`.

    asked: whether both questions of a pair have a prediction; right: whether each answer is right (pairs x 2);
    given: codes of the answers as in `Pairs.correct`, `NO_ANSWER` where none was extracted.
    """

    asked: Flags
    right: Flags
    given: Codes


@dataclass(frozen=True, eq=False)
class PairOutcomes:
    """What the answers of one system say about some pairs, one entry for each pair.

    original, counterfactual: whether the answer is right;
    consistent: whether the answer changes if and only if it should;
    extracted: whether there is an answer (pairs x 2);
    wrong: whether an answer was extracted for the counterfactual question and is wrong, in pairs whose right answers
        differ; ignored: whether this wrong answer is the right one to the original question;
    chance: as in `Pairs`, or None if every question has two possible answers, so that `ignored` would say nothing;
    clusters: label of each pair's image, or None;
    guessed: as in `Pairs`.
    """

    original: Flags
    counterfactual: Flags
    consistent: Flags
    extracted: Flags
    wrong: Flags
    ignored: Flags
    chance: Floats | None
    clusters: Places | None = None
    guessed: Floats | None = None

    def only(self, chosen: Flags) -> PairOutcomes:
        """The outcomes of some pairs."""
        return PairOutcomes(
            self.original[chosen],
            self.counterfactual[chosen],
            self.consistent[chosen],
            self.extracted[chosen],
            self.wrong[chosen],
            self.ignored[chosen],
            None if self.chance is None else self.chance[chosen],
            None if self.clusters is None else self.clusters[chosen],
            None if self.guessed is None else self.guessed[chosen],
        )


def outcomes_of(pairs: Pairs, answers: PairAnswers) -> PairOutcomes:
    """What a system's answers say about each pair.

    An answer that is right has the code of the right answer, however it was written. A pair without two answers is not
    consistent. Wrong answers count for `ignored` where the right answers of the pair differ.
    """
    correct, right = pairs.correct, answers.right
    given = np.where(right, correct, answers.given)
    extracted = given != NO_ANSWER
    should_change = correct[:, 0] != correct[:, 1]
    changes = given[:, 0] != given[:, 1]
    wrong = extracted[:, 1] & ~right[:, 1] & should_change
    return PairOutcomes(
        right[:, 0],
        right[:, 1],
        extracted.all(axis=1) & (changes == should_change),
        extracted,
        wrong,
        wrong & (given[:, 1] == correct[:, 0]),
        pairs.chance,
        None if pairs.clusters is None else _numbered(pairs.clusters),
        pairs.guessed,
    )


def by_group(pairs: Pairs, answers: PairAnswers) -> Iterator[tuple[str, PairOutcomes]]:
    """The outcomes over all pairs that were asked (`ALL`), then by group; a group without such a pair is left out."""
    found = outcomes_of(pairs, answers)
    if answers.asked.any():
        yield ALL, found.only(answers.asked)
    for place, name in enumerate(pairs.groups):
        chosen = answers.asked & (pairs.group == place)
        if chosen.any():
            yield name, found.only(chosen)


def asked_pairs(answers: QuestionPairAnswers, images: Mapping[str, str] | None = None) -> Pairs:
    """The pairs of questions; `images` names the image of each pair, where several share one."""
    asked = answers.questions
    options = asked.by_pair(asked.codes.options)
    correct = np.where(asked.correct >= 0, chosen_codes(options, asked.correct), asked.by_pair(asked.codes.right))
    chance = chance_of_ignoring(options[:, 1], correct[:, 0], correct[:, 1])
    # An open question that is answered by yes or no has one wrong answer.
    chance[asked.by_pair(asked.codes.is_boolean.astype(np.int32))[:, 1] > 0] = 1.0
    clusters = None if images is None else [images[pair] for pair in asked.pair_ids()]
    return Pairs(asked.groups, asked.group, correct, chance, clusters, guessed(options))


def answers_to_pairs(answers: QuestionPairAnswers) -> Iterator[tuple[System, PairAnswers]]:
    """The answers of each system."""
    options = answers.questions.by_pair(answers.questions.codes.options)
    for place, system in enumerate(answers.systems):
        given = chosen_codes(options, answers.letter[place])
        if answers.open_answers is not None:
            given = np.maximum(given, answers.open_answers[place])
        yield system, PairAnswers(answers.asked_whole[place], answers.right[place], given)


def chosen_codes(codes: Codes, letter: npt.NDArray[Any]) -> Codes:
    """The code of the option that each letter index names; `NO_ANSWER` for an index below 0.

    `codes` has one more axis than `letter`: the options.
    """
    if not codes.shape[-1]:
        return np.full(letter.shape, NO_ANSWER, dtype=np.int32)
    named = np.take_along_axis(codes, np.maximum(letter, 0)[..., np.newaxis].astype(np.int64), axis=-1)[..., 0]
    return np.where(letter < 0, NO_ANSWER, named).astype(np.int32)


def chance_of_ignoring(options: Codes, original: Codes, right: Codes) -> Floats:
    """`Pairs.chance` for questions with these options (pairs x options); NaN where no option is wrong."""
    wrong = (options != NO_ANSWER) & (options != right[:, np.newaxis])
    number = wrong.sum(axis=1)
    share = (wrong & (options == original[:, np.newaxis])).sum(axis=1) / np.maximum(number, 1)
    return np.where(number > 0, share, np.nan)


def guessed(options: Codes) -> Floats:
    """The accuracy over both questions of each pair if an option is chosen at random; NaN for open questions.

    options: pairs x 2 x options.
    """
    number = (options != NO_ANSWER).sum(axis=2)
    found: Floats = np.where(number > 0, 1 / np.maximum(number, 1), np.nan).mean(axis=1)
    return found


def _numbered(clusters: Labels) -> Places:
    """The same clusters with whole numbers as labels, which are faster to compare than text."""
    return np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)
