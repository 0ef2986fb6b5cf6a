"""Presuppositions that can change how many things of a kind a scene shows, in the four kinds of the indirect group.

C-VQA 3.1: such a presupposition changes the answer indirectly. Here its words do not decide the answer: which of the
counted things it affects must be seen in the image. Places are named only where margins make them unambiguous.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from whatif.world.scene_changes import REGIONS, WORDS, chosen
from whatif.world.scene_descriptions import (
    LINE_MARGIN,
    anchors,
    are_clear_at_an_end,
    colours_by_name,
    descriptions,
    disagree,
    has_a_clear_neighbour,
    is_clear_of,
    is_decided,
    is_implied,
    named,
    predicate,
)
from whatif.world.scene_words import plural, with_article
from whatif.world.scenes import NOUNS, Scene

KINDS = ("removal", "visibility", "position", "exchange")
_DIRECTIONS = {
    "left of": "further left than",
    "right of": "further right than",
    "above": "higher in the image than",
    "below": "lower in the image than",
}
_ENDS = {"left": "leftmost", "right": "rightmost", "top": "topmost", "bottom": "bottommost"}
_OPPOSITE_REGIONS = {"left half": "right", "right half": "left", "top half": "bottom", "bottom half": "top"}


@dataclass(frozen=True)
class Presupposition:
    """What is supposed: its kind, the words after `if` in several wordings, the same as an order, and the change."""

    kind: str
    wordings: tuple[str, ...]
    order: str
    change: dict[str, Any]


def presuppositions(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    """Every presupposition of the four kinds for a question that counts `counted`, in a fixed order.

    None of them decides the answer by its words: neither by removing every counted thing, nor by concerning only
    others. Some concern things that the scene does not have, so that it must be seen that nothing changes.
    """
    yield from _removals(scene, counted)
    yield from _covers(scene, counted)
    yield from _by_place(scene, counted)
    yield from _at_the_ends(scene, counted)
    yield from _exchanges(scene, counted)


def _removals(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    for which in (*descriptions(scene), *_absent(scene)):
        if is_decided(counted, which):
            continue
        one, many = named(which, 1), named(which, 2)
        words = [f"all {many} were removed", f"every {one} were taken away", f"all {many} disappeared"]
        if which.keys() == {"colour"}:
            words.append(f"everything {which['colour']} were removed")
        yield Presupposition("removal", tuple(words), f"Remove all {many}", {"remove": which})
        if len(which) == 1 and 0 < len(chosen(scene, which)) < len(scene.things):
            word = plural(which["noun"]) if "noun" in which else next(iter(which.values()))
            words = [
                f"all things that are not {word} were removed",
                f"everything that is not {predicate(which)} were erased",
            ]
            yield Presupposition(
                "removal", tuple(words), f"Remove all things that are not {word}", {"remove": {"not": which}}
            )


def _absent(scene: Scene) -> Iterator[dict[str, str]]:
    """Things that the scene does not have. If only present ones were removed, one thing would always leave none."""
    colours = WORDS["colour"]
    start = colours.index(scene.things[0].colour)
    there = {thing.colour for thing in scene.things}
    colour = next(word for word in colours[start:] + colours[:start] if word not in there)
    noun = _new_noun(scene)
    yield {"colour": colour}
    yield from ({"noun": present, "colour": colour} for present in sorted({thing.noun for thing in scene.things}))
    yield from ({"noun": noun, "colour": present} for present in sorted(there))


def _covers(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    members = [scene.things[number] for number in chosen(scene, counted)]
    for region in REGIONS:
        if not all(is_clear_of(region, thing) for thing in members):
            continue
        part = f"the {region} of the image"
        words = [f"{part} were covered", f"a sheet of paper covered {part}", f"{part} were painted over"]
        if region in _OPPOSITE_REGIONS:
            words.append(f"the image were cropped to its {_OPPOSITE_REGIONS[region]} half")
        yield Presupposition("visibility", tuple(words), f"Cover {part}", {"hide": {"within": region}})
    for which in (*descriptions(scene), *_absent(scene)):
        if which.keys() == {"colour"} and not is_decided(counted, which):
            many = f"all {named(which, 2)}"
            words = [f"{many} were invisible", f"{many} were as transparent as glass"]
            yield Presupposition("visibility", tuple(words), f"Make {many} invisible", {"hide": which})
    if len(members) == 1:
        return  # the words below name present things, so that one counted thing would always be hidden
    for said, colour in colours_by_name(scene, counted):
        words = [f"the background had exactly the colour of the {said}"]
        order = f"Give the background the colour of the {said}, so that nothing of this colour can be seen"
        yield Presupposition("visibility", tuple(words), order, {"hide": {"colour": colour}})


def _by_place(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    members = chosen(scene, counted)
    for number, than in anchors(scene, counted):
        anchor = scene.things[number]
        the_anchor = f"the {named(than, 1)}"
        for direction, words in _DIRECTIONS.items():
            axis = "x" if direction in ("left of", "right of") else "y"
            gaps = [abs(getattr(scene.things[one], axis) - getattr(anchor, axis)) for one in members if one != number]
            which = {"further": direction, "than": than}
            if gaps and min(gaps) >= LINE_MARGIN:
                said = f"everything {words} {the_anchor}"
                wordings = (f"{said} were removed", f"{said} were taken away", f"{said} were hidden")
                yield Presupposition("position", wordings, f"Remove {said}", {"remove": which})
        if counted and has_a_clear_neighbour(scene, number):
            said = f"the thing nearest to {the_anchor}"
            wordings = (f"{said} were removed", f"{said} were taken away", f"{said} disappeared")
            yield Presupposition("position", wordings, f"Remove {said}", {"remove": {"nearest": than}})


def _at_the_ends(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    """The leftmost thing, the two topmost balls: counted ones or others."""
    if not counted:
        return  # that one or two of all things are counted needs no look
    everything: dict[str, str] = {}
    for which in (everything, *descriptions(scene)):
        if len(which) > 1 or (which and is_decided(counted, which)):
            continue
        for end, word in _ENDS.items():
            for many in (1, 2):
                if are_clear_at_an_end(scene, which, end, many):
                    yield _at_an_end(which, end, word, many)


def _at_an_end(which: dict[str, str], end: str, word: str, many: int) -> Presupposition:
    change = {"remove": {**which, "outermost": end, **({"number": many} if many > 1 else {})}}
    said = f"the {'two ' if many == 2 else ''}{word} {named(which, many)}"
    wordings = (f"{said} were removed", f"{said} were taken away", f"{said} disappeared")
    return Presupposition("position", wordings, f"Remove {said}", change)


def _exchanges(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    yield from _turned(scene, counted)
    yield from _replaced(scene, counted)
    yield from _swapped(scene, counted)


def _turned(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    """Things of another colour or noun become counted things, or counted things become others."""
    for which in descriptions(scene):
        for attribute in [attribute for attribute in ("colour", "noun") if attribute in counted]:
            to = counted[attribute]
            if which.get(attribute) != to and not disagree(_without(counted, attribute), which):
                yield from _into(scene, which, attribute, to)
            if attribute not in which and not is_decided(counted, which):
                words = WORDS[attribute]
                yield from _into(scene, which, attribute, words[(words.index(to) + 1) % len(words)])


def _into(scene: Scene, which: dict[str, str], attribute: str, to: str) -> Iterator[Presupposition]:
    if all(getattr(scene.things[number], attribute) == to for number in chosen(scene, which)):
        return  # it is so already
    one, many = named(which, 1), named(which, 2)
    if attribute == "colour":
        words = (f"every {one} were {to}", f"all {many} were painted {to}")
        yield Presupposition("exchange", words, f"Paint all {many} {to}", {"recolour": which, "to": to})
    else:
        it = with_article(to)
        words = (f"every {one} were {it}", f"every {one} turned into {it}")
        yield Presupposition("exchange", words, f"Turn every {one} into {it}", {"rename": which, "to": to})


def _replaced(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    """Each thing of a kind makes way for two or three that are counted."""
    for which in descriptions(scene):
        if is_implied(counted, which):
            continue  # all counted things: twice or three times the number
        noun = counted.get("noun") or _new_noun(scene)
        by = {"noun": noun, **{key: word for key, word in counted.items() if key in ("colour", "size")}}
        for number, word in ((2, "two"), (3, "three")):
            one, said = named(which, 1), f"{word} {named(by, number)}"
            words = (f"each {one} were replaced by {said}", f"there were {said} in place of each {one}")
            change = {"replace": which, "by": by, "number": number}
            yield Presupposition("exchange", words, f"Replace each {one} by {said}", change)


def _swapped(scene: Scene, counted: Mapping[str, str]) -> Iterator[Presupposition]:
    """Two nouns exchange their colours, or their things change into each other."""
    for first, second in combinations(sorted({thing.noun for thing in scene.things}), 2):
        of = [{"noun": first}, {"noun": second}]
        groups = [[scene.things[number] for number in chosen(scene, which)] for which in of]
        colours = [{thing.colour for thing in group} for group in groups]
        if counted.keys() == {"colour"} and len(colours[0]) == len(colours[1]) == 1 and colours[0] != colours[1]:
            both = " and ".join(f"the {named(which, len(group))}" for which, group in zip(of, groups, strict=True))
            words = (f"{both} exchanged colours", f"{both} swapped colours")
            yield Presupposition("exchange", words, f"Let {both} exchange colours", {"exchange": "colour", "of": of})
        if counted.get("noun") in (first, second):
            one, other = (with_article(noun) for noun in (first, second))
            said = f"every {first} were {other} and every {second} were {one}"
            order = f"Turn every {first} into {other}, and every {second} into {one}"
            yield Presupposition("exchange", (said,), order, {"exchange": "noun", "of": of})


def _without(counted: Mapping[str, str], attribute: str) -> dict[str, str]:
    return {key: word for key, word in counted.items() if key != attribute}


def _new_noun(scene: Scene) -> str:
    """A noun that the scene does not have."""
    there = {thing.noun for thing in scene.things}
    start = NOUNS.index(scene.things[0].noun)
    return next(noun for noun in NOUNS[start:] + NOUNS[:start] if noun not in there)
