"""Which answers are right, pair by pair: those of systems, of people and of fine-tuned models (MuCR 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatif.benchmarks.mucr.asked_items import AskedItems, Way
from whatif.benchmarks.mucr.schemas import SCORES
from whatif.results.reporting.answers import Answers, Flags, Places

PEOPLE = "Human"  # as the paper names them
ALL = "all"  # the three metrics together
SCORE, CHANGE, DROP = "score", "change", "drop"  # measures; a gain is a positive change, a loss a positive drop
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Answers, one entry for each, in ascending order of `keys`.

    keys: what is asked about, the same in every form (a pair, or a pair with a metric, an attempt or a seed);
    right: whether the answer is right; groups: the index of the pair's group.
    """

    keys: Places
    right: Flags
    groups: Places

    @property
    def n(self) -> int:
        """The number of answers."""
        return len(self.keys)

    def only(self, keys: Places) -> Outcomes:
        """The answers with these keys."""
        chosen = np.isin(self.keys, keys)
        return Outcomes(self.keys[chosen], self.right[chosen], self.groups[chosen])


ByMetric = Mapping[str, Outcomes]


@dataclass(frozen=True, eq=False)
class Answerer:
    """A system, people, or a fine-tuned model: its identifying columns, and the answers of its attempts or seeds.

    sets: answers with the index of a system in them; one set for a system, otherwise one for each attempt or seed.
    """

    place: Row
    sets: Sequence[tuple[Answers[AskedItems], int]]

    @property
    def is_model(self) -> bool:
        """Whether this is one of our models, not people."""
        return bool(self.place.get("model"))

    def by_metric(self, way: Way, metrics: Sequence[str] = SCORES) -> dict[str, Outcomes]:
        """The answers of all sets together to questions shown in a way, by metric; without those never asked."""
        found = {metric: together(self.by_set(way, metric)) for metric in metrics}
        return {metric: one for metric, one in found.items() if one.n}

    def by_set(self, way: Way, metric: str) -> list[Outcomes]:
        """The answers of each set to the questions of a metric that are shown in a way; empty if it was asked none."""
        found = []
        for answers, system in self.sets:
            questions = answers.questions
            chosen = questions.places(metric, way)
            chosen = chosen[answers.asked[system][chosen]]
            found.append(Outcomes(questions.pair[chosen], answers.right[system][chosen], questions.group[chosen]))
        return found


def together(parts: Sequence[Outcomes]) -> Outcomes:
    """Several sets of answers as one, in which an answer's key is its own and the index of its set."""
    keys = np.concatenate([part.keys * len(parts) + place for place, part in enumerate(parts)])
    order = np.argsort(keys)
    right, groups = (np.concatenate([getattr(part, name) for part in parts]) for name in ("right", "groups"))
    return Outcomes(keys[order], right[order], groups[order])


def with_all(found: ByMetric) -> dict[str, Outcomes]:
    """The answers by metric with those of the three metrics together, if there are some of each."""
    complete = all(metric in found for metric in SCORES)
    return {**found, **({ALL: together([found[metric] for metric in SCORES])} if complete else {})}
