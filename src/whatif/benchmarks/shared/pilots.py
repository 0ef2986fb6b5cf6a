"""Pilot samples: the pairs that a model with a `limit` is asked, and how its results are marked."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from whatif.benchmarks.shared.pair_samples import sample_of_pairs

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Pilot:
    """The pairs of one model's sample, out of `total`."""

    pairs: Set[str]
    total: int

    def rows(self, questions: Rows) -> Rows:
        """The questions of the sample."""
        return [row for row in questions if row["pair_id"] in self.pairs]


def pilot_of(limit: int | None, questions: Rows, seed: int, benchmark: str) -> Pilot | None:
    """The sample of a model with this `limit` of pairs; None if it is asked every pair."""
    if limit is None:
        return None
    total = len({row["pair_id"] for row in questions})
    if limit >= total:
        return None
    return Pilot(sample_of_pairs(questions, limit, seed=seed, name=benchmark), total)


def pilots_of(
    limits: Mapping[str, int | None], questions: Mapping[str, Rows], seed: int, benchmark: str
) -> dict[str, Pilot]:
    """The samples of the models that have one, by key; `questions` are each model's questions without a limit."""
    found = {key: pilot_of(limits[key], rows, seed, benchmark) for key, rows in questions.items()}
    return {key: pilot for key, pilot in found.items() if pilot is not None}


def marked(names: Mapping[str, str], pilots: Mapping[str, Pilot], unit: str = "pair") -> dict[str, str]:
    """The display names of models; the name of a model with a pilot sample states its size, counted in `unit`."""
    return {
        key: f"{name} (pilot sample of {counted(len(pilots[key].pairs), unit)})" if key in pilots else name
        for key, name in names.items()
    }


def counted(number: int, unit: str) -> str:
    """A number with its unit: `1 pair`, `50 pairs`."""
    return f"{number:,} {unit}" if number == 1 else f"{number:,} {unit}s"


def asked(questions: Rows, pilots: Mapping[str, Pilot], keys: Collection[str]) -> dict[str, set[str]]:
    """Ids of the questions that each model with a pilot sample is asked."""
    return {key: {row["question_id"] for row in pilots[key].rows(questions)} for key in keys if key in pilots}
