"""Words for things of a scene, what they tell of other things, and the margins that make places unambiguous."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from whatif.world.scene_changes import REGIONS, chosen, distance
from whatif.world.scene_words import plural, with_article
from whatif.world.scenes import SIZES, Scene, Thing

LINE_MARGIN = 0.15  # minimum distance of a counted thing's centre from a line through another thing, in sides
END_MARGIN = 0.1  # between the last thing of several at one end and the next; of distances, between the two nearest
EDGE_MARGIN = 0.02  # between a counted thing's square and the edge of a covered region


def named(which: Mapping[str, str], number: int) -> str:
    """The words for things of a kind in singular or plural: `large red balls`, `blue thing`."""
    noun = which.get("noun", "thing")
    adjectives = [which[attribute] for attribute in ("size", "colour") if attribute in which]
    return " ".join([*adjectives, noun if number == 1 else plural(noun)])


def predicate(which: Mapping[str, str]) -> str:
    """The one word of a description as a predicate: `a ball`, `red`, `large`."""
    return with_article(which["noun"]) if "noun" in which else next(iter(which.values()))


def descriptions(scene: Scene) -> list[dict[str, str]]:
    """Noun, colour and size, alone or two together, for things of the scene; sizes only where there are both."""
    found: dict[tuple[tuple[str, str], ...], None] = {}
    sizes = {thing.size for thing in scene.things}
    for thing in scene.things:
        values = {"noun": thing.noun, "colour": thing.colour} | ({"size": thing.size} if len(sizes) > 1 else {})
        for number in (1, 2):
            for keys in combinations(values, number):
                found[tuple((key, values[key]) for key in keys)] = None
    return [dict(pairs) for pairs in found]


def is_decided(counted: Mapping[str, str], which: Mapping[str, str]) -> bool:
    """Whether the words alone say that all counted things are among these, or that none is."""
    return disagree(counted, which) or is_implied(counted, which)


def is_implied(counted: Mapping[str, str], which: Mapping[str, str]) -> bool:
    """Whether every thing that fits `counted` fits `which`."""
    return all(counted.get(key) == word for key, word in which.items())


def disagree(counted: Mapping[str, str], which: Mapping[str, str]) -> bool:
    """Whether no thing can fit both."""
    return any(counted.get(key, word) != word for key, word in which.items())


def anchors(scene: Scene, counted: Mapping[str, str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Things with a unique noun, or a unique noun and colour, and the shortest words for them.

    `the star` says that a scene has one star: a question that counts stars cannot say it.
    """
    for number, thing in enumerate(scene.things):
        for which in ({"noun": thing.noun}, {"noun": thing.noun, "colour": thing.colour}):
            if chosen(scene, which) == [number] and not is_implied(counted, which):
                yield number, which
                break


def is_clear_of(region: str, thing: Thing) -> bool:
    """Whether a thing's square lies wholly in a region or wholly outside it, with a margin."""
    left, top, right, bottom = REGIONS[region]
    borders = (
        (thing.x - left, left > 0),
        (right - thing.x, right < 1),
        (thing.y - top, top > 0),
        (bottom - thing.y, bottom < 1),
    )
    inwards = [distance_to_it for distance_to_it, is_inside_the_image in borders if is_inside_the_image]
    least = SIZES[thing.size] / 2 + EDGE_MARGIN
    return min(inwards) >= least or min(inwards) <= -least


def has_a_clear_neighbour(scene: Scene, number: int) -> bool:
    """Whether one thing is clearly nearest to a thing, both by their centres and by the gaps between them."""
    anchor = scene.things[number]
    others = [thing for place, thing in enumerate(scene.things) if place != number]
    if len(others) < 2:
        return False
    by_centre = sorted(others, key=lambda thing: distance(thing, anchor))
    gaps = [distance(thing, anchor) - SIZES[thing.size] / 2 for thing in by_centre]
    centres = [distance(thing, anchor) for thing in by_centre]
    return centres[1] - centres[0] >= END_MARGIN and min(gaps[1:]) - gaps[0] >= END_MARGIN


def are_clear_at_an_end(scene: Scene, which: Mapping[str, str], end: str, many: int) -> bool:
    """Whether the outermost `many` things of a kind are clearly further out than the others; there must be others."""
    there = [scene.things[number] for number in chosen(scene, which)]
    if len(there) <= many:
        return False
    sign = 1 if end in ("left", "top") else -1
    places = sorted(sign * (thing.x if end in ("left", "right") else thing.y) for thing in there)
    return places[many] - places[many - 1] >= END_MARGIN


def colours_by_name(scene: Scene, counted: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`red things`, or a noun whose things have one colour; and the colour."""
    for which in descriptions(scene):
        colours = {scene.things[number].colour for number in chosen(scene, which)}
        if which.keys() == {"colour"} and not is_decided(counted, which):
            yield named(which, 2), which["colour"]
        elif which.keys() == {"noun"} and len(colours) == 1 and not is_implied(counted, which):
            yield named(which, len(chosen(scene, which))), colours.pop()
