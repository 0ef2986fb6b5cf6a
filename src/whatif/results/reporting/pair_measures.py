"""Measures of the answers to pairs of original and counterfactual questions, by the name of each.

A measure turns a `Part`, some pairs of one model, into rows of a table:

    accuracy        share of right answers in percent, with its Wilson interval; unanswered questions are wrong
    drop            original minus counterfactual in points, with Tango's score interval and the exact McNemar test
    legacy, vlmevalkit, lmms-eval
                    the accuracy of the same responses by the rules of C-VQA's published scoring and of these toolkits;
                    no row where the rules do not cover the kind of answer, as those of C-VQA a choice named in words
    extracted       share of responses in words from which one answer was extracted, without errors
    ok, ambiguous, none, error
                    the number of answers with this status
    share           share of each letter (`answer`) among the `n` answered questions
    left out        number of the group's questions that do not count, as a pair has no prediction for both

Where several pairs share an image, intervals and tests are by image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from whatif.engine.errors import WhatifError
from whatif.results.reporting.answers import STATUSES, Flags, Places
from whatif.results.reporting.numerals import count
from whatif.results.reporting.precision import Precision, in_percent, p_number, percent
from whatif.results.reporting.question_pairs import BY_RULES, VARIANTS, QuestionPairAnswers
from whatif.results.reporting.table import DROP, OURS, Column, View
from whatif.scoring.statistics import Interval, clustered_share, paired_drop, wilson

ALL = "all"  # the group of all pairs
UNANSWERED = tuple(status for status in STATUSES if status != "ok")
READING = (
    "Legacy is the accuracy of the same responses by the rules of the authors' published scoring, VLMEvalKit and "
    "lmms-eval by the rules of these toolkits, without their language model or random choice; extracted is the share "
    "of responses in which one answer was found. A question without an answer counts as wrong: ambiguous, none "
    "and error say how many, and why."
)
CHOICES = (
    "Where options were ranked or a letter was chosen, nothing was extracted, and the accuracy is the same by any "
    "rules. The authors' rules know no choices: where a letter was said in words, legacy is empty."
)
_OK = STATUSES.index("ok")
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Part:
    """The answers of one model (its index) to some pairs (their indices) of a group, whose two questions it was asked.

    questions: the number of questions of the group, asked or not. images: the image of each pair by its id, where
    several share one. variant: the index of one of both variants; None for both.
    """

    answers: QuestionPairAnswers
    model: int
    pairs: Places
    questions: int
    settings: Precision
    images: Mapping[str, str] | None = None
    variant: int | None = None

    def of(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What an array of `answers` says about these: pairs x variants, or pairs of one variant."""
        found: npt.NDArray[Any] = array[self.model] if self.variant is None else array[self.model, :, self.variant]
        all_in_order = len(self.pairs) == len(found) and bool((np.diff(self.pairs) == 1).all())
        return found if all_in_order else found[self.pairs]  # a view is several times faster than a copy

    @property
    def clusters(self) -> list[str] | None:
        """The images of the pairs; None if each has its own."""
        ids = self.answers.questions.pair_ids
        return None if self.images is None else [self.images[pair] for pair in ids(self.pairs)]


Measure = Callable[[Part], Iterator[Row]]


class AnsweredPairs(Protocol):
    """Results with answers to pairs: what `of_models` needs to know. `names` are the display names of the models."""

    @property
    def answers(self) -> QuestionPairAnswers: ...
    @property
    def names(self) -> Mapping[str, str]: ...
    @property
    def settings(self) -> Precision: ...
    @property
    def images(self) -> Mapping[str, str] | None: ...


def parts_of(
    answers: QuestionPairAnswers, settings: Precision, images: Mapping[str, str] | None = None
) -> dict[str, dict[str, Part]]:
    """Model -> group -> its part; `ALL` before the groups by name. A group without a whole pair is left out.

    Raises WhatifError when a model has no pair with predictions for both questions.
    """
    found: dict[str, dict[str, Part]] = {}
    asked = answers.questions
    sizes = dict(zip(asked.groups, asked.sizes.tolist(), strict=True))
    for place, model in enumerate(answers.models):
        whole = answers.asked_whole[place]
        if not whole.any():
            raise WhatifError(f"predictions of {model}: no pair has answers to both of its questions")
        inside = {name: whole & (asked.group == group) for group, name in enumerate(asked.groups)}
        found[model] = {
            name: Part(answers, place, np.flatnonzero(pairs), size, settings, images)
            for name, pairs, size in (
                (ALL, whole, sum(sizes.values())),
                *((name, pairs, sizes[name]) for name, pairs in inside.items() if pairs.any()),
            )
        }
    return found


def of_models(found: AnsweredPairs, *measures: Measure, by: str = "") -> Iterator[Row]:
    """The measures of each model over all pairs, or of each group, whose name is then in the column `by`.

    Pairs of the group `""` have no group, and are left out of the rows of groups.
    """
    parts = parts_of(found.answers, found.settings, found.images)
    for model, name in found.names.items():
        for group, part in parts[model].items():
            if bool(by) != (group == ALL) and group:
                place = {"model": model, "name": name, "source": OURS, **({by: group} if by else {})}
                yield from ({**place, **row} for measure in measures for row in measure(part))


