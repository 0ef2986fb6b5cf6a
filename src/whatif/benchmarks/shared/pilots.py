"""Samples of paired questions: the pairs that a model with a `limit` is asked, and how its results are marked.

Both questions of a pair or neither are in a sample. If no file lists its pairs, it is random: the pairs of a group have
one random order, which depends only on the seed, the name of the set and the group. Every sample takes pairs from its
beginning, so a larger sample contains a smaller one.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from whatif.engine.errors import WhatifError
from whatif.engine.files.inputs import LONGEST_LINE, read_bytes, user_path
from whatif.engine.params.model_entries import Limit
from whatif.engine.random_streams import stream

Rows = Sequence[Mapping[str, Any]]
Row = Mapping[str, Any]


def share_of_groups(questions: Iterable[Row], share: float, *, seed: int, name: str) -> set[str]:
    """Ids of a fraction of the pairs of each group, rounded to a whole number of at least one (C-VQA Table 5)."""
    orders = _orders(questions, seed, name)
    return {pair for order in orders.values() for pair in order[: max(1, round(share * len(order)))]}


def sample_of_pairs(questions: Iterable[Row], number: int, *, seed: int, name: str) -> set[str]:
    """Ids of `number` pairs, or of all if there are fewer, in proportion to the sizes of the groups.

    The number is divided among the groups by the Sainte-Laguë method, which never gives a group fewer pairs in a larger
    sample. Ties between groups are resolved in order of their names.
    """
    orders = _orders(questions, seed, name)
    claims = [(-float(len(order)), group) for group, order in sorted(orders.items())]
    heapq.heapify(claims)
    taken = dict.fromkeys(orders, 0)
    for _ in range(min(number, sum(map(len, orders.values())))):
        group = heapq.heappop(claims)[1]
        taken[group] += 1
        if taken[group] < len(orders[group]):
            heapq.heappush(claims, (-len(orders[group]) / (2 * taken[group] + 1), group))
    return {pair for group, order in orders.items() for pair in order[: taken[group]]}


def _orders(questions: Iterable[Row], seed: int, name: str) -> dict[str, list[str]]:
    """The pairs of each group in their random order."""
    groups: dict[str, set[str]] = {}
    for question in questions:
        groups.setdefault(question["group"], set()).add(question["pair_id"])
    return {
        group: [str(pair) for pair in stream(seed, "sample", name, group).permutation(sorted(pairs))]
        for group, pairs in groups.items()
    }


@dataclass(frozen=True)
class Pilot:
    """The pairs of one model's sample, out of `total`."""

    pairs: Set[str]
    total: int

    def rows(self, questions: Rows) -> Rows:
        """The questions of the sample."""
        return [row for row in questions if row["pair_id"] in self.pairs]


def pilot_of(limit: Limit, questions: Rows, seed: int, benchmark: str) -> Pilot | None:
    """The sample of a model with this `limit` of pairs, or with the pairs in a file; None if it is asked every pair.

    Raises WhatifError when the file cannot be read, names no pair, or one that the benchmark does not have.
    """
    if limit is None:
        return None
    known = {row["pair_id"] for row in questions}
    if isinstance(limit, str):
        pairs = _listed(limit, known, benchmark)
    else:
        pairs = sample_of_pairs(questions, limit, seed=seed, name=benchmark)
    return None if len(pairs) == len(known) else Pilot(pairs, len(known))


def _listed(file: str, known: Set[str], benchmark: str) -> set[str]:
    """The pairs of a benchmark that a text file has the ids of, one in each line."""
    try:
        lines = read_bytes(user_path(file), longest_line=LONGEST_LINE).decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise WhatifError(f"limit: {file}: cannot be read ({reason}); `whatif subset` writes such a file") from error
    listed = {line.strip() for line in lines} - {""}
    if not listed or not listed <= known:
        said = f"{min(listed - known)!r} is not a pair of {benchmark}" if listed else "is empty"
        raise WhatifError(f"limit: {file}: {said}; list its pairs, and in `benchmarks` of the model only {benchmark}")
    return listed


def pilots_of(
    limits: Mapping[str, Limit], questions: Mapping[str, Rows], seed: int, benchmark: str
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
