"""What a step rejected, told to people: nothing left is an error, most of it lost a warning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import Any

from whatif.errors import WhatifError

_LONGEST = 200  # characters of an example
_REASONS = 3  # that an error names


def check_losses(
    job: str,
    unit: str,
    kept: int,
    rejected: Sequence[Mapping[str, Any]],
    *,
    remedy: str,
    needed: bool,
    say: Callable[[str], None],
) -> None:
    """Compares what of a job goes on with what it rejected, both counted in `unit` (`pairs`, `captions`).

    `rejected` are rows of the table `rejections`. When more than half is rejected, `say` gets one line with the most
    frequent reason and an example. Raises WhatifError when nothing is left that is `needed`; it ends in `remedy`.
    """
    total = kept + len(rejected)
    ending = f"; {remedy}" if remedy else ""
    if not total and needed:
        raise WhatifError(f"{job}: there are no {unit}{ending}")
    if kept >= len(rejected):
        return
    reasons = sorted(Counter(str(row["reason"]) for row in rejected).items(), key=lambda found: (-found[1], found[0]))
    example = next(row for row in rejected if row["reason"] == reasons[0][0])
    shown = shorten(f"{example['item_id']}: {example['detail']}", _LONGEST, placeholder=" ...")
    if not kept and needed:
        told = ", ".join(f"{reason} ({count:,})" for reason, count in reasons[:_REASONS])
        raise WhatifError(f"{job}: none of {total:,} {unit} is left: {told}; for example {shown}{ending}")
    reason, count = reasons[0]
    left = f"only {kept:,}" if kept else "none"
    say(
        f"warning: {job}: {left} of {total:,} {unit} {'are' if kept > 1 else 'is'} left; most frequent reason: "
        f"{reason} ({count:,}), for example {shown}"
    )