def each_variant(*measures: Measure) -> Measure:
    """The same measures of the original questions, then of the counterfactual ones."""

    def of_variants(part: Part) -> Iterator[Row]:
        for index, variant in enumerate(VARIANTS):
            for measure in measures:
                yield from ({"variant": variant, **row} for row in measure(replace(part, variant=index)))

    return of_variants


def accuracy(part: Part) -> Iterator[Row]:
    """The share of right answers to the questions of one variant."""
    right = part.of(part.answers.right)
    yield {"measure": "accuracy", **in_percent("value", share_of(right, part)), "n": len(right)}


def share_of(flags: Flags, part: Part) -> Interval:
    """A share with its interval, by image if pairs share images."""
    clusters = part.clusters
    if clusters is None:
        return wilson(int(flags.sum()), len(flags), part.settings.confidence)
    return clustered_share(flags, clusters, confidence=part.settings.confidence)


def drop(part: Part) -> Iterator[Row]:
    """Original minus counterfactual accuracy."""
    original, counterfactual = part.of(part.answers.right).T
    found = paired_drop(original, counterfactual, part.clusters, confidence=part.settings.confidence)
    yield {"measure": DROP, **in_percent("value", found.interval), "n": len(part.pairs), "p": p_number(found.p)}


def by_rules(measure: str) -> Measure:
    """The accuracy of one variant by a set of published rules."""

    def of_part(part: Part) -> Iterator[Row]:
        right = part.of(part.answers.by_rules[measure])
        if not (right < 0).any():
            yield {"measure": measure, "value": _percent(right > 0)}

    return of_part


def extracted(part: Part) -> Iterator[Row]:
    """The share of one variant's responses in words from which an answer was extracted, if there are such responses."""
    in_words = part.of(part.answers.status)[part.of(part.answers.in_words)]
    if len(in_words):
        yield {"measure": "extraction_rate", "value": _percent(in_words == _OK)}


def statuses(part: Part) -> Iterator[Row]:
    """The number of answers with each status."""
    found = part.of(part.answers.status)
    for place, status in enumerate(STATUSES):
        yield {"measure": status, "value": int(np.count_nonzero(found == place)), "n": len(found)}


def unanswered(part: Part) -> Iterator[Row]:
    """The number of questions without an answer, by the reason."""
    yield from ({**row, "n": None} for row in statuses(part) if row["measure"] in UNANSWERED)


def letters(part: Part) -> Iterator[Row]:
    """The share of each letter among the answers; 0 where there is none."""
    chosen = part.of(part.answers.letter)[part.of(part.answers.status) == _OK]
    for place, letter in enumerate(part.answers.questions.letters):
        value = _percent(chosen == place) if len(chosen) else 0.0
        yield {"measure": "share", "answer": letter, "value": value, "n": len(chosen)}


def left_out(part: Part) -> Iterator[Row]:
    """The number of questions of pairs that do not count."""
    yield {"measure": "left out", "value": part.questions - len(VARIANTS) * len(part.pairs)}


PAIR_MEASURES = (
    each_variant(accuracy),
    drop,
    *(each_variant(by_rules(rules)) for rules in BY_RULES),
    each_variant(extracted),
    each_variant(statuses),
    left_out,
)


def paired_rows(part: Part) -> Iterator[Row]:
    """All measures of a part."""
    return (row for measure in PAIR_MEASURES for row in measure(part))


def headline(part: Part) -> dict[str, float | int]:
    """The headline numbers of a part: both accuracies in percent, the drop, and the pairs."""
    values = {row.get("variant", DROP): row["value"] for one in (each_variant(accuracy), drop) for row in one(part)}
    return {**values, "pairs": len(part.pairs)}


def _percent(flags: Flags) -> float:
    return percent(int(flags.sum()) / len(flags))


ACCURACIES = tuple(
    Column(variant.capitalize(), "accuracy", {"variant": variant}, interval=True) for variant in VARIANTS
)
DROPPED = Column("Drop", DROP, interval=True)
PAIRS = Column("Pairs", DROP, number="n")
MCNEMAR = Column("McNemar p", DROP, number="p")
HOLM = Column("Holm p", DROP, number="p_holm")
COUNTS = tuple(Column(status.capitalize(), status, write=count) for status in UNANSWERED)
# How responses were read, with one row per variant.
DETAILS = (
    Column("Legacy", "legacy"),
    Column("VLMEvalKit", "vlmevalkit"),
    Column("lmms-eval", "lmms-eval"),
    Column("Extraction rate", "extraction_rate"),
    *COUNTS,
)


def details(title: str, by: Mapping[str, str]) -> View:
    """The view that says how responses were read; `by` are the columns that identify its rows beside the variant."""
    caption = f"{title}: how responses were read, in percent, and unanswered questions."
    return View(caption, {**by, "variant": "Variant"}, DETAILS, f"{READING} {CHOICES}")
