"""The answers of a system to pairs of an original and a counterfactual question, and what they say about each pair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from whatif.engine.language.options import LETTERS
from whatif.engine.language.wording import one_line, plain
from whatif.results.reporting.answers import Flags, Places
from whatif.results.reporting.twin_answers import VARIANTS, TwinAnswers
from whatif.scoring.extraction.answer import normalise
from whatif.scoring.statistics.clusters import Floats, Labels

Row = Mapping[str, Any]
Codes = npt.NDArray[np.int32]

ALL = ""  # the group of all pairs
NO_ANSWER = -1


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of an original and a counterfactual question, one entry for each.

    groups: names of the groups, in the order of the tables; group: index of each pair's group;
    correct: codes of the right answers (pairs x 2, the original first), equal where two answers say the same;
    chance: the probability that a wrong answer to the counterfactual question is the right one to the original if every
        wrong answer is equally likely; NaN where the possible answers are not known;
    clusters: label of each pair's image, if several pairs share one; otherwise None.
    """

    groups: Sequence[str]
    group: Places
    correct: Codes
    chance: Floats
    clusters: Labels | None = None


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
    clusters: label of each pair's image, or None.
    """

    original: Flags
    counterfactual: Flags
    consistent: Flags
    extracted: Flags
    wrong: Flags
    ignored: Flags
    chance: Floats | None
    clusters: Places | None = None

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


def pairs_of_twins(twins: TwinAnswers, images: Mapping[str, str] | None = None) -> Pairs:
    """The pairs of multiple-choice questions; `images` names the image of each pair, where several share one."""
    codes = twins.questions.by_pair(option_codes(twins.questions.table["choices"]))
    correct = chosen_codes(codes, twins.questions.correct)
    clusters = None
    if images is not None:
        clusters = [images[pair] for pair in twins.questions.pair_ids()]
    chance = chance_of_ignoring(codes[:, 1], correct[:, 0], correct[:, 1])
    return Pairs(twins.questions.groups, twins.questions.group, correct, chance, clusters)


def answers_of_twins(twins: TwinAnswers) -> Iterator[tuple[str, PairAnswers]]:
    """The answers of each model to multiple-choice questions."""
    codes = twins.questions.by_pair(option_codes(twins.questions.table["choices"]))
    for place, model in enumerate(twins.models):
        yield (
            model,
            PairAnswers(twins.asked[place].all(axis=1), twins.right[place], chosen_codes(codes, twins.letter[place])),
        )


def answers_of_rows(
    predictions: Iterable[Row], questions: Sequence[Row], groups: Sequence[str]
) -> tuple[Pairs, dict[tuple[str, str], PairAnswers]]:
    """The pairs of open or multiple-choice questions in rows, by image, and the answers of each system to them.

    Systems are (model, strategy), in the order of their first predictions.
    """
    codes = _Codes()
    pairs, place = _pairs_of_rows(questions, groups, codes)
    by_id = {row["question_id"]: row for row in questions}
    shape = pairs.correct.shape
    found: dict[tuple[str, str], PairAnswers] = {}
    predicted: dict[tuple[str, str], Flags] = {}
    for row in predictions:
        system = (row["model"], row["strategy"])
        if system not in found:
            asked, right = np.zeros(shape[0], dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
            found[system] = PairAnswers(asked, right, np.full(shape, NO_ANSWER, dtype=np.int32))
            predicted[system] = np.zeros(shape, dtype=np.bool_)
        at = place[row["question_id"]]
        predicted[system][at] = True
        found[system].right[at] = row["correct"]
        if row["status"] == "ok":
            found[system].given[at] = codes.of(row["answer"], by_id[row["question_id"]])
    for system, flags in predicted.items():
        found[system].asked[:] = flags.all(axis=1)
    return pairs, found


def _pairs_of_rows(
    questions: Sequence[Row], groups: Sequence[str], codes: _Codes
) -> tuple[Pairs, dict[str, tuple[int, int]]]:
    """The pairs, and for each question the index of its pair and of its side."""
    keys = list(dict.fromkeys((row["group"], row["pair_id"]) for row in questions))
    pair_of = {key: place for place, key in enumerate(keys)}
    place = {
        row["question_id"]: (pair_of[row["group"], row["pair_id"]], VARIANTS.index(row["variant"])) for row in questions
    }
    correct: Codes = np.full((len(keys), len(VARIANTS)), NO_ANSWER, dtype=np.int32)
    images = [""] * len(keys)
    for row in questions:
        pair, side = place[row["question_id"]]
        correct[pair, side] = codes.of(row["answer"], row)
        images[pair] = (row["image_ids"] or [row["pair_id"]])[0]
    chance = np.full(len(keys), np.nan)
    for row in questions:
        pair, side = place[row["question_id"]]
        if VARIANTS[side] == "counterfactual":
            chance[pair] = _chance(row, correct[pair], codes)
    group = np.array([groups.index(name) if name in groups else -1 for name, _ in keys], dtype=np.int64)
    return Pairs(groups, group, correct, chance, images), place


def _chance(question: Row, correct: Codes, codes: _Codes) -> float:
    """`Pairs.chance` for a counterfactual question; `correct` are the right answers of its pair."""
    if not question["choices"]:
        return 1.0 if question["answer_kind"] == "boolean" else np.nan
    offered = [codes.of(letter, question) for letter in LETTERS[: len(question["choices"])]]
    return float(chance_of_ignoring(np.array([offered], dtype=np.int32), correct[:1], correct[1:])[0])


def option_codes(choices: pa.ChunkedArray | pa.Array) -> Codes:
    """Codes of the options of each question (questions x options), equal where two texts say the same.

    `choices` is a column of lists of texts. A question with fewer options has `NO_ANSWER` in the place of the others.
    """
    lists = pa.concat_arrays(choices.chunks) if isinstance(choices, pa.ChunkedArray) else choices
    sizes = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), dtype=np.int64)
    found: Codes = np.full((len(lists), int(sizes.max(initial=0))), NO_ANSWER, dtype=np.int32)
    encoded = pc.list_flatten(lists).dictionary_encode()
    known: dict[str, int] = {}
    of_text = [known.setdefault(meaning(text), len(known)) for text in encoded.dictionary.to_pylist()]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    question = np.repeat(np.arange(len(lists)), sizes)
    flat = np.array(of_text, dtype=np.int32)[encoded.indices.to_numpy()] if len(encoded) else np.zeros(0, np.int32)
    found[question, np.arange(len(flat)) - first] = flat
    return found


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


def meaning(text: str) -> str:
    """The form of a text in which answers are compared: `Three`, `three` and `3` are the same."""
    return plain(text) or one_line(text)


class _Codes:
    """Codes of answers in rows: the text of an option, or a number, yes or no, in normal form."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, answer: str, question: Row) -> int:
        """The code of an answer to a question; a letter stands for the text of its option."""
        choices = question["choices"]
        if not choices:
            text = normalise(answer, question["answer_kind"])
        else:
            place = LETTERS.find(answer) if len(answer) == 1 else -1
            text = meaning(choices[place] if 0 <= place < len(choices) else answer)
        return self._known.setdefault(text, len(self._known))


def _numbered(clusters: Labels) -> Places:
    """The same clusters with whole numbers as labels, which are faster to compare than text."""
    return np.unique(np.asarray(clusters), return_inverse=True)[1].astype(np.int64)
