"""Gallery sections of COCO-Counterfactuals: errors by category (Tables 8 and 9), and pairs drawn twice (Figure 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from whatif.artifacts.images import ImageStore
from whatif.artifacts.pair_items import SIDES, pair_and_side
from whatif.benchmarks.shared.pair_panels import evenly
from whatif.reporting.gallery import Panel, Picture, Section
from whatif.verification.consensus import UNDECIDED
from whatif.verification.error_categories import CATEGORIES, DESCRIPTIONS
from whatif.verification.items import Row, pairs_by_id

_KINDS = ("original", "counterfactual")
_DECISIONS = {
    "caption_0": "the original caption",
    "caption_1": "the counterfactual caption",
    "both": "both captions",
    "neither": "neither caption",
    UNDECIDED: "no decision",
}
_WITHOUT = "Errors without a category"


def error_sections(
    errors: Iterable[Row],
    pairs: Iterable[Row],
    images: ImageStore,
    shown: int,
    *,
    labelled_by: str | None,
    sorted_by: str | None,
) -> list[Section]:
    """A section for each category of the errors, most frequent first, with at most `shown` of its errors.

    `errors` are the rows of the step verify: item, category (empty if it was not sorted) and decision. A panel has both
    images of the pair with their captions, which of them is the error, its subject, and the decision of the labels.
    Categories without errors have no section; errors without a category come last. `labelled_by` and `sorted_by` say
    who decided and who chose the categories, `people` or `automatic`: a section says what no person made.
    """
    by_id = pairs_by_id(pairs)
    by_category: dict[str, list[Row]] = {}
    for row in errors:
        by_category.setdefault(row["reason"], []).append(row)
    ordered = sorted(filter(None, by_category), key=lambda name: (-len(by_category[name]), CATEGORIES.index(name)))
    total = sum(map(len, by_category.values()))
    sections = []
    for category in (*ordered, *(name for name in by_category if not name)):
        rows = sorted(by_category[category], key=lambda row: str(row["item_id"]))
        panels = tuple(_panel(row, by_id, images) for row in evenly(rows, shown)) if shown else ()
        told = [
            DESCRIPTIONS.get(category, ""),
            f"{len(rows)} of the {total} errors in the sample; {len(panels)} shown.",
            _automatic({"Labels": labelled_by, "Categories": sorted_by if category else None}),
        ]
        heading = category or _WITHOUT
        sections.append(Section(heading, " ".join(filter(None, told)), panels, _slug(heading)))
    return sections


def sharing_section(pairs: Iterable[Row], unshared: Sequence[Row], images: ImageStore) -> Section:
    """A section with both images of each pair of `unshared`, with and without Prompt-to-Prompt (Figure 2).

    `pairs` are the rows of the same pairs with sharing, among others.
    """
    by_id = pairs_by_id(pairs)
    return Section(
        "With and without Prompt-to-Prompt",
        "The same captions, noise and guidance: first the two images that share their attention, then the two that "
        "were drawn without sharing (COCO-Counterfactuals Figure 2).",
        tuple(_both_ways(by_id[row["pair_id"]], row, images) for row in unshared),
        "prompt-to-prompt",
    )


def _both_ways(shared: Row, alone: Row, images: ImageStore) -> Panel:
    pictures = tuple(
        Picture(images.encoded(row[f"image_id_{side}"]), f"{how}: {row[f'caption_{side}']}")
        for how, row in (("With", shared), ("Without", alone))
        for side in SIDES
    )
    note = (
        f"CLIP similarity of the two images: {shared['image_image']:.3f} with Prompt-to-Prompt (p {shared['p']:.2f}), "
        f"{alone['image_image']:.3f} without. Guidance {shared['guidance']:.1f}, seed {shared['seed']}."
    )
    return Panel(pictures, (), _title(shared), notes=(note,))


def _panel(error: Row, by_id: Mapping[str, Row], images: ImageStore) -> Panel:
    pair_id, wrong = pair_and_side(error["item_id"])
    pair = by_id[pair_id]
    pictures = tuple(
        Picture(
            images.encoded(pair[f"image_id_{side}"]),
            f"{_KINDS[side].capitalize()}{' (the error)' if side == wrong else ''}: {pair[f'caption_{side}']}",
        )
        for side in SIDES
    )
    decision = _DECISIONS.get(error["detail"], error["detail"])
    note = (
        f"The error is the {_KINDS[wrong]} image. Its subject: {pair[f'subject_{wrong}']}. "
        f"Decision of the labels: {decision}."
    )
    return Panel(pictures, (), _title(pair), notes=(note,))


def _title(pair: Row) -> str:
    return f"{pair['subject_0']}, and {pair['subject_1']} instead"


def _automatic(makers: Mapping[str, str | None]) -> str:
    made = [what for what, maker in makers.items() if maker == "automatic"]
    return f"{' and '.join(made).capitalize()} are automatic, not by people." if made else ""


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z]+", "-", heading.casefold()).strip("-")
