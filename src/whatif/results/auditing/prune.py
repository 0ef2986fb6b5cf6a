"""Pruning that repairs: drops the most guessable items until no rule is better than chance, and says what that costs.

In each round every rule is found again on what is left, with folds of its own. Of the units (items, or whole pairs)
that the rules above chance answer best, as many are dropped of each variant and kind as make up a third of the best
rule's excess there. Dropping all at once would replace a rule by its opposite: what was always right
would then never be right.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from whatif.engine.random_streams import stream
from whatif.results.auditing.audit import MODELS, Audit, Finding, How, Section, audit
from whatif.results.auditing.items import Item

_STEP = 1 / 3  # of the items that would have to go if the best rule stayed as it is
_MOST_ROUNDS = 60
_LEAST = 2  # times as many clusters as folds must be left


@dataclass(frozen=True)
class Dropped:
    """A dropped unit: the round, how much better than chance the rules answered it, and which rules were right."""

    unit: str
    round: int
    excess: float
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Pruned:
    """What is left, what was dropped, and audits before and after.

    `fresh` is an audit of what is left with folds and models that no round has used. `stopped` says why pruning ended
    before every rule was at chance; it is empty if it did not.
    """

    kept: Sequence[Item]
    dropped: Sequence[Dropped]
    before: Audit
    after: Audit
    fresh: Audit
    rounds: int
    stopped: str

    @property
    def repaired(self) -> bool:
        """Whether neither the audit nor the fresh one finds a rule above chance."""
        return not [one for found in (self.after, self.fresh) for one in found.findings if one.above_chance]


def prune(items: Sequence[Item], how: How, *, tell: Callable[[str], None] = lambda _: None) -> Pruned:
    """Drops units of `items` (in order of their ids) until no rule's interval is above chance.

    Nothing is dropped if no rule of the first audit is a shortcut (`Finding.above_chance`).

    `tell` gets a line for each round. Units are never divided: both questions of a pair are kept or dropped.
    """
    before = latest = audit(items, how)
    kept = list(items)
    dropped: list[Dropped] = []
    number, stopped = 0, ""
    while any(one.above_chance for one in before.findings):
        failing = _failing(latest)
        if not failing:
            latest = audit(kept, how)  # with the folds of the audit before
            failing = _failing(latest)
        if not failing:
            break
        number += 1
        chosen = _most_guessable(failing, number)
        left = {item.unit for item in kept} - {one.unit for one in chosen}
        rest = [item for item in kept if item.unit in left]
        if stopped := _too_far(rest, before, how, number):
            break
        kept, dropped = rest, dropped + chosen
        latest = audit(kept, _other_folds(how, "pruning", number))
        best = max((one for _, one in failing), key=lambda one: one.accuracy.estimate - one.chance)
        tell(
            f"round {number}: {best.rule} {100 * best.accuracy.estimate:.1f}% (chance {100 * best.chance:.1f}%); "
            f"{len(chosen):,} dropped, {len(left):,} left"
        )
    after = before if not dropped else audit(kept, how)
    return Pruned(
        kept, dropped, before, after, audit(kept, _other_folds(how, "fresh", 0)), number - bool(stopped), stopped
    )


def _failing(found: Audit) -> list[tuple[Section, Finding]]:
    return [(section, one) for section in found.sections for one in section.findings if one.exceeds_chance]


def _other_folds(how: How, name: str, number: int) -> How:
    return replace(how, seed=int(stream(how.seed, "audit", name, number).integers(2**31)))


def _too_far(rest: Sequence[Item], before: Audit, how: How, number: int) -> str:
    """Why these items are too few to go on, or empty."""
    if number > _MOST_ROUNDS:
        return f"{_MOST_ROUNDS} rounds did not suffice"
    clusters: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in rest:
        clusters[item.section].add(item.cluster)
    for section in before.sections:
        left = len(clusters[section.variant, section.kind])
        if left < _LEAST * how.folds:
            return f"only {left} pictures or pairs with {section.variant} {section.kind} questions would be left"
    return ""


def _most_guessable(failing: Sequence[tuple[Section, Finding]], number: int) -> list[Dropped]:
    """The units that the rules above chance answer best, as many as this round drops of each section."""
    excess: dict[str, float] = defaultdict(float)
    rules: dict[str, set[str]] = defaultdict(set)
    sections: dict[str, set[tuple[str, str]]] = defaultdict(set)
    left: dict[tuple[str, str], float] = defaultdict(float)  # items to drop of each section
    for section, finding in failing:
        [guesses] = [one for one in section.guesses if one.rule == finding.rule]
        weight = finding.accuracy.estimate - finding.chance
        name = (section.variant, section.kind)
        surplus = (finding.right - finding.chance * finding.n) / (1 - finding.chance)
        left[name] = max(left[name], math.ceil(_STEP * surplus))
        for place, item in enumerate(section.items):
            if not guesses.applies[place]:
                continue
            value = guesses.probability[place] if finding.rule in MODELS else float(guesses.right[place])
            excess[item.unit] += weight * (float(value) - float(section.chances[place]))
            sections[item.unit].add(name)
            if guesses.right[place]:
                rules[item.unit].add(finding.rule)
    chosen = []
    for unit in sorted(excess, key=lambda unit: (-excess[unit], unit)):
        if any(left[name] > 0 for name in sections[unit]):
            for name in sections[unit]:
                left[name] -= 1
            chosen.append(Dropped(unit, number, excess[unit], tuple(sorted(rules[unit]))))
    return chosen


def costs(items: Sequence[Item], kept: Sequence[Item]) -> Mapping[tuple[str, str], tuple[int, int]]:
    """Items before and after by group and variant."""
    was, now = (Counter((item.group, item.variant) for item in some) for some in (items, kept))
    return {name: (was[name], now[name]) for name in sorted(was)}
