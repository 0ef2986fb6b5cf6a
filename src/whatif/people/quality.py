"""The quality of annotators' work: agreement with the other annotators, speed, gold items, and labels at random."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import decisions_of
from whatif.people.imports.labels import FINAL_DECISIONS
from whatif.people.items import Row
from whatif.scoring.statistics.intervals import Interval, wilson
from whatif.scoring.statistics.random_annotators import Competence, competences

TOO_FAST = 2.0  # seconds; nobody reads a question or two captions and looks at an image in less


@dataclass(frozen=True)
class Work:
    """The work of one annotator. Shares are fractions with Wilson's interval; None if there is nothing to count."""

    annotator: str
    items: int
    confusion: dict[tuple[str, str], int]  # (decision of the others, own decision) -> items
    agreement: Interval | None  # share of the items in `confusion` with the same decision
    gold_items: int
    gold: Interval | None  # share of gold items with the known decision
    timed: int  # items with a known duration
    seconds: float | None  # median duration
    too_fast: Interval | None  # share of timed items that took less than the minimum
    competence: Competence | None  # None if no item has another annotator

    @property
    def compared(self) -> int:
        """The number of items on which the other annotators have a decision."""
        return sum(self.confusion.values())


def without_adjudicator(judgements: Iterable[Row], resolution: Resolution) -> list[Row]:
    """The judgements of all but the adjudicator, who may have seen the others' and is no independent annotator.

    Final decisions from a column of their own are left out under every rule.
    """
    return [row for row in judgements if row["annotator"] not in (resolution.adjudicator, FINAL_DECISIONS)]


def quality_of_work(
    judgements: Iterable[Row],
    *,
    gold: Mapping[str, str] | None = None,
    least_seconds: float = TOO_FAST,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> list[Work]:
    """The work of every annotator in rows of `judgements`, in ascending order of their names.

    An annotator's decision is compared with that of more than half of the item's other annotators; an item on which the
    others have no such decision is not compared. `gold` has the known decisions of gold items. The column `seconds` has
    the durations; rows may lack it. Whether an annotator labels at random is decided by `competences`.

    Raises WhatifError when an annotator judged an item twice.
    """
    judged = list(judgements)
    of_item = decisions_of(judged)
    known = gold or {}
    items: Counter[str] = Counter()
    right: Counter[str] = Counter()
    of_gold: Counter[str] = Counter()
    confusions: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for item, decisions in of_item.items():
        votes = Counter(decisions.values())
        for annotator, decision in decisions.items():
            items[annotator] += 1
            of_gold[annotator] += item in known
            right[annotator] += known.get(item) == decision
            others = _of_others(votes, decision)
            if others is not None:
                confusions[annotator][others, decision] += 1
    durations = _durations(judged)
    able = competences(of_item, confidence=confidence, resamples=resamples, seed=seed)
    made = []
    for annotator in sorted(items):
        confusion = confusions[annotator]
        same = sum(number for (others, own), number in confusion.items() if others == own)
        times = sorted(durations[annotator])
        fast = sum(seconds < least_seconds for seconds in times)
        made.append(
            Work(
                annotator=annotator,
                items=items[annotator],
                confusion=dict(sorted(confusion.items())),
                agreement=_share(same, confusion.total(), confidence),
                gold_items=of_gold[annotator],
                gold=_share(right[annotator], of_gold[annotator], confidence),
                timed=len(times),
                seconds=(times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2 if times else None,
                too_fast=_share(fast, len(times), confidence),
                competence=able.get(annotator),
            )
        )
    return made


def _of_others(votes: Counter[str], own: str) -> str | None:
    """The decision of more than half of an item's annotators without one whose decision is `own`, if there is one."""
    total = votes.total() - 1
    for decision, number in votes.items():
        if 2 * (number - (decision == own)) > total:
            return decision
    return None


def _durations(judged: Iterable[Row]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for row in judged:
        if row.get("seconds") is not None:
            found[row["annotator"]].append(row["seconds"])
    return found


def _share(successes: int, n: int, confidence: float) -> Interval | None:
    return wilson(successes, n, confidence) if n else None
