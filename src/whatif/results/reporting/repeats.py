"""The table `repeats`: models that were asked each question several times, and what decoding adds to their numbers.

    accuracy: accuracy of a single sample, the mean over samples and questions
    se_samples: its standard error over samples, if the same questions were asked again
    se_items: its standard error over items, by image; it contains that over samples
    decoding_share: share of decoding in this variance
    agreement: probability that two different samples of a question give the same answer
    pass: probability that one of k samples is right (Chen et al. 2021, section 2.1); k is in the column `k`
    majority: accuracy of the majority of k samples; the largest k is that of all other tables
    drop: the drop of a single sample over pairs, with drop_se_samples, drop_se_items and drop_decoding_share
    samples: the number of samples of each question

The first measures are of one variant of the questions, in the column `variant`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from whatif.engine.artifacts.variants import variant_order
from whatif.results.reporting.answers import Places, System
from whatif.results.reporting.numerals import decimal
from whatif.results.reporting.precision import in_percent, percent
from whatif.results.reporting.sampled_answers import SampledAnswers
from whatif.results.reporting.table import DROP, Column, Table, View, tidy
from whatif.scoring.statistics.intervals import Interval
from whatif.scoring.statistics.repeated_samples import Repeated, mean_share, pass_at_k, repeated_drop, repeated_share

NAME = "repeats"
IDENTITY = ("model", "name", "source", "strategy", "variant", "measure", "k")
Row = Mapping[str, Any]

_ABOUT = (
    "SE over samples: if the same questions were asked again. SE over items: with other questions as well. Decoding: "
    "the share of the latter's variance that is noise of decoding. Agreement: how often two samples of a question give "
    "the same answer."
)
_PASS = (
    "pass@k: at least one of k samples is right. majority@k: the majority of k samples is right; the largest k is the "
    "accuracy in all other tables."
)


@dataclass(frozen=True, eq=False)
class AskedQuestions:
    """Questions in arrays, one entry for each, and their pairs.

    variants: names of the variants, in the order of tables; variant: index of that of each question. image: its image.
    original, counterfactual: the indices of the two questions of each pair; empty if there are no pairs.
    """

    variants: Sequence[str]
    variant: Places
    image: Places
    original: Places
    counterfactual: Places

    @classmethod
    def of(cls, questions: Sequence[Row], images: Mapping[str, str], first: str) -> Self:
        """Rows of `questions`; `images` names the image (or other cluster) of each by its id.

        A pair is the question of the variant `first` with each other question of the same `group` and `pair_id`.
        """
        variants = sorted({str(row["variant"]) for row in questions}, key=variant_order)
        numbers: dict[str, int] = {}
        image = [numbers.setdefault(images[str(row["question_id"])], len(numbers)) for row in questions]
        keys = [(row["group"], row["pair_id"]) for row in questions]
        firsts = {
            key: place for place, (key, row) in enumerate(zip(keys, questions, strict=True)) if row["variant"] == first
        }
        others = [place for place, key in enumerate(keys) if firsts.get(key, place) != place]
        return cls(
            variants,
            np.array([variants.index(row["variant"]) for row in questions], dtype=np.int64),
            np.array(image, dtype=np.int64),
            np.array([firsts[keys[place]] for place in others], dtype=np.int64),
            np.array(others, dtype=np.int64),
        )


def repeats(
    sampled: Mapping[System, SampledAnswers],
    asked: AskedQuestions,
    places: Mapping[System, Row],
    confidence: float,
    title: str,
    *,
    unit: str = "image",
) -> Table:
    """The table `repeats` of systems with several samples, in the order of `places`, their identifying columns.

    Shares are in percent, standard errors and drops in points. `n` is the number of questions, or of pairs. `unit` is
    what the captions call the images of `asked`.
    """
    rows: list[Row] = []
    for system in (one for one in places if one in sampled):
        answers = sampled[system]
        found = [*_of_variants(answers, asked, confidence), *_of_pairs(answers, asked, confidence)]
        rows += [{**places[system], **row} for row in found]
    frame = tidy(rows, IDENTITY, ("value", "low", "high", "n"))
    return Table(
        NAME, "Several samples", frame, tuple(_views(rows, title, f"{100 * confidence:g}% intervals by {unit}"))
    )


def numbers_of(samples: int) -> list[int]:
    """The values of k in pass@k and majority@k: the powers of two up to the number of samples, and this number."""
    return sorted({*(2**power for power in range(samples.bit_length())), samples})


def _of_variants(answers: SampledAnswers, asked: AskedQuestions, confidence: float) -> Iterator[Row]:
    """The measures of the questions of each variant."""
    n, numbers = answers.samples, numbers_of(answers.samples)
    majority = {k: answers.majority_at(k) for k in numbers}
    for index, variant in enumerate(asked.variants):
        chosen = np.flatnonzero(asked.variant[answers.question] == index)
        if not chosen.size:
            continue
        right, images = answers.right_samples[chosen], asked.image[answers.question[chosen]]

        def mean(values: Any, chosen: Places = chosen, images: Places = images) -> Row:
            return _numbers(mean_share(values[chosen], images, confidence=confidence), len(chosen))

        single = repeated_share(right, n, images, confidence=confidence)
        found: list[Row] = [
            {"measure": "samples", "value": n, "n": len(chosen)},
            {"measure": "accuracy", **_numbers(single.interval, len(chosen))},
            *_errors(single),
            {"measure": "agreement", **mean(answers.agreement)},
        ]
        for k in numbers:
            found.append({"measure": "pass", "k": k, **mean(pass_at_k(answers.right_samples, n, k))})
            found.append({"measure": "majority", "k": k, **mean(majority[k])})
        yield from ({"variant": variant, **row} for row in found)


def _of_pairs(answers: SampledAnswers, asked: AskedQuestions, confidence: float) -> Iterator[Row]:
    """The drop over the pairs whose two questions were asked."""
    place = np.full(len(asked.variant), -1, dtype=np.int64)
    place[answers.question] = np.arange(len(answers.question))
    pairs = np.stack([place[asked.original], place[asked.counterfactual]])
    whole = (pairs >= 0).all(axis=0)
    if not whole.any():
        return
    original, counterfactual = pairs[:, whole]
    images = asked.image[asked.original[whole]]
    found = repeated_drop(
        answers.right_samples, answers.samples, original, counterfactual, images, confidence=confidence
    )
    yield {"measure": DROP, **_numbers(found.interval, len(original))}
    yield from _errors(found, f"{DROP}_")


def _errors(found: Repeated, prefix: str = "") -> Iterator[Row]:
    """The standard errors of a mean in points and the share of decoding in percent, as far as they are known."""
    values = {
        "se_samples": found.decoding_error,
        "se_items": found.error,
        "decoding_share": found.decoding_share,
    }
    for measure, value in values.items():
        if not math.isnan(value):
            yield {"measure": f"{prefix}{measure}", "value": percent(value)}


def _numbers(interval: Interval, n: int) -> dict[str, Any]:
    return {**in_percent("value", interval), "n": n}


def _views(rows: Iterable[Row], title: str, intervals: str) -> Iterator[View]:
    shown = list(rows)
    system = {"model": "", "name": "Model"} | ({"strategy": "Prompt"} if any(row["strategy"] for row in shown) else {})
    by_variant = {**system, "variant": "Variant"}
    numbers = sorted({int(row["k"]) for row in shown if row.get("k")})
    yield View(
        f"{title}: accuracy of a single sample in percent, with {intervals}, and its standard errors in points.",
        by_variant,
        (
            Column("Samples", "samples", write=decimal(0)),
            Column("Accuracy", "accuracy", interval=True),
            Column("SE over samples", "se_samples", write=decimal(2)),
            Column("SE over items", "se_items", write=decimal(2)),
            Column("Decoding (%)", "decoding_share"),
            Column("Agreement", "agreement"),
            Column("Questions", "accuracy", number="n"),
        ),
        _ABOUT,
    )
    yield View(
        f"{title}: pass@k and majority@k in percent.",
        by_variant,
        tuple(Column(f"{measure}@{k}", measure, {"k": str(k)}) for measure in ("pass", "majority") for k in numbers),
        _PASS,
    )
    yield View(
        f"{title}: the drop of a single sample over pairs in points, with {intervals}.",
        system,
        (
            Column("Drop", DROP, interval=True),
            Column("SE over samples", f"{DROP}_se_samples", write=decimal(2)),
            Column("SE over items", f"{DROP}_se_items", write=decimal(2)),
            Column("Decoding (%)", f"{DROP}_decoding_share"),
            Column("Pairs", DROP, number="n"),
        ),
        "Decoding is the share of the variance of the drop that is noise of decoding; more samples reduce it.",
    )
