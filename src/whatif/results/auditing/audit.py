"""The audit: every rule on every section of a benchmark, with intervals by cluster, and a score for each item."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.engine.artifacts.variants import variant_order
from whatif.engine.errors import WhatifError
from whatif.results.auditing.fixed_rules import LENGTH, LETTER, MAJORITY, RANK, fixed_rules
from whatif.results.auditing.forest import FOREST, forest
from whatif.results.auditing.guesses import Floats, Folds, Guesses
from whatif.results.auditing.items import BOTH_CAPTIONS, CHOICE, SINGLE_CAPTION, YES_NO, Item
from whatif.results.auditing.text_model import TEXT, text_model
from whatif.scoring.statistics import Interval
from whatif.scoring.statistics.clustered import clustered_share

LANGUAGE = "language-model"
RULES = (LETTER, RANK, LENGTH, MAJORITY, FOREST, TEXT, LANGUAGE)
MODELS = (FOREST, TEXT, LANGUAGE)
Model = Callable[[Sequence[Item], Folds], Guesses]


@dataclass(frozen=True)
class How:
    """The settings of an audit. `language_model` guesses as a fine-tuned model does; None leaves it out."""

    folds: int = 5
    seed: int = 0
    confidence: float = 0.95
    language_model: Model | None = None


@dataclass(frozen=True)
class Finding:
    """The accuracy of one rule on one section, as a fraction of the `n` items to which it applies.

    `chance` is the accuracy of guessing on these items. `corrected_low` is the lower end of the interval after
    Bonferroni's correction for the letters, ranks or the like of which the best was chosen in hindsight. For a rule
    that is learned in cross-validation, it is that of a wider interval (`_wider`); otherwise that of the interval.
    `baseline` marks the most frequent answer to numbers and open questions: it defines chance there.
    """

    variant: str
    kind: str
    rule: str
    choice: str
    right: int
    n: int
    chance: float
    accuracy: Interval
    corrected_low: float
    baseline: bool = False

    @property
    def above_chance(self) -> bool:
        """Whether the rule is a shortcut: better than chance beyond the luck of sampling and of its choice."""
        return not self.baseline and self.corrected_low > self.chance

    @property
    def holds_chance(self) -> bool:
        """Whether chance lies inside the interval."""
        return self.baseline or self.accuracy.low <= self.chance <= self.accuracy.high

    @property
    def exceeds_chance(self) -> bool:
        """Whether the whole interval is above chance, whatever the rule was chosen from."""
        return not self.baseline and self.accuracy.low > self.chance


@dataclass(frozen=True)
class Section:
    """Items of one variant and kind with the guesses of each rule, and the accuracy of chance on each item."""

    variant: str
    kind: str
    items: Sequence[Item]
    guesses: Sequence[Guesses]
    findings: Sequence[Finding]
    chances: Floats

    @property
    def clusters(self) -> int:
        """The number of pictures or pairs."""
        return len({item.cluster for item in self.items})

    @property
    def guessable(self) -> Floats:
        """For each item the mean probability of its right answer over the cross-validated models."""
        return np.asarray(np.mean([one.probability for one in self.guesses if one.rule in MODELS], axis=0))


@dataclass(frozen=True)
class Audit:
    """What was found; sections are in the order of variants and kinds."""

    sections: Sequence[Section]
    notes: Sequence[str]

    @property
    def findings(self) -> list[Finding]:
        return [finding for section in self.sections for finding in section.findings]


def sections_of(items: Sequence[Item]) -> dict[tuple[str, str], list[Item]]:
    """The items of each section, in their order."""
    found: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        found.setdefault(item.section, []).append(item)
    return {name: found[name] for name in sorted(found, key=lambda name: (variant_order(name[0]), name[1]))}


def check_size(items: Sequence[Item], folds: int, path: object) -> list[str]:
    """Notes on sections with fewer clusters than folds, which are left out.

    Raises WhatifError when no section has enough.
    """
    sizes = {name: len({item.cluster for item in some}) for name, some in sections_of(items).items()}
    if max(sizes.values()) < folds:
        name, size = max(sizes.items(), key=lambda one: one[1])
        raise WhatifError(
            f"{path}: {folds} folds need as many pictures or pairs, but the {section_name(*name)} questions have "
            f"{size}; give fewer --folds or more questions"
        )
    return [
        f"left out: {section_name(*name)} questions are about {size} pictures or pairs, fewer than the {folds} folds"
        for name, size in sizes.items()
        if size < folds
    ]


def section_name(variant: str, kind: str) -> str:
    """A section in words."""
    return variant if variant in (SINGLE_CAPTION, BOTH_CAPTIONS) else f"{variant} {kind}".strip()


def audit(items: Sequence[Item], how: How) -> Audit:
    """The audit of items in order of their ids. Sections with fewer clusters than folds are left out, with a note.

    The models of a section are cross-validated on it: no model has seen an item's cluster. Raises WhatifError when no
    section is large enough.
    """
    notes = check_size(items, how.folds, "audit")
    large = [some for some in sections_of(items).values() if len({item.cluster for item in some}) >= how.folds]
    return Audit([_section(some, how) for some in large], notes)


def _section(items: Sequence[Item], how: How) -> Section:
    variant, kind = items[0].section
    clusters = [item.cluster for item in items]
    folds = Folds(how.folds, how.seed, variant, clusters)
    guesses = [*fixed_rules(items, folds), forest(items, folds), text_model(items, folds)]
    if how.language_model is not None:
        guesses.append(how.language_model(items, folds))
    chances = chance_of(items)
    labels = np.array(clusters)
    findings = []
    for one in guesses:
        n = int(one.applies.sum())
        right, of = one.right[one.applies], list(labels[one.applies])
        accuracy = clustered_share(right, of, confidence=how.confidence)
        learned = one.rule in MODELS or (one.rule == MAJORITY and kind == CHOICE)
        sure = _wider(how) if learned else 1 - (1 - how.confidence) / _choices(one.rule, kind, items)
        low = clustered_share(right, of, confidence=sure).low
        chance = math.fsum(chances[one.applies]) / n
        baseline = one.rule == MAJORITY and kind not in (CHOICE, YES_NO)
        findings.append(
            Finding(variant, kind, one.rule, one.choice, int(right.sum()), n, chance, accuracy, low, baseline)
        )
    return Section(variant, kind, items, guesses, findings, chances)


def _wider(how: How) -> float:
    """The confidence at which an interval is as wide as that of a cross-validated accuracy should be.

    Models of different folds learn from mostly the same items, so their errors are not independent: without any
    shortcut, the standard deviation of the accuracy was 1.2 to 1.3 times that of independent questions in simulations
    with five folds. The corrected variance of Nadeau and Bengio (2003), 1 + test/train * folds times the usual one,
    allows for 1.5 times.
    """
    from scipy.stats import norm

    deviations = norm.isf((1 - how.confidence) / 2) * math.sqrt(1 + how.folds / (how.folds - 1))
    return float(1 - 2 * norm.sf(deviations))


def _choices(rule: str, kind: str, items: Sequence[Item]) -> int:
    """Of how many letters, ranks, lengths or answers the best was chosen in hindsight."""
    if rule in (LETTER, RANK):
        return max(len(item.options) for item in items)
    return 2 if rule == LENGTH or (rule == MAJORITY and kind == YES_NO) else 1


def chance_of(items: Sequence[Item]) -> Floats:
    """The accuracy of guessing on each item.

    Of a choice it is one in the number of options, of yes or no a half. For numbers and other open answers it is the
    share of the most frequent answer, which whoever knows the answers' distribution reaches without the question.
    """
    if items[0].kind == CHOICE:
        return np.array([1 / len(item.options) for item in items])
    if items[0].kind == YES_NO:
        return np.full(len(items), 0.5)
    most = Counter(item.answer for item in items).most_common(1)[0][1]
    return np.full(len(items), most / len(items))


def score_rows(found: Audit) -> Iterator[Mapping[str, Any]]:
    """A row for each item in the order of the input: how guessable it is by each model, and which rules answer it."""
    rows = [
        (item.row, item.item_id, section, place)
        for section in found.sections
        for place, item in enumerate(section.items)
    ]
    for row, item_id, section, place in sorted(rows, key=lambda one: one[:2]):
        item = section.items[place]
        by_rule = {one.rule: one for one in section.guesses}
        yield {
            "row": row + 1,
            "item_id": item_id,
            "variant": item.variant,
            "kind": item.kind,
            "group": item.group,
            "unit": item.unit,
            "cluster": item.cluster,
            "answer": item.answer,
            "chance": float(section.chances[place]),
            "guessable": float(section.guessable[place]),
            **{
                rule.replace("-", "_"): float(by_rule[rule].probability[place]) if rule in by_rule else None
                for rule in MODELS
            },
            "right_by": ",".join(one.rule for one in section.guesses if one.right[place]),
        }
