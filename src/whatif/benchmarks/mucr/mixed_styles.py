"""The mixed style of each pair: one style in which most of its questions are asked, balanced over the styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from whatif.benchmarks.mucr.askable import fault_of
from whatif.benchmarks.mucr.members import Member
from whatif.benchmarks.mucr.schemas import Style
from whatif.engine.random_streams import stream


def usable_styles(member: Member, group: Sequence[Member]) -> tuple[Style, ...]:
    """The styles in which C2E can be asked about the pair; if there is none, those in which it has images."""
    whole = [style for style in member.images if fault_of(member, group, "C2E", style) is None]
    return tuple(whole or member.images)


def mixed_styles(usable: Mapping[str, Sequence[Style]], *, seed: int, name: str) -> dict[str, Style | None]:
    """One of its usable styles for each pair, such that all styles are equally frequent as far as they can be.

    A pair without a usable style gets None. Pairs with the fewest usable styles choose first; the order of the others,
    and the choice among equally frequent styles, is random by the seed and `name`.
    """
    draw = stream(seed, "mixed styles", name)
    pairs = sorted(usable)
    chance = dict(zip(pairs, draw.random(len(pairs)), strict=True))
    used: Counter[Style] = Counter()
    found: dict[str, Style | None] = dict.fromkeys(pairs)
    for pair in sorted(pairs, key=lambda pair: (len(usable[pair]), chance[pair])):
        if usable[pair]:
            order = draw.permutation(len(usable[pair]))
            style = min((usable[pair][place] for place in order), key=lambda style: used[style])
            used[style] += 1
            found[pair] = style
    return found
