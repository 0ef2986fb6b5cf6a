"""One decision for each item, from the judgements of its annotators, by the rule in `params.yaml`.

An item with a single judgement has its decision under every rule. The rules for several judgements:

- `single`: several judgements of an item are an error;
- `majority`: the decision of more than half of the annotators;
- `first`: the decision with the earliest time. If several judgements share that time, or if some have no time, it
  is not known which of them was the first; the item is then decided only if all of these agree. If no judgement of an
  item has a time and all come from the numbered columns of a wide file (`label_1`, `label_2`), the lowest number is
  the first, as in the released labels of COCO-Counterfactuals;
- `adjudicated`: the adjudicator's decision, where there is one; elsewhere all annotators must agree;
- `unanimous`: all annotators must agree;
- `tie-break`: the first two annotators must agree; if they do not, the third decides between their two decisions.
  Judgements are in the order of their times, and then of the names of the annotators; the times count only if every
  judgement of the item has one. Further judgements do not count. If the third decision equals neither of the first two,
  the tie is not broken.

An item without such a decision is undecided. Final decisions that a file of labels has in a column of its own
(annotator `adjudicated`) are no votes: they count only under the rule `adjudicated` with this adjudicator.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from whatif.engine.artifacts.reader import canonical_json
from whatif.engine.errors import WhatifError
from whatif.engine.params.resolution import ADJUDICATED, Resolution
from whatif.people.imports.items import REJECTED
from whatif.people.imports.labels import FINAL_DECISIONS
from whatif.people.items import Row

UNDECIDED = "undecided"
DISAGREEMENT, DIFFERENT_CORRECTIONS = "annotators disagree", "corrections differ"  # why an item is undecided
MAJORITY = Resolution(rule="majority")
_UNCHANGED = ""  # stands for a field that an annotator did not correct; no JSON value is empty
_NUMBERED_COLUMN = re.compile("label_[1-9][0-9]{0,3}")  # of a wide file; the annotator if the file names nobody
_NAMED = 3  # items and annotators that an error message names


@dataclass(frozen=True)
class Judgement:
    """One annotator's judgement. `corrected` has the new value of each corrected field, as canonical JSON."""

    annotator: str
    decision: str
    time: datetime | None = None
    corrected: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Correction:
    """The new value of a field, as canonical JSON, and the annotators who gave it, in ascending order."""

    value: str
    annotators: tuple[str, ...]


@dataclass(frozen=True)
class Resolved:
    """The result of `resolve`; all items are in ascending order."""

    decisions: dict[str, str]  # item -> decision, or `UNDECIDED`
    corrections: dict[str, dict[str, Correction]]  # item -> field -> its new value; only items with corrections
    undecided: list[dict[str, str]]  # undecided items as rows of the table `rejections`: why, and who decided what


def judgements_by_item(judgements: Iterable[Row]) -> dict[str, list[Judgement]]:
    """Item -> its judgements, by annotator; both in ascending order.

    Raises WhatifError when an annotator judged an item twice, and for a time or a correction that cannot be read.
    """
    found: dict[str, dict[str, Judgement]] = {}
    for row in judgements:
        of_item = found.setdefault(row["item_id"], {})
        annotator = row["annotator"]
        if annotator in of_item:
            raise WhatifError(
                f"item {row['item_id']}: {annotator} judged it twice; keep one judgement per annotator and item"
            )
        of_item[annotator] = Judgement(annotator, row["decision"], _time(row), _corrected(row))
    return {item: [of_item[name] for name in sorted(of_item)] for item, of_item in sorted(found.items())}


def votes_of(judgements: Iterable[Row], resolution: Resolution) -> list[Row]:
    """The judgements without final decisions, unless these are the adjudicator's."""
    counts = resolution.adjudicator == FINAL_DECISIONS
    return [row for row in judgements if counts or row["annotator"] != FINAL_DECISIONS]


def resolve(
    judgements: Iterable[Row], resolution: Resolution = MAJORITY, current: Mapping[str, Row] | None = None
) -> Resolved:
    """The decision of every item in rows of `judgements`, and the corrections of its fields.

    A field is corrected by the same rule: among the annotators that the rule considers and whose decision is that of
    the item, each votes for a new value or for leaving the field as it is. If these votes give no value, the item is
    undecided. Corrections of an item whose decision is `reject` do not count. `current` has the rows of items before
    their correction: a new value that is equal to the value there is no correction.

    Raises WhatifError when the rule is `single` and an item has several judgements, when the adjudicator made none of
    the judgements, and as `judgements_by_item`.
    """
    by_item = judgements_by_item(votes_of(judgements, resolution))
    _check(by_item, resolution)
    rows = current or {}
    decisions: dict[str, str] = {}
    corrections: dict[str, dict[str, Correction]] = {}
    undecided = []
    for item, judged in by_item.items():
        considered = _considered(judged, resolution)
        decision = _winner([one.decision for one in considered], resolution)
        reason, detail = DISAGREEMENT, ""
        if decision is None:
            detail = "; ".join(f"{one.annotator}: {one.decision}" for one in considered)
        elif decision != REJECTED and any(one.corrected for one in considered):
            voters = [one for one in considered if one.decision == decision]
            accepted, detail = _corrections_of(voters, resolution, rows.get(item, {}))
            reason = DIFFERENT_CORRECTIONS
            if accepted and not detail:
                corrections[item] = accepted
        decisions[item] = UNDECIDED if decision is None or detail else decision
        if decisions[item] == UNDECIDED:
            undecided.append({"item_id": item, "reason": reason, "detail": detail})
    return Resolved(decisions, corrections, undecided)


