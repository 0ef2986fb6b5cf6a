"""The groups of MuCR: four pairs that share a causality and differ in cues, found by the links of the pairs (MuCR A.3).

The effects and the explanations of the other three pairs are the wrong options of a question. So a pair of a group
that is not whole can only be asked about its cue phrases.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

MEMBERS = 4
BROKEN = "broken-"  # begins the ids of groups that are not whole
# Reasons of faults.
INCOMPLETE, NOWHERE = "group without four members", "link to nowhere"
NOT_MUTUAL, REPEATED_LINK, SAME_CAPTION = "links not mutual", "link given twice", "caption twice in a group"


@dataclass(frozen=True)
class Fault:
    """What cannot be used: an item, or a part of it (`12/group`), why, and where."""

    item: str
    reason: str
    detail: str


@dataclass(frozen=True)
class Links:
    """The other pairs of the group as a pair names them, or the name of the group if the file has it.

    `captions` are those of the cause and the effect.
    """

    others: tuple[str, ...]
    group: str | None = None
    captions: tuple[str, str] | None = None


def grouped(links: Mapping[str, Links], rejected: Collection[str] = ()) -> tuple[dict[str, str], list[Fault]]:
    """Pair -> id of its group, and a fault `<pair>/group` for each pair whose group is not whole.

    A group is whole if it has four pairs, each of them names the other three, and all causes and all effects differ:
    of two equal ones, both would be right. The other pairs keep together with those that they are linked to, so that no
    split separates them; the ids of their groups begin with BROKEN. `rejected` are pairs of the file that are not used.
    """
    named = {pair: one for pair, one in links.items() if one.group is not None and not one.others}
    linked = {pair: one.others for pair, one in links.items() if pair not in named}
    groups, faults = _by_name(named)
    names = {str(one.group).casefold() for one in named.values()}
    for pair, others in linked.items():
        fault = _fault(pair, others, links, rejected)
        if fault is not None:
            faults.append(Fault(f"{pair}/group", *fault))
    broken = {fault.item.removesuffix("/group") for fault in faults}
    groups |= {
        pair: _group_of(min((pair, *others), key=natural), names)
        for pair, others in linked.items()
        if pair not in broken
    }
    for members in _components({pair: others for pair, others in linked.items() if pair in broken}):
        first = min(members, key=natural)
        groups |= dict.fromkeys(members, f"{BROKEN}{first}")
    return groups, sorted(faults, key=lambda fault: fault.item)


def natural(text: str) -> list[tuple[int, int, str]]:
    """The key of an order in which `2` is before `10`."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.findall(r"\d+|\D+", text)]


def _by_name(named: Mapping[str, Links]) -> tuple[dict[str, str], list[Fault]]:
    members: dict[str, list[str]] = defaultdict(list)
    for pair, one in named.items():
        members[str(one.group).casefold()].append(pair)
    faults = [
        Fault(f"{pair}/group", INCOMPLETE, f"group: {group[:60]!r} has {_count(len(pairs))}, not {MEMBERS}")
        for group, pairs in members.items()
        if len(pairs) != MEMBERS
        for pair in pairs
    ]
    for pairs in members.values():
        twice = _same_captions(pairs, named) if len(pairs) == MEMBERS else None
        if twice is not None:
            faults += [Fault(f"{pair}/group", SAME_CAPTION, twice) for pair in pairs]
    broken = {fault.item.removesuffix("/group") for fault in faults}
    groups = {
        pair: f"{BROKEN if pair in broken else 'group-'}{group}" for group, pairs in members.items() for pair in pairs
    }
    return groups, faults


def _group_of(pair: str, names: Collection[str]) -> str:
    """The id of a group without a name, from one of its pairs; no group in `names` has it."""
    return f"pair-{pair}" if pair in names else f"group-{pair}"


def _fault(
    pair: str, others: tuple[str, ...], links: Mapping[str, Links], rejected: Collection[str]
) -> tuple[str, str] | None:
    """Why the group of a pair is not whole, as a reason and its detail; None if it is."""
    if pair in others or len(set(others)) < len(others):
        return REPEATED_LINK, f"link_id: {', '.join(others)[:80]}: names {pair} itself or a pair twice"
    for other in others:
        if other in rejected:
            return INCOMPLETE, f"link_id: {other[:60]} is rejected, so the group has fewer than {MEMBERS} members"
        if other not in links:
            return NOWHERE, f"link_id: {other[:60]!r} is no pair of the file"
    if len(others) != MEMBERS - 1:
        return INCOMPLETE, f"link_id: names {len(others)} others, so the group has {_count(len(others) + 1)}"
    group = {pair, *others}
    for other in others:
        if {other, *links[other].others} != group or len(links[other].others) != MEMBERS - 1:
            told = ", ".join(links[other].others)[:80] or "none"
            return NOT_MUTUAL, f"link_id: names {other}, whose own links are {told}"
    twice = _same_captions(sorted(group, key=natural), links)
    return None if twice is None else (SAME_CAPTION, twice)


def _same_captions(pairs: Sequence[str], links: Mapping[str, Links]) -> str | None:
    """Which two pairs of a group have the same cause or effect; None if all differ."""
    for side in (0, 1):
        seen: dict[str, str] = {}
        for pair in pairs:
            captions = links[pair].captions
            if captions is not None and (first := seen.setdefault(captions[side].casefold(), pair)) != pair:
                return f"caption_{side}: {first} and {pair} have the same one: {captions[side][:80]!r}"
    return None


def _count(number: int) -> str:
    return f"{number} member" if number == 1 else f"{number} members"


def _components(linked: Mapping[str, tuple[str, ...]]) -> list[set[str]]:
    """The pairs that are connected by links in either direction."""
    near: dict[str, set[str]] = {pair: set() for pair in linked}
    for pair, others in linked.items():
        for other in others:
            if other in near and other != pair:
                near[pair].add(other)
                near[other].add(pair)
    found: list[set[str]] = []
    seen: set[str] = set()
    for pair in linked:
        if pair in seen:
            continue
        members, waiting = {pair}, [pair]
        while waiting:
            for other in near[waiting.pop()] - members:
                members.add(other)
                waiting.append(other)
        seen |= members
        found.append(members)
    return found
