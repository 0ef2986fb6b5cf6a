"""Whether an item of a pair can be asked: what is missing, or why its four options are not four (MuCR 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from whatif.benchmarks.mucr.members import Member
from whatif.benchmarks.mucr.schemas import MEMBERS, Metric, Style
from whatif.formats.mucr_groups import BROKEN

NO_IMAGE = "no image in a style"
INCOMPLETE = "incomplete group"
NO_CUE = "no cue phrases"
NO_EXPLANATION = "no explanation"
EQUAL_OPTIONS = "equal options"
FEW_SIBLINGS = "too few rejected siblings"
NO_DESCRIPTION = "no description"


class Fault(NamedTuple):
    """Why something is not asked."""

    reason: str
    detail: str


def fault_of(member: Member, group: Sequence[Member], metric: Metric, style: Style | None) -> Fault | None:
    """Why the item of this pair and metric cannot be asked with images in this style; None if it can.

    `style` is None for a pair without images in any style. All forms ask the same items, so an item without images is
    not asked as text either. The checks, in this order: the group has four pairs (C2E, EXP); the images exist, for C2E
    those of all four pairs; the cue phrases or explanations exist; the four options are different, for C2E both as
    captions and as images; the effect has three siblings that were not chosen (context).
    """
    if metric in ("C2E", "EXP") and member.group_id.startswith(BROKEN):
        return Fault(INCOMPLETE, f"group {member.group_id} is not whole; the rejections of `extract` say why")
    if metric in ("C2E", "EXP") and len(group) != MEMBERS:
        number = "1 pair" if len(group) == 1 else f"{len(group):,} pairs"
        return Fault(INCOMPLETE, f"group {member.group_id} has {number}; the options are those of {MEMBERS}")
    if style is None:
        return Fault(NO_IMAGE, f"pair {member.pair_id} has no chosen images in any style")
    for one in group if metric == "C2E" else (member,):
        if style not in one.images:
            return Fault(NO_IMAGE, f"pair {one.pair_id} has no chosen images in the style {style}")
    checks = {"C2E": _effects, "CP": _cues, "EXP": _explanations, "context": _siblings}
    return checks[metric](member, group, style)


def description_fault(member: Member, group: Sequence[Member], metric: Metric) -> Fault | None:
    """Why an item cannot be asked with the descriptions as text: for C2E those of all four pairs are shown."""
    for one in group if metric == "C2E" else (member,):
        if one.description is None:
            return Fault(NO_DESCRIPTION, f"pair {one.pair_id} has no descriptions")
    return None


def cues_of(member: Member) -> list[str]:
    """The right cue phrase and the three false ones; empty if one of them is missing."""
    cue, false_cues = member.pair["cue"], member.pair["false_cues"]
    given = [cue, *(false_cues or ())]
    return [] if len(given) != MEMBERS or any(not (one or "").strip() for one in given) else given


def _effects(_: Member, group: Sequence[Member], style: Style) -> Fault | None:
    captions = [str(one.pair["effect_caption"]) for one in group]
    images = [str(one.images[style].effect["image_id"]) for one in group]
    for texts, what in ((list(map(_plain, captions)), "effect captions"), (images, f"effects as {style}")):
        if equal := _equal(texts):
            first, second = (group[place].pair_id for place in equal)
            return Fault(EQUAL_OPTIONS, f"pairs {first} and {second} have the same {what}")
    return None


def _cues(member: Member, _: Sequence[Member], __: Style) -> Fault | None:
    cues = cues_of(member)
    if not cues:
        return Fault(NO_CUE, f"pair {member.pair_id} has no right cue phrase with three false ones")
    if equal := _equal([_plain(cue) for cue in cues]):
        return Fault(EQUAL_OPTIONS, f"pair {member.pair_id} has the cue phrase {cues[equal[0]]!r} twice")
    return None


def _explanations(_: Member, group: Sequence[Member], __: Style) -> Fault | None:
    for one in group:
        if not (one.pair["explanation"] or "").strip():
            return Fault(NO_EXPLANATION, f"pair {one.pair_id} has no explanation")
    if equal := _equal([_plain(one.pair["explanation"]) for one in group]):
        first, second = (group[place].pair_id for place in equal)
        return Fault(EQUAL_OPTIONS, f"pairs {first} and {second} have the same explanation")
    return None


def _siblings(member: Member, _: Sequence[Member], style: Style) -> Fault | None:
    number, needed = len(member.images[style].siblings), MEMBERS - 1
    if number >= needed:
        return None
    return Fault(
        FEW_SIBLINGS,
        f"the effect of {member.pair_id} as {style} has {number} different images that were not chosen; {needed} are "
        "the wrong options",
    )


def _equal(texts: Sequence[str]) -> tuple[int, int] | None:
    """The places of the first two equal texts."""
    for place, text in enumerate(texts):
        if text in texts[:place]:
            return texts.index(text), place
    return None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".")