def _check(by_item: Mapping[str, Sequence[Judgement]], resolution: Resolution) -> None:
    if resolution.rule == "single":
        several = [item for item, judged in by_item.items() if len(judged) > 1]
        if several:
            judged = by_item[several[0]]
            raise WhatifError(
                f"item {several[0]}: has {len(judged)} judgements, by {_named([one.annotator for one in judged])}, as "
                f"one of {len(several)} items with several; the rule `single` needs one judgement per item: remove the "
                "others, or choose another rule"
            )
    if resolution.rule == ADJUDICATED and by_item:
        annotators = sorted({one.annotator for judged in by_item.values() for one in judged})
        if resolution.adjudicator not in annotators:
            raise WhatifError(
                f"adjudicator {resolution.adjudicator!r}: judged none of the {len(by_item)} items; name one of the "
                f"annotators: {_named(annotators)}"
            )


def _named(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _considered(judged: Sequence[Judgement], resolution: Resolution) -> Sequence[Judgement]:
    """The judgements on which the decision depends."""
    if resolution.rule == "first":
        times = [one.time for one in judged if one.time is not None]
        numbers = [_NUMBERED_COLUMN.fullmatch(one.annotator) for one in judged]
        if not times and all(numbers):
            return [min(judged, key=lambda one: int(one.annotator.rpartition("_")[2]))]
        return [one for one in judged if one.time is None or one.time == min(times)]
    if resolution.rule == "tie-break":
        by_name = sorted(judged, key=lambda one: one.annotator)
        times = [one.time for one in by_name if one.time is not None]
        if len(times) < len(judged):
            return by_name[:3]
        return [one for _, one in sorted(zip(times, by_name, strict=True), key=lambda timed: timed[0])][:3]
    if resolution.rule == ADJUDICATED:
        return [one for one in judged if one.annotator == resolution.adjudicator] or judged
    return judged


def _winner(values: Sequence[str], resolution: Resolution) -> str | None:
    """The value of more than half of the votes, or of all votes, depending on the rule; None if there is none.

    Of the three votes of `tie-break`, a value has more than half exactly if the first two agree on it or the third
    agrees with one of them.
    """
    value, votes = Counter(values).most_common(1)[0]
    by_majority = resolution.rule in ("majority", "tie-break")
    return value if (2 * votes > len(values) if by_majority else votes == len(values)) else None


def _corrections_of(voters: Sequence[Judgement], resolution: Resolution, row: Row) -> tuple[dict[str, Correction], str]:
    """The corrections of the fields of an item, and a description of the first field that has no accepted value."""
    accepted: dict[str, Correction] = {}
    for name in sorted({name for one in voters for name in one.corrected}):
        before = canonical_json(row[name]) if name in row else _UNCHANGED
        votes = {one.annotator: one.corrected.get(name, _UNCHANGED) for one in voters}
        votes = {annotator: _UNCHANGED if value == before else value for annotator, value in votes.items()}
        value = _winner(list(votes.values()), resolution)
        if value is None:
            return accepted, f"{name}: " + "; ".join(
                f"{annotator}: {value or 'unchanged'}" for annotator, value in votes.items()
            )
        if value != _UNCHANGED:
            by = sorted(annotator for annotator, given in votes.items() if given == value)
            accepted[name] = Correction(value, tuple(by))
    return accepted, ""


def _time(row: Row) -> datetime | None:
    """The time of a judgement; a time without a zone is UTC, so that any two can be compared."""
    if row["time"] is None:
        return None
    try:
        time = datetime.fromisoformat(row["time"])
    except ValueError:
        raise WhatifError(
            f"item {row['item_id']}: {row['annotator']}: the time {row['time']!r} is not in ISO 8601; write it as "
            "2024-05-31T14:00:00+00:00"
        ) from None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _corrected(row: Row) -> dict[str, str]:
    text = row["corrected"]
    if text == "{}":
        return {}
    fault = f"item {row['item_id']}: {row['annotator']}: corrected is {text[:80]!r}, not a JSON object of fields"
    try:
        fields: Any = json.loads(text)
        if isinstance(fields, dict):
            return {name: canonical_json(value) for name, value in fields.items()}
    except ValueError:  # also for NaN, which is not JSON
        pass
    raise WhatifError(fault)
