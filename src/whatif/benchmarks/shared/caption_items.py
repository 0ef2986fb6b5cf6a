"""Counterfactual pairs of captions and images as items of the site: the choices of every matcher, and what is known.

Each pair is an item with both images and four questions: which image fits either caption, and which caption describes
either image (COCO-Counterfactuals 4.2.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from whatif.benchmarks.shared.pair_choices import found
from whatif.engine.artifacts.pair_items import SIDES, item_id
from whatif.people.items import VARIANTS
from whatif.results.reporting.items import Item, ItemAnswer, ItemPicture, ItemQuestion
from whatif.scoring.retrieve import COUNTERFACTUALS, IMAGE_RETRIEVAL, TEXT_RETRIEVAL

Row: TypeAlias = Mapping[str, Any]
Ranks: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]  # direction and item -> model -> its rank as text


@dataclass(frozen=True)
class KnownOfPairs:
    """What a benchmark knows of its pairs, by pair_id: their groups, further notes and images, and their views.

    group: of pairs that are not in `groups`. ranks: of `ranks_shown`. drawn_by, measured_by: the checkpoints that drew
    the images and measured their similarities; empty if not known.
    """

    group: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pictures: Mapping[str, Sequence[ItemPicture]] = field(default_factory=dict)
    views: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ranks: Ranks = field(default_factory=dict)
    drawn_by: str = ""
    measured_by: str = ""


def pair_items(
    pairs: Iterable[Row], matches: Iterable[Row], names: Mapping[str, str], known: KnownOfPairs
) -> Iterator[Item]:
    """An item for each row of `pairs`, in their order.

    `matches` are the scores of the pairs by the matchers in `names` (key -> display name, in the order of the answers).
    A matcher that did not score a pair has no answers there.
    """
    scored: dict[str, dict[str, Row]] = {}
    for row in matches:
        scored.setdefault(row["pair_id"], {})[row["model"]] = row
    for pair in pairs:
        name = pair["pair_id"]
        of_pair = scored.get(name, {})
        given = {key: of_pair[key] for key in names if key in of_pair}
        yield Item(
            name,
            title_of(pair),
            known.groups.get(name, known.group),
            (*_how_made(pair, known), *known.notes.get(name, ())),
            tuple(known.views.get(name, ())),
            (*_pictures(pair), *known.pictures.get(name, ())),
            tuple(_questions(pair, given, names, known.ranks)),
        )


def title_of(pair: Row) -> str:
    """The two nouns of a pair, as a heading."""
    return f"{pair['subject_0']}, and {pair['subject_1']} instead"


def ranks_shown(ranks: Iterable[Row]) -> Ranks:
    """The ranks of the right results among all counterfactual pairs, as text, by direction, item and model."""
    shown: dict[tuple[str, str], dict[str, str]] = {}
    for row in ranks:
        if row["subset"] == COUNTERFACTUALS and row["rank"] is not None:
            text = f"rank {row['rank']:,} of {row['candidates']:,} in retrieval"
            shown.setdefault((row["direction"], row["query_id"]), {})[row["model"]] = text
    return shown


def _pictures(pair: Row) -> Iterator[ItemPicture]:
    for side in SIDES:
        yield ItemPicture(pair[f"image_id_{side}"], pair[f"caption_{side}"], VARIANTS[side])


def _how_made(pair: Row, known: KnownOfPairs) -> Iterator[str]:
    """How the images were made and how similar they are, as far as it is known; pairs may be made elsewhere."""
    if pair["directional"] is not None:
        yield (
            f"Drawn{_by(known.drawn_by)} with p {pair['p']:.2f}, guidance {pair['guidance']:.1f} and seed "
            f"{pair['seed']}. Directional similarity{_by(known.measured_by)}: {pair['directional']:.3f}."
        )
    of_images = [pair["caption_image_0"], pair["caption_image_1"], pair["image_image"]]
    if None not in of_images:
        original, counterfactual, both = of_images
        yield (
            f"Similarity{_by(known.measured_by)}: original image and caption {original:.3f}, counterfactual image and "
            f"caption {counterfactual:.3f}, both images {both:.3f}."
        )


def _by(checkpoint: str) -> str:
    return f" by {checkpoint}" if checkpoint else ""


def _questions(pair: Row, given: Mapping[str, Row], names: Mapping[str, str], ranks: Ranks) -> Iterator[ItemQuestion]:
    captions = (pair["caption_0"], pair["caption_1"])
    images = tuple(f"the {variant} image" for variant in VARIANTS)
    for side in SIDES:
        item = item_id(pair["pair_id"], side)
        for direction, choices, text in (
            (IMAGE_RETRIEVAL, images, f"Which image fits? {captions[side]}"),
            (TEXT_RETRIEVAL, captions, f"Which caption describes {images[side]} better?"),
        ):
            ranked = ranks.get((direction, item), {})
            answers = (
                _answer(names[key], row, choices, (direction, side), ranked.get(key, "")) for key, row in given.items()
            )
            yield ItemQuestion(
                f"{item}-{direction}", text, choices[side], VARIANTS[side], direction, choices, tuple(answers)
            )


def _answer(system: str, row: Row, choices: Sequence[str], asked: tuple[str, int], rank: str) -> ItemAnswer:
    """The choice of a matcher, `asked` in a direction and of a side. A tie counts as wrong: it shows the other one."""
    if row["status"] != "ok":
        return ItemAnswer(system, None, False, row["status"], row["reason"] or "")
    direction, side = asked
    right = found(row)[_choice(direction, side)]
    other = f"caption_{side}_image_{1 - side}" if direction == IMAGE_RETRIEVAL else f"caption_{1 - side}_image_{side}"
    scores = (row[f"caption_{side}_image_{side}"], row[other])
    told = f"score {scores[0]:.4g} for the right one, {scores[1]:.4g} for the other"
    tie = "a tie, which counts as wrong" if scores[0] == scores[1] else ""
    why = "; ".join(filter(None, (told, tie, rank)))
    return ItemAnswer(system, choices[side if right else 1 - side], right, why=why)


def _choice(direction: str, side: int) -> str:
    """The name of a choice among those of `pair_choices`."""
    return direction.replace("-", "_") + ("_counterfactual" if side else "")
