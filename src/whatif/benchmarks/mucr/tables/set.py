"""Pairs by category, images by style and generator, and questions; sizes beside reported ones (MuCR 3.1, Figure 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from whatif.benchmarks.mucr.outcomes import ALL, Row
from whatif.benchmarks.mucr.report import Mucr
from whatif.benchmarks.mucr.reported import in_text
from whatif.benchmarks.mucr.schemas import BY_CLIP, BY_SCENE, CATEGORIES, MEMBERS, METRICS, RELEASED, STYLES
from whatif.results.reporting.declared import Declared
from whatif.results.reporting.numerals import count, decimal
from whatif.results.reporting.precision import percent
from whatif.results.reporting.table import OURS, PUBLISHED, REPORTED, Column, View

_CHOOSERS = ("people", BY_CLIP, BY_SCENE, RELEASED)


def _rows(found: Mucr) -> Iterator[Row]:
    """Only pairs that are used count."""
    pairs = list(found.task.rows("pairs", ["pair_id", "group_id", "category"]))
    used = {row["pair_id"] for row in pairs}
    columns = ["candidate_id", "pair_id", "style", "generator"]
    candidates = [
        row for role in ("provided", "candidates") for row in found.task.rows(role, columns) if row["pair_id"] in used
    ]
    choices = [row for row in found.task.rows("choices") if row["pair_id"] in used]
    drawn = [row["generator"] for row in candidates if row["generator"] != RELEASED]
    # Each of our sizes with its name in text.csv.
    sizes = {
        "pairs of captions": (len(pairs), "caption_pairs"),
        "categories": (len({row["category"] for row in pairs} & {*CATEGORIES}), "categories"),
        "generated images": (len(drawn), "images_generated"),
        "generators": (len(set(drawn)), "text_to_image_systems"),
        "styles": (len({row["style"] for row in choices} & {*STYLES}), "styles"),
        "chosen pairs of images": (len(choices), "image_pairs"),
    }
    for of, (size, metric) in sizes.items():
        text = in_text(metric, "sec3.1", "all")
        yield {"source": OURS, "of": of, "measure": "size", "value": size}
        yield {"source": REPORTED, "of": of, "measure": "size", "value": int(text), PUBLISHED: text}
    yield from ({"source": OURS, **row} for row in _by_category(pairs))
    yield from ({"source": OURS, **row} for row in _by_style(candidates, choices))
    yield from ({"source": OURS, **row} for row in _by_generator(candidates, choices))
    items = Counter((row["metric"], row["split"]) for row in found.task.rows("items", ["metric", "split"]))
    for metric in METRICS:
        for measure, split in (("asked", "test"), ("training", "train")):
            if items[metric, "test"] or items[metric, "train"]:
                yield {"source": OURS, "metric": metric, "measure": measure, "value": items[metric, split]}


def _by_category(pairs: list[Row]) -> Iterator[Row]:
    sizes = Counter(row["group_id"] for row in pairs)
    whole_groups = {group for group, size in sizes.items() if size == MEMBERS}
    of_groups = {(row["category"], row["group_id"]) for row in pairs if row["group_id"] in whole_groups}
    numbers, groups = Counter(row["category"] for row in pairs), Counter(category for category, _ in of_groups)
    for category in filter(numbers.get, CATEGORIES):
        place = {"category": category}
        yield {**place, "measure": "pairs of category", "value": numbers[category]}
        yield {**place, "measure": "share of category", "value": percent(numbers[category] / len(pairs))}
        yield {**place, "measure": "groups of category", "value": groups[category]}
    yield {"category": ALL, "measure": "pairs of category", "value": len(pairs)}
    yield {"category": ALL, "measure": "groups of category", "value": len(whole_groups)}


def _by_style(candidates: list[Row], choices: list[Row]) -> Iterator[Row]:
    numbers = Counter(row["style"] for row in candidates)
    who = Counter((row["style"], row["chosen_by"]) for row in choices)
    choosers = [one for one in _CHOOSERS if any(by == one for _, by in who)]
    for style in STYLES:
        chosen = sum(row["style"] == style for row in choices)
        if numbers[style] or chosen:
            place = {"style": style}
            yield {**place, "measure": "candidates", "value": numbers[style]}
            yield {**place, "measure": "chosen", "value": chosen}
            if choices:
                yield {**place, "measure": "share of style", "value": percent(chosen / len(choices))}
            yield from ({**place, "measure": f"chosen by {one}", "value": who[style, one]} for one in choosers)


def _by_generator(candidates: list[Row], choices: list[Row]) -> Iterator[Row]:
    generators = {row["candidate_id"]: row["generator"] for row in candidates}
    used = [row[f"{side}_candidate"] for row in choices for side in ("cause", "effect")]
    chosen = Counter(generators[one] for one in used if one in generators)
    for generator, number in sorted(Counter(generators.values()).items()):
        place = {"generator": generator}
        yield {**place, "measure": "candidates of generator", "value": number}
        yield {**place, "measure": "chosen of generator", "value": chosen[generator]}
        yield {**place, "measure": "share of generator", "value": percent(chosen[generator] / number)}


TABLE: Declared[Mucr] = Declared(
    position=60,
    title="The set",
    identity=("source", "of", "category", "style", "generator", "metric", "measure", PUBLISHED),
    numbers=("value",),
    rows=_rows,
    views=lambda found: (
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
                Column("As drawn", "chosen by scenes", write=count),
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
    ),
)
