"""Makes the questions C2E, CP, EXP and the contextual variation, in text and in visual forms (MuCR 3.2, 5).

Groups are divided into `train` and `test`. Of the test groups, a sample of pairs is asked about. A question that cannot
be asked is rejected with the reason; the questions that were planned are those asked and those rejected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from whatif.benchmarks.mucr.askable import fault_of
from whatif.benchmarks.mucr.forms import Canvases
from whatif.benchmarks.mucr.items import Asked, Item, items_of
from whatif.benchmarks.mucr.letters import balanced
from whatif.benchmarks.mucr.members import Member, groups_of
from whatif.benchmarks.mucr.question_rows import ItemOptions, item_row, question_row
from whatif.benchmarks.mucr.schemas import CONTEXT, MEMBERS, METRICS, Style
from whatif.benchmarks.mucr.settings import Questions, QuestionSettings
from whatif.engine.artifacts.gathered_images import GatheredImages
from whatif.engine.artifacts.images import SortedImages
from whatif.engine.graph.task import Task
from whatif.engine.random_streams import sample, stream

Groups = Mapping[str, Sequence[Member]]
TEST, TRAIN = "test", "train"
_REMEDY = "give each group four pairs with images, cue phrases and explanations, or loosen filter.mucr"


def write_questions(task: Task[QuestionSettings]) -> None:
    """Writes the outputs of the step `questions`.

    Raises WhatifError when no question is left, when a choice names a wrong candidate, and when the labels of a strip
    cannot be read.
    """
    settings, styles = task.settings.questions, task.settings.styles
    groups = groups_of(
        task.rows("pairs"),
        task.rows("descriptions"),
        [*task.rows("provided"), *task.rows("candidates")],
        task.rows("choices"),
        styles,
    )
    items = [
        (item, split)
        for split, of_split in divided(groups, settings.train_share, task.seed).items()
        for item in planned_items(of_split, settings, styles, split=split, seed=task.seed)
    ]
    paths, writer = [*task.paths("images"), *task.paths("drawn-images")], task.outputs.writer("composites")
    with GatheredImages(paths, shown_images(items), writer.path.parent) as images, SortedImages(writer) as composites:
        canvases = Canvases(images, composites, settings.input_side, settings.least_label_height)
        made = list(_made(items, canvases, task.seed))
    task.outputs.write("items", [row for _, row, _ in made])
    task.outputs.write("unasked", rejected(item for item, _ in items))
    if canvases.small:
        task.say(_small_labels(canvases, settings))
    for split, role, unit in ((TEST, "questions", "questions"), (TRAIN, "training", "training questions")):
        asked = [row for row, _, of_row in made if of_row == split]
        task.outputs.write(role, asked)
        lost = rejected(item for item, of_item in items if of_item == split)
        task.check_losses(unit, len(asked), lost, remedy=_REMEDY, needed=split == TEST)


def divided(groups: Groups, train_share: float, seed: int) -> dict[str, dict[str, Sequence[Member]]]:
    """The groups of each split; `train_share` of them, rounded, are drawn for `train`, but not all."""
    number = max(0, min(round(train_share * len(groups)), len(groups) - 1))
    train = sample(seed, "train groups", groups, number)
    return {
        TEST: {group: members for group, members in groups.items() if group not in train},
        TRAIN: {group: members for group, members in groups.items() if group in train},
    }


def planned_items(groups: Groups, settings: Questions, styles: Sequence[Style], *, split: str, seed: int) -> list[Item]:
    """The items of a split, sorted by group, pair and metric, also those that cannot be asked.

    Of a test split, these are the items of the sampled pairs, drawn among those with images, and of all pairs without
    images, which are rejected.
    """
    members = [(member, group) for group in groups.values() for member in group]
    usable = {member.pair_id: usable_styles(member, group) for member, group in members}
    without = {pair_id for pair_id, of_pair in usable.items() if not of_pair}
    number = settings.sample if split == TEST else None
    kept = sample(seed, "pairs", set(usable) - without, number) | without
    mixed = mixed_styles({pair_id: usable[pair_id] for pair_id in kept}, seed=seed, name=split)
    return [
        item
        for member, group in members
        if member.pair_id in kept
        for item in items_of(member, group, mixed[member.pair_id], settings, styles, train=split == TRAIN)
    ]


def places(items: Sequence[Item], *, seed: int, name: str) -> dict[str, int]:
    """The place of the right option of each item that is asked: balanced in each metric, variant and style."""
    found: dict[str, int] = {}
    for metric in METRICS:
        cells = {item.item_id: _cells(item) for item in items if item.metric == metric}
        asked = {item_id: of_item for item_id, of_item in cells.items() if of_item}
        found |= balanced(asked, MEMBERS, seed=seed, name=f"{name} {metric}")
    return found


def _cells(item: Item) -> set[tuple[str, str]]:
    """Variant and style of each question of an item that is asked; `mixture` stands for its mixed style as well."""
    asked = [one for one in item.asked if one.fault is None]
    return {(one.variant, one.style or "") for one in asked} | {
        (one.variant, style) for one in asked if one.mixture for style in ("mixture", f"mixture {one.style}")
    }


def shown_images(items: Iterable[tuple[Item, str]]) -> set[str]:
    """The ids of all images that questions may show: in the styles of the items, of all pairs and siblings."""
    found: set[str] = set()
    for item, _ in items:
        for style in {one.style for one in item.asked if one.fault is None and one.style is not None}:
            for member in item.group:
                if style in member.images:
                    of_style = member.images[style]
                    found |= {str(row["image_id"]) for row in (of_style.cause, of_style.effect)}
            if item.metric == CONTEXT:
                found |= {str(row["image_id"]) for row in item.member.images[style].siblings}
    return found


def rejected(items: Iterable[Item]) -> list[dict[str, Any]]:
    """A row of `rejections` for each question that is not asked."""
    return [
        {"item_id": item.question_id(one), "reason": one.fault.reason, "detail": one.fault.detail}
        for item in items
        for one in item.asked
        if one.fault is not None
    ]


def _made(
    items: Sequence[tuple[Item, str]], canvases: Canvases, seed: int
) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    """The rows of `questions` and of `causal-items` of each question that is asked, and its split."""
    for split, of_split in groupby(items, key=lambda one: one[1]):
        of_this = [item for item, _ in of_split]
        letters = places(of_this, seed=seed, name=split)
        for item in of_this:
            asked = [one for one in item.asked if one.fault is None]
            if not asked:
                continue
            place = letters[item.item_id]
            options = ItemOptions(item, _mixed_style(asked), place, seed)
            for one in asked:
                yield question_row(item, one, options, place, canvases), item_row(item, one, options, split), split


def _mixed_style(asked: Sequence[Asked]) -> Style:
    """The mixed style of an item that is asked; the form `composite` is always among its forms."""
    return next(one.style for one in asked if one.mixture and one.style is not None)


def _small_labels(canvases: Canvases, settings: Questions) -> str:
    return (
        f"warning: {canvases.small.total():,} composites have labels that are {min(canvases.small):.1f} pixels high or "
        f"higher after scaling to {settings.input_side:,} pixels, less than {settings.least_label_height}; larger "
        "labels need a larger verify.mucr.questions.input_side, or the form strip"
    )


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
