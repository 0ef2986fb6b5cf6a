"""What the site shows of COCO-Counterfactuals beside scores: labels, errors by category, pairs drawn twice, views.

| view | shows |
|---|---|
| `figure-1` | pairs that are evenly spaced over all |
| `figure-2` | pairs that are drawn with and without Prompt-to-Prompt |
| `figure-4` | labelled pairs, with what annotators are asked |
| one for each category | errors of this category (Tables 8 and 9) |
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from whatif.benchmarks.shared.caption_items import KnownOfPairs, Ranks
from whatif.benchmarks.shared.item_selection import evenly
from whatif.engine.artifacts.pair_items import SIDES, item_id, pair_and_side
from whatif.engine.params.resolution import Resolution
from whatif.people.consensus import UNDECIDED, consensus, decisions_of, outcomes_of
from whatif.people.error_categories import CATEGORIES, DESCRIPTIONS
from whatif.people.items import VARIANTS, Row, pairs_by_id
from whatif.results.reporting.items import ItemPicture, ItemView

_DECISIONS = {
    "caption_0": "the original caption",
    "caption_1": "the counterfactual caption",
    "both": "both captions",
    "neither": "neither caption",
    UNDECIDED: "no decision",
}
_PHOTOGRAPH = "Photograph that the original caption was written for"
AUTOMATIC = "automatic"  # who labelled or sorted, if no person did
_WITHOUT = "Errors without a category"
NOT_LABELLED = "not labelled"
_GROUPS = {0: "no image labelled as correct", 1: "one image labelled as correct", 2: "both images labelled as correct"}
_EXAMPLES = ItemView(
    "figure-1",
    "Counterfactual pairs (Figure 1)",
    "Two captions that differ in one noun, and the images that were made from them. A matcher finds what it scores "
    "higher.",
)
_TWICE = ItemView(
    "figure-2",
    "With and without Prompt-to-Prompt (Figure 2)",
    "The same captions, noise and guidance: first the two images that share their attention, then the two that were "
    "drawn without sharing.",
)
_ASKED = ItemView(
    "figure-4",
    "What annotators are asked (Figure 4)",
    "Annotators see one image and both captions in random order, and write which caption describes the image better. "
    "If both are correct, they choose the more descriptive or detailed one. They may also write that both captions "
    "describe it equally well, or that neither describes it accurately. `whatif export tasks` writes the whole "
    "instructions.",
)


@dataclass(frozen=True)
class Labelled:
    """The labels of images, and the sample of errors with their categories.

    judgements: the rows of that table; rule: makes one decision of several labels. errors: the rows of the step verify:
    item, category (empty if it was not sorted) and decision. `labelled_by` and `sorted_by` say who decided and who
    chose the categories, `people` or `automatic`: a view says what no person made.
    """

    judgements: Sequence[Row]
    rule: Resolution
    errors: Sequence[Row]
    labelled_by: str | None
    sorted_by: str | None


@dataclass(frozen=True)
class Shown:
    """How many pairs a view has at most, and how many errors of each category."""

    pairs: int
    errors: int


def known_of_pairs(
    pairs: Iterable[Row],
    labels: Labelled,
    shown: Shown,
    *,
    photographs: Mapping[str, str],
    drawn_alone: Sequence[Row],
    ranks: Ranks,
) -> tuple[KnownOfPairs, list[ItemView]]:
    """What is known of the pairs for their items, and the views that have some of them.

    pairs: with one candidate each. photographs: pair -> image of its original caption. drawn_alone: rows of the pairs
    that were also drawn without Prompt-to-Prompt. ranks: of `ranks_shown`.
    """
    by_id = pairs_by_id(pairs)
    notes: dict[str, list[str]] = defaultdict(list)
    pictures: dict[str, list[ItemPicture]] = defaultdict(list)
    for row in drawn_alone:
        pictures[row["pair_id"]] += _drawn_alone(row)
        notes[row["pair_id"]].append(_sharing(by_id[row["pair_id"]], row))
    for pair_id in by_id:
        if pair_id in photographs:
            pictures[pair_id].append(ItemPicture(photographs[pair_id], _PHOTOGRAPH))
    groups = _label_notes(labels, by_id, notes)
    categories = _by_category(labels.errors, by_id, notes)
    labelled = [pair_id for pair_id in by_id if groups[pair_id] != NOT_LABELLED]
    chosen: list[tuple[ItemView, list[str]]] = [
        (_EXAMPLES, evenly(list(by_id), shown.pairs)),
        (_TWICE, [row["pair_id"] for row in drawn_alone]),
        (_ASKED, evenly(labelled, shown.pairs)),
    ]
    for category, items in categories.items():
        some = evenly(items, shown.errors) if shown.errors else []
        view = _error_view(category, len(items), len(some), labels)
        chosen.append((view, list(dict.fromkeys(pair_and_side(item)[0] for item in some))))
    views: dict[str, list[str]] = defaultdict(list)
    for view, names in chosen:
        for pair_id in names:
            views[pair_id].append(view.name)
    known = KnownOfPairs("", groups, notes, pictures, views, ranks)
    return known, [view for view, names in chosen if names]


def _label_notes(labels: Labelled, pairs: Mapping[str, Row], notes: Mapping[str, list[str]]) -> dict[str, str]:
    """Adds what each annotator said of an image; returns the group of each pair by the decisions."""
    decisions = decisions_of(labels.judgements)
    decided = consensus(labels.judgements, labels.rule)
    outcomes = outcomes_of(decided)
    groups = {}
    for pair_id in pairs:
        right = []
        for side in SIDES:
            item = item_id(pair_id, side)
            if item in decisions:
                each = ", ".join(f"{who}: {_DECISIONS.get(one, one)}" for who, one in decisions[item].items())
                decision = _DECISIONS[decided[item]] if item in decided else "none by this rule"
                notes[pair_id].append(f"Labels of the {VARIANTS[side]} image: {each}. Decision: {decision}.")
            if item in decided:
                right.append(outcomes[item] == "correct")
        groups[pair_id] = _GROUPS[sum(right)] if len(right) == len(SIDES) else NOT_LABELLED
        if right and labels.labelled_by == AUTOMATIC:
            notes[pair_id].append(_automatic({"Labels": labels.labelled_by}))
    return groups


def _by_category(
    errors: Iterable[Row], pairs: Mapping[str, Row], notes: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """Adds which image is an error, and of which category; returns the errors of each category in order of their ids.

    The most frequent category is first, and errors without a category are last.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for row in sorted(errors, key=lambda row: str(row["item_id"])):
        found[row["reason"]].append(row["item_id"])
        pair_id, side = pair_and_side(row["item_id"])
        notes[pair_id].append(
            f"The {VARIANTS[side]} image is an error. Its subject: {pairs[pair_id][f'subject_{side}']}. Decision of "
            f"the labels: {_DECISIONS.get(row['detail'], row['detail'])}. Category: {row['reason'] or 'none'}."
        )
    ordered = sorted(filter(None, found), key=lambda name: (-len(found[name]), CATEGORIES.index(name)))
    return {name: found[name] for name in (*ordered, *(name for name in found if not name))}


