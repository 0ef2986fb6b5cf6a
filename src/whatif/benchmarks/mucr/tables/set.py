"""Pairs by category, images by style and generator, and questions, beside the reported sizes (MuCR 3.1, Figure 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from whatif.benchmarks.mucr.reported import in_text
from whatif.benchmarks.mucr.results import Results
from whatif.benchmarks.mucr.schemas import MEMBERS, METRICS, STYLES
from whatif.benchmarks.mucr.set_counts import SetCounts, set_counts
from whatif.results.reporting.declared import Made
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, Table, View, tidy

TOTAL = "all"

_PLACES = ("source", "of", "category", "style", "generator", "metric", "measure")

# Sizes of the whole set with a reported number, and its metric in text.csv.
_REPORTED = {
    "pairs of captions": "caption_pairs",
    "categories": "categories",
    "generated images": "images_generated",
    "generators": "text_to_image_systems",
    "styles": "styles",
    "chosen pairs of images": "image_pairs",
}

_SECTION = "sec3.1"


def _table(found: SetCounts) -> Table:
    rows = [*_whole(found), *_by_category(found), *_by_style(found), *_by_generator(found), *_questions(found)]
    views = (
        View(
            "Sizes as the paper reports them (MuCR 3.1), and ours.",
            {"of": "Number of"},
            tuple(Column(source.capitalize(), "size", {"source": source}, write=count) for source in (OURS, REPORTED)),
        ),
        View(
            "Pairs by category (MuCR Figure 4b), and whole groups, whose four pairs share their causality.",
            {"category": "Category"},
            (
                Column("Pairs", "pairs of category", write=count),
                Column("Share (%)", "share of category", write=decimal(1)),
                Column("Groups", "groups of category", write=count),
            ),
            "The paper's shares are in its figure only. A group counts in the category of each of its pairs.",
        ),
        View(
            "Images by style (MuCR Figure 4c): candidates, and pairs of images that were chosen.",
            {"style": "Style"},
            (
                Column("Candidates", "candidates", write=count),
                Column("Chosen pairs", "chosen", write=count),
                Column("Share (%)", "share of style", write=decimal(1)),
                Column("By people", "chosen by people", write=count),
                Column("By CLIP", "chosen by clip", write=count),
                Column("Released", "chosen by released", write=count),
            ),
            "The paper has one pair of images for each pair and style, so its styles are a third each.",
        ),
        View(
            "Images by generator: candidates, and images of chosen pairs.",
            {"generator": "Generator"},
            (
                Column("Candidates", "candidates of generator", write=count),
                Column("Chosen", "chosen of generator", write=count),
                Column("Share chosen (%)", "share of generator", write=decimal(1)),
            ),
        ),
        View(
            "Questions by metric, of groups that are asked about and of those for fine-tuning and examples.",
            {"metric": "Metric"},
            (Column("Asked", "asked", write=count), Column("Training", "training", write=count)),
        ),
    )
    frame = tidy(rows, (*_PLACES, PUBLISHED), ("value",))
    return Table("set", "The set", frame, views)


def _whole(found: SetCounts) -> Iterator[dict[str, Any]]:
    drawn = [row for row in found.candidates if row["generator"] != "released"]
    ours = {
        "pairs of captions": len(found.pairs),
        "categories": len(found.categories),
        "generated images": len(drawn),
        "generators": len({row["generator"] for row in drawn}),
        "styles": len(found.styles),
        "chosen pairs of images": len(found.choices),
    }
    for what, metric in _REPORTED.items():
        text = in_text(metric, _SECTION, "all")
        yield {"source": OURS, "of": what, "measure": "size", "value": ours[what]}
        yield {"source": REPORTED, "of": what, "measure": "size", "value": int(text), PUBLISHED: text}


def _by_category(found: SetCounts) -> Iterator[dict[str, Any]]:
    sizes = Counter(row["group_id"] for row in found.pairs)
    whole_groups = {group for group, size in sizes.items() if size == MEMBERS}
    of_groups = {(row["category"], row["group_id"]) for row in found.pairs if row["group_id"] in whole_groups}
    groups = Counter(category for category, _ in of_groups)
    number = len(found.pairs)
    for category, pairs in found.categories.items():
        place = {"source": OURS, "category": category}
        yield {**place, "measure": "pairs of category", "value": pairs}
        yield {**place, "measure": "share of category", "value": percent(pairs / number)}
        yield {**place, "measure": "groups of category", "value": groups[category]}
    whole = {"source": OURS, "category": TOTAL}
    yield {**whole, "measure": "pairs of category", "value": number}
    yield {**whole, "measure": "groups of category", "value": len(whole_groups)}


def _by_style(found: SetCounts) -> Iterator[dict[str, Any]]:
    candidates = Counter(row["style"] for row in found.candidates)
    who = Counter((row["style"], row["chosen_by"]) for row in found.choices)
    for style in STYLES:
        place = {"source": OURS, "style": style}
        if not candidates[style] and style not in found.styles:
            continue
        chosen = found.styles.get(style, 0)
        yield {**place, "measure": "candidates", "value": candidates[style]}
        yield {**place, "measure": "chosen", "value": chosen}
        if found.choices:
            yield {**place, "measure": "share of style", "value": percent(chosen / len(found.choices))}
        for by in ("people", "clip", "released"):
            if any(row["chosen_by"] == by for row in found.choices):
                yield {**place, "measure": f"chosen by {by}", "value": who[style, by]}


def _by_generator(found: SetCounts) -> Iterator[dict[str, Any]]:
    generators = {row["candidate_id"]: row["generator"] for row in found.candidates}
    counts = Counter(generators.values())
    sides = [row[f"{side}_candidate"] for row in found.choices for side in ("cause", "effect")]
    chosen = Counter(generators[one] for one in sides if one in generators)
    for generator in sorted(counts):
        place = {"source": OURS, "generator": generator}
        yield {**place, "measure": "candidates of generator", "value": counts[generator]}
        yield {**place, "measure": "chosen of generator", "value": chosen[generator]}
        yield {**place, "measure": "share of generator", "value": percent(chosen[generator] / counts[generator])}


def _questions(found: SetCounts) -> Iterable[dict[str, Any]]:
    counts = Counter((row["metric"], row["split"]) for row in found.items)
    for metric in METRICS:
        for measure, split in (("asked", "test"), ("training", "train")):
            if counts[metric, "test"] or counts[metric, "train"]:
                yield {"source": OURS, "metric": metric, "measure": measure, "value": counts[metric, split]}


TABLE: Made[Results] = Made(30, lambda found: _table(set_counts(found)))
