"""Reports what a step rejected: an error if nothing is left, a warning if too much is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from textwrap import shorten
from typing import Any

from whatif.engine.errors import WhatifError

_LONGEST = 200  # maximum length of an example, in characters
_REASONS = 3  # maximum number of reasons in an error message


def check_losses(
    job: str,
    unit: str,
    kept: int,
    rejected: Sequence[Mapping[str, Any]],
    *,
    remedy: str,
    needed: bool,
    usual: float,
    say: Callable[[str], None],
) -> None:
    """Compares how much a job kept with how much it rejected, both counted in `unit` (`pairs`, `captions`).

    `rejected` are rows of the table `rejections`. When more than the share `usual` (from 0 to 1) is rejected, `say`
    receives one line with the most frequent reason and an example. Raises WhatifError, with `remedy` at the end of its
    message, when nothing is left although it is `needed`.
    """
    total = kept + len(rejected)
    ending = f"; {remedy}" if remedy else ""
    if not total and needed:
        raise WhatifError(f"{job}: there are no {unit}{ending}")
    if len(rejected) <= usual * total:
        return
    reasons = sorted(Counter(str(row["reason"]) for row in rejected).items(), key=lambda found: (-found[1], found[0]))
    example = next(row for row in rejected if row["reason"] == reasons[0][0])
    shown = shorten(f"{example['item_id']}: {example['detail']}", _LONGEST, placeholder=" ...")
    if not kept and needed:
        told = ", ".join(f"{reason} ({count:,})" for reason, count in reasons[:_REASONS])
        raise WhatifError(f"{job}: none of {total:,} {unit} is left: {told}; for example {shown}{ending}")
    reason, count = reasons[0]
    left = f"{'only ' if kept < len(rejected) else ''}{kept:,}" if kept else "none"
    say(
        f"warning: {job}: {left} of {total:,} {unit} {'are' if kept > 1 else 'is'} left; most frequent reason: "
        f"{reason} ({count:,}), for example {shown}"
    )