def _error_view(category: str, number: int, shown: int, labels: Labelled) -> ItemView:
    heading = category or _WITHOUT
    told = [
        DESCRIPTIONS.get(category, ""),
        f"{shown} of the {number} errors of this category in the sample of {len(labels.errors)}, as in "
        "COCO-Counterfactuals Tables 8 and 9."
        if category
        else f"{shown} of the {number} errors without a category in the sample of {len(labels.errors)}.",
        _automatic({"Labels": labels.labelled_by, "Categories": labels.sorted_by if category else None}),
    ]
    return ItemView(_slug(heading), heading, " ".join(filter(None, told)))


def _drawn_alone(row: Row) -> list[ItemPicture]:
    return [
        ItemPicture(row[f"image_id_{side}"], f"Without Prompt-to-Prompt: {row[f'caption_{side}']}") for side in SIDES
    ]


def _sharing(shared: Row, alone: Row) -> str:
    return (
        f"CLIP similarity of the two images: {shared['image_image']:.3f} with Prompt-to-Prompt (p {shared['p']:.2f}), "
        f"{alone['image_image']:.3f} without. Guidance {shared['guidance']:.1f}, seed {shared['seed']}."
    )


def _automatic(makers: Mapping[str, str | None]) -> str:
    made = [what for what, maker in makers.items() if maker == AUTOMATIC]
    return f"{' and '.join(made).capitalize()} are automatic, not by people." if made else ""


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z]+", "-", heading.casefold()).strip("-")
